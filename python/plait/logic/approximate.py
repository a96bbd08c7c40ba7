"""State formulas that a temporal formula needs: what a state must satisfy for it to hold there.

`needs` gives, for a CTL or LTL formula in negation normal form, a state formula that is true
wherever the formula is, and one that is true wherever it is not: `G f` needs what `f` needs,
`f U g` what `f` or `g` needs, `f R g` what `g` needs, a negation what the dual operator needs, and
of `F` and `X` nothing is known in the state itself. So where no reachable state satisfies the first
the formula is false in all of them, and where none satisfies the second it is true.

Invariant: quantifiers change nothing, since a formula that holds on some or all paths from a state
holds on one, and maximal paths always exist.

`stays` tells what a path must stay in for ever for an operator to matter: `E G f` is true because
of a path that stays where `f` is true, `A F f` false because of one that stays where it is not, and
`f W g` differs from `f U g` on paths that stay where `f` is true and `g` is not. So where every
path leaves the states that satisfy what this needs, the operator is a constant, or another one.
For `A G f` and `E F f` it is enough that some path leaves those where `f` is true, or is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from plait.logic.formula import (
    PATH,
    BinaryTemporal,
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.nnf import nnf
from plait.logic.temporal_rules import asks_deadlock, conjunction, disjunction
from plait.logic.walk import fold_temporal, operands, subformulas
from plait.model.expr import TRUE, And, Formula, Not, Or, Truth


class Needs(NamedTuple):
    """What is true of a state where a formula holds, and of one where it does not."""

    holds: Formula
    fails: Formula


def needs(root: Formula) -> dict[int, Needs]:
    """What each temporal sub-formula needs, and the Boolean ones of them, by identity."""
    found: dict[int, Needs] = {}

    def visit(f: Formula, below: list[Needs]) -> Needs:
        found[id(f)] = _needs(f, below)
        return found[id(f)]

    fold_temporal(root, visit)
    return found


def _needs(f: Formula, below: list[Needs]) -> Needs:
    if not below:
        return Needs(f, nnf(Not(f)))
    condition = asks_deadlock(f)
    if condition is not None:
        return Needs(condition, nnf(Not(condition)))
    last = below[-1]
    match f:
        case And():
            return Needs(
                conjunction([n.holds for n in below]), disjunction([n.fails for n in below])
            )
        case Or():
            return Needs(
                disjunction([n.holds for n in below]), conjunction([n.fails for n in below])
            )
        case Exists() | Forall():
            return last
        case Next():
            return Needs(TRUE, TRUE)
        case Finally():
            return Needs(TRUE, last.fails)
        case Globally():
            return Needs(last.holds, TRUE)
        case Until() | WeakUntil():
            return Needs(disjunction([n.holds for n in below]), last.fails)
        case Release() | StrongRelease():
            return Needs(last.holds, disjunction([n.fails for n in below]))
    return Needs(TRUE, TRUE)


class Stay(NamedTuple):
    """An operator that matters because of paths that stay somewhere for ever."""

    operator: int
    """The operator, by identity; of CTL with its quantifier if it becomes a constant."""
    where: Formula
    """A state formula that is true all along such a path."""
    otherwise: bool | type[BinaryTemporal]
    """What the operator is where no path stays there: a constant, or as good as another one."""
    by_some: bool = False
    """Whether it is so where one path from each such state leaves them, not all."""


def stays(root: Formula, *, linear: bool = False) -> Iterator[Stay]:
    """What paths must stay in for operators of a formula to be what they are.

    Of operators that paths make weak or strong the one remains that is easier to check: those that
    ask for something on all paths, as LTL does, are easier if they ask for nothing in the end.
    """
    need = needs(root)
    for f in subformulas(root):
        path = f.operand if isinstance(f, Exists | Forall) else f
        if not isinstance(path, PATH) or (path is f and not linear):
            continue
        every = linear or isinstance(f, Forall)
        below = [need[id(g)] for g in operands(path)]
        if not linear and isinstance(path, Globally if every else Finally):
            where = below[0].holds if every else below[0].fails
            if not isinstance(where, Truth):
                yield Stay(id(f), where, not every, by_some=True)
            continue
        stay = _stay(path, below, every, linear)
        if stay is None:
            continue
        where, otherwise = stay
        if not isinstance(where, Truth):
            operator = f if isinstance(otherwise, bool) else path
            yield Stay(id(operator), where, otherwise)


def _stay(
    path: Formula, below: list[Needs], every: bool, linear: bool
) -> tuple[Formula, bool | type[BinaryTemporal]] | None:
    match path:
        case Globally() if linear or not every:
            return below[0].holds, False
        case Finally() if every:
            return below[0].fails, True
        case Until() if every:
            return conjunction([below[0].holds, below[1].fails]), WeakUntil
        case WeakUntil() if not every:
            return conjunction([below[0].holds, below[1].fails]), Until
        case StrongRelease() if every:
            return conjunction([below[0].fails, below[1].holds]), Release
        case Release() if not every:
            return conjunction([below[0].fails, below[1].holds]), StrongRelease
    return None


__all__ = ["Needs", "Stay", "needs", "stays"]
