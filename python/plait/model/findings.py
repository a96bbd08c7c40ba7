"""What validation finds: diagnostics in order, each once, and not too many of them."""

from __future__ import annotations

from collections.abc import Iterable

from plait.errors import Diagnostic, InputError, Span
from plait.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from plait.model.types import Event, Variable

FINDINGS_LIMIT = 100
"""After so many errors the rest is only counted."""


class Findings:
    """Collects diagnostics; the same message at the same place counts once."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []
        self._seen: set[tuple[object, ...]] = set()
        self._errors = 0

    def error(self, message: str, span: Span | None, hint: str | None = None) -> None:
        """Something that makes the model meaningless."""
        if self._is_new(message, span):
            self._errors += 1
            if self._errors <= FINDINGS_LIMIT:
                self._found.append(Diagnostic(message, span, hint))

    def warning(self, message: str, span: Span | None, hint: str | None = None) -> None:
        """Something doubtful."""
        if self._is_new(message, span):
            self._found.append(Diagnostic(message, span, hint, "warning"))

    def absorb(self, failure: InputError) -> None:
        """The diagnostics of an error that some evaluation raised."""
        for d in failure.diagnostics:
            self.error(d.message, d.span, d.hint)

    def guess(self, name: str, known: Iterable[str]) -> str | None:
        """A hint on a misspelt name, for the first few errors only: guessing takes time."""
        return did_you_mean(name, known) if self._errors < 20 else None

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return self._errors > 0

    def all(self) -> list[Diagnostic]:
        """Everything found, with a last word on what is left out."""
        if self._errors <= FINDINGS_LIMIT:
            return self._found
        return [*self._found, Diagnostic(f"and {self._errors - FINDINGS_LIMIT} more errors")]

    def _is_new(self, message: str, span: Span | None) -> bool:
        place = (message, *((id(span.source), span.line, span.column) if span else ()))
        if place in self._seen:
            return False
        self._seen.add(place)
        return True


def id_of(name: str, known: Iterable[Event | Variable]) -> str | None:
    """A hint where a node of a net is called by its name: that is a comment beside its id."""
    found = [f"'{node.name}'" for node in known if node.comment == name]
    return (
        f"formulas use ids, and '{name}' is the name of {', '.join(found[:8])}" if found else None
    )


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the known name that a misspelt one was probably meant to be."""
    from difflib import get_close_matches  # few names are misspelt

    candidates = list(known)
    if len(candidates) > 2_000 or len(name) > 200:
        return None
    close = get_close_matches(name, candidates, n=1, cutoff=0.75)
    return f"did you mean '{close[0]}'?" if close else None


def shortened(names: list[str], joint: str) -> str:
    """Names joined, the middle of a long list left out."""
    return joint.join(names if len(names) <= 8 else [*names[:4], "...", *names[-3:]])


def count(number: int, noun: str) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
