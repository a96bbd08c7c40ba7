"""Errors are values with a place: what is wrong, where, and what was expected.

Everything that can be wrong with an input is a `Diagnostic`; a front end raises `InputError` with
one or more of them, and the command line renders them with the source line and a caret. No other
exception may reach a user because of what a file says.
"""

from __future__ import annotations

from plait.hints import TYPE_CHECKING, Literal
from plait.records import dataclass, field

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where a text came from; gives back one of its lines for a diagnostic.

    A large file is not kept in memory: with `text` absent the line is read again from `path`.
    """

    name: str
    text: str | None = field(default=None, repr=False)
    path: str | Path | None = None

    def line(self, number: int) -> str | None:
        """Line `number` (from 1) without its end, or None when it cannot be had any more."""
        if self.text is not None:
            lines = _lines(self.text)
            return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None
        if self.path is None:
            return None
        try:
            with open(self.path, encoding="utf-8", errors="replace") as file:
                for count, line in enumerate(file, start=1):
                    if count == number:
                        return line.rstrip("\r\n")
        except OSError:
            pass
        return None


_split: dict[str, list[str]] = {}
"""The lines of the text that was asked for last: a long trace asks for thousands of them."""


def _lines(text: str) -> list[str]:
    lines = _split.get(text)
    if lines is None:
        lines = text.split("\n")
        _split.clear()  # another thread may do the same at the same time
        _split[text] = lines
    return lines


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one line of a source; lines and columns count from 1."""

    source: Source
    line: int
    column: int
    length: int = 1
    said: str | None = None
    """What is shown as its text, where that was put together from several places."""

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    @property
    def text(self) -> str:
        """What stands there; nothing when the line cannot be had any more."""
        if self.said is not None:
            return self.said
        line = self.source.line(self.line) or ""
        return line[self.column - 1 : self.column - 1 + self.length]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing wrong (or doubtful) in an input."""

    message: str
    span: Span | None = None
    hint: str | None = None
    severity: Literal["error", "warning"] = "error"

    def render(self, severity: bool = True) -> str:
        """The text a user sees: place, message, the line, a caret, and the hint."""
        message = _short(printable(self.message))
        message = f"{self.severity}: {message}" if severity else message
        if self.span is None:
            return f"{message}\n  {_short(printable(self.hint))}" if self.hint else message
        parts = [f"{printable(str(self.span))}: {message}"]
        line = self.span.source.line(self.span.line)
        if line is not None:
            parts.extend(_excerpt(line, self.span))
        if self.hint:
            parts.append(f"  {_short(printable(self.hint))}")
        return "\n".join(parts)


def _short(text: str, most: int = 120) -> str:
    """The text with its very long words cut in the middle: a name may fill a whole file."""
    if len(text) <= most:
        return text
    words = text.split(" ")
    return " ".join(w if len(w) <= most else f"{w[: most // 2]}…{w[-most // 4 :]}" for w in words)


def _excerpt(line: str, span: Span, width: int = 100) -> list[str]:
    """The source line, cut around the column when it is long, with a caret under the span."""
    start = max(0, span.column - 1 - width // 2) if len(line) > width else 0
    shown = line[start : start + width].expandtabs(1)
    shown = printable(shown, "\N{REPLACEMENT CHARACTER}")
    offset = span.column - 1 - start
    margin = f"{span.line} | "
    before = columns(margin + shown[:offset]) + max(0, offset - len(shown))
    carets = "^" * max(1, columns(shown[offset : offset + span.length]))
    return [f"{margin}{shown}", " " * before + carets]


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # which few texts need

    return sum(
        0 if category(c) in ("Mn", "Me") else 2 if east_asian_width(c) in ("W", "F") else 1
        for c in text
    )


def printable(text: str, instead: str | None = None) -> str:
    """The text without control characters: names in a file must not drive the terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else instead or c.encode("unicode_escape").decode() for c in text
    )


class PlaitError(Exception):
    """The base class of all errors that Plait raises on purpose."""


class InputError(PlaitError):
    """The input is wrong: one or more diagnostics with places. The exit status is 2."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics

    def render(self) -> str:
        """All diagnostics as the command line prints them."""
        return "\n".join(d.render() for d in self.diagnostics)

    def __str__(self) -> str:
        # A traceback, too, should show the place.
        return "\n".join(d.render(severity=False) for d in self.diagnostics)

    def __reduce__(self) -> tuple[type[InputError], tuple[Diagnostic, ...]]:
        # What comes out of a process of its own is made again from its arguments.
        return type(self), self.diagnostics


def error(message: str, span: Span | None = None, hint: str | None = None) -> InputError:
    """An `InputError` with a single diagnostic: `raise error("...", span)`."""
    return InputError(Diagnostic(message, span, hint))


class ModelError(InputError):
    """The model goes wrong when it is executed: a fixpoint that never settles, a cycle of transient
    states, an assignment outside a declared domain."""


class NoRoomError(ModelError):
    """The model has too little room for a run; `Model.larger` gives one with more room."""


class UndecidedError(PlaitError):
    """An unknown answer was used as a condition; `reason` says why it is unknown."""

    def __init__(self, message: str, reason: str | None) -> None:
        super().__init__(message, reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.args[0])


class LimitReached(PlaitError):  # noqa: N818 - no error, an end
    """A search stopped before it was complete; `reason` is what the answer `unknown` carries."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
