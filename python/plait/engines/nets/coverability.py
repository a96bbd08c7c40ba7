"""Coverability of a net, with or without a bound: backward search, pruned by the state equation.

The search is native (`plait_net::cover`): from the demands of a goal back to what must be there
before each event, in bases of minimal demands. Before demands are expanded, a linear programme
looks for ceilings that exclude them (`plait.structure.ceilings`), as long as that pays. A basis to
which nothing is to be added shows that the goal is unreachable; it is believed after a second look
that shares nothing with the search. A run that the search finds is one of the net, which whoever
asked replays.

A search is kept from one turn to the next and goes on where it was.
"""

from __future__ import annotations

import time

from plait import _core
from plait.engines.budget import Budget
from plait.errors import LimitReached
from plait.model.net import Net
from plait.records import dataclass, field
from plait.structure.ceilings import Ceilings
from plait.structure.linear import Goal
from plait.structure.upward import LARGEST, upward

ENGINE = "coverability"
BATCH = 16
"""Demands that are looked at by linear programmes before they are expanded."""
STRETCH = 0.2
"""Seconds of search without linear programmes, at least, where they do not pay."""
MOST = 1 << 30
"""Demands that are expanded in such a stretch, if there is time."""
PAYS = 32
"""Linear programmes one of which must exclude something for all of them to pay."""
WRONG = "internal error: the basis of demands that was found is not closed"


@dataclass(frozen=True, slots=True)
class Covered:
    """What a search came to: a run, or that there is none; or neither (yet)."""

    events: list[int] | None = None
    nowhere: bool = False
    wrong: bool = False
    """The basis that was found did not stand the second look."""
    stats: dict[str, object] = field(default_factory=dict)


class Coverability:
    """One goal of one net."""

    def __init__(self, net: Net, goal: Goal, wraps: bool = False) -> None:
        """With `wraps` sums of the goal may wrap around."""
        self._search: _core.Backward | None = None
        found = upward(net, goal, wraps)
        if found is None:
            return
        self._search = _core.Backward(
            found.net.initial,
            [(e.pre, e.post, e.reset) for e in found.net.events],
            found.demands,
        )
        self._ceilings = Ceilings(found.net)
        self._number = 0
        self._vain = 0 if self._ceilings.available else PAYS
        """Linear programmes since the last one that excluded something."""
        self._solved = 0.0
        """Seconds that they took since the last stretch without them."""

    @property
    def size(self) -> int:
        """Demands that the search holds."""
        return 0 if self._search is None else self._search.figures[1]

    def search(self, budget: Budget) -> Covered:
        """Go on within a budget."""
        while (search := self._search) is not None:
            self._solved += self._exclude(search, budget)
            count, stretch = BATCH, budget.remaining()
            if self._vain >= PAYS:
                # As long as they took; then they are tried again.
                count, self._vain = MOST, PAYS - BATCH
                most = max(STRETCH, self._solved)
                self._solved, stretch = 0.0, most if stretch is None else min(most, stretch)
            outcome, events = search.expand(count, timeout=stretch, memory=budget.memory)
            if outcome == "closed":
                return self._closed(search, budget)
            if outcome == "interrupted":
                raise LimitReached("interrupted")
            if outcome == "covered":
                self._search = None
                return Covered(events, stats=self._stats(search))
            if outcome not in ("paused", "timeout"):
                self._search = None  # the memory is used up, or numbers are too large
            elif budget.remaining() == 0:
                break
        return Covered()

    def _exclude(self, search: _core.Backward, budget: Budget) -> float:
        """Look for ceilings of the next demands; the seconds that it took."""
        began = time.monotonic()
        for demand in search.waiting(BATCH) if self._ceilings.available else ():
            seconds = budget.part(1 / 2, 10.0)
            if seconds <= 0.005 or self._vain >= PAYS:
                break
            ceiling = self._ceilings.excluding(demand, seconds)
            self._vain += 1
            if ceiling is None or ceiling.value >= LARGEST:
                continue
            weights = sorted(ceiling.weights.items())
            if max(w for _, w in weights) < LARGEST:
                search.limit(weights, ceiling.value)
                self._number += 1
                self._vain = 0
        return time.monotonic() - began

    def _closed(self, search: _core.Backward, budget: Budget) -> Covered:
        """Look at the basis a second time before it is believed."""
        shown, reason = search.shown(timeout=budget.remaining(), memory=budget.memory)
        if reason == "interrupted":
            raise LimitReached("interrupted")
        if shown is None:
            return Covered()
        self._search = None
        return Covered(nowhere=shown, wrong=not shown, stats=self._stats(search))

    def _stats(self, search: _core.Backward) -> dict[str, object]:
        minimal, met, _ = search.figures
        return {"basis": minimal, "demands": met, "ceilings": self._number}


__all__ = ["ENGINE", "WRONG", "Coverability", "Covered"]
