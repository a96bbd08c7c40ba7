"""CAMI, the format of CPN-AMI's nets (`.cami`), as far as they are place/transition nets.

(Kordon and Paviot-Adet: "Using CPN-AMI to validate a safe channel protocol", 1999.) A file is a
list of commands. A text in one is preceded by its length, so that it may hold any character:

    CN(5:place,3)                     a node: its kind and its number
    CA(3:arc,7,3,4)                   an arc: its kind, its number, from where and where to
    CT(4:name,3,4:idle)               what is said of a node or an arc
    CM(4:name,3,1,1,4:idle)           the same, one line of several

Places have a name, a marking, a capacity and a component (the places of one are a module), arcs a
valuation; the valuation `#` empties the place. Kinds of arcs are `arc` and `inhibitor arc`. `DB()`
and `FB()` stand at the beginning and the end, and positions on a page (`PO`, `PI`, `PT`) are passed
over. Nodes without a name are called after their kind and number, and a name that comes again has
the number after it. Coloured nets, priorities and queues are refused.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

from plait.errors import InputError, Source, Span, error
from plait.lang.files import read_text
from plait.lang.net_pieces import NetPieces
from plait.model.arithmetic import INT_MAX
from plait.model.types import Model
from plait.records import dataclass, field

_COMMAND = re.compile(r"\s*+(?:(?://|--)[^\n]*+\s*+)*+(?:(?P<command>[A-Z]{2})\(|(?P<bad>.))")
_ARGUMENT = re.compile(r"\s*+(?:(?P<number>-?[0-9]{1,18})\s*+(?P<text>:)?|(?P<end>\)))")
_AFTER = re.compile(r"\s*+([,)])")
_PASSED_OVER = ("PO", "PI", "PT", "DB", "FB", "DE", "FE")
_HARMLESS = {
    "name": None,
    "marking": None,
    "capacity": None,
    "component": None,
    "valuation": None,
    **dict.fromkeys(("declaration", "author(s)", "version", "title", "project", "date", "code")),
    **dict.fromkeys(("note", "comment", "action", "delay", "weight")),
    "domain": ("", "null", "void"),
    "guard": ("", "true"),
    "priority": ("", "0"),
}
"""What may be said of nodes and arcs; of some only values that say nothing."""


@dataclass(frozen=True, slots=True)
class _Command:
    """A command: its arguments, numbers and texts, and where each of them begins."""

    name: str
    start: int
    values: list[int | str]
    starts: list[int]


@dataclass(slots=True, eq=False)
class _Item:
    """A node or an arc, and what is said of it, each line with its place."""

    kind: str
    number: int
    start: int
    ends: tuple[int, int] = (0, 0)
    said: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def text(self, attribute: str) -> str:
        """All lines of an attribute, without the space around them."""
        return "\n".join(line for line, _ in self.said.get(attribute, ())).strip()

    def where(self, attribute: str) -> int:
        """Where an attribute that is there stands."""
        return self.said[attribute][0][1]


def load(path: Path) -> Model:
    """The net in a file, named after the file."""
    return parse(read_text(path), path.stem, Source(str(path), path=path))


def parse(text: str, name: str = "net", source: Source | None = None) -> Model:
    """The net that a text describes; a located `InputError` when it does not."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _Reader(source or Source(name, text), text).model(name)


