"""`python -m plait` is the `plait` command."""

import gc
import os

INTERRUPTED = 130
YOUNG = 50_000
"""New objects before the collector of cycles looks at them. A model is many objects and no cycles,
and with Python's 700 the collector took an eighth of the time that a net took."""


def command() -> None:
    """The command, with an interrupt told in its exit status even while the parts are imported."""
    try:
        gc.disable()
        from plait.cli.main import main

        # Modules and classes stay for ever: no use in looking at them again.
        gc.freeze()
        gc.set_threshold(YOUNG)
        gc.enable()
        main()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    command()
