"""States as a person reads them: names, arrays cell by cell, queues as lists, locations by name.

A view knows the items of a model's state (`Item`: a scalar, an array cell, a queue) and says how
two states differ. Only the shape is needed, never the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.model.shape import Shape, State
from plait.model.types import ElementaryType
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One displayed thing: `width` fields a message for a queue, 0 for a plain cell."""

    name: str
    offset: int
    cells: int = 1
    width: int = 0
    locations: tuple[str, ...] = ()
    words: tuple[tuple[int, str], ...] = ()
    """Values that have a name."""

    def text(self, state: State) -> str:
        """Its value in that state."""
        if self.width:
            length = state[self.offset]
            messages = [
                state[start : start + self.width]
                for start in range(
                    self.offset + 1, self.offset + 1 + length * self.width, self.width
                )
            ]
            shown = (str(m[0]) if self.width == 1 else str(m) for m in messages)
            return f"[{', '.join(shown)}]"
        value = state[self.offset]
        for number, word in self.words:
            if number == value:
                return word
        return self.locations[value] if 0 <= value < len(self.locations) else str(value)


class StateView:
    """The items of a shape, in order; made once and shared by all states of a trace."""

    def __init__(self, shape: Shape) -> None:
        self.items = tuple(_items(shape))

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

    def changed(self, before: State, after: State) -> Iterator[Item]:
        """The items that differ."""
        for item in self.items:
            end = item.offset + item.cells
            if before[item.offset : end] != after[item.offset : end]:
                yield item

    def changes(self, before: State, after: State) -> list[str]:
        """`name: old → new` for each item that differs."""
        return [
            f"{item.name}: {item.text(before)} → {item.text(after)}"
            for item in self.changed(before, after)
        ]


def _value(item: Item, state: State) -> int | list[int]:
    if not item.width:
        return state[item.offset]
    used = state[item.offset] * item.width
    return list(state[item.offset + 1 : item.offset + 1 + used])


def _items(root: Shape) -> Iterator[Item]:
    stack = [("", root, 0)]
    while stack:
        prefix, shape, base = stack.pop()
        locations: dict[str | None, tuple[str, ...]] = {}
        words: dict[str, tuple[tuple[int, str], ...]] = {}
        if isinstance(shape.type, ElementaryType):
            locations = {p.pc: p.locations for p in shape.type.processes}
            if shape.type.plain is None:
                words = {v.name: v.words for v in shape.type.variables if v.words}
        for name, slot in shape.variables.items():
            start = base + slot.offset
            if slot.size is None:
                named = words.get(name, ())
                yield Item(prefix + name, start, locations=locations.get(name, ()), words=named)
            else:
                for i in range(slot.size):
                    yield Item(f"{prefix}{name}[{i}]", start + i)
        for name, channel in shape.channels.items():
            if channel.capacity:
                for i in range(1 if channel.size is None else channel.size):
                    title = name if channel.size is None else f"{name}[{i}]"
                    start = base + channel.offset + i * channel.stride
                    yield Item(prefix + title, start, channel.stride, len(channel.fields))
        stack.extend(
            (f"{prefix}{p.title}:", p.shape, base + p.offset) for p in reversed(shape.parts)
        )
