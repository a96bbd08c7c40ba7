"""Plain nets with properties: what all passes together make of them, without a look at the events.

A net has nothing to instantiate, to lower or to flatten. What is left of it is known natively
(`plait.model.settled`); only the properties are simplified, under the places that are constant.
"""

from __future__ import annotations

from plait.hints import cast
from plait.model.expr import Formula, IntExpr
from plait.model.plain import Plain
from plait.model.rewritten import Rewritten
from plait.model.settled import left_of
from plait.model.types import Model, Property
from plait.passes.folding import Folder
from plait.records import replace


def flat_net(model: Model, plain: Plain) -> Rewritten:
    """The model of a plain net, simplified and pruned; its properties along with it."""
    rewritten, constants = left_of(model, plain)
    folder = Folder({}, dict.fromkeys(plain.names), constants)

    def simple(p: Property) -> Property:
        if p.body is None:
            return p
        return replace(p, body=cast(Formula | IntExpr, folder.simplify(p.body)))

    properties = tuple(map(simple, model.properties))
    return replace(rewritten, model=replace(rewritten.model, properties=properties))
