"""Answers that siphons and traps give: no deadlock, and liveness of free-choice nets.

Nothing is searched but sets of places (`plait.structure.siphons`), so the answer does not depend on
how many states there are.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.engines.budget import Budget
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import Enabled
from plait.model.net import Net, as_net
from plait.model.types import Model, Property
from plait.report.answer import Answer
from plait.structure.siphons import (
    deadlock_siphon,
    is_free_choice,
    live_free_choice,
    takes_single_tokens,
)

ENGINE = "siphon-trap"
SECONDS = 2.0
"""The most time for one search for siphons."""


def has_no_deadlock(net: Net, budget: Budget) -> bool:
    """Whether siphons and traps show that no deadlock can be reached."""
    if not takes_single_tokens(net):
        return False
    return deadlock_siphon(net, _seconds(budget)).none


def liveness(model: Model, budget: Budget) -> bool | None:
    """Whether every event of a free-choice net can happen again from everywhere; None: unknown."""
    net = as_net(model)
    if not isinstance(net, Net) or not is_free_choice(net):
        return None
    return live_free_choice(net, _seconds(budget))


def asks_liveness(p: Property) -> bool:
    """Whether a property asks if some events can happen again from everywhere."""
    match p.body:
        case Forall(operand=Globally(operand=Exists(operand=Finally(operand=Enabled(events=e))))):
            return bool(e)
    return False


def live_answers(model: Model, properties: Sequence[Property], budget: Budget) -> list[Answer]:
    """The answers to those properties that ask for liveness, if the net is live; else unknown."""
    asked = any(map(asks_liveness, properties))
    live = asked and liveness(model, budget) is True
    reason = "siphons and traps do not decide it"
    return [
        Answer(p, "true", ENGINE)
        if live and asks_liveness(p)
        else Answer(p, "unknown", ENGINE, reason=reason)
        for p in properties
    ]


def _seconds(budget: Budget) -> float:
    remaining = budget.remaining()
    return SECONDS if remaining is None else min(SECONDS, remaining / 4)


__all__ = ["ENGINE", "asks_liveness", "has_no_deadlock", "live_answers", "liveness"]
