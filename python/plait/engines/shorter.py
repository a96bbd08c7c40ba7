"""Shorter traces: the detours of a walk are removed.

A random walk finds a state by detours. Stretches of it, long ones first and single events at the
end, are left out in turn, and with them whatever cannot happen without them; the rest is executed,
and stays if the last state still decides the property. (Zeller and Hildebrandt,
"Simplifying and isolating failure-inducing input", 2002, remove parts of an input in the same way;
here the model itself says which events go together.) What is left is a run of the model in which no
single event is in vain, and not always a shortest one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from plait.errors import ModelError
from plait.hints import TYPE_CHECKING
from plait.report.answer import Step, Witness

if TYPE_CHECKING:
    from plait.model.shape import State

    Path = list[tuple[str, State]]
    """Events, each with the state that it leads to."""
    Execute = Callable[[str, State], Sequence[State]]
    """The states to which an event leads from a state."""


def shorter(
    run: Witness, execute: Execute, decides: Callable[[State], bool], seconds: float
) -> Witness:
    """A part of a run whose last state decides a property, with one that does.

    The seconds are those of this thread: what a busy machine does besides has no say in the trace.
    """
    end = time.thread_time() + seconds
    path = [(step.event, step.state) for step in run.steps]
    size = len(path) // 2
    while size:
        length, at = len(path), len(path)
        while at > 0 and time.thread_time() < end:
            at = max(0, min(at, len(path)) - size)
            before = path[at - 1][1] if at else run.initial
            try:
                rest = _without(execute, before, path[at:], size)
                last = rest[-1][1] if rest else before
                if last == path[-1][1] or decides(last):
                    path[at:] = rest
            except ModelError:
                continue  # this way the model goes wrong, which is another matter
        again = size == 1 and len(path) < length
        size = 1 if again else size // 2
    return Witness(run.initial, tuple(Step(event, state) for event, state in path))


def _without(execute: Execute, state: State, path: Path, size: int) -> Path:
    """What is left of a path from a state without so many events at its beginning."""
    rest: Path = []
    for i, (event, after) in enumerate(path[size:], start=size):
        if state == path[i - 1][1]:  # as it was with that event: so is the rest
            return rest + path[i:]
        reached = execute(event, state)
        if reached:
            state = after if after in reached else reached[0]
            rest.append((event, state))
    return rest


__all__ = ["shorter"]
