"""Temporal formulas that are safety questions in disguise.

`AG p`, `EF p` and `G p` over a state formula need no temporal engine: they ask about every or some
reachable state. Negations are pushed inward first, so `!EF p` is seen too.
"""

from __future__ import annotations

from plait.logic.classify import is_state
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.logic.nnf import nnf
from plait.model.expr import Formula
from plait.model.types import Property


def as_safety(p: Property) -> Property | None:
    """The reachability or invariance property that holds exactly when `p` does, if there is one."""
    if p.kind not in ("ctl", "ltl") or not isinstance(p.body, Formula):
        return None
    match p.kind, nnf(p.body):
        case ("ctl", Forall(operand=Globally(operand=f))) if is_state(f):
            return Property(p.name, kind="invariant", body=f, span=p.span)
        case ("ctl", Exists(operand=Finally(operand=f))) if is_state(f):
            return Property(p.name, kind="reachable", body=f, span=p.span)
        case ("ltl", Globally(operand=f)) if is_state(f):
            return Property(p.name, kind="invariant", body=f, span=p.span)
    return None
