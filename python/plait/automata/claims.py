"""Büchi automata that were read from a text, as never claims.

A text may have several acceptance sets, on states or on arcs; a never claim has one, on locations.
So the locations are copied: in copy `i` the automaton waits for an arc of set `i`, and after the
last set it begins again in an accepting copy of its own. (This is the usual degeneralisation;
several sets that one arc belongs to are passed at once.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from plait.errors import Span, error
from plait.logic.formula import NeverClaim
from plait.model.expr import FALSE, Formula
from plait.records import dataclass

MOST_LOCATIONS = 1_000_000
"""Locations of a claim that we try to make."""


Location = tuple[int | None, int, bool]
"""A state (or none, before the first), a copy, and whether all sets have just been met."""


@dataclass(frozen=True, slots=True)
class GuardedArc:
    """An arc that may be taken where its guard holds, and the acceptance sets it belongs to."""

    guard: Formula
    target: int
    marks: int = 0


def claim_of(
    starts: Sequence[int],
    arcs: Mapping[int, Sequence[GuardedArc]],
    sets: int,
    span: Span | None = None,
) -> NeverClaim:
    """The claim that accepts what the generalised Büchi automaton accepts.

    It begins in one of `starts`, and is to take an arc of each of the sets again and again.
    """
    marks = {(a.marks, s) for s, row in arcs.items() for a in row}
    if sets == 1 and len({s for _, s in marks}) == len(marks):
        return _by_states(starts, arcs, {s for m, s in marks if m})
    if not sets:
        return _by_states(starts, arcs, {s for _, s in marks})
    return _copied(starts, arcs, sets, span)


def _by_states(
    starts: Sequence[int], arcs: Mapping[int, Sequence[GuardedArc]], accepting: Iterable[int]
) -> NeverClaim:
    """All arcs that leave a location belong to the set, or none."""
    numbers: dict[int | None, int] = {}
    first: int | None = starts[0] if len(starts) == 1 else None
    numbers[first] = 0
    queue: list[int | None] = [first]
    pairs: list[tuple[int, int]] = []
    guards: list[Formula] = []
    for at in queue:
        for source in starts if at is None else (at,):
            for arc in arcs.get(source, ()):
                if arc.target not in numbers:
                    numbers[arc.target] = len(numbers)
                    queue.append(arc.target)
                pairs.append((numbers[at], numbers[arc.target]))
                guards.append(arc.guard)
    found = frozenset(numbers[s] for s in accepting if s in numbers)
    return NeverClaim(tuple(pairs), tuple(guards), found, FALSE)


def _copied(
    starts: Sequence[int],
    arcs: Mapping[int, Sequence[GuardedArc]],
    sets: int,
    span: Span | None,
) -> NeverClaim:
    first: Location = (None, 0, False)
    numbers: dict[Location, int] = {first: 0}
    queue = [first]
    pairs: list[tuple[int, int]] = []
    guards: list[Formula] = []
    for here in queue:
        at, copy, _ = here
        for source in starts if at is None else (at,):
            for arc in arcs.get(source, ()):
                level = copy
                while level < sets and arc.marks >> level & 1:
                    level += 1
                passed = level == sets
                target: Location = (arc.target, 0 if passed else level, passed)
                if target not in numbers:
                    if len(numbers) >= MOST_LOCATIONS:
                        raise error("an automaton with too many states and acceptance sets", span)
                    numbers[target] = len(numbers)
                    queue.append(target)
                pairs.append((numbers[here], numbers[target]))
                guards.append(arc.guard)
    accepting = frozenset(n for (_, _, passed), n in numbers.items() if passed)
    return NeverClaim(tuple(pairs), tuple(guards), accepting, FALSE)
