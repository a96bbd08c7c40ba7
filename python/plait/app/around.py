"""The graph around a state: the way into it, what can follow, and what can follow that."""

from __future__ import annotations

from time import monotonic

from plait.app.walk import Option, Path, Walk
from plait.hints import Any
from plait.model.shape import State
from plait.report.layered import Link, layered
from plait.report.state_labels import word
from plait.report.svg import fold, measure, shorten

NODES = 16
"""States that are drawn: more are no picture any more."""
DEPTH = 2
"""Steps that are drawn from the state."""
PATIENCE = 2.0
LETTERS = 28
"""Of the name of an event beside its arc."""
WIDTH, LINES = 26, 4
"""The text in a node: letters in a line, and lines."""
PADDING = 12.0


def around(walk: Walk, path: Path) -> dict[str, Any]:
    """The states around the end of a path, placed, with the steps that lead to each."""
    states = walk.states(path)
    here = states[-1]
    found = _Found(here, path)
    if len(states) > 1:
        found.state(states[-2], path[:-1])
        found.arc(states[-2], here, path[-1][0])
    end = monotonic() + PATIENCE
    complete = True
    for state in found.pending():
        if len(found.paths[state]) >= len(path) + DEPTH:
            break
        left = end - monotonic()
        if left <= 0:
            complete = False
            break
        options = walk.options(state, most=NODES, seconds=left)
        complete &= options.complete and options.count == len(options.found)
        for option in options.found:
            complete &= found.follow(state, option)
    return _placed(walk, found) | {"complete": complete, "depth": DEPTH}


class _Found:
    """States in the order in which they were found, each with a path to it."""

    def __init__(self, here: State, path: Path) -> None:
        self.here = here
        self.paths: dict[State, Path] = {here: path}
        self.arcs: dict[tuple[State, State], list[str]] = {}
        self._pending = [here]

    def pending(self) -> list[State]:
        """States to go on from; the list grows while it is worked on."""
        return self._pending

    def state(self, state: State, path: Path) -> bool:
        """Whether there is room for a state."""
        if state not in self.paths and len(self.paths) < NODES:
            self.paths[state] = path
        return state in self.paths

    def arc(self, before: State, after: State, event: str) -> None:
        """Events between the same states are one arc."""
        events = self.arcs.setdefault((before, after), [])
        if event not in events:
            events.append(event)

    def follow(self, before: State, option: Option) -> bool:
        """Whether what an option leads to is drawn."""
        known = option.state in self.paths
        path = (*self.paths[before], (option.event, option.number))
        if not self.state(option.state, path):
            return False
        self.arc(before, option.state, option.event)
        if not known:
            self._pending.append(option.state)
        return True


def _layers(found: _Found) -> list[int]:
    """States in the order of their distance, with the one before this state on its other side."""
    return [len(path) for path in found.paths.values()]


def _label(walk: Walk, here: State, state: State) -> list[str]:
    """What is different from the current state."""
    if state == here:
        return ["this state"]
    return fold([word(item, state) for item in walk.view.changed(here, state)], WIDTH, LINES)


def _placed(walk: Walk, found: _Found) -> dict[str, Any]:
    states = list(found.paths)
    numbers = {state: i for i, state in enumerate(states)}
    lines = [_label(walk, found.here, state) for state in states]
    boxes = []
    for text in lines:
        width, height = measure(text)
        boxes.append((max(width, 10.0) + PADDING, max(height, 10.0) + PADDING))
    labels, links = [], []
    for (before, after), events in found.arcs.items():
        more = f" +{len(events) - 1}" if len(events) > 1 else ""
        label = shorten(walk.title(events[0]), LETTERS) + more
        labels.append(label)
        links.append(Link(numbers[before], numbers[after], *measure([label])))
    layout = layered(boxes, links, layers=_layers(found), across=True)
    nodes = [
        {
            "x": round(x - width / 2, 1),
            "y": round(y - height / 2, 1),
            "width": round(width, 1),
            "height": round(height, 1),
            "lines": list(text),
            "here": i == 0,
            "path": [list(step) for step in found.paths[state]],
        }
        for i, (state, text, (x, y), (width, height)) in enumerate(
            zip(states, lines, layout.nodes, boxes, strict=True)
        )
    ]
    arcs = [
        {
            "path": route.path,
            "end": [round(v, 1) for v in (*route.points[-1], *route.heading)],
            "label": label,
            "x": round(route.label[0], 1),
            "y": round(route.label[1], 1),
            "events": events[:20],
        }
        for label, route, events in zip(labels, layout.routes, found.arcs.values(), strict=True)
    ]
    return {
        "nodes": nodes,
        "arcs": arcs,
        "width": round(layout.width, 1),
        "height": round(layout.height, 1),
    }


__all__ = ["around"]
