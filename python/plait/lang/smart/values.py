"""Values of SMART's language: their types, how they are converted, printed and computed with.

Inside a net a number or a condition may depend on the marking; then it is an expression of the
model, and operators build larger ones.
"""

from __future__ import annotations

from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Protocol, cast

from plait.errors import InputError, Span, error
from plait.logic.set_queries import Operation
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
    Truth,
)
from plait.records import dataclass
from plait.report.numbers import decimal

INT_LIMIT = 2**31


@dataclass(frozen=True, slots=True)
class StateSet:
    """A set of states of a net, as the operations that make it."""

    operations: tuple[Operation, ...]
    net: SetFunctions


class SetFunctions(Protocol):
    """A net that is asked about its sets of states."""

    def set_function(self, name: str, given: list[Value], span: Span | None) -> Value:
        """The value of a function of sets."""

    def shown(self, of: StateSet) -> str:
        """The members of a set."""


@dataclass(frozen=True, slots=True)
class RandomVariable:
    """A distribution; what is random is named, not computed."""

    text: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`a:b:c`."""

    parts: tuple[object, ...]


Value = object
SET_OPERATORS = {
    "&": "intersection",
    "|": "union",
    "\\": "difference",
    "!": "complement",
    "==": "equal",
    "!=": "neq",
}
"""Operators of sets of states, as functions."""
_COMPARE = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_ARITHMETIC = {"+": add, "-": sub, "*": mul}
_PROMOTIONS = {
    ("int", "int"): 0,
    ("int", "bigint"): 1,
    ("int", "real"): 2,
    ("bigint", "bigint"): 0,
    ("bigint", "real"): 1,
}


def type_of(value: Value) -> str:
    """The name of a value's type."""
    match value:
        case None:
            return "null"
        case bool() | Formula():
            return "bool"
        case int():
            return "int" if -INT_LIMIT <= value < INT_LIMIT else "bigint"
        case IntExpr():
            return "int"
        case float():
            return "real"
        case str():
            return "string"
        case StateSet():
            return "stateset"
        case RandomVariable():
            return "random variable"
        case list():
            return "set"
        case Aggregate():
            return "aggregate"
    return getattr(value, "kind", "model")


def promotion(value: Value, type_: str) -> int | None:
    """How far a value is from a type; none where it cannot become one."""
    own = type_of(value)
    if own == type_:
        return 0
    if isinstance(value, int) and not isinstance(value, bool):
        return _PROMOTIONS.get((own, type_))
    return None


def convert(value: Value, type_: str, span: Span | None) -> Value:
    """The value as one of a type."""
    if type_ == "void":
        return None
    if promotion(value, type_) is None:
        if type_ == "int" and type_of(value) == "bigint":
            raise error(f"{value} is not in the range of int; bigint has no end", span)
        raise error(f"{_article(type_)} was expected, not {_article(type_of(value))}", span)
    return real(value, span) if type_ == "real" and isinstance(value, int) else value


def real(value: float, span: Span | None) -> float:
    """A number as a real one."""
    try:
        return float(value)
    except OverflowError:
        raise error("this number is too large for a real one", span) from None


def _article(type_: str) -> str:
    return f"{'an' if type_[0] in 'aeiou' else 'a'} {type_}"


