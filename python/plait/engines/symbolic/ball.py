"""The states within some steps, on diagrams: bounded exploration that tells when it is whole.

Layer by layer, the states one step away that are new. After k layers the set is exactly what k
steps can reach; a layer without a new state shows that there are no others, whatever k was, and the
number of layers before it is the depth of the state space. So a depth that is large enough gives a
complete result, and one that is too small the exact number for itself.
"""

from __future__ import annotations

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.prepared import Prepared
from plait.engines.stopped import stopped_space
from plait.engines.symbolic.attempts import candidates, order_asked_for
from plait.engines.symbolic.orders import Orders
from plait.engines.symbolic.reach import ENGINE, Diagrams
from plait.engines.symbolic.tuning import Tuning
from plait.model.rewritten import flat_type
from plait.report.answer import StateSpace


def ball(
    prepared: Prepared,
    depth: int,
    tuning: Tuning,
    budget: Budget,
    listen: Listener | None = None,
) -> StateSpace:
    """The states that at most `depth` steps lead to.

    It is complete when no step leads out of them; the statistics then have the depth at which that
    was so, and else the one that was asked for. What a limit ends has the layers that were whole.
    """
    rewritten = prepared.rewritten
    if tuning.order == "auto":
        order = next(candidates(Orders(rewritten.model, rewritten.net), tuning.merge, budget))
    else:
        order = order_asked_for(tuning, prepared.model, rewritten)
    diagrams = Diagrams(prepared, order, tuning, listen)
    diagrams.limit(budget)
    core = diagrams.core
    free = [n for n, event in enumerate(flat_type(rewritten.model).events) if event.label is None]
    reached, reason, layers = 0, "depth", 0
    try:
        visited = frontier = core.initial()
        reached = core.count(visited)
        while frontier:
            if listen is not None:
                listen(Progress(ENGINE, states=reached, depth=layers, seconds=budget.elapsed))
            frontier = core.difference(core.image(frontier, free), visited)
            if not frontier or layers == depth:
                break
            visited = core.union(visited, frontier)
            reached = core.count(visited)
            layers += 1
        complete = not frontier
    except _core.StoppedError as stop:
        complete, reason = False, stop.args[0]
        if not reached:
            return stopped_space(ENGINE, reason, budget)
    except _core.ProgramError as failure:
        raise prepared.located(failure) from None
    return StateSpace(
        complete=complete,
        reason=None if complete else reason,
        states=reached,
        engine=ENGINE,
        seconds=budget.elapsed,
        peak_memory_bytes=peak_memory(),
        stats={
            "strategy": "bfs",
            "order": order.name,
            "levels": len(order.levels),
            "depth": layers,
        },
        notes=prepared.undefined(core.undefined()),
    )


__all__ = ["ball"]
