"""CTL formulas as the table that the native local search reads.

Formulas are in negation normal form. Every path operator becomes X, or the least (`until`) or the
greatest (`weak`) solution of `goal or (stay and next)`:

    F g = true U g     G f = f W false     f M g = g U (f & g)     f R g = g W (f & g)

Equal sub-formulas are one row, whatever property they stand in, and the operands of connectives
come in the order of their temporal operators, the cheapest first.

An until may have a *measure*, which says how far a state is from one that would decide it. Where
the goal has operators inside, what they aim at is aimed at (`_hope`): it only guides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from plait.engines.formulas import Formulas
from plait.errors import InputError
from plait.logic.classify import why_not_ctl
from plait.logic.evidence import costs
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.walk import fold_temporal, operands
from plait.model.expr import And, Formula, Not, Or, Truth
from plait.model.net import Net
from plait.structure import linear
from plait.structure.linear import Linear, NotLinear
from plait.structure.measure import measure

Row = tuple[str, bool, bool, tuple[int, ...], int | None]
Path = tuple[type[Temporal], tuple[int, ...], tuple[Formula, ...]]
"""An operator that still needs its quantifier: the operands as rows, and what they aim at."""
Made = tuple[int | Path, Formula]
"""What became of a sub-formula, and what it aims at, a formula about one state."""
MEASURED = 200
"""Inequalities of a goal up to which the search is guided towards it."""


class FormulaTable:
    """Rows for the formulas of one prepared model."""

    def __init__(self, formulas: Formulas, infinite: bool = False) -> None:
        self.formulas = formulas
        self.prepared = prepared = formulas.prepared
        self.infinite = infinite
        self.rows: list[Row] = []
        self.numbers: dict[int, int] = {}
        """The row of each sub-formula in negation normal form, by identity."""
        self._known: dict[Row, int] = {}
        net = prepared.net
        self._linear: Linear | None = None
        if isinstance(net, Net):
            compiled = prepared.compiled
            self._linear = Linear(net, compiled.shape, compiled.titled)

    def add(self, formula: Formula) -> int:
        """The row of a CTL formula in negation normal form."""
        wrong = why_not_ctl(formula)
        if wrong is not None:
            raise InputError(wrong)
        cost = costs(formula)

        def visit(f: Formula, below: list[Made]) -> Made:
            made = self._visit(f, below, cost)
            if isinstance(made[0], int):
                self.numbers[id(f)] = made[0]
            return made

        return cast(int, fold_temporal(formula, visit)[0])

    def _visit(self, f: Formula, below: list[Made], cost: Mapping[int, int]) -> Made:
        if not below:
            flat = self.formulas.flat(f)
            number = self.prepared.compiled.formula(flat)
            return self._row(("condition", False, False, (), number)), flat
        rows = tuple(made for made, _ in below if isinstance(made, int))
        hopes = tuple(hope for _, hope in below)
        match f:
            case And() | Or():
                order = sorted(range(len(rows)), key=lambda i: cost[id(operands(f)[i])])
                kind = "all" if isinstance(f, And) else "any"
                cheap_first = tuple(rows[i] for i in order)
                hope: Formula = And(hopes) if isinstance(f, And) else Or(hopes)
                return self._row((kind, False, False, cheap_first, None)), hope
            case Exists() | Forall():
                path = below[0][0]
                assert not isinstance(path, int)
                return self._quantified(isinstance(f, Forall), path), hopes[0]
            case Temporal():
                return (type(f), rows, hopes), _hope(type(f), hopes)
            case _:
                raise AssertionError(f"not in negation normal form: {type(f).__name__}")

    def _quantified(self, universal: bool, path: Path) -> int:
        operator, rows, hopes = path
        f, g = rows[0], rows[-1]
        to, past = hopes[-1], hopes[0]
        if operator is Next:
            return self._row(("next", universal, universal, (f,), None))
        if operator in (Finally, Until, StrongRelease):
            ended = self.infinite and universal
            stay = self._truth(True) if operator is Finally else f
            if operator is StrongRelease:
                stay, g, to = g, self._both(f, g), And(hopes)
            # All paths must get there: one that does not is what decides, and has no aim.
            aim = None if universal else self._measure(lambda: to)
            return self._row(("until", universal, ended, (stay, g), aim))
        ended = universal or not self.infinite
        stay, goal = f, g
        if operator is Globally:
            goal = self._truth(False)
        elif operator is Release:
            stay, goal, past = g, self._both(f, g), to
        aim = self._measure(lambda: nnf(Not(past))) if universal else None
        return self._row(("weak", universal, ended, (stay, goal), aim))

    def _truth(self, value: bool) -> int:
        number = self.prepared.compiled.formula(Truth(value))
        return self._row(("condition", False, False, (), number))

    def _both(self, f: int, g: int) -> int:
        return self._row(("all", False, False, (f, g), None))

    def _row(self, row: Row) -> int:
        number = self._known.get(row)
        if number is None:
            number = self._known[row] = len(self.rows)
            self.rows.append(row)
        return number

    def _measure(self, aim: Callable[[], Formula]) -> int | None:
        """The native distance of what is aimed at, where that is linear and not too large."""
        if self._linear is None:
            return None
        try:
            goal = self._linear.goal(aim(), True)
        except NotLinear:
            return None
        few = 0 < linear.size(goal) <= MEASURED
        if not few or not linear.fits(goal):
            return None
        return measure(self.prepared.compiled.program, goal).distance


def _hope(operator: type[Temporal], parts: tuple[Formula, ...]) -> Formula:
    """What a path that satisfies an operator tends to: a formula about one state."""
    if operator in (Until, Finally, Globally, Next):
        return parts[-1]
    if operator is WeakUntil:
        return Or(parts)
    return And(parts) if operator is StrongRelease else parts[1]


__all__ = ["FormulaTable", "Row"]
