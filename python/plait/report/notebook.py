"""Answers in a notebook: the words of the command, set as it sets them.

Every text is escaped and nothing is loaded from anywhere: a notebook shows them wherever it is.
"""

from __future__ import annotations

from html import escape

from plait.hints import TYPE_CHECKING
from plait.report.text import finding_lines, question_text, states_lines, verdict_text

if TYPE_CHECKING:
    from plait.report.answer import Answer, StateSpace, Witness


def answer_html(answer: Answer) -> str:
    """What was asked and said, then the trace and why it decides."""
    view = None if answer.witness is None else answer.witness.view
    name, question = escape(answer.property.name), escape(question_text(answer.property, view))
    said = (
        f"<div><b>{name}</b>: <code>{question}</code> <b>{escape(verdict_text(answer))}</b></div>"
    )
    lines = finding_lines(answer) if answer.witness is not None else list(answer.explanation)
    lines += [f"note: {note}" for note in answer.notes]
    return said + _lines(lines)


def witness_html(witness: Witness) -> str:
    """The trace."""
    return _lines([witness.show()])


def states_html(space: StateSpace) -> str:
    """The figures."""
    return _lines(states_lines(space))


def _lines(lines: list[str]) -> str:
    text = escape("\n".join(lines))
    return (
        f'<pre style="white-space:pre;overflow:auto;max-height:40em">{text}</pre>' if lines else ""
    )


__all__ = ["answer_html", "states_html", "witness_html"]
