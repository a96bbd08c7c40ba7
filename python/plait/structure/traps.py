"""Traps that a solution of the state equation leaves empty.

The state equation forgets the order of events, and so allows markings in which a trap that was
marked has lost all its tokens. The greatest trap inside a set of places is found by throwing out
places: one from which an event takes without putting anything back on those that are left. If it is
marked at first, the marking is none of the net, and the trap's inequality excludes it from then on
(Esparza and Melzer, "Verification of safety properties using integer programming", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.net import Net
from plait.structure.certificate import is_marked_trap
from plait.structure.linear import Atom


class Traps:
    """The arcs of one net, laid out for finding traps."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.producers: list[list[int]] = [[] for _ in net.places]
        self.consumers: list[list[int]] = [[] for _ in net.places]
        for number, event in enumerate(net.events):
            for p, _ in event.post:
                self.producers[p].append(number)
            for p, _ in event.pre:
                self.consumers[p].append(number)

    def greatest(self, places: Sequence[int]) -> set[int]:
        """The greatest trap inside a set of places; it may be empty."""
        inside = set(places)
        puts: dict[int, int] = {}
        for p in inside:
            for t in self.producers[p]:
                puts[t] = puts.get(t, 0) + 1
        gone = [p for p in inside if any(not puts.get(t) for t in self.consumers[p])]
        while gone:
            p = gone.pop()
            if p not in inside:
                continue
            inside.discard(p)
            for t in self.producers[p]:
                puts[t] -= 1
                if not puts[t]:
                    gone.extend(q for q, _ in self.net.events[t].pre if q in inside)
        return inside

    def excluding(self, marking: Sequence[float]) -> Atom | None:
        """An inequality that all reachable markings satisfy and this one does not, from a trap."""
        empty = [p for p, tokens in enumerate(marking) if tokens < 1e-6]
        trap = self.greatest(empty)
        if not trap or not is_marked_trap(self.net, trap):
            return None
        return Atom(tuple((p, 1) for p in sorted(trap)), 1)
