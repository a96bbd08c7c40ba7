"""How long work on a model finds out whether it should stop.

Passes know nothing of budgets, and most models go through all of them in no time. But a model may
have a hundred thousand events before any of them is found to be impossible. A caller with a budget
runs the work under `watched_by` with a function that raises an exception when the budget is used
up. What the passes do once for each event, or for each pair of events, calls `look`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar

from plait.scoped import scoped

EVERY = 256
"""How many looks there are between two questions."""


class _Watch:
    """Asks every now and then."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check
        self.looks = 0

    def look(self) -> None:
        self.looks += 1
        if self.looks % EVERY == 0:
            self.check()


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


def watched_by(check: Callable[[], None] | None) -> AbstractContextManager[None]:
    """Do what is in the block as long as `check` does not raise; without one, to the end."""
    return scoped(_watch, None if check is None else _Watch(check))


def look() -> None:
    """Go on, unless whoever watches says otherwise."""
    watch = _watch.get()
    if watch is not None:
        watch.look()
