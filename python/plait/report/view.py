"""States as a person reads them: names, arrays cell by cell, queues as lists, locations by name.

A view knows the items of a model's state (`Item`: a scalar, an array cell, a queue) and says how
two states differ. Only the shape is needed, never the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from plait.model.expr import Compare, Const, Formula, IntExpr, Poll, Var
from plait.model.node import Node, rewrite
from plait.model.shape import Shape, State
from plait.model.types import ElementaryType
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Item:
    """One displayed thing: `width` fields a message for a queue, 0 for a plain cell."""

    name: str
    offset: int
    cells: int = 1
    width: int = 0
    names: Mapping[int, str] | None = None
    """The names of values that have one: locations, words of an enumeration."""
    fields: tuple[Mapping[int, str], ...] = ()
    """The same for the fields of a queue's messages; nothing where none has names."""
    process: str = ""
    """The process whose location it is, if it is one."""
    by_lines: bool = False
    """... and this is a line of its text."""

    def text(self, state: State) -> str:
        """Its value in that state."""
        if self.width:
            return f"[{', '.join(self.messages(state))}]"
        return str(_named(state[self.offset], self.names))

    def messages(self, state: State) -> list[str]:
        """The messages that a queue holds."""
        first, end = self.offset + 1, self.offset + 1 + state[self.offset] * self.width
        return [self._message(state[at : at + self.width]) for at in range(first, end, self.width)]

    def _message(self, values: State) -> str:
        names = self.fields or ({},) * self.width
        shown = [str(_named(v, n)) for v, n in zip(values, names, strict=True)]
        return shown[0] if self.width == 1 else f"({', '.join(shown)})"


class StateView:
    """The items of a shape, in order; made once and shared by all states of a trace."""

    def __init__(self, shape: Shape) -> None:
        self.items = tuple(_items(shape))
        self.hidden = _hidden(shape)
        """Variables that nobody wrote."""
        self.places = frozenset(item.name for item in self.items if item.by_lines)
        """The places of processes in their texts."""
        self.queues = {item.name: item for item in self.items if item.width}
        """The queues."""
        self.names = {item.name: item.names for item in self.items if item.names}
        """The items whose values have names, with these."""
        self.fields = {item.name: item.fields for item in self.items if any(item.fields)}
        """The same for the fields of messages."""
        self.titles = {name: slot.title for name, slot in shape.variables.items() if slot.nested}
        """What people call the cells of structures in arrays."""

    def full(self, state: State) -> dict[str, str]:
        """Every item with its value."""
        return {item.name: item.text(state) for item in self.items}

    def values(
        self, state: State, items: Iterable[Item] | None = None
    ) -> dict[str, int | list[int]]:
        """The items (all of them by default) with their values as data: a number, or for a queue
        the fields of its messages one after the other."""
        chosen = self.items if items is None else items
        return {item.name: _value(item, state) for item in chosen}

    def chosen(self, name: str) -> list[Item]:
        """The items that a name means: one, the cells of an array, all of a part or a process.

        `processes` stands for the locations of all processes, and a process for its own.
        """
        if name == "processes":
            return [item for item in self.items if item.process]
        whole = (f"{name}[", f"{name}:")
        return [
            item
            for item in self.items
            if name in (item.name, item.process) or item.name.startswith(whole)
        ]

    def changed(self, before: State, after: State) -> Iterator[Item]:
        """The items that differ."""
        for item in self.items:
            end = item.offset + item.cells
            if before[item.offset : end] != after[item.offset : end]:
                yield item

    def changes(self, before: State, after: State) -> list[str]:
        """`name: old → new` for each item that differs."""
        return [_change(item, before, after) for item in self.changed(before, after)]

    def news(self, before: State, after: State) -> list[str]:
        """The changes that a person wants to hear of beside the statement that was executed.

        Where a process is in its text is no news, but that it starts is.
        """
        found = [
            f"{item.process} starts" if item.by_lines else _change(item, before, after)
            for item in self.changed(before, after)
            if not item.by_lines or not before[item.offset]
        ]
        moved = any(item.by_lines for item in self.changed(before, after))
        return found or ([] if moved else ["nothing changes"])

    def named(self, name: str, value: int) -> int:
        """The value of an item, to be shown as its name where it has one."""
        return _named(value, self.names.get(name))

    def with_names(self, formula: Formula, items: Iterable[str] | None = None) -> Formula:
        """The formula with values shown as their names, where it compares an item with a number, or
        asks for a message.

        Inside a component a variable has a short name; `items` are then the full names of those it
        may be, and numbers stay where their names are different.
        """
        if not self.names and not self.fields and not self.titles:
            return formula
        known: dict[str, Mapping[int, str] | None] = {}
        for name in self.names if items is None else items:
            short, names = name.rpartition(":")[2], self.names.get(name)
            known[short] = names if known.get(short, names) == names else None

        def value(item: IntExpr, number: IntExpr) -> IntExpr:
            if not isinstance(item, Var) or not isinstance(number, Const):
                return number
            cell = item.name if item.index is None else f"{item.name}[0]"  # all have the same
            return Const(_named(number.value, known.get(cell)))

        def change(node: Node) -> Node:
            match node:
                case Var(name=name, index=Const(value=cell)) if name in self.titles:
                    return Var(self.titles[name](name, cell), span=node.span)
                case Compare(op=op, left=left, right=right):
                    return Compare(op, value(right, left), value(left, right), span=node.span)
                case Poll(channel=channel, patterns=patterns) if channel.name in self.fields:
                    words = zip(patterns, self.fields[channel.name], strict=True)
                    shown = (
                        Const(_named(p.value, w)) if isinstance(p, Const) else p for p, w in words
                    )
                    return replace(node, patterns=tuple(shown))
            return node

        result = rewrite(formula, change)
        assert isinstance(result, Formula)
        return result


