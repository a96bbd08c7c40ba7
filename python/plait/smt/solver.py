"""Z3's solver for finite domains, made anew after it was stopped.

It turns bit-vectors into clauses at once and keeps what it learns. A question that its time ended,
though, may have been stopped while terms were made into clauses; some of these are then missing for
good, and later answers are about another problem: runs that do not exist. So what was added is kept
here, and after `unknown` a new solver begins with it.
"""

from __future__ import annotations

from typing import Any

import z3

from plait.smt.make import Term


class FiniteSolver:
    """As much of `z3.Solver` as runs need."""

    def __init__(self) -> None:
        self._added: list[Term] = []
        self._solver: Any = _new()

    def add(self, *terms: Term) -> None:
        """Terms that must hold from now on."""
        self._added += terms
        self._solver.add(*terms)

    def set(self, option: str, value: object) -> None:
        """An option of the next question."""
        self._solver.set(option, value)

    def check(self, *assumptions: Term) -> Any:
        """Z3's verdict; after `unknown` nothing that was learned is left."""
        found = self._solver.check(*assumptions)
        if found == z3.unknown:
            self._solver = _new()
            self._solver.add(*self._added)
        return found

    def model(self) -> Any:
        """What satisfies the terms, after `sat`."""
        return self._solver.model()

    def statistics(self) -> Any:
        """What the solver tells about its work."""
        return self._solver.statistics()


def _new() -> Any:
    return z3.SolverFor("QF_FD")


__all__ = ["FiniteSolver"]
