"""What is written in the nodes of a state graph: what tells its states apart.

Items that are the same everywhere say nothing. Of few that vary all values are shown, of many only
those other than 0, as the markings of a net are written; where even that is too much, only what
changed on the way to the state. Processes come first, by the names of their locations.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.shape import State
from plait.report.svg import fold
from plait.report.view import Item, StateView

FEW = 5
"""So many values are shown whatever they are."""
WIDTH, LINES = 26, 5
"""The text in a node: letters in a line, and lines."""


def label_lines(
    view: StateView,
    states: Sequence[State],
    parents: Sequence[tuple[int, str] | None],
    shown: Sequence[Item] = (),
) -> tuple[list[tuple[str, ...]], bool]:
    """The lines in the node of each state, and whether they are changes.

    They speak of the items that are `shown`, if some are chosen.
    """
    if shown:
        return [_lines([word(item, s) for item in shown]) for s in states], False
    varying = _varying(view, states)
    places = [item for item in varying if item.process]
    others = [item for item in varying if not item.process]
    found = [_words(places, others, s) for s in states]
    # A label that is cut may leave out just what tells two states apart.
    if sum(any("…" in line for line in lines) for lines in found) <= len(states) // 4:
        return found, False
    return [_lines(_changed(view, states, parents, i)) for i in range(len(states))], True


def _words(places: Sequence[Item], others: Sequence[Item], state: State) -> tuple[str, ...]:
    located = [word(item, state) for item in places]
    if len(others) <= FEW:
        return _lines(located, [word(item, state) for item in others])
    marked = [_marked(item, state) for item in others if not _is_zero(item, state)]
    return _lines(located, marked)


def word(item: Item, state: State) -> str:
    """An item with its value: `x=1`, and a process with its location: `P@idle`."""
    if item.process:
        return f"{item.process}@{item.text(state)}"
    return f"{item.name}={item.text(state)}"


def _marked(item: Item, state: State) -> str:
    is_one = not item.width and not item.names and state[item.offset] == 1
    return item.name if is_one else word(item, state)


def _is_zero(item: Item, state: State) -> bool:
    return not item.names and state[item.offset] == 0


def _varying(view: StateView, states: Sequence[State]) -> list[Item]:
    first = states[0]
    varies = {c for s in states for c, (a, b) in enumerate(zip(first, s, strict=True)) if a != b}
    return [
        item
        for item in view.items
        if not varies.isdisjoint(range(item.offset, item.offset + item.cells))
    ]


def _changed(
    view: StateView,
    states: Sequence[State],
    parents: Sequence[tuple[int, str] | None],
    number: int,
) -> list[str]:
    parent = parents[number]
    if parent is None:
        return ["initial state"] if number == 0 else []
    changed = view.changed(states[parent[0]], states[number])
    return [word(item, states[number]) for item in changed]


def _lines(*words: Sequence[str]) -> tuple[str, ...]:
    lines = [line for some in words for line in fold(some, WIDTH, LINES)]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], "…"]
    return tuple(lines)


__all__ = ["label_lines", "word"]
