"""State formulas that a temporal formula needs: what a state must satisfy for it to hold there.

`needs` gives, for a CTL or LTL formula in negation normal form, a state formula that is true
wherever the formula is, and one that is true wherever it is not: `G f` needs what `f` needs,
`f U g` what `f` or `g` needs, `f R g` what `g` needs, a negation what the dual operator needs, and
of `F` and `X` nothing is known in the state itself. So where no reachable state satisfies the first
the formula is false in all of them, and where none satisfies the second it is true.

Invariant: quantifiers change nothing, since a formula that holds on some or all paths from a state
holds on one, and maximal paths always exist.
"""

from __future__ import annotations

from typing import NamedTuple

from plait.logic.formula import (
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
from plait.logic.temporal_rules import conjunction, disjunction
from plait.logic.walk import fold_temporal
from plait.model.expr import TRUE, And, Formula, Not, Or


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


__all__ = ["Needs", "needs"]
