"""What a notebook shows: tables and drawings that stand by themselves.

The texts are well-formed XML, all names are escaped, and nothing is loaded from elsewhere. They
take the colours of the notebook, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plait.hints import TYPE_CHECKING
from plait.report.answer import Answer, StateSpace, Witness
from plait.report.diagram import Diagram
from plait.report.numbers import grouped, size
from plait.report.svg import clean, shorten
from plait.report.text import question_text, reason_text, verdict_text
from plait.report.trace import action

if TYPE_CHECKING:
    from plait.report.picture import Picture

STEPS = 200
"""A longer trace is cut, and says so."""
CHANGES, LETTERS = 12, 200
"""The changes of a step that are shown, and the letters of a formula."""
SMALL = 80
"""A drawing with more nodes and arcs waits to be asked for."""
GREEN, RED, AMBER = "#2e8b57", "#d0463b", "#b7791f"
LEFT = 'style="text-align:left;padding:1px 10px 1px 0"'
MONO = LEFT[:-1] + ';font-family:monospace;white-space:pre-wrap;vertical-align:top"'


def answer_html(answer: Answer) -> str:
    """An answer: what was asked, what is said, and the trace that shows it."""
    facts = [answer.engine, f"{answer.seconds:.2f} s", size(answer.peak_memory_bytes)]
    if answer.replayed:
        facts.append("trace replayed on the model")
    asked = f"<code>{clean(_question(answer))}</code>"
    aside = f"<small>({clean(', '.join(facts))})</small>"
    parts = [f"<div><b>{clean(answer.property.name)}</b> {_verdict(answer)} {asked} {aside}</div>"]
    if answer.witness is not None:
        parts.append(witness_html(answer.witness))
    if answer.explanation:
        parts.append(_pre(answer.explanation))
    parts += [f"<div><small>{clean(note)}</small></div>" for note in answer.notes]
    return _whole(parts)


def answers_html(answers: Sequence[Answer]) -> str:
    """Several answers: a table, and below it the traces to be opened."""
    rows = [
        (clean(a.property.name), f"<code>{clean(_question(a))}</code>", _verdict(a))
        for a in answers
    ]
    parts = [_table(("property", "", "verdict"), rows)]
    for a in answers:
        if a.witness is not None:
            title = f"{a.property.name}: {_steps(a.witness)}"
            lines = _pre(a.explanation) if a.explanation else ""
            parts.append(_folded(title, witness_html(a.witness) + lines))
    return _whole(parts)


def witness_html(witness: Witness) -> str:
    """A trace: a row for each step with what it changed; lanes and branches to be opened."""
    rows = list(_rows(witness))
    shown = rows[: STEPS + 1]
    parts = [_table(*_without_empty(("", "process", "step", "line", "changes"), shown))]
    if len(rows) > len(shown):
        left = len(rows) - len(shown)
        parts.append(f"<div>and {left} more step{'s'[: left != 1]}: see show()</div>")
    if witness.loop is not None:
        last = witness.loop == len(witness.steps)
        again = "no event can follow" if last else f"the same state as {witness.loop}"
        parts.append(f"<div>\N{CLOCKWISE OPEN CIRCLE ARROW} {again}: this repeats for ever</div>")
    if len(witness.steps) <= STEPS and len(Diagram(witness).lanes.names) > 1:
        parts.append(_folded("by processes", Diagram(witness).svg()))
    if witness.branches:
        parts.append(_folded("its branches", _pre(witness.show().splitlines())))
    return _whole(parts)


def states_html(space: StateSpace) -> str:
    """The size of a state space."""
    about = "" if space.complete else "at least "
    states = f"about {space.magnitude}" if space.states is None else grouped(space.states)
    figures: list[tuple[str, str]] = [("states", about + states)]
    for name in ("arcs", "deadlocks", "max_value", "max_sum"):
        value = getattr(space, name)
        if value is not None:
            shown = about if name in ("arcs", "deadlocks") else ""
            figures.append((name.replace("max_", "greatest "), shown + grouped(value)))
    figures += [("engine", space.engine), ("time", f"{space.seconds:.2f} s")]
    figures.append(("memory", size(space.peak_memory_bytes)))
    rows = [(clean(name), clean(value)) for name, value in figures]
    parts = [_table((), rows)]
    if space.reason is not None:
        parts.append(f'<div style="color:{AMBER}">{clean(reason_text(space.reason))}</div>')
    parts += [f"<div><small>{clean(note)}</small></div>" for note in space.notes]
    return _whole(parts)


def system_html(
    name: str, facts: Iterable[str], properties: Iterable[tuple[str, str]], picture: Picture | None
) -> str:
    """A model: what it has, what is asked of it, and how it looks if that is small."""
    parts = [f"<div><b>{clean(name)}</b> <small>({clean(', '.join(facts))})</small></div>"]
    rows = [(clean(p), f"<code>{clean(shorten(text, LETTERS))}</code>") for p, text in properties]
    if rows:
        parts.append(_table(("property", ""), rows))
    if picture is not None and 0 < len(picture.nodes) + len(picture.arrows) <= SMALL:
        parts.append(picture.svg())
    return _whole(parts)


# --- pieces ---------------------------------------------------------------------------------------


def _rows(witness: Witness) -> Iterator[tuple[str, ...]]:
    mark = "\N{CLOCKWISE OPEN CIRCLE ARROW} "
    states = witness.states
    yield (f"{mark if witness.loop == 0 else ''}0", "", "initial state", "", "")
    for i, step in enumerate(witness.steps, start=1):
        changes = [] if witness.view is None else witness.view.news(states[i - 1], step.state)
        more = [f"and {len(changes) - CHANGES} more"] if len(changes) > CHANGES else []
        yield (
            f"{mark if witness.loop == i else ''}{i}",
            clean(step.process or ""),
            clean(action(step)),
            "" if step.span is None else str(step.span.line),
            clean(", ".join(changes[:CHANGES] + more)),
        )


def _without_empty(
    head: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> tuple[list[str], list[list[str]]]:
    """A table without the columns in which nothing is said."""
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]
    return [head[i] for i in kept], [[row[i] for i in kept] for row in rows]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th {LEFT}>{cell}</th>" for cell in head)
    body = "".join(f"<tr>{''.join(f'<td {MONO}>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"


def _verdict(answer: Answer) -> str:
    colour = {"true": GREEN, "false": RED}.get(answer.verdict, AMBER)
    return f'<b style="color:{colour}">{clean(verdict_text(answer))}</b>'


def _question(answer: Answer) -> str:
    view = None if answer.witness is None else answer.witness.view
    return shorten(question_text(answer.property, view), LETTERS)


def _steps(witness: Witness) -> str:
    count = len(witness.steps)
    return f"a {'trace' if witness.loop is None else 'run'} of {count} step{'s'[: count != 1]}"


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{clean(title)}</summary>{inside}</details>"


def _pre(lines: Iterable[str]) -> str:
    return f"<pre>{clean(chr(10).join(lines))}</pre>"


def _whole(parts: Iterable[str]) -> str:
    return f"<div>{''.join(parts)}</div>"


__all__ = ["answer_html", "answers_html", "states_html", "system_html", "witness_html"]
