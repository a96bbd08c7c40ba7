"""What is reported when time or memory runs out, or the user interrupts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from plait import _core
from plait.engines.budget import Budget, peak_memory
from plait.errors import LimitReached
from plait.hints import TypeVar
from plait.report.answer import Answer, StateSpace

Found = TypeVar("Found")


def stopped_space(engine: str, reason: str, budget: Budget) -> StateSpace:
    """What an engine tells that was stopped before it had counted anything."""
    return StateSpace(
        complete=False,
        reason=reason,
        states=1,
        engine=engine,
        seconds=budget.elapsed,
        peak_memory_bytes=peak_memory(),
    )


def is_interrupted(answers: Iterable[Answer]) -> bool:
    """Whether somebody has stopped the work: what is left must not be begun."""
    return any(a.reason == "interrupted" for a in answers)


@contextmanager
def as_far_as_limits_let() -> Iterator[None]:
    """A block that ends where time or memory does; an interrupt ends everything."""
    try:
        yield
    except LimitReached as limit:
        if limit.reason == "interrupted":
            raise


class Figures:
    """The figures of a counted state space, one by one; what takes too long is left out."""

    def __init__(self) -> None:
        self.stopped: str | None = None
        """Why figures were left out."""

    def get(self, compute: Callable[[], Found]) -> Found | None:
        """A figure, or None when time or memory ran out; an interrupt ends everything."""
        try:
            return compute()
        except _core.StoppedError as stop:
            reason = stop.args[0]
        except LimitReached as limit:
            reason = limit.reason
        if reason == "interrupted":
            raise LimitReached(reason)
        self.stopped = reason
        return None


__all__ = ["Figures", "as_far_as_limits_let", "is_interrupted", "stopped_space"]
