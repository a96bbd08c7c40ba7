"""Ceilings: weighted sums that exclude a demand, from one linear programme that stays as it is.

No reachable marking covers a demand d if there are weights `y >= 0` and factors `u >= 0` of marked
traps with `y . d` above the ceiling that they have (`certificate.Ceiling`). By Farkas' lemma that
is so exactly if the state equation, with those traps, has no solution that covers d. The weights
and factors of all ceilings are a cone that does not depend on d; of its elements whose sum is at
most 1 the programme wants the one with most of `y . (d - m0) - u . (m0(trap) - 1)`. So from one
demand to the next only the objective changes, and the solver goes on where it was. Where nothing
above 0 is found, the dual values are a solution of the state equation; a marked trap that it leaves
empty is another column (Esparza, Ledesma-Garza, Majumdar, Meyer and Niksic, "An SMT-based approach
to coverability analysis", 2014).

What comes back was checked in exact integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

from plait.model.net import Net
from plait.structure.certificate import Ceiling, check_ceiling
from plait.structure.highs import is_installed
from plait.structure.linear import Atom
from plait.structure.programme import rounded
from plait.structure.traps import Traps

TRAPS, TRIED = 200, 6
"""Traps that are remembered, and that are looked for because of one demand."""
EPSILON = 1e-7


class Ceilings:
    """The ceilings of one net; `available` says whether there is a solver."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.available = is_installed()
        self._initial = net.initial
        self._rows = [
            dict(row) for row in {_change(net, number) for number in range(len(net.events))}
        ]
        resets = any(e.reset for e in net.events)
        self._traps: Traps | None = None if resets else Traps(net)
        self._known: list[Atom] = []
        self._solver: Any = None

    def excluding(self, demand: Sequence[tuple[int, int]], seconds: float) -> Ceiling | None:
        """A ceiling that no marking above the demand keeps; None when none was found."""
        if not self.available:
            return None
        solver = self._ready()
        solver.setOptionValue("time_limit", solver.getRunTime() + max(0.01, seconds))
        needs = dict(demand)
        for p, n in needs.items():
            solver.changeColCost(p, float(self._initial[p] - n))
        try:
            for _ in range(TRIED):
                found = self._solve(needs)
                if not isinstance(found, list):
                    return found
                if not self._learn(found):
                    break
            return None
        finally:
            for p in needs:
                solver.changeColCost(p, float(self._initial[p]))

    def _solve(self, needs: dict[int, int]) -> Ceiling | list[float] | None:
        """A checked ceiling; or the marking of a solution of the state equation."""
        import highspy

        solver = self._solver
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found = solver.getSolution()
        if solver.getInfo().objective_function_value > -EPSILON:
            marking = [float(m) for m in self._initial]
            for row, dual in zip(self._rows, found.row_dual, strict=False):
                if dual:
                    for p, d in row.items():
                        marking[p] -= d * dual
            return marking
        places = len(self._initial)
        for numbers, _ in rounded(list(found.col_value)):
            ceiling = self._ceiling(numbers, places)
            reached = sum(w * needs.get(p, 0) for p, w in ceiling.weights.items())
            if reached > ceiling.value and check_ceiling(self.net, ceiling):
                return ceiling
        return None

    def _ceiling(self, numbers: dict[int, int], places: int) -> Ceiling:
        common = gcd(*numbers.values()) or 1
        numbers = {i: n // common for i, n in numbers.items() if n > 0}
        weights = {p: n for p, n in numbers.items() if p < places}
        traps = [(a, numbers.get(places + i, 0)) for i, a in enumerate(self._known)]
        used = [(a, u) for a, u in traps if u]
        value = sum(w * self._initial[p] for p, w in weights.items())
        value += sum(u * (self._tokens(a) - 1) for a, u in used)
        return Ceiling(weights, used, value)

    def _tokens(self, trap: Atom) -> int:
        return sum(self._initial[p] for p, _ in trap.coefficients)

    def _learn(self, marking: list[float]) -> bool:
        """Add a trap that this marking leaves empty; whether there is one."""
        if self._traps is None or len(self._known) >= TRAPS:
            return False
        trap = self._traps.excluding(marking)
        if trap is None or trap in self._known:
            return False
        import numpy as np

        inside = {p for p, _ in trap.coefficients}
        sums = [sum(d for p, d in row.items() if p in inside) for row in self._rows]
        entries = [(i, float(d)) for i, d in enumerate(sums) if d] + [(len(self._rows), 1.0)]
        index = np.array([i for i, _ in entries], dtype=np.int32)
        value = np.array([d for _, d in entries], dtype=float)
        cost = float(self._tokens(trap) - 1)
        self._solver.addCol(cost, 0.0, float("inf"), len(entries), index, value)
        self._known.append(trap)
        return True

    def _ready(self) -> Any:
        """The solver with the cone of all ceilings, cut off where the weights add up to 1."""
        if self._solver is not None:
            return self._solver
        import highspy
        import numpy as np

        width, height = len(self._initial), len(self._rows) + 1
        rows = [[(p, float(d)) for p, d in sorted(row.items())] for row in self._rows]
        rows.append([(p, 1.0) for p in range(width)])
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = width, height
        lp.col_cost_ = np.array(self._initial, dtype=float)
        lp.col_lower_, lp.col_upper_ = np.zeros(width), np.full(width, np.inf)
        lp.row_lower_ = np.full(height, -np.inf)
        lp.row_upper_ = np.array([0.0] * (height - 1) + [1.0])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        lp.a_matrix_.index_ = np.array([p for row in rows for p, _ in row], dtype=np.int32)
        lp.a_matrix_.value_ = np.array([d for row in rows for _, d in row], dtype=float)
        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        self._solver.passModel(lp)
        return self._solver


def _change(net: Net, number: int) -> tuple[tuple[int, int], ...]:
    """What an event adds to each place at most: a place that is emptied may lose more."""
    event = net.events[number]
    change = dict(event.post)
    for p, w in event.pre:
        change[p] = change.get(p, 0) - w
    return tuple((p, d) for p, d in sorted(change.items()) if d)


__all__ = ["Ceilings"]
