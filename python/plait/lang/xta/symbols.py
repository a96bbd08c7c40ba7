"""What the names of a network stand for."""

from __future__ import annotations

from math import prod

from plait.errors import Span
from plait.model.types import Domain
from plait.records import dataclass

INT = Domain(-(2**15), 2**15 - 1)
WIDE = Domain(-(2**31), 2**31 - 1)
BOOL = Domain(0, 1)


Dimensions = tuple[range, ...]
"""The indices of an array, one range for each pair of brackets; none for what is no array."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, or with `dimensions` an array of them, that never changes.

    An array is a variable of the model, too, whose name is `full`.
    """

    values: tuple[int, ...]
    dimensions: Dimensions = ()
    full: str = ""


@dataclass(frozen=True, slots=True)
class Data:
    """A variable; `full` is its name in the model, `P.x` for one of a process.

    An array of arrays is an array of the model, row after row.
    """

    full: str
    domain: Domain
    dimensions: Dimensions
    initial: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock; `owner` is the only process that can see it, if there is one."""

    full: str
    owner: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Clocks:
    """An array of clocks, row after row."""

    cells: tuple[Clock, ...]
    dimensions: Dimensions


@dataclass(frozen=True, slots=True)
class Chan:
    """A channel, or with `dimensions` an array of channels."""

    full: str
    dimensions: Dimensions
    urgent: bool
    broadcast: bool


@dataclass(frozen=True, slots=True)
class Range:
    """A name for a range of integers."""

    domain: Domain


Symbol = Constant | Data | Clock | Clocks | Chan | Range


def cells(dimensions: Dimensions) -> int:
    """How many cells an array has."""
    return prod(map(len, dimensions))


__all__ = [
    "BOOL",
    "INT",
    "WIDE",
    "Chan",
    "Clock",
    "Clocks",
    "Constant",
    "Data",
    "Dimensions",
    "Range",
    "Symbol",
    "cells",
]
