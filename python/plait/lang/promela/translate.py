"""From the control flows of processes to the events of a model: one for each way of each statement.

A process exists while its location is not 0; only the youngest can disappear. A process that cannot
go on inside `atomic` gives the control back (see `plait.lang.promela.events`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from plait.errors import error
from plait.lang.promela.bodies import ProcessText
from plait.lang.promela.channels import disjunction
from plait.lang.promela.declarations import Declared, SystemText
from plait.lang.promela.events import EXCLUSIVE
from plait.lang.promela.executable import COUNT, Place
from plait.lang.promela.expressions import constant
from plait.lang.promela.faults import Faults, ends_of
from plait.lang.promela.flow import Edge, Flow, keeps_control, resolve
from plait.lang.promela.processes import Processes
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
    ChannelText,
    Leaf,
    Started,
)
from plait.lang.promela.traces import Message
from plait.model.expr import (
    FALSE,
    Compare,
    Const,
    Formula,
    Hop,
    IntExpr,
    Length,
    Not,
    Var,
)
from plait.model.findings import count
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Assign, Body, If, Receive, Skip, Statement
from plait.model.types import (
    Domain,
    ElementaryType,
    Event,
    Model,
    Predicate,
    Process,
    Variable,
)
from plait.records import replace


def _program(process: ProcessText) -> str:
    name = process.proctype.name
    return "init" if name == "init" else f"proctype {name}"


class Translation(Faults):
    """The model of a text whose processes are read."""

    def __init__(self, system: SystemText, processes: Processes, name: str) -> None:
        super().__init__(system, processes)
        self.name = name
        self.inert = False
        """Whether ends of processes are inert, but of those that own channels (`numbers`)."""
        self.values: dict[tuple[str, int], int] = {}
        for declared in self._declared():
            for leaf in declared.cells:
                self.types.domains[leaf.full] = leaf.type.domain
                if leaf.dimensions:
                    self.sizes[leaf.full] = leaf.cells

    def _declared(self) -> Iterator[Declared]:
        yield from self.system.variables
        for p, _ in self.processes.found:
            yield from (*p.parameters, *p.variables)

    def model(self) -> Model:
        """The whole model, one elementary type."""
        variables = list(self._variables())
        events = [e for place in self.places for e in self._events(place)]
        if self.processes.more is not None:
            # Depth-first, the youngest is tried first: a process that ends makes room for others.
            # Where there is no more room to be had, a run that needs more is soon found instead.
            numbers = {p.name: p.pid for p, _ in self.processes.found}
            events.sort(key=lambda e: -numbers[e.process or ""])
        if self.mixed:
            events = [replace(e, idle=False, inert=False) for e in events]
        # Failing locations are known only now.
        variables = [self.with_failures(v) for v in variables]
        self.properties.extend(self.statement_properties())
        self.properties.extend(self.system_properties())
        type_ = ElementaryType(
            self.name,
            variables=(*variables, *self.channels.scratch.values()),
            channels=self.channels.declared(self.system.words),
            processes=tuple(
                Process(
                    p.name,
                    f"{p.name}._pc",
                    ("none", *(at.name for at in f.locations), *self.failure_names(p)),
                    program=_program(p),
                    ends=(0, *ends_of(f)),
                    by_lines=True,
                    span=p.proctype.span,
                )
                for p, f in self.processes.found
            ),
            events=tuple(events),
            predicates=tuple(self._labels({v.name for v in variables})),
            transient=self.transient(),
        )
        return Model(self.name, (type_,), self.name, properties=tuple(self.properties))

    def _labels(self, taken: Container[str]) -> Iterator[Predicate]:
        """`P_0.label` for formulas of the command line: the process is there."""
        found: dict[str, list[Formula]] = {}
        for place in self.places:
            for label in place.location.labels:
                found.setdefault(f"{place.process.name}.{label}", []).append(place.here)
        for name, here in found.items():
            if name not in taken:
                yield Predicate(name, disjunction(here), span=here[0].span)

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
        guessed = self.processes.more is not None
        limit = Domain(0, max(self.processes.limit, started), guessed)
        yield Variable(COUNT, (Const(started),), domain=limit, hidden=not self.system.counted)
        yield from self.control()
        if self.trace is not None:
            yield self.trace.variable()

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
            different = leaf.cells if leaf.more else 1
            known = [self._initial(leaf, leaf.value(k)) if alive else 0 for k in range(different)]
            known.extend(known[-1:] * (leaf.cells - different))
            for k, value in enumerate(known):
                self.values[leaf.full, k] = value
            values = tuple(map(Const, known))
            size = Const(leaf.cells) if leaf.dimensions else None
            domain = leaf.type.domain if leaf.type.name != "int" else None
            words = self.system.words(leaf.type)
            yield Variable(
                leaf.full, values, size, domain, words=words, nested=leaf.nested, span=leaf.span
            )

    def _initial(self, leaf: Leaf, initial: IntExpr | None) -> int:
        """The value at the start, which may depend on variables declared before."""
        if initial is None:
            return 0

        def change(node: Node) -> Node:
            if isinstance(node, Var):
                index = 0 if node.index is None else constant(node.index)
                value = None if index is None else self.values.get((node.name, index))
                return node if value is None else Const(value, span=node.span)
            return node

        wrapped = self.types.wrap(initial, leaf.type.domain)
        value = constant(rewrite(wrapped, change))
        if value is None:
            raise error("this initial value is not known at the start", initial.span)
        return value

    # --- events -----------------------------------------------------------------------------------

    def _events(self, place: Place) -> Iterator[Event]:
        """All that can happen to a process at a location."""
        for edge in place.location.edges:
            yield from self._statement(place, edge)
        if place.location is place.flow.end:
            yield self._death(place)
        elif self.entered_exclusively(place):
            yield from self.release(place)

    def _statement(self, place: Place, edge: Edge) -> Iterator[Event]:
        step = edge.step
        guard: list[Formula] = []
        if edge.before:
            guard.append(Not(self.held_back(place, edge)))
        yield from self.mistaken(place, edge, guard)
        arrive = self.arrive(place, edge)
        match step:
            case Condition():
                guard.append(self.resolved(step.holds))
                yield self.event(place, step.span, guard, arrive)
            case ElseStep():
                guard.append(self.enabled(place, edge))
                yield self.event(place, step.span, guard, arrive)
            case Assignment():
                body = self._store(step, step.target, step.value)
                yield self.event(place, step.span, guard, (*body, *arrive))
            case Assertion():
                yield from self.assertion(place, step, guard, arrive)
            case SendStep() | ReceiveStep():
                yield from self._message(place, edge, step, guard, arrive)
            case RunStep():
                yield from self._run(place, edge, step, guard, arrive)

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
            known = [] if given is None else [given]
            if not text.capacity:
                yield from self._rendezvous(place, edge, text, (guard, known), arrive)
                continue
            here = [*guard, *known, self.passes(place, step, text)]
            found = self.in_model(step)
            if isinstance(found, SendStep):
                body = self.channels.send(found, text)
            else:
                body = self.channels.receive(found, text)
            if self.trace is not None and self.trace.follows(found, text):
                yield from self.traced(place, found, text, here)
            for fits, go in self.ways(found, text):
                yield self.event(place, step.span, [*here, *fits], (*body, *go, *arrive))

    def _rendezvous(
        self,
        place: Place,
        edge: Edge,
        text: ChannelText,
        guards: tuple[list[Formula], list[Formula]],
        arrive: Body,
    ) -> Iterator[Event]:
        """One half; `guards` are what is tried before, and that the channel is meant."""
        before, known = guards
        step = edge.step
        assert isinstance(step, SendStep | ReceiveStep)
        within = resolve(edge.target)[0].deterministic and isinstance(step, SendStep)
        if place.location.deterministic or within:
            message = "a rendezvous inside 'd_step' is not supported"
            raise error(message, step.span, "a block may begin with receiving a message")
        found = self.in_model(step)
        if isinstance(found, ReceiveStep):
            if found.keep:
                raise error("a rendezvous leaves no message behind", step.span)
            # Who is offered a message can only receive it: other escapes are not tried.
            meant = self.channels.apart(text, edge) if self.rivals(edge, text) else text
            arrived = arrive[:-1] if self.exclusive and not keeps_control(edge) else arrive
            body = (*self.channels.receive(found, meant), *arrived)
            yield self.event(place, step.span, known, body, alone=False)
            return
        if self.exclusive:
            # The control goes to the receiver, if it is inside a block of its own.
            arrive = (*arrive[:-1], Assign(Var(EXCLUSIVE), Const(0), span=step.span))
        here = [*before, *known]
        if self.trace is not None and self.trace.follows(found, text):
            here.append(self.passes(place, step, text))
            yield from self.traced(place, found, text, here)
        partners: list[tuple[ChannelText, list[Formula]]] = [(text, [])]
        for receiver, left in self.watchful(place, found, text):
            partners.append((self.channels.apart(text, receiver), [left]))
        for meant, left_over in partners:
            for fits, go in self.ways(found, text):
                body = (*self.channels.send(found, meant), *go, *arrive)
                yield self.event(place, step.span, [*here, *left_over, *fits], body)

    def ways(self, step: Message, text: ChannelText) -> list[tuple[list[Formula], Body]]:
        """What a statement may do to the trace assertion, each with its conditions.

        They are guards, not branches, so that reductions see what it does not care about.
        """
        if self.trace is None or not self.trace.follows(step, text):
            return [([], ())]
        return [([fits], go) for fits, go in self.trace.ways(step, text, self.types)]

    # --- processes --------------------------------------------------------------------------------

    def _run(
        self, place: Place, edge: Edge, step: RunStep, guard: list[Formula], arrive: Body
    ) -> Iterator[Event]:
        possible: list[int] = []
        inert = self.inert and self.runs_alone(place, edge)
        for process, flow in self.processes.of(step.process):
            if process.pid <= place.process.pid:
                continue  # whoever runs it is there; an active process above may have ended
            possible.append(process.pid)
            free = Compare("==", Var(COUNT), Const(process.pid))
            birth = tuple(self._birth(process, flow, step))
            event = self.event(place, step.span, [*guard, free], (*birth, *arrive))
            yield replace(event, inert=inert and _known_to(place.process, process, birth))
        if self.processes.full:
            return  # one more than all is an error at run time
        others = [Compare("!=", Var(COUNT), Const(pid)) for pid in possible]
        beyond = Const(max(self.processes.limit, self.processes.initial) + 1)
        # Leaving the domain stops the search with an error at this place: never a wrong answer.
        stop = (Assign(Var(COUNT), beyond, span=step.span),)
        title = (
            f"{place.process.name}:{step.span.line} runs more than {self.processes.limit} processes"
        )
        yield self.event(place, step.span, [*guard, *others], stop, title=title)

    def runs_alone(self, place: Place, edge: Edge) -> bool:
        """Whether all that the process can do here is to run another, which cannot go wrong.

        And nobody asks whether that one is there: a statement that is executed only where no
        partner waits for a rendezvous (`else`, a block that has to wait) would; so would the end of
        a process of a greater number, whose channels are gone then.
        """
        if any(not channel.capacity for channel in self.system.channels):
            return False
        pid = place.process.pid
        if any(p.pid > pid and _owns_channels(p) for p, _ in self.processes.found):
            return False  # it would stay, and its messages with it, for as long as the new one does
        only = len(place.location.edges) == 1 and not edge.before
        in_block = self.entered_exclusively(place) or keeps_control(edge)
        return only and not in_block and self._mistake(place, edge) is FALSE

    def _birth(self, process: ProcessText, flow: Flow, step: RunStep) -> Iterator[Statement]:
        parameters = [leaf for declared in process.parameters for leaf in declared.cells]
        if len(parameters) != len(step.arguments):
            needed = len(parameters)
            message = (
                f"'{step.process}' needs {count(needed, 'argument')}, not {len(step.arguments)}"
            )
            raise error(message, step.span)
        span = step.span
        for leaf, argument in zip(parameters, step.arguments, strict=True):
            value = self.types.wrap(self.number(argument), leaf.type.domain)
            yield Assign(Var(leaf.full), value, span=span)
        for declared in process.variables:
            for leaf in declared.cells:
                for k in range(leaf.cells if leaf.initial is not None else 0):
                    initial = leaf.value(k)
                    assert initial is not None
                    value = self.types.wrap(self.number(initial), leaf.type.domain)
                    cell = Var(leaf.full, Const(k) if leaf.dimensions else None)
                    yield Assign(cell, value, span=span)
        alone = isinstance(step.value, Started)
        value = Const(process.pid, span=span) if alone else step.value
        yield from self._store(step, step.target, value)
        yield Assign(Var(f"{process.name}._pc"), Const(flow.start.number), span=span)
        yield Assign(Var(COUNT), Const(process.pid + 1), span=span)

    def _death(self, place: Place) -> Event:
        """The youngest process disappears at its end, with its variables and its channels."""
        process, span = place.process, place.location.span
        body: list[Statement] = [
            Assign(Var(place.pc), Const(0), span=span),
            Assign(Var(COUNT), Const(process.pid), span=span),
            *self.moved_last(place, span),
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
        event = self.event(place, span, [self.youngest(process)], tuple(body), title=title)
        return replace(event, inert=self.inert and not _owns_channels(process))


def _owns_channels(process: ProcessText) -> bool:
    return any(declared.symbol.channels for declared in process.variables)


def _known_to(parent: ProcessText, child: ProcessText, birth: Body) -> bool:
    """Whether nobody else has a say in the values that a process is born with."""
    own = f"{parent.name}.", f"{child.name}."
    for statement in birth:
        assert isinstance(statement, Assign)
        for node in nodes(statement.value):
            if isinstance(node, Var):
                if not node.name.startswith(own):
                    return False
            elif not node.children() and not isinstance(node, Const):
                return False
    return True


__all__ = ["Translation"]
