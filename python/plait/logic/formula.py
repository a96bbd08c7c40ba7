"""Temporal formulas: path operators and path quantifiers over the conditions of the model.

`And`, `Or`, `Not`, `Implies`, `Iff` and the atoms come from `plait.model.expr`. A CTL formula has a
quantifier directly over each path operator (`Exists(Next(f))` is EX f), an LTL formula has none,
a state formula has neither.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.hints import Self, cast
from plait.model.expr import Formula
from plait.model.node import Node
from plait.records import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Temporal(Formula):
    """Base of the operators that speak of paths."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnaryTemporal(Temporal):
    """An operator with one operand."""

    operand: Formula

    def children(self) -> tuple[Node, ...]:
        return (self.operand,)

    def with_children(self, children: Sequence[Node]) -> Self:
        return type(self)(cast(Formula, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BinaryTemporal(Temporal):
    """An operator with two operands."""

    left: Formula
    right: Formula

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_children(self, children: Sequence[Node]) -> Self:
        return type(self)(cast(Formula, children[0]), cast(Formula, children[1]), span=self.span)


class Next(UnaryTemporal):
    """X f: f holds in the next state."""

    __slots__ = ()


class Finally(UnaryTemporal):
    """F f: f holds now or later."""

    __slots__ = ()


class Globally(UnaryTemporal):
    """G f: f holds now and always."""

    __slots__ = ()


class Until(BinaryTemporal):
    """f U g: g holds now or later, and f until then."""

    __slots__ = ()


class WeakUntil(BinaryTemporal):
    """f W g: f U g, or f for ever."""

    __slots__ = ()


class Release(BinaryTemporal):
    """f R g: g holds until and including the first state where f holds, or for ever."""

    __slots__ = ()


class StrongRelease(BinaryTemporal):
    """f M g: f R g, and f holds some time."""

    __slots__ = ()


class Forall(UnaryTemporal):
    """A f: the path formula holds on every path from here."""

    __slots__ = ()


class Exists(UnaryTemporal):
    """E f: the path formula holds on some path from here."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NeverClaim(Temporal):
    """No run is accepted by this Büchi automaton, the negation of what the model should do.

    The automaton reads a run state by state. It begins in location 0, and `arcs` are pairs of
    locations; an arc may be taken when its guard holds in the state that is read. A run is accepted
    when the automaton can read all of it and is in an accepting location, or reads a state where
    `also` holds, again and again. It is a whole property, never a part of a formula.
    """

    arcs: tuple[tuple[int, int], ...]
    guards: tuple[Formula, ...]
    accepting: frozenset[int]
    also: Formula

    def key(self) -> object:
        return (self.arcs, self.accepting)

    def children(self) -> tuple[Node, ...]:
        return (*self.guards, self.also)

    def with_children(self, children: Sequence[Node]) -> NeverClaim:
        *guards, also = (cast(Formula, c) for c in children)
        return NeverClaim(self.arcs, tuple(guards), self.accepting, also, span=self.span)


PATH = (Next, Finally, Globally, Until, WeakUntil, Release, StrongRelease)
QUANTIFIERS = (Forall, Exists)
