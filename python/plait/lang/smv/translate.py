"""From a system of modules to a model: one elementary type whose events are the steps.

A synchronous system has one event, `step`; a system of processes has one for each of them. A
constraint on steps that is a disjunction becomes several events, one for each disjunct, and an
equation `next(x) = e` in it becomes an assignment. Where there is more than one initial state, a
step `init` before all others chooses one (`plait.lang.smv.initial`).

A fairness condition about inputs or about who runs is true of a step, and states do not show it. A
ghost remembers it: who ran last, or whether the condition was true in the last step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from plait.lang.smv.equations import Equations, Way
from plait.lang.smv.evaluate import RUNNING, after
from plait.lang.smv.flatten import Flat
from plait.lang.smv.initial import Beginning, beginning
from plait.lang.smv.instances import MAIN
from plait.lang.smv.instances import Variable as SmvVariable
from plait.lang.smv.properties import CHOSEN, Fairness, Properties, Shape
from plait.lang.smv.steps import Steps, Unit, anything, reads
from plait.lang.smv.types import Type
from plait.lang.smv.values import Leaf, Tree, is_variable, rewritten
from plait.model.expr import Compare, Const, Formula, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Model, Variable
from plait.records import replace


def translate(flat: Flat, name: str) -> tuple[Model, Properties]:
    """The model of a system, and what makes properties of formulas about it."""
    return _Translation(flat, name).made()


class _Translation:
    def __init__(self, flat: Flat, name: str) -> None:
        self.flat = flat
        self.name = name
        self.system = flat.system
        self.variables = [v for v in self.system.variables.values() if v.section != "IVAR"]
        self.inputs = [v for v in self.system.variables.values() if v.section == "IVAR"]
        self.steps = Steps(self._is_boolean)
        self.aside: dict[str, None] = {}
        self.used_inputs: dict[str, None] = {}
        self.total = False
        """Some event is possible in every state."""
        self.fresh = FreshNames(numbered="{}#{}")
        self.moving = flat.moving
        self.remembered = _Remembered(flat, [v.name for v in self.inputs])

    def _is_boolean(self, name: str) -> bool:
        found = self.flat.types.get(name)
        return name in self.remembered.truths or (found is not None and found.kind == "boolean")

    def made(self) -> tuple[Model, Properties]:
        """The whole model."""
        events: list[Event] = []
        start = beginning(self.flat, self.variables)
        if start.is_choice:
            events.append(self._init(start))
        first = (Compare("==", Var(CHOSEN), Const(1)),) if start.is_choice else ()
        for number in range(len(self.system.processes)):
            events += self._events(number, first)
        type_ = ElementaryType(
            self.name,
            variables=tuple(self._declared(start)),
            events=(*events, *self.steps.choices),
        )
        shape = Shape(start.is_choice, bool(start.filters), self.total)
        properties = Properties(self.flat, shape, self.remembered.fairness())
        begins = CHOSEN if start.is_choice else None
        found = properties.specified()
        model = Model(
            self.name, (type_,), self.name, properties=found, begins=begins, faultless=True
        )
        return model, properties

    # --- variables --------------------------------------------------------------------------------

    def _declared(self, start: Beginning) -> Iterator[Variable]:
        for v in self.variables:
            value = start.known.get(v.name, v.type.low)
            yield self._cell(v.name, v.type, value, v)
            if v.name in self.aside:
                # Beside it, where the orders of diagrams want it.
                yield self._cell(after(v.name), v.type, None, None)
        for name in self.used_inputs:
            yield self._cell(name, self.flat.types[name], None, None)
        if start.is_choice:
            yield Variable(CHOSEN, (Const(0),), domain=Domain(0, 1), hidden=True)
        if self.remembered.who_ran:
            high = len(self.system.processes) - 1
            yield Variable(RUNNING, (Const(0),), domain=Domain(0, high), ghost=True)
        for name in self.remembered.truths:
            yield Variable(name, (Const(0),), domain=Domain(0, 1), ghost=True)

    def _cell(
        self, name: str, type_: Type, value: int | None, declared: SmvVariable | None
    ) -> Variable:
        """A variable; without a value one that is 0 in every state."""
        low, high = type_.low, type_.high
        if value is None:
            low, high = min(low, 0), max(high, 0)
        return Variable(
            name,
            (Const(value or 0),),
            domain=Domain(low, high),
            words=self._words(type_),
            hidden=declared is None,
            span=None if declared is None else declared.span,
        )

    def _words(self, type_: Type) -> tuple[tuple[int, str], ...]:
        """How the values are called."""
        if type_.kind == "boolean":
            return ((0, "FALSE"), (1, "TRUE"))
        if type_.kind not in ("symbol", "mixed"):
            return ()
        names = self.flat.evaluator.names
        return tuple((v, names[v]) for v in sorted(type_.values) if v in names)

    # --- steps ------------------------------------------------------------------------------------

    def _init(self, start: Beginning) -> Event:
        step = self.steps.step(start.open, start.filters)
        chosen = Assign(Var(CHOSEN), Const(1))
        guard = (Compare("==", Var(CHOSEN), Const(0)), *step.guard)
        return Event("init", guard=guard, body=(*step.body, chosen))

    def _events(self, number: int, first: tuple[Formula, ...]) -> Iterator[Event]:
        """The ways in which a process makes a step."""
        process = self.system.processes[number]
        title = process.name or ("step" if len(self.system.processes) == 1 else MAIN)
        free = {after(v.name): v.type for v in self.variables if self._is_free(v)}
        free |= {v.name: v.type for v in self.inputs}
        equations = Equations(free, [v.name for v in self.inputs])
        for way in equations.ways(self.flat.trans):
            yield self._step(number, title, way, first)

    def _is_free(self, v: SmvVariable) -> bool:
        """Whether nobody assigns the next value of a variable."""
        return v.section == "VAR" and v.name not in self.flat.current and v.name not in self.moving

    def _step(self, number: int, title: str, way: Way, first: tuple[Formula, ...]) -> Event:
        """One way in which a process makes a step."""
        flat = self.flat
        units: list[Unit] = []
        unchanged: dict[str, str] = {}
        for v in self.variables:
            given = flat.current.get(v.name) or flat.next[number].get(v.name)
            tree: Tree | None = None
            if given is not None:
                tree = given.value.tree
            elif self._is_free(v):
                tree = way.given.get(after(v.name)) or anything(v.type)
            if tree is None or is_variable(tree, v.name):
                unchanged[after(v.name)] = v.name
            else:
                units.append(Unit(v.name, tree, v.span if given is None else given.span))
        # Nobody reads a ghost, so that to write one never keeps anything aside.
        units += [Unit(name, Leaf(c), None) for name, c in self.remembered.truths.items()]
        units, filters = self._settled(units, [*way.conditions, *flat.invar], unchanged, number)
        inputs = self._chosen_inputs(units, filters, way)
        units = [*self._settled(inputs, (), {}, number)[0], *units]
        step = self.steps.step(units, filters)
        self.aside.update(dict.fromkeys(step.aside))
        self.total = self.total or step.total
        body = step.body
        if self.remembered.who_ran:
            body = (*body, Assign(Var(RUNNING), Const(number)))
        return Event(
            self.fresh.fresh(f"{title}{way.title}"),
            guard=(*first, *step.guard),
            body=body,
            span=self.system.processes[number].module.span,
        )

    def _settled(
        self,
        units: Iterable[Unit],
        filters: Sequence[Formula],
        unchanged: dict[str, str],
        number: int,
    ) -> tuple[list[Unit], list[Formula]]:
        """Units and filters, where values that do not change are those of the state before."""

        def change(node: Node) -> Node:
            if isinstance(node, Var) and node.name in unchanged:
                return Var(unchanged[node.name], span=node.span)
            if isinstance(node, Var) and node.name == RUNNING:
                return Const(number)
            return node

        settled = [replace(u, tree=rewritten(u.tree, change)) for u in units]
        return settled, [rewrite(f, change) for f in filters]  # type: ignore[misc]

    def _chosen_inputs(
        self, units: Sequence[Unit], filters: Sequence[Formula], way: Way
    ) -> Iterator[Unit]:
        """The inputs that somebody looks at."""
        read: set[str] = set().union(*(reads(u.tree) for u in units), *map(_names, filters))
        for v in self.inputs:
            if v.name in read:
                self.used_inputs[v.name] = None
                tree = way.given.get(v.name) or anything(v.type)
                yield Unit(v.name, tree, v.span, is_input=True)


class _Remembered:
    """Which fairness conditions speak of a step, and the ghosts that remember them."""

    def __init__(self, flat: Flat, inputs: Collection[str]) -> None:
        self.flat = flat
        self.who_ran = False
        """Whether who made the last step is remembered: some conditions are about that alone."""
        self.truths: dict[str, Formula] = {}
        """The conditions about a step and its state, by the names of their ghosts."""
        self._told: dict[Formula, Formula] = {}
        for condition in (*flat.fairness, *(c for pair in flat.compassion for c in pair)):
            names = _names(condition)
            told = condition
            if names == {RUNNING}:
                self.who_ran = True
            elif RUNNING in names or not names.isdisjoint(inputs):
                name = f"fair({len(self.truths) + 1})"
                self.truths[name] = condition
                told = Compare("==", Var(name), Const(1))
            self._told[condition] = told

    def fairness(self) -> Fairness:
        """The conditions in terms of states."""
        told = self._told
        return Fairness(
            tuple(told[c] for c in self.flat.fairness),
            tuple((told[often], told[then]) for often, then in self.flat.compassion),
        )


def _names(node: Node) -> set[str]:
    return {n.name for n in nodes(node) if isinstance(n, Var)}
