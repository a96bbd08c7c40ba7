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
from fractions import Fraction

from plait.model.net import Net, Row
from plait.records import dataclass
from plait.structure.certificate import (
    Adding,
    Bound,
    Refutation,
    check_bound,
    check_refutation,
    takes_away,
)
from plait.structure.conserved import ConservedSets
from plait.structure.highs import Entry, Rows, Solution, is_installed, minimise
from plait.structure.linear import Atom

DENOMINATORS = (1, 12, 120, 10_000)
"""Fractions are tried with these limits, the simplest first."""
MOST = 10**6
"""An event that occurs more often is no plan for a walk."""
LARGEST = 10**7
"""Weights beyond this are noise."""


@dataclass(frozen=True, slots=True)
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
        self.available = net.ordinary and is_installed()
        self._sets = (ConservedSets(net), Adding(net)) if net.ordinary else None
        self._shown: dict[frozenset[int], Bound | None] = {}
        """What sets of places show that were checked."""
        if self.available:
            self._rows = Rows([[(p, float(d)) for p, d in c] for c in self.changes])

    def bound(self, coefficients: Mapping[int, int], seconds: float) -> Bound | None:
        """A checked bound of the sum; None without one.

        It is the least that weights can show, but for a place in a conserved set: what that shows
        is nearly always the same, and costs next to nothing.
        """
        if not self.available:
            return None
        if list(coefficients.values()) == [1]:
            (place,) = coefficients
            found_at_once = self.by_set(place)
            if found_at_once is not None:
                return found_at_once
        places = len(self.net.places)
        lower = [float(max(0, coefficients.get(p, 0))) for p in range(places)]
        cost = [float(m) for m in self.initial]
        found = self._solve(cost, lower, [], [], seconds)
        if found is None:
            return None
        for weights, denominator in rounded(found.values):
            value = sum(w * self.initial[p] for p, w in weights.items()) // denominator
            bound = Bound(weights, denominator, value)
            if check_bound(self.net, coefficients, bound):
                return bound
        return None

    def by_set(self, place: int) -> Bound | None:
        """A checked bound of a place by a set that is conserved: one token, or what it has."""
        if self._sets is None:
            return None
        sets, adding = self._sets
        found = sets.around(place)
        if found is None:
            return None
        if found not in self._shown:
            bound = Bound(dict.fromkeys(found, 1), 1, sum(self.initial[p] for p in found))
            shown = check_bound(self.net, {place: 1}, bound, adding)
            self._shown[found] = bound if shown else None
        return self._shown[found]

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
        if found.objective > -1e-9:
            return self._counts(found.duals)
        for numbers, _ in rounded(found.values):
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
        for weights, _ in rounded(found.values):
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
        at_least: Sequence[Sequence[Entry]],
        at_most_one: Sequence[Sequence[Entry]],
        seconds: float,
        *,
        most: Sequence[float] | None = None,
    ) -> Solution | None:
        """Minimise; the rows of the changes are the first.

        `most` is what each change may add to the weighted sum at most: nothing, if it is not told.
        """
        limits = [
            *((-math.inf, high) for high in most or [0.0] * len(self.changes)),
            *[(0.0, math.inf)] * len(at_least),
            *[(-math.inf, 1.0)] * len(at_most_one),
        ]
        rows = self._rows.followed_by(Rows([*at_least, *at_most_one]))
        return minimise(cost, lower, rows, limits, seconds)


def rounded(values: Sequence[float]) -> list[tuple[dict[int, int], int]]:
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
