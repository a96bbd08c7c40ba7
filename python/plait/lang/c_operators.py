"""The operators of C, shared by the languages that borrow them (DVE, Promela).

There is one sort: a condition counts as 0 or 1, and a number is a condition that holds when it is
not 0. A language adds its own spellings and operators to the tables here; powers below `OR` are
free for operators that bind less.
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.hints import cast
from plait.lang.operators import Sorts
from plait.lang.pratt import Infix, Operand, Prefix
from plait.model.expr import ArithmeticOp, AsInt, Compare, CompareOp, Const, Formula, IntExpr

OR, AND = 4, 5
BIT_OR, BIT_XOR, BIT_AND, EQUAL, ORDER, EXTREME, SHIFT, ADD, MULTIPLY, UNARY = range(7, 17)
"""Binding powers, from loose to tight; the one between `AND` and `BIT_OR` is free, and
so is `EXTREME`."""


def number(operand: Operand) -> IntExpr:
    """The operand as a number."""
    node = operand.node
    return node if isinstance(node, IntExpr) else AsInt(cast(Formula, node), span=node.span)


def condition(operand: Operand) -> Formula:
    """The operand as a condition."""
    node = operand.node
    if isinstance(node, Formula):
        return node
    if isinstance(node, AsInt):
        return node.condition
    return Compare("!=", cast(IntExpr, node), Const(0), span=node.span)


_SORTS = Sorts(number, condition)
_ARITHMETIC: tuple[tuple[int, tuple[ArithmeticOp, ...]], ...] = (
    (BIT_OR, ("|",)),
    (BIT_XOR, ("^",)),
    (BIT_AND, ("&",)),
    (SHIFT, ("<<", ">>")),
    (ADD, ("+", "-")),
    (MULTIPLY, ("*", "/", "%")),
)
_COMPARISONS: tuple[tuple[int, tuple[CompareOp, ...]], ...] = (
    (EQUAL, ("==", "!=")),
    (ORDER, ("<", "<=", ">", ">=")),
)
NEGATION = Prefix(UNARY, _SORTS.negation)
CONJUNCTION = Infix(AND, _SORTS.conjunction, chain=True)
DISJUNCTION = Infix(OR, _SORTS.disjunction, chain=True)
PREFIX: Mapping[str, Prefix] = {
    "-": Prefix(UNARY, _SORTS.minus),
    "~": Prefix(UNARY, _SORTS.complement),
}
"""The prefix operators on numbers."""
INFIX: Mapping[str, Infix] = {
    "||": DISJUNCTION,
    "&&": CONJUNCTION,
    **{op: Infix(power, _SORTS.arithmetic(op)) for power, ops in _ARITHMETIC for op in ops},
    **{op: Infix(power, _SORTS.compare(op)) for power, ops in _COMPARISONS for op in ops},
}
"""The infix operators."""