def _change(item: Item, before: State, after: State) -> str:
    return f"{item.name}: {item.text(before)} → {item.text(after)}"


class Named(int):
    """A number that is shown as a name."""

    name: str

    def __new__(cls, value: int, name: str) -> Named:
        """The number `value`, shown as `name`."""
        number = super().__new__(cls, value)
        number.name = name
        return number

    def __str__(self) -> str:
        return self.name


def _named(value: int, names: Mapping[int, str] | None) -> int:
    name = None if names is None else names.get(value)
    return value if name is None else Named(value, name)


def _value(item: Item, state: State) -> int | list[int]:
    if not item.width:
        return state[item.offset]
    used = state[item.offset] * item.width
    return list(state[item.offset + 1 : item.offset + 1 + used])


def _hidden(shape: Shape) -> frozenset[str]:
    type_ = shape.type
    if not isinstance(type_, ElementaryType) or type_.plain is not None:
        return frozenset()
    return frozenset(v.name for v in type_.variables if v.hidden)


def _items(root: Shape) -> Iterator[Item]:
    stack = [("", root, 0)]
    while stack:
        prefix, shape, base = stack.pop()
        names: dict[str | None, dict[int, str]] = {}
        fields: dict[str, tuple[dict[int, str], ...]] = {}
        counters: dict[str | None, str] = {}
        by_lines: set[str | None] = set()
        if isinstance(shape.type, ElementaryType):
            at = prefix.replace(":", ".")
            counters = {p.pc: at + p.name for p in shape.type.processes}
            names = {p.pc: dict(enumerate(p.locations)) for p in shape.type.processes}
            by_lines = {p.pc for p in shape.type.processes if p.by_lines}
            if shape.type.plain is None:
                names |= {v.name: dict(v.words) for v in shape.type.variables if v.words}
                fields = {c.name: tuple(map(dict, c.words)) for c in shape.type.channels}
        hidden = _hidden(shape)
        for name, slot in shape.variables.items():
            if name in hidden:
                continue
            start = base + slot.offset
            if slot.size is None:
                process, lines = counters.get(name, ""), name in by_lines
                yield Item(prefix + name, start, 1, 0, names.get(name), (), process, lines)
            else:
                for i in range(slot.size):
                    title = prefix + slot.title(name, i)
                    yield Item(title, start + i, names=names.get(name))
        for name, channel in shape.channels.items():
            if channel.capacity:
                for i in range(1 if channel.size is None else channel.size):
                    title = name if channel.size is None else f"{name}[{i}]"
                    start = base + channel.offset + i * channel.stride
                    width, words = len(channel.fields), fields.get(name, ())
                    yield Item(prefix + title, start, channel.stride, width, fields=words)
        stack.extend(
            (f"{prefix}{p.title}:", p.shape, base + p.offset) for p in reversed(shape.parts)
        )
