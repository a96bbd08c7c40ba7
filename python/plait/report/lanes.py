"""A trace by processes: who moves in each step, and which message goes from whom to whom.

All of it is read off the witness. A process, or a part of a composite, has a *lane*. A step stands
in the lanes of those who move: those it names, else those whose variables it changes. A rendezvous
goes from the first of its two processes to the second. What a step adds to a queue is sent, what it
takes away is received, and queues remember who sent what they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from plait.hints import Literal
from plait.model.shape import State
from plait.records import dataclass
from plait.report.answer import Step, Witness
from plait.report.view import Item, StateView

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
    owners = _Owners(witness.view)
    pairs = list(pairwise(witness.states))
    movers = [
        owners.movers(step, before) for step, (before, _) in zip(witness.steps, pairs, strict=True)
    ]
    known = owners.known
    met = dict.fromkeys(name for some in movers for name in some)
    names = tuple([n for n in known if n in met] + [n for n in met if n not in known])
    place = {name: i for i, name in enumerate(names)}
    rows, messages = [], list(_queued(witness, [[place[m] for m in some] for some in movers]))
    for i, (step, (before, after)) in enumerate(zip(witness.steps, pairs, strict=True)):
        lanes = [place[name] for name in movers[i]]
        changes = _changes((before, after), movers[i], owners)
        told = [] if witness.view is None else witness.view.changes(before, after)
        own = dict(zip(movers[i], lanes, strict=True))
        rows.append(_row(i + 1, step, own, changes, told))
        if len(lanes) > 1:
            meeting = " & " in step.event and step.process is not None
            kind: Kind = "met" if meeting else "joint"
            shared = ", ".join(changes.get("", []))
            messages.append(Message(kind, shared, i, lanes[0], lanes[-1], i))
    return Lanes(names, tuple(rows), tuple(messages), witness.loop)


# --- who ------------------------------------------------------------------------------------------


class _Owners:
    """Whom the items of a state belong to: processes, or the largest parts that are several."""

    def __init__(self, view: StateView | None) -> None:
        self.view = view
        items = () if view is None else view.items
        self.processes = {item.process for item in items if item.process}
        paths = [item.name.split(":")[:-1] for item in items]
        deepest = max(map(len, paths), default=0)
        several = (d for d in range(1, deepest) if len({tuple(p[:d]) for p in paths}) > 1)
        self.depth = next(several, deepest)
        named = (self.of(item) for item in items)
        self.known = list(dict.fromkeys(name for name in named if name))
        """All of them, in the order of the model."""

    def of(self, item: Item) -> str:
        """The owner of an item, if it has one."""
        if item.process:
            return item.process
        owner = item.name.rpartition(".")[0]
        if owner in self.processes:
            return owner
        return ".".join(item.name.split(":")[:-1][: self.depth])

    def movers(self, step: Step, before: State) -> list[str]:
        """Who moves in a step."""
        if step.process is not None:
            return step.process.split(" & ")
        changed = () if self.view is None else self.view.changed(before, step.state)
        found = list(dict.fromkeys(o for o in map(self.of, changed) if o))
        if not found:
            found = [name for name in self.known if step.event.startswith(f"{name}.")]
        return found or [SYSTEM]


# --- what -----------------------------------------------------------------------------------------


def _changes(
    states: tuple[State, State], movers: Sequence[str], owners: _Owners
) -> dict[str, list[str]]:
    """What a step changes, by the mover that it belongs to; nobody's is that of one who is alone.

    Locations and queues are shown otherwise.
    """
    found: dict[str, list[str]] = {}
    for item in () if owners.view is None else owners.view.changed(*states):
        if not item.process and not item.width:
            owner = owners.of(item)
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


# --- messages -------------------------------------------------------------------------------------

Sent = tuple[int, int]
"""The row and the lane where a message was sent."""


def _queued(witness: Witness, lanes: Sequence[Sequence[int]]) -> Iterator[Message]:
    """The messages that go through queues: those that are received, and the rest."""
    view, states = witness.view, witness.states
    for item in () if view is None else (i for i in view.items if i.width):
        senders: list[Sent | None] = [None] * len(_held(item, states[0]))
        for row, (before, after) in enumerate(pairwise(states)):
            old, new = _held(item, before), _held(item, after)
            taken, added, kept = _difference(old, new, senders)
            for text, sent in taken:
                if sent is not None and sent[1] != lanes[row][-1]:
                    yield Message("queued", f"{item.name} {text}", *sent, lanes[row][-1], row)
            senders = [(row, lanes[row][0]) if i in added else s for i, s in enumerate(kept)]
        for text, sent in zip(_held(item, states[-1]), senders, strict=True):
            if sent is not None:
                yield Message("queued", f"{item.name} {text}", *sent)


def _held(item: Item, state: State) -> list[str]:
    """The messages in a queue, as text."""
    count, width = state[item.offset], item.width
    single = (
        (1, *state[item.offset + 1 + i * width : item.offset + 1 + (i + 1) * width])
        for i in range(count)
    )
    # Shown as a queue of its own, each message has its names.
    moved = Item(item.name, 0, item.cells, width, item.names, item.fields)
    return [moved.text(message)[1:-1] for message in single]


def _difference(
    old: list[str], new: list[str], senders: list[Sent | None]
) -> tuple[list[tuple[str, Sent | None]], set[int], list[Sent | None]]:
    """What was taken, the places of what was added, and the senders of what is there now."""
    if old == new:
        return [], set(), senders
    if len(new) == len(old) - 1:  # one taken, perhaps from the middle
        for i in range(len(old)):
            if old[:i] + old[i + 1 :] == new:
                return [(old[i], senders[i])], set(), senders[:i] + senders[i + 1 :]
    if len(new) == len(old) + 1:  # one added, perhaps sorted in
        for i in range(len(new) - 1, -1, -1):
            if new[:i] + new[i + 1 :] == old:
                return [], {i}, [*senders[:i], None, *senders[i:]]
    # Several in one step: some from the front, then some to the end.
    count = next(k for k in range(len(old) + 1) if old[k:] == new[: len(old) - k])
    taken = list(zip(old[:count], senders[:count], strict=True))
    left = len(old) - count
    return taken, set(range(left, len(new))), senders[count:] + [None] * (len(new) - left)


__all__ = ["Lanes", "Message", "Row", "lanes_of"]
