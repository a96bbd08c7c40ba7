"""What goes wrong: assertions, errors at run time, events against a trace assertion, blocks that
cannot go on, invalid end states.

Outside blocks a fault is a property of states: the process is at the statement, and the statement
would fail there. Inside `atomic` and `d_step` these states are not observed; there an event leads
to a location `failure#n` that must not be reached, and halts the system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from plait.errors import Span
from plait.lang.promela.bodies import ProcessText
from plait.lang.promela.channels import disjunction
from plait.lang.promela.declarations import SystemText
from plait.lang.promela.events import EXCLUSIVE, HALTED, Events
from plait.lang.promela.executable import COUNT, Place
from plait.lang.promela.flow import Edge, Flow
from plait.lang.promela.mistakes import either, mistake
from plait.lang.promela.processes import Processes
from plait.lang.promela.statements import (
    Assertion,
    Assignment,
    Condition,
    ReceiveStep,
    RunStep,
    SendStep,
    Target,
)
from plait.lang.promela.symbols import ChannelText
from plait.lang.promela.traces import EventTrace
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    Compare,
    Const,
    Deadlock,
    Formula,
    IntExpr,
    Not,
    Or,
    Var,
    conjunction,
)
from plait.model.stmt import Assign, Body, Statement
from plait.model.types import Domain, Event, Property, Variable

ASSERTION = "assertion at"
BLOCKED = "d_step blocks at"


def ends_of(flow: Flow) -> tuple[int, ...]:
    """The locations where a process may stay: its end, and those with a label `end...`."""
    return tuple(
        at.number
        for at in flow.locations
        if at is flow.end or any(label.startswith("end") for label in at.labels)
    )


class Faults(Events):
    """The properties that SPIN checks without being asked."""

    def __init__(self, system: SystemText, processes: Processes) -> None:
        super().__init__(system, processes)
        self.properties: list[Property] = []
        self.asked: dict[tuple[str, str, Span], list[Formula]] = {}
        """What must not happen at a statement, for each process that executes it."""
        self.failures: dict[str, int] = {}
        self.mistakes: list[Formula] = []
        self.trace: EventTrace | None = None
        self.untraced: list[Formula] = []
        self.sizes: dict[str, int] = {}

    # --- assertions -------------------------------------------------------------------------------

    def assertion(
        self, place: Place, step: Assertion, guard: list[Formula], arrive: Body
    ) -> Iterator[Event]:
        """The events of an assertion that holds, and of one that fails."""
        holds = self.resolved(step.holds)
        if not self.entered_exclusively(place):
            violated = And((*self._ready(place, guard), Not(holds)), span=step.span)
            self._ask(ASSERTION, place, step.span, violated)
            yield self.event(place, step.span, guard, arrive)
            return
        yield self.event(place, step.span, [*guard, holds], arrive)
        event, failed = self._failure(place, step.span, [*guard, Not(holds)])
        self._ask(ASSERTION, place, step.span, failed)
        yield event

    def _ask(self, what: str, place: Place, span: Span, wrong: Formula) -> None:
        """What is wrong never happens here, in whichever process of the program."""
        key = what, place.process.proctype.name, span
        self.asked.setdefault(key, []).append(wrong)

    def statement_properties(self) -> Iterator[Property]:
        """Those that statements are the places of: one for each, whoever executes it."""
        named: Counter[str] = Counter()
        for (what, program, span), wrong in self.asked.items():
            name = f"{what} line {span.line} of {program}"
            named[name] += 1
            yield Property(
                f"{name} #{named[name]}" if named[name] > 1 else name,
                "never",
                disjunction(wrong),
                asks=span.text if what == ASSERTION else "something can be executed there",
                unnumbered=True,
                span=span,
            )

    def _ready(self, place: Place, guard: list[Formula]) -> list[Formula]:
        """The process is here and may move."""
        parts = [place.here, *guard]
        if self.exclusive:
            parts.append(Compare("==", Var(EXCLUSIVE), Const(0)))
        return [*parts, *self.provided(place)]

    def _failure(self, place: Place, span: Span, guard: list[Formula]) -> tuple[Event, Formula]:
        """The event that leads to a place that must not be reached, and being there."""
        process = place.process
        number = self.failures.get(process.name, 0) + 1
        self.failures[process.name] = number
        value = Const(len(place.flow.locations) + number)
        failed = Compare("==", Var(place.pc), value, span=span)
        body: list[Statement] = [Assign(Var(place.pc), value, span=span)]
        if self.exclusive:
            body.append(Assign(Var(EXCLUSIVE), Const(HALTED), span=span))
        return self.event(place, span, guard, tuple(body)), failed

    # --- errors at run time -----------------------------------------------------------------------

    def mistaken(self, place: Place, edge: Edge, guard: list[Formula]) -> Iterator[Event]:
        """Where a statement goes wrong: an event inside a block, else a condition on states."""
        wrong = self._mistake(place, edge)
        if wrong is FALSE:
            return
        span = edge.step.span
        if self.entered_exclusively(place):
            event, failed = self._failure(place, span, [*guard, wrong])
            self.mistakes.append(failed)
            yield event
        else:
            self.mistakes.append(And((*self._ready(place, guard), wrong), span=span))

    def _mistake(self, place: Place, edge: Edge) -> Formula:
        step = edge.step
        match step:
            case Condition() | Assertion():
                return self._wrong(step.holds)
            case Assignment():
                return self._wrong(step.value, *([] if step.target is None else [step.target.var]))
            case RunStep():
                target = [] if step.target is None else [step.target.var]
                wrong = self._wrong(*step.arguments, *target, step.value)
                return either([self._no_process(step), wrong])
            case SendStep() | ReceiveStep():
                found = (self._no_channel(step.channel), self.misfit(step))
                return either([*found, self._wrong_fields(place, edge)])
        return FALSE

    def _no_process(self, step: RunStep) -> Formula:
        """There are as many processes as there can be."""
        if not self.processes.full:
            return FALSE
        return Compare("==", Var(COUNT), Const(self.processes.limit), span=step.span)

    def _wrong_fields(self, place: Place, edge: Edge) -> Formula:
        """A field goes wrong in a message that could be passed now."""
        step = edge.step
        if isinstance(step, SendStep):
            fields: list[IntExpr] = list(step.values)
        else:
            assert isinstance(step, ReceiveStep)
            found = [p.var if isinstance(p, Target) else p for p in step.patterns]
            fields = [p for p in found if p is not None]
        wrong = self._wrong(*fields)
        if wrong is FALSE:
            return FALSE
        able = self.enabled(place, edge)
        if able == FALSE:  # a rendezvous: whoever waits for it has nothing to evaluate
            return wrong if isinstance(step, SendStep) else FALSE
        return conjunction([p for p in (able, wrong) if p != TRUE])

    def _no_channel(self, channel: IntExpr) -> Formula:
        """The number is not that of a channel: `chan c;` was never given one."""
        wrong = self._wrong(channel)
        known = self._known(channel)
        if not isinstance(channel, Var) or (isinstance(known, Const) and known.value):
            return wrong
        return either([wrong, Compare("==", self.number(channel), Const(0), span=channel.span)])

    def _wrong(self, *parts: IntExpr | Formula) -> Formula:
        """Evaluating one of these goes wrong."""

        def size(var: Var) -> int | None:
            return self.sizes.get(var.name)

        def domain(var: Var) -> Domain | None:
            known = self.constants.get(var.name)
            return self.types.of(var) if known is None else Domain(known, known)

        found = either([mistake(part, domain, size) for part in parts])
        return found if found is FALSE else self.resolved(found)

    # --- trace assertions -------------------------------------------------------------------------

    def traced(
        self, place: Place, step: SendStep | ReceiveStep, text: ChannelText, guard: list[Formula]
    ) -> Iterator[Event]:
        """What the trace assertion has against a statement: an event inside a block.

        There, what is left to the statement itself is added to its guard.
        """
        assert self.trace is not None
        wrong = self.trace.violated(step, text, self.types)
        if not self.entered_exclusively(place):
            self.untraced.append(And((*self._ready(place, guard), wrong), span=step.span))
            return
        event, failed = self._failure(place, step.span, [*guard, wrong])
        self.untraced.append(failed)
        guard.append(Not(wrong))
        yield event

    # --- blocks that cannot go on -----------------------------------------------------------------

    def release(self, place: Place) -> Iterator[Event]:
        """What happens inside a block when nothing can be executed."""
        span = place.location.span
        able = self.executable(place)
        if able == TRUE:
            return
        mine = Compare("==", Var(EXCLUSIVE), Const(place.process.pid + 1))
        guard: list[Formula] = [mine, Not(able)]
        if place.location.deterministic:
            event, failed = self._failure(place, span, guard)
            self._ask(BLOCKED, place, span, failed)
            yield event
            return
        free: Body = (Assign(Var(EXCLUSIVE), Const(0), span=span),)
        title = f"{place.process.name}:{span.line} waits"
        yield self.event(place, span, guard, free, stays=True, title=title)

    # --- the whole system -------------------------------------------------------------------------

    def system_properties(self) -> Iterator[Property]:
        """Those that no single statement is the place of."""
        if self.mistakes:
            wrong = disjunction(self.mistakes)
            yield Property(
                "run-time error", "never", wrong, asks="no statement goes wrong", unnumbered=True
            )
        if self.trace is not None:
            body = disjunction(self.untraced)
            asks = "messages keep to the trace assertion"
            yield Property(
                "event trace", "never", body, asks=asks, unnumbered=True, span=self.trace.span
            )
        asks = "no process waits for ever before its end"
        yield Property("invalid end state", "never", self._stuck(), asks=asks, unnumbered=True)

    def _stuck(self) -> Formula:
        """A deadlock, no failure, in which some process is not at its end or a label `end...`."""
        wrong: list[Formula] = []
        for process, flow in self.processes.found:
            pc = Var(f"{process.name}._pc")
            fine = (0, *ends_of(flow))
            wrong.append(And(tuple(Compare("!=", pc, Const(v)) for v in fine)))
        if self.trace is not None:
            some = Compare(">", Var(COUNT), Const(0))
            wrong.append(And((some, self.trace.unfinished())))
        parts: list[Formula] = [Deadlock(), disjunction(wrong)]
        if self.failures and self.exclusive:
            parts.append(Compare("!=", Var(EXCLUSIVE), Const(HALTED)))
        if self.mistakes:
            parts.append(Not(Or(tuple(self.mistakes))))
        return And(tuple(parts))

    def with_failures(self, variable: Variable) -> Variable:
        """The variable of a location with the failures that were found."""
        process = variable.name.removesuffix("._pc")
        extra = self.failures.get(process, 0)
        if process == variable.name or not extra or variable.domain is None:
            return variable
        high = variable.domain.high + extra
        return Variable(variable.name, variable.initial, domain=Domain(0, high), span=variable.span)

    def failure_names(self, process: ProcessText) -> tuple[str, ...]:
        """The locations behind those of the text."""
        return tuple(f"failure#{k + 1}" for k in range(self.failures.get(process.name, 0)))
