"""Regions: sets of reachable states to count, to list, and to find ways into.

The reachable states are computed once, as a diagram; a region is a part of them: where a property
is decided, what can be reached inside a constraint, what can be reached from some states. All of it
is set operations, so a region may be as large as any state space.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from plait import _core
from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.prepared import KINDS, Prepared, prepare
from plait.engines.symbolic.reach import reach
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached, PlaitError, error
from plait.model.shape import State
from plait.model.types import Model, Property
from plait.records import dataclass
from plait.report.answer import Witness

_T = TypeVar("_T")


class Regions:
    """The reachable states of a model, and where some properties are decided in them.

    `LimitReached` says that the budget was too small, here and in all that regions are asked.
    """

    def __init__(
        self,
        model: Model,
        properties: Sequence[Property] = (),
        *,
        budget: Budget | None = None,
        tuning: Tuning | None = None,
        listen: Listener | None = None,
    ) -> None:
        for p in properties:
            if p.kind not in KINDS or p.kind == "bounds":
                raise error(f"a set of states is asked for, and '{p.name}' is {p.kind}", p.span)
        self.evidence = Evidence(model)
        self.prepared: Prepared = prepare(model, properties, budget)
        found = within_limits(
            lambda: reach(self.prepared, tuning or Tuning(), budget or Budget(), listen)
        )
        self.core: _core.Symbolic = found.core
        self.stats = found.stats
        self.all = self.region(lambda: found.reached)

    def where(self, number: int) -> Region:
        """The states that decide a property, by its number: those of `reachable` and `never` where
        the condition is true, those of `invariant` where it is not, deadlocks."""
        p = self.prepared.properties[number]
        if p.kind == "deadlock":
            return self.region(self.core.deadlocks)
        program, goal = self.prepared.compiled.program, self.prepared.goal(p)
        return self.region(lambda: self.core.select(program, self.all.states, goal))

    def initial(self) -> Region:
        """The initial state alone."""
        return self.region(self.core.initial)

    def edges(self) -> int:
        """How many pairs of a reachable state and a successor there are.

        These are the edges of the graph; its arcs, which `plait states` counts, also have a title.
        """
        return within_limits(self.core.successor_pairs)

    def closure(self, start: Region, within: Region) -> Region:
        """What can be reached from states of `start` by steps that never leave `within`."""
        first = start & within
        return self.region(lambda: self.core.eventually(within.states, first.states, forward=True))

    def explored(self, start: int | None = None, constraint: int | None = None) -> Region:
        """The states that exploration finds inside a constraint, from some reachable states.

        Both are numbers of properties. Without `start` it begins in the initial state; without
        `constraint` it goes everywhere.
        """
        first = self.initial() if start is None else self.where(start)
        within = self.all if constraint is None else self.where(constraint)
        return self.closure(first, within)

    def region(self, compute: Callable[[], _core.StateSet]) -> Region:
        """The region that a computation on the diagrams gives."""
        return Region(self, within_limits(compute))


@dataclass(frozen=True, slots=True)
class Region:
    """Some of the reachable states; `|`, `&` and `-` as for Python's sets."""

    owner: Regions
    states: _core.StateSet

    def __or__(self, other: Region) -> Region:
        return self.owner.region(lambda: self.owner.core.union(self.states, other.states))

    def __and__(self, other: Region) -> Region:
        return self.owner.region(lambda: self.owner.core.intersection(self.states, other.states))

    def __sub__(self, other: Region) -> Region:
        return self.owner.region(lambda: self.owner.core.difference(self.states, other.states))

    def __bool__(self) -> bool:
        return bool(self.states)

    def __repr__(self) -> str:
        try:
            count = self.count()
        except PlaitError:  # the limits are used up
            return "<Region>"
        return f"<Region {count} state{'' if count == 1 else 's'}>"

    def count(self) -> int:
        """How many states."""
        return within_limits(lambda: self.owner.core.count(self.states))

    def some(self, limit: int) -> list[State]:
        """Some of the states, at most so many, as states of the model."""
        found = within_limits(lambda: self.owner.core.pick(self.states, limit))
        return [self.owner.prepared.lift(state) for state in found]

    def traces(self, limit: int) -> list[Witness]:
        """Shortest traces from the initial state into the region, no two the same, at most so many.

        Each is replayed on the model (`ReplayError` would be an error of ours).
        """
        found = within_limits(lambda: self.owner.core.traces(self.states, limit))
        evidence, witnesses = self.owner.evidence, []
        for trace in found:
            witness = self.owner.prepared.witness(trace)
            evidence.semantics.replay(witness)
            witnesses.append(evidence.annotate(witness))
        return witnesses


def within_limits(compute: Callable[[], _T]) -> _T:
    """What a computation on diagrams gives; `LimitReached` when the budget was too small for it."""
    try:
        return compute()
    except _core.StoppedError as stop:
        raise LimitReached(stop.args[0]) from None


__all__ = ["Region", "Regions", "within_limits"]
