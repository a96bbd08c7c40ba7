"""Assignments wrap: a byte at 256, an int at 16 bits. The mask is written only where it may matter.

Expressions are computed with 32 bits; what is stored is cut to the type of the variable. An
interval of the values that an expression can have, computed from the types of its variables, shows
for most assignments that nothing is cut.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.lang.bounds import interval
from plait.lang.dve.declarations import DOMAINS, TypeName
from plait.model.expr import Binary, Const, IntExpr, Var
from plait.model.types import Domain


def fits(expr: IntExpr, type_: TypeName, domain: Callable[[Var], Domain | None]) -> bool:
    """Whether every value of an expression is one of the type."""
    values, allowed = interval(expr, domain), DOMAINS[type_]
    return allowed.low <= values.low and values.high <= allowed.high


def wrap(expr: IntExpr, type_: TypeName, domain: Callable[[Var], Domain | None]) -> IntExpr:
    """The expression, cut to the type where it may have other values."""
    if fits(expr, type_, domain):
        return expr
    span = expr.span
    if type_ == "byte":
        return Binary("&", expr, Const(255), span=span)
    half = Const(2**15)
    shifted = Binary("&", Binary("+", expr, half, span=span), Const(2**16 - 1), span=span)
    return Binary("-", shifted, half, span=span)
