"""What the names of a program stand for, and the scopes in which they are looked up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.lang.smart.measures import Measures
from plait.lang.smart.spn import NetBody
from plait.lang.smart.syntax import Define
from plait.lang.smart.values import Value, promotion
from plait.records import dataclass, field

Key = tuple[Value, ...]
"""The indices of a cell of an array."""


@dataclass(eq=False)
class Definition:
    """A definition and where it was made."""

    statement: Define
    scope: Scope
    values: dict[Key, Value] = field(default_factory=dict)
    """Those that were computed, by the arguments."""
    busy: bool = False

    @property
    def signature(self) -> tuple[str, ...]:
        """The types of its parameters."""
        return tuple(type_ for type_, _ in self.statement.formals or ())


@dataclass(eq=False)
class Scope:
    """Names: values, definitions that may be overloaded, or arrays of either."""

    outer: Scope | None = None
    values: dict[str, Value] = field(default_factory=dict)
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    arrays: dict[str, dict[Key, Value]] = field(default_factory=dict)
    net: NetInstance | None = None

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    @property
    def home(self) -> Scope:
        """Where definitions go: loops have no names of their own but the iterator."""
        return next(s for s in self.chain() if s.outer is None or s.net is not None)

    @property
    def known(self) -> list[str]:
        """All names that mean something here."""
        return [n for s in self.chain() for n in (*s.values, *s.definitions, *s.arrays)]


@dataclass(eq=False)
class NetInstance:
    """A net with its parameters, its parts and what is asked of it."""

    kind = "model"
    body: NetBody
    scope: Scope
    measures: Measures | None = None


def overload(definitions: Sequence[Definition], given: Sequence[Value]) -> Definition | None:
    """The definition whose parameters are nearest to the values."""
    best: tuple[int, Definition] | None = None
    for definition in definitions:
        types = definition.signature
        if len(types) != len(given):
            continue
        costs = [promotion(v, t) for v, t in zip(given, types, strict=True)]
        if None in costs:
            continue
        cost = sum(c for c in costs if c is not None)
        if best is None or cost < best[0]:
            best = cost, definition
    return None if best is None else best[1]


__all__ = ["Definition", "Key", "NetInstance", "Scope", "overload"]
