"""Constants of types and indices: numbers, definitions, parameters, and sums of them."""

from __future__ import annotations

from plait.errors import error
from plait.lang.smv.expressions import Apply, Expression, Member, Number, Word
from plait.lang.smv.instances import Definition, Instance, System

MOST_STEPS = 10_000
"""The most operations; a definition that stands for itself never ends."""


def constant(system: System, instance: Instance, expression: Expression) -> int:
    """The value of an expression that speaks of no variable; a located error when it does."""
    operands: list[int] = []
    waiting: list[tuple[Instance, Expression] | str] = [(instance, expression)]
    steps = 0
    while waiting:
        steps += 1
        if steps > MOST_STEPS:
            raise error("this constant is defined by itself", expression.span)
        task = waiting.pop()
        if isinstance(task, str):
            operands.append(_applied(task, operands, expression))
            continue
        place, found = task
        match found:
            case Number(value=value):
                operands.append(value)
            case Word() | Member():
                meaning = system.resolve(place, found)
                if not isinstance(meaning, Definition):
                    raise error("a constant is needed here", found.span)
                waiting.append((meaning.instance, meaning.value))
            case Apply(operator="+" | "-" | "*" | "/" | "mod" | "neg" as op, operands=below):
                waiting.append(op)
                waiting += [(place, b) for b in reversed(below)]
            case _:
                raise error("a constant is needed here", found.span)
    return operands[0]


def _applied(operator: str, operands: list[int], whole: Expression) -> int:
    b = operands.pop()
    if operator == "neg":
        return -b
    a = operands.pop()
    if operator in ("/", "mod") and b == 0:
        raise error("division by zero", whole.span)
    if abs(a) > 2**64 or abs(b) > 2**64:
        raise error("this constant is too large", whole.span)
    quotient = 0
    if operator in ("/", "mod"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return quotient
    return a - quotient * b
