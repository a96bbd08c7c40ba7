"""What an SMV text means, by the definition of the language: slow, direct, all values tried.

Only the trees that the parser gives are shared with the front end. Every expression denotes a set
of values in a pair of states and an input; a state is initial, and a pair a step, when every
assignment and constraint allows it. Booleans are Python's, symbols are strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

from plait.errors import Source
from plait.lang.smv.declarations import ModuleText, TypeText, read_modules
from plait.lang.smv.expressions import Apply, Boolean, Expression, Member, Number, Word
from plait.logic.formula import Finally, Globally, Next, Release, Until
from plait.model.expr import (
    And,
    Compare,
    Const,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Var,
)
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Model, Property, Variable
from plait.reference import Semantics

State = tuple[Any, ...]
Values = set[Any]


class Place:
    """An instance of a module: its name, text, arguments and parts."""

    def __init__(
        self, name: str, module: ModuleText, arguments: dict[str, Any], process: Place | None
    ) -> None:
        self.name, self.module, self.arguments = name, module, arguments
        self.process = process or self
        self.parts: dict[str, Place] = {}
        self.variables: dict[str, str] = {}
        self.defines = {d.name.text: d.value for d in module.defines if isinstance(d.name, Word)}


class Definition:
    """The states and steps of a text."""

    def __init__(self, text: str) -> None:
        self.modules = read_modules(Source("text", text), text)
        self.domains: dict[str, list[Any]] = {}
        self.sections: dict[str, str] = {}
        self.places: list[Place] = []
        self.processes: list[Place] = []
        self.symbols = {
            v.text
            for m in self.modules.values()
            for x in m.variables
            for v in x.type.arguments
            if x.type.kind == "enumeration" and isinstance(v, Word)
        }
        self.main = self._unfold("", self.modules["main"], {}, None)
        self.names = [n for n, s in self.sections.items() if s != "IVAR"]
        self.inputs = [n for n, s in self.sections.items() if s == "IVAR"]
        self.assigned = {"init": {}, "current": {}, "next": {}}
        for place in self.places:
            for a in place.module.assigns:
                target = self._variable(place, a.target)
                self.assigned[a.kind].setdefault(target, []).append((place, a.value))

    def _unfold(
        self, name: str, module: ModuleText, arguments: dict[str, Any], process: Place | None
    ) -> Place:
        place = Place(name, module, arguments, process)
        self.places.append(place)
        if process is None:
            self.processes.append(place)
        for v in module.variables:
            full = f"{name}.{v.name}" if name else v.name
            if v.type.kind == "module":
                other = self.modules[v.type.module]
                given = {
                    p: (place, e)
                    for (p, _), e in zip(other.parameters, v.type.arguments, strict=True)
                }
                owner = None if v.type.process else place.process
                place.parts[v.name] = self._unfold(full, other, given, owner)
            else:
                place.variables[v.name] = full
                self.domains[full] = _domain(v.type)
                self.sections[full] = v.section
        return place

    def _variable(self, place: Place, e: Expression) -> str:
        found = self._meaning(place, e)
        assert isinstance(found, str)
        return found

    def _meaning(self, place: Place, e: Expression) -> Any:
        """A full name of a variable, a place, or a pair of a place and an expression there."""
        if isinstance(e, Word):
            if e.text == "self":
                return place
            if e.text in place.variables:
                return place.variables[e.text]
            if e.text in place.parts:
                return place.parts[e.text]
            if e.text in place.arguments:
                other, argument = place.arguments[e.text]
                if isinstance(argument, Word | Member):
                    return self._meaning(other, argument)
                return other, argument
            if e.text in place.defines:
                return place, place.defines[e.text]
            if e.text == "running":
                return ("running", place.process)
            assert e.text in self.symbols, e.text
            return ("symbol", e.text)
        assert isinstance(e, Member)
        return self._meaning(self._meaning(place, e.base), Word(e.name))

    # --- values -----------------------------------------------------------------------------------

    def value(
        self, place: Place, e: Expression, now: dict[str, Any], later: dict[str, Any] | None
    ) -> Values:
        """The set of values that an expression may have."""
        if isinstance(e, Number | Boolean):
            return {e.value}
        if isinstance(e, Word | Member):
            found = self._meaning(place, e)
            if isinstance(found, str):
                return {now[found]}
            if found[0] == "running":
                return {now["running"] is found[1]}
            if found[0] == "symbol":
                return {found[1]}
            return self.value(found[0], found[1], now, later)
        assert isinstance(e, Apply)
        if e.operator == "next":
            assert later is not None
            return self.value(place, e.operands[0], later, None)
        if e.operator in ("case", "?:"):
            arms = e.operands
            if e.operator == "?:":
                arms = (*arms[:2], Boolean(True), arms[2])
            for condition, value in zip(arms[::2], arms[1::2], strict=True):
                if self.value(place, condition, now, later) == {True}:
                    return self.value(place, value, now, later)
            raise AssertionError("not exhaustive")
        below = [self.value(place, o, now, later) for o in e.operands]
        if e.operator in ("{}", "union"):
            return set().union(*below)
        if e.operator == "in":
            (value,) = below[0]
            return {any(value == x and type(value) is type(x) for x in below[1])}
        if e.operator == "..":
            return set(range(min(below[0]), max(below[1]) + 1))
        return {_operation(e.operator, list(values)) for values in product(*below)}

    def holds(self, place: Place, e: Expression, now: dict[str, Any], later: Any = None) -> bool:
        (found,) = self.value(place, e, now, later)
        assert isinstance(found, bool)
        return found

    # --- states -----------------------------------------------------------------------------------

    def constraints(self, *kinds: str) -> Iterable[tuple[Place, tuple[Expression, ...]]]:
        for place in self.places:
            for c in place.module.constraints:
                if c.kind in kinds:
                    yield place, c.conditions

    def states(self) -> list[dict[str, Any]]:
        """All states that INVAR and the current assignments allow."""
        found = []
        for values in product(*(self.domains[n] for n in self.names)):
            state = dict(zip(self.names, values, strict=True))
            if all(self.holds(p, c, state) for p, (c,) in self.constraints("INVAR")) and all(
                state[x] in self.value(p, e, state, None)
                for x, given in self.assigned["current"].items()
                for p, e in given
            ):
                found.append(state)
        return found

    def is_initial(self, state: dict[str, Any]) -> bool:
        return all(self.holds(p, c, state) for p, (c,) in self.constraints("INIT")) and all(
            state[x] in self.value(p, e, state, None)
            for x, given in self.assigned["init"].items()
            for p, e in given
        )

    def is_step(self, now: dict[str, Any], later: dict[str, Any]) -> bool:
        """Whether a step leads from a state (with inputs and who runs) to another."""
        for x, section in self.sections.items():
            if section == "FROZENVAR" and now[x] != later[x]:
                return False
        for x, given in self.assigned["next"].items():
            mine = [(p, e) for p, e in given if p.process is now["running"]]
            if not mine and now[x] != later[x]:
                return False
            if any(later[x] not in self.value(p, e, now, later) for p, e in mine):
                return False
        return all(self.holds(p, c, now, later) for p, (c,) in self.constraints("TRANS"))

    def all_inputs(self) -> Iterable[dict[str, Any]]:
        for values in product(*(self.domains[n] for n in self.inputs)):
            for process in self.processes:
                yield {**dict(zip(self.inputs, values, strict=True)), "running": process}


def _domain(text: TypeText) -> list[Any]:
    if text.kind == "boolean":
        return [False, True]
    if text.kind == "range":
        low, high = (_number(e) for e in text.arguments)
        return list(range(low, high + 1))
    assert text.kind == "enumeration"
    return [v.text if isinstance(v, Word) else _number(v) for v in text.arguments]


def _number(e: Expression) -> int:
    if isinstance(e, Apply):
        return -_number(e.operands[0])
    assert isinstance(e, Number)
    return e.value


def _operation(operator: str, v: list[Any]) -> Any:
    match operator:
        case "&":
            return all(v)
        case "|":
            return any(v)
        case "!":
            return not v[0]
        case "->":
            return not v[0] or v[1]
        case "<->" | "xnor" | "=":
            return v[0] == v[1]
        case "xor" | "!=":
            return v[0] != v[1]
        case "<":
            return v[0] < v[1]
        case "<=":
            return v[0] <= v[1]
        case ">":
            return v[0] > v[1]
        case ">=":
            return v[0] >= v[1]
        case "+":
            return v[0] + v[1]
        case "-":
            return v[0] - v[1]
        case "*":
            return v[0] * v[1]
        case "neg":
            return -v[0]
        case "/":
            return int(v[0] / v[1])
        case "mod":
            return v[0] - int(v[0] / v[1]) * v[1]
        case "count":
            return sum(v)
        case "toint":
            return int(v[0])
        case "bool":
            return v[0] != 0
        case "max":
            return max(v)
        case "min":
            return min(v)
        case "abs":
            return abs(v[0])
    raise AssertionError(operator)


class Graph:
    """The reachable states of a text as a graph, and verdicts on it.

    Fairness is about a state, its inputs and who runs there: a node is a state with the truth of
    all fairness conditions in the step that led to it, so that on a path without end a condition is
    true again and again when such nodes are met again and again. The inputs of a step may be those
    that make a constraint true, if any do.
    """

    def __init__(self, text: str) -> None:
        self.d = d = Definition(text)
        states = d.states()
        self.values = states
        initial = [i for i, s in enumerate(states) if d.is_initial(s)]
        inputs = list(d.all_inputs())
        self.nodes: dict[tuple[int, Any], int] = {}
        self.arcs: list[set[int]] = []
        justice = [(p, c) for p, (c,) in d.constraints("FAIRNESS", "JUSTICE")]
        pairs = [(p, c) for p, both in d.constraints("COMPASSION") for c in both]
        self.justice = len(justice)
        nothing = tuple(False for _ in (*justice, *pairs))
        for i in initial:
            self._node((i, nothing))
        self.initial = [self.nodes[i, nothing] for i in initial]
        place = 0
        while place < len(self.arcs):
            i, _ = list(self.nodes)[place]
            for chosen in inputs:
                now = {**states[i], **chosen}
                truths = tuple(d.holds(p, c, now) for p, c in (*justice, *pairs))
                for j, later in enumerate(states):
                    if d.is_step(now, later):
                        self.arcs[place].add(self._node((j, truths)))
            place += 1
        self.keys = list(self.nodes)

    def _node(self, key: tuple[int, Any]) -> int:
        if key not in self.nodes:
            self.nodes[key] = len(self.nodes)
            self.arcs.append(set())
        return self.nodes[key]

    @property
    def count(self) -> int:
        """How many states are reachable, whatever was true in the last step."""
        return len({i for i, _ in self.keys})

    def true_in(self, place: Place, e: Expression) -> set[int]:
        """The nodes in which a condition about the state holds."""
        return {n for n, (i, _) in enumerate(self.keys) if self.d.holds(place, e, self.values[i])}

    def _true_before(self, number: int) -> set[int]:
        """The nodes that a step led to in which a fairness condition was true."""
        return {n for n, (_, truths) in enumerate(self.keys) if truths[number]}

    def fair(self) -> list[set[int]]:
        """The nodes of each FAIRNESS."""
        return [self._true_before(number) for number in range(self.justice)]

    def compassion(self) -> list[tuple[set[int], set[int]]]:
        """The nodes of both sides of each COMPASSION."""
        length = len(self.keys[0][1]) if self.keys else 0
        numbers = range(self.justice, length, 2)
        return [(self._true_before(n), self._true_before(n + 1)) for n in numbers]

    # --- CTL, as fixpoints over fair paths without end --------------------------------------------

    def ctl(self, place: Place, e: Expression) -> bool:
        sets = self.fair()
        everything = set(range(len(self.arcs)))
        fair = self._always(everything, sets)

        def some_next(goal: set[int]) -> set[int]:
            return {n for n, after in enumerate(self.arcs) if after & goal}

        def until(stay: set[int], goal: set[int]) -> set[int]:
            found = goal & fair
            while True:
                more = found | (stay & some_next(found))
                if more == found:
                    return found
                found = more

        def label(f: Expression) -> set[int]:
            if not isinstance(f, Apply) or not _is_temporal(f):
                return self.true_in(place, f)
            below = [label(o) for o in f.operands]
            match f.operator:
                case "!":
                    return everything - below[0]
                case "&":
                    return everything.intersection(*below)
                case "|":
                    return set().union(*below)
                case "->":
                    return (everything - below[0]) | below[1]
                case "<->":
                    return everything - (below[0] ^ below[1])
                case "EX":
                    return some_next(below[0] & fair)
                case "AX":
                    return everything - some_next((everything - below[0]) & fair)
                case "EF":
                    return until(everything, below[0])
                case "AG":
                    return everything - until(everything, everything - below[0])
                case "EG":
                    return self._always(below[0], sets)
                case "AF":
                    return everything - self._always(everything - below[0], sets)
                case "EU":
                    return until(below[0], below[1])
                case "AU":
                    no, neither = everything - below[1], everything - below[0] - below[1]
                    return everything - until(no, neither) - self._always(no, sets)
            raise AssertionError(f.operator)

        holds = label(e)
        return all(n in holds for n in self.initial if n in fair)

    def _always(self, stay: set[int], sets: list[set[int]]) -> set[int]:
        """The nodes from which a path stays inside for ever and meets each set again and again."""
        left = set(stay)
        while True:
            before = set(left)
            for goal in sets or [set(range(len(self.arcs)))]:
                found = left & goal
                reach = {n for n in left if self.arcs[n] & found}
                while True:
                    more = reach | {n for n in left if self.arcs[n] & reach}
                    if more == reach:
                        break
                    reach = more
                left &= reach
            if left == before:
                return left

    # --- LTL, on a model that is the graph --------------------------------------------------------

    def ltl(self, place: Place, e: Expression) -> bool:
        endless = self._always(set(range(len(self.arcs))), [])
        initial = [n for n in self.initial if n in endless]
        if not initial:
            return True
        at = Var("n")

        def inside(nodes: Iterable[int]) -> Formula:
            return Or(tuple(Compare("==", at, Const(n + 1)) for n in nodes))

        def formula(f: Expression) -> Formula:
            if not isinstance(f, Apply) or not _is_temporal(f):
                return inside(self.true_in(place, f))
            below = [formula(o) for o in f.operands]
            made: dict[str, Callable[..., Formula]] = {
                "!": Not,
                "&": lambda *x: And(x),
                "|": lambda *x: Or(x),
                "->": Implies,
                "<->": Iff,
                "X": Next,
                "F": Finally,
                "G": Globally,
                "U": Until,
                "V": Release,
            }
            return made[f.operator](*below)

        assumed = [Globally(Finally(inside(s))) for s in self.fair()]
        for pair in self.compassion():
            often, then = (Globally(Finally(inside(nodes))) for nodes in pair)
            assumed.append(Implies(often, then))
        body = Next(Implies(And(tuple(assumed)), formula(e)))
        events = [_event(0, n + 1) for n in initial]
        events += [_event(n + 1, m + 1) for n in endless for m in self.arcs[n] & endless]
        type_ = ElementaryType("graph", variables=(Variable("n"),), events=tuple(events))
        asked = Property("p", "ltl", body)
        model = Model("graph", (type_,), "graph", properties=(asked,))
        return Semantics(model).check(asked).verdict == "true"

    def invariant(self, place: Place, e: Expression) -> bool:
        return len(self.true_in(place, e)) == len(self.arcs)

    def verdicts(self) -> list[str]:
        """The verdict of each specification, in the order of the text."""
        check = {"SPEC": self.ctl, "CTLSPEC": self.ctl, "LTLSPEC": self.ltl}
        return [
            "unknown"
            if check.get(s.kind) == self.ctl and any(self.d.constraints("COMPASSION"))
            else str(check.get(s.kind, self.invariant)(place, s.formula)).lower()
            for place in self.d.places
            for s in place.module.specifications
        ]


def _event(a: int, b: int) -> Event:
    here = Compare("==", Var("n"), Const(a))
    return Event(f"e{a}_{b}", guard=(here,), body=(Assign(Var("n"), Const(b)),))


TEMPORAL = {"EX", "AX", "EF", "AF", "EG", "AG", "EU", "AU", "X", "F", "G", "U", "V"}


def _is_temporal(e: Apply) -> bool:
    return e.operator in TEMPORAL or any(
        isinstance(o, Apply) and _is_temporal(o) for o in e.operands
    )
