"""Settled nets with properties: what all passes together make of them, whose events stay.

A net has nothing to instantiate, to lower or to flatten. What is left of it is known at once
(`plait.model.settled`); only the properties are simplified, under the places that are constant.
"""

from __future__ import annotations

from plait.hints import cast
from plait.model.expr import Formula, IntExpr
from plait.model.plain import plain_of
from plait.model.rewritten import Rewritten
from plait.model.settled import left_of, left_of_net, settled_net
from plait.model.shape import shape_of
from plait.model.types import Model, Property
from plait.passes.folding import Folder
from plait.records import replace


def flat_net(model: Model) -> Rewritten | None:
    """The model of a settled net, simplified and pruned; its properties along with it.

    None where the model is none.
    """
    plain = plain_of(model)
    if plain is not None:
        rewritten, constants = left_of(model, plain)
        sizes: dict[str, int | None] = dict.fromkeys(plain.names)
    else:
        found = settled_net(model)
        if found is None:
            return None
        rewritten, constants = left_of_net(model, *found)
        sizes = {name: slot.size for name, slot in shape_of(model).variables.items()}
    if not model.properties:
        return rewritten
    folder = Folder({}, sizes, constants)

    def simple(p: Property) -> Property:
        if p.body is None:
            return p
        return replace(p, body=cast(Formula | IntExpr, folder.simplify(p.body)))

    properties = tuple(map(simple, model.properties))
    return replace(rewritten, model=replace(rewritten.model, properties=properties))
