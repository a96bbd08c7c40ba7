"""The state class graph of a time Petri net: dense time, finitely many classes of states.

A class is a marking and a *firing domain*: when each enabled transition may fire, counted from now,
as a system of inequalities `low <= x <= high` and `x - y <= c`. A transition can fire first where
the domain meets `x <= y` for all others; then its time is subtracted from those that stay enabled,
and those that become enabled get their intervals. Systems with the same solutions have the same
closed form, so that classes are compared by it (Berthomieu, Menasche: "An enumerative approach for
analyzing time Petri nets", 1983; Berthomieu, Diaz, 1991).

The graph has the markings and the firing sequences of the net in dense time. A transition stays
enabled in the sense of the intermediate marking, as in Tina and Romeo. It is the oracle for what
discrete time finds (`plait.time.encoding`).

Invariant: a domain is closed: no inequality follows from others with a smaller bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from plait.engines.budget import Budget
from plait.errors import LimitReached, error
from plait.records import dataclass
from plait.time.net import TimedEvent, TimedNet, Way

Marking = tuple[int, ...]
Bound = float
"""An integer, or infinite."""
Matrix = tuple[tuple[Bound, ...], ...]
"""At `[i][j]` the bound of the difference of the i-th and the j-th time; the first time is 0."""
LIMIT = 10_000_000
"""The most classes."""


@dataclass(frozen=True, slots=True)
class StateClass:
    """A marking, the transitions that it enables, and when they may fire."""

    marking: Marking
    enabled: tuple[int, ...]
    domain: Matrix


@dataclass(frozen=True, slots=True)
class ClassGraph:
    """Classes, and for each the transitions that fire and the numbers of the classes after them."""

    classes: list[StateClass]
    arcs: list[list[tuple[int, int]]]

    @property
    def arc_count(self) -> int:
        """How many arcs there are."""
        return sum(map(len, self.arcs))

    @property
    def markings(self) -> set[Marking]:
        """The reachable markings."""
        return {c.marking for c in self.classes}

    @property
    def dead(self) -> int:
        """How many classes nothing leads out of."""
        return sum(not arcs for arcs in self.arcs)


def class_graph(net: TimedNet, budget: Budget | None = None) -> ClassGraph:
    """All classes, breadth first; `LimitReached` where the budget ends."""
    if net.priorities:
        raise error(
            "state classes are not exact where transitions have priorities",
            net.span,
            hint="discrete time is: plait states, plait check",
        )
    budget = budget or Budget()
    explorer = _Explorer(net)
    first = explorer.initial()
    numbers = {first: 0}
    classes, arcs = [first], list[list[tuple[int, int]]]()
    while len(arcs) < len(classes):
        if len(arcs) % 64 == 0:
            budget.check()
        found: list[tuple[int, int]] = []
        for event, after in explorer.successors(classes[len(arcs)]):
            number = numbers.setdefault(after, len(classes))
            if number == len(classes):
                if number >= LIMIT:
                    raise LimitReached("states")
                classes.append(after)
            found.append((event, number))
        arcs.append(found)
    return ClassGraph(classes, arcs)


class _Explorer:
    def __init__(self, net: TimedNet) -> None:
        self._net = net
        self._ways = [event.ways() for event in net.events]

    def initial(self) -> StateClass:
        marking = tuple(place.initial for place in self._net.places)
        enabled = self._enabled(marking)
        return StateClass(marking, enabled, self._domain(enabled, {}, ()))

    def _enabled(self, marking: Marking) -> tuple[int, ...]:
        events = enumerate(zip(self._net.events, self._ways, strict=True))
        return tuple(
            number
            for number, (event, ways) in events
            if any(_allows(event, way, marking) for way in ways)
        )

    def successors(self, state: StateClass) -> list[tuple[int, StateClass]]:
        """What can fire, and the class after it."""
        found: list[tuple[int, StateClass]] = []
        for at, event in enumerate(state.enabled, start=1):
            first = _first(state.domain, at)
            if first is None:
                continue
            for way in self._ways[event]:
                if _allows(self._net.events[event], way, state.marking):
                    after = self._fired(state, first, at, event, way)
                    if (event, after) not in found:
                        found.append((event, after))
        return found

    def _fired(
        self, state: StateClass, first: Sequence[Sequence[Bound]], at: int, event: int, way: Way
    ) -> StateClass:
        marking = list(state.marking)
        for place, tokens in way.taken.items():
            marking[place] -= tokens
        for place in self._net.events[event].emptied:
            marking[place] = 0
        between = set(self._enabled(tuple(marking)))
        for place, tokens in way.put.items():
            marking[place] += tokens
        enabled = self._enabled(tuple(marking))
        kept = {e for e in enabled if e in state.enabled and e in between and e != event}
        positions = {e: i for i, e in enumerate(state.enabled, start=1) if e in kept}
        shifted: list[list[Bound]] = [
            [first[i][j] for j in range(len(first))] for i in range(len(first))
        ]
        for i in positions.values():
            shifted[i][0], shifted[0][i] = first[i][at], first[at][i]
        return StateClass(tuple(marking), enabled, self._domain(enabled, positions, shifted))

    def _domain(
        self, enabled: Sequence[int], kept: dict[int, int], old: Sequence[Sequence[Bound]]
    ) -> Matrix:
        """The domain of transitions of which some keep their inequalities from an old one."""
        size = len(enabled) + 1
        new = [[0 if i == j else inf for j in range(size)] for i in range(size)]
        places = [0, *(kept.get(event, -1) for event in enabled)]
        for i, event in enumerate(enabled, start=1):
            if event in kept:
                continue
            interval = self._net.events[event].interval
            new[i][0] = inf if interval.latest is None else interval.latest
            new[0][i] = -interval.earliest
        for i, one in enumerate(places):
            for j, other in enumerate(places):
                if i != j and one >= 0 and other >= 0 and (one or other):
                    new[i][j] = old[one][other]
        _close(new)
        return tuple(map(tuple, new))


def _allows(event: TimedEvent, way: Way, marking: Marking) -> bool:
    enough = all(marking[p] >= n for p, n in way.tested.items())
    return enough and all(marking[p] < n for p, n in event.inhibitors.items())


def _first(domain: Matrix, at: int) -> list[list[Bound]] | None:
    """The domain where this transition fires first; none where it cannot."""
    found = [list(row) for row in domain]
    for i in range(1, len(found)):
        found[at][i] = min(found[at][i], 0)
    return found if _close(found) else None


def _close(matrix: list[list[Bound]]) -> bool:
    """Make all bounds as small as the others allow; false where nothing satisfies them."""
    size = range(len(matrix))
    for k in size:
        through = matrix[k]
        for row in matrix:
            if (to := row[k]) != inf:
                for j in size:
                    if (bound := to + through[j]) < row[j]:
                        row[j] = bound
    return all(matrix[i][i] >= 0 for i in size)


__all__ = ["ClassGraph", "StateClass", "class_graph"]
