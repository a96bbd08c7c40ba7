"""Results go out whole or the run has failed: nothing may report success to a full disk."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable

from plait.errors import PlaitError, printable
from plait.hints import Any


class OutputError(PlaitError):
    """The results could not be written."""


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to the standard output and make sure that they arrived.

    Names may hold anything; a control character in one of them is shown, not obeyed.
    """
    write_text("".join(f"{printable(line)}\n" for line in lines))


def write_text(text: str, file: str = "-") -> None:
    """Write a text to a file, or to the standard output for `-`."""
    try:
        if file == "-":
            if sys.stdout is None:
                raise OSError(errno.EBADF, "it is closed")
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
    except (OSError, ValueError) as failure:
        where = "the standard output" if file == "-" else file
        reason = getattr(failure, "strerror", None) or str(failure)
        raise OutputError(f"cannot write to {where}: {reason}") from None


def write_json(document: dict[str, Any], file: str) -> None:
    """Write a JSON document."""
    import json  # only some runs write one

    write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", file)
