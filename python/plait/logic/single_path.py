"""CTL formulas that one path shows: the LTL formula that some path must satisfy.

`E F (p and E G q)` asks for a path to `p` and, from there, for one that stays in `q`. A path on
which `F (p and G q)` holds is both: who finds it has shown the formula, and a universal formula is
refuted by a path of its negation. In general, leave out the `E` of a formula that has no `A`: where
a path satisfies what is left, so do its suffixes what is left of the parts, and by induction each
state on it satisfies the parts themselves. `E G E F p` is shown by a path on which `G F p` holds,
`E F p and E F q` by one that meets both. The formula may hold without such a path. (Compare Clarke,
Draghicescu, "Expressibility results for linear-time and branching-time logics", 1989, for the way
from CTL to LTL.)

A step exists: at a deadlock `E X f` is false, while the last state of a run repeats.

No path shows that something holds on all of them, but its first state may: `A F p` is true where
`p` is, `A (f R g)` where both are, and `A G q` in a deadlock in which `q` is (`at_end`). So
`E F (p and A F E G q)` is shown by a path to a state with `p` from which it stays in `q`.
"""

from __future__ import annotations

from plait.logic.at_end import ended
from plait.logic.formula import (
    Exists,
    Finally,
    Forall,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.temporal_rules import conjunction, disjunction, simplified
from plait.logic.walk import fold_temporal, operands
from plait.model.expr import FALSE, And, Deadlock, Formula, Not, Or


def shown_by_a_path(root: Formula) -> Formula | None:
    """An LTL formula such that a path on which it holds shows a CTL formula, if there is one.

    The formula is in negation normal form.
    """
    at_end = ended(root)
    shown: dict[int, Formula] = {}

    def visit(f: Formula, below: list[Formula]) -> Formula:
        if isinstance(f, Forall):
            below = [shown[id(g)] for g in operands(f.operand)]
            last = conjunction([Deadlock(), at_end[id(f)]])
            shown[id(f)] = _on_all(f.operand, below, last)
        else:
            shown[id(f)] = _on_some(f, below)
        return shown[id(f)]

    found = simplified(fold_temporal(root, visit), linear=True)
    return None if found == FALSE else found


def _on_some(f: Formula, below: list[Formula]) -> Formula:
    if not below:
        return f
    match f:
        case And():
            return conjunction(below)
        case Or():
            return disjunction(below)
        case Exists():
            return below[0]
        case Next():
            return conjunction([Not(Deadlock()), Next(below[0])])
    return f.with_children(below)


def _on_all(path: Formula, below: list[Formula], last: Formula) -> Formula:
    """What shows in the first state that an operator holds on all paths; `last` does at an end."""
    match path:
        case Finally() | Until():
            return below[-1]
        case WeakUntil():
            return disjunction([below[-1], last])
        case Release():
            return disjunction([conjunction(below), last])
        case StrongRelease():
            return conjunction(below)
    return last


__all__ = ["shown_by_a_path"]
