"""Symmetric nets: Petri nets whose tokens carry colours of finite, structured domains.

Chiola, Dutheillet, Franceschinis, Haddad: "Stochastic Well-Formed Colored Nets and Symmetric
Modeling Applications" (1993); ISO/IEC 15909-2 calls them symmetric nets.

A *basic sort* is a finite, ordered set of colours, known by their numbers from 0. A *sort* is a
product of basic sorts, flat: a product inside a product stands for its components. So a colour is
a tuple of numbers, and the colour of an uncoloured token is that of the sort of one dot.

A *bag* (multiset of colours) is written as summands: a count and one term for each component. A
term is a fixed colour, a variable shifted around its circle, or every colour. A variable of a
product sort is one variable for each component.

Invariant: every term fits its component, every variable of a guard or bag is declared by its event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from plait.errors import Span, error
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Binary, Const, Formula, IntExpr, Param
from plait.records import dataclass, field

COLOUR_LIMIT = 10_000_000
"""The most colours of a basic sort. A product may have more: its colours are not listed."""
Colour = tuple[int, ...]
ArcKind = Literal["in", "out", "inhibitor"]


@dataclass(frozen=True, slots=True, eq=False)
class Basic:
    """A finite ordered set of colours; two of them are the same only when they are one object."""

    name: str
    colours: Sequence[str] | range

    @property
    def size(self) -> int:
        """How many colours there are."""
        return len(self.colours)

    def colour(self, number: int) -> str:
        """The name of a colour."""
        return str(self.colours[number])


DOT = Basic("dot", ("dot",))
Sort = tuple[Basic, ...]


def size_of(sort: Sort) -> int:
    """How many colours a sort has."""
    return prod(basic.size for basic in sort)


def show_sort(sort: Sort) -> str:
    """A sort as messages name it."""
    return " * ".join(basic.name for basic in sort) or "()"


class Fixed(NamedTuple):
    """One colour."""

    value: int


class Shifted(NamedTuple):
    """The colour of a variable, `offset` steps further around its circle (0: itself)."""

    variable: str
    offset: int = 0


class Every(NamedTuple):
    """Each colour once."""

    size: int


Term = Fixed | Shifted | Every


def term_number(term: Term, size: int) -> IntExpr:
    """The number of the colour that a term denotes; the term is not `Every`."""
    if isinstance(term, Fixed):
        return Const(term.value)
    assert isinstance(term, Shifted)
    variable = Param(term.variable)
    if not term.offset:
        return variable
    return Binary("%", Binary("+", variable, Const(term.offset)), Const(size))


class Summand(NamedTuple):
    """`times` tokens of each colour that the terms make; negative when they are subtracted."""

    times: int
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Bag:
    """A multiset of colours, as a sum."""

    summands: tuple[Summand, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def size(self) -> int:
        """How many tokens it holds, whatever the variables are."""
        return sum(s.times * prod(t.size for t in s.terms if isinstance(t, Every)) for s in self)

    def __iter__(self) -> Iterator[Summand]:
        return iter(self.summands)

    def normal(self) -> Counter[tuple[Term, ...]]:
        """The counts by term, for comparisons of spelling."""
        counts: Counter[tuple[Term, ...]] = Counter()
        for count, terms in self.summands:
            counts[terms] += count
        return counts

    def colours(self, binding: Mapping[str, int], sort: Sort) -> dict[Colour, int]:
        """The tokens for one binding of the variables; an error when a count is negative."""
        counts: dict[Colour, int] = {}
        for count, terms in self.summands:
            for colour in _colours(terms, binding, sort):
                counts[colour] = counts.get(colour, 0) + count
        if len(self.summands) == 1 and self.summands[0].times > 0:
            return counts
        return {c: n for c, n in counts.items() if self._natural(c, n, sort)}

    def _natural(self, colour: Colour, count: int, sort: Sort) -> bool:
        if count < 0:
            raise error(
                f"more tokens of the colour {show_colour(colour, sort)} are subtracted here than "
                "there are",
                self.span,
            )
        if count > INT_MAX:
            raise error(f"this makes more than {INT_MAX} tokens of one colour", self.span)
        return count > 0


def _colours(terms: tuple[Term, ...], binding: Mapping[str, int], sort: Sort) -> Iterator[Colour]:
    choices: list[Sequence[int]] = []
    for term, basic in zip(terms, sort, strict=True):
        if isinstance(term, Shifted):
            choices.append(((binding[term.variable] + term.offset) % basic.size,))
        elif isinstance(term, Fixed):
            choices.append((term.value,))
        else:
            choices.append(range(basic.size))
    return product(*choices)


def show_colour(colour: Colour, sort: Sort) -> str:
    """A colour as messages name it."""
    return "(" + ", ".join(b.colour(c) for c, b in zip(colour, sort, strict=True)) + ")"


@dataclass(frozen=True, slots=True)
class ColouredPlace:
    """A place: its sort and the tokens that it starts with."""

    name: str
    sort: Sort
    initial: Mapping[Colour, int] = field(default_factory=dict)
    span: Span | None = field(default=None, compare=False, repr=False)
    comment: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColouredArc:
    """What an event takes from a place, puts there, or must not find there.

    With an inhibitor arc the event needs, for each colour of the bag, fewer tokens than the bag
    holds.
    """

    place: int
    kind: ArcKind
    bag: Bag
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColouredEvent:
    """A transition: one event for each binding of its variables for which the guard holds.

    The guard is a conjunction of conditions over the numbers of colours, in which a variable is a
    parameter (`plait.model.expr.Param`).
    """

    name: str
    variables: tuple[tuple[str, Basic], ...] = ()
    guard: tuple[Formula, ...] = ()
    arcs: tuple[ColouredArc, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    comment: str | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColouredNet:
    """A symmetric net; arcs name places by their number."""

    name: str
    places: tuple[ColouredPlace, ...]
    events: tuple[ColouredEvent, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def constant_places(self) -> frozenset[int]:
        """The places that no event changes: what it takes is spelled as what it puts back."""
        changed: set[int] = set()
        for event in self.events:
            change: dict[int, Counter[tuple[Term, ...]]] = {}
            for arc in event.arcs:
                if arc.kind == "inhibitor":
                    continue
                counts = change.setdefault(arc.place, Counter())
                if arc.kind == "in":
                    counts.subtract(arc.bag.normal())
                else:
                    counts.update(arc.bag.normal())
            changed.update(p for p, counts in change.items() if any(counts.values()))
        return frozenset(range(len(self.places))) - changed
