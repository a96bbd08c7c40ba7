"""What temporal formulas are where a run ends, and what follows from that elsewhere.

In a deadlock nothing is left of the future: no event is enabled, `F f` and `G f` are what `f` is,
`f U g` is what `g` is, `E X f` is false and `A X f` is true; in LTL the last state repeats, and
`X f` is what `f` is. So every formula in negation normal form is a state formula there (`ended`).

Two things follow for the states before. Where every run ends, `E F f` and `A F f` are true if `f`
is true in every deadlock, and `A G f` and `E G f` are false if `f` is false in each of them
(`where_runs_end`). And whether runs end or not, a state formula *suffices* for a temporal one: a
state that satisfies it satisfies the formula. `q` suffices for `F q` and for `p U q`; a deadlock in
which `p` is true suffices for `G p`. It is the other side of what a formula needs (`approximate`),
and a question about reachable states is enough where a formula asks for a state that satisfies one.

Invariant: all is about models in whose deadlocks no event is enabled, as in nets.
"""

from __future__ import annotations

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
from plait.logic.temporal_rules import conjunction, disjunction
from plait.logic.temporal_rules import ended as operator_ended
from plait.logic.walk import fold_formula, fold_temporal
from plait.model.expr import FALSE, TRUE, And, Deadlock, Enabled, Formula, Not, Or, Truth


def ended(root: Formula, *, linear: bool = False) -> dict[int, Formula]:
    """What each sub-formula is in a deadlock, by identity: a state formula."""
    found: dict[int, Formula] = {}

    def visit(f: Formula, below: list[Formula]) -> Formula:
        made = operator_ended(f, below, linear=linear) if below else fold_formula(f, _condition)
        found[id(f)] = made
        return found[id(f)]

    fold_temporal(root, visit)
    return found


def _condition(f: Formula, below: list[Formula]) -> Formula:
    """A condition of a state as it is in a deadlock."""
    match f:
        case Enabled():
            return FALSE
        case Deadlock():
            return TRUE
        case And():
            return conjunction(below)
        case Or():
            return disjunction(below)
        case Not() if isinstance(below[0], Truth):
            return Truth(not below[0].value)
    return f.with_children(below) if below else f


def where_runs_end(root: Formula, *, linear: bool = False) -> dict[int, bool]:
    """The sub-formulas, by identity, that have one value wherever every run ends."""
    at_end = ended(root, linear=linear)
    found: dict[int, bool] = {}

    def visit(f: Formula, _: list[None]) -> None:
        path = f.operand if isinstance(f, Exists | Forall) else f
        if isinstance(path, Finally | Globally) and (linear or path is not f):
            value = at_end[id(path.operand)]
            if isinstance(value, Truth) and value.value == isinstance(path, Finally):
                found[id(f)] = value.value

    fold_temporal(root, visit)
    return found


def suffices(root: Formula) -> dict[int, Formula]:
    """For each sub-formula of CTL, by identity, a state formula that is true only where it is."""
    at_end = ended(root)
    found: dict[int, Formula] = {}

    def visit(f: Formula, below: list[Formula]) -> Formula:
        found[id(f)] = _suffices(f, below, at_end[id(f)])
        return found[id(f)]

    fold_temporal(root, visit)
    return found


def _suffices(f: Formula, below: list[Formula], at_end: Formula) -> Formula:
    if not below:
        return f
    here, last = below[-1], conjunction([Deadlock(), at_end])
    match f:
        case And():
            return conjunction(below)
        case Or():
            return disjunction(below)
        case Exists() | Forall() if not isinstance(f.operand, Next):
            return here
        case Finally() | Until():
            return here
        case WeakUntil():
            return disjunction([here, last])
        case Release():
            return disjunction([conjunction(below), last])
        case StrongRelease():
            return conjunction(below)
    return last


__all__ = ["ended", "suffices", "where_runs_end"]
