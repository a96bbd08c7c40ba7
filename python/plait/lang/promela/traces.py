"""`trace { }` and `notrace { }`: an automaton that follows what is sent and received.

The events of a trace assertion are sends and receives on channels that are declared outside
processes. To a channel that it sends to, nothing may be sent but what it sends in its present
place, and likewise for receiving; all other channels are none of its business. `_event` is the
place. A `trace` is violated by an event that does not fit; `notrace` by an event that fits and
leads to its end, and what does not fit ends the watch. As in SPIN, copies (`c?<x>`) are no events,
of `c??x` the message in front decides, and where a process is left, a deadlock is a valid end only
if the assertion is at its end, too, or at a label `end...`.

A rendezvous is two events in one step, what is sent and then what is received. Both have the fields
that the sender gives, so it is the sender's statement that is followed.
"""

from __future__ import annotations

from plait.errors import Span, error
from plait.lang.lexer import Tokens
from plait.lang.promela.bodies import BodyReader
from plait.lang.promela.channels import Types, disjunction
from plait.lang.promela.declarations import Proctype, SystemText
from plait.lang.promela.flow import Edge, Flow, FlowBuilder, resolve
from plait.lang.promela.statements import ReceiveStep, SendStep, Step
from plait.lang.promela.symbols import ChannelText
from plait.model.expr import (
    And,
    Compare,
    Const,
    Formula,
    Hop,
    IntExpr,
    Not,
    Poll,
    Var,
    conjunction,
)
from plait.model.findings import count
from plait.model.stmt import Assign, Body
from plait.model.types import Domain, Variable
from plait.records import dataclass

EVENT = "_event"
Message = SendStep | ReceiveStep


@dataclass(frozen=True, slots=True)
class ChannelEvent(Step):
    """An event of a trace assertion; a pattern is a constant, or None for `_`."""

    channel: int
    patterns: tuple[int | None, ...]
    sends: bool


@dataclass(frozen=True, slots=True)
class _Move:
    """An event that the automaton is ready for in one of its places, and where it leads."""

    at: int
    event: ChannelEvent
    target: int


_Possible = tuple[_Move, list[Formula]]
"""A move, and what must hold of a message for it."""


class EventTrace:
    """The trace assertion of a text."""

    def __init__(
        self, flow: Flow, watched: frozenset[tuple[int, bool]], span: Span, *, negated: bool
    ) -> None:
        self.negated = negated
        self.span = span
        self.watched = watched
        """The channels that it sends to (True) or receives from, be it where nothing leads."""
        self.start = flow.start.number
        self.end = flow.end.number
        self.moves = [_move(edge, at.number) for at in flow.locations for edge in at.edges]
        for number, move in enumerate(self.moves):
            for other in self.moves[:number]:
                if other.at == move.at and _overlap(other.event, move.event):
                    message = "a trace assertion must be deterministic: two events fit here"
                    raise error(message, move.event.span)
        self.fine = [
            at.number
            for at in flow.locations
            if at is flow.end or any(label.startswith("end") for label in at.labels)
        ]

    def variable(self) -> Variable:
        """Where the automaton is."""
        places = Domain(1, self.end)
        return Variable(EVENT, (Const(self.start),), domain=places, span=self.span)

    def unfinished(self) -> Formula:
        """It is neither at its end nor at a label `end...`."""
        return And(tuple(Compare("!=", Var(EVENT), Const(at)) for at in self.fine))

    def follows(self, step: Message, text: ChannelText) -> bool:
        """Whether the statement is an event for it; of a rendezvous, what is sent."""
        sends = isinstance(step, SendStep)
        if not text.capacity:
            return sends and any((text.number, way) in self.watched for way in (True, False))
        if (text.number, sends) not in self.watched:
            return False
        if isinstance(step, SendStep) and step.ordered:
            raise error("a trace assertion about '!!' is not supported", step.span)
        return isinstance(step, SendStep) or not step.keep

    def violated(self, step: Message, text: ChannelText, types: Types) -> Formula:
        """Whether the statement would violate it now."""
        fitting = self._fitting(step, text, types)
        if self.negated:
            return disjunction([fits for move, fits in fitting if move.target == self.end])
        return Not(disjunction([fits for _, fits in fitting]))

    def ways(self, step: Message, text: ChannelText, types: Types) -> list[tuple[Formula, Body]]:
        """What the statement may do to it, each with its condition, of which exactly one holds."""

        def go(target: int) -> Body:
            return (Assign(Var(EVENT), Const(target), span=step.span),)

        fitting = self._fitting(step, text, types)
        found = [(fits, go(move.target)) for move, fits in fitting]
        # Place by place, for reductions look at the conjuncts of guards.
        elsewhere: list[Formula] = []
        missed = go(self.end) if self.negated else ()
        for at in dict.fromkeys(move.at for move, _ in fitting):
            here = Compare("==", Var(EVENT), Const(at))
            others = (Not(fits) for move, fits in fitting if move.at == at)
            found.append((conjunction((here, *others)), missed))
            elsewhere.append(Compare("!=", Var(EVENT), Const(at)))
        return [*found, (conjunction(elsewhere), missed)]

    def _fitting(
        self, step: Message, text: ChannelText, types: Types
    ) -> list[tuple[_Move, Formula]]:
        """The moves that the statement may be, each with the condition that it is."""
        if text.capacity:
            moves = self._moves(step, text, types, isinstance(step, SendStep))
        else:
            moves = self._both(step, text, types)
        found: list[tuple[_Move, Formula]] = []
        for move, fits in moves:
            here = Compare("==", Var(EVENT), Const(move.at))
            found.append((move, conjunction((here, *fits))))
        return found

    def _moves(
        self, step: Message, text: ChannelText, types: Types, sends: bool
    ) -> list[_Possible]:
        """The moves by what is sent, or by what is received."""
        found: list[_Possible] = []
        for move in self.moves:
            if move.event.channel != text.number or move.event.sends != sends:
                continue
            patterns = tuple(None if p is None else Const(p) for p in move.event.patterns)
            if len(patterns) != len(text.fields):
                message = f"channel '{text.name}' carries {count(len(text.fields), 'field')}"
                raise error(message, move.event.span)
            found.append((move, _fits(step, text, patterns, types)))
        return found

    def _both(self, step: Message, text: ChannelText, types: Types) -> list[_Possible]:
        """The moves of a rendezvous: by what is sent, and from there by what is received."""
        sent = self._moves(step, text, types, True)
        received = self._moves(step, text, types, False)
        if (text.number, True) not in self.watched:
            return received
        if (text.number, False) not in self.watched:
            return sent
        found: list[_Possible] = []
        for first, fits in sent:
            if self.negated and first.target == self.end:
                found.append((first, fits))
            for second, fits_too in received:
                if second.at == first.target:
                    move = _Move(first.at, first.event, second.target)
                    found.append((move, [*fits, *fits_too]))
        return found


