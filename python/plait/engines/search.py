"""Which engine looks at the reachable states: explicit, symbolic, or one after the other.

Small state spaces are fastest stored state by state, large regular ones as diagrams, and nobody
knows before which a model has. So `auto` begins with an explicit search of limited size, goes on
with diagrams, and comes back to an explicit search with all that is left. An answer that one of
them gives is final.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from plait.engines import explicit, symbolic
from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.explicit import Explicit
from plait.engines.reduction import Reduction
from plait.engines.symbolic import Symbolic, Tuning
from plait.errors import LimitReached
from plait.model.types import Model, Property
from plait.report.answer import Answer, StateSpace

FIRST_STATES = 200_000
"""The states of the first explicit search; it takes well under a second."""


class Search:
    """The reachable states of one model, as an engine sees them."""

    def __init__(
        self,
        model: Model,
        engine: str,
        budget: Budget,
        *,
        evidence: Evidence | None = None,
        tuning: Tuning | None = None,
        reduction: Reduction | None = None,
        listen: Listener | None = None,
    ) -> None:
        self.model = model
        self.engine = engine
        self.budget = budget
        self.evidence = evidence or Evidence(model)
        self.tuning = tuning
        self.reduction = reduction
        self.listen = listen

    def check(self, properties: Sequence[Property]) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order."""
        answers: dict[int, Answer] = {}
        for name, budget in self._stages():
            left = [i for i in range(len(properties)) if not _is_final(answers.get(i))]
            if not left:
                break
            found = self._guarded(name, [properties[i] for i in left], budget)
            answers.update(zip(left, found, strict=True))
        return [answers[i] for i in range(len(properties))]

    def states(self) -> StateSpace:
        """The size of the state space; of incomplete ones the largest that was seen."""
        best: StateSpace | None = None
        for name, budget in self._stages():
            space = self._engine(name).states(budget, self.listen)
            if best is None or space.complete or space.states >= best.states:
                best = space
            if space.complete or space.reason == "interrupted":
                break
        assert best is not None
        return replace(best, seconds=self.budget.elapsed)

    def _stages(self) -> Iterator[tuple[str, Budget]]:
        """The engines in their order, each with what it may use."""
        limit = self.budget.states
        if self.engine != "auto":
            yield self.engine, self.budget
        elif (
            self.reduction not in (None, Reduction()) or (limit or FIRST_STATES + 1) <= FIRST_STATES
        ):
            # Reductions are asked of the explicit search, and so are its states.
            yield explicit.ENGINE, self.budget
        else:
            yield explicit.ENGINE, replace(self.budget.share(3), states=FIRST_STATES)
            yield symbolic.ENGINE, self.budget.share(2)
            yield explicit.ENGINE, self.budget

    def _engine(self, name: str) -> Explicit | Symbolic:
        if name == explicit.ENGINE:
            return Explicit(self.model, self.evidence, self.reduction)
        return Symbolic(self.model, self.evidence, self.tuning)

    def _guarded(self, name: str, properties: Sequence[Property], budget: Budget) -> list[Answer]:
        """The answers, with a limit that the engine meets turned into `unknown`."""
        try:
            return self._engine(name).check(properties, budget, self.listen)
        except LimitReached as limit:
            return [Answer(p, "unknown", name, reason=limit.reason) for p in properties]


def _is_final(answer: Answer | None) -> bool:
    if answer is None:
        return False
    return answer.verdict != "unknown" or answer.reason == "interrupted"
