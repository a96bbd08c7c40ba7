"""What the processes of a deadlocked system wait for.

Each process with its place in its program and what it would do next there: of all events that are
blocked, those of a process that is somewhere else say nothing. Processes that may not stay where
they are come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plait.errors import Span
from plait.model.expr import IntExpr
from plait.model.shape import Shape, State
from plait.model.types import ElementaryType, Process
from plait.reference import Explanation, Reason
from plait.reference.cases import case_number
from plait.report.answer import Step
from plait.report.trace import action

PROCESSES_SHOWN = 24
"""A longer list of processes is cut, and says so."""
EVENTS_SHOWN = 6
"""... and of what one of them could do."""
Row = tuple[str, str, str, str]
"""A process, its place, what it would do, and what is in the way."""


def processes_of(shape: Shape) -> tuple[Process, ...]:
    """The processes of a system whose places are known."""
    kind = shape.type
    if not isinstance(kind, ElementaryType):
        return ()
    return tuple(p for p in kind.processes if p.pc is not None)


def waiting_lines(
    shape: Shape,
    blocked: Sequence[Explanation],
    state: State,
    why: Callable[[Reason, str], str],
) -> list[str]:
    """A line for each thing that a process waits for; `why` says what a reason is."""
    processes = [p for p in processes_of(shape) if not (p.by_lines and _at(p, shape, state) == 0)]
    by_process: dict[str, list[Explanation]] = {}
    for explanation in blocked:
        by_process.setdefault(explanation.copy.event.process or "", []).append(explanation)
    processes.sort(key=lambda p: _at(p, shape, state) in p.ends)
    rows = [
        row
        for p in processes[:PROCESSES_SHOWN]
        for row in _rows(p, _at(p, shape, state), by_process.get(p.name, []), why)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["no process can go on:"]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True) if width)
        lines.append(f"  {'  '.join(cells)}".rstrip())
    if len(processes) > PROCESSES_SHOWN:
        lines.append(f"  and {len(processes) - PROCESSES_SHOWN} more processes")
    return lines


def _at(process: Process, shape: Shape, state: State) -> int:
    assert process.pc is not None
    return state[shape.variables[process.pc].offset]


def _rows(
    process: Process, at: int, blocked: Sequence[Explanation], why: Callable[[Reason, str], str]
) -> Iterator[Row]:
    """What one process waits for, its name and place in the first row only."""
    place = process.locations[at] if at < len(process.locations) else str(at)
    next_ = [e for e in blocked if not any(process.pc in dict(r.values) for r in e.reasons)]
    next_ = list(_nearest(next_))
    if process.by_lines:
        number = place.partition("#")[0]
        place = f"line {number}" if number.isdecimal() else place
        if at in process.ends:
            yield process.name, place, "" if place == "end" else "may stay here", ""
            return
    if not next_:
        yield process.name, place, "has nothing left to do", ""
    name = process.name
    for explanation in next_[:EVENTS_SHOWN]:
        event = explanation.copy.event
        step = Step(explanation.title, (), process.name, event.span)
        reasons = dict.fromkeys(why(r, explanation.title) for r in explanation.reasons)
        yield name, place, action(step), "; ".join(reasons)
        name = place = ""
    if len(next_) > EVENTS_SHOWN:
        yield "", "", f"and {len(next_) - EVENTS_SHOWN} more events", ""


def _nearest(blocked: Sequence[Explanation]) -> Iterator[Explanation]:
    """Of the events of one statement those that say why it cannot be executed: the channel `c[i]`
    may be any of an array, and is one of them. Of several ways those that miss least."""
    ways: dict[object, list[Explanation]] = {}
    for e in blocked:
        ways.setdefault(e.copy.event.span or e.title, []).append(e)
    for of_statement in ways.values():
        places = _choices(of_statement)

        def lack(e: Explanation, places: set[Span | None] = places) -> tuple[int, int]:
            numbers = (case_number(r.condition) for r in e.reasons if r.condition is not None)
            wrong = sum(n is not None and n.span in places for n in numbers)
            return wrong, len(e.reasons)

        least = min(map(lack, of_statement))
        yield from (e for e in of_statement if lack(e) == least)


def _choices(ways: Sequence[Explanation]) -> set[Span | None]:
    """The places of the text where it is chosen by a number which of the ways is meant."""
    numbers: dict[Span | None, set[IntExpr]] = {}
    for e in ways:
        for number in filter(None, map(case_number, e.copy.event.guard)):
            numbers.setdefault(number.span, set()).add(number.right)
    return {span for span, chosen in numbers.items() if len(chosen) > 1}


__all__ = ["processes_of", "waiting_lines"]
