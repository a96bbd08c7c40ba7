"""CTL on diagrams, the classical way: sets of states, computed backward from the atoms.

As `plait.reference.ctl` does on the explicit graph: negations are pushed to the atoms, an atom that
is undefined does not hold, and paths are maximal. An A operator is the complement of the E operator
that is its dual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from plait import _core
from plait.errors import InputError
from plait.logic.classify import why_not_ctl
from plait.logic.formula import (
    BinaryTemporal,
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    UnaryTemporal,
    Until,
    WeakUntil,
)
from plait.logic.nnf import DUAL, nnf
from plait.logic.walk import fold_formula
from plait.model.expr import And, Formula, Or
from plait.program import Compiled

States = _core.StateSet


@dataclass(frozen=True, slots=True)
class PathFormula:
    """A path operator over sets of states: what a quantifier is applied to."""

    operator: type[Temporal]
    operands: tuple[States, ...]


class SymbolicLabelling:
    """The reachable states in which CTL formulas hold."""

    def __init__(self, compiled: Compiled, core: _core.Symbolic, reached: States) -> None:
        self.compiled = compiled
        self.core = core
        self.all = reached
        self.nothing = core.difference(reached, reached)

    def states(self, formula: Formula) -> States:
        """The states in which a CTL formula holds."""
        wrong = why_not_ctl(formula)
        if wrong is not None:
            raise InputError(wrong)
        return cast(States, fold_formula(nnf(formula), self._label))

    def _label(self, f: Formula, below: list[States | PathFormula]) -> States | PathFormula:
        match f:
            case And():
                found = self.all
                for operand in cast(list[States], below):
                    found = self.core.intersection(found, operand)
                return found
            case Or():
                found = self.nothing
                for operand in cast(list[States], below):
                    found = self.core.union(found, operand)
                return found
            case Exists():
                return self._some(cast(PathFormula, below[0]))
            case Forall():
                path = cast(PathFormula, below[0])
                refuted = tuple(self._not(operand) for operand in path.operands)
                return self._not(self._some(PathFormula(DUAL[path.operator], refuted)))
            case UnaryTemporal() | BinaryTemporal():
                return PathFormula(type(f), tuple(cast(list[States], below)))
            case _:
                condition = self.compiled.formula(f)
                return self.core.select(self.compiled.program, self.all, condition)

    def _not(self, states: States) -> States:
        return self.core.difference(self.all, states)

    def _some(self, path: PathFormula) -> States:
        """The states from which some maximal path satisfies a path formula."""
        core, f, g = self.core, path.operands[0], path.operands[-1]
        if path.operator is Next:
            return core.predecessors(f)
        if path.operator is Finally:
            return core.eventually(self.all, f)
        if path.operator is Globally:
            return core.invariantly(f, self.nothing)
        if path.operator is Until:
            return core.eventually(f, g)
        if path.operator is WeakUntil:
            return core.invariantly(f, g)
        if path.operator is StrongRelease:
            return core.eventually(g, core.intersection(f, g))
        assert path.operator is Release
        return core.invariantly(g, core.intersection(f, g))
