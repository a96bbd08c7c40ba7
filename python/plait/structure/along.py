"""The truth of a goal in each marking of a run, kept up by what changes.

A run of a net changes a few places at a step, and a goal may have thousands of inequalities: that
one of many events can happen is a disjunction of what each of them needs. Only inequalities about
places that changed are looked at again, and only what they belong to. Each part of the goal knows
how many of its parts are true.

Invariant: after each marking the value of every part is the one that `linear.holds` gives it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from plait.structure.linear import Atom, Goal

Marking = Sequence[int]


def changes(markings: Sequence[Marking]) -> list[list[int]]:
    """The places that differ from the marking before, for each marking but the first."""
    return [
        [place for place, (old, new) in enumerate(zip(a, b, strict=True)) if old != new]
        for a, b in pairwise(markings)
    ]


def truths(
    goal: Goal, markings: Sequence[Marking], changed: Sequence[Sequence[int]]
) -> Iterator[bool]:
    """Whether each marking satisfies the goal; `changed` is what `changes` says of them."""
    watched = _Watched(goal, markings[0])
    yield watched.value
    for marking, places in zip(markings[1:], changed, strict=True):
        watched.move(marking, places)
        yield watched.value


class _Watched:
    """The values of all parts of a goal in one marking."""

    def __init__(self, goal: Goal, marking: Marking) -> None:
        self._parts = _from_below(goal)
        number = {id(part): i for i, part in enumerate(self._parts)}
        self._owners: list[list[int]] = [[] for _ in self._parts]
        self._watching: dict[int, list[int]] = defaultdict(list)
        self._true = [0] * len(self._parts)
        """How many parts of each part are true."""
        self._values: list[bool] = []
        for i, part in enumerate(self._parts):
            if isinstance(part, Atom):
                for place, _ in part.coefficients:
                    self._watching[place].append(i)
            else:
                below = [number[id(p)] for p in part.parts]
                for b in below:
                    self._owners[b].append(i)
                self._true[i] = sum(self._values[b] for b in below)
            self._values.append(self._holds(i, marking))

    @property
    def value(self) -> bool:
        """Whether the goal holds; it is the last of its parts."""
        return self._values[-1]

    def move(self, marking: Marking, places: Sequence[int]) -> None:
        """Go on to a marking that differs in these places only."""
        waiting = [i for place in places for i in self._watching.get(place, ())]
        while waiting:
            i = waiting.pop()
            value = self._holds(i, marking)
            if value == self._values[i]:
                continue
            self._values[i] = value
            for owner in self._owners[i]:
                self._true[owner] += 1 if value else -1
                waiting.append(owner)

    def _holds(self, number: int, marking: Marking) -> bool:
        part = self._parts[number]
        if isinstance(part, Atom):
            return part.holds(marking)
        count = self._true[number]
        return count == len(part.parts) if part.every else count > 0


def _from_below(goal: Goal) -> list[Goal]:
    """All parts of a goal, each once and after its own parts."""
    found: list[Goal] = []
    seen: set[int] = set()
    stack: list[tuple[Goal, bool]] = [(goal, False)]
    while stack:
        part, expanded = stack.pop()
        if expanded:
            found.append(part)
        elif id(part) not in seen:
            seen.add(id(part))
            stack.append((part, True))
            if not isinstance(part, Atom):
                stack.extend((p, False) for p in part.parts)
    return found


__all__ = ["changes", "truths"]
