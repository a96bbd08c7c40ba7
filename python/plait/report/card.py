"""The card of a model: what a page needs besides the answers to show traces.

Names of values, the shape of messages, the processes with their locations, who may have a lane and
who moves when, what the events of processes do and the source text around them, and questions in
the words of who asked. It goes beside the document of `plait.report.data`, which readers other than
people need as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from plait.errors import Source, Span
from plait.hints import Any
from plait.model.shape import Shape, shape_of
from plait.model.types import ElementaryType, Model, Property
from plait.report.answer import Answer, Step, Witness
from plait.report.movers import Movers
from plait.report.queued import queued
from plait.report.text import question_text
from plait.report.trace import action
from plait.report.view import StateView

WHOLE = 400_000
"""Characters of a source that is shown whole; of a longer one only what is around the events."""
LARGEST = 64 * 2**20
"""Characters of a source that is read at all."""
AROUND = 5
"""Lines before and after an event in a source that is not shown whole."""
LONGEST_LINE = 400
NOBODY = ""
MOST_PARTS = 1_000
"""Components that are looked into for processes."""


def card(
    model: Model | None,
    view: StateView | None,
    steps: Iterable[Step],
    questions: Iterable[Property] = (),
) -> dict[str, Any]:
    """The card of a model of which these steps may be shown; without a `view` there are none."""
    words, events = _Words(), {step.event: step for step in steps}
    items = [] if view is None else list(_items(view, words))
    parts = [] if model is None or view is None else list(_parts(shape_of(model)))
    return {
        "model": "" if model is None else model.name,
        "words": words.tables,
        "items": items,
        "processes": [
            {
                "name": f"{path}.{process.name}" if path else process.name,
                "pc": None if process.pc is None else prefix + process.pc,
            }
            for prefix, path, shape in parts
            if isinstance(shape.type, ElementaryType)
            for process in shape.type.processes
        ],
        "lanes": Movers(view).known,
        "actions": [(name, done) for name, s in events.items() if (done := _done(s)) != name],
        "sources": _sources(s.span for s in events.values() if s.span is not None),
        "questions": [question_text(p, view) for p in questions],
    }


def answers_card(model: Model | None, answers: Sequence[Answer]) -> dict[str, Any]:
    """The card for these answers."""
    witnesses = [a.witness for a in answers if a.witness is not None]
    view = next((w.view for w in witnesses if w.view is not None), None)
    steps = (step for w in witnesses for step in _steps(w))
    return card(model, view, steps, [a.property for a in answers]) | {
        "traces": [None if a.witness is None else moves_card(a.witness) for a in answers]
    }


def moves_card(witness: Witness, known: int = 0) -> dict[str, Any]:
    """Who moves in each step of a trace, without the first `known`, and all messages that arrive.

    Messages are numbered by the states after the steps that send and receive them.
    """
    who, states = Movers(witness.view), witness.states

    def movers(i: int) -> list[str]:
        return who.of(witness.steps[i], states[i])

    found: dict[str, Any] = {
        "movers": [movers(i) for i in range(known, len(witness.steps))],
        "messages": [
            {
                "text": m.text,
                "from": m.sent + 1,
                "source": m.source,
                "to": m.arrived + 1,
                "target": m.target,
            }
            for m in queued(witness, lambda i: movers(i) or [NOBODY])
            if m.arrived is not None and NOBODY not in (m.source, m.target)
        ],
    }
    if witness.branches:
        found["branches"] = [moves_card(b.witness) for b in witness.branches]
    return found


def _steps(root: Witness) -> Iterator[Step]:
    stack = [root]
    while stack:
        witness = stack.pop()
        yield from witness.steps
        stack += [b.witness for b in witness.branches]


def _done(step: Step) -> str:
    return action(step) if step.process else step.event


class _Words:
    """Tables of named values, each of them once."""

    def __init__(self) -> None:
        self.tables: list[list[tuple[int, str]]] = []
        self._known: dict[int, tuple[Mapping[int, str], int]] = {}

    def number(self, names: Mapping[int, str] | None) -> int | None:
        """The number of a table; None where nothing has a name."""
        if not names:
            return None
        found = self._known.get(id(names))
        if found is None:
            found = self._known[id(names)] = (names, len(self.tables))
            self.tables.append(list(names.items()))
        return found[1]


def _items(view: StateView, words: _Words) -> Iterator[dict[str, Any]]:
    """The items of which there is more to say than a number."""
    for item in view.items:
        if item.width:
            fields = [words.number(names) for names in item.fields]
            yield {"name": item.name, "width": item.width, "fields": fields}
        elif item.names:
            yield {"name": item.name, "words": words.number(item.names)}


def _parts(root: Shape) -> Iterator[tuple[str, str, Shape]]:
    """The components: how the names of their variables begin, what events call them, the shape."""
    stack = [("", "", root)]
    for _ in range(MOST_PARTS):
        if not stack:
            return
        prefix, path, shape = stack.pop()
        yield prefix, path, shape
        stack += [
            (f"{prefix}{p.title}:", f"{path}.{p.title}" if path else p.title, p.shape)
            for p in reversed(shape.parts[:MOST_PARTS])
        ]


def _sources(spans: Iterable[Span]) -> list[dict[str, Any]]:
    wanted: dict[str, tuple[Source, set[int]]] = {}
    for span in spans:
        wanted.setdefault(span.source.name, (span.source, set()))[1].add(span.line)
    found = []
    for name, (source, numbers) in wanted.items():
        text = _text(source)
        if text is not None:
            found.append({"name": name, "lines": list(_lines(text, numbers))})
    return found


def _text(source: Source) -> str | None:
    if source.text is not None or source.path is None:
        return source.text
    try:
        with open(source.path, encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST + 1)
    except OSError:
        return None  # it was there when the model was read
    return text if len(text) <= LARGEST else None


def _lines(text: str, wanted: set[int]) -> Iterator[tuple[int, str]]:
    near = {n + k for n in wanted for k in range(-AROUND, AROUND + 1)}
    for number, line in enumerate(text.split("\n"), start=1):
        if len(text) <= WHOLE or number in near:
            line = line.rstrip("\r")
            yield number, line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…"


__all__ = ["answers_card", "card", "moves_card"]
