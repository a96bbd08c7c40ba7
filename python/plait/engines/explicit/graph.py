"""CTL and LTL on the whole explicit graph, by the reference: small models, any formula.

The graph is built once for all properties of a model and kept while the engine is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.engines.budget import Budget, Listener, Progress, peak_memory, resident_memory
from plait.engines.evidence import Evidence
from plait.engines.notes import undefined_steps
from plait.engines.stopped import stopped_space
from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING
from plait.model.expr import Formula
from plait.model.types import Property
from plait.model.watch import watched_by
from plait.records import replace
from plait.reference.graph import Graph
from plait.report.answer import Answer, StateSpace

if TYPE_CHECKING:
    from plait.reference import Semantics

ENGINE = "reference"
STATE_LIMIT = 1_000_000
"""More states than this are not worth trying in plain Python."""
TICK = 256


class GraphEngine:
    """The reference's graph of one model, built when the first property needs it."""

    def __init__(
        self,
        evidence: Evidence,
        budget: Budget,
        listen: Listener | None = None,
        *,
        fair: Sequence[Formula] = (),
        infinite: bool = False,
        effort: int | None = None,
    ) -> None:
        """The graph is given up after `effort` statements: few states may take many of them."""
        self.evidence = evidence
        self.fair = fair
        self.infinite = infinite
        self.effort = effort
        self.budget = budget
        self.listen = listen
        self._graph: Graph | LimitReached | None = None
        self._greatest_sum: int | None = None
        self._notes: tuple[str, ...] = ()
        self._seen, self._expanded = 1, 0

    def check(self, p: Property, waiting: int = 1) -> Answer:
        """The answer to a property of any kind.

        `waiting` is how many properties have to share the time that is left, this one included.
        """
        start = self.budget.elapsed
        try:
            graph = self.graph()
            share = self.budget.share(waiting)
            share.check()
            with watched_by(share.check):
                answer = self.evidence.semantics.check(
                    p,
                    graph=graph,
                    tick=share.check,
                    fair=self.fair,
                    textbook=self.infinite,
                    weak=self.evidence.weak,
                )
            stats = {**answer.stats, "max_sum": self._max_sum(graph)}
            answer = replace(answer, stats=stats, notes=(*answer.notes, *self._notes))
        except LimitReached as limit:
            answer = Answer(p, "unknown", ENGINE, reason=limit.reason)
        seconds = self.budget.elapsed - start
        answer = replace(answer, seconds=seconds, peak_memory_bytes=peak_memory())
        return self.evidence.confirm(answer)

    def states(self) -> StateSpace:
        """The size of the graph, or of what was seen of it within the budget."""
        try:
            graph = self.graph()
        except LimitReached as limit:
            if limit.reason == "interrupted":
                raise
            return replace(stopped_space(ENGINE, limit.reason, self.budget), states=self._seen)
        return StateSpace(
            complete=True,
            reason=None,
            states=len(graph.states),
            arcs=graph.arc_count,
            deadlocks=len(graph.deadlocks),
            max_value=max((v for s in graph.states for v in s), default=None),
            max_sum=self._max_sum(graph),
            engine=ENGINE,
            seconds=self.budget.elapsed,
            peak_memory_bytes=peak_memory(),
            notes=self._notes,
        )

    def _max_sum(self, graph: Graph) -> int:
        if self._greatest_sum is None:
            self._greatest_sum = max(map(sum, graph.states))
        return self._greatest_sum

    def graph(self) -> Graph:
        """The reachable graph; `LimitReached`, once and for all, when the budget is too small."""
        if self._graph is None:
            try:
                self.budget.check()  # the semantics of a large model take seconds to be made
                self._graph = self._reached(self.evidence.semantics)
            except LimitReached as reached:
                self._graph = reached
        if isinstance(self._graph, LimitReached):
            raise self._graph
        return self._graph

    def _reached(self, semantics: Semantics) -> Graph:
        limit = min(self.budget.states or STATE_LIMIT, STATE_LIMIT)
        # The counts go on when steps are executed again, to replay a trace or to explain.
        before = semantics.undefined.copy()
        most = None if self.effort is None else semantics.touched + self.effort

        def check() -> None:
            self.budget.check()
            if most is not None and semantics.touched > most:
                raise LimitReached(f"more than {self.effort} statements")

        try:
            with watched_by(check):
                return semantics.reachable(limit, self._tick)
        finally:
            counts = semantics.undefined - before
            self._notes = undefined_steps((m.title, counts[m.title]) for m in semantics.moves)

    def _tick(self, states: int) -> None:
        """Looks at the budget now and then, as the search calls it for each state."""
        self._seen = states
        self._expanded += 1
        if self._expanded % TICK == 0:
            self.budget.check()
            if self.listen is not None:
                waiting = states - self._expanded
                memory = resident_memory()
                self.listen(Progress(ENGINE, states, 0, waiting, memory, self.budget.elapsed))
