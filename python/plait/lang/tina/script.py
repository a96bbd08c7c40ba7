"""Tina's scripts (`.tpn`): nets put together on a stack.

    new                     an empty net on top of the stack
    load FILE               the same, then `source FILE`
    source FILE             the lines of another file, here; its path is relative to this script
    dup [N]                 N copies of the topmost net, one if no number is given
    ren NEW/OLD ... /OLD    changes labels of the topmost net, or takes them away, all at once
    merge N                 the N topmost nets side by side
    sync N                  the same, with transitions of the same label fused
    chain N                 the same, with places of the same label fused

Every other line describes something, in the textual or the graphical format, and is added to the
topmost net, which at the end is the net of the script.

Two transitions are fused when they are of different nets and have the same label: the result takes
and puts what both do, at a time that both allow. Where a net has several of that label there is one
for each choice. A place of a composed net is called `2.p` if it is `p` of the second, and what is
fused of several parts is called after all of them, `1.a|2.b`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Literal

from plait.errors import Source, Span, error
from plait.lang.files import read_text
from plait.lang.tina import ndr, net
from plait.time.gather import Gather
from plait.time.net import Interval, TimedEvent, TimedNet

_COMMANDS = frozenset(("new", "load", "source", "dup", "ren", "merge", "sync", "chain"))
_PAIR = re.compile(r"(\{(?:[^{}\\]|\\.)*\}|[^/{}\s]*)/(\{(?:[^{}\\]|\\.)*\}|[^/{}\s]+)")
MOST = 100_000
"""The most nets that are put together, and the most transitions that fusing makes."""
Fused = Literal["nothing", "transitions", "places"]


def read_script(source: Source, text: str, name: str) -> TimedNet:
    """The net that a script makes."""
    script = _Script(name)
    script.run(source, text)
    return script.stack[-1].net()


class _Script:
    def __init__(self, name: str) -> None:
        self.stack = [Gather(name)]
        self._open: list[Path] = []
        """The files that are being read, each sourced by the one before."""
        self._loaded: dict[Path, TimedNet] = {}
        """The nets of files that were loaded: large systems are made of many copies of a few."""

    def run(self, source: Source, text: str) -> None:
        """The lines of a text, in order; descriptions between two commands are read together."""
        lines = text.split("\n")
        block: list[int] = []
        for number, line in enumerate(lines):
            words = line.split()
            if words and words[0] in _COMMANDS:
                self._describe(source, lines, block)
                block = []
                at = len(line) - len(line.lstrip()) + 1
                span = Span(source, number + 1, at, len(line.strip()))
                self._command(words, span, None if source.path is None else Path(source.path))
            else:
                block.append(number)
        self._describe(source, lines, block)

    def _describe(self, source: Source, lines: Sequence[str], block: Sequence[int]) -> None:
        """Add the lines of a block to the topmost net, each format by its own reader."""
        kept: dict[bool, dict[int, str]] = {False: {}, True: {}}
        graphical = False
        for number in block:
            word = (lines[number].split() or [""])[0]
            if word in net.KEYWORDS | ndr.KEYWORDS:
                graphical = word not in net.KEYWORDS
            kept[graphical][number] = lines[number]
        for one, found in kept.items():
            # All other lines are empty, so that messages have the right numbers.
            text = "\n".join(found.get(i, "") for i in range(max(found, default=-1) + 1))
            (ndr.read_ndr if one else net.read_net)(source, text, self.stack[-1])

    def _command(self, words: Sequence[str], span: Span, path: Path | None) -> None:
        match words:
            case ["new"]:
                self.stack.append(Gather(self.stack[0].name))
            case ["load", file]:
                self._load(_beside(file, path), span, path)
            case ["source", file]:
                self._source(_beside(file, path), span, path)
            case ["dup"] | ["dup", _]:
                top = self.stack[-1].net(span)
                copies = _number(words[1], span) if len(words) > 1 else 1
                self.stack += [_gathered(top) for _ in range(copies)]
            case ["ren", *pairs]:
                self.stack[-1].relabel(dict(_renamed(" ".join(pairs), span)))
            case ["merge" | "sync" | "chain", *more, number] if more in ([], ["ring"]):
                # `sync ring` says how to draw the net, and means the same.
                count = _number(number, span)
                if not 1 <= count <= len(self.stack):
                    raise error(f"there are {len(self.stack)} nets, not {count}", span)
                parts = [gather.net(span) for gather in self.stack[-count:]]
                kinds: dict[str, Fused] = {"sync": "transitions", "chain": "places"}
                self.stack[-count:] = [_composed(parts, kinds.get(words[0], "nothing"), span)]
            case _:
                raise error(f"this is not how '{words[0]}' is used", span)
        if len(self.stack) > MOST:
            raise error(f"more than {MOST} nets", span)

    def _load(self, path: Path, span: Span, script: Path | None) -> None:
        if path in self._loaded:
            self.stack.append(_gathered(self._loaded[path]))
            return
        height = len(self.stack)
        self.stack.append(Gather(self.stack[0].name))
        self._source(path, span, script)
        if len(self.stack) == height + 1:
            self._loaded[path] = self.stack[-1].net(span)

    def _source(self, path: Path, span: Span, script: Path | None) -> None:
        if path in self._open or path == script:
            raise error(f"{path} reads itself", span)
        if len(self._open) > 50:
            raise error("files are read inside files, too deep", span)
        text = read_text(path, span).replace("\r\n", "\n").replace("\r", "\n")
        self._open.append(path)
        self.run(Source(str(path), text, path), text)
        self._open.pop()


def _beside(file: str, script: Path | None) -> Path:
    """A file that is named by a script."""
    return (script.parent if script is not None else Path()) / file


def _number(text: str, span: Span) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise error(f"expected a number of nets, found '{text}'", span)
    if int(text) > MOST:
        raise error(f"more than {MOST} nets", span)
    return int(text)


def _renamed(text: str, span: Span) -> Iterator[tuple[str, str | None]]:
    """The pairs of a renaming: the label that was, and what it becomes."""
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None or (pair.end() < len(text) and text[pair.end()] != " "):
            raise error("labels are renamed by NEW/OLD, or taken away by /OLD", span)
        yield _plain(pair[2]), _plain(pair[1]) or None
        at = pair.end() + 1


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith("{") else name


def _gathered(whole: TimedNet) -> Gather:
    """A net to which pieces can be added again."""
    gather = Gather(whole.name)
    _add(gather, whole, [p.name for p in whole.places], [e.name for e in whole.events])
    return gather


def _add(gather: Gather, part: TimedNet, places: Sequence[str], events: Sequence[str]) -> None:
    """Add a net under other names; a place whose name is there already is the same place."""
    for key, place in zip(places, part.places, strict=True):
        gather.place(key, place.span, None if gather.is_place(key) else place.initial)
        if place.label is not None:
            gather.label_place(key, place.label)
    for key, event in zip(events, part.events, strict=True):
        _event(gather, key, event.interval, [(event, places)])
    for high, low in part.priorities:
        gather.priority(events[high], events[low])
    gather.warnings += part.warnings


def _event(
    gather: Gather,
    key: str,
    interval: Interval,
    made_of: Sequence[tuple[TimedEvent, Sequence[str]]],
) -> None:
    """A transition with the arcs of several; each comes with the names of the places of its net."""
    first = made_of[0][0]
    gather.event(key, first.span)
    gather.describe(key, interval, first.label)
    for event, places in made_of:
        for arc in event.arcs:
            (place,) = arc.places
            number = gather.place(places[place], event.span)
            gather.arc(key, arc.kind, number, arc.weight, event.span)


def _composed(parts: Sequence[TimedNet], fused: Fused, span: Span) -> Gather:
    """Nets side by side, with what has the same label fused."""
    digits = len(str(len(parts)))
    numbers = [f"{i:0{digits}}" for i in range(1, len(parts) + 1)]
    mark = {"nothing": ",", "transitions": "|", "places": ";"}[fused]
    joined = f" {mark} ".join(f"{n}.{p.name}" for n, p in zip(numbers, parts, strict=True))
    gather = Gather(f"({joined})")
    places = [
        [f"{n}.{place.name}" for place in part.places]
        for n, part in zip(numbers, parts, strict=True)
    ]
    events = [
        [f"{n}.{event.name}" for event in part.events]
        for n, part in zip(numbers, parts, strict=True)
    ]
    if fused == "places":
        _fuse_places(gather, parts, places, span)
    if fused != "transitions":
        for part, ps, es in zip(parts, places, events, strict=True):
            _add(gather, part, ps, es)
        return gather
    _synchronise(gather, parts, places, events, span)
    return gather


def _fuse_places(
    gather: Gather, parts: Sequence[TimedNet], places: list[list[str]], span: Span
) -> None:
    """Give places of the same label one name, and make those that have it first."""
    found: dict[str, list[tuple[int, int]]] = {}
    for i, part in enumerate(parts):
        for k, place in enumerate(part.places):
            if place.label is not None:
                found.setdefault(place.label, []).append((i, k))
    for label, at in found.items():
        if len({i for i, _ in at}) < len(at):
            raise error(f"a net has several places of the label '{label}' to be chained", span)
        marked = [parts[i].places[k].initial for i, k in at if parts[i].places[k].initial]
        if len(marked) > 1:
            raise error(f"several of the places that '{label}' makes one have tokens", span)
        name = "|".join(places[i][k] for i, k in at)
        gather.place(name, span, sum(marked))
        for i, k in at:
            places[i][k] = name


def _synchronise(
    gather: Gather,
    parts: Sequence[TimedNet],
    places: Sequence[Sequence[str]],
    events: Sequence[Sequence[str]],
    span: Span,
) -> None:
    """Add the nets, with one transition for each choice of one of a label from each net with it."""
    by_label: dict[str, dict[int, list[int]]] = {}
    for i, part in enumerate(parts):
        for k, event in enumerate(part.events):
            if event.label is not None:
                by_label.setdefault(event.label, {}).setdefault(i, []).append(k)
    part_of: dict[tuple[int, int], list[str]] = {}
    """For each transition of a net those of the result that it is part of."""
    for i, part in enumerate(parts):
        for key, place in zip(places[i], part.places, strict=True):
            gather.place(key, place.span, place.initial)
            if place.label is not None:
                gather.label_place(key, place.label)
        for k, event in enumerate(part.events):
            if event.label is None:
                part_of[i, k] = [events[i][k]]
                _event(gather, events[i][k], event.interval, [(event, places[i])])
        gather.warnings += part.warnings
    for having in by_label.values():
        choices = product(*([(i, k) for k in ks] for i, ks in having.items()))
        for count, chosen in enumerate(choices):
            if count >= MOST:
                raise error(f"more than {MOST} transitions", span)
            key = "|".join(events[i][k] for i, k in chosen)
            made_of = [(parts[i].events[k], places[i]) for i, k in chosen]
            _event(gather, key, _common([e for e, _ in made_of], span), made_of)
            for at in chosen:
                part_of.setdefault(at, []).append(key)
    for i, part in enumerate(parts):
        for high, low in part.priorities:
            pairs = product(part_of[i, high], part_of[i, low])
            for one, other in pairs:
                gather.priority(one, other)


def _common(events: Sequence[TimedEvent], span: Span) -> Interval:
    """The times that all allow."""
    earliest = max(e.interval.earliest for e in events)
    latest = min((e.interval.latest for e in events if e.interval.latest is not None), default=None)
    if latest is not None and latest < earliest:
        names = ", ".join(f"'{e.name}'" for e in events)
        raise error(f"no time is in the intervals of all of {names}", span)
    return Interval(earliest, latest)


__all__ = ["read_script"]
