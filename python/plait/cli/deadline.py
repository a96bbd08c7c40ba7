"""`--timeout` for the parts that cannot look at a clock: parsing, passes, replay.

The engines stop by themselves in time; the alarm comes a little later and only meets what hangs
before or after them. Who takes it for a limit of its own turn, and goes on with the next, meets it
again.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from plait.errors import LimitReached

GRACE = 0.7
AGAIN = 1.0
"""Seconds after which the alarm is repeated."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `LimitReached("timeout")` in the block once the time is over."""
    usable = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if seconds is None or not usable:
        yield
        return

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise LimitReached("timeout")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
