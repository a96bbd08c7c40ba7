"""CTL and LTL on the whole explicit graph, by the reference: small models, any formula.

The graph is built once for all properties of a model and kept while the engine is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plait.engines.budget import Budget, Listener, Progress, peak_memory, resident_memory
from plait.engines.evidence import Evidence
from plait.errors import LimitReached
from plait.model.types import Property
from plait.reference.graph import Graph
from plait.report.answer import Answer, StateSpace

ENGINE = "reference"
STATE_LIMIT = 1_000_000
"""More states than this are not worth trying in plain Python."""
TICK = 256


class GraphEngine:
    """The reference's graph of one model, built when the first property needs it."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._graph: Graph | None = None

    def check(self, p: Property, budget: Budget, listen: Listener | None = None) -> Answer:
        """The answer to a property of any kind."""
        start = budget.elapsed
        try:
            answer = self.evidence.semantics.check(p, graph=self.graph(budget, listen))
        except LimitReached as limit:
            answer = Answer(p, "unknown", ENGINE, reason=limit.reason)
        answer = replace(answer, seconds=budget.elapsed - start, peak_memory_bytes=peak_memory())
        return self.evidence.confirm(answer)

    def states(self, budget: Budget, listen: Listener | None = None) -> StateSpace:
        """The size of the graph."""
        graph = self.graph(budget, listen)
        return StateSpace(
            complete=True,
            reason=None,
            states=len(graph.states),
            arcs=graph.arc_count,
            deadlocks=len(graph.deadlocks),
            max_value=max((v for s in graph.states for v in s), default=None),
            max_sum=max(map(sum, graph.states)),
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
        )

    def graph(self, budget: Budget, listen: Listener | None = None) -> Graph:
        """The reachable graph; `LimitReached` when the budget does not allow it."""
        if self._graph is None:
            limit = min(budget.states or STATE_LIMIT, STATE_LIMIT)
            self._graph = self.evidence.semantics.reachable(limit, _ticker(budget, listen))
        return self._graph


def _ticker(budget: Budget, listen: Listener | None) -> Callable[[int], None]:
    """What the search calls for each state: looks at the budget now and then."""
    calls = 0

    def tick(states: int) -> None:
        nonlocal calls
        calls += 1
        if calls % TICK == 0:
            budget.check()
            if listen is not None:
                memory = resident_memory()
                listen(Progress(ENGINE, states, 0, states - calls, memory, budget.elapsed))

    return tick
