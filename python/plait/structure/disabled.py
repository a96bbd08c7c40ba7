"""The markings that enable no event, as disjoint boxes: each place has at least so many tokens, and
fewer than so many.

An event is disabled where one of its places has fewer tokens than it needs, so that a marking is a
deadlock is a conjunction of clauses, one an event, each a disjunction of `m(p) < w`. Cases are made
by splitting as in the procedure of Davis, Putnam, Logemann and Loveland (1960, 1962): a clause with
one disjunct left limits its place, and where none has, a place is taken to have fewer than it takes
or at least as many.

Invariant: the boxes are disjoint, and together they are all markings that enable none of the
events. There may be exponentially many: who asks must stop asking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

Needs = Sequence[tuple[int, int]]
"""The places of an event, each with what it takes to enable the event."""
Box = tuple[dict[int, int], dict[int, int]]
"""The least number of tokens of some places, and the number below which others stay."""


def disabling(events: Sequence[Needs]) -> Iterator[Box]:
    """Disjoint boxes with all markings where each event has a place with too few tokens."""
    smallest = {frozenset(needs) for needs in events}
    clauses = sorted((sorted(clause) for clause in smallest), key=lambda c: (len(c), c))
    waiting: list[tuple[list[list[tuple[int, int]]], Box]] = [(clauses, ({}, {}))]
    while waiting:
        left, (least, below) = waiting.pop()
        left, possible = _limited(left, least, below)
        if not possible:
            continue
        if not left:
            yield least, below
            continue
        asked = Counter(literal for clause in left for literal in clause)
        (place, weight), _ = max(asked.items(), key=lambda item: (item[1], item[0]))
        waiting.append((left, ({**least, place: weight}, dict(below))))
        waiting.append((left, (dict(least), {**below, place: weight})))


def _limited(
    clauses: list[list[tuple[int, int]]], least: Mapping[int, int], below: dict[int, int]
) -> tuple[list[list[tuple[int, int]]], bool]:
    """The clauses that are open in a box, which those with one disjunct make smaller; and whether
    there is anything in it."""
    again = True
    while again:
        again = False
        still: list[list[tuple[int, int]]] = []
        for clause in clauses:
            if any(below.get(p, w + 1) <= w for p, w in clause):
                continue
            open_ones = [(p, w) for p, w in clause if least.get(p, 0) < w]
            if not open_ones:
                return [], False
            if len(open_ones) == 1:
                ((place, weight),) = open_ones
                below[place] = weight  # that it was not this small is why the clause is open
                again = True
            else:
                still.append(open_ones)
        clauses = still
    return clauses, True


__all__ = ["Box", "Needs", "disabling"]
