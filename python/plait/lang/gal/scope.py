"""Names that stand for expressions inside a type: aliases and predicates, expanded where used.

The core has no node for them. An expanded expression is shared, not copied, but everything that
walks over trees without sharing (printing, for one) pays for its full size; so the size of all
expansions together is limited.
"""

from __future__ import annotations

from plait.errors import Span, error
from plait.model.node import Node, fold

EXPANSION_LIMIT = 2_000_000
"""The most nodes that the aliases and predicates of a file may expand to, all uses together."""


class Scope:
    """The aliases and predicates that are visible in a type."""

    def __init__(self) -> None:
        self._meaning: dict[str, Node] = {}
        self._kind: dict[str, str] = {}
        self._size: dict[str, int] = {}
        self._expanded = 0

    def define(self, name: str, kind: str, meaning: Node, span: Span) -> None:
        """Let a name stand for an expression."""
        if name in self._meaning:
            raise error(f"'{name}' is declared twice", span)
        self._meaning[name] = meaning
        self._kind[name] = kind
        self._size[name] = fold(meaning, _size)

    def kind(self, name: str) -> str | None:
        """`alias`, `predicate`, or None for a name that is not defined here."""
        return self._kind.get(name)

    def expand(self, name: str, span: Span) -> Node | None:
        """What a name stands for, or None when it is an ordinary name."""
        meaning = self._meaning.get(name)
        if meaning is None:
            return None
        self._expanded += self._size[name]
        if self._expanded > EXPANSION_LIMIT:
            message = f"aliases and predicates expand to more than {EXPANSION_LIMIT} terms here"
            raise error(message, span)
        return meaning


def _size(node: Node, below: list[int]) -> int:
    return 1 + sum(below)
