"""Open documents: their versions, edits, and positions in UTF-16.

The protocol counts lines from 0 and, within a line, code units of UTF-16: a character beyond the
first 65,536 is two of them. A line ends with a line feed, a carriage return, or both.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote, urlsplit

from plait.hints import Any
from plait.lang import language_of_text
from plait.lsp.protocol import INVALID_PARAMS, Message, WrongMessageError, member

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_LANGUAGES = {
    "uppaal": "xta",
    "nusmv": "smv",
    "nuxmv": "smv",
    "spin": "promela",
    "pml": "promela",
    "mil": "milestones",
}
"""What editors call languages, where it is not what we do."""


class Document:
    """A text that is open in the editor."""

    def __init__(self, uri: str, called: str, version: int, text: str) -> None:
        self.uri = uri
        self.version = version
        self.path = path_of(uri)
        self.called = called
        self.closed = False
        self.lines = lines_of(text)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.lines)

    @property
    def language(self) -> str:
        """Its language: as the command has it where the name of the file tells, else as it is
        called in the editor."""
        beginning = "".join(self.lines[:100])[:1000]
        told = language_of_text(self.path, beginning) if self.path is not None else None
        called = self.called.lower()
        return told or _LANGUAGES.get(called, called)

    def line(self, number: int) -> str:
        """A line without its end; lines beyond the end are empty."""
        return self.lines[number].rstrip("\r\n") if number < len(self.lines) else ""

    def edit(self, change: object) -> None:
        """Do what an event of `textDocument/didChange` says."""
        text = member(change, str, "text")
        if not isinstance(change, dict) or change.get("range") is None:
            self.lines = lines_of(text)
            return
        first, start = self.place(member(change, dict, "range", "start"))
        last, end = self.place(member(change, dict, "range", "end"))
        if (first, start) > (last, end):
            raise WrongMessageError(INVALID_PARAMS, "the range ends before it begins")
        # With a line more on either side: `\r` and `\n` may come together, or be parted.
        before, after = max(0, first - 1), last + 2
        inside = (
            "".join(self.lines[before:first])
            + _part(self.lines, first)[:start]
            + text
            + _part(self.lines, last)[end:]
            + "".join(self.lines[last + 1 : after])
        )
        self.lines[before:after] = lines_of(inside)

    def place(self, position: object) -> tuple[int, int]:
        """The line of a position and the character in it; what is beyond an end is that end."""
        number = member(position, int, "line")
        unit = member(position, int, "character")
        if number < 0 or unit < 0:
            raise WrongMessageError(INVALID_PARAMS, "a position is negative")
        if number >= len(self.lines):
            return len(self.lines), 0
        return number, character(self.line(number), unit)


def _part(lines: Sequence[str], number: int) -> str:
    return lines[number] if number < len(lines) else ""


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its end."""
    return _LINE.findall(text)


def character(line: str, unit: int) -> int:
    """The character of a line that has this code unit; beyond the last, the end of the line."""
    if line.isascii():
        return min(unit, len(line))
    ends = accumulate(2 if c > "\uffff" else 1 for c in line)
    return bisect_right([*ends], unit)


def units(text: str) -> int:
    """How many code units of UTF-16 a text has."""
    return len(text) if text.isascii() else len(text) + sum(c > "\uffff" for c in text)


def path_of(uri: str) -> Path | None:
    """The file that a document is or will be in; None where it is in none."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="surrogateescape")
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    return Path(path) if path.startswith("/") and "\0" not in path else None


def uri_of(path: str) -> str:
    """The address of a file."""
    return Path(os.path.abspath(path)).as_uri()


def moved(old: Sequence[str], new: Sequence[str]) -> Callable[[int], int | None]:
    """Where the lines of an older text are in a newer one; None for those that were changed.

    Exact where all changes were made at one place, and then between the first and the last of them
    nothing is known.
    """
    most = min(len(old), len(new))
    same = next((i for i in range(most) if old[i] != new[i]), most)
    rest = most - same
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    shift, kept = len(new) - len(old), len(old) - tail

    def line(number: int) -> int | None:
        if number < same:
            return number
        return number + shift if number >= kept else None

    return line


TOP: Message = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
"""Where something is shown that has no place."""


def span_range(line: int, start: int, end: int) -> Message:
    """A stretch of one line as the protocol has it."""
    places: list[dict[str, Any]] = [{"line": line, "character": c} for c in (start, end)]
    return {"start": places[0], "end": places[1]}


__all__ = [
    "TOP",
    "Document",
    "character",
    "lines_of",
    "moved",
    "path_of",
    "span_range",
    "units",
    "uri_of",
]
