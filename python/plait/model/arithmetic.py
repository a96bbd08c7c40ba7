"""The arithmetic of the models: 32-bit two's complement, with one meaning for undefined cases.

An undefined operation gives `None`. It is undefined to divide or take a remainder by zero, to shift
by less than 0 or more than 31 places, and to raise to a negative power. Everything else wraps:
in particular the least integer divided by -1 is itself, with remainder 0.
"""

from __future__ import annotations

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1


def wrap32(value: int) -> int:
    """The 32-bit signed integer congruent to `value`."""
    return (value + 2**31) % 2**32 - 2**31


def apply_unary(op: str, a: int) -> int:
    """`op a`."""
    return wrap32(-a if op == "-" else ~a)


def apply_binary(op: str, a: int, b: int) -> int | None:
    """`a op b` on 32-bit integers, or None where it is undefined."""
    match op:
        case "+":
            return wrap32(a + b)
        case "-":
            return wrap32(a - b)
        case "*":
            return wrap32(a * b)
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "/":
            return None if b == 0 else wrap32(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))
        case "%":
            return None if b == 0 else abs(a) % abs(b) * (1 if a >= 0 else -1)
        case "<<":
            return wrap32(a << b) if 0 <= b <= 31 else None
        case ">>":
            return a >> b if 0 <= b <= 31 else None
        case "**":
            return None if b < 0 else wrap32(pow(a, b, 2**32))
    raise AssertionError(op)


def compare(op: str, a: int, b: int) -> bool:
    """`a op b`."""
    match op:
        case "==":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
    raise AssertionError(op)
