"""A trace by processes: who moves in each step, and which message goes from whom to whom.

All of it is read off the witness. A process, or a part of a composite, has a *lane*, and a step
stands in the lanes of those who move (`movers`). A rendezvous goes from the first of its two
processes to the second, other messages from who sends them to who receives them (`queued`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from plait.hints import Literal
from plait.model.shape import State
from plait.records import dataclass
from plait.report.answer import Step, Witness
from plait.report.movers import Movers
from plait.report.queued import Queued, queued

SYSTEM = "system"
"""The lane of what nobody does in particular."""
Kind = Literal["queued", "met", "joint"]
"""`queued`: sent in one row and received in another; `met`: a rendezvous; `joint`: together."""


@dataclass(frozen=True, slots=True)
class Row:
    """A step: what stands in which lane, its source line, and what it changes."""

    number: int
    cells: dict[int, tuple[str, ...]]
    line: int | None
    details: str


@dataclass(frozen=True, slots=True)
class Message:
    """Something between two lanes, by the rows (from 0) where it leaves and where it arrives.

    What was never received has no receiver. The text of what happens together is what it changes
    that belongs to neither.
    """

    kind: Kind
    text: str
    row: int
    source: int
    target: int | None = None
    arrives: int | None = None


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of a trace, its steps as rows, and the messages between them."""

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    messages: tuple[Message, ...]
    loop: int | None = None


def lanes_of(witness: Witness) -> Lanes:
    """The trace by processes."""
    who = Movers(witness.view)
    pairs = list(pairwise(witness.states))
    movers = [
        who.of(step, before) or [SYSTEM]
        for step, (before, _) in zip(witness.steps, pairs, strict=True)
    ]
    known = who.known
    met = dict.fromkeys(name for some in movers for name in some)
    names = tuple([n for n in known if n in met] + [n for n in met if n not in known])
    place = {name: i for i, name in enumerate(names)}
    rows: list[Row] = []
    messages = [_through_a_queue(m, place) for m in queued(witness, movers.__getitem__)]
    for i, (step, (before, after)) in enumerate(zip(witness.steps, pairs, strict=True)):
        lanes = [place[name] for name in movers[i]]
        changes = _changes((before, after), movers[i], who)
        told = [] if witness.view is None else witness.view.changes(before, after)
        own = dict(zip(movers[i], lanes, strict=True))
        rows.append(_row(i + 1, step, own, changes, told))
        if len(lanes) > 1:
            meeting = " & " in step.event and step.process is not None
            kind: Kind = "met" if meeting else "joint"
            shared = ", ".join(changes.get("", []))
            messages.append(Message(kind, shared, i, lanes[0], lanes[-1], i))
    return Lanes(names, tuple(rows), tuple(messages), witness.loop)


def _through_a_queue(m: Queued, place: Mapping[str, int]) -> Message:
    target = None if m.target is None else place[m.target]
    return Message("queued", m.text, m.sent, place[m.source], target, m.arrived)


# --- what -----------------------------------------------------------------------------------------


def _changes(
    states: tuple[State, State], movers: Sequence[str], who: Movers
) -> dict[str, list[str]]:
    """What a step changes, by the mover that it belongs to; nobody's is that of one who is alone.

    Locations and queues are shown otherwise.
    """
    found: dict[str, list[str]] = {}
    for item in () if who.view is None else who.view.changed(*states):
        if not item.process and not item.width:
            owner = who.owner(item)
            whose = owner if owner in movers else movers[0] if len(movers) == 1 else ""
            own = owner and whose == owner
            name = item.name[len(owner) + 1 :] if own else item.name
            text = f"{name}: {item.text(states[0])} → {item.text(states[1])}"
            found.setdefault(whose, []).append(text)
    return found


def _row(
    number: int, step: Step, own: dict[str, int], changes: dict[str, list[str]], told: list[str]
) -> Row:
    """The row of a step; `own` are the lanes of its movers."""
    halves = step.event.split(" & ") if len(own) == 2 and " & " in step.event else [step.event]
    cells: dict[int, tuple[str, ...]] = {}
    for i, (mover, lane) in enumerate(own.items()):
        said = _snippet(step, mover) if i == 0 else _without(halves[-1], mover)
        cells[lane] = (said, *changes.get(mover, ()))
    line = None if step.span is None else step.span.line
    return Row(number, cells, line, "\n".join([step.event, *told]))


def _snippet(step: Step, mover: str) -> str:
    """A step in few words: its event, or the text at the place in a program that it only is."""
    own = _without(step.event.split(" & ")[0] if step.process else step.event, mover)
    if step.span is None or not own.removeprefix("line ").isdigit():
        return own
    return " ".join(step.span.text.split()) or own


def _without(title: str, mover: str) -> str:
    """The title without the name of who moves; a place in a program is a line of it."""
    if not mover or not title.startswith((f"{mover}.", f"{mover}:", f"{mover} ")):
        return title
    own = title[len(mover) + 1 :]
    return f"line {own.partition('#')[0]}" if own.partition("#")[0].isdigit() else own


__all__ = ["Lanes", "Message", "Row", "lanes_of"]
