"""Analysis of a text: its errors, its declarations and its properties.

The diagnostics are those that `plait check` prints, since the text goes the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plait.errors import Diagnostic, InputError, printable
from plait.hints import Any
from plait.lang import TEXTS, TIMED, parse, parse_timed
from plait.lang.files import stem
from plait.lsp.documents import TOP, lines_of, span_range, units
from plait.lsp.protocol import Message
from plait.lsp.symbols import Symbols, range_of
from plait.model.types import Model, Property

SERVED = (*TEXTS, "smart")
"""The languages whose texts are looked at."""
UNSAVED = "model"
"""How a model in a text is called that is in no file."""


def read(text: str, path: Path | None, language: str) -> tuple[Model, Sequence[Diagnostic]]:
    """The model that a text describes, and doubts about it; `InputError` when it describes none."""
    text = text.removeprefix("\ufeff")
    name = UNSAVED if path is None else stem(path)
    model = parse(text, name, language, path)
    if language == "gal":
        from plait.model.validate import validate

        return model, validate(model)
    if language in TIMED:
        return model, parse_timed(text, name, language, path).warnings
    return model, model.warnings


def analysed(text: str, path: Path | None, language: str) -> Message:
    """Diagnostics of a text and, where it describes a model, its symbols and questions."""
    here = UNSAVED if path is None else str(path)
    if language not in SERVED:
        return {"diagnostics": []}
    if language == "smart":
        return {"diagnostics": _program(text, here)}
    try:
        model, doubts = read(text, path, language)
    except InputError as wrong:
        return {"diagnostics": [diagnostic(d, here, text) for d in wrong.diagnostics]}
    return {
        "diagnostics": [diagnostic(d, here, text) for d in doubts],
        "symbols": Symbols(model, here).all(),
        "asks": [ask(p, here) for p in model.properties if p.kind != "atom"],
    }


def _program(text: str, here: str) -> list[Message]:
    """What is wrong with a program in SMART's language as far as can be said without running it."""
    from plait.lang.smart import program

    try:
        program(text.removeprefix("\ufeff"), here)
    except InputError as wrong:
        return [diagnostic(d, here, text) for d in wrong.diagnostics]
    return []


def ask(p: Property, here: str) -> Message:
    """A question of the text, and where it stands."""
    placed = p.span is not None and p.span.source.name == here
    return {"name": p.name, "range": range_of(p.span) if placed and p.span else TOP}


def diagnostic(d: Diagnostic, here: str, text: str) -> Message:
    """A diagnostic as the protocol has it.

    What is wrong in another file is shown where that file is named, and leads there.
    """
    said = "\n".join(printable(words) for words in (d.message, d.hint) if words is not None)
    found: dict[str, Any] = {
        "range": TOP,
        "severity": 1 if d.severity == "error" else 2,
        "source": "plait",
        "message": said,
    }
    if d.span is None:
        return found
    if d.span.source.name == here:
        found["range"] = range_of(d.span)
        return found
    found["range"] = _naming(text, d.span.source.name)
    found["message"] = f"{printable(str(d.span))}: {said}"
    if d.span.source.path is not None:
        place = {"path": str(d.span.source.path), "range": range_of(d.span)}
        found["related"] = [{**place, "message": printable(d.message)}]
    return found


def _naming(text: str, name: str) -> Message:
    """Where a text names a file."""
    for number, line in enumerate(lines_of(text)):
        at = line.find(f'{name}"')
        if at >= 0:
            first = units(line[:at])
            return span_range(number, first, first + units(name))
    return TOP


__all__ = ["SERVED", "analysed", "ask", "diagnostic", "read"]
