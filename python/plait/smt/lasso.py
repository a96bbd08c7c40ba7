"""Runs of a bounded length on which an LTL formula does not hold, as clauses.

The violations of a formula are the runs on which its dual holds, where each condition is replaced
by its not being true. Such a run is found as its first k steps, in one of two forms: the last state
is that of an earlier position (a *lasso*), or what was seen is enough, however the run goes on.
Biere, Cimatti, Clarke, Zhu, *Symbolic model checking without BDDs* (1999); the clauses are those of
Biere, Heljanko, Junttila, Latvala, Schuppan, *Linear encodings of bounded LTL model checking*
(2006), as many as there are positions, and added to as the bound grows:

- each temporal sub-formula has a literal at each position, which implies what the sub-formula says
  of this position and the next one;
- at the last position it implies what can be seen there alone, or that it holds where the lasso
  goes back to: a copy of that position (`loop`), chosen once;
- an eventuality that is taken around the lasso must be met inside of it.

Invariant: a literal implies its sub-formula, never the other way round; so what the solver finds is
a violation, and whatever violates the formula in one of the two forms is found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from plait.logic.formula import (
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import DUAL
from plait.logic.walk import fold_temporal
from plait.model.expr import And, Formula, Or
from plait.records import dataclass
from plait.smt.make import FALSE, Term, all_of, negation, some_of
from plait.smt.scheduled import ScheduledRun

EVENTUALITIES = (Finally, Until, StrongRelease)


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-formula of the dual: an operator and its operands; or the number of a condition.

    The part of a condition holds where the condition is not true, or with `positive` where it is.
    """

    operator: type[Formula] | None
    operands: tuple[int, ...] = ()
    condition: int = 0
    positive: bool = False


def dual(formula: Formula, conditions: Mapping[int, int]) -> list[Part]:
    """The sub-formulas of what violates a formula in negation normal form, the whole one last.

    `conditions` gives, by their identities, the numbers of its largest state formulas.
    """
    parts: list[Part] = []
    known: dict[Part, int] = {}

    def visit(f: Formula, below: list[int]) -> int:
        if id(f) in conditions:
            part = Part(None, condition=conditions[id(f)])
        elif isinstance(f, And | Or):
            part = Part(Or if isinstance(f, And) else And, tuple(below))
        else:
            assert isinstance(f, Temporal)
            part = Part(DUAL[type(f)], tuple(below))
        if part not in known:
            known[part] = len(parts)
            parts.append(part)
        return known[part]

    root = fold_temporal(formula, visit)
    assert root == len(parts) - 1
    return parts


class Violations:
    """The clauses of a dual along a run, which grows."""

    def __init__(
        self, run: ScheduledRun, parts: Sequence[Part], conditions: Sequence[Term]
    ) -> None:
        """`conditions` are terms over one state."""
        self.run = run
        self.parts = parts
        self.conditions = conditions
        self.temporal = [f for f, p in enumerate(parts) if p.operator not in (None, And, Or)]
        self._rows: list[list[Term]] = []
        self.starts: list[Term] = []
        """For each position, that the lasso goes back to it."""
        self._inside: list[Term] = []
        """For each position, that it is one of the lasso."""
        self._met: dict[int, list[Term]] = {
            f: [] for f in self.temporal if parts[f].operator in EVENTUALITIES
        }
        """For each eventuality and position, that it was met in the lasso so far."""
        self._state = run.fresh_state("loop")
        self._loop = {f: z3.Bool(f"f{f}@loop") for f in self.temporal}
        self._position()

    def advance(self) -> None:
        """One step more."""
        self.run.extend()
        self._position()
        at = len(self._rows) - 2
        for f in self.temporal:
            self._imply(self._rows[at][f], self._onward(f, at))

    def bound(self) -> Term:
        """A literal under which the run ends where it is, and the dual holds on it."""
        at = len(self._rows) - 1
        last = z3.Bool(f"bound@{at}")
        self._imply(last, self._rows[0][-1])
        full = self.run.schedule.last_full(at)
        closed = FALSE if full is None else self._inside[full]
        if full is not None:
            self._imply(all_of([last, closed]), self.run.is_state(at, self._state))
            for f, met in self._met.items():
                self._imply(all_of([last, closed, self._loop[f]]), met[at - 1])
        for f in self.temporal:
            around = all_of([closed, self._loop[f]])
            seen = self._seen(f, self._rows[at])
            self._imply(all_of([last, self._rows[at][f]]), some_of([seen, around]))
        return last

    def goes_back_to(self) -> int | None:
        """The position that the run which the solver found goes back to; None if it need not."""
        full = self.run.schedule.last_full(len(self._rows) - 1)
        places = range(0 if full is None else full + 1)
        return next((i for i in places if self.run.holds(self.starts[i])), None)

    def _position(self) -> None:
        """The literals of the last position of the run, and that the lasso may begin there."""
        at = len(self._rows)
        row: list[Term] = []
        for f, part in enumerate(self.parts):
            if part.operator is None:
                here = self.run.at(self.conditions[part.condition], at)
                row.append(here if part.positive else negation(here))
            elif part.operator is And:
                row.append(all_of([row[g] for g in part.operands]))
            elif part.operator is Or:
                row.append(some_of([row[g] for g in part.operands]))
            else:
                row.append(z3.Bool(f"f{f}@{at}"))
        self._rows.append(row)
        start, inside = z3.Bool(f"start@{at}"), z3.Bool(f"inside@{at}")
        before = self._inside[-1] if at else FALSE
        self.run.solver.add(inside == some_of([before, start]))
        self._imply(start, negation(before))
        self._imply(start, self.run.is_state(at, self._state))
        for f in self.temporal:
            self._imply(all_of([start, self._loop[f]]), row[f])
        for f, met in self._met.items():
            literal = z3.Bool(f"met{f}@{at}")
            now = all_of([inside, self._seen(f, row)])
            self._imply(literal, some_of([met[-1], now]) if met else now)
            met.append(literal)
        self.starts.append(start)
        self._inside.append(inside)

    def _seen(self, f: int, row: Sequence[Term]) -> Term:
        """That the position alone decides a temporal formula."""
        part = self.parts[f]
        a, b = row[part.operands[0]], row[part.operands[-1]]
        if part.operator in (Finally, Until, WeakUntil):
            return b
        return all_of([a, b]) if part.operator in (Release, StrongRelease) else FALSE

    def _onward(self, f: int, at: int) -> Term:
        """What a temporal formula says of a position and the next one."""
        part, row, after = self.parts[f], self._rows[at], self._rows[at + 1]
        a, b = row[part.operands[0]], row[part.operands[-1]]
        match part.operator:
            case operator if operator is Next:
                return after[part.operands[0]]
            case operator if operator is Finally:
                return some_of([a, after[f]])
            case operator if operator is Globally:
                return all_of([a, after[f]])
            case operator if operator in (Until, WeakUntil):
                return some_of([b, all_of([a, after[f]])])
            case _:
                return all_of([b, some_of([a, after[f]])])

    def _imply(self, condition: Any, consequence: Any) -> None:
        self.run.solver.add(some_of([negation(condition), consequence]))


__all__ = ["Part", "Violations", "dual"]
