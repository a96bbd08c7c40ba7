"""Types, and what the names of a network stand for.

A structure is no variable of the model; its fields are, each with all dimensions around it: of
`struct { int n; bool b[2]; } s[3]` the model has the arrays `s.n` with 3 cells and `s.b` with 6,
row after row. So every variable of the model has one range, and what a name with indices and fields
behind it stands for (a `Place`) is known before anything runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from plait.errors import Span
from plait.hints import TYPE_CHECKING
from plait.model.expr import Const, IntExpr
from plait.model.types import Domain
from plait.records import dataclass, field, replace

if TYPE_CHECKING:
    from plait.lang.xta.program import Command

INT = Domain(-(2**15), 2**15 - 1)
WIDE = Domain(-(2**31), 2**31 - 1)
BOOL = Domain(0, 1)

Dimensions = tuple[range, ...]
"""The indices of an array, one range for each pair of brackets; none for what is no array."""


# --- types ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """Integers of a range, truth values and elements of a scalar set among them."""

    domain: Domain

    @property
    def start(self) -> int:
        """What a variable of this type is where nothing is said: 0, or what is nearest to it."""
        return max(self.domain.low, min(0, self.domain.high))


@dataclass(frozen=True, slots=True)
class Timer:
    """Clocks."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Channels."""

    urgent: bool = False
    broadcast: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """Structures."""

    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True, slots=True)
class Array:
    """Arrays."""

    indices: range
    element: Type


Single = Number | Timer | Channel
Type = Single | Record | Array
Path = tuple[str, ...]
"""The fields that lead to a part of a structure."""


def leaves(type_: Type) -> Iterator[tuple[Path, Dimensions, Single]]:
    """The variables that a variable of a type consists of."""
    match type_:
        case Record(fields=fields):
            for name, inner in fields:
                yield from (((name, *path), dims, one) for path, dims, one in leaves(inner))
        case Array(indices=indices, element=element):
            yield from ((path, (indices, *dims), one) for path, dims, one in leaves(element))
        case _:
            yield (), (), type_


def cells(dimensions: Dimensions) -> int:
    """How many cells an array has."""
    return prod(map(len, dimensions))


def width(type_: Type) -> int:
    """How many cells a variable of a type has."""
    return sum(cells(dimensions) for _, dimensions, _ in leaves(type_))


def alike(one: Type, other: Type) -> bool:
    """Whether both consist of the same parts; the ranges of numbers may differ."""
    shapes = [
        [(path, tuple(map(len, dims)), type(single)) for path, dims, single in leaves(type_)]
        for type_ in (one, other)
    ]
    return shapes[0] == shapes[1]


def arrayed(type_: Type, dimensions: Dimensions) -> Type:
    """The type with these dimensions around it."""
    for indices in reversed(dimensions):
        type_ = Array(indices, type_)
    return type_


# --- symbols --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that never changes."""

    value: int


@dataclass(frozen=True, slots=True)
class Place:
    """What a name stands for, and what the indices and fields behind it lead to.

    `places` are the indices so far, `dimensions` those that they are of.
    """

    full: str
    """The name in the model, `P.x` for a variable of a process."""
    type: Type
    path: Path = ()
    dimensions: Dimensions = ()
    places: tuple[IntExpr, ...] = ()
    values: Mapping[str, tuple[int, ...]] | None = None
    """Those of a constant, by the names of its variables in the model."""

    @property
    def name(self) -> str:
        """The name of the variable of the model."""
        return ".".join((self.full, *self.path)) if self.path else self.full

    @property
    def written(self) -> str:
        """The name as it stands in the text."""
        return self.full.rpartition(".")[2]

    def field(self, name: str) -> Place | None:
        """A field; None where there is none of that name."""
        assert isinstance(self.type, Record)
        found = dict(self.type.fields).get(name)
        return None if found is None else replace(self, type=found, path=(*self.path, name))

    def cell(self, index: IntExpr) -> Place:
        """A cell of an array."""
        assert isinstance(self.type, Array)
        return replace(
            self,
            type=self.type.element,
            dimensions=(*self.dimensions, self.type.indices),
            places=(*self.places, index),
        )

    def singles(self) -> Iterator[Place]:
        """All that it consists of, cell by cell."""
        match self.type:
            case Record(fields=fields):
                for name, _ in fields:
                    inner = self.field(name)
                    assert inner is not None
                    yield from inner.singles()
            case Array(indices=indices):
                for index in indices:
                    yield from self.cell(Const(index)).singles()
            case _:
                yield self


@dataclass(frozen=True, slots=True)
class Named:
    """A name for a type."""

    type: Type


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a template or of a function; with `reference` a name of what is given."""

    name: str
    type: Type
    reference: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function; its parameters and local variables are `full.name` where they need a name."""

    name: str
    full: str
    parameters: tuple[Parameter, ...]
    result: Type | None
    span: Span
    body: tuple[Command, ...] = ()
    changes: bool = False
    """Whether it changes anything but its own variables."""
    own: Mapping[str, Place] = field(default_factory=dict)
    """The variables of its parameters, by their names."""
    variables: frozenset[str] = frozenset()
    """All its variables, as parts of which the model could have them."""

    @property
    def given(self) -> Place:
        """The variable that holds its result."""
        assert self.result is not None
        return Place(f"{self.full}()", self.result)

    @property
    def ended(self) -> str:
        """The variable that tells whether it has returned."""
        return f"{self.full}() ended"


Symbol = Constant | Place | Named | Function


# --- what the model is made of --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Data:
    """A variable of the model; an array of arrays is one array, row after row."""

    full: str
    domain: Domain
    dimensions: Dimensions
    initial: tuple[int, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock; `owner` is the only process that can see it, if there is one."""

    full: str
    owner: str | None
    span: Span
    initial: int = 0


__all__ = [
    "BOOL",
    "INT",
    "WIDE",
    "Array",
    "Channel",
    "Clock",
    "Constant",
    "Data",
    "Dimensions",
    "Function",
    "Named",
    "Number",
    "Parameter",
    "Path",
    "Place",
    "Record",
    "Single",
    "Symbol",
    "Timer",
    "Type",
    "alike",
    "arrayed",
    "cells",
    "leaves",
    "width",
]
