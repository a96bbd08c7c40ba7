"""Notes beside an answer: one wording for all engines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.errors import Span
from plait.hints import TYPE_CHECKING
from plait.model.types import ElementaryType, Event, Model, names_of

if TYPE_CHECKING:
    from plait.model.plain import Plain

EVENTS_SHOWN = 12
"""A longer list of events is cut, and says so."""


def undefined_steps(counts: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Warnings about steps that an undefined operation swallowed, by the title of the event."""
    return tuple(
        f"event {title}: {count} step{'s' if count > 1 else ''} left out, where an operation "
        "is undefined (division by zero, an index outside its array, a shift beyond 31)"
        for title, count in counts
        if count
    )


def with_called(executed: Iterable[Event], events: Sequence[Event]) -> set[str]:
    """The titles of executed events, and of those that answered, or may have, what they call.

    Who answers a call of an event between others is counted; who answers further in is not, so
    all who could count as executed there.
    """
    from plait.model.stmt import Call  # plain nets have no calls

    answering: dict[str, list[Event]] = {}
    for event in events:
        if event.label is not None:
            answering.setdefault(event.label.name, []).append(event)
    titles: set[str] = set()
    pending = list(executed)
    seen: set[str] = set()
    while pending:
        event = pending.pop()
        if event.name not in seen:
            seen.add(event.name)
            titles.update(event.sources)
            for statement in event.body:
                answers = answering.get(statement.label, []) if isinstance(statement, Call) else []
                if len(answers) == 1 or event.label is not None:
                    pending.extend(answers)
    return titles


def unreached_code(model: Model, executed: set[str]) -> tuple[str, ...]:
    """The statements of each program that none of its processes ever executes, by their lines.

    `executed` are the titles of the events that were; the search must have been complete.
    """
    system = model.system
    if not isinstance(system, ElementaryType):
        return ()
    programs = {p.name: p.program for p in system.processes if p.program}
    reached: dict[str, dict[tuple[str, int], bool]] = {}
    for event in system.events:
        program = programs.get(event.process or "")
        # What has a title of its own is no statement: the end of a process, waiting in a block.
        if program is None or event.span is None or " " in event.name:
            continue
        lines = reached.setdefault(program, {})
        place = (_file(event.span), event.span.line)
        lines[place] = lines.get(place, False) or event.title in executed
    notes = []
    for program, lines in reached.items():
        never = sorted(place for place, found in lines.items() if not found)
        if never:
            shown = ", ".join(f"{file}{line}" for file, line in never)
            notes.append(f"unreached in {program}: line{'s' if len(never) > 1 else ''} {shown}")
    return tuple(notes)


def never_executed(model: Model, executed: set[str]) -> tuple[str, ...]:
    """The events of a system without program texts that no run executes, with their lines.

    `executed` as above. An event with parameters counts as executed when one of its copies was. Who
    answers a call is left out, and so are the copies that unfolding colours makes.
    """
    system = model.system
    if not isinstance(system, ElementaryType) or system.folding is not None:
        return ()
    if any(p.program for p in system.processes):
        return ()
    known = {name for title in executed for name in names_of(title)}
    never = [
        f"{e.title} (line {e.span.line})"
        for e in system.events
        if e.span is not None and e.label is None and not names_of(e.title) & known
    ]
    return _never(never)


def never_fired(net: Plain, executed: set[str]) -> tuple[str, ...]:
    """The same for a net in native form, whose events are not made for it."""
    if len(executed) == len(net.titles):
        return ()
    positions = zip(net.titles, net.core.event_positions(), strict=True)
    return _never([f"{t} (line {line})" for t, (line, _) in positions if t not in executed])


def _never(never: Sequence[str]) -> tuple[str, ...]:
    if not never:
        return ()
    more = len(never) - EVENTS_SHOWN
    shown = ", ".join(never[:EVENTS_SHOWN]) + (f", and {more} more" if more > 0 else "")
    return (f"never executed: {shown}",)


def _file(span: Span) -> str:
    """The name of a file that the model includes; nothing for the model itself."""
    path = span.source.path
    return "" if path is None or str(path) == span.source.name else f"{span.source.name}:"
