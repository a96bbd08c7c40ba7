"""The bindings of an event, by joining what its arcs may take with what its guard allows.

The colours that a place may hold are a relation, and the summands of the arcs that take from it
are patterns over the event's variables: finding bindings is a conjunctive query, answered variable
by variable with an index for the positions that are known already (as in the grounding of logic
programs). The full product of the variables' sorts is never built. A condition is tested as soon as
its variables are bound, and an equality binds the variable on its other side.

Invariant: `Plan.bindings` gives each binding that satisfies the guard and whose patterns all match
colours of the places, and none else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from plait.colour.net import Basic, Colour, ColouredEvent, Every, Fixed, Shifted, Term
from plait.model.arithmetic import apply_binary, compare
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Param,
    Truth,
)
from plait.model.node import Node, fold, nodes

MEMO_LIMIT = 200_000
"""The most remembered values of one condition."""
Values = dict[str, int]


class Relation:
    """The colours that a place may hold, with an index for each set of positions asked for."""

    def __init__(self) -> None:
        self.colours: dict[Colour, None] = {}
        self._indexes: dict[tuple[int, ...], dict[Colour, list[Colour]]] = {}

    def add(self, colour: Colour) -> None:
        """One more colour, which must be new."""
        self.colours[colour] = None
        for positions, index in self._indexes.items():
            index.setdefault(tuple(colour[p] for p in positions), []).append(colour)

    def index(self, positions: tuple[int, ...]) -> dict[Colour, list[Colour]]:
        """The colours by what stands at these positions."""
        found = self._indexes.get(positions)
        if found is None:
            found = self._indexes[positions] = {}
            for colour in self.colours:
                found.setdefault(tuple(colour[p] for p in positions), []).append(colour)
        return found


@dataclass(frozen=True, slots=True)
class Pattern:
    """A summand of an arc that takes tokens: some colour like this must be in the place."""

    place: int
    terms: tuple[Term, ...]


def patterns_of(event: ColouredEvent) -> list[Pattern]:
    """What must be in the places for any binding.

    A bag from which something is subtracted asks for nothing in particular. Where every colour is
    needed the first one is asked for.
    """
    found: dict[Pattern, None] = {}
    for arc in event.arcs:
        if arc.kind != "in" or any(s.times < 0 for s in arc.bag):
            continue
        for summand in arc.bag:
            terms = tuple(Fixed(0) if isinstance(t, Every) else t for t in summand.terms)
            found[Pattern(arc.place, terms)] = None
    return list(found)


class Condition:
    """A conjunct of a guard, evaluated on the numbers of colours."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.variables = tuple(
            dict.fromkeys(n.name for n in nodes(formula) if isinstance(n, Param))
        )
        self._memo: dict[tuple[int, ...], bool] = {}

    def holds(self, values: Values) -> bool:
        """Whether it is true for these values."""
        key = tuple(values[v] for v in self.variables)
        known = self._memo.get(key)
        if known is None:
            known = bool(fold(self.formula, lambda node, below: _evaluate(node, below, values)))
            if len(self._memo) < MEMO_LIMIT:
                self._memo[key] = known
        return known


def in_new_colours(formula: Formula, old: Callable[[str], Sequence[int] | None]) -> Formula:
    """A conjunct of a guard where a sort has other colours.

    `old` gives the old colours that the new ones of a variable stand for, None where they stay.
    What relates several variables is left as it is.
    """
    condition = Condition(formula)
    if len(condition.variables) != 1:
        return formula
    (name,) = condition.variables
    colours = old(name)
    if colours is None:
        return formula
    allowed = [new for new, colour in enumerate(colours) if condition.holds({name: colour})]
    return Or(tuple(Compare("==", Param(name), Const(c)) for c in allowed))


