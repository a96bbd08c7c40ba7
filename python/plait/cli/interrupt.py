"""Ctrl-C and SIGTERM, as a `KeyboardInterrupt` that cannot get lost.

Python drops whatever is raised in a callback, in the middle of an import or when an object is
destroyed: it prints a message and goes on, and Ctrl-C has no effect. So such an interrupt is sent
once more a moment later.
"""

from __future__ import annotations

import sys
from _thread import get_ident, start_new_thread
from time import sleep

from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from signal import SIG_IGN, SIGINT, SIGTERM, getsignal, pthread_kill, signal
    from types import FrameType
else:
    # What `signal` wraps in enumerations, which every start would have to make.
    from _signal import SIG_IGN, SIGINT, SIGTERM, getsignal, pthread_kill, signal

SOON = 0.02
"""Seconds until an interrupt is sent once more."""


def heed() -> None:
    """From now on signals interrupt the thread that calls this, the main one."""
    main = get_ident()

    def once_more(number: int) -> None:
        sleep(SOON)
        pthread_kill(main, number)

    def interrupt(number: int, frame: FrameType | None) -> None:
        if unheard(frame):
            start_new_thread(once_more, (number,))
        else:
            raise KeyboardInterrupt

    def dropped(exception: sys.UnraisableHookArgs) -> None:
        if issubclass(exception.exc_type, KeyboardInterrupt):
            start_new_thread(once_more, (SIGINT,))
        elif not issubclass(exception.exc_type, LimitReached):  # the alarm rings again by itself
            sys.__unraisablehook__(exception)

    sys.unraisablehook = dropped
    if getsignal(SIGINT) != SIG_IGN:  # as who starts us in the background wants it
        signal(SIGINT, interrupt)
    signal(SIGTERM, interrupt)


def unheard(frame: FrameType | None) -> bool:
    """Whether an exception that is raised here would come out as another or be lost.

    The machinery of imports runs callbacks that cannot fail, and `__set_name__`, whose failures
    Python wraps; `ctypes`, by which the solver is called, wraps those of `from_param`.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_name == "from_param" or code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


__all__ = ["SOON", "heed", "unheard"]
