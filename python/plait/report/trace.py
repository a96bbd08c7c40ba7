"""A witness as text: numbered steps, each with its event, its source line and what it changed."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise, zip_longest

from plait.model.expr import Formula
from plait.model.shape import State
from plait.model.text import show
from plait.report.answer import Branch, Step, Witness
from plait.report.repeats import Repeat, repeats

WIDTH = 100
"""Changes are folded at this width."""
NARROW = 56
"""Where less room than this is left beside a step, they are shown below it."""
MOST = 300
"""Lines of steps in a trace; of a longer one the first and the last `END` are shown."""
END = 100
STATEMENT = 36
"""Characters of a statement; a longer one is cut."""
LONGEST = 500
"""Characters of a formula; a longer one is cut."""


def render_trace(
    witness: Witness, *, full: bool = False, first: str = "initial state"
) -> list[str]:
    """The lines of a trace; a lasso has its loop marked at the entry and at the end.

    Except in a `full` trace, steps that only repeat those before are one line, and of a very long
    trace the ends are shown.
    """
    rows = [(first, "", ""), *map(_columns, witness.steps)]
    number = len(str(len(witness.steps)))
    # Beside the names of processes the title of the first line may stick out.
    measured = rows[1:] if any(step.process for step in witness.steps) else rows
    widths = [max(map(len, column)) for column in zip(*measured, strict=True)]
    folds = {} if full else {r.start: r for r in _repeats(rows, witness.loop)}
    blocks: list[tuple[int, list[str]]] = []
    before: State | None = None
    states = witness.states
    i = 0
    while i < len(states):
        if fold := folds.get(i):
            changes = _details(witness, states[fold.start - 1], states[fold.end - 1], full)
            blocks.append((i, _fold(_again(fold, number, bool(changes)), number + 4, changes)))
            before, i = states[fold.end - 1], fold.end
            continue
        state = states[i]
        mark = "↻" if witness.loop == i else " "
        cells = (f"{cell:<{width}}  " for cell, width in zip(rows[i], widths, strict=True) if width)
        head = f"{mark} {i:>{number}}  {''.join(cells)}"
        # The columns but the last, beside which the changes are folded.
        margin = len(head) - (widths[2] + 2 if widths[2] else 0)
        blocks.append((i, _fold(head, margin, _details(witness, before, state, full))))
        before, i = state, i + 1
    lines = list(_ends(blocks, number, witness.loop, len(blocks) if full else MOST))
    if witness.loop is not None:
        lines.append(f"↻ {closing(witness)}")
    return lines


def _ends(
    blocks: Sequence[tuple[int, list[str]]], number: int, loop: int | None, most: int
) -> Iterator[str]:
    """The lines of all blocks, or of the first and last ones and of where a lasso comes back to."""
    hidden: list[int] = []
    for place, (at, lines) in enumerate(blocks):
        if len(blocks) > most and END <= place < len(blocks) - END and at != loop:
            hidden.append(at)
            continue
        if hidden:
            which = f"steps {hidden[0]} to {at - 1}"
            yield f"  {'⋮':>{number}}  {which} are left out; --full shows them"
            hidden = []
        yield from lines


def _repeats(rows: Sequence[Hashable], loop: int | None) -> Iterator[Repeat]:
    """Where steps repeat those before; the state that a lasso comes back to keeps its line."""
    parts = (1, len(rows)) if not loop else (1, loop, loop + 1, len(rows))
    for begin, end in pairwise(parts):
        for r in repeats(rows[begin:end]):
            yield Repeat(begin + r.start, r.period, r.times)


def _again(fold: Repeat, number: int, changing: bool) -> str:
    """What stands for steps that repeat others, beside what they change together."""
    which = "this step" if fold.period == 1 else f"these {fold.period} steps"
    return f"  {'⋮':>{number}}  {which} {fold.times} times more{': ' if changing else ''}"


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
    return f"{step.process}: {action(step)}" if step.process else step.event


def step_text(step: Step) -> str:
    """A step in one line: its event, or who moves, where in the text, and what happens."""
    return "  ".join(filter(None, _columns(step))) if step.process else step.event


def _columns(step: Step) -> tuple[str, str, str]:
    """Who moves, where in the text, and what happens; who and what are one without a process."""
    place = "" if step.span is None else f"line {step.span.line}"
    if not step.process:
        return step.event, place, ""
    return step.process, place, action(step)


def action(step: Step) -> str:
    """What a process does, in a few words: without its own name, which stands beside it.

    An event that is called after its process and a line is the statement that stands there.
    """
    halves = []
    processes = (step.process or "").split(" & ")
    for half, process in zip_longest(step.event.split(" & "), processes, fillvalue=""):
        own = bool(process) and half.startswith(process)
        halves.append(half.removeprefix(process).lstrip(" .:") if own else half)
    if step.span is not None and all(half.partition("#")[0].isdecimal() for half in halves):
        text = " ".join(step.span.text.split())
        return text if len(text) <= STATEMENT else text[: STATEMENT - 1] + "…"
    return " & ".join(halves)


def _details(witness: Witness, before: State | None, after: State, full: bool) -> list[str]:
    view = witness.view
    if view is None or (before is None and not full):
        return []
    if full or before is None:
        return [f"{name} = {value}" for name, value in view.full(after).items()]
    return view.news(before, after)


def _fold(head: str, margin: int, changes: Sequence[str]) -> list[str]:
    """The line of a step with its changes beside it, or below it where there is too little room."""
    details = ", ".join(changes)
    room = WIDTH - len(head)
    if len(details) <= max(room, 40) and details.isprintable():
        return [(head + details).rstrip()]
    if room >= NARROW:
        first, *more = _rows(changes, room)
        return [head + first, *(" " * len(head) + row for row in more)]
    return [head.rstrip(), *(" " * margin + row for row in _rows(changes, WIDTH - margin))]


def _rows(changes: Sequence[str], room: int) -> list[str]:
    """The changes in rows; only one that is longer than a row is broken itself."""
    import textwrap  # most changes are short

    rows = [""]
    for number, change in enumerate(changes, 1):
        text = change + ("," if number < len(changes) else "")
        pieces = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
        for piece in pieces or [""]:
            if rows[-1] and len(rows[-1]) + 1 + len(piece) > room:
                rows.append(piece)
            else:
                rows[-1] += f" {piece}" if rows[-1] else piece
    return rows
