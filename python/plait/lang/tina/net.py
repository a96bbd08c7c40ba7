"""The textual format of Tina's nets (`.net`).

    net NAME
    tr NAME [: LABEL] [INTERVAL] [PLACE ARC ... -> PLACE ARC ...]
    pl NAME [: LABEL] [(TOKENS)] [EVENT ARC ... -> EVENT ARC ...]
    lb NAME LABEL
    pr NAME ... > NAME ...          or with <
    nt NAME 0|1 TEXT

An arc is nothing, or `*n` (n tokens), `?n` (asks for them without taking any), `?-n` (asks for
fewer). Stopwatch arcs (`!n`) are refused: they stop clocks, for which an encoding with steps of one
unit is not exact.
"""

from __future__ import annotations

from plait.errors import Source, error
from plait.lang.tina.words import Words, described
from plait.time.gather import Gather
from plait.time.net import ArcKind, Interval

KEYWORDS = frozenset(("net", "tr", "pl", "lb", "pr", "nt"))
STOPWATCH = "stopwatch arcs are not read: discrete time is not exact where clocks stop"


def read_net(source: Source, text: str, net: Gather) -> None:
    """Add what a text describes to a net."""
    _Reader(net).read(described(source, text, KEYWORDS))


class _Reader:
    def __init__(self, net: Gather) -> None:
        self._net = net
        self._late: list[Words] = []

    def read(self, descriptions: list[Words]) -> None:
        for words in descriptions:
            keyword = words.next
            words.at += 1
            match keyword:
                case "net":
                    self._net.name = words.name("the name of the net")
                    self._end(words)
                case "tr":
                    self._transition(words)
                case "pl":
                    self._place(words)
                case "nt":
                    pass
                case _:
                    self._late.append(words)
        for words in self._late:
            if words.texts[0] == "lb":
                self._label(words)
            else:
                self._priority(words)

    def _transition(self, words: Words) -> None:
        span = words.span()
        event = words.name("the name of a transition")
        self._net.event(event, span)
        label = words.name("a label") if words.accept(":") else None
        interval = self._interval(words) if words.next in ("[", "]") else None
        self._net.describe(event, interval, label)
        if not words.next:
            return
        while words.next not in ("", "->"):
            self._arc(words, event, incoming=True)
        words.expect("->")
        while words.next:
            self._arc(words, event, incoming=False)

    def _arc(self, words: Words, event: str, *, incoming: bool) -> None:
        span = words.span()
        place = self._net.place(words.name("a place"), span)
        kind, weight = self._weight(words, "in" if incoming else "out")
        self._net.arc(event, kind, place, weight, span)

    def _place(self, words: Words) -> None:
        span = words.span()
        key = words.name("the name of a place")
        label = words.name("a label") if words.accept(":") else None
        tokens = None
        if words.accept("("):
            tokens = words.number("a number of tokens")
            words.expect(")")
        place = self._net.place(key, span, tokens)
        if label is not None:
            self._net.label_place(key, label)
        incoming = False
        if not words.next:
            return
        while words.next:
            if words.accept("->"):
                incoming = True
                continue
            at = words.span()
            event = words.name("a transition")
            self._net.event(event, at)
            kind, weight = self._weight(words, "in" if incoming else "out")
            self._net.arc(event, kind, place, weight, at)

    def _weight(self, words: Words, kind: ArcKind) -> tuple[ArcKind, int]:
        if words.accept("*"):
            return kind, words.number("a weight")
        if words.next in ("!", "!-"):
            raise error(STOPWATCH, words.span())
        if kind == "in" and words.accept("?-"):
            return "inhibitor", words.number("a weight")
        if kind == "in" and words.accept("?"):
            return "test", words.number("a weight")
        return kind, 1

    def _interval(self, words: Words) -> Interval:
        span = words.span()
        strict = words.next == "]"
        words.at += 1
        earliest = words.number("the earliest time")
        words.expect(",")
        latest = None if words.accept("w") else words.number("the latest time, or 'w'")
        if words.next not in ("[", "]"):
            raise words.error("'[' or ']'")
        open_end = words.next == "["
        words.at += 1
        if latest is None and not open_end:
            raise error("an interval without end is written [a,w[", span)
        return self._net.interval(earliest, latest, (strict, open_end), span)

    def _label(self, words: Words) -> None:
        span = words.span()
        key = words.name("a place or transition")
        label = words.name("a label")
        self._end(words)
        if self._net.is_event(key):
            self._net.describe(key, label=label)
        elif self._net.is_place(key):
            self._net.label_place(key, label)
        else:
            raise error(f"'{key}' is neither a place nor a transition", span)

    def _priority(self, words: Words) -> None:
        sides: list[list[str]] = [[], []]
        mark = ""
        while words.next:
            if not mark and words.next in ("<", ">"):
                mark = words.next
                words.at += 1
                continue
            span = words.span()
            event = words.name("a transition")
            if not self._net.is_event(event):
                raise error(f"'{event}' is not a transition", span)
            sides[bool(mark)].append(event)
        if not (mark and all(sides)):
            raise words.error("transitions on both sides of '<' or '>'")
        high, low = sides if mark == ">" else reversed(sides)
        for one in high:
            for other in low:
                self._net.priority(one, other)

    def _end(self, words: Words) -> None:
        if words.next:
            raise words.error("the end of the line")


__all__ = ["KEYWORDS", "STOPWATCH", "read_net"]
