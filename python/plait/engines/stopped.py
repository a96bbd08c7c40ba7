"""The state space of which nothing but the first state is known, and why."""

from __future__ import annotations

from plait.engines.budget import Budget, peak_memory
from plait.report.answer import StateSpace


def stopped_space(engine: str, reason: str, budget: Budget) -> StateSpace:
    """What an engine tells that was stopped before it had counted anything."""
    return StateSpace(
        complete=False,
        reason=reason,
        states=1,
        arcs=None,
        deadlocks=None,
        max_value=None,
        max_sum=None,
        engine=engine,
        seconds=budget.elapsed,
        peak_memory_bytes=peak_memory(),
    )


__all__ = ["stopped_space"]
