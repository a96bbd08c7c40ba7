"""What the names of a network stand for, and scopes in which they are looked up."""

from __future__ import annotations

from dataclasses import dataclass, field

from plait.errors import Span, error
from plait.model.types import Domain

INT = Domain(-(2**15), 2**15 - 1)
BOOL = Domain(0, 1)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, or with `size` an array of them, that never changes."""

    values: tuple[int, ...]
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """A variable; `full` is its name in the model, `P.x` for one of a process."""

    full: str
    domain: Domain
    size: int | None
    initial: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock; `owner` is the only process that can see it, if there is one."""

    full: str
    owner: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Chan:
    """A channel, or with `size` an array of channels."""

    full: str
    size: int | None
    urgent: bool
    broadcast: bool


@dataclass(frozen=True, slots=True)
class Range:
    """A name for a range of integers."""

    domain: Domain


Symbol = Constant | Data | Clock | Chan | Range


@dataclass(slots=True)
class Scope:
    """Names, and the scope around them."""

    outer: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)

    def declare(self, name: str, symbol: Symbol, span: Span) -> None:
        """Give a name a meaning, which it must not have yet in this scope."""
        if name in self.names:
            raise error(f"'{name}' is declared twice", span)
        self.names[name] = symbol

    def find(self, name: str) -> Symbol | None:
        """What a name means here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def known(self) -> list[str]:
        """All names that mean something here."""
        return [*self.names, *(self.outer.known() if self.outer is not None else [])]


__all__ = ["BOOL", "INT", "Chan", "Clock", "Constant", "Data", "Range", "Scope", "Symbol"]
