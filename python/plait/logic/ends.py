"""Formulas that ask for `deadlock` only in a way that the end of a run decides.

A deadlock repeats for ever, so `F deadlock` says that the run ends and `G !deadlock` that it does
not; and a condition right below `G F` or `F G` is asked, on a run that ends, in its last state, and
is on any other run what it is without deadlocks. All of these have the same truth at every place of
a run. So they do not care *when* the last event is executed, as long as the run ends in the same
state: partial-order reduction keeps them, while a formula such as `p U deadlock` sees every event.
"""

from __future__ import annotations

from plait.logic.formula import Finally, Globally, NeverClaim, Temporal
from plait.logic.nnf import nnf
from plait.logic.walk import fold_formula, operands
from plait.model.expr import Deadlock, Enabled, Formula, Not
from plait.model.node import nodes


def asks_only_where_runs_end(formula: Formula) -> bool:
    """Whether the end of a run decides all that an LTL formula asks about deadlocks.

    False, too, where a condition asks about deadlocks and about single events at once.
    """
    if isinstance(formula, NeverClaim):
        return False
    above: dict[int, list[Formula]] = {}
    asking: dict[int, Formula] = {}
    """Conditions about deadlocks that are as large as they can be."""

    def visit(f: Formula, below: list[bool]) -> bool:
        """Whether the formula speaks of paths."""
        if not isinstance(f, Temporal) and not any(below):
            return False
        for operand, of_paths in zip(operands(f), below, strict=True):
            above.setdefault(id(operand), []).append(f)
            if not of_paths and any(isinstance(n, Deadlock) for n in nodes(operand)):
                asking[id(operand)] = operand
        return True

    root = nnf(formula)
    if not fold_formula(root, visit):
        return not any(isinstance(n, Deadlock) for n in nodes(root))
    return all(
        not any(isinstance(n, Enabled) for n in nodes(condition))
        and all(_is_decided(condition, parent, above) for parent in above[number])
        for number, condition in asking.items()
    )


def _is_decided(condition: Formula, parent: Formula, above: dict[int, list[Formula]]) -> bool:
    """Whether the end of a run decides a condition right below this operator."""
    match parent, condition:
        case (Finally(), Deadlock()) | (Globally(), Not(operand=Deadlock())):
            return True
        case Finally(), _:
            outer: type[Temporal] = Globally
        case Globally(), _:
            outer = Finally
        case _:
            return False
    around = above.get(id(parent), [])
    return bool(around) and all(isinstance(f, outer) for f in around)
