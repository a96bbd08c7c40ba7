"""Horizontal coordinates of a layered drawing, after Brandes and Köpf (GD 2001).

Each vertex is aligned with a median of its neighbours, so that there are blocks of vertices one
above the other, and blocks are moved together as far as the order allows. That is done four times,
with neighbours above or below and with ties and space to the left or to the right; the coordinate
is the mean of the two in the middle.

*Different here:* blocks are moved together by longest paths in the graph of blocks, there and back,
since the compaction by classes in the paper does not always keep the distances (Brandes, Walter and
Zink, 2020). Vertices have widths that may be more to one side than to the other.

Invariant: neighbours of a layer keep their order and their distance. Each of the four assignments
keeps them, and so do the second and the third smallest of four.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Rows = Sequence[Sequence[int]]
Neighbours = Sequence[Sequence[int]]
Extents = Sequence[tuple[float, float]]
Segments = set[tuple[int, int]]
"""Pairs of an upper and a lower vertex."""


def coordinates(
    rows: Rows,
    up: Neighbours,
    down: Neighbours,
    extents: Extents,
    *,
    inner: Sequence[bool],
    gap: float,
) -> list[float]:
    """The x of each vertex, so that nothing is left of 0.

    `extents` are what it needs to the left and to the right; `inner` are those inside arcs.
    """
    crossed = _conflicts(rows, up, inner)
    found = []
    for neighbours, above in ((up, True), (down, False)):
        ways = rows if above else rows[::-1]
        for mirrored in (False, True):
            seen = [row[::-1] for row in ways] if mirrored else ways
            sides = [(r, le) for le, r in extents] if mirrored else extents
            xs = _aligned(seen, neighbours, sides, crossed, gap, above=above)
            found.append([-x for x in xs] if mirrored else xs)
    _together(found, extents)
    middle = [sum(sorted(xs)[1:3]) / 2 for xs in zip(*found, strict=True)]
    least = min(x - left for x, (left, _) in zip(middle, extents, strict=True))
    return [x - least for x in middle]


def _conflicts(rows: Rows, up: Neighbours, inner: Sequence[bool]) -> Segments:
    """Segments that cross one inside a long arc, which is to be straight (type 1)."""
    crossed: Segments = set()
    for upper, lower in pairwise(rows):
        place = {v: i for i, v in enumerate(upper)}
        left, scanned = 0, 0
        for i, vertex in enumerate(lower):
            before = next((u for u in up[vertex] if inner[vertex] and inner[u]), None)
            if before is None and i < len(lower) - 1:
                continue
            right = len(upper) - 1 if before is None else place[before]
            for other in lower[scanned : i + 1]:
                for u in up[other]:
                    outside = not left <= place[u] <= right
                    if outside and not (inner[u] and inner[other]):
                        crossed.add((u, other))
            scanned, left = i + 1, right
    return crossed


def _aligned(
    rows: Rows,
    neighbours: Neighbours,
    extents: Extents,
    crossed: Segments,
    gap: float,
    *,
    above: bool,
) -> list[float]:
    """One of the four assignments: to the medians on the row before, as far left as may be."""
    count = len(extents)
    root = list(range(count))
    place = [0] * count
    for row in rows:
        for i, vertex in enumerate(row):
            place[vertex] = i
    for row in rows:
        last = -1
        for vertex in row:
            beside = sorted(neighbours[vertex], key=place.__getitem__)
            half = (len(beside) - 1) // 2
            for other in beside[half : len(beside) // 2 + 1]:
                segment = (other, vertex) if above else (vertex, other)
                if root[vertex] == vertex and place[other] > last and segment not in crossed:
                    root[vertex] = root[other]
                    last = place[other]
    return _compacted(rows, root, extents, gap)


def _compacted(rows: Rows, root: Sequence[int], extents: Extents, gap: float) -> list[float]:
    """The least x of each block, and then blocks moved right, up to what stands there."""
    after: dict[int, dict[int, float]] = {r: {} for r in root}
    waits = dict.fromkeys(after, 0)
    for row in rows:
        for u, v in pairwise(row):
            a, b = root[u], root[v]
            need = extents[u][1] + gap + extents[v][0]
            if b not in after[a]:
                waits[b] += 1
            after[a][b] = max(after[a].get(b, 0.0), need)
    xs = dict.fromkeys(after, 0.0)
    order = [block for block, count in waits.items() if not count]
    for block in order:
        for other, need in after[block].items():
            xs[other] = max(xs[other], xs[block] + need)
            waits[other] -= 1
            if not waits[other]:
                order.append(other)
    for block in reversed(order):
        room = min((xs[other] - need for other, need in after[block].items()), default=None)
        if room is not None:
            xs[block] = max(xs[block], room)
    return [xs[r] for r in root]


def _together(found: list[list[float]], extents: Extents) -> None:
    """Move the assignments to the narrowest, those to the left by their left ends."""
    ends = [
        (
            min(x - left for x, (left, _) in zip(xs, extents, strict=True)),
            max(x + right for x, (_, right) in zip(xs, extents, strict=True)),
        )
        for xs in found
    ]
    low, high = min(ends, key=lambda e: e[1] - e[0])
    for i, xs in enumerate(found):
        move = high - ends[i][1] if i % 2 else low - ends[i][0]
        found[i] = [x + move for x in xs]


__all__ = ["coordinates"]
