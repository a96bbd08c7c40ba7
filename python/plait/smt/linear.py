"""Longer and longer runs: one that violates each linear-time property, or none up to a bound.

Each property has a run of its own, since which events of processes may go first depends on what it
asks (`plait.engines.partial.process_model`). The properties take turns, one bound at a time, so
that one of them that is never violated does not keep the others waiting.

Nothing is proved: what has no violation up to a bound may have one beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from plait.logic.formula import Finally
from plait.model.expr import Formula
from plait.model.types import Property
from plait.records import dataclass
from plait.smt.found import Effort, Failed, LinearFound, NoneUpTo, Refused, Violated
from plait.smt.lasso import Part, Violations
from plait.smt.limited import REFUSALS, LimitedSearch, why
from plait.smt.make import some_of
from plait.smt.schedule import Schedule
from plait.smt.scheduled import ScheduledRun
from plait.smt.solver import FiniteSolver
from plait.smt.unrolling import ask


@dataclass(frozen=True, slots=True)
class Question:
    """What violates a property, and the schedule of the runs that are looked at.

    Either `parts` of a dual over `conditions` of the flat model; or a `goal`, a safety property of
    the flat model whose deciding states are sought.
    """

    schedule: Schedule
    safe: tuple[tuple[int, ...], ...] = ()
    parts: tuple[Part, ...] = ()
    conditions: tuple[Formula, ...] = ()
    goal: Property | None = None
    conflicts: frozenset[tuple[int, int]] | None = None
    """Pairs of events that do not happen in one step; None when no two do."""


class LinearSearch(LimitedSearch):
    """The search of one model."""

    def run(self, questions: Sequence[Question]) -> Iterator[LinearFound]:
        """What is found of these questions, as it comes."""
        try:
            self.make_relation()
        except REFUSALS as no:
            yield Refused(None, why(no))
            return
        searches = [self._search(number, q) for number, q in enumerate(questions)]
        while searches and not self.over():
            for search in list(searches):
                found = next(search, None)
                if found is None:
                    searches.remove(search)
                    continue
                yield found
                if isinstance(found, Failed):
                    return

    def _search(self, number: int, question: Question) -> Iterator[LinearFound]:
        """One question, bound by bound."""
        solver = FiniteSolver()
        try:
            run = ScheduledRun(
                self.relation, solver, question.schedule, question.safe, question.conflicts
            )
            violations = self._violations(run, question)
        except REFUSALS as no:
            yield Refused(number, why(no))
            return
        doubtful = False
        looked = -1
        for bound in question.schedule.bounds(self.depth):
            while run.steps < bound:
                violations.advance()
                if self.over():
                    return
            failing = self._fails(run, looked + 1)
            if failing is not None:
                yield failing
                return
            looked = bound
            last = violations.bound()
            verdict = ask(solver, self.share(0.25), last)
            effort = self._effort(run)
            if verdict == "sat":
                yield self._violated(number, question, violations, effort)
                return
            doubtful = doubtful or verdict == "unknown"
            solver.add(z3.Not(last))
            yield NoneUpTo(number, effort, doubtful)

    def _violations(self, run: ScheduledRun, question: Question) -> Violations:
        relation = self.relation
        if question.goal is not None:
            # Some time the goal is met: the one eventuality that a bounded run can show.
            parts = (Part(None, positive=True), Part(Finally, (0,)))
            return Violations(run, parts, [relation.goal(question.goal)])
        terms = [relation.condition(c) for c in question.conditions]
        return Violations(run, question.parts, terms)

    def _fails(self, run: ScheduledRun, since: int) -> Failed | None:
        """A run to a state from which an event fails, among those that were not looked at."""
        fails = self.relation.fails
        if z3.is_false(fails):
            return None
        some = z3.Bool(f"fails@{run.steps}")
        places = range(since, run.steps + 1)
        at = [run.at(fails, i) for i in places]
        run.solver.add(some_of([z3.Not(some), *at]))
        if ask(run.solver, self.share(0.25), some) != "sat":
            return None
        first = next(i for i, term in zip(places, at, strict=True) if run.holds(term))
        return Failed(run.trace(first)[0])

    def _violated(
        self, number: int, question: Question, violations: Violations, effort: Effort
    ) -> Violated:
        run = violations.run
        if question.goal is not None:
            goal = violations.conditions[0]
            first = next(i for i in range(run.steps + 1) if run.holds(run.at(goal, i)))
            return Violated(number, run.trace(first)[0], None, effort)
        trace, places = run.trace(run.steps)
        loop = violations.goes_back_to()
        return Violated(number, trace, None if loop is None else places[loop], effort)

    def _effort(self, run: ScheduledRun) -> Effort:
        statistics = run.solver.statistics()
        known = {statistics[i][0]: statistics[i][1] for i in range(len(statistics))}
        return Effort(
            run.steps,
            run.schedule.cycles(run.steps),
            self.spent(),
            float(known.get("memory", 0.0)),
        )


__all__ = ["LinearSearch", "Question"]
