"""Proofs by induction, checked again: other formulas, another solver, from the beginning.

The formulas that found a proof rest on the ranges of the interval analysis: a cell has only the
bits that its range needs. Here every cell has 32 bits, and three things are shown, each by a solver
of its own that has seen nothing of the search:

1. the ranges are an invariant: the initial state is within them, and no step from a state within
   them leaves them (an interval analysis always finds ranges that are inductive in this sense);
2. the base: no run of up to k steps from the initial state meets a bad state;
3. the step: no run of k steps within the ranges, through good states, ends in a bad state.

Facts about a net, and the bounds of places that follow, have certificates of their own, which need
no solver; a place with such a bound has the bits for that.

What is not shown within the time is not believed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from plait.model.net import as_net
from plait.model.types import Property
from plait.smt.facts import Fact
from plait.smt.induction import Proof
from plait.smt.make import Term
from plait.smt.relation import Relation
from plait.smt.unrolling import Unrolling, ask, substituted

SEED = 1_000_003


class Checker:
    """Checks the proofs about one model. `relation` must be one that is not narrow."""

    def __init__(
        self,
        relation: Relation,
        properties: Sequence[Property],
        seconds: Callable[[], float | None],
    ) -> None:
        """`seconds` tells how long the next question may take."""
        self.relation = relation
        self.properties = properties
        self.seconds = seconds
        self._ranges: bool | None = None
        self._bounds: bool | None = None
        self._bases: dict[int, int] = {}
        self._goals: dict[int, Term] = {}

    def accepts(self, proof: Proof) -> bool:
        """Whether the proof shows its goal unreachable, given that those of its lemmas are."""
        if not self._facts_hold(proof.facts):
            return False
        return self.ranges_hold() and self.base(proof.number, proof.steps) and self._step(proof)

    def _facts_hold(self, facts: Sequence[Fact]) -> bool:
        """Whether the facts about the net have certificates; no solver is asked."""
        known = self.relation.facts
        if known is None:
            return not facts
        if self._bounds is None:
            self._bounds = as_net(self.relation.model) == known.net and known.bounds_hold()
        return self._bounds and all(fact.holds(known.net) for fact in facts)

    def ranges_hold(self) -> bool:
        """Whether the ranges of the interval analysis are an invariant."""
        if self._ranges is None:
            pairs = zip(self.relation.initial, self.relation.ranges, strict=True)
            inside = all(low <= value <= high for value, (low, high) in pairs)
            self._ranges = inside and self._no_step_leaves()
        return self._ranges

    def base(self, number: int, steps: int) -> bool:
        """Whether no run of up to so many steps from the initial state meets a bad one."""
        run = Unrolling(self.relation, _solver(), initial=True, name="b")
        bad = self._bad(number)
        done = self._bases.get(number, -1)
        for at in range(steps + 1):
            if at:
                run.extend()
            if at > done:
                if ask(run.solver, self.seconds(), run.assumption(run.at(bad, at))) != "unsat":
                    return False
                self._bases[number] = at
        return True

    def ends(self, steps: int) -> bool:
        """Whether there is no run of so many steps from the initial state."""
        run = Unrolling(self.relation, _solver(), initial=True, name="e")
        for _ in range(steps):
            run.extend()
        return ask(run.solver, self.seconds()) == "unsat"

    def _goal(self, number: int) -> Term:
        if number not in self._goals:
            self._goals[number] = self.relation.goal(self.properties[number])
        return self._goals[number]

    def _bad(self, number: int) -> Term:
        return z3.Or(self._goal(number), self.relation.fails)

    def _no_step_leaves(self) -> bool:
        solver = _solver()
        relation = self.relation
        cells = [c for c in relation.cells if c.before is not None]
        after = substituted(relation.within, [c.before for c in cells], [c.after for c in cells])
        solver.add(relation.within, relation.step, z3.Not(after))
        return ask(solver, self.seconds()) == "unsat"

    def _step(self, proof: Proof) -> bool:
        relation = self.relation
        run = Unrolling(relation, _solver(), initial=False, name="s")
        bad = self._bad(proof.number)
        for at in range(proof.steps + 1):
            if at:
                run.solver.add(z3.Not(run.at(bad, at - 1)))
                run.extend()
            run.solver.add(run.at(relation.within, at))
            for lemma in proof.lemmas:
                run.solver.add(z3.Not(run.at(self._goal(lemma), at)))
        for fact in proof.facts:
            term = relation.fact(fact)
            for at in range(proof.steps + 1):
                run.solver.add(run.at(term, at))
        for i, j in proof.apart:
            run.solver.add(z3.Not(run.same(i, j)))
        for i in proof.away:
            run.solver.add(z3.Not(run.at(relation.is_initial, i)))
        run.solver.add(run.at(bad, proof.steps))
        return ask(run.solver, self.seconds()) == "unsat"


def _solver() -> Any:
    """A solver by another way than that of the search, which asks one that only knows SAT."""
    solver = z3.SolverFor("QF_BV")
    solver.set("random_seed", SEED)
    return solver
