"""Sums of places: in a net they have no end, in the language of models they wrap around.

An answer about a net whose question computes more than a 32-bit integer holds is not one, and
becomes `unknown`: a wrong bound is worse than none. How large the numbers of a question get is
bounded from what was seen: all places together have so many tokens. So a sum of places, each of
them named once, has no more, and only a place that is named again, a factor or a constant adds to
that; of all other operations the operands are bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plait.model.arithmetic import INT_MAX
from plait.model.expr import AsInt, Binary, Const, IntExpr, Unary, Var
from plait.model.node import Node, fold
from plait.report.answer import Answer

REASON = "a number of the question leaves the 32-bit integers"
BEYOND = INT_MAX + 1
"""What is larger is not looked at: it is too large."""


def doubt_sums(answers: Sequence[Answer]) -> list[Answer]:
    """The answers about a net, without those that a wrapped sum may have made."""
    return [_doubted(a) if a.verdict != "unknown" and _may_wrap(a) else a for a in answers]


def _doubted(a: Answer) -> Answer:
    stats = {name: figure for name, figure in a.stats.items() if name not in ("min", "max")}
    return Answer(a.property, "unknown", a.engine, reason=REASON, stats=stats, seconds=a.seconds)


def _may_wrap(a: Answer) -> bool:
    """Whether the question computes with places beyond the 32-bit integers in a state seen."""
    total = a.stats.get("max_sum")
    if a.property.body is None or not isinstance(total, int):
        return False
    return _Sizes(total).exceeded(a.property.body)


class _Sizes:
    """How large, up to the sign, the numbers of a question may be."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self._single: dict[int, int] = {}
        """Those of what is no sum, by identity."""
        self._sums: dict[int, int] = {}

    def exceeded(self, root: Node) -> bool:
        """Whether a number may leave the integers."""

        def visit(node: Node, below: list[bool]) -> bool:
            if _adds(node):
                return any(below)
            if isinstance(node, IntExpr):
                self._single[id(node)] = min(self._of(node), BEYOND)
            operands = (c for c in node.children() if isinstance(c, Binary | Unary))
            # A place by itself is a place: whether that one fits is a question of the search.
            return (
                any(below)
                or any(self._sum(c) > INT_MAX for c in operands)
                or (isinstance(node, Binary | Unary) and self._single[id(node)] > INT_MAX)
            )

        return fold(root, visit) or (_adds(root) and self._sum(root) > INT_MAX)

    def _of(self, node: IntExpr) -> int:
        """The size of what is no sum; its operands are known."""
        match node:
            case Const(value=value):
                return abs(value)
            case Var():
                return min(self.tokens, INT_MAX)
            case AsInt():
                return 1
            case Unary(operand=operand):
                return self._sum(operand) + 1
            case Binary(op="*", left=left, right=right):
                return self._sum(left) * self._sum(right)
            case Binary(op="/" | "%" | ">>", left=left):
                return self._sum(left)
            case Binary(op="&" | "|" | "^", left=left, right=right):
                return min(2 * max(self._sum(left), self._sum(right)) + 1, INT_MAX)
            case Binary(op="<<", left=left, right=right):
                return self._sum(left) << min(self._sum(right), 31)
            case Binary(op="**", left=left, right=right):
                return int(self._sum(left) ** min(self._sum(right), 32))
        return BEYOND

    def _sum(self, root: Node) -> int:
        """The size of a sum, whose parts are known: so many tokens are in all places together."""
        if id(root) not in self._sums:
            places: Counter[Node] = Counter()
            rest = 0
            times = {id(root): 1}
            for node in _parents_first(root):
                factor = min(times[id(node)], BEYOND)
                if isinstance(node, Var):
                    places[node] += factor
                elif not _adds(node):
                    rest += factor * self._single[id(node)]
                else:
                    more, parts = _scaled(node)
                    for part in parts:
                        times[id(part)] = times.get(id(part), 0) + factor * more
            together = self.tokens * max(places.values(), default=0)
            apart = INT_MAX * sum(places.values())
            self._sums[id(root)] = min(min(together, apart) + rest, BEYOND)
        return self._sums[id(root)]


def _adds(node: Node) -> bool:
    """Whether a number is a sum of its parts, or one of them so many times."""
    if isinstance(node, Unary):
        return node.op == "-"
    if not isinstance(node, Binary):
        return False
    by_constant = isinstance(node.left, Const) or isinstance(node.right, Const)
    return node.op in "+-" or (node.op == "*" and by_constant)


def _scaled(node: Node) -> tuple[int, tuple[Node, ...]]:
    """The parts of a sum, and how many times they are added."""
    if isinstance(node, Binary) and node.op == "*":
        for constant, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(constant, Const):
                return abs(constant.value), (other,)
    return 1, node.children()


def _parents_first(root: Node) -> list[Node]:
    """The nodes of a sum and its parts, each once and before what it is made of."""
    found: list[Node] = []
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if _adds(node):
                stack.extend((part, False) for part in _scaled(node)[1])
    return found[::-1]


__all__ = ["REASON", "doubt_sums"]
