"""Bounds on the values of an expression, from the domains of its variables.

They show of most assignments of DVE that nothing is cut, and of most indices and divisions of
Promela that nothing goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary
from plait.model.expr import AsInt, Binary, Const, Formula, IntExpr, Unary, Var
from plait.model.node import Node, fold
from plait.model.types import Domain

ANY = Domain(INT_MIN, INT_MAX)


def interval(expr: IntExpr, domain: Callable[[Var], Domain | None]) -> Domain:
    """Bounds on the values of an expression."""

    def visit(node: Node, below: list[Domain]) -> Domain:
        match node:
            case Const(value=value):
                return Domain(value, value)
            case Var():
                return domain(node) or ANY
            case AsInt() | Formula():
                return Domain(0, 1)
            case Unary(op="-"):
                return _bounded(-below[0].high, -below[0].low)
            case Unary():
                return Domain(~below[0].high, ~below[0].low)
            case Binary(op=op):
                return _binary(op, below[0], below[1])
        return ANY

    return fold(expr, visit)


def _binary(op: str, a: Domain, b: Domain) -> Domain:
    match op:
        case "+" | "-" | "*":
            return _corners(op, a, b)
        case "/" if b.low > 0 and a.low >= 0:
            return Domain(a.low // b.high, a.high // b.low)
        case "%" if b.low > 0:
            top = b.high - 1
            return Domain(max(a.low, -top) if a.low < 0 else 0, min(max(a.high, 0), top))
        case "&" if a.low >= 0 or b.low >= 0:
            return Domain(0, min(d.high for d in (a, b) if d.low >= 0))
        case "|" | "^" if a.low >= 0 and b.low >= 0:
            return Domain(0, 2 ** max(a.high.bit_length(), b.high.bit_length()) - 1)
        case ">>" if a.low >= 0 and b.low >= 0:
            return Domain(0, a.high)
        case "<<" if a.low >= 0 and b.low >= 0 and b.high <= 31:
            return _bounded(a.low << b.low, a.high << b.high)
    return ANY


def _corners(op: str, a: Domain, b: Domain) -> Domain:
    """The bounds of an operation that is monotonous in each operand, unless it may overflow."""
    values = []
    for x in (a.low, a.high):
        for y in (b.low, b.high):
            exact = x + y if op == "+" else x - y if op == "-" else x * y
            if apply_binary(op, x, y) != exact:
                return ANY
            values.append(exact)
    return Domain(min(values), max(values))


def _bounded(low: int, high: int) -> Domain:
    return Domain(low, high) if low >= INT_MIN and high <= INT_MAX else ANY
