"""Orders that leave few levels waiting: vertex separation.

Two levels are neighbours when an event touches both. A cut of an order must remember the levels
above it that have a neighbour below, or as well the ones below that have a neighbour above: so many
values, at most, tell the nodes below the cut apart. The sum of spans does not see this. Where many
small levels stand each between two of a few that all others hang on (the channels between the
members of a network), spans are least with each channel in the middle of its ends, and then all
channels wait; it is the members that should, and a channel follows as soon as both its ends are
placed.

The order is made greedily, as bandwidth and profile are made small in sparse matrices: next comes
the neighbour of what is placed that leaves the least waiting, among equals the one with the most
neighbours. (N. G. Kinnersley, *The vertex separation number of a graph equals its path-width*,
1992.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

LARGEST = 800
"""Models with more levels are left to faster heuristics."""
WIDE = 8
"""Events that touch more levels than this, and more than a quarter, happen once at the beginning or
tie everything together: they say nothing about an order."""


class Separation:
    """The levels of a model and which of them are neighbours."""

    def __init__(self, levels: Sequence[Sequence[int]], touched: Iterable[Iterable[int]]) -> None:
        """`levels` are the cells of each level, `touched` the cells of each event."""
        level_of = {cell: level for level, cells in enumerate(levels) for cell in cells}
        self.neighbours: list[set[int]] = [set() for _ in levels]
        for cells in touched:
            together = {level_of[cell] for cell in cells}
            if len(together) <= max(WIDE, len(levels) / 4):
                for level in together:
                    self.neighbours[level] |= together
        for level, near in enumerate(self.neighbours):
            near.discard(level)
        # A level of several cells has about one value more than it has cells.
        self.weights = [math.log(len(cells) + 1) for cells in levels]

    def order(self) -> list[int]:
        """The levels, each where it leaves the least waiting."""
        lacking = [len(near) for near in self.neighbours]
        left = set(range(len(lacking)))
        near_placed: set[int] = set()
        # What no longer waits once a level is placed: the levels that wait for nothing else.
        done = [0.0] * len(lacking)

        def price(level: int) -> tuple[float, int, int]:
            """What waits more when a level is placed next; the least is the best."""
            more = self.weights[level] if lacking[level] else 0.0
            return round(more - done[level], 9), -len(self.neighbours[level]), level

        order: list[int] = []
        while left:
            best = min(near_placed or left, key=price)
            order.append(best)
            left.discard(best)
            near_placed.discard(best)
            near_placed |= self.neighbours[best] & left
            for near in self.neighbours[best]:
                lacking[near] -= 1
            for placed in (best, *(self.neighbours[best] - left)):
                if lacking[placed] == 1:
                    (last,) = self.neighbours[placed] & left
                    done[last] += self.weights[placed]
        return order

    def cost(self, order: Sequence[int]) -> float:
        """The logarithm of the nodes that an order may need, by what waits at its cuts."""
        place = {level: at for at, level in enumerate(order)}
        steps = [[0.0] * len(order) for _ in range(2)]
        for level, at in place.items():
            near = [place[n] for n in self.neighbours[level]] or [at]
            for side, (first, last) in zip(steps, ((at, max(near)), (min(near), at)), strict=True):
                if first < last:
                    side[first] += self.weights[level]
                    side[last] -= self.weights[level]
        above = below = 0.0
        cuts = []
        for a, b in zip(*steps, strict=True):
            above, below = above + a, below + b
            cuts.append(min(above, below))
        most = max(cuts, default=0.0)
        return most + math.log(sum(math.exp(cut - most) for cut in cuts) or 1.0)


__all__ = ["LARGEST", "Separation"]
