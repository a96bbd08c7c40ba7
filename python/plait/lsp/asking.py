"""A property is asked, and the answer told: in words, and as places along its trace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plait.api import System
from plait.engines.budget import default_memory
from plait.errors import InputError, printable
from plait.lang import NETS
from plait.lsp.analysis import ask, diagnostic, read
from plait.lsp.protocol import Message
from plait.lsp.symbols import range_of
from plait.model.types import Property
from plait.report.answer import Answer, Witness
from plait.report.text import check_lines, headline, notes
from plait.report.trace import closing, step_text

MOST_STEPS = 200
"""Steps of a trace that are shown as places; of a longer one its ends are."""
MOST_REASONS = 8
"""Lines that say why the end of a trace decides; what misses least comes first."""


def asked(text: str, path: Path | None, language: str, name: str | None, seconds: float) -> Message:
    """The answers to a property of a text, or to all of them; what is wrong where it has none."""
    here = "model" if path is None else str(path)
    try:
        model, _ = read(text, path, language)
        system = System(model, net=language in NETS)
        memory = default_memory()
        answers: list[Answer] = []
        if name is None:
            answers = system.check_all(timeout=seconds, memory=memory)
        if not answers:
            question = name or Property("deadlock", kind="deadlock")
            answers = [system.check(question, timeout=seconds, memory=memory)]
    except InputError as wrong:
        return {"wrong": [diagnostic(d, here, text) for d in wrong.diagnostics]}
    return {
        "answers": [_answer(a, here) for a in answers],
        "report": "\n".join(map(printable, check_lines(answers))),
    }


def _answer(a: Answer, here: str) -> Message:
    place = ask(a.property, here)
    because, more = a.explanation[:MOST_REASONS], a.explanation[MOST_REASONS:]
    told = [headline(a)] if a.verdict != "true" or a.value is None else []
    if a.property.kind == "bounds" and a.value is not None:
        told = [f"{a.property.name}: {a.stats.get('min', '')}..{a.value}"]
    return {
        **place,
        "verdict": a.verdict,
        "told": "\n".join(map(printable, [*told, *notes([a])])),
        "because": "\n".join([*map(printable, because), *(["..."] if more else [])]),
        "along": [] if a.witness is None else list(_along(a.witness, here, place)),
    }


def _along(witness: Witness, here: str, place: Message) -> Iterator[Message]:
    """The steps of a trace with their places; those without one stand at the property."""
    count, before = len(witness.steps), witness.initial
    for i, step in enumerate(witness.steps, start=1):
        if MOST_STEPS // 2 < i <= count - MOST_STEPS // 2:
            before = step.state
            continue
        news = [] if witness.view is None else witness.view.news(before, step.state)
        before = step.state
        mark = "↻ " if witness.loop == i else ""
        said = f"{mark}{i}  {step_text(step)}  {', '.join(news)}".rstrip()
        span = step.span
        other = span is not None and span.source.name != here
        yield {
            "path": str(span.source.path) if span is not None and other else None,
            "range": place["range"] if span is None else range_of(span),
            "message": printable(said),
        }
    if witness.loop is not None:
        yield {"path": None, "range": place["range"], "message": closing(witness)}


__all__ = ["asked"]
