"""CTL by labelling the states of the reachable graph with the sub-formulas that hold there.

Paths are maximal: infinite, or ending in a deadlock. Each operator is a fixpoint of its expansion;
`f U g`, for example, is `g or (f and next (f U g))`. What `next` asks at a deadlock, where the path
ends, depends on which fixpoint is meant. An *eventuality* (F, U, M: a least fixpoint) that is still
open is not fulfilled; an *invariance* (G, W, R: a greatest fixpoint) that was kept so far is kept.

The textbook convention looks at infinite paths only: at a deadlock there is none, so no E operator
has one to go on with, and every A operator is content.

Under fairness constraints (sets of states) only *fair* paths count: those that are in each of the
sets again and again; a deadlock, which repeats, must be in all of them. A fair path for EG is found
by looking for a component of the graph that meets all sets.

Negations are pushed to the atoms first, and an atom that is undefined does not hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from plait.errors import InputError
from plait.hints import cast
from plait.logic.classify import why_not_ctl
from plait.logic.evidence import Claim, Shown, grow
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
from plait.records import dataclass, replace
from plait.reference.graph import Graph
from plait.report.answer import Branch, Witness

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

    def __init__(
        self, graph: Graph, holds: Atom, textbook: bool = False, fair: Sequence[Formula] = ()
    ) -> None:
        self.graph = graph
        self.holds = holds
        self.textbook = textbook
        self.all: Numbers = frozenset(range(len(graph.states)))
        self.successors = [list(dict.fromkeys(n for _, n in arcs)) for arcs in graph.arcs]
        self.fair = [frozenset(n for n in self.all if holds(f, n)) for f in map(nnf, fair)]

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
        if self.fair:
            return self._fairly(universal, path)
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

    def _fairly(self, universal: bool, path: PathFormula) -> Numbers:
        """As `quantified`, where only fair paths count."""
        if universal:
            refuted = tuple(self.all - operand for operand in path.operands)
            return self.all - self._fairly(False, PathFormula(DUAL[path.operator], refuted))
        f, g = path.operands[0], path.operands[-1]
        begins = self._fair_for_ever(self.all)
        if path.operator is Next:
            return frozenset(n for n in self.all if self._next(n, False, f & begins, ended=False))
        if path.operator is Finally:
            return self._eventually(False, self.all, f & begins)
        if path.operator is Globally:
            return self._fair_for_ever(f)
        if path.operator in (Until, WeakUntil):
            found = self._eventually(False, f, g & begins)
            return found | self._fair_for_ever(f) if path.operator is WeakUntil else found
        found = self._eventually(False, g, f & g & begins)
        return found | self._fair_for_ever(g) if path.operator is Release else found

    def _fair_for_ever(self, stay: Numbers) -> Numbers:
        """The states from which a fair path never leaves `stay`."""
        ends: set[int] = set()
        for component in components(self.successors, stay):
            if all(component & constraint for constraint in self.fair):
                ends |= component
        if not self.textbook:
            dead = {n for n in stay if not self.successors[n]}
            ends |= dead.intersection(*self.fair)
        return self._eventually(False, stay, frozenset(ends))

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

    def witness(self, formula: Formula) -> tuple[Witness, bool] | None:
        """Paths that show why the formula holds initially or does not, and whether some are cut.

        None when no path can show a part of it.
        """
        if self.fair:
            return None
        body = nnf(formula)
        claim = (body, 0 in self.states(body))
        tree = grow(_Paths(self), claim, 0)
        return None if tree is None else (self._witness(tree.root), tree.cut)

    def _witness(self, root: Shown[int]) -> Witness:
        """A tree of paths through the graph; branches are as deep as operators are nested."""
        branches = tuple(Branch(at, self._witness(shown)) for at, shown in root.branches)
        walk = self.graph.walk([n for _, n in root.hops], loop=root.loop)
        formula, holds = root.claim
        shows, refutes = (formula, None) if holds else (None, formula)
        return replace(walk, branches=branches, shows=shows, refutes=refutes)


class _Paths:
    """Paths of a graph that satisfy claims."""

    def __init__(self, labelling: Labelling) -> None:
        self.labelling = labelling
        self.successors = labelling.successors
        self._known: dict[tuple[int, bool], tuple[Formula, Numbers]] = {}
        self._loops: dict[Numbers, tuple[Numbers, Numbers]] = {}

    def states(self, claims: Sequence[Claim]) -> Numbers:
        """The states of which all claims are true."""
        found = self.labelling.all
        for formula, holds in claims:
            key = (id(formula), holds)
            if key not in self._known:
                true = cast(Numbers, fold_formula(formula, self.labelling._label))
                self._known[key] = (formula, true if holds else self.labelling.all - true)
            found &= self._known[key][1]
        return found

    def is_true(self, claim: Claim, state: int) -> bool:
        """Whether a claim is true of a state."""
        return state in self.states([claim])

    def path(
        self, state: int, stay: Sequence[Claim], goal: Sequence[Claim], moved: bool
    ) -> list[tuple[object, int]] | None:
        """A shortest path to the goal, in `stay` until there; with `moved` not of zero steps."""
        path = shortest(self.successors, state, self.states(stay), self.states(goal), moved)
        return None if path is None else [(None, n) for n in path]

    def lasso(
        self, state: int, stay: Sequence[Claim]
    ) -> tuple[list[tuple[object, int]], int] | None:
        """A shortest path in `stay` to a cycle or deadlock there, and a shortest way around it."""
        inside, ends = self._ends(self.states(stay))
        path = shortest(self.successors, state, inside, ends) if state in inside else None
        if path is None:
            return None
        loop = len(path) - 1
        if self.successors[path[-1]]:
            around = shortest(self.successors, path[-1], inside, frozenset(path[-1:]), True)
            assert around is not None
            path += around[1:]
        return [(None, n) for n in path], loop

    def _ends(self, stay: Numbers) -> tuple[Numbers, Numbers]:
        """From where a path can stay there, and the states on cycles there or without successor."""
        if stay not in self._loops:
            inside = self.labelling.quantified(False, PathFormula(Globally, (stay,)))
            dead = {n for n in inside if not self.successors[n]}
            self._loops[stay] = inside, frozenset(dead | on_cycles(self.successors, inside))
        return self._loops[stay]


def shortest(
    successors: list[list[int]], start: int, stay: Numbers, goal: Numbers, moved: bool = False
) -> list[int] | None:
    """The numbers on a shortest path to `goal` whose states before are all in `stay`.

    With `moved` it has at least one step, and may come back to where it began.
    """
    if start in goal and not moved:
        return [start]
    came_from: dict[int, int] = {} if moved else {start: start}
    queue = deque([start])
    while queue:
        n = queue.popleft()
        if n not in stay:
            continue
        for m in successors[n]:
            if m in came_from:
                continue
            came_from[m] = n
            if m in goal:
                path = [m, n]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return path[::-1]
            queue.append(m)
    return None


def on_cycles(successors: list[list[int]], inside: Numbers) -> set[int]:
    """The states that lie on a cycle inside a set."""
    return set().union(*components(successors, inside))


def components(successors: list[list[int]], inside: Numbers) -> list[set[int]]:
    """The strongly connected components inside a set that have a cycle (Tarjan's, as a loop)."""
    found: list[set[int]] = []
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_states: list[int] = []
    is_open: set[int] = set()
    for root in inside:
        if root in order:
            continue
        stack = [(root, iter(successors[root]))]
        order[root] = low[root] = len(order)
        open_states.append(root)
        is_open.add(root)
        while stack:
            n, rest = stack[-1]
            m = next((m for m in rest if m in inside), None)
            if m is None:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[n])
                if low[n] == order[n]:
                    component: list[int] = []
                    while not component or component[-1] != n:
                        component.append(open_states.pop())
                    is_open.difference_update(component)
                    if len(component) > 1 or n in successors[n]:
                        found.append(set(component))
            elif m not in order:
                order[m] = low[m] = len(order)
                open_states.append(m)
                is_open.add(m)
                stack.append((m, iter(successors[m])))
            elif m in is_open:
                low[n] = min(low[n], order[m])
    return found
