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
    from plait.model.net import Net


def settled(model: Model) -> Rewritten | None:
    """What the passes make of a net without properties, where that is known without them."""
    if model.properties:
        return None
    plain = plain_of(model)
    if plain is not None:
        return left_of(model, plain)[0]
    net = settled_net(model)
    return None if net is None else Rewritten(model, net=net)


def left_of(model: Model, plain: Plain) -> tuple[Rewritten, dict[str, int]]:
    """The model without constant places and impossible events; the constants that went."""
    found = plain.left()
    if found is None:
        return Rewritten(model), {}
    left, kept = found
    constants = dict(zip(plain.names, plain.initial, strict=True))
    for name in left.names:
        del constants[name]
    smaller = replace(model, types=(left.type(),))
    return Rewritten(smaller, restoring(plain.initial, kept)), constants


def settled_net(model: Model) -> Net | None:
    """The plain net that the model is if no pass would change it: the files of large nets are such.

    It has nothing to instantiate, no properties to simplify along, each place is changed by some
    event, and every event may happen. Whatever is not written in the shortest way stays so.
    """
    system = model.system
    if not isinstance(system, ElementaryType) or model.properties:
        return None
    if len(model.types) > 1 or model.constants or model.ranges:
        return None
    if system.constants or system.ranges:
        return None
    from plait.model.net import Net, as_net  # which a plain net needs not be made into

    net = as_net(model)
    if not isinstance(net, Net) or not net.ordinary:
        return None
    changed = {p for e in net.events for p, _ in e.change}
    settled = len(changed) == len(net.places) and may_all_happen(net)
    return net if settled else None


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
