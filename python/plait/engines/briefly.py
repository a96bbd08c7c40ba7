"""A short attempt with decision diagrams, before anything else is tried.

If diagrams can hold the states of a model at all, the best ranked order and saturation in rounds
often find them sooner than other techniques begin. Then every temporal formula is a question about
sets, and most take a fraction of a second. What this attempt leaves open goes to the techniques
that look for facts, runs and smaller nets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.stopped import as_far_as_limits_let, is_interrupted
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached
from plait.model.shape import shape_of
from plait.model.types import ElementaryType, Model, Property
from plait.model.vast import is_vast
from plait.report.answer import Answer

PART = 8
"""The part of the time for it."""
MOMENTS = 3
"""How many times as long as whoever only counts states it may take to find them, two seconds in
all: what comes next for a formula takes longer than to store states one by one."""
SECONDS = 10.0
"""... and so many seconds where there is no limit."""
TOO_WIDE = 4_000
"""Cells of a state, or events, from which on it takes longer than a moment to begin."""


def briefly(
    model: Model, properties: Sequence[Property], budget: Budget, tell: Callable[[Answer], None]
) -> None:
    """Tell the answers, without witnesses, to CTL and LTL properties that take but a moment."""
    branching = [p for p in properties if p.kind == "ctl"]
    linear = [p for p in properties if p.kind == "ltl"]
    if not (branching or linear) or _is_wide(model):
        return
    share = budget.share(PART)
    if share.timeout is None:
        share = Budget(SECONDS, budget.memory, budget.states)
    evidence, tuning = Evidence(model, shows_runs=False), Tuning(witnesses=False)
    with as_far_as_limits_let():
        found = Symbolic(model, evidence, tuning, brief=MOMENTS).check(branching, share, tell=tell)
        if linear:
            from plait.engines.symbolic.ltl import SymbolicLinear

            runs = SymbolicLinear(evidence, tuning, brief=MOMENTS)
            found += runs.check(linear, share, lambda _, answer: tell(answer))
        if is_interrupted(found):
            raise LimitReached("interrupted")


def _is_wide(model: Model) -> bool:
    """Whether a moment is too short even to begin."""
    system = model.system
    events = system.event_count if isinstance(system, ElementaryType) else 0
    return is_vast(model) or max(shape_of(model).width, events) > TOO_WIDE


__all__ = ["briefly"]
