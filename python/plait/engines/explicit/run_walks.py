"""Walks for runs that violate LTL properties: the native walks, and what they find replayed.

A walk finds a run that goes back to one of its states or ends in a deadlock, or only the beginning
of runs all of which violate the property. The first is replayed as any counterexample is. The
second is replayed as a path, and the automaton of the violations is run along it again, on letters
that the reference evaluates: it must come to a location that accepts every word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait import _core
from plait.automata import TooLarge, violating
from plait.automata.translate import Translation
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import native_automaton
from plait.engines.nets.replay import accepts_all
from plait.engines.prepared import Prepared, prepare
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula
from plait.model.net import Net, as_net
from plait.model.types import Property
from plait.records import dataclass, replace
from plait.report.answer import Answer, Witness
from plait.structure.equation import StateEquation

ENGINE = "walk"
SECONDS = 2.0
"""For the bound of all tokens."""
Steps = list[tuple[int | None, tuple[int, ...]]]


@dataclass(slots=True)
class _Question:
    place: int
    property: Property
    translation: Translation


class RunWalks:
    """LTL properties of one net; keeps the model made ready."""

    def __init__(
        self, evidence: Evidence, properties: Sequence[Property], listen: Listener | None = None
    ) -> None:
        self.evidence = evidence
        self.properties = properties
        self.listen = listen
        self._seed = 0
        self._tokens: int | None = None
        self._ready: tuple[list[_Question], Prepared, dict[Formula, int]] | None = None
        self.able = True
        """Whether the native walks can be asked at all."""

    def check(
        self,
        places: Sequence[int],
        budget: Budget,
        tell: Callable[[int, Answer], None],
        rounds: int | None = None,
    ) -> None:
        """Walk for some of the properties, by their places; `tell` hears what is found."""
        questions, prepared, conditions = self._made(budget)
        asked = [q for q in questions if q.place in set(places)]
        if not asked or not self.able:
            return
        self._seed += 1

        def answered(number: int, steps: Steps | None, loop: int | None) -> None:
            question = asked[number]
            answer = self._answer(question, prepared, steps, loop)
            if answer is not None:
                found = replace(answer, seconds=budget.elapsed, peak_memory_bytes=peak_memory())
                tell(question.place, found)

        automata = [native_automaton(q.translation, conditions) for q in asked]
        limits = {} if rounds is None else {"rounds": rounds}
        ended = _core.run_walk(
            prepared.compiled.program,
            automata,
            answered,
            seed=self._seed,
            timeout=budget.remaining(),
            progress=None if self.listen is None else self._hear(budget),
            **limits,
        )
        self.able = ended != "unable"
        if ended == "interrupted":
            raise LimitReached("interrupted")

    def _made(self, budget: Budget) -> tuple[list[_Question], Prepared, dict[Formula, int]]:
        if self._ready is None:
            questions = []
            for place, p in enumerate(self.properties):
                assert isinstance(p.body, Formula)
                try:
                    found = violating(p.body, budget.check)
                except TooLarge:
                    continue
                if found.automaton.arc_count:
                    questions.append(_Question(place, p, found))
            leaves = list(dict.fromkeys(c for q in questions for c in q.translation.conditions))
            asked = [Property(f"condition {i}", "reachable", c) for i, c in enumerate(leaves)]
            prepared = prepare(self.evidence.model, asked)
            native = {
                condition: prepared.compiled.formula(p.body)
                for condition, p in zip(leaves, prepared.properties, strict=True)
                if isinstance(p.body, Formula)
            }
            self._ready = (questions, prepared, native)
        return self._ready

    def _hear(self, budget: Budget) -> Callable[[dict[str, float]], None]:
        def tell(_: dict[str, float]) -> None:
            if self.listen is not None:
                self.listen(Progress(ENGINE, seconds=budget.elapsed))

        return tell

    def _answer(
        self, question: _Question, prepared: Prepared, steps: Steps | None, loop: int | None
    ) -> Answer | None:
        p = question.property
        answer = Answer(p, "false", ENGINE)
        if steps is None:
            note = f"{p.name}: the run that violates it is too long to be written out"
            return replace(answer, notes=(note,), stats={"max_sum": self._bound()})
        witness = replace(prepared.witness(steps), loop=loop)
        answer = replace(answer, stats={"max_sum": max(map(sum, witness.states))})
        if loop is not None:
            return self.evidence.confirm_run(replace(answer, witness=witness))
        if not self._begins_violations(question.translation, witness):
            reason = "internal error: the beginning of a run does not violate the property"
            return replace(answer, verdict="unknown", reason=reason)
        note = f"{p.name}: every run that begins so violates it: {len(witness.steps)} steps"
        return replace(answer, notes=(note,))

    def _bound(self) -> int:
        """So many tokens at most are in any state; more than fit where no proof of fewer is found.

        A sum of places may wrap around where nobody can look (`plait.engines.nets.tokens`).
        """
        if self._tokens is None:
            net = as_net(self.evidence.model)
            equation = StateEquation(net) if isinstance(net, Net) else None
            found = None
            if equation is not None and equation.available:
                found = equation.bound(dict.fromkeys(range(len(equation.net.places)), 1), SECONDS)
            self._tokens = INT_MAX + 1 if found is None else found
        return self._tokens

    def _begins_violations(self, translation: Translation, witness: Witness) -> bool:
        """Whether the automaton accepts all runs with this beginning, as the reference sees it."""
        if not self.evidence.shows_runs:
            known = self.evidence.net.begins_violations(translation, witness)
            if known is not None:
                return known
        semantics = self.evidence.semantics
        semantics.replay(witness)
        letters = []
        for state in witness.states:
            asked = (Property("condition", "reachable", c) for c in translation.conditions)
            values = [semantics.decides(p, state) for p in asked]
            letters.append(sum(int(value) << bit for bit, value in enumerate(values)))
        return accepts_all(translation, letters)


__all__ = ["ENGINE", "RunWalks"]
