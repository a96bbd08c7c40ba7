"""`--timeout` for the parts that cannot look at a clock: parsing, passes, replay.

The engines stop by themselves in time. The alarm comes a little later, so it only interrupts what
takes too long before or after them. If a part takes the alarm for the end of its own turn and goes
on, the alarm comes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plait.cli.interrupt import SOON, unheard
from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    import _signal as signal  # without enumerations, which take longer to make than a small net

GRACE = 0.7
AGAIN = 1.0
"""Seconds after which the alarm is repeated."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `LimitReached("timeout")` in the block once the time is over."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(_signal: int, frame: FrameType | None) -> None:
        if unheard(frame):
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
        else:
            raise LimitReached("timeout")

    usable, before = True, None
    try:
        before = signal.signal(signal.SIGALRM, ring)
    except ValueError:  # only the main thread has alarms
        usable = False
    if not usable:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
