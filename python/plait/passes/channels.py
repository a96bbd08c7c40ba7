"""Channels become plain variables: a length and the fields of each slot, in the order of cells.

A send or receive becomes *alternatives*, each with conditions and assignments to fixed cells: one
for each length of the queue (or place in it), and when the index of the queue is computed, for
each queue. They exclude each other. A single alternative is written where the statement was; if
there are several, the statement becomes a call of a fresh label that they answer. So all cells are
addressed by constants, which every later analysis thrives on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.model.expr import (
    FALSE,
    And,
    Binary,
    Compare,
    Const,
    Formula,
    IntExpr,
    Not,
    Or,
    Poll,
    Var,
    conjunction,
)
from plait.model.fresh import FreshNames
from plait.model.node import nodes
from plait.model.stmt import (
    Abort,
    Assign,
    Bind,
    Body,
    Call,
    If,
    Match,
    Receive,
    Send,
    Statement,
)
from plait.model.types import (
    Channel,
    Domain,
    ElementaryType,
    Event,
    Label,
    Model,
    Variable,
)
from plait.passes.questions import (
    Lowered,
    Questions,
    Queue,
    Queues,
    Scratch,
    defined,
    folder_of,
    lower_questions,
    rewrite_types,
)
from plait.passes.queue_uses import queue_uses
from plait.passes.rewritten import Rewritten
from plait.passes.walk import map_body
from plait.records import dataclass, replace


def lower_channels(model: Model) -> Rewritten:
    """The model without channels; those of capacity 0 must be gone (`join_rendezvous`)."""

    def lowered(type_: ElementaryType) -> Lowered | None:
        if not type_.channels:
            return None
        lowering = _Lowering(type_)
        return lowering.lower(), lowering.scratch, lowering.questions

    return rewrite_types(model, lowered)


@dataclass(frozen=True, slots=True)
class _Alternative:
    """One way to execute a send or receive."""

    conditions: tuple[Formula, ...]
    body: Body


class _Lowering:
    def __init__(self, type_: ElementaryType) -> None:
        self.names = FreshNames(v.name for v in type_.variables)
        self.variables = list(type_.variables)
        self.channels = {c.name: self._declare(c) for c in type_.channels}
        self.questions = Questions(self.channels)
        # What the queues of an ordered send hold is looked at before the questions are lowered.
        self.type = type_
        self.folder = folder_of(type_)
        self.scratch = Scratch(self.names)
        self.labels = FreshNames(e.label.name for e in type_.events if e.label is not None)
        self.event_names = FreshNames(e.name for e in type_.events)
        self.known: dict[Statement, str] = {}
        self.added: list[Event] = []

    def lower(self) -> ElementaryType:
        """The type with variables instead of channels."""
        answering: dict[str, list[Event]] = {}
        for event in self.type.events:
            if event.label is not None:
                answering.setdefault(event.label.name, []).append(event)
        events = [
            replace(self._event(e), queues=queue_uses(e, self.channels, answering))
            for e in self.type.events
        ]
        lowered = replace(
            self.type,
            events=(*events, *self.added),
            variables=(*self.variables, *self.scratch.variables),
            channels=(),
        )
        return lower_questions(lowered, self.questions)

    # --- cells ------------------------------------------------------------------------------------

    def _declare(self, channel: Channel) -> Queues:
        size = channel.size.value if isinstance(channel.size, Const) else None
        if size is None:
            return Queues(None, (self._queue(channel, channel.name),), channel.fields)
        queues = tuple(self._queue(channel, f"{channel.name}.{k}") for k in range(size))
        return Queues(size, queues, channel.fields)

    def _queue(self, channel: Channel, name: str) -> Queue:
        length = self._cell(channel, f"{name}.length", Domain(0, channel.capacity))
        slots = tuple(
            tuple(
                self._cell(channel, f"{name}.{i}.{f}", domain if _has_zero(domain) else None)
                for f, domain in enumerate(channel.fields)
            )
            for i in range(channel.capacity)
        )
        return Queue(channel.capacity, length, slots)

    def _cell(self, channel: Channel, wish: str, domain: Domain | None) -> Var:
        name = self.names.fresh(wish)
        self.variables.append(Variable(name, (Const(0),), domain=domain, span=channel.span))
        return Var(name)

    # --- events and statements --------------------------------------------------------------------

    def _event(self, event: Event) -> Event:
        """Operations lowered; a first one with a single alternative goes into the guard."""
        body, guard = event.body, event.guard
        if body and isinstance(body[0], Send | Receive):
            alternatives = list(self._alternatives(body[0]))
            if len(alternatives) == 1:
                guard = (*guard, *alternatives[0].conditions)
                rest = map_body(body[1:], self._statement)
                return replace(event, guard=guard, body=(*alternatives[0].body, *rest))
        return replace(event, body=map_body(body, self._statement))

    def _statement(self, statement: Statement) -> tuple[Statement, ...]:
        if not isinstance(statement, Send | Receive):
            return (statement,)
        label = self.known.get(statement)
        if label is not None:
            return (Call(label, span=statement.span),)
        alternatives = list(self._alternatives(statement))
        if not alternatives:
            return (Abort(span=statement.span),)
        if len(alternatives) == 1:
            only = alternatives[0]
            stop = (Abort(span=statement.span),)
            return (If(conjunction(only.conditions), only.body, stop, span=statement.span),)
        what = "send" if isinstance(statement, Send) else "receive"
        wish = f"{statement.channel.name}.{what}"
        label = self.labels.fresh(wish)
        self.known[statement] = label
        for a in alternatives:
            name = self.event_names.fresh(wish)
            self.added.append(
                Event(
                    name,
                    guard=a.conditions,
                    body=a.body,
                    label=Label(label),
                    span=statement.span,
                )
            )
        return (Call(label, span=statement.span),)

    def _alternatives(self, statement: Send | Receive) -> Iterator[_Alternative]:
        queues = self.channels[statement.channel.name]
        for chosen, queue in queues.choices(statement.channel.index):
            found = (
                self._send(statement, queue, queues.fields)
                if isinstance(statement, Send)
                else self._receive(statement, queue)
            )
            for a in found:
                extra = () if chosen is None else (chosen,)
                yield _Alternative((*extra, *a.conditions), a.body)

    # --- send -------------------------------------------------------------------------------------

    def _send(
        self, send: Send, queue: Queue, fields: tuple[Domain | None, ...]
    ) -> Iterator[_Alternative]:
        known = defined(send.values, self.folder)
        checks = [
            s
            for value, domain in zip(send.values, fields, strict=True)
            if domain is not None and not _has_zero(domain)
            for s in self.scratch.check(value, domain, send)
        ]
        if send.ordered:
            yield from self._insert(send, queue, known, checks)
            return
        for place, slot in enumerate(queue.slots):
            stored = _assign(slot, send.values, send)
            grown = _assign([_length(queue)], [Const(place + 1)], send)
            here = Compare("==", queue.size(), Const(place))
            yield _Alternative((here, *known), (*checks, *stored, *grown))

    def _insert(
        self, send: Send, queue: Queue, known: list[Formula], checks: list[Statement]
    ) -> Iterator[_Alternative]:
        """Before the first message that is greater, fields compared left to right."""
        values = send.values
        kept: list[Statement] = []
        dropped: list[Statement] = []
        if any(isinstance(n, Poll) for v in values for n in nodes(v)):
            # The value may look at the slots that the insertion moves.
            cells = [self.scratch.temporary(f) for f in range(len(values))]
            kept = _assign(cells, values, send)
            dropped = _assign(cells, [Const(0)] * len(cells), send)
            stored_values: tuple[IntExpr, ...] = tuple(cells)
        else:
            stored_values = values
        room = Compare("<", queue.size(), Const(queue.capacity))
        for place, slot in enumerate(queue.slots):
            greater = _greater(slot, values)
            not_before = [Not(_greater(before, values)) for before in queue.slots[:place]]
            last = Compare("==", queue.size(), Const(place))
            stop = Or((last, And((Compare(">", queue.size(), Const(place)), greater))))
            moved = [
                s
                for i in range(queue.capacity - 1, place, -1)
                for s in _assign(queue.slots[i], queue.slots[i - 1], send)
            ]
            stored = _assign(slot, stored_values, send)
            grown = _assign([_length(queue)], [Binary("+", queue.size(), Const(1))], send)
            yield _Alternative(
                (room, stop, *not_before, *known),
                (*checks, *kept, *moved, *stored, *grown, *dropped),
            )

    # --- receive ----------------------------------------------------------------------------------

    def _receive(self, receive: Receive, queue: Queue) -> Iterator[_Alternative]:
        wanted = [p.value if isinstance(p, Match) else None for p in receive.patterns]
        anywhere = receive.anywhere and any(w is not None for w in wanted)
        places = range(queue.capacity) if anywhere else range(min(1, queue.capacity))
        for place in places:
            matching = _agree(queue.slots[place], wanted)
            earlier = [Not(conjunction(_agree(queue.slots[i], wanted))) for i in range(place)]
            conditions = (queue.holds(place), *matching, *earlier)
            bound = [
                Assign(pattern.target, field, span=receive.span)
                for pattern, field in zip(receive.patterns, queue.slots[place], strict=True)
                if isinstance(pattern, Bind)
            ]
            removed = [] if receive.keep else list(_remove(queue, place, receive))
            yield _Alternative(conditions, (*bound, *removed))


def _remove(queue: Queue, place: int, receive: Receive) -> Iterator[Statement]:
    """Later messages move up; the slot that becomes free is 0."""
    for i in range(place, queue.capacity - 1):
        yield from _assign(queue.slots[i], queue.slots[i + 1], receive)
    last = queue.slots[-1]
    yield from _assign(last, [Const(0)] * len(last), receive)
    yield from _assign([_length(queue)], [Binary("-", queue.size(), Const(1))], receive)


def _length(queue: Queue) -> Var:
    assert queue.length is not None
    return queue.length


def _assign(
    targets: Iterable[Var], values: Iterable[IntExpr], statement: Statement
) -> list[Statement]:
    return [Assign(t, v, span=statement.span) for t, v in zip(targets, values, strict=True)]


def _agree(slot: tuple[Var, ...], wanted: list[IntExpr | None]) -> list[Formula]:
    return [
        Compare("==", field, value)
        for field, value in zip(slot, wanted, strict=True)
        if value is not None
    ]


def _greater(slot: tuple[Var, ...], values: tuple[IntExpr, ...]) -> Formula:
    """The message is greater than the values, compared left to right."""
    ways: list[Formula] = []
    equal: list[Formula] = []
    for field, value in zip(slot, values, strict=True):
        ways.append(conjunction([*equal, Compare(">", field, value)]))
        equal.append(Compare("==", field, value))
    return Or(tuple(ways)) if ways else FALSE


def _has_zero(domain: Domain | None) -> bool:
    return domain is None or domain.low <= 0 <= domain.high
