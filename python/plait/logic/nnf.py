"""Negation normal form: negations only before atoms, no implication and no equivalence.

Comparisons take the negation in (`!(a < b)` becomes `a >= b`, undefined when `a < b` is); other
atoms keep a `Not` before them. Temporal operators become their duals: X is its own, F and G, U and
R, W and M, A and E are each other's.

An equivalence needs both of its sides in both polarities. Each sub-formula is translated at most
once for each polarity and the results are shared, so the outcome is at most a few times as large as
the input however deeply equivalences are nested; it is a graph rather than a tree, and whoever
walks over it must remember what was visited (as `fold_formula` does).
"""

from __future__ import annotations

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
from plait.logic.walk import operands
from plait.model.expr import NEGATED, And, Compare, Formula, Iff, Implies, Not, Or, Truth

DUAL: dict[type[Temporal], type[Temporal]] = {
    Next: Next,
    Finally: Globally,
    Globally: Finally,
    Until: Release,
    Release: Until,
    WeakUntil: StrongRelease,
    StrongRelease: WeakUntil,
    Forall: Exists,
    Exists: Forall,
}
"""The operator that a negation turns each temporal operator into."""

Wanted = tuple[Formula, bool]
"""A sub-formula, and whether it stands under an even number of negations."""


def nnf(formula: Formula) -> Formula:
    """The formula with its negations pushed down to the atoms."""
    done: dict[tuple[int, bool], Formula] = {}
    stack: list[tuple[Wanted, bool]] = [((formula, True), False)]
    while stack:
        (f, positive), expanded = stack.pop()
        if (id(f), positive) in done:
            continue
        below = _needs(f, positive)
        if expanded or not below:
            translated = [done[id(g), p] for g, p in below]
            done[id(f), positive] = _translate(f, positive, translated)
        else:
            stack.append(((f, positive), True))
            stack.extend((wanted, False) for wanted in reversed(below))
    return done[id(formula), True]


def _needs(f: Formula, positive: bool) -> list[Wanted]:
    """What the translation of `f` in that polarity is built from."""
    match f:
        case Not(operand=operand):
            return [(operand, not positive)]
        case Implies(left=left, right=right):
            return [(left, not positive), (right, positive)]
        case Iff(left=left, right=right):
            return [(left, True), (left, False), (right, True), (right, False)]
        case _:
            return [(g, positive) for g in operands(f)]


def _translate(f: Formula, positive: bool, below: list[Formula]) -> Formula:
    match f:
        case Not():
            return below[0]
        case And() | Or() | Implies():
            disjunction = isinstance(f, And) != positive
            kind = Or if disjunction else And
            return kind(tuple(below), span=f.span)
        case Iff():
            left, not_left, right, not_right = below
            if not positive:
                right, not_right = not_right, right
            return Or((And((left, right)), And((not_left, not_right))), span=f.span)
        case UnaryTemporal() | BinaryTemporal():
            return f.with_children(below) if positive else DUAL[type(f)](*below, span=f.span)
        case _:
            return f if positive else _negated_atom(f)


def _negated_atom(atom: Formula) -> Formula:
    match atom:
        case Truth(value=value):
            return Truth(not value, span=atom.span)
        case Compare(op=op, left=left, right=right):
            return Compare(NEGATED[op], left, right, span=atom.span)
        case _:
            return Not(atom, span=atom.span)
