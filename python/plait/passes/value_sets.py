"""Which few values a variable can ever hold, and which events that rules out.

Channels can be passed to processes and sent in messages, so a statement that uses a channel by a
variable stands for one event for each channel that it may mean, and senders and receivers that are
joined are pairs of these. Most of them never happen. Here the constants of the model flow along
assignments, messages and nothing else, without regard to order (the analysis of Andersen for
pointers, 1994, with integers for objects): a variable that only ever gets constants and copies of
such variables holds one of a few values. An event that requires another one is impossible, and what
it would assign does not count.

Invariant: in every reachable state and in the middle of every event, a variable that has a set
holds a value of it; a message of a channel likewise, field by field.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping

from plait.model.expr import Const, IntExpr, Var
from plait.model.stmt import Assign, Bind, Receive, Send
from plait.model.types import ElementaryType, Event
from plait.model.watch import look
from plait.passes.places import equalities
from plait.passes.walk import statements

MOST_VALUES = 64
"""A variable that may hold more values than this may hold any."""
Holder = Hashable
"""A variable by its name, or a field of a channel's messages: (channel, number)."""


def possible_events(type_: ElementaryType) -> list[Event]:
    """The events of an (instantiated) component that its variables can ever allow.

    Events with a label stay: whoever calls them must find them.
    """
    return Flow(type_).possible()


class Flow:
    """What variables and messages may hold once constants have flowed along all events."""

    def __init__(
        self, type_: ElementaryType, start: Mapping[Holder, set[int]] | None = None
    ) -> None:
        """`start` is what is held at first; without it, what the variables are declared with."""
        self.events = type_.events
        self.held: dict[Holder, set[int]] = {}
        self.anything: set[Holder] = set()
        self.copied: dict[Holder, set[Holder]] = defaultdict(set)
        """Who gets what a holder has."""
        for holder, values in (start or {}).items():
            self.held[holder] = set(values)
            if len(values) > MOST_VALUES:
                self.anything.add(holder)
        for v in type_.variables if start is None else ():
            values = {i.value for i in v.initial if isinstance(i, Const)}
            if v.size is not None or not v.initial:
                values.add(0)
            self.held[v.name] = values
            if len(values) > MOST_VALUES or not all(isinstance(i, Const) for i in v.initial):
                self.anything.add(v.name)
        self.done = [False] * len(self.events)

    def possible(self) -> list[Event]:
        """The events that are possible once everything has flowed."""
        growing = True
        while growing:
            growing = False
            for number, event in enumerate(self.events):
                if not self.done[number] and self._allows(event):
                    self.done[number] = growing = True
                    self._flow(event)
        happens = zip(self.events, self.done, strict=True)
        return [e for e, done in happens if done or e.label is not None]

    def _allows(self, event: Event) -> bool:
        look()
        return all(
            v in self.anything or value in self.held[v] for v, value in equalities(event.guard)
        )

    def _flow(self, event: Event) -> None:
        """All that the event may store."""
        for statement in statements(event.body):
            if isinstance(statement, Assign):
                self._store(statement.target.name, statement.value)
            elif isinstance(statement, Send):
                for number, value in enumerate(statement.values):
                    self._store((statement.channel.name, number), value)
            elif isinstance(statement, Receive):
                for holder, target in _received(statement):
                    self._copy(holder, target)

    def _store(self, holder: Holder, value: IntExpr) -> None:
        if isinstance(value, Const):
            self._add(holder, {value.value}, False)
        elif isinstance(value, Var) and not value.path:
            self._copy(value.name, holder)
        else:
            self._add(holder, set(), True)

    def _copy(self, source: Holder, target: Holder) -> None:
        if target not in self.copied[source]:
            self.copied[source].add(target)
            self._add(target, self.held.get(source, set()), source in self.anything)

    def _add(self, holder: Holder, values: set[int], anything: bool) -> None:
        """The holder may have these values, or any; and so may who gets what it has."""
        pending = [holder]
        while pending:
            at = pending.pop()
            held = self.held.setdefault(at, set())
            if at in self.anything or (not anything and values <= held):
                continue
            held |= values
            if anything or len(held) > MOST_VALUES:
                self.anything.add(at)
            pending.extend(self.copied[at])
            anything = anything or at in self.anything


def _received(statement: Receive) -> Iterator[tuple[Holder, str]]:
    """The fields that a receive binds, with the variables that get them."""
    for number, pattern in enumerate(statement.patterns):
        if isinstance(pattern, Bind):
            yield (statement.channel.name, number), pattern.target.name
