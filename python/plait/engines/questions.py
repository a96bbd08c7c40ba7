"""Which engine is asked about a property: by its kind, one kind after the other.

Safety properties, and temporal ones that are safety questions in disguise, go to the native engines
together (`search`). Other CTL properties go to the reference, to local search and to diagrams
(`branching`), LTL properties to the reference where the graph is small and to the native product
with an automaton where it is not (`linear`). What no other engine knows is left to the reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import BOUNDED, EXPLICIT, SYMBOLIC
from plait.engines.prepared import KINDS
from plait.engines.request import Request, Tell, check_order
from plait.engines.search import Search
from plait.engines.stopped import is_interrupted
from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.model.ghosts import is_ordinary
from plait.model.vast import is_vast
from plait.records import replace
from plait.report.answer import Answer

if TYPE_CHECKING:
    from plait.model.expr import Formula
    from plait.model.types import Model, Property

AGAIN = 0.5
"""Seconds that are worth another look at the reachable states."""


def ask(
    model: Model, asked: Sequence[Property], request: Request, tell: Tell | None = None
) -> list[Answer]:
    """The answer to each property, in order."""
    check_order(model, request.tuning)
    if model.faultless:
        from plait.engines.cones import check_in_parts

        found = check_in_parts(model, asked, request, ask, tell)
        if found is not None:
            return found
    if not is_ordinary(model, asked):
        from plait.engines.chosen_paths import check_on_paths

        return check_on_paths(model, asked, request, ask, tell)
    evidence = Evidence(model, weak=request.weak, shows_runs=request.shows_runs)
    _check_fairness(evidence, asked, request.fair)
    as_they_are = partial(_ask_as_they_are, evidence, request)
    if request.wants_verdicts and _is_large(evidence, asked, request.budget):
        from plait.engines.simplified import check_simplified

        return check_simplified(model, asked, request.budget, as_they_are, tell)
    return as_they_are(asked, tell)


def _check_fairness(evidence: Evidence, asked: Sequence[Property], fair: Sequence[Formula]) -> None:
    """Refuse properties and models for which the fairness that was asked for has no meaning."""
    other = next((p for p in asked if p.kind != "ctl"), None)
    if fair and other is not None:
        raise error(f"fairness is for CTL, and '{other.name}' is {other.kind}", other.span)
    if not evidence.weak:
        return
    of_paths = next((p for p in asked if p.kind == "ctl"), None)
    if of_paths is not None:
        raise error(
            f"weak fairness is for LTL, and '{of_paths.name}' is ctl",
            of_paths.span,
            hint="use --fair CONDITION for CTL",
        )
    _ = evidence.semantics.movers  # where nobody moves this is an error


def _is_large(evidence: Evidence, asked: Sequence[Property], budget: Budget) -> bool:
    """Whether some property is worth making simpler: the model has more than a few states."""
    if all(p.kind in KINDS for p in asked):
        return False
    from plait.engines.branching import SMALL_GRAPH
    from plait.engines.linear import fits
    from plait.engines.simplified import is_simplified

    if not any(map(is_simplified, asked)) or is_vast(evidence.model):
        return False
    return not fits(evidence, replace(budget.share(20), states=SMALL_GRAPH))


def _ask_as_they_are(
    evidence: Evidence, request: Request, asked: Sequence[Property], tell: Tell | None
) -> list[Answer]:
    """The answers to properties that are not made simpler."""
    if request.repeated:
        from plait.engines.linear import by_reachability

        plain = Request(request.engine, request.tuning, depth=request.depth)

        def ask_another(other: Model, p: Property, limits: Budget) -> Answer:
            return ask(other, [p], replace(plain, budget=limits))[0]

        return by_reachability(evidence, asked, request.budget, ask_another)
    if request.engine == BOUNDED and (request.goes_ahead or request.together):
        from plait.engines.linear import bounded_runs

        runs = bounded_runs(evidence, request.tuning, request.depth, together=request.together)
        return runs.check(asked, request.budget, request.listen, tell)
    return _ByKind(evidence, request, asked, tell).check()


class _ByKind:
    """Properties of one model, and the answers so far."""

    def __init__(
        self, evidence: Evidence, request: Request, asked: Sequence[Property], tell: Tell | None
    ) -> None:
        self.evidence = evidence
        self.request = request
        self.asked = asked
        self.answers: dict[int, Answer] = {}
        self._tell = tell
        self._safety = self._safety_questions()

    def check(self) -> list[Answer]:
        """The answers, in order."""
        engine, budget = self.request.engine, self.request.budget
        if self._safety:
            part = _part(budget, len(self._safety), len(self.asked)) if engine == "auto" else budget
            self._look_at_states(list(self._safety), part)
        if engine in ("auto", EXPLICIT, SYMBOLIC):
            self._look_at_branches()
        if engine in ("auto", EXPLICIT):
            self._look_at_runs()
        if engine in (SYMBOLIC, BOUNDED):
            self._look_at_sets_of_runs()
        if engine in ("auto", "reference"):
            self._ask_the_reference()
        if engine == "auto" and len(self._safety) < len(self.asked):
            self._look_at_states_again()
        return [
            self._noted(self.answers[i]) if i in self.answers else self._unasked(p)
            for i, p in enumerate(self.asked)
        ]

    def _noted(self, answer: Answer) -> Answer:
        """The answer, saying why there is no trace where one would be looked for."""
        fair = self.request.fair or answer.property.fair
        if answer.verdict != "false" or answer.witness is not None or not fair:
            return answer
        note = f"{answer.property.name}: no trace is shown, since only fair paths count"
        return replace(answer, notes=(*answer.notes, note))

    def _left(self, kind: str | None = None) -> list[int]:
        """The numbers of the properties, of one kind, that have no answer; none after a stop."""
        if is_interrupted(self.answers.values()):
            return []
        of_kind = (i for i, p in enumerate(self.asked) if kind in (None, p.kind))
        return [i for i in of_kind if i not in self.answers]

    def _hear(self, answer: Answer) -> None:
        if self._tell is not None:
            self._tell(answer)

    # ----- reachable states -----------------------------------------------------------------------

    def _safety_questions(self) -> Mapping[int, Property]:
        """What is asked of the reachable states alone, by the numbers of the properties."""
        if self.request.engine == "reference" or self.request.fair:
            return {}
        local = self.request.is_local
        found = ((i, _as_asked_of_states(p, local)) for i, p in enumerate(self.asked))
        return {i: p for i, p in found if p is not None}

    def _look_at_states(self, numbers: Sequence[int], limits: Budget) -> None:
        request = replace(self.request, budget=limits)
        search = Search(self.evidence.model, request, self.evidence)

        def hear(place: int, answer: Answer) -> None:
            self._hear(replace(answer, property=self.asked[numbers[place]]))

        found = search.check([self._safety[i] for i in numbers], hear)
        for i, answer in zip(numbers, found, strict=True):
            self.answers[i] = replace(answer, property=self.asked[i])

    def _look_at_states_again(self) -> None:
        """They had only a part of the time, and the others may have left some of theirs."""
        from plait.engines.pending import is_final

        again = [i for i in self._safety if not is_final(self.answers[i])]
        budget, stopped = self.request.budget, is_interrupted(self.answers.values())
        if again and not stopped and (budget.remaining() or 0) > AGAIN:
            self._look_at_states(again, budget)

    # ----- paths and runs -------------------------------------------------------------------------

    def _look_at_branches(self) -> None:
        """CTL; what `auto` leaves unknown is for the reference."""
        numbers = self._left("ctl")
        if not numbers:
            return
        from plait.engines.branching import Branching
        from plait.engines.pending import is_final

        request = self.request
        questions = Branching(
            self.evidence,
            request.engine,
            request.budget,
            request.tuning,
            request.listen,
            request.fair,
            request.infinite,
            tell=self._tell,
            alone=request.is_alone,
        )
        found = questions.check([self.asked[i] for i in numbers])
        self.answers |= {
            i: answer
            for i, answer in zip(numbers, found, strict=True)
            if request.engine != "auto" or request.is_local or is_final(answer)
        }

    def _look_at_runs(self) -> None:
        """LTL, run by run; formulas that are too large for `auto` are for the reference."""
        numbers = self._left("ltl")
        if not numbers:
            return
        from plait.engines.explicit.linear import TOO_LARGE, LinearTime
        from plait.engines.linear import on_runs

        request = self.request
        reduction, method = request.reduction or Reduction(), request.method or Method()
        found = on_runs(
            [self.asked[i] for i in numbers],
            request.engine,
            LinearTime(self.evidence, request.budget, request.listen, reduction, method),
            lambda _, answer: self._hear(answer),
            alone=request.is_alone,
        )
        self.answers |= {
            i: answer
            for i, answer in zip(numbers, found, strict=True)
            if request.engine == EXPLICIT or not (answer.reason or "").startswith(TOO_LARGE)
        }

    def _look_at_sets_of_runs(self) -> None:
        """LTL on diagrams, or on all runs of a bounded length."""
        numbers = self._left("ltl")
        if not numbers:
            return
        from plait.engines.linear import bounded_runs, on_diagrams
        from plait.engines.symbolic.ltl import SymbolicLinear

        request, asked = self.request, [self.asked[i] for i in numbers]
        if request.engine == SYMBOLIC:
            diagrams = SymbolicLinear(self.evidence, request.tuning, request.listen)
            found = on_diagrams(diagrams, asked, request.budget, self._tell)
        else:
            runs = bounded_runs(self.evidence, request.tuning, request.depth)
            found = runs.check(asked, request.budget, request.listen, self._tell)
        self.answers |= dict(zip(numbers, found, strict=True))

    # ----- what is left ---------------------------------------------------------------------------

    def _ask_the_reference(self) -> None:
        numbers = self._left()
        if not numbers:
            return
        from plait.engines.explicit.graph import GraphEngine

        request = self.request
        graph = GraphEngine(
            self.evidence,
            request.budget,
            request.listen,
            fair=request.fair,
            infinite=request.infinite,
        )
        for place, i in enumerate(numbers):
            answer = graph.check(self.asked[i], waiting=len(numbers) - place)
            self.answers[i] = answer
            if answer.verdict != "unknown":
                self._hear(answer)

    def _unasked(self, p: Property) -> Answer:
        """Why nobody was asked about a property."""
        if is_interrupted(self.answers.values()):
            # The native search ends quietly on Ctrl-C; nothing else must begin after it.
            return Answer(p, "unknown", "none", reason="interrupted")
        engine = self.request.engine
        reason = f"the {engine} engine does not check {p.kind} properties"
        return Answer(p, "unknown", engine, reason=reason)


def _part(budget: Budget, some: int, asked: int) -> Budget:
    """What some of the properties that were asked may use: others wait, and need time too."""
    remaining = budget.remaining()
    if remaining is None or some == asked:
        return budget
    return Budget(remaining * min(0.5, some / asked), budget.memory, budget.states)


def _as_asked_of_states(p: Property, local: bool) -> Property | None:
    """What a property asks of reachable states, if of no more; of CTL nothing where it is local."""
    from plait.engines.safety import as_safety

    if p.kind in KINDS:
        return p
    return None if local and p.kind == "ctl" else as_safety(p)


__all__ = ["ask"]
