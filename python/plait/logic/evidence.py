"""What shows that a CTL formula holds in a state, or that it does not: a tree of paths.

A path shows an E operator that holds, and an A operator that does not. Where such an operator
stands inside another one, a path of its own begins in the state where it decides. Nothing finite
shows that something holds on all paths, or fails on all: such parts are left out, and the tree is
then not *whole*, as when it would have more than a few paths.

Formulas are in negation normal form. An atom that is undefined does not hold, and neither does its
negation; so what is shown is a formula together with whether it holds, not its negation. How paths
are found is the business of a `Finder`: one looks at an explicit graph, another at diagrams.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence

from plait.hints import Generic, Protocol, TypeVar
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
from plait.logic.nnf import DUAL
from plait.logic.walk import fold_formula, operands
from plait.model.expr import And, Formula, Or
from plait.records import dataclass, field

PATHS = 40
"""The most paths of a tree."""
STEPS = 5_000
"""The most steps of all paths of a tree together."""

S = TypeVar("S", bound=Hashable)
Claim = tuple[Formula, bool]
"""A formula, and whether it is said to hold."""
Hops = Sequence[tuple[object, S]]
"""A path: its states, each with what leads to it (None for the first)."""
Costs = dict[int, int]
"""How many temporal operators each sub-formula has, by identity."""


class Finder(Protocol[S]):
    """Finds paths from states; a list of claims means all of them."""

    def is_true(self, claim: Claim, state: S) -> bool:
        """Whether a claim is true of a state."""

    def path(
        self, state: S, stay: Sequence[Claim], goal: Sequence[Claim], moved: bool
    ) -> Hops[S] | None:
        """A shortest path to the goal, in `stay` until there; with `moved` not of zero steps."""

    def lasso(self, state: S, stay: Sequence[Claim]) -> tuple[Hops[S], int] | None:
        """A path that never leaves `stay`, and where it goes back to when it ends."""


@dataclass(slots=True)
class Shown(Generic[S]):
    """A path that shows a claim, and those that begin at its states."""

    claim: Claim
    hops: Hops[S]
    loop: int | None = None
    branches: list[tuple[int, Shown[S]]] = field(default_factory=list)


@dataclass(slots=True)
class Tree(Generic[S]):
    """The paths that show a claim.

    `whole` if they show all of it, `cut` if paths that could show more are left out.
    """

    root: Shown[S]
    whole: bool
    cut: bool


def path_of(claim: Claim) -> tuple[type[Temporal], tuple[Claim, ...]] | None:
    """The path operator that some path must satisfy, with its operands; None for other claims.

    Some path does where an E operator holds, or where an A operator does not.
    """
    formula, holds = claim
    if not isinstance(formula, Exists if holds else Forall):
        return None
    path = formula.operand
    operator = type(path)
    assert issubclass(operator, Temporal)
    return operator if holds else DUAL[operator], tuple((f, holds) for f in operands(path))


def along(
    operator: type[Temporal], parts: tuple[Claim, ...]
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """What holds on a path of an operator until its end, and at its end; no end for G."""
    if operator in (Next, Finally):
        return (), parts
    if operator is Globally:
        return parts, ()
    if operator in (Until, WeakUntil):
        return parts[:1], parts[1:]
    assert operator in (Release, StrongRelease)
    return parts[1:], parts


def costs(formula: Formula) -> Costs:
    """How many temporal operators each sub-formula has, each occurrence counted."""
    found: Costs = {}

    def visit(f: Formula, below: list[int]) -> int:
        found[id(f)] = min(sum(below) + isinstance(f, Temporal), 10**9)
        return found[id(f)]

    fold_formula(formula, visit)
    return found


def grow(finder: Finder[S], claim: Claim, state: S) -> Tree[S] | None:
    """The tree that shows why a claim is true of a state; None when no path would show a thing."""
    builder = _Builder(finder, claim[0])
    root = Shown(claim, [(None, state)])
    builder.build(root)
    if not root.branches:
        return None
    if path_of(claim) is not None:
        # The path of the claim itself is the root.
        root = root.branches[0][1]
    return Tree(root, builder.whole, builder.cut)


class _Builder(Generic[S]):
    def __init__(self, finder: Finder[S], formula: Formula) -> None:
        self.finder = finder
        self.cost = costs(formula)
        self.whole = True
        self.cut = False
        self.paths = 0
        self.steps = 0
        self.done: set[tuple[int, S]] = set()

    def build(self, root: Shown[S]) -> None:
        pending = deque([(root.claim, root, 0)])
        while pending:
            claim, parent, at = pending.popleft()
            (f, holds), state = claim, parent.hops[at][1]
            if self.cost[id(f)] == 0 or (id(f), state) in self.done:
                continue
            self.done.add((id(f), state))
            if path_of(claim) is not None:
                pending.extend(self._branch(claim, parent, at))
            elif isinstance(f, And | Or):
                parts = [(g, holds) for g in sorted(f.operands, key=lambda g: self.cost[id(g)])]
                if isinstance(f, And) != holds:
                    # One of them decides.
                    parts = [next(p for p in parts if self.finder.is_true(p, state))]
                pending.extend((p, parent, at) for p in parts)
            else:
                self.whole = False

    def _branch(self, claim: Claim, parent: Shown[S], at: int) -> list[tuple[Claim, Shown[S], int]]:
        """Adds the path of an operator; what is left to be shown along it."""
        if self.paths >= PATHS or self.steps >= STEPS:
            self.whole, self.cut = False, True
            return []
        found = path_of(claim)
        assert found is not None
        stay, goal = along(*found)
        shown = self._shown(claim, found[0], parent.hops[at][1])
        parent.branches.append((at, shown))
        last = len(shown.hops) - 1
        self.paths += 1
        self.steps += last
        if shown.loop is not None:
            # Of a loop the last state is one that was there before, unless it is a deadlock.
            places = range(last + (shown.loop == last))
            return [(c, shown, i) for i in places for c in stay]
        return [
            *((c, shown, i) for i in range(last) for c in stay),
            *((c, shown, last) for c in goal),
        ]

    def _shown(self, claim: Claim, operator: type[Temporal], state: S) -> Shown[S]:
        """The path of an operator for which there is one."""
        found = path_of(claim)
        assert found is not None
        stay, goal = along(*found)
        if goal:
            hops = self.finder.path(state, stay, goal, operator is Next)
            if hops is not None:
                return Shown(claim, hops)
        lasso = self.finder.lasso(state, stay)
        if lasso is None:
            raise AssertionError("the claim is not true of the state")
        return Shown(claim, lasso[0], lasso[1])
