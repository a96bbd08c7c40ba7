"""Arithmetic on bits: what an operator computes is cut to the widest of its operands.

All operands of an expression are extended to the widest among them, those deep inside too, and
every operation is taken modulo 2^width: of 2-bit x and 4-bit y, `2 * x + y` is computed on 4 bits.
A constant is as wide as its value, a comparison as wide as the wider side, and an assignment cuts
once more, to the width of its target. Division by zero follows the convention of bit-vectors:
`a / 0` has all bits set, `a % 0` is `a`.

The 32-bit integers of the model compute `+`, `-` and `*` right modulo 2^width as long as that is at
most 2^31, so that a mask is written only where the value itself matters: before a division, at a
comparison, at the end; and only where an interval of the values does not show it to be useless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from plait.errors import error
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import AsInt, Binary, Compare, Const, Formula, IntExpr, Var
from plait.model.node import Node, fold, rewrite
from plait.records import dataclass

MOST_BITS = 31
"""The widest variable: its values must be 32-bit integers with sign."""
MOST_NODES = 2_000_000
"""The largest expression that divisions, which stand for several, may lead to."""

Bits = Callable[[Var], int]
"""The width of a variable."""


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression with the right value modulo 2^width, an interval of its values, its size."""

    expr: IntExpr
    low: int
    high: int
    size: int


def width(expr: IntExpr, bits: Bits) -> int:
    """The width on which an expression is computed."""

    def visit(node: Node, below: list[int]) -> int:
        if isinstance(node, Const):
            return max(1, node.value.bit_length())
        return bits(node) if isinstance(node, Var) else max(below)

    return fold(expr, visit)


def stored(expr: IntExpr, target: int, bits: Bits) -> IntExpr:
    """What an assignment of the expression stores in a variable of so many bits."""
    computed = width(expr, bits)
    return _cut(_computed(expr, computed, bits), min(computed, target)).expr


def compared(formula: Formula, bits: Bits) -> Formula:
    """A condition with the widths of its comparisons written out."""

    def change(node: Node) -> Node:
        if not isinstance(node, Compare):
            return node
        both = max(width(node.left, bits), width(node.right, bits))
        left = _cut(_computed(node.left, both, bits), both).expr
        right = _cut(_computed(node.right, both, bits), both).expr
        return Compare(node.op, left, right, span=node.span)

    return cast(Formula, rewrite(formula, change))


def _computed(expr: IntExpr, computed: int, bits: Bits) -> _Part:
    """The expression on so many bits, not cut yet."""

    def visit(node: Node, below: list[_Part]) -> _Part:
        match node:
            case Const(value=value):
                return _Part(node, value, value, 1)
            case Var():
                return _Part(node, 0, 2 ** bits(node) - 1, 1)
            case Binary(op="/" | "%"):
                return _division(node, _cut(below[0], computed), _cut(below[1], computed), computed)
            case Binary():
                return _ring(node, below[0], below[1])
        raise AssertionError(f"no arithmetic: {type(node).__name__}")

    return fold(expr, visit)


def _ring(node: Binary, a: _Part, b: _Part) -> _Part:
    """`+`, `-` or `*`: right modulo every power of two, so nothing is cut yet."""
    match node.op:
        case "+":
            low, high = a.low + b.low, a.high + b.high
        case "-":
            low, high = a.low - b.high, a.high - b.low
        case _:
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            low, high = min(corners), max(corners)
    if low < INT_MIN or high > INT_MAX:
        low, high = INT_MIN, INT_MAX
    made = Binary(node.op, a.expr, b.expr, span=node.span)
    return _Part(made, low, high, _sized(node, a.size + b.size + 1))


def _division(node: Binary, a: _Part, b: _Part, computed: int) -> _Part:
    """`/` or `%` of what is cut already; a divisor that may be 0 becomes 1 and is told apart."""
    span = node.span
    if b.low > 0:
        made: IntExpr = Binary(node.op, a.expr, b.expr, span=span)
        high = a.high // b.low if node.op == "/" else min(a.high, b.high - 1)
        return _Part(made, 0, high, _sized(node, a.size + b.size + 1))
    zero = AsInt(Compare("==", b.expr, Const(0), span=span), span=span)
    made = Binary(node.op, a.expr, Binary("+", b.expr, zero, span=span), span=span)
    # Divided by 1 it is `a` instead of all bits set, and the remainder is 0 instead of `a`.
    rest = a.expr
    if node.op == "/":
        rest = Binary("-", Const(2**computed - 1), a.expr, span=span)
    made = Binary("+", made, Binary("*", zero, rest, span=span), span=span)
    size = _sized(node, 2 * a.size + 3 * b.size + 10)
    return _Part(made, 0, 2**computed - 1, size)


def _cut(part: _Part, computed: int) -> _Part:
    """The value modulo 2^computed."""
    mask = 2**computed - 1
    if part.low >= 0 and part.high <= mask:
        return part
    if isinstance(part.expr, Const):
        value = part.expr.value & mask
        return _Part(Const(value, span=part.expr.span), value, value, 1)
    made = Binary("&", part.expr, Const(mask), span=part.expr.span)
    return _Part(made, 0, mask, part.size + 2)


def _sized(node: Node, size: int) -> int:
    if size > MOST_NODES:
        raise error("this expression is too large: divisions inside divisors", node.span)
    return size
