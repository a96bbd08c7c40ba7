"""Models whose size was estimated: they are checked again with more room if they need it.

Some languages start processes while the system runs, and nobody knows in advance how many. At first
there is room for few, since room costs: each process is modelled once for every number that it can
have, and each that runs others once for every pair of numbers. The estimate is never trusted: a run
that leaves a domain that is `guessed` ends with a `NoRoomError`, and the question is asked of
`Model.larger`.

Invariant: a model with more room has all runs of one with less, and the same names.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.errors import Diagnostic, NoRoomError
from plait.hints import TypeVar
from plait.model.types import Model

Found = TypeVar("Found")


def with_room(model: Model, ask: Callable[[Model], Found]) -> Found:
    """What is found when the model is asked, in as much room as that takes."""
    while True:
        try:
            return ask(model)
        except NoRoomError:
            if model.larger is None:
                raise
        model = model.larger()


def ensure_room_for(model: Model, name: str) -> None:
    """Look for a property in more room, where it is that of a process with another number here."""
    names = [p.name for p in model.properties]
    if model.larger is None or name in names:
        return
    if _without_number(name) in map(_without_number, names):
        raise NoRoomError(Diagnostic(f"no process has the number of '{name}'"))


def _without_number(name: str) -> str:
    return name.rstrip("0123456789")
