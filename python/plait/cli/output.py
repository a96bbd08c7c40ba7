"""Output of results: a run whose results cannot be written completely has failed."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from plait.errors import PlaitError, printable
from plait.hints import Any


class OutputError(PlaitError):
    """The results could not be written."""


class ReaderGoneError(OutputError):
    """Whoever read the results has read enough, as `head` does: that is no error of anybody."""


def make_ready() -> None:
    """Make the streams of this process such that they take any text, and all of it."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # So it is under PYTHONUNBUFFERED, and of a text that is written in part the rest is lost.
        sys.stdout = open(sys.stdout.fileno(), "w", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to the standard output and make sure that they arrived.

    Names may hold anything; a control character in one of them is shown, not obeyed.
    """
    write_text("".join(f"{printable(line)}\n" for line in lines))


def write_text(text: str, file: str = "-") -> None:
    """Write a text to a file, or to the standard output for `-`."""
    if file == "-":
        with _told("the standard output"):
            if sys.stdout is None:
                raise OSError(errno.EBADF, "it is closed")
            sys.stdout.write(text)
        flush()
    else:
        with _told(file), open(file, "w", encoding="utf-8") as out:
            out.write(text)


def flush() -> None:
    """Make sure that what was printed has arrived; what could not be written is forgotten."""
    if sys.stdout is None:
        return
    with _told("the standard output"):
        try:
            sys.stdout.flush()
        except OSError:
            # The rest stays in the buffer, which is written again at the next flush.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise


@contextmanager
def _told(where: str) -> Iterator[None]:
    """What goes wrong in the block is an error of ours that says where."""
    try:
        yield
    except BrokenPipeError:
        raise ReaderGoneError(f"nobody reads from {where} any more") from None
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        raise OutputError(f"cannot write to {where}: {reason}") from None


def say(message: str) -> None:
    """Tell the user something that is no result; if nobody listens, so be it."""
    with suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def write_json(document: dict[str, Any], file: str) -> None:
    """Write a JSON document."""
    import json  # only some runs write one

    write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", file)
