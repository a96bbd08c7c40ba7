"""The reachable states of a model as one decision diagram.

They are computed at once, by saturation unless another strategy is asked for, in one variable order
and strategy after another (`attempts`) until one is good enough. What an attempt has found stays
cached in its diagrams, so that the next one in the same order soon comes to where it was stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from plait import _core
from plait.engines.budget import OF_DIAGRAMS, Budget, Listener, teller
from plait.engines.prepared import Prepared
from plait.engines.symbolic.attempts import attempts, explored
from plait.engines.symbolic.orders import Levels, Order
from plait.engines.symbolic.tuning import PARTIAL, Strategy, Tuning
from plait.errors import LimitReached, error

ENGINE = "symbolic"


class Diagrams:
    """A prepared model in diagrams of one variable order."""

    def __init__(
        self,
        prepared: Prepared,
        order: Order,
        tuning: Tuning,
        listen: Listener | None = None,
    ) -> None:
        """Nothing is computed yet."""
        self.prepared, self.order, self.tuning, self.listen = prepared, order, tuning, listen
        self.stats: dict[str, object] = {}
        program, pregenerated = prepared.compiled.program, tuning.locals == "pregenerated"
        started = time.monotonic()
        try:
            self.core = _core.Symbolic(program, order.levels, pregenerated=pregenerated)
        except ValueError as failure:
            # The local states of a level alone may have no end.
            raise LimitReached(str(failure)) from None
        self._encoding = time.monotonic() - started

    def limit(self, budget: Budget) -> None:
        """What the diagrams may use for what follows."""
        self.core.limit(
            timeout=budget.remaining(),
            memory=budget.memory,
            strict=self.tuning.strict,
            progress=teller(ENGINE, self.listen, budget, OF_DIAGRAMS),
        )

    def explore(self, strategy: Strategy, budget: Budget) -> str | None:
        """Find the reachable states; why they were not found, if they were not."""
        started = time.monotonic()
        self.limit(budget)
        try:
            self.core.explore(strategy)
        except _core.StoppedError as stop:
            return str(stop.args[0])
        except _core.ProgramError as failure:
            raise self.prepared.located(failure) from None
        self.stats = {
            "strategy": strategy,
            "order": self.order.name,
            "levels": len(self.order.levels),
            "encode_seconds": round(self._encoding, 6),
            "reach_seconds": round(time.monotonic() - started, 6),
        }
        return None

    @property
    def reached(self) -> _core.StateSet:
        """The reachable states as a set, which is made when it is first asked for."""
        return self.core.reach()

    def figures(self) -> dict[str, object]:
        """How the states were found, and what the diagrams have come to."""
        return {**self.stats, "final_nodes": self.core.size(), **self.core.statistics()}

    def max_value(self) -> int | None:
        """The greatest value of a cell, those that the passes removed included."""
        first = self.prepared.lift(self.prepared.compiled.program.initial())
        reached = self.core.max_value()
        return max(first, default=None) if reached is None else max(reached, *first)

    def max_sum(self) -> int | None:
        """The greatest sum of all cells; those that the passes removed are constants."""
        bounds = self.core.sum_bounds()
        if bounds is None:
            return None
        first = self.prepared.compiled.program.initial()
        return bounds[1] + sum(self.prepared.lift(first)) - sum(first)


def reach(
    prepared: Prepared,
    tuning: Tuning,
    budget: Budget,
    listen: Listener | None = None,
    look: Callable[[], None] | None = None,
    *,
    brief: float = 0,
) -> Diagrams:
    """The reachable states; `StoppedError` when the budget is too small.

    `look` is called when a moment for each order was not enough, and may raise what it will. With
    `brief` the best ranked order has so many moments, and that is all.
    """
    if tuning.strategy == PARTIAL:
        raise error("all states are needed here, and the strategy partial does not find them")
    begun: dict[Levels, Diagrams] = {}
    reason: str | None = "timeout"
    for order, strategy, share in attempts(prepared, tuning, budget, look, brief=brief):
        diagrams = begun.pop(order.levels, None) or Diagrams(prepared, order, tuning, listen)
        if share is budget:
            # The last one needs the memory of the others.
            begun.clear()
        reason = explored(partial(diagrams.explore, strategy), share, budget)
        if reason is None:
            # What was a moment for this order is the whole budget for the questions.
            diagrams.limit(budget)
            return diagrams
        if reason == "interrupted":
            raise _core.StoppedError(reason)
        if share is budget:
            # Another order may need less memory, but no less time than there is.
            if reason != "memory" or budget.remaining() == 0:
                break
        elif reason == "timeout":
            begun[order.levels] = diagrams
    raise _core.StoppedError(reason)


__all__ = ["ENGINE", "Diagrams", "reach"]