def read_trace(tokens: Tokens, system: SystemText) -> EventTrace | None:
    """The trace assertion of a text, if it has one."""
    if system.trace is None:
        return None
    reader = _TraceReader(tokens, system, system.trace)
    process = reader.read()
    assert process.body is not None
    if process.variables:
        raise error("a trace assertion has no variables", process.variables[0].symbol.span)
    flow = FlowBuilder(process.body, tokens.span(tokens.at - 1)).build()
    negated = system.trace.name == "notrace"
    return EventTrace(flow, frozenset(reader.watched), system.trace.span, negated=negated)


class _TraceReader(BodyReader):
    """Reads the body of a trace assertion, where a send has patterns, too."""

    def __init__(self, tokens: Tokens, system: SystemText, trace: Proctype) -> None:
        super().__init__(tokens, system, trace, None, trace.name)
        self.watched: set[tuple[int, bool]] = set()

    def _channel(self, operator: str) -> Step:
        tokens = self.tokens
        first = tokens.at
        channel = self.expressions().number()
        if not isinstance(channel, Const):
            message = "a trace assertion speaks of channels that are declared outside processes"
            raise tokens.fail(message, first)
        tokens.at += 1
        patterns: list[int | None] = []
        for pattern in self.expressions().patterns(""):
            if pattern is not None and not isinstance(pattern, Const):
                raise tokens.fail("an event of a trace assertion has constants or '_'", first)
            patterns.append(None if pattern is None else pattern.value)
        span = tokens.span(first, tokens.at - 1)
        self.watched.add((channel.value, operator[0] == "!"))
        return ChannelEvent(span, channel.value, tuple(patterns), operator[0] == "!")


def _move(edge: Edge, at: int) -> _Move:
    step = edge.step
    if not isinstance(step, ChannelEvent):
        raise error("a trace assertion has sends and receives only", step.span)
    return _Move(at, step, resolve(edge.target)[0].number)


def _overlap(a: ChannelEvent, b: ChannelEvent) -> bool:
    """Whether one event fits both."""
    if (a.channel, a.sends) != (b.channel, b.sends):
        return False
    pairs = zip(a.patterns, b.patterns, strict=False)
    return all(p is None or q is None or p == q for p, q in pairs)


def _fits(
    step: Message, text: ChannelText, patterns: tuple[IntExpr | None, ...], types: Types
) -> list[Formula]:
    """Whether the message has these fields: the one that is sent, or the one in front."""
    if isinstance(step, ReceiveStep):
        return [Poll(Hop(text.name, span=step.span), patterns, False, span=step.span)]
    fields = zip(step.values, text.fields, patterns, strict=True)
    return [
        Compare("==", types.wrap(value, domain), pattern, span=step.span)
        for value, domain, pattern in fields
        if pattern is not None
    ]
