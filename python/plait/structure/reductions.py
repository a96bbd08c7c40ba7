"""Structural reductions of a net: smaller nets that keep one answer, and the way back.

`reduce` applies the rules of `rules` and `agglomeration` until none applies or the time is over;
each application is sound by itself, so it may end anywhere. What is kept depends on what is asked
(`Keeps`):

- `markings`: the reachable markings of the observed places (reachability, invariants, bounds);
- `deadlocks`: whether a deadlock can be reached;
- `steps`: all but the events' names. Markings that agree on the places that are left are bisimilar;
  so CTL* about observed places is kept, X included;
- `paths`: the paths up to repetition, endless repetition included (a stuttering bisimulation that
  is sensitive to divergence, where a deadlock repeats for ever): CTL* without X, on maximal paths;
- `moves`: the same, but not whether a marking can be repeated for ever: CTL without X in which only
  `E U` and `A W` occur, and what they stand for (`E F`, `E M`, `A G`, `A R`).

A trace of the reduced net becomes one of the net by `Reduced.expand`.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from plait.model.net import Net, NetEvent
from plait.records import dataclass
from plait.structure import rules
from plait.structure.agglomeration import agglomerate
from plait.structure.draft import Draft, Trail

Keeps = Literal["markings", "deadlocks", "steps", "paths", "moves"]
"""What a reduced net has in common with the net; see above."""
LONGEST = 1_000_000
"""Events of an expanded trace; a longer one is not written out."""


class TooLong(Exception):  # noqa: N818 - a way out, not a failure
    """The trace of the net would have too many events."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """A reduced net, and how its events and places belong to the original."""

    original: Net
    net: Net
    places: tuple[int, ...]
    """The number that each place has in the original."""
    trails: tuple[Trail, ...]
    """What each event stands for."""
    prefix: tuple[Trail, ...]
    finish: tuple[tuple[Trail, ...], ...]

    def expand(self, events: Sequence[int], deadlock: bool = False) -> list[int]:
        """A sequence of events of the reduced net as one of the original.

        `TooLong` when it has more than `LONGEST`. With `deadlock` the sequence is continued from a
        deadlock of the reduced net to one of the original.
        """
        found: list[int] = []
        for trail in (*self.prefix, *(self.trails[e] for e in events)):
            for event in trail.events():
                found.append(event)
                if len(found) > LONGEST:
                    raise TooLong
        if deadlock:
            marking = [*self.original.initial]
            for event in found:
                _fire(self.original.events[event], marking)
            for event in self.finishing(marking):
                found.append(event)
                if len(found) > LONGEST:
                    raise TooLong
        return found

    def finishing(self, marking: Sequence[int]) -> Iterator[int]:
        """What leads from a marking that is a deadlock of the reduced net to one of the net.

        `TooLong` when more than `LONGEST` events had to be tried.
        """
        now, tries = [*marking], iter(range(LONGEST))
        for trails in reversed(self.finish):
            for trail in trails:
                while (after := self._execute(trail, now, tries)) is not None:
                    yield from trail.events()
                    now = after

    def _execute(
        self, trail: Trail, marking: Sequence[int], tries: Iterator[int]
    ) -> list[int] | None:
        """The marking after a trail, if all of it can be executed.

        A trail of a few pairs may stand for 2^30 events, so what is tried is counted here and not
        only where it is told.
        """
        after = [*marking]
        for number in trail.events():
            if next(tries, None) is None:
                raise TooLong
            event = self.original.events[number]
            if not event.enabled(after):
                return None
            _fire(event, after)
        return after


def _fire(event: NetEvent, marking: list[int]) -> None:
    """Execute an event of an ordinary net where it stands: a marking may be much wider than it."""
    for p, w in event.pre:
        marking[p] -= w
    for p, w in event.post:
        marking[p] += w


def reduce(
    net: Net, observed: Collection[int], *, keeps: Keeps = "markings", seconds: float = 60.0
) -> Reduced:
    """The net reduced, with what is to be kept; for deadlocks no place is observed."""
    if not net.ordinary:
        raise ValueError("inhibitor and reset arcs are not reduced")
    end = time.monotonic() + seconds
    draft = Draft.of(net)
    most = max(len(net.events), 100)
    observed = frozenset() if keeps == "deadlocks" else frozenset(observed)

    def applied() -> Iterator[bool]:
        """Each rule in turn: whether it changed something."""
        yield rules.dead_events(draft)
        yield rules.constant_tests(draft)
        if keeps == "markings":
            yield rules.useless_events(draft, observed)
        if keeps == "moves":
            yield rules.idle_events(draft)
        yield rules.free_places(draft, observed)
        if keeps in ("markings", "moves"):
            yield rules.slice_off(draft, observed)
        yield rules.dominated_events(draft)
        yield rules.implicit_places(draft, observed)
        if keeps in ("markings", "deadlocks"):
            yield agglomerate(draft, observed, keeps, most)
        elif keeps != "steps":
            yield agglomerate(draft, observed, "paths", most)

    changed = True
    while changed:
        changed = False
        for change in applied():
            changed |= change
            if time.monotonic() >= end:
                changed = False
                break
    return Reduced(
        net,
        draft.net(net),
        tuple(sorted(draft.initial)),
        tuple(e.trail for _, e in sorted(draft.events.items())),
        tuple(draft.prefix),
        tuple(draft.finish),
    )


def unreduced(net: Net) -> Reduced:
    """The net as it is."""
    trails = tuple(Trail(number) for number in range(len(net.events)))
    return Reduced(net, net, tuple(range(len(net.places))), trails, (), ())
