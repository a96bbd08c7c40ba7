"""The conditions that a formula is about: each is one bit of the letters that an automaton reads.

A condition is a state formula in negation normal form, as large as it can be: the automaton need
not know what is inside. Its bit is set where the condition is *true*; where it is undefined it is
not, and neither is the bit of its negation. Only of a condition that is never undefined is the
negation the same bit, cleared.
"""

from __future__ import annotations

from plait.logic.nnf import nnf
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Hop,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Unary,
    Var,
)
from plait.model.node import nodes
from plait.model.shape import Shape
from plait.model.stmt import Assign

_DEFINED = (And, AsInt, Compare, Const, Deadlock, Enabled, Iff, Implies, Not, Or, Truth, Unary)
_DEFINED_OPERATORS = frozenset({"+", "-", "*", "&", "|", "^"})


class Propositions:
    """The conditions met so far."""

    def __init__(self) -> None:
        self.formulas: list[Formula] = []
        self._known: dict[Formula, tuple[int, bool]] = {}

    def number(self, condition: Formula) -> tuple[int, bool]:
        """The number of a condition's bit, and whether the condition is the bit set or cleared."""
        found = self._known.get(condition)
        if found is None:
            found = (len(self.formulas), True)
            self.formulas.append(condition)
            self._known[condition] = found
            if is_defined(condition):
                self._known.setdefault(nnf(Not(condition)), (found[0], False))
        return found

    def forget(self, count: int) -> None:
        """Forget all but the first so many."""
        del self.formulas[count:]
        self._known = {f: known for f, known in self._known.items() if known[0] < count}


def is_defined(condition: Formula, *, checked: bool = False, shape: Shape | None = None) -> bool:
    """Whether the condition has a value in every state, as far as that is seen at once.

    With `checked` a constant index is known to be one of a cell that exists, as in what a user
    wrote. In an event it need not be: parameters and constants were put in for what stood there.
    With the `shape` of a flat model it is looked up.
    """
    for node in nodes(condition):
        match node:
            case Var(name=name, index=Const(value=index)) if shape is not None:
                if not 0 <= index < (shape.variables[name].size or 0):
                    return False
            case Var(index=index) | Hop(index=index):
                if index is not None and not (checked and isinstance(index, Const)):
                    return False
            case Binary(op="/" | "%", right=Const(value=by)):
                if by == 0:
                    return False
            case Binary(op=op):
                if op not in _DEFINED_OPERATORS:
                    return False
            case _ if not isinstance(node, _DEFINED):
                return False
    return True


def is_total(statement: Assign, shape: Shape) -> bool:
    """Whether an assignment of a flat model has a cell and a value in every state."""
    sides = (statement.target, statement.value)
    return all(is_defined(Compare("==", e, e), shape=shape) for e in sides)
