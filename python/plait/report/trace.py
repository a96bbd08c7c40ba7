"""A witness as text: numbered steps, each with its event, its source line and what it changed."""

from __future__ import annotations

import textwrap

from plait.model.shape import State
from plait.report.answer import Step, Witness

WIDTH = 100
"""Changes are folded at this width."""


def render_trace(witness: Witness, *, full: bool = False) -> list[str]:
    """The lines of a trace; a lasso has its loop marked at the entry and at the end."""
    titles = ["initial state", *map(_title, witness.steps)]
    places = ["", *map(_place, witness.steps)]
    number = len(str(len(witness.steps)))
    title_width = max(map(len, titles))
    place_width = max(map(len, places))
    lines = []
    before: State | None = None
    for i, state in enumerate(witness.states):
        mark = "↻" if witness.loop == i else " "
        head = f"{mark} {i:>{number}}  {titles[i]:<{title_width}}  {places[i]:<{place_width}}  "
        details = ", ".join(_details(witness, before, state, full))
        lines.extend(_fold(head, details))
        before = state
    if witness.loop is not None:
        lines.append(_closing(witness))
    return lines


def _closing(witness: Witness) -> str:
    if witness.loop == len(witness.steps):
        return "↻ no event can follow: this state repeats for ever"
    return f"↻ the same state as {witness.loop}: this repeats for ever"


def _title(step: Step) -> str:
    return f"{step.process}: {step.event}" if step.process else step.event


def _place(step: Step) -> str:
    return "" if step.span is None else f"line {step.span.line}"


def _details(witness: Witness, before: State | None, after: State, full: bool) -> list[str]:
    view = witness.view
    if view is None or (before is None and not full):
        return []
    if full or before is None:
        return [f"{name} = {value}" for name, value in view.full(after).items()]
    return view.changes(before, after) or ["nothing changes"]


def _fold(head: str, details: str) -> list[str]:
    room = max(40, WIDTH - len(head))
    folded = textwrap.wrap(details, room, break_long_words=False, break_on_hyphens=False)
    margin = " " * len(head)
    return [(head + (folded[0] if folded else "")).rstrip(), *(margin + d for d in folded[1:])]
