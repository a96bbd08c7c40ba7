"""A net while it is being reduced: rows that change, and the way back of every event.

Each event of a draft stands for a sequence of events of the original net, its *trail*. Trails are
shared pairs, so that an event made of a thousand costs no more than one made of two until a trace
is written out.

Invariant: executing the trail of an event on the original net, in a marking that agrees with one of
the draft on the places that are left, is possible where the event is, and changes those places as
the event does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.model.net import Net, NetEvent, Place
from plait.records import dataclass, field

Row = dict[int, int]


@dataclass(frozen=True, slots=True)
class Trail:
    """An event of the original net, or trails one after the other, so many times."""

    event: int | None = None
    parts: tuple[tuple[Trail, int], ...] = ()

    def events(self) -> Iterator[int]:
        """The events of the original net in their order."""
        stack: list[tuple[Trail, int]] = [(self, 1)]
        while stack:
            trail, times = stack.pop()
            if times > 1:
                stack.append((trail, times - 1))
            if trail.event is not None:
                yield trail.event
            stack.extend(part for part in reversed(trail.parts) if part[1] > 0)


@dataclass(slots=True)
class DraftEvent:
    """An event: what it takes, what it puts, what it stands for."""

    pre: Row
    post: Row
    trail: Trail

    def change(self, place: int) -> int:
        """What it adds to a place."""
        return self.post.get(place, 0) - self.pre.get(place, 0)

    def changes(self) -> tuple[tuple[int, int], ...]:
        """What it adds to each place, where that is not 0."""
        places = self.pre.keys() | self.post.keys()
        return tuple(sorted((p, d) for p in places if (d := self.change(p))))


@dataclass(slots=True)
class Draft:
    """A net under reduction; numbers of places and events stay what they were."""

    initial: dict[int, int]
    events: dict[int, DraftEvent]
    consumers: dict[int, set[int]] = field(default_factory=dict)
    producers: dict[int, set[int]] = field(default_factory=dict)
    prefix: list[Trail] = field(default_factory=list)
    """What was executed in the initial marking already."""
    finish: list[tuple[Trail, ...]] = field(default_factory=list)
    """What to execute, the latest first and as often as possible, to make a deadlock one again."""
    next: int = 0

    @classmethod
    def of(cls, net: Net) -> Draft:
        """A draft that is the net still."""
        draft = cls(dict(enumerate(net.initial)), {})
        draft.consumers = {p: set() for p in draft.initial}
        draft.producers = {p: set() for p in draft.initial}
        for number, event in enumerate(net.events):
            draft.add(DraftEvent(dict(event.pre), dict(event.post), Trail(number)))
        return draft

    def add(self, event: DraftEvent) -> int:
        """A new event; its number."""
        number = self.next
        self.next += 1
        self.events[number] = event
        for p in event.pre:
            self.consumers[p].add(number)
        for p in event.post:
            self.producers[p].add(number)
        return number

    def remove_event(self, number: int) -> None:
        """The event goes."""
        event = self.events.pop(number)
        for p in event.pre:
            self.consumers[p].discard(number)
        for p in event.post:
            self.producers[p].discard(number)

    def remove_place(self, place: int) -> None:
        """The place goes, with all its arcs."""
        for number in self.consumers.pop(place):
            self.events[number].pre.pop(place, None)
        for number in self.producers.pop(place):
            self.events[number].post.pop(place, None)
        del self.initial[place]

    def touching(self, places: Iterable[int]) -> set[int]:
        """The events with an arc to one of the places."""
        return {e for p in places for e in (*self.consumers[p], *self.producers[p])}

    def net(self, original: Net) -> Net:
        """What is left as a net, whose events are named by their numbers."""
        number = {p: i for i, p in enumerate(sorted(self.initial))}
        places = tuple(
            Place(original.places[p].name, self.initial[p]) for p in sorted(self.initial)
        )

        def row(arcs: Row) -> tuple[tuple[int, int], ...]:
            return tuple(sorted((number[p], w) for p, w in arcs.items()))

        events = tuple(
            NetEvent(f"e{i}", row(e.pre), row(e.post)) for i, e in sorted(self.events.items())
        )
        return Net(original.name, places, events)
