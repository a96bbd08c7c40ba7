"""When an expression fails: an index outside its array, a division by zero, a shift by 32.

SPIN stops there with an error. The condition that finds these states follows C's evaluation: from
left to right, and behind `&&` and `||` only as far as the result is open, so `i < N && a[i] > 0` is
fine where `a[i] > 0 && i < N` is not. (The logic of the model is Kleene's and would take both.)
What the types of the variables exclude is left out; FALSE says that nothing can go wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.lang.bounds import interval
from plait.lang.promela.channels import disjunction
from plait.model.expr import (
    FALSE,
    And,
    Binary,
    Compare,
    Const,
    Formula,
    Implies,
    IntExpr,
    Not,
    Or,
    Var,
    conjunction,
)
from plait.model.node import Node, fold
from plait.model.types import Domain

Domains = Callable[[Var], Domain | None]
Sizes = Callable[[Var], int | None]


def mistake(root: Node, domains: Domains, sizes: Sizes) -> Formula:
    """The condition that evaluating an expression fails."""

    def outside(value: IntExpr, low: int, high: int) -> list[Formula]:
        """The value is outside an interval, as far as its type allows that."""
        values = interval(value, domains)
        found: list[Formula] = []
        if values.low < low:
            found.append(Compare("<", value, Const(low), span=value.span))
        if values.high > high:
            found.append(Compare(">", value, Const(high), span=value.span))
        return found

    def visit(node: Node, below: list[Formula]) -> Formula:
        match node:
            case And(operands=parts):
                return _in_order(parts, below, lambda part: part)
            case Or(operands=parts):
                return _in_order(parts, below, lambda part: Not(part, span=part.span))
            case Implies(left=left):
                return _in_order((left, node.right), below, lambda part: part)
            case Var(index=IntExpr() as index):
                size = sizes(node)
                return either([*below, *outside(index, 0, (size or 1) - 1)])
            case Binary(op="/" | "%", right=right):
                values = interval(right, domains)
                if not values.low <= 0 <= values.high:
                    return either(below)
                return either([*below, Compare("==", right, Const(0), span=right.span)])
            case Binary(op="<<" | ">>", right=right):
                return either([*below, *outside(right, 0, 31)])
        return either(below)

    return fold(root, visit)


def _in_order(
    parts: Sequence[Formula], below: Sequence[Formula], goes_on: Callable[[Formula], Formula]
) -> Formula:
    """The first part fails, or the evaluation goes on and a later one does."""
    found: Formula = FALSE
    for part, wrong in reversed(list(zip(parts, below, strict=True))):
        if found is not FALSE:
            found = conjunction((goes_on(part), found))
        found = either([wrong, found])
    return found


def either(parts: Sequence[Formula]) -> Formula:
    """One of the conditions holds; FALSE, the very object, when none can."""
    possible = [p for p in parts if p is not FALSE]
    return disjunction(possible) if possible else FALSE
