"""A net whose places are merged, dropped or explained by others, so that markings can be counted.

The reachable markings of the original net are exactly those that the reachable markings of the
lumped net stand for: for each of its places one of E(value) (see `parts`), all combinations, and
for each place that was dropped the value that follows from the others. Every method here keeps
that; when each may be called is the business of `lumping`.

Events are kept one for one, in terms of the places that are left. An event without effect is
*idle*: it changes no set of markings, but what it needs still tells what a place must not be
dropped for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plait.model.net import Net, NetEvent, Place
from plait.records import dataclass, field
from plait.structure.parts import Both, Leaf, Parts, Sum

Arcs = dict[int, int]
"""Weights by place."""


@dataclass(slots=True)
class Event:
    """What an event needs and gives, by the places that are left."""

    pre: Arcs
    post: Arcs
    dead: bool = False
    """It can never happen."""

    @property
    def active(self) -> bool:
        """Whether it may change a marking."""
        return not self.dead and self.pre != self.post

    def effect(self, place: int) -> int:
        """By how much it changes a place."""
        return self.post.get(place, 0) - self.pre.get(place, 0)

    @property
    def transfer(self) -> tuple[int, int] | None:
        """The places between which it moves one token, if it needs and does nothing else."""
        if self.dead or len(self.pre) != 1 or len(self.post) != 1:
            return None
        ((p, taken),), ((q, put),) = self.pre.items(), self.post.items()
        return (p, q) if taken == put == 1 and p != q else None


@dataclass(frozen=True, slots=True)
class Dropped:
    """A place whose value follows from others: a sum of parts times factors, plus a constant."""

    place: int
    factors: Mapping[int, int]
    constant: int


@dataclass(slots=True)
class Lumped:
    """The net that is left, and what its places stand for."""

    parts: Parts
    initial: dict[int, int]
    events: list[Event]
    constants: dict[int, int] = field(default_factory=dict)
    """Parts that keep one value."""
    dropped: list[Dropped] = field(default_factory=list)
    users: dict[int, set[int]] = field(default_factory=dict)
    """The events with arcs at each place."""

    @classmethod
    def of(cls, net: Net) -> Lumped:
        """An ordinary net as it is."""
        initial = dict(enumerate(net.initial))
        events = [Event(dict(e.pre), dict(e.post)) for e in net.events]
        users: dict[int, set[int]] = {place: set() for place in initial}
        for number, event in enumerate(events):
            for place in (*event.pre, *event.post):
                users[place].add(number)
        return cls(Parts(len(net.places)), initial, events, users=users)

    def using(self, place: int) -> Iterator[Event]:
        """The events with an arc at a place that may change a marking."""
        for number in self.users[place]:
            event = self.events[number]
            if event.active:
                yield event

    def changes(self, place: int) -> dict[int, int]:
        """By how much each event changes a place, where it does."""
        found = {}
        for number in sorted(self.users[place]):
            event = self.events[number]
            effect = event.effect(place)
            if effect and not event.dead:
                found[number] = effect
        return found

    def merge(self, places: Sequence[int]) -> int:
        """Put places together: their tokens may be shared among them in every way."""
        total = sum(self.initial[p] for p in places)
        merged, *others = places
        for other in others:
            merged = self.parts.add(Sum(merged, other))
        users: set[int] = set()
        for place in places:
            del self.initial[place]
            users |= self.users.pop(place)
        for number in users:
            event = self.events[number]
            for arcs in (event.pre, event.post):
                weight = sum(arcs.pop(place, 0) for place in places)
                if weight:
                    arcs[merged] = weight
        self.initial[merged] = total
        self.users[merged] = users
        return merged

    def attach(self, place: int, other: int, sign: int) -> int:
        """Let a place stand for another one too, whose value is `sign` times its own up to a
        constant, and which keeps no event from happening."""
        constant = self.initial[other] - sign * self.initial[place]
        part = self.parts.add(Both(place, other, 1 if sign > 0 else -1, constant))
        self._remove(other)
        self.initial[part] = self.initial.pop(place)
        self.users[part] = self.users.pop(place)
        for number in self.users[part]:
            event = self.events[number]
            for arcs in (event.pre, event.post):
                if place in arcs:
                    arcs[part] = arcs.pop(place)
        return part

    def drop(self, place: int, factors: Mapping[int, int]) -> None:
        """Leave out a place of the original net whose value is a sum of others up to a constant,
        and which keeps no event from happening."""
        assert isinstance(self.parts.parts[place], Leaf)
        constant = self.initial[place] - sum(f * self.initial[p] for p, f in factors.items())
        self.dropped.append(Dropped(place, dict(factors), constant))
        self._remove(place)

    def fix(self, place: int) -> None:
        """Leave out a place that no event changes; what needs more than it has can never happen."""
        value = self.initial[place]
        for number in self.users[place]:
            event = self.events[number]
            if event.pre.get(place, 0) > value:
                event.dead = True
        self.constants[place] = value
        self._remove(place)

    def _remove(self, place: int) -> None:
        del self.initial[place]
        for number in self.users.pop(place):
            self.events[number].pre.pop(place, None)
            self.events[number].post.pop(place, None)

    # --- what is left -------------------------------------------------------------------------

    def residue(self, name: str) -> tuple[Net, list[int]]:
        """The net that is left, without idle and repeated events, and the part of each place."""
        parts = sorted(self.initial)
        index = {part: place for place, part in enumerate(parts)}
        places = tuple(Place(f"p{part}", self.initial[part]) for part in parts)
        rows = dict.fromkeys(
            (_row(event.pre, index), _row(event.post, index))
            for event in self.events
            if event.active
        )
        events = (NetEvent(f"t{n}", pre, post) for n, (pre, post) in enumerate(rows))
        return Net(name, places, tuple(events)), parts


def _row(arcs: Arcs, index: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((index[part], weight) for part, weight in arcs.items()))


__all__ = ["Arcs", "Dropped", "Event", "Lumped"]
