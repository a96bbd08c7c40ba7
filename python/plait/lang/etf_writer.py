"""Models as ETF, tables of small steps: what the reachable states show of each event.

An event has to do with the variables that it reads or writes, and with no others; so a row for each
way in which it changes these in some reachable state says all of it. The states are listed by the
reference, which bounds what can be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait import passes
from plait.errors import LimitReached, error
from plait.lang.commands import cell_name, written_out
from plait.lang.exported import action_of
from plait.lang.initial_choice import has_choice
from plait.model.expr import Var
from plait.model.node import Node, nodes
from plait.model.rewritten import flat_type
from plait.model.shape import State, cells_of
from plait.model.stmt import Assign
from plait.model.types import Event, Model
from plait.model.watch import look
from plait.records import replace
from plait.reference import Semantics

LANGUAGE = "ETF"
MOST_STATES = 200_000


def print_model(model: Model) -> str:
    """The text of a model with few reachable states."""
    if has_choice(model):
        raise error("an ETF text has one initial state, and this model several")
    flat = passes.flat(model, reduce=False).model
    type_ = flat_type(flat)
    commands = written_out(type_, LANGUAGE)
    own = {name for v in type_.variables for name, _ in cells_of(v)}
    semantics = Semantics(replace(flat, types=(commands,), properties=()))
    # Where values are kept during a step, there is 0 before and after.
    shown = [i for i, cell in enumerate(semantics.cells) if cell in own]
    supports = {e.name: _support(e, semantics.cells, shown) for e in commands.events}
    rows: dict[str, set[tuple[str, ...]]] = {e.name: set() for e in commands.events}
    for before, title, after in _arcs(semantics):
        used = supports[title]
        rows[title].add(tuple(f"{before[i]}/{after[i]}" if i in used else "*" for i in shown))
    return "\n".join(_lines(semantics, shown, commands.events, rows)) + "\n"


def _lines(
    semantics: Semantics,
    shown: list[int],
    events: tuple[Event, ...],
    rows: dict[str, set[tuple[str, ...]]],
) -> Iterator[str]:
    actions = list(dict.fromkeys(map(action_of, events)))
    yield "begin state"
    yield " ".join(f"{_word(semantics.cells[i])}:value" for i in shown)
    yield "end state"
    yield "begin edge"
    yield "action:action"
    yield "end edge"
    yield "begin init"
    yield " ".join(str(semantics.initial[i]) for i in shown)
    yield "end init"
    for event in events:
        if rows[event.name]:
            label = actions.index(action_of(event))
            yield "begin trans"
            yield from (f"{' '.join(row)} {label}" for row in sorted(rows[event.name]))
            yield "end trans"
    yield "begin sort action"
    yield from (f'"{_word(action)}"' for action in actions)
    yield "end sort"


def _arcs(semantics: Semantics) -> Iterator[tuple[State, str, State]]:
    """All steps between reachable states."""
    waiting, seen = [semantics.initial], {semantics.initial}
    while waiting:
        look()
        state = waiting.pop()
        if any(value < 0 for value in state):
            raise error("ETF has no negative numbers, and this model reaches some")
        for title, after in semantics.successors(state):
            yield state, title, after
            if after not in seen:
                seen.add(after)
                waiting.append(after)
                if len(seen) > MOST_STATES:
                    raise LimitReached(f"there are more than {MOST_STATES} states to be listed")


def _support(event: Event, cells: Sequence[str], shown: Sequence[int]) -> set[int]:
    """The cells that an event reads or writes."""
    roots: list[Node] = [*event.guard]
    for statement in event.body:
        assert isinstance(statement, Assign)
        roots += [statement.target, statement.value]
    names = {cell_name(v) for root in roots for v in nodes(root) if isinstance(v, Var)}
    return {i for i in shown if cells[i] in names}


def _word(name: str) -> str:
    """A name as one word of the format."""
    return "".join("_" if c.isspace() or c in '":' else c for c in name)


__all__ = ["print_model"]
