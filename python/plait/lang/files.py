"""Files, read with care: what is not an ordinary file of a sensible size is refused at once.

A model may be named by a script, a shell pattern or a mistake; opening a pipe or a device would
block or never end.
"""

from __future__ import annotations

import os
import stat

from plait.errors import Span, error
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SIZE_LIMIT = 2 * 1024**3
"""The largest file that is read, in bytes."""


def ensure_readable(path: str | Path, span: Span | None = None) -> None:
    """Raise an `InputError` (at `span`, when a file named the path) unless the file can be read."""
    try:
        facts = os.stat(path)
        if not stat.S_ISREG(facts.st_mode):
            kind = "a folder" if stat.S_ISDIR(facts.st_mode) else "not an ordinary file"
            raise error(f"cannot read {path}: it is {kind}", span)
        if facts.st_size > SIZE_LIMIT:
            raise error(f"cannot read {path}: it is larger than {SIZE_LIMIT // 1024**3} GiB", span)
        with open(path, "rb"):
            pass
    except (OSError, ValueError) as failure:
        if str(path) == "-":
            hint = "name a file: the ending of its name tells the language"
            raise error("there is no reading from a pipe", span, hint) from None
        reason = getattr(failure, "strerror", None) or str(failure)
        raise error(f"cannot read {path}: {reason}", span) from None


def stem(path: str | Path) -> str:
    """The last name of a path without its ending."""
    return os.path.splitext(os.path.basename(path))[0]


def read_text(path: Path, span: Span | None = None) -> str:
    """The text of a file: UTF-8, or Latin-1 where it is not."""
    ensure_readable(path, span)
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")
