"""CTL: which engine answers a branching-time question.

Where the graph is small the reference does, since it shows witnesses; where it is not, diagrams do,
and what they cannot answer within their share goes to the reference again, with all that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait.engines import symbolic
from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.graph import GraphEngine
from plait.engines.symbolic import Symbolic, Tuning
from plait.errors import LimitReached
from plait.model.expr import Formula
from plait.model.types import Property
from plait.report.answer import Answer

SMALL_GRAPH = 3_000
"""The states of a graph that is built in Python before diagrams are tried."""


@dataclass(frozen=True, slots=True)
class Branching:
    """CTL properties of one model, for an engine that is `auto` or `symbolic`."""

    evidence: Evidence
    engine: str
    budget: Budget
    tuning: Tuning | None = None
    listen: Listener | None = None
    fair: Sequence[Formula] = ()
    """Only paths on which each of these conditions holds again and again count."""
    infinite: bool = False
    """Only infinite paths count, none that ends in a deadlock."""

    def check(self, properties: Sequence[Property]) -> list[Answer]:
        """The answers, in order; with `auto` what stays unknown is for the reference."""
        answers = self._on_a_small_graph(properties) if self.engine == "auto" else {}
        left = [i for i in range(len(properties)) if i not in answers]
        if left:
            found = self._on_diagrams([properties[i] for i in left])
            answers |= dict(zip(left, found, strict=True))
        return [answers[i] for i in range(len(properties))]

    def _on_a_small_graph(self, properties: Sequence[Property]) -> dict[int, Answer]:
        budget = replace(self.budget.share(4), states=SMALL_GRAPH)
        graph = GraphEngine(
            self.evidence, budget, self.listen, fair=self.fair, infinite=self.infinite
        )
        found = [graph.check(p, waiting=len(properties) - i) for i, p in enumerate(properties)]
        return {i: a for i, a in enumerate(found) if a.verdict != "unknown"}

    def _on_diagrams(self, properties: Sequence[Property]) -> list[Answer]:
        budget = self.budget
        remaining = budget.remaining()
        if self.engine == "auto" and remaining is not None:
            # What diagrams cannot do is rarely within reach of a search in Python.
            budget = Budget(remaining * 0.8, budget.memory, budget.states)
        diagrams = Symbolic(
            self.evidence.model,
            self.evidence,
            self.tuning,
            fair=self.fair,
            infinite=self.infinite,
        )
        try:
            return diagrams.check(properties, budget, self.listen)
        except LimitReached as limit:
            return [Answer(p, "unknown", symbolic.ENGINE, reason=limit.reason) for p in properties]
