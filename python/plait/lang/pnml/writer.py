"""Writing PNML: any model that is a net (`plait.model.net`), as a place/transition net.

Tests (read arcs) are written as an arc in and an arc out, which every tool understands and which
has the same behaviour. Inhibitor and reset arcs, which the standard lacks, get a `<type>` with a
`value` below the arc. NUPN units are written back.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from plait.errors import Diagnostic, InputError, Span, error
from plait.model.net import Net, as_net
from plait.model.types import Model, Units

NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"
TYPE = "http://www.pnml.org/version-2009/grammar/ptnet"


def print_model(model: Model) -> str:
    """The model as a PNML document; a located `InputError` when it is not a net."""
    net = as_net(model)
    if isinstance(net, Diagnostic):
        raise InputError(
            Diagnostic(
                f"this model is not a place/transition net: {net.message}", net.span, net.hint
            )
        )
    return print_net(net)


def print_net(net: Net) -> str:
    """The net as a PNML document."""
    return "\n".join(_lines(net, _Ids(net))) + "\n"


class _Ids:
    """Ids must be unique in a document; names of places and events may coincide."""

    def __init__(self, net: Net) -> None:
        self._used: set[str] = set()
        self.places = [self._fresh(p.name, p.span) for p in net.places]
        self.events = [self._fresh(e.name, e.span) for e in net.events]
        self._arcs = 0

    def _fresh(self, name: str, span: Span | None) -> str:
        _check(name, span)
        unique, count = name, 1
        while unique in self._used:
            count += 1
            unique = f"{name}-{count}"
        self._used.add(unique)
        return unique

    def arc(self) -> str:
        """An id that nothing else has."""
        self._arcs += 1
        return self._fresh(f"arc-{self._arcs}", None)


def _lines(net: Net, ids: _Ids) -> Iterator[str]:
    _check(net.name, None)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<pnml xmlns="{NAMESPACE}">'
    yield f' <net id={_attribute(net.name)} type="{TYPE}">'
    yield f"  <name><text>{_text(net.name)}</text></name>"
    yield '  <page id="page">'
    for id, place in zip(ids.places, net.places, strict=True):
        yield f"   <place id={_attribute(id)}>"
        yield f"    <name><text>{_text(place.comment or place.name)}</text></name>"
        if place.initial:
            yield f"    <initialMarking><text>{place.initial}</text></initialMarking>"
        yield "   </place>"
    for id, event in zip(ids.events, net.events, strict=True):
        yield f"   <transition id={_attribute(id)}>"
        yield f"    <name><text>{_text(event.comment or event.name)}</text></name>"
        yield "   </transition>"
        for p, w in event.pre:
            yield from _arc(ids.arc(), ids.places[p], id, w)
        for p, w in event.inhibitor:
            yield from _arc(ids.arc(), ids.places[p], id, w, "inhibitor")
        for p in event.reset:
            yield from _arc(ids.arc(), ids.places[p], id, 1, "reset")
        for p, w in event.post:
            yield from _arc(ids.arc(), id, ids.places[p], w)
    if net.units is not None:
        yield from _nupn(net.units, net)
    yield "  </page>"
    yield " </net>"
    yield "</pnml>"


def _arc(id: str, source: str, target: str, weight: int, kind: str | None = None) -> Iterator[str]:
    head = f"   <arc id={_attribute(id)} source={_attribute(source)} target={_attribute(target)}"
    if weight == 1 and kind is None:
        yield head + "/>"
        return
    yield head + ">"
    if weight != 1:
        yield f"    <inscription><text>{weight}</text></inscription>"
    if kind is not None:
        yield f'    <type value="{kind}"/>'
    yield "   </arc>"


def _nupn(units: Units, net: Net) -> Iterator[str]:
    arcs = sum(len(e.pre) + len(e.post) + len(e.inhibitor) + len(e.reset) for e in net.events)
    safe = "true" if units.safe else "false"
    yield '   <toolspecific tool="nupn" version="1.1">'
    yield (f'    <size places="{len(net.places)}" transitions="{len(net.events)}" arcs="{arcs}"/>')
    yield (
        f'    <structure units="{len(units.units)}" root={_attribute(units.root)} safe="{safe}">'
    )
    for unit in units.units:
        yield f"     <unit id={_attribute(unit.name)}>"
        yield f"      <places>{_text(' '.join(unit.places))}</places>"
        yield f"      <subunits>{_text(' '.join(unit.units))}</subunits>"
        yield "     </unit>"
    yield "    </structure>"
    yield "   </toolspecific>"


def _check(name: str, span: Span | None) -> None:
    """XML cannot hold control characters at all, not even escaped."""
    if any(
        (c < " " and c not in "\t\n\r") or c in "\ufffe\uffff" or "\ud800" <= c <= "\udfff"
        for c in name
    ):
        raise error(f"the name {name!r} has characters that XML cannot hold", span)


def _attribute(value: str) -> str:
    return quoteattr(value, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _text(value: str) -> str:
    return escape(value, {"\r": "&#13;"})
