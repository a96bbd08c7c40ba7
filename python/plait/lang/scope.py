"""Scopes: what names mean in a stretch of text, and around it."""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import Span, error
from plait.hints import Generic, TypeVar
from plait.records import dataclass, field

Meaning = TypeVar("Meaning")


@dataclass(slots=True)
class Scope(Generic[Meaning]):
    """The names of a block, of a process or of a whole text, and the scope around it."""

    outer: Scope[Meaning] | None = None
    names: dict[str, Meaning] = field(default_factory=dict)

    def declare(self, name: str, meaning: Meaning, span: Span) -> None:
        """Give a name a meaning, which it must not have yet in this scope."""
        if name in self.names:
            raise error(f"'{name}' is declared twice", span)
        self.names[name] = meaning

    def find(self, name: str) -> Meaning | None:
        """The innermost meaning of a name."""
        return next((s.names[name] for s in self._outwards() if name in s.names), None)

    def known(self) -> list[str]:
        """All names that mean something here."""
        return [name for scope in self._outwards() for name in scope.names]

    def _outwards(self) -> Iterator[Scope[Meaning]]:
        scope: Scope[Meaning] | None = self
        while scope is not None:
            yield scope
            scope = scope.outer
