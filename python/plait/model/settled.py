"""Nets that are as simple as can be, or are made so at once: no pass would change them.

The files of large nets are such. They are recognised without importing a single pass, and each of
their events is looked at once. Of a plain net (`plait.model.plain`) constant places and impossible
events are taken away natively, which is all that the passes would do.
"""

from __future__ import annotations

from plait.hints import TYPE_CHECKING
from plait.model.arithmetic import INT_MAX
from plait.model.plain import Plain, plain_of
from plait.model.rewritten import Rewritten, restoring
from plait.model.types import ElementaryType, Model
from plait.records import replace

if TYPE_CHECKING:
    from plait.model.net import Net, Row


def settled(model: Model) -> Rewritten | None:
    """What the passes make of a net without properties, where that is known without them."""
    if model.properties:
        return None
    plain = plain_of(model)
    if plain is not None:
        return left_of(model, plain)[0]
    found = settled_net(model)
    return None if found is None else left_of_net(model, *found)[0]


def left_of(model: Model, plain: Plain) -> tuple[Rewritten, dict[str, int]]:
    """The model without constant places and impossible events; the constants that went."""
    found = plain.left
    if found is None:
        return Rewritten(model), {}
    left, kept = found
    constants = dict(zip(plain.names, plain.initial, strict=True))
    for name in left.names:
        del constants[name]
    smaller = replace(model, types=(left.type(),))
    return Rewritten(smaller, restoring(plain.initial, kept)), constants


def settled_net(model: Model) -> tuple[Net, tuple[int, ...]] | None:
    """The plain net that the model is if no pass would change one of its events, and its places
    that some event changes; no event looks at the others.

    It has nothing to instantiate, and every event may happen. Whatever is not written in the
    shortest way stays so.
    """
    system = model.system
    if not isinstance(system, ElementaryType) or len(model.types) > 1:
        return None
    if model.constants or model.ranges or system.constants or system.ranges:
        return None
    from plait.model.net import Net, as_net  # which a plain net needs not be made into

    net = as_net(model)
    if not isinstance(net, Net) or not net.ordinary:
        return None
    changed = {p for e in net.events for p, _ in e.change}
    if any(p not in changed for e in net.events for p, _ in e.pre):
        return None
    if len(changed) < len(net.places) and any(v.size is not None for v in system.variables):
        return None
    if system.processes and (model.properties or len(changed) < len(net.places)):
        return None
    return (net, tuple(sorted(changed))) if may_all_happen(net) else None


def left_of_net(model: Model, net: Net, kept: tuple[int, ...]) -> tuple[Rewritten, dict[str, int]]:
    """The model of a net without the places that no event looks at; the constants that went."""
    if len(kept) == len(net.places):
        return Rewritten(model, net=net), {}
    system = model.system
    assert isinstance(system, ElementaryType)
    number = {p: i for i, p in enumerate(kept)}
    constants = {p.name: p.initial for i, p in enumerate(net.places) if i not in number}
    units = net.units and net.units.of({net.places[p].name for p in kept})

    def row(of: Row) -> Row:
        return tuple((number[p], w) for p, w in of)

    smaller = replace(
        net,
        places=tuple(net.places[p] for p in kept),
        events=tuple(replace(e, pre=row(e.pre), post=row(e.post)) for e in net.events),
        units=units,
    )
    variables = tuple(system.variables[p] for p in kept)
    left = replace(model, types=(replace(system, variables=variables, units=units),))
    return Rewritten(left, restoring(net.initial, kept), smaller), constants


def may_all_happen(net: Net) -> bool:
    """Whether every event of an ordinary net can happen once each place that some such event makes
    grow has any number of tokens; this is what widening comes to where nothing bounds a place."""
    most = list(net.initial)
    waiting: dict[int, list[int]] = {}
    pending = list(range(len(net.events)))
    left = len(pending)
    while pending:
        number = pending.pop()
        event = net.events[number]
        lacking = next((p for p, w in event.pre if most[p] < w), None)
        if lacking is not None:
            waiting.setdefault(lacking, []).append(number)
            continue
        left -= 1
        for p, change in event.change:
            if change > 0 and most[p] < INT_MAX:
                most[p] = INT_MAX
                pending.extend(waiting.pop(p, ()))
    return left == 0
