"""CTL formulas that one path shows: the LTL formula that some path must satisfy.

`E F (p and E G q)` asks for a path to `p` and, from there, for one that stays in `q`: together they
are one path, on which `F (p and G q)` holds. `on_one_path` finds this LTL formula where every
quantifier is `E`, of a conjunction at most one part speaks of paths, and what must hold along the
way speaks of states. Who finds such a path has shown the formula; a universal formula is refuted by
a path of its negation. (Compare Clarke, Draghicescu, "Expressibility results for linear-time and
branching-time logics", 1989, for the way from CTL to LTL.)

A step exists: at a deadlock `E X f` is false, while the last state of a run repeats.

Where one path is not enough, the way to a state may be: `E F (p and A G q)` is shown by a path to a
state in which `p` is true and that suffices for `A G q`, a deadlock in which `q` is (`at_end`); and
`E G (A F p)` by a path all of whose states satisfy `p`.
`shown_by_a_path` is an LTL formula of that kind: a path on which it holds shows the CTL formula,
but the formula may hold without one.
"""

from __future__ import annotations

from plait.logic.at_end import suffices
from plait.logic.formula import (
    PATH,
    Exists,
    Finally,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.walk import fold_temporal, operands
from plait.model.expr import FALSE, And, Deadlock, Formula, Not, Or


def on_one_path(root: Formula) -> Formula | None:
    """The LTL formula that holds on some path exactly when a CTL formula holds, if there is one.

    The formula is in negation normal form.
    """

    found = fold_temporal(root, _visit)
    return None if found is None else found[0]


def shown_by_a_path(root: Formula) -> Formula | None:
    """An LTL formula such that a path on which it holds shows a CTL formula, if there is one."""
    enough = suffices(root)

    def visit(f: Formula, below: list[Found]) -> Found:
        if isinstance(f, Globally | Until | WeakUntil | Release | StrongRelease):
            # What must hold all the way is put in terms of states.
            stay = int(isinstance(f, Release | StrongRelease))
            operand = operands(f)[stay]
            below = [*below]
            below[stay] = enough[id(operand)], False
        found = _visit(f, below)
        return (enough[id(f)], False) if found is None and not isinstance(f, PATH) else found

    found = fold_temporal(root, visit)
    return None if found is None or found[0] == FALSE else found[0]


Found = tuple[Formula, bool] | None
"""A formula, and whether it speaks of paths."""


def _visit(f: Formula, below: list[Found]) -> Found:
    if not below:
        return f, False
    known = [part for part in below if part is not None]
    if len(known) < len(below):
        return None
    parts = [part for part, _ in known]
    speaking = [speaks for _, speaks in known]
    match f:
        case And():
            return (f.with_children(parts), any(speaking)) if sum(speaking) <= 1 else None
        case Or():
            return f.with_children(parts), any(speaking)
        case Exists():
            return known[0]
        case Next():
            return And((Not(Deadlock()), Next(parts[0]))), True
        case Finally():
            return f.with_children(parts), True
        case Globally() | Until() | WeakUntil() if not speaking[0]:
            return f.with_children(parts), True
        case Release() | StrongRelease() if not speaking[1]:
            return f.with_children(parts), True
    return None


__all__ = ["on_one_path", "shown_by_a_path"]
