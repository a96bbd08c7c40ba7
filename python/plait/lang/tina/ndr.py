"""The graphical format of Tina's nets (`.ndr`): places, transitions and arcs with where they stand.

    p X Y NAME TOKENS ANCHOR [LABEL ANCHOR]
    t X Y NAME [ANCHOR] EARLIEST LATEST ANCHOR [LABEL ANCHOR]
    e NODE [ANGLE RADIUS] NODE [ANGLE RADIUS] WEIGHT ANCHOR
    pr NAME > NAME          h NAME          n, a notes and annotations

Coordinates, anchors and colours are passed over. An interval may have strict ends (`-` before the
number, or `]`, `[` beside it); weights are those of the textual format. An edge from a transition
to another gives the first one priority.
"""

from __future__ import annotations

import re

from plait.errors import Source, Span, error
from plait.lang.tina.net import STOPWATCH
from plait.lang.tina.words import POWERS
from plait.time.gather import Gather
from plait.time.net import ArcKind

_FIELD = re.compile(r"\s*(\{(?:[^{}\\]|\\.)*\}|\S+)")
_WEIGHT = re.compile(r"(\?-|\?|!-|!)?([0-9]+)([KMGTPE]?)")
_BOUND = re.compile(r"([\[\]-]?)([0-9]{1,30}|w)([\[\]]?)")
_ANCHORS = frozenset(["n", "nw", "w", "sw", "s", "se", "e", "ne", "c"])
KEYWORDS = frozenset(("p", "t", "e", "h", "n", "a", "pr", "nt"))


def read_ndr(source: Source, text: str, net: Gather) -> None:
    """Add what a text describes to a net."""
    lines = [_Line(source, number, line) for number, line in enumerate(text.split("\n"), start=1)]
    for line in lines:
        if line.fields[:1] == ["p"]:
            net.place(line.name(3), line.span(3), line.number(4))
            if len(line.fields) > 6:
                net.label_place(line.name(3), line.name(6))
        elif line.fields[:1] == ["t"]:
            _transition(net, line)
        elif line.fields[:1] == ["h"]:
            net.name = line.name(1)
        elif line.fields and line.fields[0][0] != "#" and line.fields[0] not in KEYWORDS:
            raise error(f"'{line.fields[0]}' begins nothing that is known here", line.span(0))
    for line in lines:
        if line.fields[:1] == ["e"]:
            _arc(net, line)
        elif line.fields[:1] == ["pr"]:
            high, low = (1, 3) if line.text(2) == ">" else (3, 1)
            for at in (high, low):
                if not net.is_event(line.name(at)):
                    raise error(f"'{line.name(at)}' is not a transition", line.span(at))
            net.priority(line.name(high), line.name(low))


def _transition(net: Gather, line: _Line) -> None:
    event = line.name(3)
    net.event(event, line.span(3))
    at = 5 if line.text(4) in _ANCHORS else 4
    low, high = _BOUND.fullmatch(line.text(at)), _BOUND.fullmatch(line.text(at + 1))
    if low is None or low[2] == "w" or high is None:
        raise error("expected the earliest and the latest time", line.span(at))
    strict = (low[1] in ("]", "-"), (high[1] == "-" or high[3] == "[") and high[2] != "w")
    latest = None if high[2] == "w" else int(high[2])
    interval = net.interval(int(low[2]), latest, strict, line.span(at))
    label = line.name(at + 3) if len(line.fields) > at + 4 else None
    net.describe(event, interval, label)


def _arc(net: Gather, line: _Line) -> None:
    at = [1, 2 if _is_node(net, line, 2) else 4]
    one, other = (line.name(i) for i in at)
    rest = at[1] + 1 if len(line.fields) <= at[1] + 3 else at[1] + 3
    weight = _WEIGHT.fullmatch(line.text(rest))
    if weight is None or len(weight[2]) > 30:
        raise error("expected the weight of an arc", line.span(rest))
    if (weight[1] or "").startswith("!"):
        raise error(STOPWATCH, line.span(rest))
    if net.is_event(one) and net.is_event(other):
        net.priority(one, other)
        return
    incoming = net.is_place(one)
    event, place = (other, one) if incoming else (one, other)
    if not net.is_event(event) or not net.is_place(place):
        raise error("an arc is between a place and a transition", line.span(1))
    kinds: dict[str, ArcKind] = {"?": "test", "?-": "inhibitor", "": "in" if incoming else "out"}
    if weight[1] and not incoming:
        raise error("only arcs to a transition can test", line.span(rest))
    amount = int(weight[2]) * POWERS.get(weight[3], 1)
    number = net.place(place, line.span(1))
    net.arc(event, kinds[weight[1] or ""], number, amount, line.span(rest))


def _is_node(net: Gather, line: _Line, at: int) -> bool:
    name = line.name(at)
    return net.is_place(name) or net.is_event(name)


class _Line:
    """The fields of a line."""

    def __init__(self, source: Source, number: int, text: str) -> None:
        self._source = source
        self._number = number
        found = list(_FIELD.finditer(text))
        self.fields = [field[1] for field in found]
        self._columns = [field.start(1) + 1 for field in found]

    def span(self, at: int) -> Span:
        at = min(at, len(self.fields) - 1)
        return Span(self._source, self._number, self._columns[at], len(self.fields[at]))

    def text(self, at: int) -> str:
        if at >= len(self.fields):
            raise error("the line ends too early", self.span(at))
        return self.fields[at]

    def name(self, at: int) -> str:
        text = self.text(at)
        return re.sub(r"\\(.)", r"\1", text[1:-1]) if text.startswith("{") else text

    def number(self, at: int) -> int:
        found = _WEIGHT.fullmatch(self.text(at))
        if found is None or found[1] or len(found[2]) > 30:
            raise error("expected a number of tokens", self.span(at))
        return int(found[2]) * POWERS.get(found[3], 1)


__all__ = ["KEYWORDS", "read_ndr"]
