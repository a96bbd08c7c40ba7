"""Marked graphs, whose number of markings is a polynomial in the number of tokens.

In a *marked graph* every place has at most one event that fills it and one that empties it, all
weights 1. Let each directed circuit have a token. Then a vector s >= 0 of how often the events
happen can be fired if and only if no place of m0 + C s is negative: if it is not and s is not zero,
some event of s is enabled, since otherwise each of them waits for an empty place, which another one
of them must fill, and so back around a circuit without a token (T. Murata, *Petri nets: properties,
analysis and applications*, 1989, theorems 16 and 24). So the reachable markings are the images of
the integer points of a polytope whose inequalities compare two numbers: `s(u) - s(t) <= m0(p)` for
a place from t to u, `s(u) <= m0(p)` where nobody fills p, and `s >= 0`. The image is one to one in
a part of the net with a place that has one neighbour only; in a part without one, s and s + 1 are
the same marking, and s(t) = 0 for one event chooses among them.

Such a matrix is totally unimodular: the corners are integer points. Let m0 be k times a marking a.
Then the polytope is k times an integral one, and by E. Ehrhart (*Sur les polyèdres rationnels
homothétiques à n dimensions*, 1962) the number of points is a polynomial in k whose degree is the
dimension; so it is on each face, for k >= 1. The markings where some given places are empty are a
face. Hence any number of markings that only asks which places are empty is such a polynomial: of
markings, of those that enable an event, of deadlocks. Greatest values are taken in corners and grow
with k itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import comb, gcd

from plait.model.net import Net
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class MarkedGraph:
    """A bounded marked graph, its marking so many times a smaller one."""

    net: Net
    times: int
    """The greatest k such that the marking is k times another one."""
    dimension: int
    """A bound of the degree of the polynomials."""


def marked_graph(net: Net) -> MarkedGraph | None:
    """The marked graph that a net is, if it has a token on each circuit and is bounded."""
    times = gcd(*net.initial)
    between = _between(net)
    if between is None or not times:
        return None
    after: list[set[int]] = [set() for _ in net.events]
    waiting: list[set[int]] = [set() for _ in net.events]
    first: set[int] = set()
    opened: set[int] = set()
    for place, (filled, emptied) in enumerate(between):
        if filled is not None and emptied is not None:
            after[filled].add(emptied)
            if not net.initial[place]:
                waiting[filled].add(emptied)
            continue
        opened.update(t for t in (filled, emptied) if t is not None)
        if filled is None and emptied is not None:
            first.add(emptied)
    if _has_circuit(waiting):
        return None
    before: list[set[int]] = [set() for _ in net.events]
    for event, others in enumerate(after):
        for other in others:
            before[other].add(event)
    around = [a | b for a, b in zip(after, before, strict=True)]
    bounded = _reached(first, after)
    dimension = len(net.events)
    left = set(range(len(net.events)))
    while left:
        part = _reached({min(left)}, around)
        left -= part
        if part & opened:
            # Each event happens so often at most as those from which it gets its tokens allow.
            if not part <= bounded:
                return None
            continue
        start = {min(part)}
        if _reached(start, after) != part or _reached(start, before) != part:
            return None
        dimension -= 1
    return MarkedGraph(net, times, dimension)


def _between(net: Net) -> list[tuple[int | None, int | None]] | None:
    """The event that fills each place and the one that empties it; None if there are more."""
    filled: list[int | None] = [None] * len(net.places)
    emptied: list[int | None] = [None] * len(net.places)
    for number, event in enumerate(net.events):
        if event.inhibitor or event.reset:
            return None
        for arcs, owner in ((event.pre, emptied), (event.post, filled)):
            for place, weight in arcs:
                if weight != 1 or owner[place] is not None:
                    return None
                owner[place] = number
    pairs = list(zip(filled, emptied, strict=True))
    looped = any(f is not None and f == e for f, e in pairs)
    return None if looped else pairs


def _reached(start: Iterable[int], following: Sequence[set[int]]) -> set[int]:
    seen = set(start)
    waiting = list(seen)
    while waiting:
        more = following[waiting.pop()] - seen
        seen |= more
        waiting.extend(more)
    return seen


def _has_circuit(following: Sequence[set[int]]) -> bool:
    """Whether a graph has a circuit: what is left when what nobody precedes is taken away."""
    preceding = [0] * len(following)
    for others in following:
        for other in others:
            preceding[other] += 1
    free = [node for node, count in enumerate(preceding) if not count]
    for node in free:
        for other in following[node]:
            preceding[other] -= 1
            if not preceding[other]:
                free.append(other)
    return len(free) < len(following)


def interpolated(values: Sequence[int], at: int) -> int:
    """The value at `at` of the polynomial with these values at 1, 2, and so on (Newton's form)."""
    total, differences = 0, list(values)
    for order in range(len(values)):
        total += differences[0] * _binomial(at - 1, order)
        differences = [b - a for a, b in pairwise(differences)]
    return total


def _binomial(n: int, k: int) -> int:
    return comb(n, k) if n >= 0 else (-1) ** k * comb(k - n - 1, k)


__all__ = ["MarkedGraph", "interpolated", "marked_graph"]
