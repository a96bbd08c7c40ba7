"""k-induction: what no run of k steps can leave, and holds at first, holds always.

Let a *bad* state be one that decides the property, or from which an event fails. If no run of fewer
than k steps from the initial state meets a bad one (the base), and no run of k steps through good
states, from wherever, ends in a bad one (the step, here), then no bad state is reachable
(Sheeran, Singh and Stalmarck, "Checking safety properties using induction and a SAT-solver", 2000).

The runs of the step may be taken to be the ends of a shortest run to a bad state, longer than k
steps since the base here goes up to k. So no state comes
twice and none is the initial one; both are asked only of counterexamples that need it, as Een and
Sorensson do ("Temporal induction by incremental SAT solving", 2003). And they may be taken to
satisfy all that is known of reachable states: the ranges of the cells, properties that are proved
already, and of nets their invariants and traps (`plait.smt.facts`).

k = 0 is the question whether what is known excludes bad states by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from plait.model.shape import State
from plait.records import dataclass
from plait.smt.facts import Fact
from plait.smt.make import Term
from plait.smt.relation import Relation
from plait.smt.unrolling import Unrolling, Verdict, ask

MOST_REPAIRS = 200
"""Counterexamples that no shortest run is, or that a fact excludes, that one question may take."""


@dataclass(frozen=True, slots=True)
class Proof:
    """That a goal is unreachable: the depth of the induction, and what it took for granted."""

    number: int
    """Which goal."""
    steps: int
    lemmas: tuple[int, ...] = ()
    """Goals that were proved to be unreachable before."""
    apart: tuple[tuple[int, int], ...] = ()
    """Pairs of states of the run that were taken to be different."""
    away: tuple[int, ...] = ()
    """States of the run that were taken not to be the initial one."""
    facts: tuple[Fact, ...] = ()
    """What was taken to hold of every state: facts about a net."""


class Induction:
    """The induction step for several goals, at greater and greater depths; they share the run."""

    def __init__(self, relation: Relation, solver: Any, goals: Mapping[int, Term]) -> None:
        self.relation = relation
        self.bad = {n: z3.Or(goal, relation.fails) for n, goal in goals.items()}
        self.goals = goals
        self.run = Unrolling(relation, solver, initial=False, name="i")
        self.lemmas: list[int] = []
        self._good = {n: z3.Bool(f"good{n}") for n in goals}
        """Assumptions that a goal's bad states come only at the end of the run."""
        self._apart: set[tuple[int, int]] = set()
        self._away: set[int] = set()
        self._facts: list[tuple[Fact, Term]] = []
        solver.add(self.run.at(relation.within, 0))
        if relation.facts is not None:
            for fact in relation.facts.known:
                self._assert(fact)

    def deepen(self) -> None:
        """One step more: what was the last state is a good one now."""
        run = self.run
        for n, bad in self.bad.items():
            run.solver.add(z3.Implies(self._good[n], z3.Not(run.at(bad, run.steps))))
        run.extend()
        run.solver.add(run.at(self.relation.within, run.steps))
        for n in self.lemmas:
            run.solver.add(z3.Not(run.at(self.goals[n], run.steps)))
        for _, term in self._facts:
            run.solver.add(run.at(term, run.steps))

    def prove(self, number: int, seconds: float | None) -> Proof | Verdict:
        """A proof at this depth; "sat" when there is none, "unknown" when time is over."""
        run = self.run
        assumed = run.assumption(run.at(self.bad[number], run.steps))
        for _ in range(MOST_REPAIRS):
            verdict = ask(run.solver, seconds, assumed, self._good[number])
            if verdict == "unsat":
                apart, away = tuple(sorted(self._apart)), tuple(sorted(self._away))
                facts = tuple(fact for fact, _ in self._facts)
                return Proof(number, run.steps, tuple(self.lemmas), apart, away, facts)
            if verdict == "unknown" or not self._repair(seconds):
                return verdict
        return "unknown"

    def learn(self, number: int) -> None:
        """A goal is unreachable, as is proved and checked: the others may rely on it."""
        self.lemmas.append(number)
        del self.bad[number]
        for state in range(self.run.steps + 1):
            self.run.solver.add(z3.Not(self.run.at(self.goals[number], state)))

    def forget(self, number: int) -> None:
        """Nothing more is asked about a goal."""
        self.bad.pop(number, None)

    def _assert(self, fact: Fact) -> None:
        """The fact holds in every state of the run."""
        term = self.relation.fact(fact)
        self._facts.append((fact, term))
        for state in range(self.run.steps + 1):
            self.run.solver.add(self.run.at(term, state))

    def _contradicted(self, states: Sequence[State], seconds: float | None) -> bool:
        """Learn facts about the net that states of the counterexample contradict."""
        if self.relation.facts is None:
            return False
        for state in states:
            fact = self.relation.facts.excluding(state, seconds)
            if fact is not None:
                self._assert(fact)
                return True
        return False

    def _repair(self, seconds: float | None) -> bool:
        """Exclude what no shortest run does from the counterexample; whether it did something."""
        run = self.run
        states = [state for _, state in run.run(run.steps)]
        if self._contradicted(states, seconds):
            return True
        seen: dict[State, int] = {}
        found = False
        for i, state in enumerate(states):
            if state == self.relation.initial and i not in self._away:
                self._away.add(i)
                run.solver.add(z3.Not(run.at(self.relation.is_initial, i)))
                found = True
            j = seen.setdefault(state, i)
            if j != i and (j, i) not in self._apart:
                self._apart.add((j, i))
                run.solver.add(z3.Not(run.same(j, i)))
                found = True
        return found
