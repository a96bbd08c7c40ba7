"""The dependency of the events of a flat model, with names instead of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plait import _core
from plait.errors import error
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.types import Model
from plait.program import compile_model
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Touch:
    """What an event does to a cell."""

    cell: str
    effect: str
    """keep, add, set, reflect (taken from the amount) or write (anything)."""
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
    shared: tuple[tuple[int, ...], ...] = ()
    """Events that use a cell that is no program counter in ways that can be dependent."""
    active: tuple[dict[int, int], ...] = ()
    """The processes that move in each event, each with the local state that it leaves."""
    here: tuple[tuple[int, ...], ...] | None = None
    """Events that are dependent in the state that was asked about."""

    @property
    def variants(self) -> tuple[tuple[int, int], ...]:
        """For each event, which one of how many with its title it is.

        The passes make several events of one of the model, as of a block with several partners.
        """
        counts = Counter(self.events)
        seen: Counter[str] = Counter()
        found = []
        for title in self.events:
            seen[title] += 1
            found.append((seen[title], counts[title]))
        return tuple(found)


def dependency(flat: Model, state: Sequence[int] | None = None) -> Dependency:
    """The dependency of the free events of a model that the passes have flattened.

    With a state of that model also the conditional one: which events are dependent there.
    """
    compiled = compile_model(flat)
    try:
        found = _core.dependency(compiled.program, state)
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
        tuple(map(tuple, found["shared"])),
        tuple(map(dict, found["active"])),
        None if found["here"] is None else tuple(map(tuple, found["here"])),
    )
