"""Certificates about the markings of a net, and their checker: exact integers, nothing else.

Of a net without inhibitor and reset arcs let `w` be integer weights of its places such that no
event increases the weighted sum: `w . change(t) <= 0` for every event. Then `w . m <= w . m0` for
every reachable marking m. Two certificates follow.

- `Bound`: with `w(p) >= d * s(p)` for every place and `d > 0`, since markings are not negative,
  `s . m <= (w . m0) / d`: a bound of a sum s (a place invariant, or a sub-invariant).
- `Refutation`: with factors `v(i) >= 0` for inequalities `a(i) . m >= b(i)`, and
  `w(p) >= sum of v(i) a(i)(p)` for every place, a reachable marking that satisfies them all has
  `sum of v(i) b(i) <= w . m <= w . m0`; so there is none when `sum of v(i) b(i) > w . m0`. This is
  Farkas' lemma for the state equation (Murata, "Petri nets: properties, analysis and
  applications", 1989; Esparza and Melzer, "Verification of safety properties using integer
  programming: beyond the state equation", 2000).

A third one adds to the inequalities that may be used: a *trap* is a set of places such that every
event that takes from it puts something on it, too. Once marked it stays marked, so of a trap that
is marked at first `sum of m(p) >= 1` holds in every reachable marking (`is_marked_trap`).

- `Ceiling`: with weights `y(p) >= 0`, factors `u(i) >= 0` of marked traps, and for `w = y + sum of
  u(i) trap(i)` the first condition, `y . m = w . m - sum of u(i) m(trap(i))` never exceeds
  `w . m0 - sum of u(i)`. No weight is negative, so this holds with inhibitor arcs, too, and without
  traps with reset arcs, which only take away more.

With weights that are not negative and that every event *decreases*, `w . change(t) <= -1`, no run
is longer than `w . m0`: every run ends. With weights that some events decrease no run has only
those from somewhere on; in a bounded net the weights may be negative, too (`takes_away`).

Where the weights came from does not matter: a linear programme in floating point may propose them,
only this checker makes them believed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from plait.model.net import Net, NetEvent
from plait.records import dataclass
from plait.structure.linear import Atom

Weights = Mapping[int, int]
"""Place to integer weight; 0 where it is missing."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Shows that a sum of places never exceeds `value`."""

    weights: Weights
    denominator: int
    value: int


@dataclass(frozen=True, slots=True)
class Refutation:
    """Shows that no reachable marking satisfies all of some inequalities."""

    weights: Weights
    factors: Sequence[tuple[Atom, int]]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Shows that a weighted sum of places never exceeds `value`, with the help of marked traps."""

    weights: Weights
    traps: Sequence[tuple[Atom, int]]
    value: int


class Adding:
    """The events of an ordinary net that put tokens on each of its places.

    If no weight is negative, no others increase a weighted sum: of a large net few are looked at.
    """

    def __init__(self, net: Net) -> None:
        assert net.ordinary
        self.net = net
        self._events: list[list[int]] = [[] for _ in net.places]
        for number, event in enumerate(net.events):
            for p, _ in event.post:
                self._events[p].append(number)

    def to(self, places: Collection[int]) -> list[NetEvent]:
        """The events that put a token on one of these."""
        return [self.net.events[n] for n in {n for p in places for n in self._events[p]}]


def never_increases(net: Net, weights: Weights, adding: Adding | None = None) -> bool:
    """Whether no event increases the weighted sum of the marking."""
    events: Collection[NetEvent] = net.events
    if adding is not None and adding.net is net and min(weights.values(), default=0) >= 0:
        events = adding.to(weights)
    elif any(e.inhibitor or e.reset for e in events):
        return False
    for event in events:
        gain = sum(weights.get(p, 0) * w for p, w in event.post)
        if gain > sum(weights.get(p, 0) * w for p, w in event.pre):
            return False
    return True


def takes_away(
    net: Net, weights: Weights, events: Collection[int], *, signed: bool = False
) -> bool:
    """Whether each of these events decreases the weighted sum of the marking.

    Only `signed` weights may be negative: their sum has a least value if the net is bounded.
    """
    if any(e.inhibitor or e.reset for e in net.events):
        return False
    if not signed and min(weights.values(), default=0) < 0:
        return False
    for event in (net.events[n] for n in events):
        gain = sum(weights.get(p, 0) * w for p, w in event.post)
        if gain >= sum(weights.get(p, 0) * w for p, w in event.pre):
            return False
    return True


def initially(net: Net, weights: Weights) -> int:
    """The weighted sum of the initial marking."""
    return sum(w * net.places[p].initial for p, w in weights.items())


def check_bound(
    net: Net, coefficients: Mapping[int, int], bound: Bound, adding: Adding | None = None
) -> bool:
    """Whether the certificate shows that the sum never exceeds its value."""
    if bound.denominator <= 0:
        return False
    places = {*coefficients, *bound.weights}
    dominates = all(
        bound.weights.get(p, 0) >= bound.denominator * coefficients.get(p, 0) for p in places
    )
    if not dominates or not never_increases(net, bound.weights, adding):
        return False
    return initially(net, bound.weights) < (bound.value + 1) * bound.denominator


def check_refutation(net: Net, given: Sequence[Atom], refutation: Refutation) -> bool:
    """Whether the certificate shows that no reachable marking satisfies all the inequalities."""
    known = set(given)
    needed: dict[int, int] = {}
    least = 0
    for inequality, factor in refutation.factors:
        if factor < 0 or inequality not in known:
            return False
        least += factor * inequality.bound
        for p, c in inequality.coefficients:
            needed[p] = needed.get(p, 0) + factor * c
    weights = refutation.weights
    if any(weights.get(p, 0) < needed.get(p, 0) for p in {*weights, *needed}):
        return False
    return least > initially(net, weights) and never_increases(net, weights)


def check_ceiling(net: Net, ceiling: Ceiling) -> bool:
    """Whether the certificate shows that its weighted sum never exceeds its value."""
    if any(w < 0 for w in ceiling.weights.values()) or any(u < 0 for _, u in ceiling.traps):
        return False
    total, least = dict(ceiling.weights), 0
    for trap, factor in ceiling.traps:
        if trap.bound != 1 or any(c != 1 for _, c in trap.coefficients):
            return False
        if not is_marked_trap(net, [p for p, _ in trap.coefficients]):
            return False
        least += factor
        for p, _ in trap.coefficients:
            total[p] = total.get(p, 0) + factor
    for event in net.events:
        gain = sum(total.get(p, 0) * w for p, w in event.post)
        if gain > sum(total.get(p, 0) * w for p, w in event.pre):
            return False
    return initially(net, total) - least <= ceiling.value


def is_marked_trap(net: Net, places: Collection[int]) -> bool:
    """Whether the places are a trap that is marked at first; reset arcs may empty any."""
    inside = set(places)
    if any(e.reset for e in net.events):
        return False
    if not any(net.places[p].initial for p in inside):
        return False
    return all(
        any(p in inside for p, _ in event.post)
        for event in net.events
        if any(p in inside for p, _ in event.pre)
    )
