"""Rewritings from model to model, and the pipeline that makes a model flat.

Every pass keeps the meaning exactly: the same reachable states (up to `lift`), the same events
under the same titles, the same verdicts. Constants that were removed are put back by `lift`.

| pass | removes |
|---|---|
| `instantiate` | constants, ranges, parameters, loops, label arguments |
| `fold_prologue` | what is known once one process has started all the others |
| `join_rendezvous` | channels of capacity 0 |
| `lower_transient` | transient predicates |
| `settle_by_place` | what follows an event in its atomic block |
| `fold_latches` | what the event that starts a process makes known of it |
| `lower_channels` | the other channels |
| `flatten` | instances, composites and sets |
| `simplify` | what can be computed beforehand, and cells that never change |
| `prune` | events that no reachable state enables, by interval analysis |
"""

from __future__ import annotations

from plait.model.settled import settled_net
from plait.model.types import Model
from plait.passes.channels import lower_channels
from plait.passes.flatten import flatten
from plait.passes.instantiate import instantiate
from plait.passes.latches import fold_latches
from plait.passes.plain import flat_net
from plait.passes.prologue import fold_prologue
from plait.passes.prune import prune
from plait.passes.rendezvous import join_rendezvous
from plait.passes.rewritten import Lift, Pass, Rewritten, run
from plait.passes.settling import settle_by_place
from plait.passes.simplify import simplify
from plait.passes.transient import lower_transient

LOWERING: tuple[Pass, ...] = (
    instantiate,
    fold_prologue,
    join_rendezvous,
    lower_transient,
    settle_by_place,
    fold_latches,
    lower_channels,
    flatten,
)
"""What makes a model flat; the order matters."""
REDUCING: tuple[Pass, ...] = (simplify, prune)
"""What makes a flat model smaller."""


def flat(model: Model, *, reduce: bool = True) -> Rewritten:
    """The model as one elementary type of plain variables, events and labels.

    With `reduce` (the default) it is simplified too; then cells that never change are gone from its
    states, and `lift` puts them back.
    """
    if reduce and (found := flat_net(model)) is not None:
        return found
    return run(model, (*LOWERING, *REDUCING) if reduce else LOWERING)


__all__ = [
    "LOWERING",
    "REDUCING",
    "Lift",
    "Pass",
    "Rewritten",
    "flat",
    "flatten",
    "fold_latches",
    "fold_prologue",
    "instantiate",
    "join_rendezvous",
    "lower_channels",
    "lower_transient",
    "prune",
    "run",
    "settle_by_place",
    "settled_net",
    "simplify",
]
