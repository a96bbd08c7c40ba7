"""Whether something other than time can always happen.

Where time passes for ever there is no deadlock, though nothing else may be left that can happen:
Uppaal calls that a deadlock, and who asks nothing in particular wants to know of it.
"""

from __future__ import annotations

from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Enabled
from plait.model.types import ELAPSE, ElementaryType, Model, Property


def actions_of(model: Model) -> tuple[str, ...]:
    """The events that are not steps of time, of a model in which time passes; else none."""
    system = model.system
    if not isinstance(system, ElementaryType) or system.plain is not None:
        return ()
    names = tuple(e.name for e in system.events)
    return tuple(name for name in names if name != ELAPSE) if ELAPSE in names else ()


def stuck_asked(model: Model) -> list[Property]:
    """That an action can always happen, sooner or later, if time passes in the model."""
    actions = actions_of(model)
    if not actions:
        return []
    body = Forall(Globally(Exists(Finally(Enabled(actions)))))
    asks = "something but time can always happen, now or later"
    return [Property("stuck", kind="ctl", body=body, asks=asks)]


__all__ = ["actions_of", "stuck_asked"]
