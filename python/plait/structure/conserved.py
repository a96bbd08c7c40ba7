"""Sets of places that together never get more tokens, grown from one place.

Most nets are made of state machines, and what bounds a place is the machine that it belongs to:
some dozen places, whichever size the net has. A linear programme finds them as well, but it looks
at the whole net for each place, and one of sixty thousand events takes seconds.

The set begins with the place. An event that puts more tokens into the set than it takes from it
needs another place, one that it takes from: the one that brings the fewest such events with it and,
of several, has the fewest tokens. In the end no event adds to the set, so no place of it ever has
more tokens than all of them have at first. A greedy choice may be wrong where machines meet; then
the next one is tried, a few times, and if none is right nothing is told. (The idea is that of the
covering by state machines: M. Hack, *Analysis of production schemata by Petri nets*, 1972.)
"""

from __future__ import annotations

from plait.model.net import Net

ATTEMPTS = 4
"""Choices that are tried where the first event leaves one."""
LARGEST = 50_000
"""Arcs that are looked at for one place."""
FEW = 100
"""Events that are looked at for the price of a place."""
IN_VAIN = 40
"""Places without a set, and none with one, after which nothing more is tried of the net."""


class ConservedSets:
    """The sets of one net."""

    def __init__(self, net: Net) -> None:
        self._initial = net.initial
        self._changes = [e.change for e in net.events]
        self._gaining: list[list[int]] = [[] for _ in net.places]
        """The events that add to each place."""
        for number, change in enumerate(self._changes):
            for p, d in change:
                if d > 0:
                    self._gaining[p].append(number)
        self.tried: dict[int, frozenset[int] | None] = {}
        """What was found around places so far."""
        self._in_vain = 0
        self._left = 0
        """Arcs that may still be looked at."""

    def around(self, place: int) -> frozenset[int] | None:
        """Places with this one among them that together never have more tokens than one, or than
        this one has at first; None if none were found."""
        if place not in self.tried and self._in_vain < IN_VAIN:
            self._left = LARGEST
            attempts = (self._grown(place, wrong) for wrong in range(ATTEMPTS))
            found = next((inside for inside in attempts if inside is not None), None)
            self.tried[place] = found
            if found is None:
                self._in_vain += 1
            else:
                if len(found) > 1:
                    self._in_vain = -len(self._initial)  # there are machines
                tokens = sum(self._initial[p] for p in found)
                for p in found:
                    if tokens <= self._most(p):
                        self.tried[p] = found
        return self.tried.get(place)

    def _most(self, place: int) -> int:
        return max(1, self._initial[place])

    def _grown(self, place: int, wrong: int) -> frozenset[int] | None:
        """The set after so many wrong choices at the beginning."""
        inside = {place}
        room = self._most(place) - self._initial[place]
        pending = list(self._gaining[place])
        while pending:
            if self._left <= 0:
                return None
            event = pending[-1]
            if self._gain(event, inside) <= 0:
                pending.pop()
                continue
            taken = [
                p
                for p, d in self._changes[event]
                if d < 0 and p not in inside and self._initial[p] <= room
            ]
            if len(taken) > 1:
                taken.sort(key=lambda p: (self._price(p, inside), self._initial[p], p))
                taken, wrong = taken[min(wrong, len(taken) - 1) :], 0
            if not taken:
                return None
            inside.add(taken[0])
            room -= self._initial[taken[0]]
            pending.extend(self._gaining[taken[0]])
        return frozenset(inside)

    def _gain(self, event: int, inside: set[int]) -> int:
        change = self._changes[event]
        self._left -= len(change)
        return sum([d for p, d in change if p in inside])

    def _price(self, place: int, inside: set[int]) -> int:
        """How many events would add to the set if the place were in it."""
        more = {*inside, place}
        return sum([self._gain(event, more) > 0 for event in self._gaining[place][:FEW]])


__all__ = ["ConservedSets"]
