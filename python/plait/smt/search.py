"""Deeper and deeper: a run to each goal, or a proof that there is none.

At each depth k, every goal that is left is asked of the runs of k steps from the initial state
(bounded model checking; Biere, Cimatti, Clarke and Zhu, "Symbolic model checking without BDDs",
1999), then the induction step of depth k is tried. A run that fails, with a value outside a
declared domain, is looked for first: it is an error of the model, and ends everything. When there
is no run of k + 1 steps at all, all reachable states were met, and what is left is unreachable.

What is found is told as it comes (`Found`), so that an end in the middle loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import z3

from plait.model.shape import Trace
from plait.model.types import Model, Property
from plait.records import dataclass
from plait.smt.certificate import Checker
from plait.smt.found import Deeper, Failed, Found, Proved, Reached, Refused
from plait.smt.induction import Induction, Proof
from plait.smt.limited import REFUSALS, LimitedSearch, why
from plait.smt.make import Term
from plait.smt.relation import Relation
from plait.smt.solver import FiniteSolver
from plait.smt.unrolling import Unrolling, Verdict, ask

PATIENCE = 2
"""Induction steps of a goal that may end without an answer before no more are tried."""


@dataclass(slots=True)
class _Goal:
    number: int
    term: Term
    failures: int = 0
    """Induction steps without an answer."""
    known: bool = True
    """Whether all depths so far were decided: the base of an induction."""


class BoundedSearch(LimitedSearch):
    """The search of one model."""

    def __init__(
        self,
        model: Model,
        titled: Callable[[str], Sequence[int]],
        *,
        seconds: float | None = None,
        depth: int | None = None,
        induction: bool = True,
    ) -> None:
        """`seconds` and `depth` end the search; without `induction` nothing is proved by it."""
        super().__init__(model, titled, seconds=seconds, depth=depth)
        self.with_induction = induction

    def run(self, properties: Sequence[Property]) -> Iterator[Found]:
        """What is found of these properties of the flat model, as it comes."""
        try:
            self.make_relation()
        except REFUSALS as no:
            yield Refused(None, why(no))
            return
        goals: list[_Goal] = []
        for number, p in enumerate(properties):
            try:
                goals.append(_Goal(number, self.relation.goal(p)))
            except REFUSALS as no:
                yield Refused(number, why(no))
        self.properties = properties
        self._checker: Checker | None = None
        terms = {g.number: g.term for g in goals}
        self._induction = Induction(self.relation, FiniteSolver(), terms)
        yield from self._deepen(goals)

    def _deepen(self, goals: list[_Goal]) -> Iterator[Found]:
        run = Unrolling(self.relation, FiniteSolver(), initial=True, name="r")
        doubtful = False
        while goals and not self.over():
            failing = self._reach(run, self.relation.fails)
            if isinstance(failing, list):
                yield Failed(failing)
                return
            for goal in list(goals):
                found = self._reach(run, goal.term)
                if isinstance(found, list):
                    goals.remove(goal)
                    self._induction.forget(goal.number)
                    yield Reached(goal.number, found)
                elif "unknown" in (found, failing):
                    goal.known = False
                    doubtful = True
            yield from self._induce(goals)
            yield Deeper(run.steps, doubtful)
            if run.steps == self.depth or not goals:
                return
            run.extend()
            if ask(run.solver, self.share(0.25)) == "unsat":
                yield from self._exhausted(goals, run.steps)
                return

    def _reach(self, run: Unrolling, term: Term) -> Trace | Verdict:
        """A run of this many steps to a state where the term holds; or the solver's verdict."""
        at = z3.simplify(run.at(term, run.steps))
        if z3.is_false(at):
            return "unsat"
        verdict = ask(run.solver, self.share(0.25), run.assumption(at))
        if verdict == "sat":
            return run.run(run.steps)
        if verdict == "unsat":
            run.solver.add(z3.Not(at))
        return verdict

    # --- proofs -----------------------------------------------------------------------------------

    def _induce(self, goals: list[_Goal]) -> Iterator[Found]:
        """Try the induction step as deep as the base is known now."""
        able = [g for g in goals if g.known and g.failures < PATIENCE]
        if not self.with_induction or not able:
            return
        induction = self._induction
        for goal in able:
            proof = induction.prove(goal.number, self.share(0.1))
            if isinstance(proof, Proof) and self._ready().accepts(proof):
                goals.remove(goal)
                induction.learn(goal.number)
                yield Proved(goal.number, proof.steps, "induction", self.relation.largest_sum)
            elif proof != "sat":
                goal.failures += 1
        induction.deepen()

    def _exhausted(self, goals: list[_Goal], steps: int) -> Iterator[Found]:
        """No run has so many steps; check that, and that no shorter one meets a goal."""
        checker = self._ready()
        if not checker.ends(steps):
            return
        for goal in goals:
            if goal.known and checker.base(goal.number, steps - 1):
                yield Proved(goal.number, steps - 1, "exhaustion", self.relation.largest_sum)

    def _ready(self) -> Checker:
        if self._checker is None:
            facts = self.relation.facts
            wide = Relation(self.model, self.titled, narrow=False, facts=facts)
            self._checker = Checker(wide, self.properties, lambda: self.share(0.3))
        return self._checker
