"""The dependency of the events of a flat model, with names instead of numbers."""

from __future__ import annotations

from dataclasses import dataclass

from plait import _core
from plait.errors import error
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.types import Model
from plait.program import compile_model


@dataclass(frozen=True, slots=True)
class Touch:
    """What an event does to a cell."""

    cell: str
    effect: str
    """keep, add, set or write (anything)."""
    amount: int | None
    values: list[tuple[int, int]] | None
    """Where the cell must lie, as intervals; None for anywhere."""
    reads: bool
    """The value matters to something else."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Events by title, each with what it touches and with the numbers of the related ones."""

    events: tuple[str, ...]
    touches: tuple[tuple[Touch, ...], ...]
    conflict: tuple[tuple[int, ...], ...]
    depend: tuple[tuple[int, ...], ...]
    processes: tuple[str, ...]


def dependency(flat: Model) -> Dependency:
    """The dependency of the free events of a model that the passes have flattened."""
    compiled = compile_model(flat)
    try:
        found = _core.dependency(compiled.program)
    except _core.TooLargeError as failure:
        raise error(str(failure)) from None
    cells = list(compiled.shape.cells())
    everywhere = [(INT_MIN, INT_MAX)]

    def touch(
        cell: int, values: list[tuple[int, int]], effect: str, amount: int | None, *, reads: bool
    ) -> Touch:
        tested = None if values == everywhere else values
        return Touch(cells[cell], effect, amount, tested, reads)

    touches = (
        tuple(touch(c, v, effect, amount, reads=reads) for c, v, effect, amount, reads in rows)
        for rows in found["operations"]
    )
    return Dependency(
        tuple(compiled.events[e].title for e in found["events"]),
        tuple(touches),
        tuple(map(tuple, found["conflict"])),
        tuple(map(tuple, found["depend"])),
        tuple(cells[c] for c in found["controls"]),
    )
