"""CTL on diagrams, backward: the set of states in which a formula holds, from the atoms up.

As `plait.reference.ctl` does on the explicit graph: negations are pushed to the atoms, an atom that
is undefined does not hold, and paths are maximal. An A operator is the complement of the E operator
that is its dual. Equal sets are the same diagram, so that an operator is computed once for the sets
it is applied to, in whatever formula it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from plait import _core
from plait.engines.symbolic.tuning import AlwaysWay
from plait.errors import InputError
from plait.logic.classify import why_not_ctl
from plait.logic.evidence import Claim
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
from plait.logic.walk import fold_temporal
from plait.model.expr import And, Formula, Or
from plait.program import Compiled
from plait.records import dataclass

States = _core.StateSet
UntilWay = Literal["traditional", "classified", "classified-stay", "constrained"]


@dataclass(frozen=True, slots=True)
class PathFormula:
    """A path operator over sets of states: what a quantifier is applied to."""

    operator: type[Temporal]
    operands: tuple[States, ...]


class SymbolicLabelling:
    """The reachable states in which CTL formulas hold."""

    def __init__(
        self,
        compiled: Compiled,
        core: _core.Symbolic,
        reached: States,
        *,
        until: UntilWay = "constrained",
        always: AlwaysWay = "traditional",
        conditions: Mapping[Formula, Formula] | None = None,
        fair: Sequence[Formula] = (),
        maximal: bool = True,
    ) -> None:
        """`conditions` gives what has become of the state formulas of the original model.

        With `fair`, only paths on which each of these conditions holds again and again count; paths
        that end in a deadlock count if they are to be `maximal`.
        """
        self.maximal = maximal
        self.compiled = compiled
        self.core = core
        self.conditions = conditions or {}
        self.until: UntilWay = until
        self.always: AlwaysWay = always
        self.all = reached
        self.nothing = core.difference(reached, reached)
        self._conditions: dict[Formula, States] = {}
        self._known: dict[PathFormula, States] = {}
        self.fair = [self._condition(f) for f in fair]

    def states(self, formula: Formula) -> States:
        """The states in which a CTL formula holds."""
        wrong = why_not_ctl(formula)
        if wrong is not None:
            raise InputError(wrong)
        return self.label(nnf(formula))

    def label(self, formula: Formula) -> States:
        """The states in which a CTL formula in negation normal form holds."""
        return cast(States, fold_temporal(formula, self._label))

    def path(self, formula: Formula) -> PathFormula:
        """The path formula that a quantifier stands before, its operands as sets."""
        return cast(PathFormula, fold_temporal(formula, self._label))

    def claimed(self, claim: Claim) -> States:
        """The states of which a claim is true."""
        found = self.label(claim[0])
        return found if claim[1] else self.complement(found)

    def _label(self, f: Formula, below: list[States | PathFormula]) -> States | PathFormula:
        match f:
            case _ if not below:
                return self._condition(f)
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
                return self.some(cast(PathFormula, below[0]))
            case Forall():
                return self.complement(self.some(self.dual(cast(PathFormula, below[0]))))
            case UnaryTemporal() | BinaryTemporal():
                return PathFormula(type(f), tuple(cast(list[States], below)))
            case _:
                raise AssertionError(f"not in negation normal form: {type(f).__name__}")

    def _condition(self, f: Formula) -> States:
        if f not in self._conditions:
            self._conditions[f] = self.select(self.all, f)
        return self._conditions[f]

    def select(self, states: States, condition: Formula) -> States:
        """The states of a set in which a condition holds that speaks of one state only."""
        flat = self.compiled.formula(self.conditions.get(condition, condition))
        return self.core.select(self.compiled.program, states, flat)

    def complement(self, states: States) -> States:
        """The reachable states that are not in a set."""
        return self.core.difference(self.all, states)

    def dual(self, path: PathFormula) -> PathFormula:
        """The path formula that holds where this one does not."""
        refuted = tuple(self.complement(operand) for operand in path.operands)
        return PathFormula(DUAL[path.operator], refuted)

    def some(self, path: PathFormula) -> States:
        """The states from which some maximal path satisfies a path formula."""
        if path not in self._known:
            self._known[path] = self._some(path, decide=False)
        return self._known[path]

    def begins(self, path: PathFormula) -> bool:
        """Whether some maximal path from the initial state satisfies a path formula.

        The fixpoint is not computed further than that takes.
        """
        found = self.some(path) if self.fair else self._known.get(path)
        if found is None:
            found = self._some(path, decide=True)
        return self.core.holds_initially(found)

    def _some(self, path: PathFormula, decide: bool) -> States:
        if self.fair:
            return self._some_fair(path)
        core, f, g = self.core, path.operands[0], path.operands[-1]
        if path.operator is Next:
            return core.predecessors(f)
        if path.operator is Finally:
            return self._eventually(self.all, f, decide)
        if path.operator is Globally:
            return self._invariantly(f, self.nothing, decide)
        if path.operator is Until:
            return self._eventually(f, g, decide)
        if path.operator is WeakUntil:
            return self._invariantly(f, g, decide)
        if path.operator is StrongRelease:
            return self._eventually(g, core.intersection(f, g), decide)
        assert path.operator is Release
        return self._invariantly(g, core.intersection(f, g), decide)

    def _eventually(self, stay: States, goal: States, decide: bool) -> States:
        return self.core.eventually(stay, goal, way=self.until, decide=decide)

    def _invariantly(self, stay: States, goal: States, decide: bool) -> States:
        return self.core.invariantly(
            stay, goal, way=self.always, maximal=self.maximal, decide=decide
        )

    def deadlocks(self) -> States:
        """The states in which a path may end."""
        return self.core.deadlocks() if self.maximal else self.nothing

    def _some_fair(self, path: PathFormula) -> States:
        """The states from which some fair path satisfies a path formula."""
        core, f, g = self.core, path.operands[0], path.operands[-1]
        if path.operator is Globally:
            return self._fair_for_ever(f)
        begins = self.some(PathFormula(Globally, (self.all,)))
        if path.operator is Next:
            return core.predecessors(core.intersection(f, begins))
        if path.operator is Finally:
            return self._eventually(self.all, core.intersection(f, begins), decide=False)
        stay, goal = (f, g) if path.operator in (Until, WeakUntil) else (g, core.intersection(f, g))
        found = self._eventually(stay, core.intersection(goal, begins), decide=False)
        if path.operator in (WeakUntil, Release):
            found = core.union(found, self.some(PathFormula(Globally, (stay,))))
        return found

    def _fair_for_ever(self, stay: States) -> States:
        """The states from which a fair path never leaves a set.

        After Emerson and Lei: the greatest set from each of whose states a path inside `stay`
        leads, in one step or more, to a state of the set in each constraint.
        """
        core, left = self.core, stay
        while True:
            before = left
            for constraint in self.fair:
                goal = core.intersection(left, constraint)
                leads = core.predecessors(self._eventually(stay, goal, decide=False))
                left = core.intersection(left, leads)
            if left == before:
                break
        ends = core.intersection(stay, self.deadlocks())
        for constraint in self.fair:
            ends = core.intersection(ends, constraint)
        return core.union(left, self._eventually(stay, ends, decide=False))
