"""A search of one model by a solver, within limits of time and depth."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from plait.model.types import Model
from plait.smt.facts import facts_of
from plait.smt.relation import Relation
from plait.smt.terms import Unsupported

REFUSALS = (Unsupported, RecursionError)
"""What it means when a model or a property has no form that a solver takes; see `why`."""


class LimitedSearch:
    """What the searches of a solver share: the relation of the model, and the time that is left."""

    relation: Relation

    def __init__(
        self,
        model: Model,
        titled: Callable[[str], Sequence[int]],
        *,
        seconds: float | None = None,
        depth: int | None = None,
    ) -> None:
        """`seconds` and `depth` end the search."""
        self.model = model
        self.titled = titled
        self.depth = depth
        self._start = time.monotonic()
        self._end = None if seconds is None else self._start + seconds

    def make_relation(self) -> None:
        """Make the relation of the model, or raise one of the `REFUSALS`."""
        facts = facts_of(self.model, self.share(0.1))
        self.relation = Relation(self.model, self.titled, facts=facts)
        self.relation.make()

    def over(self) -> bool:
        """Whether the time is over."""
        return self._end is not None and time.monotonic() >= self._end

    def share(self, part: float) -> float | None:
        """So much of the time that is left; None without a limit."""
        return None if self._end is None else max(0.001, (self._end - time.monotonic()) * part)

    def spent(self) -> float:
        """The seconds since the search was made."""
        return time.monotonic() - self._start


def why(no: Exception) -> str:
    """The reason of a refusal in words."""
    return "the model is nested too deeply" if isinstance(no, RecursionError) else str(no)
