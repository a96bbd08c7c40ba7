"""Writing PNML: any model that is a net (`plait.model.net`), as a place/transition net.

Tests (read arcs) are written as an arc in and an arc out, which every tool understands and which
has the same behaviour. Inhibitor and reset arcs, which the standard lacks, get a `<type>` with a
`value` below the arc. NUPN units are written back.

An id is an XML name (`xs:ID`), which names of a model need not be: `fork[0]` gets the id `fork_0`,
every other character that a name cannot have becomes `_`, and what is then not unique gets a
number. Where the id had to change, the `<name>` keeps the name of the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from plait.errors import Diagnostic, InputError, Span, error
from plait.model.fresh import FreshNames
from plait.model.net import Net, NetEvent, Place, as_net
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


class _Names:
    """Unique ids, each as near to a name as it can be."""

    def __init__(self) -> None:
        self._ids = FreshNames(numbered="{}-{}")

    def all(self, names: Iterable[tuple[str, Span | None]]) -> list[str]:
        """Ids of several names: one that can be an id itself is not taken away by a changed one."""
        wanted = list(names)
        ids = [self.fresh(n, at) if _identifier(n) == n else "" for n, at in wanted]
        return [id or self.fresh(*w) for id, w in zip(ids, wanted, strict=True)]

    def fresh(self, name: str, span: Span | None = None) -> str:
        """The id of a name."""
        _check(name, span)
        return self._ids.fresh(_identifier(name))


class _Ids:
    """The ids of a document, which must be unique; names of places and events may coincide."""

    def __init__(self, net: Net) -> None:
        self._names = _Names()
        self.places = self._names.all((p.name, p.span) for p in net.places)
        self.events = self._names.all((e.name, e.span) for e in net.events)
        self.net = self._names.fresh(net.name)
        self.page = self._names.fresh("page")
        self._arcs = 0

    def arc(self) -> str:
        """An id that nothing else has."""
        self._arcs += 1
        return self._names.fresh(f"arc-{self._arcs}")


_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
"""The characters that may begin a name without a colon (XML 1.0, production 4)."""
_OTHER = re.compile(f"[^-.0-9\u00b7\u0300-\u036f\u203f\u2040{_START}]")
_BEGINS = re.compile(f"[{_START}]")


def _identifier(name: str) -> str:
    """The XML name that is nearest to a name."""
    text = _OTHER.sub("_", re.sub(r"\[([0-9]+)\]", r"_\1", name))
    return text if _BEGINS.match(text) else f"_{text}"


def _lines(net: Net, ids: _Ids) -> Iterator[str]:
    _check(net.name, None)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<pnml xmlns="{NAMESPACE}">'
    yield f' <net id={_attribute(ids.net)} type="{TYPE}">'
    yield f"  <name><text>{_text(net.name)}</text></name>"
    yield f"  <page id={_attribute(ids.page)}>"
    for id, place in zip(ids.places, net.places, strict=True):
        yield f"   <place id={_attribute(id)}>"
        yield f"    <name><text>{_text(_label(id, place))}</text></name>"
        if place.initial:
            yield f"    <initialMarking><text>{place.initial}</text></initialMarking>"
        yield "   </place>"
    for id, event in zip(ids.events, net.events, strict=True):
        yield f"   <transition id={_attribute(id)}>"
        yield f"    <name><text>{_text(_label(id, event))}</text></name>"
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
        yield from _nupn(net.units, net, ids)
    yield "  </page>"
    yield " </net>"
    yield "</pnml>"


def _label(id: str, node: Place | NetEvent) -> str:
    """What a person reads: the name that became another id, else the comment, if there is one."""
    return node.comment or node.name if id == node.name else node.name


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


def _nupn(units: Units, net: Net, ids: _Ids) -> Iterator[str]:
    arcs = sum(len(e.pre) + len(e.post) + len(e.inhibitor) + len(e.reset) for e in net.events)
    safe = "true" if units.safe else "false"
    yield '   <toolspecific tool="nupn" version="1.1">'
    yield (f'    <size places="{len(net.places)}" transitions="{len(net.events)}" arcs="{arcs}"/>')
    id_of = {p.name: id for p, id in zip(net.places, ids.places, strict=True)}
    names = [u.name for u in units.units]
    # The ids of units are apart from those of the nodes.
    unit_of = dict(zip(names, _Names().all((n, None) for n in names), strict=True))
    root = _attribute(unit_of[units.root])
    yield f'    <structure units="{len(units.units)}" root={root} safe="{safe}">'
    for unit in units.units:
        yield f"     <unit id={_attribute(unit_of[unit.name])}>"
        yield f"      <places>{_text(' '.join(id_of[p] for p in unit.places))}</places>"
        yield f"      <subunits>{_text(' '.join(unit_of[u] for u in unit.units))}</subunits>"
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
