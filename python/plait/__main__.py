"""`python -m plait` is the `plait` command."""

import os

INTERRUPTED = 130


def command() -> None:
    """The command, with an interrupt told in its exit status even while the parts are imported."""
    try:
        from plait.cli.main import main

        main()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    command()
