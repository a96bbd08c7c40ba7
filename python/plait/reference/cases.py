"""What a condition says in one state: choices are made, indices and parameters are numbers.

A language that chooses a channel by a number, as `c[i]` does, has a case for each channel: it makes
`c[i]?[x]` into `i == 0 && c0?[x] || i == 1 && c1?[x]`, and `len(c[i])` into a sum of products like
`(i == 0) * len(c0)`. In a state where i is 1 only the second case counts. The numbers of such cases
stand at one place of the text, which tells them from a disjunction that somebody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.errors import Span
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Hop,
    IntExpr,
    Or,
    Param,
    Var,
    conjunction,
)
from plait.model.node import Node, fold, rewrite

Value = Callable[[IntExpr], int | None]
"""What an expression is worth in the state."""


def decided(formula: Formula, value: Value) -> Formula:
    """The formula with only that case of each choice that applies in the state."""

    def visit(node: Node, below: list[Node]) -> Node:
        if isinstance(node, Or):
            chosen = _chosen([_of_case(f) for f in node.operands], value)
            if chosen is not None:
                case = below[chosen]
                assert isinstance(case, And)
                return conjunction(case.operands[1:])
        elif isinstance(node, Binary) and node.op == "+":
            terms = _terms(node)
            chosen = _chosen([_of_term(t) for t in terms], value)
            if chosen is not None:
                term = terms[chosen]
                assert isinstance(term, Binary)
                return term.right
        changed = any(a is not b for a, b in zip(node.children(), below, strict=True))
        return node.with_children(below) if changed else node

    result = fold(formula, visit)
    assert isinstance(result, Formula)
    return result


def concrete(formula: Formula, value: Value) -> Formula:
    """The formula with parameters and indices replaced by their values in the state."""

    def number(expr: IntExpr) -> IntExpr:
        known = value(expr)
        return expr if known is None else Const(known, span=expr.span)

    def change(node: Node) -> Node:
        match node:
            case Param():
                return number(node)
            case Var(name=name, index=IntExpr() as index, path=path):
                return Var(name, number(index), path, span=node.span)
            case Hop(name=name, index=IntExpr() as index):
                return Hop(name, number(index), span=node.span)
        return node

    result = rewrite(formula, change)
    assert isinstance(result, Formula)
    return result


def case_number(condition: Formula) -> Compare | None:
    """The condition, if it compares something with a constant, as the number of a case does."""
    match condition:
        case Compare(op="==", right=Const(), span=Span()):
            return condition
    return None


def _chosen(numbers: Sequence[Compare | None], value: Value) -> int | None:
    """Which of the cases applies, if these are the numbers of the cases of one choice."""
    first = numbers[0]
    if first is None or len(numbers) < 2:
        return None
    known = value(first.left)
    chosen = None
    for at, n in enumerate(numbers):
        if n is None or n.span != first.span or n.left != first.left:
            return None
        if isinstance(n.right, Const) and n.right.value == known:
            chosen = at
    return chosen


def _of_case(case: Formula) -> Compare | None:
    return case_number(case.operands[0]) if isinstance(case, And) else None


def _of_term(term: IntExpr) -> Compare | None:
    match term:
        case Binary(op="*", left=AsInt(condition=condition)):
            return case_number(condition)
    return None


def _terms(total: Binary) -> list[IntExpr]:
    """The terms of a sum that is put together from the left."""
    terms: list[IntExpr] = []
    rest: IntExpr = total
    while isinstance(rest, Binary) and rest.op == "+":
        terms.append(rest.right)
        rest = rest.left
    return [rest, *reversed(terms)]
