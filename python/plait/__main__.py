"""`python -m plait` is the `plait` command."""

import atexit
import gc
import os
import sys

INTERRUPTED = 130
YOUNG = 200_000
"""New objects before the collector of cycles looks at them. A model is many objects and no cycles,
and with Python's 700 the collector took an eighth of the time that a net took."""


def command() -> None:
    """The command, with an interrupt told in its exit status even while the parts are imported."""
    try:
        gc.disable()
        from plait.cli.interrupt import heed

        heed()
        from plait.cli.main import main

        # Modules and classes stay for ever: no use in looking at them again.
        gc.freeze()
        gc.set_threshold(YOUNG)
        gc.enable()
        leave(main())
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def leave(status: int) -> None:
    """End with a status, all output being written, without taking all objects apart first.

    That takes a tenth of the time that a small net takes, and an interrupt that passed through
    `exec`, as within the making of a dataclass, leaves a mark by which the interpreter would end
    itself with SIGINT on its way out. Who profiles the command is let finish.
    """
    if sys.getprofile() is not None:
        sys.exit(status)
    atexit._run_exitfuncs()
    os._exit(status)


if __name__ == "__main__":
    command()
