"""What a partial-order reduction must keep to answer a property (`reduction`)."""

from __future__ import annotations

from collections.abc import Iterable

from plait.engines.explicit.reduction import Need
from plait.model.expr import And, Deadlock, Enabled, Formula, Not, Or
from plait.model.node import nodes
from plait.model.types import Property


def need_of(p: Property) -> Need:
    """What a search must keep to answer the property."""
    if p.kind == "deadlock":
        return "deadlocks"
    if p.kind == "bounds" or not isinstance(p.body, Formula):
        return "states"
    atoms = [n for n in nodes(p.body) if isinstance(n, Enabled | Deadlock)]
    if not atoms:
        return "goals"
    return "deadlocks" if _only_of_deadlocks(p) else "states"


def _only_of_deadlocks(p: Property) -> bool:
    """Whether only deadlocks can decide the property, and nothing else asks about events."""
    goal = p.body
    if p.kind == "invariant":
        if not isinstance(goal, Not):
            return False
        goal = goal.operand
    parts = list(conjuncts(goal)) if isinstance(goal, Formula) else []
    asked = [c for c in parts if not isinstance(c, Deadlock)]
    quiet = not any(isinstance(n, Enabled | Deadlock) for c in asked for n in nodes(c))
    return len(asked) < len(parts) and quiet


def conjuncts(formula: Formula) -> Iterable[Formula]:
    """The formulas that must all be true for this one to be."""
    stack = [formula]
    while stack:
        f = stack.pop()
        if isinstance(f, And):
            stack.extend(reversed(f.operands))
        else:
            yield f


def disjuncts(formula: Formula) -> Iterable[Formula]:
    """The formulas of which one must be true for this one to be."""
    stack = [formula]
    while stack:
        f = stack.pop()
        if isinstance(f, Or):
            stack.extend(reversed(f.operands))
        else:
            yield f
