"""Expressions made of operators and operands, by what a language takes for numbers and conditions.

Languages write the same operators and differ in their sorts: in GAL a number is never a condition,
in C every number is one. `Sorts` knows the difference, and makes the functions that the tables of a
parser (`plait.lang.pratt`) want.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.errors import Span
from plait.lang.pratt import Build, Operand
from plait.model.expr import (
    And,
    ArithmeticOp,
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


class Sorts:
    """How the operands of a language become numbers and conditions."""

    def __init__(
        self, number: Callable[[Operand], IntExpr], condition: Callable[[Operand], Formula]
    ) -> None:
        self.number = number
        self.condition = condition

    def arithmetic(self, op: ArithmeticOp) -> Build:
        """The function of an operator between numbers."""

        def build(operands: Sequence[Operand], span: Span) -> Node:
            return Binary(op, self.number(operands[0]), self.number(operands[1]), span=span)

        return build

    def compare(self, op: CompareOp) -> Build:
        """The function of a comparison."""

        def build(operands: Sequence[Operand], span: Span) -> Node:
            return Compare(op, self.number(operands[0]), self.number(operands[1]), span=span)

        return build

    def minus(self, operands: Sequence[Operand], span: Span) -> Node:
        """`-x`; `-5` is a literal, `-(5)` an operation: printing keeps them apart."""
        operand = operands[0]
        literal = operand.node
        if isinstance(literal, Const) and not operand.grouped and literal.value >= 0:
            return Const(-literal.value, span=span)
        return Unary("-", self.number(operand), span=span)

    def complement(self, operands: Sequence[Operand], span: Span) -> Node:
        """`~x`."""
        return Unary("~", self.number(operands[0]), span=span)

    def negation(self, operands: Sequence[Operand], span: Span) -> Node:
        """`!f`."""
        return Not(self.condition(operands[0]), span=span)

    def conjunction(self, operands: Sequence[Operand], span: Span) -> Node:
        """`f && g && h`."""
        return And(tuple(map(self.condition, operands)), span=span)

    def disjunction(self, operands: Sequence[Operand], span: Span) -> Node:
        """`f || g || h`."""
        return Or(tuple(map(self.condition, operands)), span=span)


__all__ = ["Sorts"]
