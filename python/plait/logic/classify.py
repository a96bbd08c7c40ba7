"""Which logic a formula belongs to, and where it leaves it.

The `why_not_...` functions return the first reason, located, and None when there is none; the
`is_...` functions say whether there is none. A state formula belongs to both LTL and CTL.
"""

from __future__ import annotations

from plait.errors import Diagnostic
from plait.logic.formula import PATH, QUANTIFIERS, NeverClaim, Next, Temporal
from plait.logic.walk import operands, subformulas
from plait.model.expr import Formula

LETTER = {
    "Next": "X",
    "Finally": "F",
    "Globally": "G",
    "Until": "U",
    "WeakUntil": "W",
    "Release": "R",
    "StrongRelease": "M",
    "Forall": "A",
    "Exists": "E",
    "NeverClaim": "never",
}
"""How each temporal operator is written."""


def is_state(formula: Formula) -> bool:
    """Whether the formula speaks of one state only."""
    return why_not_state(formula) is None


def is_ltl(formula: Formula) -> bool:
    """Whether the formula has no path quantifier."""
    return why_not_ltl(formula) is None


def is_ctl(formula: Formula) -> bool:
    """Whether quantifiers and path operators come in pairs, a quantifier directly over each."""
    return why_not_ctl(formula) is None


def is_stutter_invariant_syntactic(formula: Formula) -> bool:
    """Whether the formula has no X, and so cannot tell a state from its repetition.

    Only sufficient: `F (p && X F p)` is stutter-invariant too, although it has an X.
    """
    return why_not_stutter_invariant(formula) is None


def why_not_state(formula: Formula) -> Diagnostic | None:
    """The outermost temporal operator, if there is one."""
    return _first(formula, (Temporal,), "'{}' speaks of paths; a state formula is needed here")


def why_not_ltl(formula: Formula) -> Diagnostic | None:
    """The outermost path quantifier, or a never claim inside of something, if there is one."""
    if not isinstance(formula, NeverClaim):
        inside = _first(formula, (NeverClaim,), "'{}' is a whole property, not a part of one")
        if inside is not None:
            return inside
    return _first(formula, QUANTIFIERS, "'{}' quantifies over paths; an LTL formula has none")


def why_not_stutter_invariant(formula: Formula) -> Diagnostic | None:
    """The outermost X, if there is one; a never claim is taken to have some."""
    return _first(formula, (Next, NeverClaim), "'{}' can tell a state from its repetition")


def why_not_ctl(formula: Formula) -> Diagnostic | None:
    """The outermost quantifier or path operator that has no partner."""
    alone = "'{}' has no path quantifier; CTL needs A or E directly before it"
    if isinstance(formula, (*PATH, NeverClaim)):
        return _complain(formula, alone)
    for f in subformulas(formula):
        if isinstance(f, QUANTIFIERS):
            if not isinstance(f.operand, PATH):
                return _complain(f, "'{}' must stand directly before a path operator in CTL")
        else:
            for g in operands(f):
                if isinstance(g, PATH):
                    return _complain(g, alone)
    return None


def _first(formula: Formula, kinds: tuple[type, ...], message: str) -> Diagnostic | None:
    found = next((f for f in subformulas(formula) if isinstance(f, kinds)), None)
    return None if found is None else _complain(found, message)


def _complain(f: Formula, message: str) -> Diagnostic:
    return Diagnostic(message.format(LETTER[type(f).__name__]), f.span)
