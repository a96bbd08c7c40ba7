"""Nets without bound: a run from a marking to a greater one can be repeated for ever.

In a net without inhibitor and reset arcs more tokens never disable an event. So when events lead
from a reachable marking m to m' with m' >= m and m'(p) > m(p), they can be executed again from m',
and again, and p has no bound (Karp and Miller, "Parallel program schemata", 1969). Walks propose
such runs; here they are executed on the net itself before anything is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.net import Net
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Growth:
    """Events that lead to a marking, events that can be repeated there, and what these add."""

    before: tuple[int, ...]
    repeated: tuple[int, ...]
    gain: dict[int, int]
    """Place to the tokens that each repetition adds."""

    def why(self, net: Net) -> str:
        """What makes the net grow, in words."""
        place = net.places[min(self.gain)].name
        names = [net.events[e].title for e in self.repeated[:5]]
        more = "" if len(self.repeated) <= 5 else f" and {len(self.repeated) - 5} more"
        return f"unbounded: {', '.join(names)}{more} can be repeated for ever and add to {place}"


def growth(net: Net, before: Sequence[int], repeated: Sequence[int]) -> Growth | None:
    """The growth that these events are, if they are one."""
    if not net.ordinary:
        return None
    marking: tuple[int, ...] | None = _after(net, net.initial, before)
    if marking is None:
        return None
    later = _after(net, marking, repeated)
    if later is None or any(b < a for a, b in zip(marking, later, strict=True)):
        return None
    gain = {p: b - a for p, (a, b) in enumerate(zip(marking, later, strict=True)) if b > a}
    return Growth(tuple(before), tuple(repeated), gain) if gain else None


def _after(net: Net, marking: tuple[int, ...], events: Sequence[int]) -> tuple[int, ...] | None:
    """The marking after these events, if they can be executed."""
    cells = list(marking)
    for number in events:
        event = net.events[number]
        if not event.enabled(cells):
            return None
        for p, d in event.change:
            cells[p] += d
    return tuple(cells)