class _Reader:
    def __init__(self, source: Source, text: str) -> None:
        self._source, self._text = source, text
        self._line_ends = [m.start() for m in re.finditer("\n", text)]
        self._items: dict[int, _Item] = {}

    def model(self, name: str) -> Model:
        for command in self._commands():
            if command.name == "CN":
                self._add(_Item(self._word(command, 0), self._number(command, 1), command.start))
            elif command.name == "CA":
                kind, number = self._word(command, 0), self._number(command, 1)
                ends = self._number(command, 2), self._number(command, 3)
                self._add(_Item(kind, number, command.start, ends))
            elif command.name in ("CT", "CM"):
                self._say(command, 2 if command.name == "CT" else 4)
        return self._net(name).model()

    # --- commands ---------------------------------------------------------------------------------

    def _commands(self) -> Iterator[_Command]:
        at, end = 0, len(self._text.rstrip())
        while at < end:
            found = _COMMAND.match(self._text, at)
            if found is None:
                return  # only a comment is left
            if found["command"] is None:
                raise self._error(found.start("bad"), "expected a command such as CN(5:place,3)")
            command = _Command(found["command"], found.start("command"), [], [])
            at = self._arguments(command, found.end())
            if command.name in ("CN", "CA", "CT", "CM"):
                yield command
            elif command.name not in _PASSED_OVER:
                raise self._error(command.start, f"the command '{command.name}' is not known here")

    def _arguments(self, command: _Command, at: int) -> int:
        """Read them; the end of the command."""
        while True:
            found = _ARGUMENT.match(self._text, at)
            if found is None:
                raise self._error(at, "expected a number, or the length of a text and ':'")
            if found["end"]:
                return found.end()
            at, number = found.end(), int(found["number"])
            command.starts.append(found.start("number"))
            if found["text"]:
                if not 0 <= number <= len(self._text) - at:
                    raise self._error(found.start("number"), "the text is shorter than that")
                command.values.append(self._text[at : at + number])
                at += number
            else:
                command.values.append(number)
            after = _AFTER.match(self._text, at)
            if after is None:
                raise self._error(at, "expected ',' or ')'", "is the length of the text right?")
            at = after.end()
            if after[1] == ")":
                return at

    def _word(self, command: _Command, index: int) -> str:
        value = self._value(command, index)
        if isinstance(value, int):
            raise self._error(command.starts[index], "expected a text with its length before it")
        return value

    def _number(self, command: _Command, index: int) -> int:
        value = self._value(command, index)
        if isinstance(value, str):
            raise self._error(command.starts[index], "expected a number")
        return value

    def _value(self, command: _Command, index: int) -> int | str:
        if index >= len(command.values):
            raise self._error(command.start, f"'{command.name}' needs more than that")
        return command.values[index]

    # --- nodes, arcs, and what is said of them ----------------------------------------------------

    def _add(self, item: _Item) -> None:
        if item.number in self._items:
            raise self._error(item.start, f"the number {item.number} has been given before")
        self._items[item.number] = item

    def _say(self, command: _Command, index: int) -> None:
        attribute, number = self._word(command, 0), self._number(command, 1)
        line, start = self._word(command, index), command.starts[index]
        item = self._items.get(number)
        if item is None:
            raise self._error(command.starts[1], f"nothing has the number {number}")
        if attribute not in _HARMLESS:
            raise self._error(command.starts[0], f"the attribute '{attribute}' is not known here")
        harmless = _HARMLESS[attribute]
        if harmless is not None and line.strip().lower() not in harmless:
            told = f"a {attribute} is not read: only nets without colours and priorities are"
            raise self._error(start, told)
        item.said.setdefault(attribute, []).append((line, start))

    def _net(self, name: str) -> NetPieces:
        net = NetPieces(name)
        places: dict[int, int] = {}
        events: dict[int, int] = {}
        taken: set[str] = set()
        for item in self._items.values():
            span = self._span(item.start)
            if item.kind == "place":
                title = _name(item, taken)
                initial = self._amount(item, "marking", 0)
                capacity = self._amount(item, "capacity", 0) or None
                places[item.number] = net.place(title, span, initial, capacity)
                if item.text("component"):
                    net.module(item.text("component"), title)
            elif item.kind in ("transition", "immediate transition"):
                events[item.number] = net.event(_name(item, taken), span)
            elif item.kind not in ("net", "arc", "inhibitor arc"):
                raise self._error(item.start, f"nodes of the kind '{item.kind}' are not read")
        for item in self._items.values():
            if item.kind in ("arc", "inhibitor arc"):
                self._arc(net, item, places, events)
        return net

    def _arc(
        self, net: NetPieces, item: _Item, places: dict[int, int], events: dict[int, int]
    ) -> None:
        span, (source, target) = self._span(item.start), item.ends
        incoming = source in places and target in events
        if not incoming and not (source in events and target in places):
            raise self._error(item.start, "an arc is between a place and a transition")
        place = places[source if incoming else target]
        event = events[target if incoming else source]
        if item.kind == "arc" and item.text("valuation") == "#":
            if not incoming:
                raise self._error(item.start, "only an arc to a transition empties a place")
            net.reset(event, place, span)
            return
        weight = self._amount(item, "valuation", 1)
        if item.kind == "inhibitor arc":
            net.inhibit(event, place, weight, span)
        elif incoming:
            net.take(event, place, weight, span)
        else:
            net.put(event, place, weight, span)

    def _amount(self, item: _Item, attribute: str, otherwise: int) -> int:
        text = item.text(attribute)
        if not text:
            return otherwise
        digits = text.isascii() and text.isdigit() and len(text) < 30
        if not digits or int(text) > INT_MAX:
            raise self._error(item.where(attribute), f"the {attribute} is not a number of tokens")
        return int(text)

    # --- places in the text -----------------------------------------------------------------------

    def _span(self, start: int) -> Span:
        line = bisect_left(self._line_ends, start)
        begin = self._line_ends[line - 1] + 1 if line else 0
        return Span(self._source, line + 1, start - begin + 1)

    def _error(self, start: int, message: str, hint: str | None = None) -> InputError:
        return error(message, self._span(start), hint)


def _name(item: _Item, taken: set[str]) -> str:
    """The name of a node; it is taken from now on."""
    name = item.text("name") or f"{item.kind.split()[-1]}{item.number}"
    while name in taken:
        name = f"{name}_{item.number}"
    taken.add(name)
    return name


__all__ = ["load", "parse"]
