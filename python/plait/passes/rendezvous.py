"""Channels of capacity 0: each sender is joined with each receiver into one event.

The joint event is enabled where both guards hold, both mean the same queue, every sent value is
defined and the matched ones are equal, all in the state before. It binds the receiver's targets to
the sent values, then does the rest of the sender's body and the rest of the receiver's. Neither
event is left alone, and anywhere else a send or receive on such a channel can never be executed.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.model.expr import Compare, Const, Formula
from plait.model.fresh import FreshNames
from plait.model.stmt import Abort, Assign, Bind, Match, Receive, Send, Statement
from plait.model.types import Channel, ElementaryType, Event, Model
from plait.model.watch import look
from plait.passes.folding import Folder
from plait.passes.questions import (
    Lowered,
    Questions,
    Queue,
    Queues,
    Scratch,
    defined,
    folder_of,
    in_range,
    lower_questions,
    rewrite_types,
)
from plait.passes.rewritten import Rewritten
from plait.passes.value_sets import possible_events
from plait.passes.walk import map_body, variables_of
from plait.records import replace

MANY_PAIRS = 1000
"""From so many pairs on it is worked out first which events are possible at all."""


def join_rendezvous(model: Model) -> Rewritten:
    """The (instantiated) model without channels of capacity 0."""

    def joined(type_: ElementaryType) -> Lowered | None:
        if all(c.capacity != 0 for c in type_.channels):
            return None
        joiner = _Joiner(type_)
        return joiner.join(), joiner.scratch, joiner.questions

    return rewrite_types(model, joined)


def _nothing_stored(channel: Channel) -> Queues:
    size = channel.size.value if isinstance(channel.size, Const) else None
    queue = Queue(0, None, ())
    return Queues(size, (queue,) * (1 if size is None else size), channel.fields)


class _Joiner:
    def __init__(self, type_: ElementaryType) -> None:
        self.channels = {c.name: _nothing_stored(c) for c in type_.channels if c.capacity == 0}
        self.questions = Questions(self.channels)
        self.type = lower_questions(type_, self.questions)
        self.folder: Folder = folder_of(type_)
        self.scratch = Scratch(FreshNames(v.name for v in type_.variables))
        self.names = FreshNames(e.name for e in type_.events)
        self.receivers = self._receivers()
        if self._pairs() > MANY_PAIRS:
            self.type = replace(self.type, events=tuple(possible_events(self.type)))
            self.receivers = self._receivers()

    def _receivers(self) -> dict[str, list[tuple[Event, Receive]]]:
        """By channel the events that begin with a receive."""
        found: dict[str, list[tuple[Event, Receive]]] = {}
        for event in self.type.events:
            answer = self._first(event)
            if event.label is None and isinstance(answer, Receive):
                found.setdefault(answer.channel.name, []).append((event, answer))
        return found

    def _pairs(self) -> int:
        """How many senders and receivers there are to join, at most."""
        firsts = (self._first(e) for e in self.type.events if e.label is None)
        senders = (s.channel.name for s in firsts if isinstance(s, Send))
        return sum(len(self.receivers.get(name, ())) for name in senders)

    def join(self) -> ElementaryType:
        """The type without its channels of capacity 0."""
        events = tuple(e for event in self.type.events for e in self._event(event))
        return replace(
            self.type,
            events=events,
            channels=tuple(c for c in self.type.channels if c.capacity),
            variables=(*self.type.variables, *self.scratch.variables),
        )

    def _event(self, event: Event) -> Iterator[Event]:
        first = self._first(event)
        if first is None or event.label is not None:
            yield replace(event, body=self._blocked(event.body))
        elif isinstance(first, Send):
            for other, answer in self.receivers.get(first.channel.name, ()):
                apart = event.process is None or event.process != other.process
                if apart and self._may_meet(first, answer):
                    yield self._joint(event, first, other, answer)

    def _first(self, event: Event) -> Send | Receive | None:
        """The first statement, when it is one half of a rendezvous."""
        first = event.body[0] if event.body else None
        if isinstance(first, Send | Receive) and first.channel.name in self.channels:
            return first
        return None

    def _blocked(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        def statement(old: Statement) -> tuple[Statement, ...]:
            if isinstance(old, Send | Receive) and old.channel.name in self.channels:
                return (Abort(span=old.span),)
            return (old,)

        return map_body(body, statement)

    def _may_meet(self, send: Send, receive: Receive) -> bool:
        """No two constants say that they never do: other queues, or a value that is not matched."""
        look()
        pairs = [
            (value, pattern.value)
            for value, pattern in zip(send.values, receive.patterns, strict=True)
            if isinstance(pattern, Match)
        ]
        here, there = send.channel.index, receive.channel.index
        if here is not None and there is not None:
            pairs.append((here, there))
        return not any(
            isinstance(a, Const) and isinstance(b, Const) and a.value != b.value for a, b in pairs
        )

    def _joint(self, sender: Event, send: Send, receiver: Event, receive: Receive) -> Event:
        queues = self.channels[send.channel.name]
        same: list[Formula] = [*in_range(send.channel, queues), *in_range(receive.channel, queues)]
        here, there = send.channel.index, receive.channel.index
        if here is not None and there is not None:
            same.append(Compare("==", here, there))
        agreed = [
            Compare("==", value, pattern.value)
            for value, pattern in zip(send.values, receive.patterns, strict=True)
            if isinstance(pattern, Match)
        ]
        known = defined(send.values, self.folder)
        return replace(
            sender,
            name=self.names.fresh(f"{sender.name}.{receiver.name}"),
            display=f"{sender.title} & {receiver.title}",
            origin=(*sender.sources, *receiver.sources),
            guard=(*sender.guard, *receiver.guard, *same, *known, *agreed),
            body=(
                *self._bind(send, receive),
                *self._blocked(sender.body[1:]),
                *self._blocked(receiver.body[1:]),
            ),
        )

    def _bind(self, send: Send, receive: Receive) -> Iterator[Statement]:
        """Bind the targets left to right to values of the state before.

        A value that reads what an earlier target overwrites goes through a scratch variable.
        """
        bound = [
            (value, pattern.target)
            for value, pattern in zip(send.values, receive.patterns, strict=True)
            if isinstance(pattern, Bind)
        ]
        overwritten: set[str] = set()
        late: set[int] = set()
        for number, (value, target) in enumerate(bound):
            if any(v.name in overwritten for v in variables_of([value])):
                late.add(number)
            overwritten.add(target.name)
        span = receive.span
        for number in late:
            yield Assign(self.scratch.temporary(number), bound[number][0], span=span)
        for number, (value, target) in enumerate(bound):
            taken = self.scratch.temporary(number) if number in late else value
            yield Assign(target, taken, span=span)
        for number in late:
            yield Assign(self.scratch.temporary(number), Const(0), span=span)
