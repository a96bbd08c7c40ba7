"""Places that keep no event from happening, because of a sum of other places: implicit places.

If every event changes q as it changes the sum of `f(p)` times p over other places, then q is
always that sum plus a constant c; and if each event that needs q needs enough of these others as
well (`pre(q) <= sum of f(p) pre(p) + c`), then q can be left out. The factors are the solution of
a linear programme, one a place; it is solved in floating point, rounded, and checked exactly.

A place that stands for several of the original net can only be left out where a single other place
explains it; one of the original net always can. (M. Silva, E. Teruel, J. M. Colom, *Linear
algebraic and linear programming techniques for the analysis of place/transition net systems*,
1998.)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import inf

from plait.structure.highs import Rows, is_installed, minimise
from plait.structure.lumped import Lumped
from plait.structure.parts import Leaf

LARGEST = 150
"""Nets with more places, or ten times as many events, are left alone: a programme for each place is
too much."""
SECONDS, ALL_SECONDS = 1.0, 4.0
"""The most time for one programme, and of the processor for all of them."""


class Redundancy:
    """The search for such places in one net."""

    def __init__(self, net: Lumped, tick: Callable[[], None]) -> None:
        self.net = net
        self._tick = tick
        self._hopeless: dict[int, tuple[int, int]] = {}
        """The size of the net when a place was last looked at in vain."""
        self._used = 0.0
        self.available = is_installed()

    def remove(self) -> bool:
        """Leave out what can be left out; whether there was anything."""
        net = self.net
        if not self.available or len(net.initial) > LARGEST or len(net.events) > 10 * LARGEST:
            return False
        found = False
        for place in sorted(net.initial):
            if place not in net.initial:
                continue  # it stands for another one too by now, under a new number
            size = len(net.initial), sum(event.active for event in net.events)
            if self._hopeless.get(place) == size or self._used > ALL_SECONDS:
                continue
            self._tick()
            used = time.process_time()
            if self._removed(place):
                found = True
            else:
                self._hopeless[place] = size
            self._used += time.process_time() - used
        return found

    def _removed(self, place: int) -> bool:
        net = self.net
        leaf = isinstance(net.parts.parts[place], Leaf)
        explained = self._explained(place)
        if not leaf and explained is None:
            return False
        factors = self._factors(place)
        if factors is None:
            return False
        if explained is not None and self._is_redundant(place, factors, everywhere=False):
            net.attach(explained[0], place, explained[1])
            return True
        if leaf and self._is_redundant(place, factors, everywhere=True):
            net.drop(place, factors)
            return True
        return False

    def _explained(self, place: int) -> tuple[int, int] | None:
        """Another place that changes with this one, in the same or in the opposite direction."""
        net = self.net
        changes = net.changes(place)
        first = next(iter(changes))
        event = net.events[first]
        for other in {*event.pre, *event.post} - {place}:
            effect = event.effect(other)
            if abs(effect) == abs(changes[first]):
                sign = 1 if effect == changes[first] else -1
                if {n: sign * d for n, d in net.changes(other).items()} == changes:
                    return other, sign
        return None

    def _is_redundant(self, place: int, factors: Mapping[int, int], *, everywhere: bool) -> bool:
        """The exact check; `everywhere`: for events without effect too."""
        net = self.net
        constant = net.initial[place] - sum(f * net.initial[p] for p, f in factors.items())
        for event in net.events:
            if event.dead:
                continue
            if event.effect(place) != sum(f * event.effect(p) for p, f in factors.items()):
                return False
            needed = event.pre.get(place, 0)
            if not needed or not (everywhere or event.active):
                continue
            if needed > sum(f * event.pre.get(p, 0) for p, f in factors.items()) + constant:
                return False
        return True

    def _factors(self, place: int) -> dict[int, int] | None:
        """Whole factors of other places, as small as can be; None if there are none."""
        net = self.net
        others = [p for p in sorted(net.initial) if p != place]
        column = {p: at for at, p in enumerate(others)}
        rows: list[list[tuple[int, float]]] = []
        limits: list[tuple[float, float]] = []
        first = net.initial[place]
        for event in net.events:
            if not event.active:
                continue
            changed = {p for p in (*event.pre, *event.post) if event.effect(p)} - {place}
            rows.append([(column[p], float(event.effect(p))) for p in changed])
            limits.append((float(event.effect(place)), float(event.effect(place))))
            if place in event.pre:
                slack = {p: event.pre.get(p, 0) - net.initial[p] for p in others}
                rows.append([(column[p], float(d)) for p, d in slack.items() if d])
                limits.append((float(event.pre[place] - first), inf))
        count = len(others)
        found = minimise([1.0] * count, [0.0] * count, Rows(rows), limits, SECONDS)
        if found is None:
            return None
        return {p: round(v) for p, v in zip(others, found.values, strict=True) if round(v)}


__all__ = ["Redundancy"]
