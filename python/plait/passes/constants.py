"""Cells that never change: which they are, and the model without them.

A scalar that no event assigns is a constant. So is a cell of an array to which no event assigns,
unless an event assigns to the array with a computed index. An array from which something reads
with a computed index stays as a whole; one that is only ever accessed with constant indexes is
split into scalars when some of its cells are constant, and those go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait.hints import cast
from plait.model.expr import Const, Formula, IntExpr, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, rewrite
from plait.model.shape import Shape, State
from plait.model.stmt import Statement
from plait.model.types import ElementaryType, Event, Property, Variable
from plait.passes.rewritten import Lift, restoring
from plait.passes.usage import Cell, Usage
from plait.passes.walk import map_body, map_expressions
from plait.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Constants:
    """The values that never change."""

    scalars: dict[str, int] = field(default_factory=dict)
    cells: dict[tuple[str, int], int] = field(default_factory=dict)
    arrays: frozenset[str] = frozenset()
    """Arrays accessed with constant indexes only; their constant cells can go."""


def constants_of(shape: Shape, initial: State, used: Iterable[Usage], asked: Usage) -> Constants:
    """The constants of a flat model; `asked` is what its properties read."""
    written: set[Cell] = set()
    read: set[Cell] = set(asked.read)
    spoiled: set[str] = set()
    looked_up: set[str] = set(asked.read_somewhere)
    for u in used:
        written |= u.written
        read |= u.read
        spoiled |= u.written_somewhere
        looked_up |= u.read_somewhere
    scalars: dict[str, int] = {}
    arrays: set[str] = set()
    for name, slot in shape.variables.items():
        if slot.size is None:
            if (name, None) not in written:
                scalars[name] = initial[slot.offset]
        elif name not in spoiled and name not in looked_up:
            arrays.add(name)
    for name, index in written:
        # An assignment outside its array stays, so that it is counted; so must the array.
        size = shape.variables[name].size
        if index is not None and size is not None and not 0 <= index < size:
            arrays.discard(name)
    cells: dict[tuple[str, int], int] = {}
    for name, index in read:
        if index is not None and name not in spoiled and (name, index) not in written:
            slot = shape.variables[name]
            if slot.size is not None and 0 <= index < slot.size:
                cells[name, index] = initial[slot.offset + index]
    return Constants(scalars, cells, frozenset(arrays))


@dataclass(frozen=True, slots=True)
class Removal:
    """A flat type without its constant cells, and the way back."""

    type: ElementaryType
    properties: tuple[Property, ...]
    lift: Lift


def remove(
    type_: ElementaryType,
    properties: tuple[Property, ...],
    shape: Shape,
    constants: Constants,
    written: set[Cell],
) -> Removal:
    """Take constant cells out of the variables; no expression reads them any more."""
    initial = shape.initial()
    names = FreshNames(v.name for v in type_.variables)
    kept: list[int] = []
    variables: list[Variable] = []
    split: dict[str, dict[int, str]] = {}
    for v in type_.variables:
        slot = shape.variables[v.name]
        if slot.size is None:
            if v.name not in constants.scalars:
                variables.append(v)
                kept.append(slot.offset)
            continue
        cells = [i for i in range(slot.size) if (v.name, i) in written]
        if v.name in constants.arrays and len(cells) < slot.size:
            split[v.name] = {i: names.fresh(f"{v.name}.{i}") for i in cells}
            variables.extend(_scalar(v, split[v.name][i], initial[slot.offset + i]) for i in cells)
            kept.extend(slot.offset + i for i in cells)
        elif slot.size or v.name not in constants.arrays:
            variables.append(v)
            kept.extend(range(slot.offset, slot.offset + slot.size))
    if len(variables) == len(type_.variables) and not split:
        return Removal(type_, properties, restoring(initial, tuple(kept)))
    renaming = _Splitter(split)
    remaining = {v.name for v in variables}
    new = replace(
        type_,
        variables=tuple(variables),
        events=renaming.events(type_.events),
        processes=tuple(
            replace(p, pc=None) if p.pc is not None and p.pc not in remaining else p
            for p in type_.processes
        ),
        units=None if type_.units is None else type_.units.of(remaining),
    )
    return Removal(new, renaming.properties(properties), restoring(initial, tuple(kept)))


def _scalar(array: Variable, name: str, value: int) -> Variable:
    return replace(array, name=name, initial=(Const(value),), size=None)


class _Splitter:
    """Renames the cells of arrays that were split."""

    def __init__(self, split: dict[str, dict[int, str]]) -> None:
        self.split = split

    def events(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """The events over the new names."""
        return tuple(map(self._event, events)) if self.split else tuple(events)

    def properties(self, properties: tuple[Property, ...]) -> tuple[Property, ...]:
        """The properties over the new names."""
        if not self.split:
            return properties
        return tuple(
            p if p.body is None else replace(p, body=cast(Formula | IntExpr, self._node(p.body)))
            for p in properties
        )

    def _event(self, event: Event) -> Event:
        guard = tuple(cast(Formula, self._node(g)) for g in event.guard)
        body = map_body(event.body, self._statement)
        if body is event.body and all(a is b for a, b in zip(guard, event.guard, strict=True)):
            return event
        return replace(event, guard=guard, body=body)

    def _statement(self, statement: Statement) -> tuple[Statement, ...]:
        return (map_expressions(statement, self._node, self._node),)

    def _node(self, node: Node) -> Node:
        return rewrite(node, self._change)

    def _change(self, node: Node) -> Node:
        if isinstance(node, Var) and isinstance(node.index, Const) and node.name in self.split:
            cells = self.split[node.name]
            if node.index.value in cells:
                return Var(cells[node.index.value], span=node.span)
        return node
