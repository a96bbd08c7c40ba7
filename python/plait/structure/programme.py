"""The linear programmes behind the certificates, solved in floating point and rounded.

They ask for weights `w` of the places that no event increases (see `certificate`):

- a bound of a sum s: minimise `w . m0` subject to `w >= s`;
- a refutation of inequalities `a(i) . m >= b(i)`: maximise `v . b - w . m0` subject to
  `w >= sum of v(i) a(i)`, `v >= 0`, `sum of v(i) <= 1`; a positive optimum is a refutation, and
  otherwise the dual values are a solution of the state equation, on which to branch;
- that every run ends: minimise `w . m0` subject to `w >= 0`, where each event decreases the sum;
- that no run has only some of the events from somewhere on: any `w` of which these take some away.

What comes back is a proposal. It is rounded to fractions of small denominators, multiplied out, and
the checker has the last word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plait.model.net import Net, Row
from plait.structure.certificate import (
    Bound,
    Refutation,
    check_bound,
    check_refutation,
    takes_away,
)
from plait.structure.linear import Atom

DENOMINATORS = (1, 12, 120, 10_000)
"""Fractions are tried with these limits, the simplest first."""
MOST = 10**6
"""An event that occurs more often is no plan for a walk."""
LARGEST = 10**7
"""Weights beyond this are noise."""


@dataclass(frozen=True)
class Counts:
    """A solution of the state equation: how often each event occurs, and the marking then."""

    marking: list[float]
    times: dict[int, float]
    """How often each event occurs that does."""

    def plan(self) -> list[tuple[int, int]]:
        """The events, each with a whole number of times."""
        return [(e, math.ceil(t - 1e-6)) for e, t in self.times.items() if t < MOST]


class Programmes:
    """The linear programmes of one net. `available` says whether there is a solver at all."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.initial = net.initial
        # Events that change the same places alike are one row; of a net whose colours were unfolded
        # that is a fraction of them.
        rows: dict[Row, int] = {}
        self._row_of: list[int] = []
        self.events: list[int] = []
        """The first event that makes each of the changes."""
        for number, event in enumerate(net.events):
            row = rows.setdefault(event.change, len(rows))
            self._row_of.append(row)
            if row == len(self.events):
                self.events.append(number)
        self.changes = list(rows)
        try:
            import highspy
            import numpy
        except ImportError:  # the solver is a wheel of its own that a platform may lack
            self.available = False
            return
        self.available = net.ordinary
        self._highs: Any = highspy
        self._numpy: Any = numpy
        self._rows = self._matrix([[(p, float(d)) for p, d in c] for c in self.changes])

    def bound(self, coefficients: Mapping[int, int], seconds: float) -> Bound | None:
        """A checked bound of the sum, the least that weights can show; None without one."""
        if not self.available:
            return None
        places = len(self.net.places)
        lower = [float(max(0, coefficients.get(p, 0))) for p in range(places)]
        cost = [float(m) for m in self.initial]
        found = self._solve(cost, lower, [], [], seconds)
        if found is None:
            return None
        for weights, denominator in _rounded(found[0]):
            value = sum(w * self.initial[p] for p, w in weights.items()) // denominator
            bound = Bound(weights, denominator, value)
            if check_bound(self.net, coefficients, bound):
                return bound
        return None

    def refute(self, given: Sequence[Atom], seconds: float) -> Refutation | Counts | None:
        """A checked refutation, or a solution of the state equation; None when there is neither."""
        if not self.available:
            return None
        given = list(dict.fromkeys(given))
        places = len(self.net.places)
        touched = sorted({p for a in given for p, _ in a.coefficients})
        cost = [float(m) for m in self.initial] + [-float(a.bound) for a in given]
        lower = [0.0] * places
        rows: dict[int, list[tuple[int, float]]] = {p: [(p, 1.0)] for p in touched}
        for i, a in enumerate(given):
            for p, c in a.coefficients:
                rows[p].append((places + i, -float(c)))
        for p in touched:
            lower[p] = -math.inf  # the row bounds it instead
        total = [(places + i, 1.0) for i in range(len(given))]
        found = self._solve(cost, lower + [0.0] * len(given), list(rows.values()), [total], seconds)
        if found is None:
            return None
        values, duals, objective = found
        if objective > -1e-9:
            return self._counts(duals)
        for numbers, _ in _rounded(values):
            weights = {p: w for p, w in numbers.items() if p < places}
            factors = [(a, numbers.get(places + i, 0)) for i, a in enumerate(given)]
            refutation = Refutation(weights, [(a, v) for a, v in factors if v])
            if check_refutation(self.net, given, refutation):
                return refutation
        return None

    def decreasing(self, seconds: float) -> dict[int, int] | None:
        """Checked weights of which every event takes some away; None without them."""
        return self.lowering(range(len(self.net.events)), seconds)

    def lowering(
        self, events: Sequence[int], seconds: float, *, signed: bool = False
    ) -> dict[int, int] | None:
        """Checked weights, `signed` or not negative, of which each of these events takes some away.

        None without them.
        """
        if not self.available:
            return None
        # Every place costs a little, so that the weights are bounded whatever the marking is.
        cost = [0.0 if signed else float(m) + 1.0 for m in self.initial]
        lower = [-math.inf if signed else 0.0] * len(cost)
        rows = {self._row_of[n] for n in events}
        most = [-1.0 if row in rows else math.inf for row in range(len(self.changes))]
        found = self._solve(cost, lower, [], [], seconds, most=most)
        if found is None:
            return None
        for weights, _ in _rounded(found[0]):
            if takes_away(self.net, weights, events, signed=signed):
                return weights
        return None

    def _counts(self, duals: Sequence[float]) -> Counts:
        marking = [float(m) for m in self.initial]
        times: dict[int, float] = {}
        for event, change, count in zip(self.events, self.changes, duals, strict=False):
            # The rows of the events are `<= 0` and the objective is minimised: duals are <= 0.
            if count < 0:
                times[event] = -count
                for p, d in change:
                    marking[p] -= d * count
        return Counts(marking, {e: t for e, t in times.items() if t > 1e-6})

    def _solve(
        self,
        cost: Sequence[float],
        lower: Sequence[float],
        at_least: Sequence[Sequence[tuple[int, float]]],
        at_most_one: Sequence[Sequence[tuple[int, float]]],
        seconds: float,
        *,
        most: Sequence[float] | None = None,
    ) -> tuple[list[float], list[float], float] | None:
        """Minimise; values, the duals of the rows (changes first) and the objective.

        `most` is what each change may add to the weighted sum at most: nothing, if it is not told.
        """
        np, highspy = self._numpy, self._highs
        lengths, columns, factors = (
            np.concatenate(both)
            for both in zip(self._rows, self._matrix([*at_least, *at_most_one]), strict=True)
        )
        inf = highspy.kHighsInf
        count = len(self.changes)
        low = [-inf] * count + [0.0] * len(at_least) + [-inf] * len(at_most_one)
        high = list(most or [0.0] * count) + [inf] * len(at_least) + [1.0] * len(at_most_one)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(cost), len(lengths)
        lp.col_cost_ = np.array(cost)
        lp.col_lower_ = np.array([-inf if x == -math.inf else x for x in lower])
        lp.col_upper_ = np.full(len(cost), inf)
        lp.row_lower_, lp.row_upper_ = np.array(low), np.array(high)
        starts = np.zeros(len(lengths) + 1, dtype=np.int32)
        starts[1:] = np.cumsum(lengths)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = starts
        lp.a_matrix_.index_, lp.a_matrix_.value_ = columns, factors
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.setOptionValue("time_limit", max(0.01, seconds))
        solver.passModel(lp)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = solver.getSolution()
        values, duals = list(solution.col_value), list(solution.row_dual)
        return values, duals, float(solver.getInfo().objective_function_value)

    def _matrix(self, rows: Sequence[Sequence[tuple[int, float]]]) -> tuple[Any, Any, Any]:
        """Rows of a matrix: how long each is, and the columns and factors of all."""
        np = self._numpy
        return (
            np.array([len(row) for row in rows], dtype=np.int32),
            np.array([column for row in rows for column, _ in row], dtype=np.int32),
            np.array([factor for row in rows for _, factor in row], dtype=np.float64),
        )


def _rounded(values: Sequence[float]) -> list[tuple[dict[int, int], int]]:
    """The numbers as integers over a common denominator, in a few degrees of exactness."""
    if any(not math.isfinite(x) or abs(x) > LARGEST for x in values):
        return []
    found = []
    for limit in DENOMINATORS:
        fractions = {
            i: Fraction(x).limit_denominator(limit) for i, x in enumerate(values) if abs(x) > 1e-9
        }
        denominator = math.lcm(*(f.denominator for f in fractions.values()))
        if denominator > 10**30:
            continue
        found.append(({i: int(f * denominator) for i, f in fractions.items() if f}, denominator))
    return found
