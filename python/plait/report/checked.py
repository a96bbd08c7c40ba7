"""One run of the checker as its reports see it: a model, what was asked of it, and the answers."""

from __future__ import annotations

from plait.hints import TYPE_CHECKING
from plait.records import dataclass

if TYPE_CHECKING:
    from plait.model.types import Model
    from plait.report.answer import Answer
    from plait.report.view import StateView


@dataclass(frozen=True, slots=True)
class Checked:
    """The answers about a model, with all that a report says besides.

    Where nothing could be asked, there are no answers but a `problem`: no report may take the
    absence of answers for success.
    """

    model: str
    """Its name."""
    file: str
    """Where it was read."""
    answers: tuple[Answer, ...] = ()
    values: tuple[tuple[str, int], ...] = ()
    """The parameters that were given, and their values."""
    view: StateView | None = None
    """How formulas are shown, where values have names."""
    seconds: float | None = None
    """What all of it took; an answer alone knows only what its engine took."""
    problem: str | None = None
    system: Model | None = None
    """The model itself, for reports that show its processes and its text."""


__all__ = ["Checked"]
