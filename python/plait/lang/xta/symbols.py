"""What the names of a network stand for."""

from __future__ import annotations

from plait.errors import Span
from plait.model.types import Domain
from plait.records import dataclass

INT = Domain(-(2**15), 2**15 - 1)
BOOL = Domain(0, 1)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, or with `size` an array of them, that never changes.

    An array is a variable of the model, too, whose name is `full`.
    """

    values: tuple[int, ...]
    size: int | None = None
    full: str = ""


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


__all__ = ["BOOL", "INT", "Chan", "Clock", "Constant", "Data", "Range", "Symbol"]
