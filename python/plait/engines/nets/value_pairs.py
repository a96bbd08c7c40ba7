"""Pairs of values for the questions of a net, kept from one turn to the next.

The relation (`plait.structure.pairs`) is the same whatever is asked, and may take longer than a
turn has: it is grown a little each time. Goals are refuted once it is complete.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from plait.model.net import Net
from plait.structure.linear import Goal
from plait.structure.pairs import Pairs

ENGINE = "value-pairs"


class ValuePairs:
    """What pairs of values tell of the goals of one net."""

    def __init__(self) -> None:
        self._pairs: Pairs | None = None
        self._tried: dict[int, tuple[Goal, float]] = {}
        """Seconds that each goal had, by identity, without success."""

    def unreachable(self, net: Net, goals: Sequence[Goal], seconds: float) -> Iterator[int]:
        """The numbers of the goals that no reachable marking satisfies, as far as is seen."""
        end = time.monotonic() + seconds
        if self._pairs is None or self._pairs.net != net or not self._pairs.tells_apart(goals):
            self._pairs, self._tried = Pairs(net, goals), {}
        if not self._pairs.complete and not self._pairs.grow(seconds / 2):
            return
        for number, goal in enumerate(goals):
            # The first one that is checked takes longest: the others rest on the same.
            share = (end - time.monotonic()) / 2
            if share <= 0.001:
                return
            if self._tried.get(id(goal), (goal, 0.0))[1] >= share:
                continue
            if self._pairs.unreachable(goal, share):
                yield number
            else:
                self._tried[id(goal)] = goal, share


__all__ = ["ENGINE", "ValuePairs"]
