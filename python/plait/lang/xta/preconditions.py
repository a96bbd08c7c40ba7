"""What must hold before updates for a condition to hold after them (Dijkstra, 1975).

From the last update to the first: a variable in the condition becomes what it is assigned; where it
is a cell of an array, only if that is the same cell. It tells whether a step is possible without
taking it, invariants behind it included.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import error
from plait.hints import cast
from plait.lang.xta.cases import plain
from plait.lang.xta.program import Choice
from plait.model.expr import FALSE, And, Compare, Formula, Not, Or, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, If, Statement
from plait.passes.folding import Folder

MOST = 20_000
"""The most nodes of a condition."""


def precondition(updates: Sequence[Statement], condition: Formula) -> Formula:
    """What must hold before the updates."""
    for statement in reversed(updates):
        match statement:
            case Assign():
                condition = _before(statement, condition)
            case If(condition=test, then=then, otherwise=otherwise):
                ways = precondition(then, condition), precondition(otherwise, condition)
                if ways[0] != ways[1]:
                    condition = Or((And((test, ways[0])), And((Not(test), ways[1]))))
                else:
                    condition = ways[0]
            case Abort():
                condition = FALSE
            case _:
                raise error("whether this is possible cannot be told before", statement.span)
        if sum(1 for _ in nodes(condition)) > MOST:
            raise error("whether this is possible is too involved", statement.span)
    return condition


def _before(assign: Assign, condition: Formula) -> Formula:
    target, value = assign.target, assign.value

    def change(node: Node) -> Node:
        if not isinstance(node, Var) or node.name != target.name:
            return node
        if node.index is None or target.index is None:
            return value
        return Choice(Compare("==", node.index, target.index), value, node)

    if not any(isinstance(n, Var) and n.name == target.name for n in nodes(condition)):
        return condition
    return Folder().formula(plain(cast(Formula, rewrite(condition, change))))


__all__ = ["precondition"]
