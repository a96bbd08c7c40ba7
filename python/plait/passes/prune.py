"""Removal of events that no reachable state enables, as far as interval analysis can tell.

The analysis (`plait.passes.domains`) executes events abstractly from the initial values; an event
that it never gets to execute is never executed. A labelled event goes too when every event that
calls it does.
"""

from __future__ import annotations

from dataclasses import replace

from plait.model.types import ElementaryType, Model
from plait.passes.domains import domains
from plait.passes.rewritten import Rewritten, run
from plait.passes.simplify import simplify


def prune(model: Model) -> Rewritten:
    """The flat model without impossible events; simplified again when there were any."""
    if not isinstance(model.system, ElementaryType):
        raise ValueError("only a flat model can be pruned; see plait.passes.flat")
    events = model.system.events
    possible = domains(model).possible
    if len(possible) == len(events):
        return Rewritten(model)
    kept = tuple(e for i, e in enumerate(events) if i in possible)
    pruned = replace(model, types=(replace(model.system, events=kept),))
    return run(pruned, [simplify])
