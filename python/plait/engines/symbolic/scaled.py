"""The figures of a marked graph with many tokens, from those with few.

Numbers of markings are polynomials in the multiple k of the smallest marking
(`plait.structure.marked_graph`): one more value than the degree tells them. The diagrams for these
few tokens are small. That there is one marking with no token at all is left to check the result.
"""

from __future__ import annotations

from collections.abc import Mapping

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.prepared import Prepared
from plait.engines.symbolic.reach import ENGINE, reach
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.net import Net, as_model, as_net
from plait.model.rewritten import Rewritten
from plait.program import compile_model
from plait.records import replace
from plait.report.answer import StateSpace
from plait.structure.marked_graph import MarkedGraph, interpolated, marked_graph

FEWER = 2
"""So many times fewer tokens must be enough."""


def scaled_graph(prepared: Prepared) -> MarkedGraph | None:
    """The marked graph that a model is, where fewer tokens tell of many."""
    net = prepared.rewritten.net or as_net(prepared.rewritten.model)
    if not isinstance(net, Net) or not net.ordinary or not net.places:
        return None
    graph = marked_graph(net)
    return graph if graph is not None and graph.times > FEWER * (graph.dimension + 1) else None


def scaled_space(
    prepared: Prepared,
    graph: MarkedGraph,
    tuning: Tuning,
    budget: Budget,
    listen: Listener | None,
) -> StateSpace | None:
    """The whole state space of a model that is a marked graph.

    None when the budget is too small, and where a place has more tokens than the model can count.
    An interrupt is raised.
    """
    few: list[Mapping[str, int]] = []
    try:
        for times in range(1, graph.dimension + 2):
            budget.check()
            if few and few[0]["max_value"] * graph.times > INT_MAX:
                return None
            few.append(_figures(graph, times, tuning, budget, listen))
    except (_core.StoppedError, LimitReached) as stop:
        if "interrupted" in stop.args:
            raise
        return None
    if interpolated([f["states"] for f in few], 0) != 1:
        raise AssertionError("a marked graph without tokens has one marking")
    # Cells that the passes removed are constants.
    first = prepared.compiled.program.initial()
    lifted = prepared.lift(first)

    def at_once(name: str) -> int:
        return interpolated([figures[name] for figures in few], graph.times)

    return StateSpace(
        complete=True,
        reason=None,
        states=at_once("states"),
        arcs=at_once("arcs"),
        deadlocks=at_once("deadlocks"),
        max_value=max(few[0]["max_value"] * graph.times, *lifted),
        max_sum=few[0]["max_sum"] * graph.times + sum(lifted) - sum(first),
        engine=ENGINE,
        seconds=budget.elapsed,
        peak_memory_bytes=peak_memory(),
        stats={"tokens_scaled_by": graph.times, "polynomial_degree": graph.dimension},
    )


def _figures(
    graph: MarkedGraph, times: int, tuning: Tuning, budget: Budget, listen: Listener | None
) -> Mapping[str, int]:
    """What is to be known of the graph with so many times the smallest marking."""
    places = tuple(
        replace(place, initial=place.initial // graph.times * times) for place in graph.net.places
    )
    net = replace(graph.net, places=places)
    model = as_model(net)
    prepared = Prepared(model, Rewritten(model, net=net), compile_model(model))
    core = reach(prepared, tuning, budget, listen).core
    sums = core.sum_bounds()
    assert sums is not None, "a net has a greatest sum"
    return {
        "states": core.count(),
        "arcs": core.arcs(),
        "deadlocks": core.count_deadlocks(),
        "max_value": max(high for _, high in core.cell_bounds()),
        "max_sum": sums[1],
    }


__all__ = ["scaled_graph", "scaled_space"]
