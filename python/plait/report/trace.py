"""A witness as text: numbered steps, each with its event, its source line and what it changed."""

from __future__ import annotations

from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.text import show
from plait.report.answer import Branch, Step, Witness

WIDTH = 100
"""Changes are folded at this width."""
LONGEST = 500
"""Characters of a formula; a longer one is cut."""


def render_trace(
    witness: Witness, *, full: bool = False, first: str = "initial state"
) -> list[str]:
    """The lines of a trace; a lasso has its loop marked at the entry and at the end."""
    titles = [first, *map(title, witness.steps)]
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
        lines.append(f"↻ {closing(witness)}")
    return lines


def render_tree(witness: Witness, *, full: bool = False) -> list[str]:
    """The lines of a trace, and of the branches that begin at its states, each further in."""
    lines: list[str] = []
    stack = [(witness, 0, "")]
    while stack:
        path, depth, head = stack.pop()
        margin = "    " * depth
        if head:
            lines.append(margin + head)
        if path.steps or path.loop is not None or path is witness:
            first = "initial state" if path is witness else "that state"
            lines += [margin + line for line in render_trace(path, full=full, first=first)]
        stack += [(b.witness, depth + 1, path_title(b)) for b in path.branches[::-1]]
    return lines


def path_title(branch: Branch) -> str:
    """Where a branch begins and what it shows; nothing where it is not said."""
    path, place = branch.witness, f"in state {branch.at}"
    if path.shows is not None:
        return f"{place} this holds: {_formula(path, path.shows)}"
    if path.refutes is not None:
        return f"{place} this does not hold: {_formula(path, path.refutes)}"
    return ""


def closing(witness: Witness) -> str:
    """How a lasso goes on."""
    if witness.loop == len(witness.steps):
        return "no event can follow: this state repeats for ever"
    return f"the same state as {witness.loop}: this repeats for ever"


def _formula(path: Witness, formula: Formula) -> str:
    return show(formula if path.view is None else path.view.with_names(formula), LONGEST)


def title(step: Step) -> str:
    """What happens in a step, and who does it."""
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
    if len(details) <= room and details.isprintable():
        return [(head + details).rstrip()]
    import textwrap  # most changes are short

    folded = textwrap.wrap(details, room, break_long_words=False, break_on_hyphens=False)
    margin = " " * len(head)
    return [(head + (folded[0] if folded else "")).rstrip(), *(margin + d for d in folded[1:])]
