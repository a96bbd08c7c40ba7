"""From the control flows of processes to the events of a model.

`_exclusive` is the process that is inside `atomic` or `d_step`, plus 1. States in which it is not
0 are transient: as in SPIN, what is between the steps of an atomic block is no state of its own. A
process that cannot go on inside `atomic` gives the control back.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import Span, error
from plait.lang.promela.bodies import ProcessText
from plait.lang.promela.channels import disjunction
from plait.lang.promela.declarations import Declared, SystemText
from plait.lang.promela.executable import COUNT, Executability, Place
from plait.lang.promela.expressions import constant
from plait.lang.promela.flow import Edge, Flow, keeps_control, resolve
from plait.lang.promela.processes import PROCESS_LIMIT, Processes
from plait.lang.promela.statements import (
    Assertion,
    Assignment,
    Condition,
    ElseStep,
    ReceiveStep,
    RunStep,
    SendStep,
    Step,
    Target,
)
from plait.lang.promela.symbols import (
    Leaf,
)
from plait.model.expr import (
    TRUE,
    And,
    Compare,
    Const,
    Deadlock,
    Formula,
    Hop,
    IntExpr,
    Length,
    Not,
    Or,
    Var,
    conjuncts,
)
from plait.model.node import Node, rewrite
from plait.model.stmt import Assign, Body, If, Receive, Skip, Statement
from plait.model.types import (
    Domain,
    ElementaryType,
    Event,
    Model,
    Process,
    Property,
    Variable,
)

EXCLUSIVE = "_exclusive"


class Translation(Executability):
    """The model of a text whose processes are read."""

    def __init__(self, system: SystemText, processes: Processes, name: str) -> None:
        super().__init__(system, processes)
        self.name = name
        self.properties: list[Property] = []
        self.failures: dict[str, int] = {}
        self.titles: dict[str, int] = {}
        self.values: dict[tuple[str, int], int] = {}
        self.exclusive = any(
            keeps_control(e) for place in self.places for e in place.location.edges
        )
        for declared in self._declared():
            for leaf in declared.cells:
                self.types.domains[leaf.full] = leaf.type.domain

    def _declared(self) -> Iterator[Declared]:
        yield from self.system.variables
        for p, _ in self.processes.found:
            yield from (*p.parameters, *p.variables)

    def model(self) -> Model:
        """The whole model, one elementary type."""
        variables = list(self._variables())
        events = [e for place in self.places for e in self._events(place)]
        # Failing locations are known only now.
        variables = [self._with_failures(v) for v in variables]
        self.properties.append(self._end_states())
        type_ = ElementaryType(
            self.name,
            variables=(*variables, *self.channels.scratch.values()),
            channels=self.channels.declared(),
            processes=tuple(
                Process(
                    p.name,
                    f"{p.name}._pc",
                    ("none", *(at.name for at in f.locations), *self._failure_names(p)),
                    span=p.proctype.span,
                )
                for p, f in self.processes.found
            ),
            events=tuple(events),
            transient=Compare("!=", Var(EXCLUSIVE), Const(0)) if self.exclusive else None,
        )
        return Model(self.name, (type_,), self.name, properties=tuple(self.properties))

    # --- variables --------------------------------------------------------------------------------

    def _variables(self) -> Iterator[Variable]:
        for declared in self.system.variables:
            yield from self._cells(declared, True)
        for p, flow in self.processes.found:
            alive = p.pid < self.processes.initial and p.proctype.active > 0
            alive = alive and self._starts(p)
            pc = flow.start.number if alive else 0
            top = Domain(0, len(flow.locations))
            yield Variable(f"{p.name}._pc", (Const(pc),), domain=top, span=p.proctype.span)
            for declared in (*p.parameters, *p.variables):
                yield from self._cells(declared, alive)
        started = self.processes.initial
        limit = Domain(0, max(self.processes.limit, started))
        yield Variable(COUNT, (Const(started),), domain=limit)
        if self.exclusive:
            yield Variable(EXCLUSIVE, (Const(0),), domain=Domain(0, limit.high))

    def _starts(self, process: ProcessText) -> bool:
        """Whether a process exists from the beginning."""
        pid = 0
        for proctype in self.system.proctypes.values():
            if proctype is process.proctype:
                return pid <= process.pid < pid + proctype.active
            pid += proctype.active
        return False

    def _cells(self, declared: Declared, alive: bool) -> Iterator[Variable]:
        for leaf in declared.cells:
            value = self._initial(leaf) if alive else 0
            values = tuple(Const(value) for _ in range(leaf.cells))
            for k in range(leaf.cells):
                self.values[leaf.full, k] = value
            size = Const(leaf.cells) if leaf.dimensions else None
            domain = leaf.type.domain if leaf.type.name != "int" else None
            yield Variable(leaf.full, values, size, domain, span=leaf.span)

    def _initial(self, leaf: Leaf) -> int:
        """The value at the start, which may depend on variables declared before."""
        if leaf.initial is None:
            return 0

        def change(node: Node) -> Node:
            if isinstance(node, Var):
                index = 0 if node.index is None else constant(node.index)
                value = None if index is None else self.values.get((node.name, index))
                return node if value is None else Const(value, span=node.span)
            return node

        wrapped = self.types.wrap(leaf.initial, leaf.type.domain)
        value = constant(rewrite(wrapped, change))
        if value is None:
            raise error("this initial value is not known at the start", leaf.initial.span)
        return value

    # --- events -----------------------------------------------------------------------------------

    def _events(self, place: Place) -> Iterator[Event]:
        """All that can happen to a process at a location."""
        for edge in place.location.edges:
            yield from self._statement(place, edge)
        if place.location is place.flow.end:
            yield self._death(place)
        elif self.exclusive and self._entered_exclusively(place):
            yield from self._release(place)

    def _entered_exclusively(self, place: Place) -> bool:
        return any(
            keeps_control(e) and resolve(e.target)[0] is place.location
            for at in place.flow.locations
            for e in at.edges
        )

    def _event(
        self,
        place: Place,
        span: Span,
        guard: list[Formula],
        body: Body,
        *,
        alone: bool = True,
        title: str = "",
    ) -> Event:
        """An event of a process; `alone` when it needs the control to be executed."""
        title = title or f"{place.process.name}:{span.line}"
        number = self.titles.get(title, 0) + 1
        self.titles[title] = number
        mine = place.process.pid + 1
        parts: list[Formula] = [place.here]
        if self.exclusive and alone:
            free = [Compare("==", Var(EXCLUSIVE), Const(v)) for v in (0, mine)]
            parts.append(Or(tuple(free)))
        for formula in guard:
            parts.extend(conjuncts(formula))
        return Event(
            title if number == 1 else f"{title}#{number}",
            guard=tuple(parts),
            body=body,
            process=place.process.name,
            span=span,
        )

    def _arrive(self, place: Place, edge: Edge) -> Body:
        target, _ = resolve(edge.target)
        moved: list[Statement] = [Assign(Var(place.pc), Const(target.number), span=edge.step.span)]
        if self.exclusive:
            mine = place.process.pid + 1 if keeps_control(edge) else 0
            moved.append(Assign(Var(EXCLUSIVE), Const(mine), span=edge.step.span))
        return tuple(moved)

    def _statement(self, place: Place, edge: Edge) -> Iterator[Event]:
        step = edge.step
        guard: list[Formula] = []
        if edge.before:
            guard.append(Not(self.any(place, edge.before)))
        arrive = self._arrive(place, edge)
        match step:
            case Condition():
                guard.append(self.resolved(step.holds))
                yield self._event(place, step.span, guard, arrive)
            case ElseStep():
                guard.append(self.enabled(place, edge))
                yield self._event(place, step.span, guard, arrive)
            case Assignment():
                body = self._store(step, step.target, step.value)
                yield self._event(place, step.span, guard, (*body, *arrive))
            case Assertion():
                yield from self._assertion(place, step, guard, arrive)
            case SendStep() | ReceiveStep():
                yield from self._message(place, edge, step, guard, arrive)
            case RunStep():
                yield from self._run(place, step, guard, arrive)

    def _store(self, step: Step, target: Target | None, value: IntExpr) -> Body:
        if target is None:
            return ()
        wrapped = self.types.wrap(self.number(value), target.type.domain)
        return (Assign(self._variable(target.var), wrapped, span=step.span),)

    def _variable(self, var: Var) -> Var:
        found = self.number(var)
        assert isinstance(found, Var)
        return found

    def _message(
        self,
        place: Place,
        edge: Edge,
        step: SendStep | ReceiveStep,
        guard: list[Formula],
        arrive: Body,
    ) -> Iterator[Event]:
        for text, given in self.candidates(step):
            here = [*guard, *([] if given is None else [given])]
            found = self.in_model(step)
            if text.capacity:
                here.append(self.passes(place, step, text))
            elif place.location.deterministic or resolve(edge.target)[0].deterministic:
                raise error("a rendezvous inside 'd_step' is not supported", step.span)
            elif isinstance(step, ReceiveStep) and (step.keep or step.anywhere):
                raise error("a rendezvous is received by '?' only", step.span)
            if isinstance(found, SendStep):
                body = self.channels.send(found, text)
            else:
                body = self.channels.receive(found, text)
            alone = text.capacity > 0 or isinstance(step, SendStep)
            if not text.capacity and isinstance(step, SendStep) and self.exclusive:
                # The control goes to the receiver, if it is inside a block of its own.
                free = Assign(Var(EXCLUSIVE), Const(0), span=step.span)
                arrived: Body = (*arrive[:1], free)
            elif not alone and self.exclusive and not keeps_control(edge):
                arrived = arrive[:1]
            else:
                arrived = arrive
            yield self._event(place, step.span, here, (*body, *arrived), alone=alone)

    def _assertion(
        self, place: Place, step: Assertion, guard: list[Formula], arrive: Body
    ) -> Iterator[Event]:
        """A violated assertion is a property of states, or inside `atomic` a place of its own."""
        holds = self.resolved(step.holds)
        name = self._property_name(f"assertion at line {step.span.line} of {place.process.name}")
        if not place.location.atoms:
            violated = And((place.here, Not(holds)), span=step.span)
            self.properties.append(Property(name, "never", violated, span=step.span))
            yield self._event(place, step.span, guard, arrive)
            return
        yield self._event(place, step.span, [*guard, holds], arrive)
        yield self._failure(place, step.span, [*guard, Not(holds)], name)

    def _failure(self, place: Place, span: Span, guard: list[Formula], name: str) -> Event:
        """The event that leads to a place that must not be reached."""
        process = place.process
        number = self.failures.get(process.name, 0) + 1
        self.failures[process.name] = number
        value = Const(len(place.flow.locations) + number)
        failed = Compare("==", Var(place.pc), value, span=span)
        self.properties.append(Property(name, "never", failed, span=span))
        body: list[Statement] = [Assign(Var(place.pc), value, span=span)]
        if self.exclusive:
            body.append(Assign(Var(EXCLUSIVE), Const(0), span=span))
        return self._event(place, span, guard, tuple(body))

    def _property_name(self, name: str) -> str:
        taken = sum(p.name == name or p.name.startswith(f"{name} #") for p in self.properties)
        return f"{name} #{taken + 1}" if taken else name

    def _release(self, place: Place) -> Iterator[Event]:
        """What happens inside a block when nothing can be executed."""
        span = place.location.span
        able = self.executable(place)
        if able == TRUE:
            return
        mine = Compare("==", Var(EXCLUSIVE), Const(place.process.pid + 1))
        guard: list[Formula] = [mine, Not(able)]
        if place.location.deterministic:
            name = f"d_step blocks at line {span.line} of {place.process.name}"
            yield self._failure(place, span, guard, self._property_name(name))
            return
        free: Body = (Assign(Var(EXCLUSIVE), Const(0), span=span),)
        title = f"{place.process.name}:{span.line} waits"
        yield self._event(place, span, guard, free, title=title)

    # --- processes --------------------------------------------------------------------------------

    def _run(
        self, place: Place, step: RunStep, guard: list[Formula], arrive: Body
    ) -> Iterator[Event]:
        possible: list[int] = []
        for process, flow in self.processes.of(step.process):
            if process.pid <= place.process.pid or self._starts(process):
                continue
            possible.append(process.pid)
            free = Compare("==", Var(COUNT), Const(process.pid))
            body = (*self._birth(process, flow, step), *arrive)
            yield self._event(place, step.span, [*guard, free], body)
        others = [Compare("!=", Var(COUNT), Const(pid)) for pid in possible]
        beyond = Const(max(self.processes.limit, self.processes.initial) + 1)
        # Leaving the domain stops the search with an error at this place: never a wrong answer.
        stop = (Assign(Var(COUNT), beyond, span=step.span),)
        title = f"{place.process.name}:{step.span.line} runs more than {PROCESS_LIMIT} processes"
        yield self._event(place, step.span, [*guard, *others], stop, title=title)

    def _birth(self, process: ProcessText, flow: Flow, step: RunStep) -> Iterator[Statement]:
        if len(process.parameters) != len(step.arguments):
            needed = len(process.parameters)
            message = f"'{step.process}' needs {needed} arguments, not {len(step.arguments)}"
            raise error(message, step.span)
        span = step.span
        for declared, argument in zip(process.parameters, step.arguments, strict=True):
            leaf = declared.cells[0]
            value = self.types.wrap(self.number(argument), leaf.type.domain)
            yield Assign(Var(leaf.full), value, span=span)
        for declared in process.variables:
            for leaf in declared.cells:
                if leaf.initial is not None:
                    value = self.types.wrap(self.number(leaf.initial), leaf.type.domain)
                    for k in range(leaf.cells):
                        cell = Var(leaf.full, Const(k) if leaf.dimensions else None)
                        yield Assign(cell, value, span=span)
        if step.target is not None:
            yield Assign(self._variable(step.target.var), Const(process.pid), span=span)
        yield Assign(Var(f"{process.name}._pc"), Const(flow.start.number), span=span)
        yield Assign(Var(COUNT), Const(process.pid + 1), span=span)

    def _death(self, place: Place) -> Event:
        """The youngest process disappears at its end, with its variables and its channels."""
        process, span = place.process, place.location.span
        body: list[Statement] = [
            Assign(Var(place.pc), Const(0), span=span),
            Assign(Var(COUNT), Const(process.pid), span=span),
        ]
        for declared in (*process.parameters, *process.variables):
            for leaf in declared.cells:
                for k in range(leaf.cells):
                    cell = Var(leaf.full, Const(k) if leaf.dimensions else None)
                    body.append(Assign(cell, Const(0), span=span))
            for text in declared.symbol.channels:
                some = Compare(">", Length(Hop(text.name)), Const(0))
                take = Receive(Hop(text.name), (Skip(),) * len(text.fields), span=span)
                body.extend([If(some, (take,), span=span)] * text.capacity)
        title = f"{process.name} ends"
        return self._event(place, span, [self.youngest(process)], tuple(body), title=title)

    # --- properties -------------------------------------------------------------------------------

    def _end_states(self) -> Property:
        """A deadlock in which some process is not at its end, nor at a label `end...`."""
        wrong: list[Formula] = []
        for process, flow in self.processes.found:
            pc = Var(f"{process.name}._pc")
            fine = [0] + [
                at.number
                for at in flow.locations
                if at is flow.end or any(label.startswith("end") for label in at.labels)
            ]
            wrong.append(And(tuple(Compare("!=", pc, Const(v)) for v in fine)))
        body = And((Deadlock(), disjunction(wrong)))
        return Property("invalid end state", "never", body)

    def _with_failures(self, variable: Variable) -> Variable:
        process = variable.name.removesuffix("._pc")
        extra = self.failures.get(process, 0)
        if process == variable.name or not extra or variable.domain is None:
            return variable
        high = variable.domain.high + extra
        return Variable(variable.name, variable.initial, domain=Domain(0, high), span=variable.span)

    def _failure_names(self, process: ProcessText) -> tuple[str, ...]:
        return tuple(f"failure#{k + 1}" for k in range(self.failures.get(process.name, 0)))


__all__ = ["Translation"]
