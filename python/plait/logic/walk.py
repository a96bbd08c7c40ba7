"""The Boolean and temporal structure of a formula, above its atoms.

An *atom* is a formula that is neither a connective nor a temporal operator: a comparison, a truth
value, a question about a channel, `deadlock`, `enabled`. What is inside an atom (integer
expressions, and conditions used as numbers) belongs to the evaluation of one state and is of no
concern to the logic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from plait.hints import TypeVar, cast
from plait.logic.formula import BinaryTemporal, Temporal, UnaryTemporal
from plait.model.expr import And, Formula, Iff, Implies, Not, Or

T = TypeVar("T")

CONNECTIVES = (Not, And, Or, Implies, Iff)


def operands(formula: Formula) -> tuple[Formula, ...]:
    """The formulas under a connective or temporal operator; none for an atom."""
    if isinstance(formula, (*CONNECTIVES, UnaryTemporal, BinaryTemporal)):
        return tuple(cast(Formula, c) for c in formula.children())
    return ()


def is_atom(formula: Formula) -> bool:
    """Whether the formula is an atom."""
    return not isinstance(formula, (*CONNECTIVES, UnaryTemporal, BinaryTemporal))


def fold_formula(root: Formula, visit: Callable[[Formula, list[T]], T]) -> T:
    """`visit(formula, results of its operands)`, bottom up, without recursion.

    A shared sub-formula is visited once; atoms are leaves.
    """
    return _fold(root, operands, visit)


def conditions(root: Formula) -> list[Formula]:
    """The largest sub-formulas that speak of one state only, each shared one once."""
    return list({id(f): f for f in conditions_in_places(root)}.values())


def conditions_in_places(root: Formula) -> list[Formula]:
    """The largest sub-formulas that speak of one state only, each as often as it stands there."""
    found: list[Formula] = []

    def visit(f: Formula, below: list[bool]) -> bool:
        """Whether the formula speaks of paths; if so, notes what of it does not."""
        temporal = isinstance(f, Temporal) or any(below)
        if temporal:
            found.extend(g for g, t in zip(operands(f), below, strict=True) if not t)
        return temporal

    if not fold_formula(root, visit):
        found.append(root)
    return found


def fold_temporal(root: Formula, visit: Callable[[Formula, list[T]], T]) -> T:
    """As `fold_formula`, but what speaks of one state only is a leaf."""
    leaves = {id(f) for f in conditions(root)}
    return _fold(root, lambda f: () if id(f) in leaves else operands(f), visit)


def _fold(
    root: Formula,
    parts: Callable[[Formula], tuple[Formula, ...]],
    visit: Callable[[Formula, list[T]], T],
) -> T:
    done: dict[int, T] = {}
    stack: list[tuple[Formula, bool]] = [(root, False)]
    while stack:
        formula, expanded = stack.pop()
        if id(formula) in done:
            continue
        below = parts(formula)
        if expanded or not below:
            done[id(formula)] = visit(formula, [done[id(f)] for f in below])
        else:
            stack.append((formula, True))
            stack.extend((f, False) for f in reversed(below))
    return done[id(root)]


def subformulas(root: Formula) -> Iterator[Formula]:
    """Every sub-formula down to the atoms, each shared one once, parents before operands."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        formula = stack.pop()
        if id(formula) not in seen:
            seen.add(id(formula))
            yield formula
            stack.extend(reversed(operands(formula)))
