"""Random walks: runs from the initial state that store no states.

They can show a state but never that there is none, so what they do not find stays unknown. What
they find comes with the run to it, replayed on the model. The same seed gives the same walks,
unless time ends them.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.decisive import sought, verdict
from plait.engines.evidence import Evidence
from plait.engines.prepared import Prepared, prepare
from plait.errors import error
from plait.model.expr import IntExpr
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer, StateSpace

ENGINE = "walk"
STEPS = 1_000_000
"""Steps of all runs together, where no limit of time is given."""
LENGTH = 10_000
"""Steps of a run."""


class Walks:
    """A model, and random walks through it."""

    def __init__(self, model: Model, evidence: Evidence, seed: int) -> None:
        self.model = model
        self.evidence = evidence
        self.seed = seed

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        _listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order."""
        prepared = prepared or prepare(self.model, properties, budget)
        goals = {i: prepared.goal(p) for i, p in _numbered(prepared) if p.kind != "bounds"}
        values = {
            i: prepared.compiled.integer(p.body)
            for i, p in _numbered(prepared)
            if isinstance(p.body, IntExpr) and p.kind == "bounds"
        }
        try:
            found = _core.walk(
                prepared.compiled.program,
                goals=list(goals.values()),
                measures=[None] * len(goals),
                values=list(values.values()),
                enough=[None] * len(values),
                seed=self.seed,
                timeout=budget.remaining(),
                steps=STEPS if budget.timeout is None else None,
                length=LENGTH,
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        places = dict(zip(goals, found.goals, strict=True))
        greatest = dict(zip(values, found.values, strict=True))
        shared = {"steps": found.steps, "runs": found.tried, "seed": self.seed}
        answers = []
        for i, asked in enumerate(properties):
            place = places.get(i)
            if place is None:
                answer = self._unknown(asked, found, greatest.get(i))
            else:
                witness = prepared.witness(found.trace(*place))
                answer = self.evidence.confirm(
                    Answer(asked, verdict(asked, found=True), ENGINE, witness=witness)
                )
            answers.append(replace(answer, stats={**shared, **answer.stats}))
        seconds, memory = budget.elapsed, peak_memory()
        return [replace(a, seconds=seconds, peak_memory_bytes=memory) for a in answers]

    def states(
        self,
        _budget: Budget,
        _listen: Listener | None = None,
        _prepared: Prepared | None = None,
    ) -> StateSpace:
        """Walks do not count."""
        raise error("random walks cannot count states", hint="leave --search walk out")

    def _unknown(
        self,
        asked: Property,
        found: _core.Walks,
        greatest: tuple[int, tuple[int, int]] | None,
    ) -> Answer:
        if found.reason == "interrupted":
            return Answer(asked, "unknown", ENGINE, reason="interrupted")
        what = f"no {sought(asked)}" if greatest is None else f"values up to {greatest[0]}"
        runs = f"{found.tried:,} run{'s' if found.tried != 1 else ''}"
        reason = f"random walks: {what} in {found.steps:,} steps of {runs}"
        return Answer(asked, "unknown", ENGINE, reason=reason)


def _numbered(prepared: Prepared) -> list[tuple[int, Property]]:
    return list(enumerate(prepared.properties))
