"""What every program has: functions of numbers, distributions, ranges of numbers."""

from __future__ import annotations

from math import isfinite, sqrt

from plait.errors import Span, error
from plait.lang.smart.values import RandomVariable, Value, divided, plain, real, shown

LONGEST = 1_000_000
"""The most elements of a set."""
ROUNDING = 1e-9
"""So much of a step may be missing at the end of a range of reals."""
DISTRIBUTIONS = ("expo", "geom", "equilikely", "erlang", "choose", "const_rv")
READS = ("read_int", "read_real", "read_bool", "read_string")
"""What asks for a value, with the text that says which."""
STOCHASTIC = ("avg_ss", "avg_at", "avg_acc", "prob_ss", "prob_at", "prob_acc", "rate")
"""Measures that are not computed."""
NAMES = ("abs", "sqrt", "div", "mod", "max", "min")


def apply(name: str, given: list[Value], span: Span | None) -> Value:
    """The value of a function of numbers, or a distribution; None where there is no such one."""
    match name, given:
        case "abs", [int() | float() as value]:
            return abs(value)
        case "sqrt", [int() | float() as value] if value >= 0:
            return sqrt(real(value, span))
        case "div" | "mod", [left, right]:
            return divided(left, right, name, span)
        case "int", [int() | float() as value] if isfinite(value):
            return int(value)
        case "bigint", [int() as value]:
            return value
        case "real", [int() | float() as value]:
            return real(value, span)
        case "max" | "min", [_, *_] if any(isinstance(v, RandomVariable) for v in given):
            return RandomVariable(f"{name}({', '.join(map(shown, given))})")
        case "max" | "min", [_, *_] if all(_is_number(v) for v in given):
            return (max if name == "max" else min)(plain(v, span) for v in given)
        case _ if name in DISTRIBUTIONS:
            return RandomVariable(f"{name}({', '.join(map(shown, given))})")
    return None


def numbers(ends: list[Value], span: Span | None) -> list[Value]:
    """The elements of `a..b` or `a..b..step`."""
    if not all(_is_number(e) for e in ends):
        raise error("the ends of a range are numbers", span)
    low, high, step = [plain(e, span) for e in (*ends, 1)][:3]
    if step == 0:
        raise error("the step of a range is not 0", span)
    steps: int | float
    if isinstance(low, int) and isinstance(high, int) and isinstance(step, int):
        steps = (high - low) // step
    else:
        steps = (real(high, span) - real(low, span)) / real(step, span) + ROUNDING
    if steps < 0:
        return []
    if not steps < LONGEST:  # also where it is infinite, or no number
        raise error(f"a set has at most {LONGEST} elements", span)
    return [low + i * step for i in range(int(steps) + 1)]


def understood(name: str, word: str | None, span: Span | None) -> Value:
    """What a word that was asked for says."""
    kind = name.removeprefix("read_")
    if word is None:
        raise error(f"'{name}' found nothing more to read", span)
    try:
        match kind:
            case "int":
                return int(word)
            case "real" if isfinite(float(word)):
                return float(word)
            case "bool" if word in ("y", "n", "true", "false"):
                return word in ("y", "true")
            case "string":
                return word
    except ValueError:
        pass
    raise error(f"'{name}' found '{word[:40]}'", span)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


__all__ = ["NAMES", "READS", "STOCHASTIC", "apply", "numbers", "understood"]
