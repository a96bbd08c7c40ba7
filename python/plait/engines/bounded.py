"""The bounded engine: runs of 0, 1, 2, ... steps put to a solver, and k-induction.

A run to a goal is replayed on the original model like any other trace. Before a proof is reported,
another solver checks it (`plait.smt.certificate`), and it is compared with the states that a short
breadth-first search finds. If one of them decides the property the other way, there is an internal
error and no answer. What neither a run nor a proof decides within the depth and the budget stays
`unknown`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence

from plait import _core
from plait.engines.apart import Died, apart
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.decisive import sought, verdict
from plait.engines.evidence import Evidence
from plait.engines.prepared import Prepared, prepare
from plait.errors import LimitReached, error
from plait.model.types import Model, Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer, StateSpace
from plait.smt.found import Deeper, Failed, Found, Proved, Reached, Refused

ENGINE = "bounded"
INDUCTION = "k-induction"
STATES = 20_000
"""States of the search that proofs are held against."""
SECONDS = 2.0
"""... and its time."""


@dataclass(slots=True)
class _Progress:
    """What is known so far."""

    answers: dict[int, Answer] = field(default_factory=dict)
    proofs: dict[int, Proved] = field(default_factory=dict)
    depth: int | None = None
    memory: int = 0
    """The most that the solver's process used."""
    limit: str | None = None
    """Why the search ended before its end."""


def is_refusal(answer: Answer) -> bool:
    """Whether the engine will never have anything to say about the property."""
    return bool(answer.stats.get("refused"))


class Bounded:
    """A model and its unrolling. `depth` is the number of steps to stop at."""

    def __init__(
        self, model: Model, evidence: Evidence, depth: int | None = None, *, alone: bool = True
    ) -> None:
        """Unless `alone`, the solver works in this process, where nothing but itself ends it."""
        self.model = model
        self.evidence = evidence
        self.depth = depth
        self.alone = alone

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order."""
        if importlib.util.find_spec("z3") is None:
            reason, stats = "the solver z3 is not installed", {"refused": True}
            return [
                Answer(p, "unknown", ENGINE, reason=reason, stats={**stats}) for p in properties
            ]
        prepared = prepared or prepare(self.model, properties, budget)
        known = _Progress()
        try:
            for found in self._found(prepared, budget, listen, known):
                self._take(properties, prepared, found, known)
        except LimitReached as limit:
            known.limit = limit.reason
        except KeyboardInterrupt:
            known.limit = "interrupted"
        if known.limit != "interrupted":
            self._confirm(properties, prepared, budget, known)
        memory = max(peak_memory(), known.memory)
        return [
            replace(
                known.answers.get(i, self._unknown(p, known)),
                seconds=budget.elapsed,
                peak_memory_bytes=memory,
            )
            for i, p in enumerate(properties)
        ]

    def states(
        self,
        _budget: Budget,
        _listen: Listener | None = None,
        _prepared: Prepared | None = None,
    ) -> StateSpace:
        """Runs are not counted."""
        raise error("the bounded engine cannot count states", hint="use another --engine")

    def _found(
        self, prepared: Prepared, budget: Budget, listen: Listener | None, known: _Progress
    ) -> Iterator[Found]:
        def work() -> Iterator[Found]:
            from plait.smt.search import BoundedSearch

            titled, seconds = prepared.compiled.titled, budget.remaining()
            model = prepared.rewritten.model
            search = BoundedSearch(model, titled, seconds=seconds, depth=self.depth)
            return search.run(prepared.properties)

        def tick(memory: int) -> None:
            known.memory = max(known.memory, memory)
            if listen is not None:
                depth, seconds = known.depth or 0, budget.elapsed
                listen(Progress(ENGINE, depth=depth, memory=memory, seconds=seconds))

        try:
            yield from apart(work, budget, tick) if self.alone else work()
        except Died as end:
            known.limit = str(end)
        if budget.remaining() == 0:
            known.limit = known.limit or "timeout"

    def _take(
        self,
        properties: Sequence[Property],
        prepared: Prepared,
        found: Found,
        known: _Progress,
    ) -> None:
        match found:
            case Deeper(steps=steps, doubtful=doubtful):
                if not doubtful:
                    known.depth = steps
            case Reached(number=number, trace=trace):
                asked = properties[number]
                witness = prepared.witness(trace)
                stats: dict[str, object] = {"depth": len(witness.steps)}
                stats["max_sum"] = sum(witness.states[-1])
                answer = Answer(
                    asked, verdict(asked, found=True), ENGINE, witness=witness, stats=stats
                )
                known.answers[number] = self.evidence.confirm(answer)
            case Proved(number=number):
                known.proofs[number] = found
            case Failed():
                self._fail(prepared, found)
            case Refused(number=number, reason=reason):
                for i, p in enumerate(properties):
                    if number is None or number == i:
                        refused: dict[str, object] = {"refused": True}
                        unknown = Answer(p, "unknown", ENGINE, reason=reason, stats=refused)
                        known.answers[i] = unknown

    def _fail(self, prepared: Prepared, found: Failed) -> None:
        """Let the reference execute what fails, and tell the error."""
        witness = prepared.witness(found.trace)
        self.evidence.semantics.replay(witness)
        self.evidence.semantics.successors(witness.states[-1])
        raise LimitReached("internal error: an event was found to fail, and does not")

    def _confirm(
        self,
        properties: Sequence[Property],
        prepared: Prepared,
        budget: Budget,
        known: _Progress,
    ) -> None:
        """Hold the proofs against the states that a short search finds."""
        if not known.proofs:
            return
        numbers = list(known.proofs)
        remaining = budget.remaining()
        try:
            found = _core.explore(
                prepared.compiled.program,
                goals=[prepared.goal(prepared.properties[i]) for i in numbers],
                bounds=[],
                stop_when_decided=False,
                timeout=SECONDS if remaining is None else min(SECONDS, max(0.2, remaining)),
                memory=budget.memory,
                max_states=STATES,
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        if found.reason == "interrupted":
            known.limit = "interrupted"
            return
        for i, state in zip(numbers, found.goals, strict=True):
            asked, proof = properties[i], known.proofs[i]
            if state is not None:
                reason = "internal error: a search finds what a proof by induction excludes"
                known.answers[i] = Answer(asked, "unknown", ENGINE, reason=reason)
                continue
            if proof.by == "induction":
                engine, how = INDUCTION, f"{INDUCTION}, k = {proof.steps}"
            else:
                engine, how = ENGINE, f"every run ends within {proof.steps} steps"
            stats: dict[str, object] = {"k": proof.steps, "max_sum": proof.largest_sum}
            notes = (f"{asked.name}: {how}",)
            known.answers[i] = Answer(
                asked, verdict(asked, found=False), engine, stats=stats, notes=notes
            )

    def _unknown(self, asked: Property, known: _Progress) -> Answer:
        if known.depth is None:
            return Answer(asked, "unknown", ENGINE, reason=known.limit or "the solver gave up")
        far = f"no {sought(asked)} in runs of up to {known.depth} steps, and no proof"
        stats: dict[str, object] = {"depth": known.depth}
        if known.limit is None:
            return Answer(asked, "unknown", ENGINE, reason=far, stats=stats)
        note = f"{asked.name}: {far}"
        return Answer(asked, "unknown", ENGINE, reason=known.limit, stats=stats, notes=(note,))