def shown(value: Value) -> str:
    """The value as it is printed."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return decimal(value)
        case float():
            text = f"{value:.6g}"
            return text if any(c in text for c in ".en") else f"{text}.0"
        case list():
            return "{" + ", ".join(map(shown, value)) + "}"
        case Aggregate():
            return ":".join(map(shown, value.parts))
        case RandomVariable():
            return value.text
    return str(value)


def operate(sign: str, operands: list[Value], span: Span | None) -> Value:
    """The value of an operator."""
    net = next((o.net for o in operands if isinstance(o, StateSet)), None)
    if net is not None and sign in SET_OPERATORS:
        return net.set_function(SET_OPERATORS[sign], operands, span)
    if sign == "->":
        return operate("|", [operate("!", operands[:1], span), operands[1]], span)
    if sign == "%":
        return divided(operands[0], operands[1], "mod", span)
    if _random(sign, operands):
        return RandomVariable(f"({f' {sign} '.join(map(shown, operands))})")
    symbolic = any(isinstance(o, IntExpr | Formula) for o in operands)
    if sign == "!":
        return Not(_formula(operands[0], span)) if symbolic else not _truth(operands[0], span)
    if sign == "negate":
        if symbolic:
            return Binary("-", Const(0), number(operands[0], span))
        return -plain(operands[0], span)
    left, right = operands
    if sign in ("&", "|"):
        if symbolic:
            parts = (_formula(left, span), _formula(right, span))
            return And(parts) if sign == "&" else Or(parts)
        one, other = _truth(left, span), _truth(right, span)
        return (one and other) if sign == "&" else (one or other)
    if symbolic:
        if sign in _COMPARE:
            return Compare(cast(CompareOp, sign), number(left, span), number(right, span))
        if sign in _ARITHMETIC:
            return Binary(cast(ArithmeticOp, sign), number(left, span), number(right, span))
    if sign in _COMPARE:
        if sign in ("==", "!=") and type(left) is type(right):
            return (left == right) == (sign == "==")
        return bool(_COMPARE[sign](plain(left, span), plain(right, span)))
    if sign == "+" and isinstance(left, str) and isinstance(right, str):
        return left + right
    a, b = plain(left, span), plain(right, span)
    try:
        return a / b if sign == "/" else _ARITHMETIC[sign](a, b)
    except (ZeroDivisionError, OverflowError) as failure:
        raise error(str(failure), span) from None


def _random(sign: str, operands: list[Value]) -> bool:
    """Whether the value is a rate: random, or a real number that depends on the marking."""
    if any(isinstance(o, RandomVariable) for o in operands):
        return True
    marked = any(isinstance(o, IntExpr) for o in operands)
    real_one = any(isinstance(o, float) for o in operands)
    return marked and (sign == "/" or (real_one and sign in _ARITHMETIC))


def divided(left: Value, right: Value, sign: str, span: Span | None) -> Value:
    """`div` and `mod`: toward zero, with the sign of the dividend."""
    if isinstance(left, IntExpr) or isinstance(right, IntExpr):
        return Binary("/" if sign == "div" else "%", number(left, span), number(right, span))
    a, b = whole(left, span), whole(right, span)
    if b == 0:
        raise error("division by zero", span)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if sign == "div" else a - b * quotient


def chosen(condition: Formula, one: Value, other: Value, span: Span | None) -> Value:
    """`cond` where the marking decides."""
    if isinstance(one, bool | Formula) and isinstance(other, bool | Formula):
        first = And((condition, _formula(one, span)))
        return Or((first, And((Not(condition), _formula(other, span)))))
    yes = Binary("*", AsInt(condition), number(one, span))
    return Binary("+", yes, Binary("*", AsInt(Not(condition)), number(other, span)))


def _wrong(expected: str, value: Value, span: Span | None) -> InputError:
    return error(f"{_article(expected)} was expected, not {_article(type_of(value))}", span)


def _truth(value: Value, span: Span | None) -> bool:
    if not isinstance(value, bool):
        raise _wrong("bool", value, span)
    return value


def _formula(value: Value, span: Span | None) -> Formula:
    return value if isinstance(value, Formula) else Truth(_truth(value, span))


def plain(value: Value, span: Span | None) -> int | float:
    """The value, which must be a number that is known."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong("number", value, span)
    return value


def whole(value: Value, span: Span | None) -> int:
    """The value, which must be a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("int", value, span)
    return value


def number(value: Value, span: Span | None) -> IntExpr:
    """A number that may depend on the marking."""
    if isinstance(value, IntExpr):
        return value
    plain = whole(value, span)
    if not -INT_LIMIT <= plain < INT_LIMIT:
        raise error(f"{plain} is not in the range of int", span)
    return Const(plain)


__all__ = [
    "Aggregate",
    "RandomVariable",
    "SetFunctions",
    "StateSet",
    "Value",
    "chosen",
    "convert",
    "divided",
    "number",
    "operate",
    "plain",
    "promotion",
    "real",
    "shown",
    "type_of",
    "whole",
]
