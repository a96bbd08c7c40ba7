"""Siphons and traps: deadlocks and liveness from the arcs of a net alone.

A *siphon* is a set of places such that every event which puts tokens on it takes some from it: once
empty it stays empty. A *trap* is a set such that every event which takes from it puts some back:
once marked it stays marked. In a deadlock of a net whose events each take single tokens, the empty
places are a siphon from which every event takes. If each such siphon has a trap inside that is
marked at first, there is no deadlock (Commoner 1972). In free-choice nets the same condition, for
all siphons, means that the net is live, and conversely (Hack 1972; Desel and Esparza, "Free choice
Petri nets", 1995, theorem 4.21 for the net and its marking).

To look for a siphon *without* a marked trap is a search (the problem is NP-complete): places are
put in and left out, an event that puts tokens inside without taking any demands one of its inputs,
and a set that has a marked trap inside already is given up with all its supersets. The search is
exact: `Found.none` is only said when every set was looked at or given up for a reason.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from plait.model.net import Net
from plait.records import dataclass
from plait.structure.traps import Traps


@dataclass(frozen=True, slots=True)
class Found:
    """What a search for a siphon without a marked trap came to.

    A `siphon`, or `none` if there is none; neither when the time was over.
    """

    siphon: frozenset[int] | None = None
    none: bool = False


def takes_single_tokens(net: Net) -> bool:
    """Whether every event takes single tokens, at least one, and nothing inhibits or resets."""
    return net.ordinary and all(e.pre and all(w == 1 for _, w in e.pre) for e in net.events)


def is_free_choice(net: Net) -> bool:
    """Whether events that share an input share all of them, and all arcs are single.

    Such nets are also called extended free choice.
    """
    if not takes_single_tokens(net) or not all(w == 1 for e in net.events for _, w in e.post):
        return False
    inputs: dict[int, tuple[tuple[int, int], ...]] = {}
    return all(inputs.setdefault(p, e.pre) == e.pre for e in net.events for p, _ in e.pre)


def deadlock_siphon(net: Net, seconds: float) -> Found:
    """A siphon from which every event takes and that may become empty, for all that traps tell.

    Only for nets in which events take single tokens. If there is none, there is no deadlock.
    """
    if not takes_single_tokens(net):
        raise ValueError("an event takes several tokens of a place, or none")
    if not net.events:
        return Found()
    search = _Search(net, seconds)
    return search.run(frozenset(), frozenset(), range(len(net.events)))


def untrapped_siphon(net: Net, seconds: float) -> Found:
    """A siphon without a trap inside that is marked at first; places without arcs do not count."""
    search = _Search(net, seconds)
    outside = {
        p
        for p in range(len(net.places))
        if not search.traps.producers[p] and not search.traps.consumers[p]
    }
    # Each siphon is looked for from its first place on.
    for p in range(len(net.places)):
        if p in outside:
            continue
        found = search.run(frozenset((p,)), frozenset(outside), ())
        if not found.none:
            return found
        outside.add(p)
    return Found(none=True)


def live_free_choice(net: Net, seconds: float) -> bool | None:
    """Whether a free-choice net is live: from everywhere every event can happen again."""
    if not is_free_choice(net):
        raise ValueError("the net is not free choice")
    found = untrapped_siphon(net, seconds)
    return True if found.none else None if found.siphon is None else False


def first_to_die(net: Net) -> frozenset[int]:
    """The events none of which is live if a bounded free-choice net is not live.

    Take a reachable marking from which the set D of dead events grows no more; the others are live
    there. If a live event put tokens on an input of a dead one, all that take from that place were
    dead, for they share their inputs, and it would have no bound. So whoever feeds an event of D is
    in D, and D has all of a strongly connected component that nothing else feeds. Where there is a
    single such component, as in a strongly connected net (Desel and Esparza, theorem 4.31), it is
    known which events those are; else nothing is said.
    """
    from plait.automata.components import components  # with which come all automata

    takers: list[list[int]] = [[] for _ in net.places]
    for number, event in enumerate(net.events):
        for p, _ in event.pre:
            takers[p].append(number)
    after = [sorted({t for p, _ in e.post for t in takers[p]}) for e in net.events]
    every = len(after)
    part: dict[int, int] = {}
    for i, component in enumerate(components([*after, range(every)], start=every)):
        part |= dict.fromkeys(component, i)
    fed = {part[t] for n, ts in enumerate(after) for t in ts if part[t] != part[n]}
    first = [i for i in set(part.values()) - fed if i != part[every]]
    return frozenset(n for n, i in part.items() if [i] == first)


class _Search:
    """A depth-first search for a siphon without a marked trap."""

    def __init__(self, net: Net, seconds: float) -> None:
        self.net = net
        self.traps = Traps(net)
        self.inputs = [tuple(p for p, _ in e.pre) for e in net.events]
        self.end = time.monotonic() + seconds
        self.marked = frozenset(p for p, tokens in enumerate(net.initial) if tokens)

    def run(self, inside: frozenset[int], outside: frozenset[int], must: Sequence[int]) -> Found:
        """A siphon with all of `inside`, nothing of `outside`, that takes part in `must`."""
        stack = [(inside, outside)]
        while stack:
            if time.monotonic() >= self.end:
                return Found()
            inside, outside = stack.pop()
            if inside & self.marked and self.traps.greatest(sorted(inside)) & self.marked:
                continue
            options = self._fewest(inside, outside, must)
            if options is None:
                return Found(siphon=inside)
            # The first option, or not the first but the second, and so on.
            branches = []
            for i, p in enumerate(options):
                branches.append((inside | {p}, outside | frozenset(options[:i])))
            stack.extend(reversed(branches))
        return Found(none=True)

    def _fewest(
        self, inside: frozenset[int], outside: frozenset[int], must: Sequence[int]
    ) -> list[int] | None:
        """The inputs of an event that demands one, of which there are fewest; None if none does."""
        demanding = {t for p in inside for t in self.traps.producers[p]}
        demanding.update(must)
        best: list[int] | None = None
        for t in sorted(demanding):
            if any(p in inside for p in self.inputs[t]):
                continue
            options = [p for p in self.inputs[t] if p not in outside]
            if best is None or len(options) < len(best):
                best = options
            if len(best) <= 1:
                break
        return best


__all__ = [
    "Found",
    "deadlock_siphon",
    "first_to_die",
    "is_free_choice",
    "live_free_choice",
    "takes_single_tokens",
    "untrapped_siphon",
]
