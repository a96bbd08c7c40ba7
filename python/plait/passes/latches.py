"""Latches: cells to which one constant is stored, known wherever it has been stored.

A process that another one starts gets its parameters and its first place in one event. From then on
the parameters that nobody assigns are constants, for the process moves only where it has begun; and
so is what the same event stores besides, such as the channels of an array of variables. Here a
*latch* is a cell whose every assignment stores the same constant, and a *place* a scalar to which
only constants are stored, such as a program counter. A latch is closed for a place when each event
that brings the place from its initial value to another closes the latch too. Where an event
requires another value than the initial one of the place, the latch has its constant.

Invariant: in every reachable state, at the beginning of an event, a place differs from its initial
value only if the latches that are closed for it have their constants. Once closed a latch stays so,
and the rule above is just what the induction needs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from plait.model.expr import FALSE, Const, Var
from plait.model.stmt import Assign, Bind, Call, Receive, Settle, Statement
from plait.model.types import ElementaryType, Event, Model
from plait.passes.folding import Folder
from plait.passes.places import equalities
from plait.passes.rewritten import Rewritten
from plait.passes.walk import map_body, map_expressions, statements
from plait.records import dataclass, replace

Cell = tuple[str, int | None]
"""A scalar (None), or a cell of an array."""


def fold_latches(model: Model) -> Rewritten:
    """The model with closed latches replaced by their constants."""
    types = tuple(_folded(t) if isinstance(t, ElementaryType) else t for t in model.types)
    if all(a is b for a, b in zip(types, model.types, strict=True)):
        return Rewritten(model)
    return Rewritten(replace(model, types=types))


def _folded(type_: ElementaryType) -> ElementaryType:
    stores = _Stores.of(type_)
    constants = stores.constants()
    left = _left(type_.events, stores)
    asked = set().union(*left)
    entering = _entering(type_.events, left, stores)
    closed = {place: stores.closed_by(entering.get(place, ())) for place in asked}
    sizes = {v.name: v.size.value if isinstance(v.size, Const) else None for v in type_.variables}
    folders: dict[frozenset[str], Folder | None] = {}
    events = []
    for event, places in zip(type_.events, left, strict=True):
        key = frozenset(places)
        if key not in folders:
            known = dict(constants)
            for place in key:
                known.update(closed[place])
            folders[key] = _folder(known, sizes) if known else None
        events.append(_event(event, folders[key]))
    if all(a is b for a, b in zip(events, type_.events, strict=True)):
        return type_
    return replace(type_, events=tuple(events))


@dataclass(frozen=True, slots=True)
class _Stores:
    """What is stored where: None when it is not always a constant at the top of a body."""

    initial: Mapping[Cell, int]
    values: Mapping[Cell, set[int] | None]

    @classmethod
    def of(cls, type_: ElementaryType) -> _Stores:
        """The stores of all events of a component."""
        initial: dict[Cell, int] = {}
        for variable in type_.variables:
            size = variable.size.value if isinstance(variable.size, Const) else 1
            given = [i.value if isinstance(i, Const) else 0 for i in variable.initial]
            cells = given or [0] * size
            for number, first in enumerate(cells):
                initial[variable.name, None if variable.size is None else number] = first
        values: dict[Cell, set[int] | None] = {cell: set() for cell in initial}
        spoiled: set[str] = set()
        for event in type_.events:
            top = {id(s) for s in event.body}
            for statement in statements(event.body):
                match statement:
                    case Assign(target=target, value=value):
                        cell = _cell(target)
                        if cell is None or not isinstance(value, Const) or id(statement) not in top:
                            spoiled.add(target.name)
                        elif (found := values.get(cell)) is not None:
                            found.add(value.value)
                    case Receive(patterns=patterns):
                        spoiled |= {p.target.name for p in patterns if isinstance(p, Bind)}
                    case _:
                        pass
        for cell in values:
            if cell[0] in spoiled:
                values[cell] = None
        return cls(initial, values)

    def places(self) -> list[str]:
        """Scalars that leave their initial value, by constants only."""
        return [name for (name, i), values in self.values.items() if i is None and values]

    def latches(self) -> dict[Cell, int]:
        """The cells to which one constant is stored."""
        single = ((cell, values) for cell, values in self.values.items() if values)
        return {cell: min(values) for cell, values in single if len(values) == 1}

    def constants(self) -> dict[Cell, int]:
        """The latches that are closed from the beginning."""
        return {c: value for c, value in self.latches().items() if value == self.initial[c]}

    def closed_by(self, entering: Iterable[Event]) -> dict[Cell, int]:
        """The latches that are closed wherever a place has been left, if it is by these events."""
        constants = self.constants()
        closed = self.latches()
        for event in entering:
            now = {_cell(s.target) for s in event.body if isinstance(s, Assign)}
            closed = {c: k for c, k in closed.items() if c in now or c in constants}
        return closed


def _entering(
    events: Sequence[Event], left: Sequence[Set[str]], stores: _Stores
) -> dict[str, list[Event]]:
    """For each place the events that may bring it from its initial value to another."""
    starts = {place: Const(stores.initial[place, None]) for place in stores.places()}
    found: dict[str, list[Event]] = {}
    for event, places in zip(events, left, strict=True):
        stored = [s for s in event.body if isinstance(s, Assign)]
        moved = {s.target.name for s in stored if s.value != starts.get(s.target.name, s.value)}
        for place in moved - places:
            found.setdefault(place, []).append(event)
    return found


def _left(events: Sequence[Event], stores: _Stores) -> list[Set[str]]:
    """The places that have been left when each event begins.

    An event that the component itself calls begins in the middle of its callers, where a place may
    have been left before its latches are closed; so only what the callers require counts there. A
    latch that was closed when they began still is.
    """
    callers: dict[str, list[int]] = defaultdict(list)
    for number, event in enumerate(events):
        for statement in statements(event.body):
            if isinstance(statement, Call | Settle):
                callers[statement.label].append(number)
    places = set(stores.places())
    found: list[Set[str]] = []
    called: list[tuple[int, list[int]]] = []
    for number, event in enumerate(events):
        if event.label is not None and event.label.name in callers:
            called.append((number, callers[event.label.name]))
            found.append(set())
            continue
        required = ((v, k) for v, k in equalities(event.guard) if v in places)
        found.append({v for v, k in required if k != stores.initial[v, None]})
    growing = True
    while growing:
        growing = False
        for number, sources in called:
            shared = set(found[sources[0]]).intersection(*(found[s] for s in sources))
            if len(shared) > len(found[number]):
                found[number] = shared
                growing = True
    return found


def _folder(known: Mapping[Cell, int], sizes: Mapping[str, int | None]) -> Folder:
    names = {name for name, _ in known}
    return Folder(
        sizes={name: size for name, size in sizes.items() if name in names},
        constants={name: value for (name, index), value in known.items() if index is None},
        cells={(name, index): value for (name, index), value in known.items() if index is not None},
    )


def _event(event: Event, folder: Folder | None) -> Event:
    """The event where the latches of the folder are closed."""
    if folder is None:
        return event
    # What requires a place to be left is what the constants follow from, and stays.
    premises = tuple(part for part in event.guard if any(equalities([part])))
    others = folder.guard(part for part in event.guard if not any(equalities([part])))
    if others is None:
        return replace(event, guard=(FALSE,), body=())
    guard = (*premises, *others)

    def change(statement: Statement) -> tuple[Statement, ...]:
        return (map_expressions(statement, folder.simplify, folder.target),)

    body = map_body(event.body, change)
    same = len(guard) == len(event.guard) and all(map(_same, guard, event.guard))
    if same and body is event.body:
        return event
    return replace(event, guard=guard, body=body)


def _same(a: object, b: object) -> bool:
    return a is b


def _cell(target: Var) -> Cell | None:
    if target.index is None:
        return target.name, None
    return (target.name, target.index.value) if isinstance(target.index, Const) else None
