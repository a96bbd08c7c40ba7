"""The operators of C, shared by the languages that borrow them (DVE, Promela).

There is one sort: a condition counts as 0 or 1, and a number is a condition that holds when it is
not 0. A language adds its own spellings and operators to the tables here; powers below `OR` are
free for operators that bind less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.errors import Span
from plait.hints import cast
from plait.lang.pratt import Build, Infix, Operand, Prefix
from plait.model.expr import (
    And,
    ArithmeticOp,
    AsInt,
    Binary,
    Compare,
    CompareOp,
    Const,
    Formula,
    IntExpr,
    Not,
    Or,
    Unary,
)
from plait.model.node import Node

OR, AND = 4, 5
BIT_OR, BIT_XOR, BIT_AND, EQUAL, ORDER, SHIFT, ADD, MULTIPLY, UNARY = range(7, 16)
"""Binding powers, from loose to tight; the one between `AND` and `BIT_OR` is free, too."""


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


def _arithmetic(op: ArithmeticOp) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return Binary(op, number(operands[0]), number(operands[1]), span=span)

    return build


def _compare(op: CompareOp) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return Compare(op, number(operands[0]), number(operands[1]), span=span)

    return build


def _minus(operands: Sequence[Operand], span: Span) -> Node:
    operand = operands[0]
    if isinstance(operand.node, Const) and not operand.grouped and operand.node.value >= 0:
        return Const(-operand.node.value, span=span)
    return Unary("-", number(operand), span=span)


def _complement(operands: Sequence[Operand], span: Span) -> Node:
    return Unary("~", number(operands[0]), span=span)


def _not(operands: Sequence[Operand], span: Span) -> Node:
    return Not(condition(operands[0]), span=span)


def _and(operands: Sequence[Operand], span: Span) -> Node:
    return And(tuple(condition(o) for o in operands), span=span)


def _or(operands: Sequence[Operand], span: Span) -> Node:
    return Or(tuple(condition(o) for o in operands), span=span)


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
NEGATION = Prefix(UNARY, _not)
CONJUNCTION = Infix(AND, _and, chain=True)
DISJUNCTION = Infix(OR, _or, chain=True)
PREFIX: Mapping[str, Prefix] = {
    "-": Prefix(UNARY, _minus),
    "~": Prefix(UNARY, _complement),
}
"""The prefix operators on numbers."""
INFIX: Mapping[str, Infix] = {
    "||": DISJUNCTION,
    "&&": CONJUNCTION,
    **{op: Infix(power, _arithmetic(op)) for power, ops in _ARITHMETIC for op in ops},
    **{op: Infix(power, _compare(op)) for power, ops in _COMPARISONS for op in ops},
}
"""The infix operators."""
