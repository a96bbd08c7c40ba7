"""Inert events: no other event and no property depends on whether they have happened.

A process of Promela that is at its end disappears as soon as it is the youngest, and its number is
free. Where no statement asks for numbers, what the others can do is the same before and after,
whatever numbers they get. A language that knows this marks such an event `inert`; which promise
that is, and why a reduction may execute the event before all others, says
`plait_reduction::Selector::with_inert`.

Nothing in the model can tell, but a property may: one that names a process by its number, or
that looks at what the event changes. So the marks stay only where each property either does not
speak of any process, or says itself that it speaks of all alike (`Property.unnumbered`). Where
nothing is asked, deadlocks are counted, and these differ in who lingers.
"""

from __future__ import annotations

from plait.model.expr import Enabled, Formula, Var
from plait.model.node import nodes
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Model, Property
from plait.passes.walk import statements
from plait.records import replace


def keep_inert(model: Model) -> Model:
    """The flat model with its events marked inert only where no property can tell."""
    type_ = model.system
    if not isinstance(type_, ElementaryType) or type_.plain is not None:
        return model
    inert = [e for e in type_.events if e.inert]
    if not inert:
        return model
    changed = {s.target.name for e in inert for s in statements(e.body) if isinstance(s, Assign)}
    owners = {p.name for p in type_.processes}
    if model.properties and not any(_tells(p, changed, owners) for p in model.properties):
        return model
    events = tuple(replace(e, inert=False) if e.inert else e for e in type_.events)
    types = tuple(replace(t, events=events) if t is type_ else t for t in model.types)
    return replace(model, types=types)


def _tells(asked: Property, changed: set[str], owners: set[str]) -> bool:
    """Whether the property may depend on who has which number, or on what the events change."""
    if asked.unnumbered or asked.kind == "deadlock":
        return False
    if not isinstance(asked.body, Formula):
        return True
    for node in nodes(asked.body):
        if isinstance(node, Enabled):
            return True
        if isinstance(node, Var) and (node.name in changed or _owner(node.name) in owners):
            return True
    return False


def _owner(variable: str) -> str:
    return variable.partition(".")[0]
