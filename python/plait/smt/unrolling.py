"""The relation copied along a run of a solver: states 0, 1, 2, ... and the steps between them.

The terms are made once; a copy for another place of the run only replaces their variables, inside
the solver's library. Asking for a goal at a state is a question under an assumption, so that what
the solver learns about the run is kept for the next goal and the next depth.
"""

from __future__ import annotations

from typing import Any, Literal

import z3

from plait.model.shape import State
from plait.smt.make import Term
from plait.smt.relation import Relation

Verdict = Literal["sat", "unsat", "unknown"]


class Unrolling:
    """A run of a relation in a solver; with `initial` it begins in the initial state."""

    def __init__(self, relation: Relation, solver: Any, *, initial: bool, name: str) -> None:
        self.relation = relation
        self.solver = solver
        self.name = name
        self._cells = [c for c in relation.cells if c.before is not None]
        self._numbers = [i for i, c in enumerate(relation.cells) if c.before is not None]
        first = [
            c.literal(relation.initial[i]) if initial else self._variable(i, 0, c.bits)
            for i, c in zip(self._numbers, self._cells, strict=True)
        ]
        self.states: list[list[Term]] = [first]
        self.choices: list[Term] = []
        self._assumed = 0

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return len(self.choices)

    def extend(self) -> None:
        """One step more."""
        at = self.steps + 1
        after = [
            self._variable(i, at, c.bits) for i, c in zip(self._numbers, self._cells, strict=True)
        ]
        choice = z3.BitVec(f"{self.name}choice@{at}", self.relation.choice.size())
        old = [c.before for c in self._cells] + [c.after for c in self._cells]
        new = self.states[-1] + after
        self.solver.add(
            substituted(self.relation.step, [*old, self.relation.choice], [*new, choice])
        )
        self.states.append(after)
        self.choices.append(choice)

    def at(self, term: Term, state: int) -> Term:
        """A term over the variables `before`, in the state with that number."""
        return substituted(term, [c.before for c in self._cells], self.states[state])

    def assumption(self, term: Term) -> Term:
        """A literal that implies the term."""
        self._assumed += 1
        literal = z3.Bool(f"{self.name}assume{self._assumed}")
        self.solver.add(z3.Implies(literal, term))
        return literal

    def same(self, i: int, j: int) -> Term:
        """That two states of the run are equal."""
        pairs = zip(self.states[i], self.states[j], strict=True)
        return z3.And(*(a == b for a, b in pairs))

    def run(self, length: int) -> list[tuple[int | None, State]]:
        """The first steps of the run that the solver found: each event with the state after it."""
        model = self.solver.model()
        trace: list[tuple[int | None, State]] = []
        for at in range(length + 1):
            state = list(self.relation.initial)
            for i, cell in enumerate(self.relation.cells):
                if cell.before is None:
                    state[i] = cell.range[0]
            for i, cell, term in zip(self._numbers, self._cells, self.states[at], strict=True):
                state[i] = cell.read(model.eval(term, model_completion=True).as_long())
            event = None
            if at:
                chosen = model.eval(self.choices[at - 1], model_completion=True).as_long()
                event = self.relation.paths[chosen].event
            trace.append((event, tuple(state)))
        return trace

    def _variable(self, cell: int, at: int, bits: int) -> Term:
        return z3.BitVec(f"{self.name}c{cell}@{at}", bits)


def ask(solver: Any, seconds: float | None, *assumptions: Term) -> Verdict:
    """The solver's verdict within the time."""
    if seconds is not None:
        if seconds <= 0:
            return "unknown"
        solver.set("timeout", max(1, int(seconds * 1000)))
    found = solver.check(*assumptions)
    return "sat" if found == z3.sat else "unsat" if found == z3.unsat else "unknown"


def substituted(term: Term, old: list[Term], new: list[Term]) -> Term:
    """The term with variables replaced."""
    return z3.substitute(term, *zip(old, new, strict=True)) if old else term
