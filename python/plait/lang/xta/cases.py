"""Choices inside expressions, moved out of them: the model has conditions, but no `c ? a : b`.

An expression with choices is a list of cases, expressions without choices and the condition under
which each is meant; exactly one of the conditions holds. A comparison of such expressions holds
where a case of both is meant for which it does. What is not meant may be undefined: in the logic of
conditions `false && u` is false (`plait.model.expr`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.xta.program import Choice
from plait.model.expr import (
    FALSE,
    TRUE,
    AsInt,
    Compare,
    Formula,
    IntExpr,
    Not,
    Or,
    Truth,
    conjunction,
    conjuncts,
)
from plait.model.node import Node, fold, nodes

MOST = 2_000
"""The most cases of an expression."""
Case = tuple[Formula, IntExpr]
_Meaning = Formula | list[Case]


def plain(formula: Formula) -> Formula:
    """The condition without choices."""
    if not _chooses(formula):
        return formula
    return cast(Formula, fold(formula, _visit))


def cases(expression: IntExpr) -> list[Case]:
    """The cases of an expression."""
    if not _chooses(expression):
        return [(TRUE, expression)]
    return cast("list[Case]", fold(expression, _visit))


def _chooses(node: Node) -> bool:
    return any(isinstance(n, Choice) for n in nodes(node))


def _visit(node: Node, below: list[_Meaning]) -> _Meaning:
    match node:
        case Choice():
            condition, left, right = below
            return _chosen(cast(Formula, condition), _list(left), _list(right), node.span)
        case AsInt():
            return [(TRUE, AsInt(cast(Formula, below[0]), span=node.span))]
        case Compare():
            found = _combined(node, [_list(b) for b in below])
            held = [both(condition, cast(Formula, test)) for condition, test in found]
            return held[0] if len(held) == 1 else Or(tuple(f for f in held if f is not FALSE))
        case Formula():
            return node.with_children([cast(Formula, b) for b in below]) if below else node
        case _ if not below:
            return [(TRUE, cast(IntExpr, node))]
        case _:
            return _merged(
                [(c, cast(IntExpr, n)) for c, n in _combined(node, [_list(b) for b in below])],
                node.span,
            )


def _list(meaning: _Meaning) -> list[Case]:
    assert isinstance(meaning, list)
    return meaning


def _combined(node: Node, below: Sequence[list[Case]]) -> list[tuple[Formula, Node]]:
    """The node over all choices of cases of its children that are meant together."""
    total = 1
    for one in below:
        total *= len(one)
    _check(total, node.span)
    found: list[tuple[Formula, Node]] = []
    for chosen in product(*below):
        condition: Formula = TRUE
        for more, _ in chosen:
            condition = both(condition, more)
        if condition is not FALSE:
            found.append((condition, node.with_children([e for _, e in chosen])))
    return found


def _chosen(
    condition: Formula, left: list[Case], right: list[Case], span: Span | None
) -> list[Case]:
    if isinstance(condition, Truth):
        return left if condition.value else right
    other = Not(condition)
    found = [(both(condition, c), e) for c, e in left] + [(both(other, c), e) for c, e in right]
    return _merged([(c, e) for c, e in found if c is not FALSE], span)


def _merged(found: list[Case], span: Span | None) -> list[Case]:
    """Cases with the same value are one."""
    by_value: dict[IntExpr, list[Formula]] = {}
    for condition, value in found:
        by_value.setdefault(value, []).append(condition)
    _check(len(by_value), span)
    return [
        (conditions[0] if len(conditions) == 1 else Or(tuple(conditions)), value)
        for value, conditions in by_value.items()
    ]


def both(left: Formula, right: Formula) -> Formula:
    """The conjunction; false where one side is seen to deny the other."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Truth):
            return other if one.value else FALSE
    parts = dict.fromkeys((*conjuncts(left), *conjuncts(right)))
    for part in parts:
        if isinstance(part, Not) and part.operand in parts:
            return FALSE
    return conjunction(tuple(parts))


def _check(count: int, span: Span | None) -> None:
    if count > MOST:
        raise error(
            f"this has more than {MOST} cases", span, "an update may do what a condition cannot"
        )


__all__ = ["both", "cases", "plain"]
