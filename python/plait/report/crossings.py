"""The order of the vertices of a layered drawing: few arcs should cross.

Sweeps down and up sort each layer by the medians (Eades and Wormald), or in turn by the barycentres
(Sugiyama), of the neighbours on the layer before; exchanges of neighbours follow where the graph is
small (Gansner et al., 1993). The best order that was seen is kept. Crossings between two layers are
counted by a tree of sums (Barth, Jünger and Mutzel, 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

WORK = 60_000
"""Arcs that are looked at by all sweeps together: large graphs get few sweeps, small ones more."""
MOST_SWEEPS, FEWEST_SWEEPS = 24, 4
SMALL = 2_500
"""Up to so many arcs, neighbours are exchanged, too."""

Rows = list[list[int]]
Neighbours = Sequence[Sequence[int]]


def ordered(layer: Sequence[int], up: Neighbours, down: Neighbours) -> Rows:
    """The vertices of each layer from left to right; `up` and `down` are on adjacent layers."""
    best = _first(layer, down)
    arcs = sum(map(len, down))
    sweeps = max(FEWEST_SWEEPS, min(MOST_SWEEPS, WORK // max(arcs, 1)))
    crossings = _crossings(best, down)
    rows = best
    for sweep in range(sweeps):
        if not crossings:
            break
        rows = _sweep(rows, up if sweep % 2 == 0 else down, sweep)
        if arcs <= SMALL:
            _exchange(rows, up, down)
        found = _crossings(rows, down)
        if found < crossings:
            best, crossings = [list(row) for row in rows], found
    return best


def _first(layer: Sequence[int], down: Neighbours) -> Rows:
    """An order by depth-first search: what hangs from one vertex is together."""
    rows: Rows = [[] for _ in range(max(layer) + 1)]
    seen = [False] * len(layer)
    for root in sorted(range(len(layer)), key=lambda v: (layer[v], v)):
        stack = [root]
        while stack:
            vertex = stack.pop()
            if not seen[vertex]:
                seen[vertex] = True
                rows[layer[vertex]].append(vertex)
                stack.extend(reversed(down[vertex]))
    return rows


def _sweep(rows: Rows, beside: Neighbours, sweep: int) -> Rows:
    """The rows sorted one after the other by the row before, downward or upward."""
    place = [0.0] * len(beside)
    weigh = _median if sweep // 2 % 2 == 0 else _barycentre
    found: Rows = []
    for row in rows if sweep % 2 == 0 else reversed(rows):
        keys = {}
        for i, vertex in enumerate(row):
            places = [place[n] for n in beside[vertex]]
            # Who has no neighbours there stays about where it is.
            keys[vertex] = weigh(places) if places else (i + 0.5) / len(row)
        row = sorted(row, key=keys.__getitem__)
        for i, vertex in enumerate(row):
            place[vertex] = (i + 0.5) / len(row)
        found.append(row)
    return found if sweep % 2 == 0 else found[::-1]


def _barycentre(places: list[float]) -> float:
    return sum(places) / len(places)


def _median(places: list[float]) -> float:
    places.sort()
    count = len(places)
    middle = count // 2
    if count % 2:
        return places[middle]
    if count == 2:
        return (places[0] + places[1]) / 2
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    if left + right == 0:
        return places[middle]
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _crossings(rows: Rows, down: Neighbours) -> int:
    return sum(_between(upper, lower, down) for upper, lower in pairwise(rows))


def _between(upper: Sequence[int], lower: Sequence[int], down: Neighbours) -> int:
    """How often arcs between two rows cross."""
    place = {v: i for i, v in enumerate(lower)}
    size = 1
    while size < len(lower):
        size *= 2
    tree = [0] * (2 * size)
    found = 0
    for vertex in upper:
        ends = sorted([place[n] for n in down[vertex]])
        for end in ends:
            node = end + size
            while node > 1:
                if node % 2 == 0:
                    found += tree[node + 1]
                node //= 2
        for end in ends:
            node = end + size
            while node:
                tree[node] += 1
                node //= 2
    return found


def _exchange(rows: Rows, up: Neighbours, down: Neighbours) -> None:
    """Exchange neighbours while that leaves fewer crossings."""
    place = [0] * len(up)
    for row in rows:
        for i, vertex in enumerate(row):
            place[vertex] = i
    better, rounds = True, 0
    while better and rounds < 4:
        better, rounds = False, rounds + 1
        for row in rows:
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                now, then = _pair(place, up[a], up[b])
                below, swapped = _pair(place, down[a], down[b])
                if then + swapped < now + below:
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    better = True


def _pair(place: Sequence[int], a: Sequence[int], b: Sequence[int]) -> tuple[int, int]:
    """How often the arcs of two neighbours cross, as they stand and exchanged."""
    now = then = 0
    for one in a:
        for other in b:
            if place[one] > place[other]:
                now += 1
            elif place[one] < place[other]:
                then += 1
    return now, then


__all__ = ["ordered"]
