"""Sets of markings that some run leaves from each of them, by events that are enabled inside.

Say that every marking of the set enables one of some events, and that no run has only those of them
which may lead from the set into the set. Then whoever is inside executes one such event after the
other, and is outside in the end. That a transition is enabled is the plainest of such sets: it is
executed until it is not enabled any more, so nowhere is it enabled for good, `AG enabled(t)`.

Which events a marking enables is read off the lower bounds that a conjunction has for single
places; a disjunction needs such events in every part. That they end is seen from a place that none
of them puts tokens on: those that take from it occur so often and no more, and are left out
(a lexicographic ranking function). What remains needs weights of a linear programme (`ranking`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from plait.model.net import NetEvent
from plait.records import dataclass
from plait.structure.certificate import takes_away
from plait.structure.equation import StateEquation
from plait.structure.linear import Atom, Goal, fold_goal
from plait.structure.ranking import Inside

CHOICES = 4
"""Sets of events of which one has to do, the smallest first."""
MANY = 1000
"""Events that take from a place, of which no more are looked at."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What every marking of a goal has, and does."""

    least: dict[int, int]
    """How many tokens there are at least on places."""
    choices: tuple[frozenset[int], ...]
    """Of some events every marking enables one: those of each such set that may stay inside."""


class Escapes:
    """Questions about the sets of markings of one net."""

    def __init__(self, equation: StateEquation) -> None:
        self.equation = equation
        self.net = equation.net
        self._takers: list[list[int]] = [[] for _ in self.net.places]
        for number, event in enumerate(self.net.events):
            for p, _ in event.pre:
                if len(self._takers[p]) < MANY:
                    self._takers[p].append(number)

    def exist(self, goal: Goal, seconds: float) -> bool:
        """Whether from each marking of a goal some run leads to one that does not satisfy it."""
        inside = Inside(self.equation, goal, seconds / 4)

        def leaf(part: Atom) -> _Known:
            least = _least(part)
            return _Known(least, self._enabled(least, inside))

        def inner(every: bool, parts: list[_Known]) -> _Known:
            if every:
                least = _greatest(part.least for part in parts)
                choices = {*self._enabled(least, inside), *(c for p in parts for c in p.choices)}
            else:
                first = parts[0].least if parts else {}
                least = {
                    p: min(part.least[p] for part in parts)
                    for p in first
                    if all(p in part.least for part in parts)
                }
                able = bool(parts) and all(part.choices for part in parts)
                choices = (
                    {frozenset[int]().union(*(p.choices[0] for p in parts))} if able else set()
                )
            return _Known(
                least, tuple(sorted(choices, key=lambda c: (len(c), sorted(c)))[:CHOICES])
            )

        choices = fold_goal(goal, leaf, inner).choices
        return any(self._end(c, seconds / (2 * CHOICES)) for c in choices)

    def _enabled(self, least: dict[int, int], inside: Inside) -> tuple[frozenset[int], ...]:
        """Sets of one event that so many tokens enable, or of none if it leads outside."""
        found = {
            n
            for p in least
            for n in self._takers[p]
            if all(least.get(q, 0) >= w for q, w in self.net.events[n].pre)
        }
        staying = [n for n in sorted(found) if inside.may_stay(self.net.events[n])]
        if len(staying) < len(found):
            return (frozenset(),)
        # What takes from no place more than it puts there may be repeated for ever.
        ending = [n for n in staying if any(d < 0 for _, d in self.net.events[n].change)]
        return tuple(frozenset((n,)) for n in ending[:CHOICES])

    def _end(self, numbers: Collection[int], seconds: float) -> bool:
        """Whether no run without an end has only these events."""
        left = _without_the_drained({n: self.net.events[n] for n in numbers})
        if not left:
            return True
        weights = self.equation.programmes.lowering(left, seconds)
        return weights is not None and takes_away(self.net, weights, left)


def _least(part: Atom) -> dict[int, int]:
    """How many tokens an inequality of one place asks for."""
    if len(part.coefficients) != 1:
        return {}
    ((place, factor),) = part.coefficients
    return {place: -(-part.bound // factor)} if factor > 0 and part.bound > 0 else {}


def _greatest(bounds: Iterable[dict[int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for least in bounds:
        for p, n in least.items():
            found[p] = max(n, found.get(p, 0))
    return found


def _without_the_drained(events: dict[int, NetEvent]) -> list[int]:
    """The events without those that occur only so often, since a place runs dry."""
    left = dict(events)
    while left:
        filled = {p for e in left.values() for p, d in e.change if d > 0}
        drained = [
            n for n, e in left.items() if any(d < 0 and p not in filled for p, d in e.change)
        ]
        if not drained:
            break
        for n in drained:
            del left[n]
    return sorted(left)


__all__ = ["Escapes"]
