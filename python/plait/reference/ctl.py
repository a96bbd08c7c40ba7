"""CTL by labelling the states of the reachable graph with the sub-formulas that hold there.

Paths are maximal: infinite, or ending in a deadlock. Each operator is a fixpoint of its expansion;
`f U g`, for example, is `g or (f and next (f U g))`. What `next` asks at a deadlock, where the path
ends, depends on which fixpoint is meant. An *eventuality* (F, U, M: a least fixpoint) that is still
open is not fulfilled; an *invariance* (G, W, R: a greatest fixpoint) that was kept so far is kept.

The textbook convention looks at infinite paths only: at a deadlock there is none, so no E operator
has one to go on with, and every A operator is content.

Negations are pushed to the atoms first, and an atom that is undefined does not hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

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
from plait.reference.graph import Graph
from plait.report.answer import Witness

Numbers = frozenset[int]
"""A set of states of the graph."""
Atom = Callable[[Formula, int], bool]
"""Whether an atom, or a negated one, holds in a state of the graph."""


@dataclass(frozen=True, slots=True)
class PathFormula:
    """A path operator over sets of states: what a quantifier is applied to."""

    operator: type[Temporal]
    operands: tuple[Numbers, ...]


class Labelling:
    """The states of a graph in which CTL formulas hold."""

    def __init__(self, graph: Graph, holds: Atom, textbook: bool = False) -> None:
        self.graph = graph
        self.holds = holds
        self.textbook = textbook
        self.all: Numbers = frozenset(range(len(graph.states)))
        self.successors = [list(dict.fromkeys(n for _, n in arcs)) for arcs in graph.arcs]

    def states(self, formula: Formula) -> Numbers:
        """The states in which a CTL formula holds."""
        wrong = why_not_ctl(formula)
        if wrong is not None:
            raise InputError(wrong)
        return cast(Numbers, fold_formula(nnf(formula), self._label))

    def _label(self, f: Formula, below: list[Numbers | PathFormula]) -> Numbers | PathFormula:
        match f:
            case And():
                return self.all.intersection(*cast(list[Numbers], below))
            case Or():
                return frozenset().union(*cast(list[Numbers], below))
            case Forall() | Exists():
                return self.quantified(isinstance(f, Forall), cast(PathFormula, below[0]))
            case UnaryTemporal() | BinaryTemporal():
                return PathFormula(type(f), tuple(cast(list[Numbers], below)))
            case _:
                return frozenset(n for n in self.all if self.holds(f, n))

    def quantified(self, universal: bool, path: PathFormula) -> Numbers:
        """The states from which all paths, or some path, satisfy a path formula."""
        f, g = path.operands[0], path.operands[-1]
        nothing: Numbers = frozenset()
        if path.operator is Next:
            # X asks for a next state; A X asks it of all that there are, also if there are none.
            return frozenset(n for n in self.all if self._next(n, universal, f, ended=universal))
        if path.operator is Finally:
            return self._eventually(universal, self.all, f)
        if path.operator is Globally:
            return self._invariantly(universal, f, nothing)
        if path.operator is Until:
            return self._eventually(universal, f, g)
        if path.operator is WeakUntil:
            return self._invariantly(universal, f, g)
        if path.operator is StrongRelease:
            return self._eventually(universal, g, f & g)
        assert path.operator is Release
        return self._invariantly(universal, g, f & g)

    def _eventually(self, universal: bool, stay: Numbers, goal: Numbers) -> Numbers:
        """The least set with all of `goal`, and the states of `stay` that go on inside it."""
        ended = self.textbook and universal
        found, changed = set(goal), True
        while changed:
            changed = False
            for n in sorted(stay - found, reverse=True):
                if self._next(n, universal, found, ended):
                    found.add(n)
                    changed = True
        return frozenset(found)

    def _invariantly(self, universal: bool, stay: Numbers, goal: Numbers) -> Numbers:
        """The greatest set of states that are in `goal`, or in `stay` and go on inside it."""
        ended = universal or not self.textbook
        left, changed = set(stay | goal), True
        while changed:
            changed = False
            for n in sorted(left - goal, reverse=True):
                if not self._next(n, universal, left, ended):
                    left.remove(n)
                    changed = True
        return frozenset(left)

    def _next(self, n: int, universal: bool, where: set[int] | Numbers, ended: bool) -> bool:
        """Whether all, or some, successors are there; `ended` is the answer at a deadlock."""
        after = self.successors[n]
        if not after:
            return ended
        return all(m in where for m in after) if universal else any(m in where for m in after)

    # --- witnesses --------------------------------------------------------------------------------

    def witness(self, formula: Formula) -> Witness | None:
        """A path from the initial state that shows why the formula holds or does not.

        There is one for E operators that hold and A operators that do not, when they are outermost;
        it shows the outermost operator only.
        """
        formula = nnf(formula)
        if not isinstance(formula, Forall | Exists) or self.textbook:
            return None
        holds = 0 in self.states(formula)
        if holds != isinstance(formula, Exists):
            return None
        path = fold_formula(formula.operand, self._label)
        assert isinstance(path, PathFormula)
        if not holds:
            refuted = tuple(self.all - operand for operand in path.operands)
            path = PathFormula(DUAL[path.operator], refuted)
        return self._path(path)

    def _path(self, path: PathFormula) -> Witness | None:
        """A path from the initial state that satisfies a path formula, if there is one."""
        f, g = path.operands[0], path.operands[-1]
        if path.operator is Next:
            return next((self.graph.walk([0, n]) for n in self.successors[0] if n in f), None)
        if path.operator is Finally:
            return self._finite(self.all, f)
        if path.operator is Globally:
            return self._endless(f)
        if path.operator is Until:
            return self._finite(f, g)
        if path.operator is WeakUntil:
            return self._finite(f, g) or self._endless(f)
        if path.operator is StrongRelease:
            return self._finite(g, f & g)
        return self._finite(g, f & g) or self._endless(g)

    def _finite(self, stay: Numbers, goal: Numbers) -> Witness | None:
        """A shortest path through `stay` to `goal`."""
        path = shortest(self.successors, 0, stay, goal)
        return None if path is None else self.graph.walk(path)

    def _endless(self, stay: Numbers) -> Witness | None:
        """A path that never leaves `stay`: a lasso, or one to a deadlock, which repeats."""
        inside = self.quantified(False, PathFormula(Globally, (stay,)))
        if 0 not in inside:
            return None
        path = [0]
        while True:
            after = [n for n in self.successors[path[-1]] if n in inside]
            if not after:
                return self.graph.walk(path, loop=len(path) - 1)
            path.append(after[0])
            if after[0] in path[:-1]:
                return self.graph.walk(path, loop=path.index(after[0]))


def shortest(
    successors: list[list[int]], start: int, stay: Numbers, goal: Numbers
) -> list[int] | None:
    """The numbers on a shortest path to `goal` whose states before are all in `stay`."""
    came_from = {start: start}
    queue = deque([start])
    while queue:
        n = queue.popleft()
        if n in goal:
            path = [n]
            while path[-1] != start:
                path.append(came_from[path[-1]])
            return path[::-1]
        if n in stay:
            for m in successors[n]:
                if m not in came_from:
                    came_from[m] = n
                    queue.append(m)
    return None
