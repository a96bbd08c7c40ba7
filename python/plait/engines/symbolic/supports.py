"""What the events of a flat model touch, and which of its cells belong together.

Variable orders are made of this (`orders`); nets that were read natively bring it with them.

- the *support* of each free event, called events included: cells that it tests and cells that it
  writes, with the constant that it adds where that is known. An array with a computed index stands
  for all its cells, a long one for some of them, evenly spaced;
- *groups* as hints: NUPN units, or the paths in the names of the cells (instances of a composite,
  processes of a program) and arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from plait.errors import Diagnostic
from plait.hints import TYPE_CHECKING
from plait.model.expr import And, Binary, Compare, Const, Formula, Var
from plait.model.net import Net, as_net
from plait.model.rewritten import flat_type
from plait.model.shape import Shape, shape_of
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Model, Units

if TYPE_CHECKING:
    from plait.passes.usage import Cell, Usage

Support = tuple[Sequence[int], Sequence[tuple[int, int | None]]]
"""The cells an event tests, and those it writes, with the constant it adds to them."""
Groups = tuple[list[int | None], list[int | None]]
"""The parent of each group, parents first; the innermost group of each cell."""
_SPREAD = 32
"""The cells that stand for an array whose index is computed."""
WIDE = 8
"""An event with more statements, each of which may touch other cells, is taken apart."""
_CALLS = 2_000_000
"""Called events looked at, over all events; beyond that supports are incomplete."""


def supports(flat: Model, net: Net | Diagnostic | None = None) -> Iterator[Support]:
    """The support of each free event of a flat model, in order; `net` is its net, if known."""
    net = as_net(flat) if net is None else net
    if isinstance(net, Net):
        yield from _net_supports(net)
    else:
        yield from _Supports(flat).free()


def _net_supports(net: Net) -> Iterator[Support]:
    for event in net.events:
        tests = [p for p, _ in (*event.pre, *event.inhibitor)]
        writes: list[tuple[int, int | None]] = [*event.change]
        writes.extend((p, None) for p in event.reset)
        yield tests, writes


class _Supports:
    """Supports of events that may call others."""

    def __init__(self, flat: Model) -> None:
        self._shape = shape_of(flat)
        self._events = flat_type(flat).events
        self._usage: dict[int, tuple[Event, Usage]] = {}
        """By the identity of an event, which is kept so that it stays its own."""
        self._labelled: dict[str, list[Event]] = {}
        for event in self._events:
            if event.label is not None:
                self._labelled.setdefault(event.label.name, []).append(event)
        self._calls = _CALLS

    def free(self) -> Iterator[Support]:
        for event in self._events:
            if event.label is not None:
                continue
            if len(event.body) <= WIDE:
                yield self._support(event)
            else:
                yield from map(self._support, _statements(event))

    def _support(self, event: Event) -> Support:
        tests: set[int] = set()
        writes: set[int] = set()
        for used in self._executed(event):
            usage = self._usage_of(used)
            tests.update(self._cells(usage.read, usage.read_somewhere))
            writes.update(self._cells(usage.written, usage.written_somewhere))
        changes = {} if self._usage_of(event).called else self._changes(event)
        return sorted(tests), [(cell, changes.get(cell)) for cell in sorted(writes)]

    def _executed(self, event: Event) -> Iterator[Event]:
        """The event and all that it may call."""
        seen: set[str] = set()
        waiting = [event]
        while waiting:
            one = waiting.pop()
            yield one
            for label in self._usage_of(one).called - seen:
                seen.add(label)
                answering = self._labelled.get(label, [])
                if self._calls > 0:
                    self._calls -= len(answering)
                    waiting.extend(answering)

    def _usage_of(self, event: Event) -> Usage:
        from plait.passes.usage import usage_of  # nets need no pass

        known = self._usage.get(id(event))
        if known is None:
            known = self._usage[id(event)] = (event, usage_of(event))
        return known[1]

    def _cells(self, cells: Iterable[Cell], somewhere: Iterable[str]) -> Iterator[int]:
        variables = self._shape.variables
        for name, index in cells:
            slot = variables[name]
            if index is None or 0 <= index < (slot.size or 0):
                yield slot.offset + (index or 0)
        for name in somewhere:
            found = variables[name].cells
            yield from found[:: max(1, len(found) // _SPREAD)]

    def _changes(self, event: Event) -> dict[int, int]:
        """The constants that an event adds to cells that it assigns once."""
        before = {cell: value for f in event.guard for cell, value in self._fixed(f)}
        changes: dict[int, int] = {}
        assigned: set[int] = set()
        for statement in event.body:
            if not isinstance(statement, Assign):
                return {}
            cell = self._cell(statement.target)
            if cell is None or cell in assigned:
                return {}
            assigned.add(cell)
            match statement.value:
                case Binary(op="+" | "-" as op, left=Var() as source, right=Const(value=amount)):
                    if self._cell(source) == cell:
                        changes[cell] = amount if op == "+" else -amount
                case Const(value=value) if cell in before:
                    changes[cell] = value - before[cell]
        return {cell: d for cell, d in changes.items() if -(2**31) <= d < 2**31}

    def _fixed(self, guard: Formula) -> Iterator[tuple[int, int]]:
        """The cells that a guard compares with a constant for equality, and the constants."""
        parts = guard.operands if isinstance(guard, And) else (guard,)
        for part in parts:
            match part:
                case Compare(op="==", left=Var() as var, right=Const(value=value)):
                    cell = self._cell(var)
                    if cell is not None:
                        yield cell, value

    def _cell(self, var: Var) -> int | None:
        slot = self._shape.variables[var.name]
        if var.index is None:
            return slot.offset
        if isinstance(var.index, Const) and 0 <= var.index.value < (slot.size or 0):
            return slot.offset + var.index.value
        return None


def _statements(event: Event) -> Iterator[Event]:
    """Each condition and each statement of an event by itself.

    A synchronous step touches all there is, which says nothing about an order; that one variable
    gets its value from two others says much.
    """
    yield from (Event(event.name, guard=(condition,)) for condition in event.guard)
    yield from (Event(event.name, body=(statement,)) for statement in event.body)


# --- groups ---------------------------------------------------------------------------------------


def groups_of(system: ElementaryType, shape: Shape) -> Groups:
    """The groups of the cells of a flat type."""
    if system.units is None:
        return _path_groups(shape)
    offsets = {name: slot.offset for name, slot in shape.variables.items()}
    return _unit_groups(system.units, offsets, shape.width)


def _unit_groups(units: Units, offsets: Mapping[str, int], width: int) -> Groups:
    """The units of a net whose places are these cells, of so many."""
    named = {unit.name: unit for unit in units.units}
    parents: list[int | None] = []
    members: list[int | None] = [None] * width
    stack: list[tuple[str, int | None]] = [(units.root, None)]
    while stack:
        name, parent = stack.pop()
        if name not in named:
            continue
        unit, number = named.pop(name), len(parents)
        parents.append(parent)
        for place in unit.places:
            if place in offsets:
                members[offsets[place]] = number
        stack.extend((below, number) for below in reversed(unit.units))
    return parents, members


def _path_groups(shape: Shape) -> Groups:
    """Groups by the parts of names before a dot or a colon; an array is a group too."""
    parents: list[int | None] = []
    members: list[int | None] = [None] * shape.width
    known: dict[str, int] = {}

    def group(prefix: str, parent: int | None) -> int:
        if prefix not in known:
            known[prefix] = len(parents)
            parents.append(parent)
        return known[prefix]

    paths = {name: _prefixes(name) for name in shape.variables}
    above = {prefix for prefixes in paths.values() for prefix in prefixes}
    for name, slot in shape.variables.items():
        parent = None
        for prefix in paths[name]:
            parent = group(prefix, parent)
        # The program counter of a process has its name.
        if name in above or slot.size is not None:
            parent = group(name, parent)
        for cell in range(slot.offset, slot.offset + (1 if slot.size is None else slot.size)):
            members[cell] = parent
    return parents, members


def _prefixes(name: str) -> list[str]:
    """`a.b:c` gives `a` and `a.b`; the deepest paths are cut, since names may be long."""
    ends = [i for i, c in enumerate(name) if c in ".:" and i]
    return [name[:end] for end in ends[:16]]


__all__ = ["Groups", "Support", "groups_of", "supports"]
