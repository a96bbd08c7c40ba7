"""Romeo's time Petri nets in XML: read and written.

(Lime, Roux, Seidner, Traonouez: "Romeo: a parametric model-checker for Petri nets with
stopwatches", 2009.) Transitions are known by number, and labels may repeat. A `flush` arc empties
its place, a `read` arc asks for tokens, a `logicalInhibitor` for fewer than its weight. What stops
clocks is refused (`timedInhibitor`, scheduling of processors); a parameter of a bound is read as
the number beside it. A transition that is `public`, as ITS-tools write it, has its name as a label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

from plait.errors import Diagnostic, Source, error
from plait.lang.xml import SKIP, Attributes, Scope, XmlReader, read_file, source_of_bytes
from plait.time.gather import Gather
from plait.time.net import ArcKind, TimedNet

_KINDS: dict[str, ArcKind] = {
    "PlaceTransition": "in",
    "TransitionPlace": "out",
    "read": "test",
    "logicalInhibitor": "inhibitor",
    "flush": "reset",
}
_TYPES = {kind: name for name, kind in _KINDS.items()}
_ENDLESS = ("infini", "inf")


def load(path: str | Path) -> TimedNet:
    """The net in a file, named after the file."""
    path = Path(path)
    found: list[TimedNet] = []
    read_file(path, lambda source, chunks: found.append(_read(source, chunks, path.stem)))
    return found[0]


def parse(data: bytes, name: str = "net", path: Path | None = None) -> TimedNet:
    """The net that a document describes; a located `InputError` when it does not."""
    source = source_of_bytes(data, name if path is None else str(path))
    return _read(source, [data], name)


def _read(source: Source, chunks: Iterable[bytes], name: str) -> TimedNet:
    reader = _Reader(source, name)
    reader.read(chunks)
    return reader.net.net()


class _Reader(XmlReader):
    def __init__(self, source: Source, name: str) -> None:
        self.net = Gather(name)
        net = {"place": self._place, "transition": self._transition, "arc": self._arc}
        self._inside = Scope(net, other=lambda *_: SKIP)
        super().__init__(source, Scope({"TPN": lambda *_: self._inside}))

    def _attribute(self, attributes: Attributes, name: str) -> str:
        if name not in attributes:
            raise self.error(f"the attribute '{name}' is missing")
        return attributes[name]

    def _number(self, attributes: Attributes, name: str) -> int:
        text = self._attribute(attributes, name).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 30):
            raise self.error(f"'{text}' is not a number that '{name}' can be")
        return int(text)

    def _place(self, _: str, attributes: Attributes) -> Scope:
        key = self._attribute(attributes, "id")
        tokens = self._number(attributes, "initialMarking")
        self.net.place(f"place {key}", self.span(), tokens, attributes.get("label") or f"P{key}")

        def scheduled(_: str, of: Attributes) -> Scope:
            if self._number(of, "gamma"):
                raise self.error(
                    "places that stand for processors are not read",
                    hint="scheduling stops clocks, for which discrete time is not exact",
                )
            return SKIP

        return Scope({"scheduling": scheduled}, other=lambda *_: SKIP)

    def _transition(self, _: str, attributes: Attributes) -> Scope:
        key = self._attribute(attributes, "id")
        name = attributes.get("label") or f"T{key}"
        self.net.event(f"transition {key}", self.span())
        earliest = self._number(attributes, "eft")
        endless = self._attribute(attributes, "lft").strip() in _ENDLESS
        latest = None if endless else self._number(attributes, "lft")
        interval = self.net.interval(earliest, latest, (False, False), self.span())
        label = name if attributes.get("public") == "1" else None
        self.net.describe(f"transition {key}", interval, label, name=name)
        for bound in ("eft", "lft"):
            parameter = attributes.get(f"{bound}_param", "").strip()
            if parameter and parameter != attributes[bound].strip():
                told = f"the parameter '{parameter}' is read as {attributes[bound]}"
                self.net.warnings.append(Diagnostic(told, self.span(), severity="warning"))
        return SKIP

    def _arc(self, _: str, attributes: Attributes) -> Scope:
        place = "place " + self._attribute(attributes, "place")
        event = "transition " + self._attribute(attributes, "transition")
        kind = _KINDS.get(self._attribute(attributes, "type"))
        if kind is None:
            raise self.error(
                f"arcs of type '{attributes['type']}' are not read",
                hint="discrete time is not exact where clocks stop",
            )
        for key, known in ((place, self.net.is_place), (event, self.net.is_event)):
            if not known(key):
                raise self.error(f"there is no {key}")
        weight = 0 if kind == "reset" else self._number(attributes, "weight")
        self.net.arc(event, kind, self.net.place(place, None), weight, self.span())
        return SKIP


def print_net(net: TimedNet) -> str:
    """The net as a document."""
    return "\n".join(_lines(net)) + "\n"


def _lines(net: TimedNet) -> Iterator[str]:
    if net.priorities:
        raise error("Romeo's nets have no priorities", net.span)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<TPN name={quoteattr(net.name)}>"
    for number, place in enumerate(net.places, start=1):
        label = quoteattr(place.name)
        yield f'  <place id="{number}" label={label} initialMarking="{place.initial}"/>'
    for number, event in enumerate(net.events, start=1):
        first, last = event.interval.earliest, event.interval.latest
        latest = "infini" if last is None else last
        label = quoteattr(event.name)
        yield f'  <transition id="{number}" label={label} eft="{first}" lft="{latest}"/>'
    for number, event in enumerate(net.events, start=1):
        for arc in event.arcs:
            if len(arc.places) > 1:
                raise error(f"Romeo's arcs have one place; '{event.name}' has a choice", event.span)
            ends = f'place="{arc.places[0] + 1}" transition="{number}"'
            yield f'  <arc {ends} type="{_TYPES[arc.kind]}" weight="{max(arc.weight, 1)}"/>'
    yield "</TPN>"


__all__ = ["load", "parse", "print_net"]
