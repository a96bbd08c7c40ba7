"""The size of a state space: all of it, or what lies within some steps."""

from __future__ import annotations

from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import SYMBOLIC
from plait.engines.request import Request, check_order
from plait.engines.search import Search
from plait.engines.stopped import stopped_space
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached, error
from plait.hints import TYPE_CHECKING
from plait.model.ghosts import ghosts
from plait.records import replace
from plait.report.answer import StateSpace

if TYPE_CHECKING:
    from plait.model.types import Model


def count(model: Model, request: Request) -> StateSpace:
    """The states, arcs and deadlocks; not complete when time or memory runs out."""
    check_order(model, request.tuning)
    if request.depth is not None:
        _check_depth(request)
    if ghosts(model):
        from plait.engines.chosen_paths import without_ghosts

        model = without_ghosts(model)
    if model.begins is not None:
        depth = None if request.depth is None else request.depth + 1
        return _without_beginning(
            _counted(replace(model, begins=None), replace(request, depth=depth))
        )
    return _counted(model, request)


def _counted(model: Model, request: Request) -> StateSpace:
    """The states of a model as it is."""
    budget = request.budget
    try:
        if request.engine == "reference":
            from plait.engines.evidence import Evidence
            from plait.engines.explicit.graph import GraphEngine

            return GraphEngine(Evidence(model), budget, request.listen).states()
        if request.depth is not None:
            from plait.engines.prepared import prepare
            from plait.engines.symbolic.ball import ball

            ready = prepare(model, budget=budget)
            return ball(ready, request.depth, request.tuning or Tuning(), budget, request.listen)
        return Search(model, request).states()
    except LimitReached as limit:
        if limit.reason not in ("timeout", "memory"):
            raise
        return stopped_space(request.engine, limit.reason, budget)


def _without_beginning(space: StateSpace) -> StateSpace:
    """The states without the one that only chooses where to begin, whose arcs are not counted.

    In all others the variable that tells them apart is 1. That is known to be the greatest value of
    another variable too where the others have a sum above 0.
    """
    stats = dict(space.stats)
    if isinstance(depth := stats.get("depth"), int):
        stats["depth"] = max(0, depth - 1)
    space = replace(space, arcs=None, stats=stats)
    if space.states == 1:
        deadlocks = 0 if space.deadlocks else space.deadlocks
        return replace(space, states=0, deadlocks=deadlocks, max_value=None, max_sum=None)
    total = None if space.max_sum is None else space.max_sum - 1
    greatest = space.max_value
    if greatest is not None and greatest <= 1 and (total is None or total <= 0):
        greatest = None
    states = None if space.states is None else space.states - 1
    return replace(space, states=states, max_value=greatest, max_sum=total)


def _check_depth(request: Request) -> None:
    """Refuse what the states within some steps are not counted with."""
    tuning, method = request.tuning or Tuning(), request.method or Method()
    plain = replace(tuning, order="auto", merge="auto", strict=None, locals="on-the-fly").plain
    searched = replace(method, all_memory=False) != Method()
    reduced = request.reduction not in (None, Reduction())
    if request.engine not in ("auto", SYMBOLIC) or searched or reduced:
        raise error("states within some steps are counted by the symbolic engine only")
    if not plain:
        raise error("states within some steps are counted layer by layer, in no other strategy")


__all__ = ["count"]
