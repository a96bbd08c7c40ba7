"""Writing Tina's textual format.

A test is written as one (`?n`). Reset arcs and arcs to alternative places, which Tina lacks, are
refused. Names that the format cannot have as they are stand in braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from plait.errors import error
from plait.model.fresh import READABLE, FreshNames
from plait.time.net import TimedArc, TimedNet

_MARKS = {"in": "*", "out": "*", "test": "?", "inhibitor": "?-"}


def print_net(net: TimedNet) -> str:
    """The net as a text; a located `InputError` where Tina has no word for something."""
    return "\n".join(_lines(net)) + "\n"


def _lines(net: TimedNet) -> Iterator[str]:
    names = FreshNames(numbered=READABLE)
    places = [_name(names.fresh(p.name)) for p in net.places]
    events = [_name(names.fresh(e.name)) for e in net.events]
    yield f"net {_name(net.name)}"
    for event, title in zip(net.events, events, strict=True):
        if any(arc.kind == "reset" or len(arc.places) > 1 for arc in event.arcs):
            what = f"'{event.name}' empties a place or has a choice of places"
            raise error(f"Tina has no such arcs: {what}", event.span)
        label = f" : {_name(event.label)}" if event.label else ""
        before = [_arc(arc, places) for arc in event.arcs if arc.kind != "out"]
        after = [_arc(arc, places) for arc in event.of("out")]
        yield " ".join([f"tr {title}{label} {event.interval}", *before, "->", *after])
    for place, title in zip(net.places, places, strict=True):
        yield f"pl {title} ({place.initial})"
    for high, low in net.priorities:
        yield f"pr {events[high]} > {events[low]}"


def _arc(arc: TimedArc, places: list[str]) -> str:
    plain = arc.kind in ("in", "out") and arc.weight == 1
    return places[arc.places[0]] + ("" if plain else f"{_MARKS[arc.kind]}{arc.weight}")


def _name(name: str) -> str:
    if re.fullmatch(r"[A-Za-z_'][\w']*", name, re.ASCII):
        return name
    return "{" + re.sub(r"([{}\\])", r"\\\1", name) + "}"


__all__ = ["print_net"]