def _evaluate(node: Node, below: list[int], values: Values) -> int:
    match node:
        case Param(name=name):
            return values[name]
        case Const(value=value):
            return value
        case Truth(value=value):
            return value
        case Compare(op=op):
            return compare(op, below[0], below[1])
        case And():
            return all(below)
        case Or():
            return any(below)
        case Not():
            return not below[0]
        case Implies():
            return not below[0] or below[1]
        case Iff():
            return bool(below[0]) == bool(below[1])
        case AsInt():
            return below[0]
        case Binary(op=op):
            result = apply_binary(op, below[0], below[1])
            assert result is not None
            return result
    raise AssertionError(f"no part of a guard: {node!r}")


_Step = Callable[[Values], Iterator[None]]


@dataclass(slots=True)
class Join:
    """An event made ready for the search of its bindings."""

    event: ColouredEvent
    relations: Sequence[Relation]
    spent: Callable[[], None]
    """Called for every candidate that is tried; may raise to end the search."""
    patterns: list[Pattern] = field(init=False)
    conditions: list[Condition] = field(init=False)
    _sorts: dict[str, Basic] = field(init=False)
    _plans: dict[int | None, list[_Step]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.patterns = patterns_of(self.event)
        self.conditions = [Condition(f) for f in self.event.guard]
        self._sorts = dict(self.event.variables)

    def bindings(self, pivot: int | None = None, colour: Colour = ()) -> Iterator[Values]:
        """The bindings; with a pivot those for which that pattern matches the colour.

        The mapping that is given is overwritten by the next one.
        """
        values: Values = {}
        if pivot not in self._plans:
            self._plans[pivot] = self._plan(pivot)
        if pivot is not None:
            pattern = self.patterns[pivot]
            fixed = [i for i, t in enumerate(pattern.terms) if isinstance(t, Fixed)]
            if any(colour[i] != pattern.terms[i][0] for i in fixed):
                return
            if not self._unify(pattern, colour, values):
                return
            bound = frozenset(values)
            if not all(c.holds(values) for c in self.conditions if bound.issuperset(c.variables)):
                return
        elif not all(c.holds(values) for c in self.conditions if not c.variables):
            return
        yield from _search(self._plans[pivot], values)

    def _unify(self, pattern: Pattern, colour: Colour, values: Values) -> bool:
        """Bind the variables of the pattern to what the colour says; False when it differs."""
        for position, term in enumerate(pattern.terms):
            if isinstance(term, Shifted):
                value = (colour[position] - term.offset) % self._sorts[term.variable].size
                if values.setdefault(term.variable, value) != value:
                    return False
        return True

    # --- the plan: in which order variables are bound, and how ------------------------------------

    def _plan(self, pivot: int | None) -> list[_Step]:
        left = [p for i, p in enumerate(self.patterns) if i != pivot]
        bound: set[str] = set()
        if pivot is not None:
            bound = {t.variable for t in self.patterns[pivot].terms if isinstance(t, Shifted)}
        steps: list[_Step] = []
        while True:
            before = frozenset(bound)
            if (solved := self._solvable(bound)) is not None:
                variable, step = solved
                bound.add(variable)
            elif left:
                best = min(left, key=lambda p: self._price(p, bound))
                left.remove(best)
                step = self._match(best, frozenset(bound), self._tests(before, best))
                bound.update(t.variable for t in best.terms if isinstance(t, Shifted))
                steps.append(step)
                continue
            else:
                free = next((v for v in self._sorts if v not in bound), None)
                if free is None:
                    return steps
                bound.add(free)
                step = _choose(free, self._sorts[free].size)
            steps.append(self._tested(step, self._due(before, frozenset(bound))))

    def _price(self, pattern: Pattern, bound: set[str]) -> tuple[int, int]:
        """Patterns that bind few new variables first, and among them those of small places."""
        new = {t.variable for t in pattern.terms if isinstance(t, Shifted)} - bound
        return len(new), len(self.relations[pattern.place].colours)

    def _due(self, before: frozenset[str], after: frozenset[str]) -> list[Condition]:
        """The conditions whose last variable has just been bound."""
        return [
            c
            for c in self.conditions
            if after.issuperset(c.variables) and not before.issuperset(c.variables)
        ]

    def _tests(self, before: frozenset[str], pattern: Pattern) -> list[Condition]:
        new = {t.variable for t in pattern.terms if isinstance(t, Shifted)}
        return self._due(before, before | new)

    def _tested(self, step: _Step, tests: list[Condition]) -> _Step:
        spent = self.spent

        def tested(values: Values) -> Iterator[None]:
            for _ in step(values):
                spent()
                if all(c.holds(values) for c in tests):
                    yield

        return tested

    def _match(self, pattern: Pattern, bound: frozenset[str], tests: list[Condition]) -> _Step:
        known = tuple(
            i
            for i, t in enumerate(pattern.terms)
            if isinstance(t, Fixed) or (isinstance(t, Shifted) and t.variable in bound)
        )
        key = _key(pattern, known, self._sorts)
        new = [
            (i, t.variable, t.offset, self._sorts[t.variable].size)
            for i, t in enumerate(pattern.terms)
            if isinstance(t, Shifted) and t.variable not in bound
        ]
        repeated = len({variable for _, variable, _, _ in new}) < len(new)
        relation, spent = self.relations[pattern.place], self.spent

        def match(values: Values) -> Iterator[None]:
            for colour in relation.index(known).get(key(values), ()):
                spent()
                fits = True
                for position, variable, offset, size in new:
                    values[variable] = (colour[position] - offset) % size
                if repeated:
                    fits = all(
                        values[variable] == (colour[position] - offset) % size
                        for position, variable, offset, size in new
                    )
                if fits and all(c.holds(values) for c in tests):
                    yield

        return match

    def _solvable(self, bound: set[str]) -> tuple[str, _Step] | None:
        """A variable that an equality determines, and how."""
        for condition in self.conditions:
            formula = condition.formula
            if not isinstance(formula, Compare) or formula.op != "==":
                continue
            for side, other in ((formula.left, formula.right), (formula.right, formula.left)):
                shifted = _shifted(side)
                known = {n.name for n in nodes(other) if isinstance(n, Param)}
                if shifted is not None and shifted.variable not in bound and known <= bound:
                    size = self._sorts[shifted.variable].size
                    return shifted.variable, _solve(shifted, other, size)
        return None


def _search(steps: list[_Step], values: Values) -> Iterator[Values]:
    """Every way through the steps, each of which binds what it is for."""
    if not steps:
        yield values
        return
    stack = [steps[0](values)]
    while stack:
        if next(stack[-1], _END) is _END:
            stack.pop()
        elif len(stack) == len(steps):
            yield values
        else:
            stack.append(steps[len(stack)](values))


_END = object()


def _choose(variable: str, size: int) -> _Step:
    def choose(values: Values) -> Iterator[None]:
        for value in range(size):
            values[variable] = value
            yield

    return choose


def _solve(shifted: Shifted, other: Node, size: int) -> _Step:
    def solve(values: Values) -> Iterator[None]:
        value = fold(other, lambda node, below: _evaluate(node, below, values))
        if 0 <= value < size:
            values[shifted.variable] = (value - shifted.offset) % size
            yield

    return solve


def _key(
    pattern: Pattern, known: tuple[int, ...], sorts: dict[str, Basic]
) -> Callable[[Values], Colour]:
    """What stands at the known positions, from the values bound so far."""
    parts: list[tuple[str, int, int]] = []
    for position in known:
        term = pattern.terms[position]
        if isinstance(term, Shifted):
            parts.append((term.variable, term.offset, sorts[term.variable].size))
        else:
            assert isinstance(term, Fixed)
            parts.append(("", term.value, 0))

    def key(values: Values) -> Colour:
        return tuple(
            (values[variable] + offset) % size if size else offset
            for variable, offset, size in parts
        )

    return key


def _shifted(side: Node) -> Shifted | None:
    """The side of a comparison as a shifted variable, if it is one."""
    match side:
        case Param(name=name):
            return Shifted(name)
        case Binary(
            op="%", left=Binary(op="+", left=Param(name=name), right=Const(value=k)), right=Const()
        ):
            return Shifted(name, k)
    return None
