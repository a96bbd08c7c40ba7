"""Models with many initial states: the step that chooses one, recognised and removed.

A model has one initial state; a language where variables may begin with any value puts a step
before (`plait.lang.milestones`). A language that is written and can say the same itself gets the
model as it was: no such step, a list of the variables that are open, and the formulas without the
`X` that stands for the step.
"""

from __future__ import annotations

from plait.lang.milestones.translate import CHOSEN, INIT
from plait.logic.formula import Forall, Next
from plait.model.expr import Compare, Formula, Var
from plait.model.stmt import Assign, Call
from plait.model.types import ElementaryType, Event, Model, Property
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Begun:
    """A model after its choice of initial values, and the variables that were chosen."""

    model: Model
    type: ElementaryType
    open: frozenset[str]


def begun(model: Model, type_: ElementaryType) -> Begun:
    """The model as if it began after the choice; as it is when there is none."""
    first = next((e for e in type_.events if e.name == INIT and _chooses(e)), None)
    if first is None:
        return Begun(model, type_, frozenset())
    labels = {s.label for s in first.body if isinstance(s, Call)}
    events = [e for e in type_.events if e is not first]
    chosen = {e for e in events if e.label is not None and e.label.name in labels}
    targets = {s.target.name for e in chosen for s in e.body if isinstance(s, Assign)}
    kept = tuple(
        replace(e, guard=tuple(g for g in e.guard if not _asks(g)))
        for e in events
        if e not in chosen
    )
    variables = tuple(v for v in type_.variables if v.name != CHOSEN)
    changed = replace(type_, variables=variables, events=kept)
    properties = tuple(map(_after, model.properties))
    made = replace(model, types=(changed,), properties=properties)
    return Begun(made, changed, frozenset(targets))


def has_choice(model: Model) -> bool:
    """Whether the first step of a model chooses initial values."""
    return any(e.name == INIT and _chooses(e) for e in model.system.events)


def _chooses(event: Event) -> bool:
    return any(isinstance(s, Assign) and s.target.name == CHOSEN for s in event.body)


def _asks(condition: Formula) -> bool:
    return (
        isinstance(condition, Compare)
        and isinstance(condition.left, Var)
        and condition.left.name == CHOSEN
    )


def _after(p: Property) -> Property:
    """The property, of the states after the choice."""
    body = p.body
    if isinstance(body, Forall) and isinstance(body.operand, Next):
        return replace(p, body=body.operand.operand)
    return replace(p, body=body.operand) if isinstance(body, Next) else p
