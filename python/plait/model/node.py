"""Trees without recursion: the base of every expression and formula.

Models come from files, and a file may hold a sum of 100,000 terms or as many nested parentheses.
Python's stack must not be the limit, so nothing here or in any pass recurses over expressions:
equality is a loop, and traversals go through `fold`, `rewrite` and `nodes` below.

A node's data are its `key()` (everything that is not a node) and its `children()`. The `span`
says where it stood in the source and takes no part in equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plait.errors import Span
from plait.hints import TYPE_CHECKING, Self
from plait.records import dataclass, field

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


HASHED = 16
"""Nodes of a tree that its hash looks at."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Node:
    """An immutable tree node; subclasses list their fields and say which are children."""

    span: Span | None = field(default=None, kw_only=True)

    def key(self) -> object:
        """The data of this node apart from its children; hashable."""
        return None

    def children(self) -> tuple[Node, ...]:
        """The sub-nodes, left to right."""
        return ()

    def with_children(self, children: Sequence[Node]) -> Self:
        """The same node over other children (as many as `children()` gave)."""
        assert not children
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        stack: list[tuple[Node, Node]] = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            if type(a) is not type(b) or a.key() != b.key():
                return False
            below_a, below_b = a.children(), b.children()
            if len(below_a) != len(below_b):
                return False
            stack.extend(zip(below_a, below_b, strict=True))
        return True

    def __hash__(self) -> int:
        # A few nodes, breadth first: cheap on large trees, and enough to tell most guards apart.
        some: list[Node] = [self]
        for node in some:
            if len(some) >= HASHED:
                break
            some.extend(node.children()[:HASHED])
        return hash(tuple([(type(node), node.key()) for node in some[:HASHED]]))

    def __repr__(self) -> str:
        from plait.model.text import show

        return f"<{type(self).__name__} {show(self, limit=200)}>"


def fold(root: Node, visit: Callable[[Node, list[T]], T]) -> T:
    """`visit(node, results of its children)`, bottom up; a shared sub-tree is visited once."""
    if not root.children():
        return visit(root, [])
    done: dict[int, T] = {}
    stack: list[tuple[Node, Sequence[Node] | None]] = [(root, None)]
    while stack:
        node, below = stack.pop()
        if below is not None:
            done[id(node)] = visit(node, [done[id(c)] for c in below])
        elif id(node) not in done:
            below = node.children()
            if below:
                stack.append((node, below))
                stack.extend([(c, None) for c in reversed(below)])
            else:
                done[id(node)] = visit(node, [])
    return done[id(root)]


def rewrite(root: Node, change: Callable[[Node], Node]) -> Node:
    """`change` applied to every node, bottom up; untouched sub-trees are kept as they are."""

    def visit(node: Node, below: list[Node]) -> Node:
        for old, new in zip(node.children(), below) if below else ():  # noqa: B905 - as many
            if old is not new:
                return change(node.with_children(below))
        return change(node)

    return fold(root, visit)


def nodes(root: Node) -> Iterator[Node]:
    """Every node of the tree, each shared one once, parents before children."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            below = node.children()
            if below:
                stack.extend(below[::-1])
