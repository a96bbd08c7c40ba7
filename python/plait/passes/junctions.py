"""Conjunctions and disjunctions: nested ones opened, repeated and opposite operands found.

Long lists are left as they are: nothing here takes more than linear time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.model.expr import NEGATED, And, Compare, CompareOp, Formula, IntExpr, Or
from plait.model.node import Node

FEW = 64
"""Up to so many operands are compared with each other."""


def opened(node: Node) -> Sequence[Node]:
    """The operands; of a conjunction (disjunction) those of the nested ones in their place.

    Opening the whole nest at once keeps a chain of n nested `&&` linear, and a repeated operand
    may be left out, which keeps shared ones from multiplying.
    """
    kind = type(node)
    if kind is not And and kind is not Or:
        return node.children()
    found: list[Node] = []
    seen: set[int] = set()
    stack: list[Node] = [node]
    while stack:
        part = stack.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if type(part) is kind:
            stack.extend(reversed(part.children()))
        else:
            found.append(part)
    return found


def distinct(formulas: list[Formula]) -> list[Formula]:
    """The formulas without repetitions, in order (a long list is left as it is)."""
    if not 1 < len(formulas) <= FEW:
        return formulas
    kept = dict.fromkeys(formulas)
    return formulas if len(kept) == len(formulas) else list(kept)


def together(conjuncts: list[Formula]) -> tuple[Formula, ...] | None:
    """The conjuncts without repetitions; None when a comparison and its opposite are there."""
    if len(conjuncts) <= FEW and has_opposites(conjuncts):
        return None
    return tuple(distinct(conjuncts))


def has_opposites(formulas: Iterable[Formula]) -> bool:
    """Whether a comparison and its opposite are among them."""
    found: dict[tuple[IntExpr, IntExpr], set[CompareOp]] = {}
    for f in formulas:
        if isinstance(f, Compare):
            ops = found.setdefault((f.left, f.right), set())
            if NEGATED[f.op] in ops:
                return True
            ops.add(f.op)
    return False


__all__ = ["FEW", "distinct", "has_opposites", "opened", "together"]
