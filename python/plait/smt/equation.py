"""The state equation put to a solver of linear arithmetic, where linear programmes give up.

A goal with a rich Boolean structure has too many cases for one linear programme each
(`plait.structure.equation`); a solver decides cases and inequalities together, in exact rationals.
It is asked for counts x >= 0 of the events such that m = m0 + C x is a marking that satisfies the
goal. A solution that cannot be one of the net is excluded by what it violates, and the question is
put again:

- a *trap* that is marked at first stays marked (`plait.structure.traps`);
- an event that occurs although a place it takes from holds too little at first needs *another*
  event that occurs and puts something there (the first occurrence of an event has a cause).

First counts are rationals, then integers. The end is a refutation, or a solution that nothing
excludes. Such a solution is tried out: its events are executed, each as often as it says, in any
order that works (`_execute`). A run to the goal is an answer, too; otherwise nothing is said.

A refutation is believed when a fresh solver, over integers and with another seed, refutes the same
inequalities from the beginning; that the traps are marked ones is checked without any solver.

Only for nets without inhibitor and reset arcs, and for goals whose sums do not leave the integers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import z3

from plait.model.net import Net
from plait.structure.certificate import is_marked_trap
from plait.structure.linear import Atom, Goal, fold_goal, holds
from plait.structure.linear import atom as inequality
from plait.structure.traps import Traps

Term = Any
ROUNDS = 500
"""Solutions that are excluded before a goal is given up."""
SEED = 1_000_003
ATTEMPTS = 20
"""Orders in which the events of a solution are tried."""
LONGEST = 100_000
"""Events of a solution that is tried at all."""


class Equation:
    """Questions to the state equation of one net."""

    def __init__(self, net: Net, end: float | None = None) -> None:
        """`end` is when to stop, by the monotonic clock."""
        assert net.ordinary
        self.net = net
        self.end = end
        self.traps = Traps(net)
        self.learnt: list[Atom] = []
        """Marked traps, for all goals."""
        self.causes: set[tuple[int, int]] = set()
        """Pairs of an event and a place that holds too little for it at first, for all goals."""
        self.run: list[int] | None = None
        """Events that lead to the goal that was asked for last, if such were found."""
        self.plan: list[tuple[int, int]] | None = None
        """How often events occur in the last solution for it."""
        self._producers: dict[int, list[int]] = {}
        for number, event in enumerate(net.events):
            for place, change in event.change:
                if change > 0:
                    self._producers.setdefault(place, []).append(number)

    def unreachable(self, goal: Goal, seconds: float | None = None) -> bool:
        """Whether it is shown that no reachable marking satisfies the goal.

        If it is not, `run` may have a run to such a marking.
        """
        self.run = self.plan = None
        end = self._end(seconds)
        for whole in (False, True):
            verdict = self._refute(goal, whole, end)
            if verdict == "unsat":
                return self._again(goal, end)
            if verdict == "unknown":
                return False
        return False

    def least_bound(
        self, places: Mapping[int, int], low: int, high: int, seconds: float | None = None
    ) -> int:
        """The least number found between two that the sum never exceeds; `high` is one already.

        By bisection: what `low` is at least may be reached, so no number below it is tried.
        """
        end = self._end(seconds)
        while low < high:
            middle = (low + high) // 2
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                break
            if self.unreachable(inequality(dict(places), middle + 1), left):
                high = middle
            else:
                low = middle + 1
        return high

    # --- one question -----------------------------------------------------------------------------

    def _refute(self, goal: Goal, whole: bool, end: float | None) -> str:
        system = _System(self.net, whole, _solver(0))
        system.add_goal(goal)
        for trap in self.learnt:
            system.add_atom(trap)
        for event, place in self.causes:
            system.add_cause(event, self._causes(event, place))
        for _ in range(ROUNDS):
            verdict = system.ask(end)
            if verdict != "sat":
                return verdict
            if not self._exclude(system):
                counts = system.solution()[0]
                self.plan = [(t, math.ceil(c)) for t, c in enumerate(counts) if 0 < c < LONGEST]
                if whole:
                    self.run = self._execute(counts, goal, end)
                return "sat"
        return "unknown"

    def _execute(self, counts: list[Fraction], goal: Goal, end: float | None) -> list[int] | None:
        """The events, each so often, in an order in which they can occur, up to the goal."""
        random = Random(SEED)
        occurring = [t for t, times in enumerate(counts) if times]
        if sum(int(counts[t]) for t in occurring) > LONGEST:
            return None
        for _ in range(ATTEMPTS):
            left = {t: int(counts[t]) for t in occurring}
            marking: tuple[int, ...] = self.net.initial
            run: list[int] = []
            while not holds(goal, marking):
                able = [t for t in left if self.net.events[t].enabled(marking)]
                if not able or (end is not None and time.monotonic() > end):
                    break
                chosen = random.choice(able)
                run.append(chosen)
                marking = self.net.events[chosen].fire(marking)
                left[chosen] -= 1
                if not left[chosen]:
                    del left[chosen]
            else:
                return run
        return None

    def _exclude(self, system: _System) -> bool:
        """Learn what the solution violates; whether there was anything."""
        counts, marking = system.solution()
        trap = self.traps.excluding(marking)
        if trap is not None and trap not in self.learnt:
            self.learnt.append(trap)
            system.add_atom(trap)
            return True
        found = False
        for event, place in self._uncaused(counts):
            if (event, place) not in self.causes:
                self.causes.add((event, place))
                system.add_cause(event, self._causes(event, place))
                found = True
        return found

    def _uncaused(self, counts: list[Fraction]) -> Iterator[tuple[int, int]]:
        """Events that occur, with a place that holds too little at first and gets nothing."""
        for number, times in enumerate(counts):
            if not times:
                continue
            for place, weight in self.net.events[number].pre:
                if self.net.places[place].initial >= weight:
                    continue
                if not any(counts[t] for t in self._causes(number, place)):
                    yield number, place

    def _causes(self, event: int, place: int) -> list[int]:
        return [t for t in self._producers.get(place, ()) if t != event]

    def _again(self, goal: Goal, end: float | None) -> bool:
        """The refutation once more, by another solver, with everything that was learnt checked."""
        system = _System(self.net, True, _solver(SEED))
        for trap in self.learnt:
            places = [p for p, c in trap.coefficients if c == 1]
            if trap.bound != 1 or len(places) != len(trap.coefficients):
                return False
            if not is_marked_trap(self.net, places):
                return False
            system.add_atom(trap)
        for event, place in self.causes:
            pre = dict(self.net.events[event].pre)
            if self.net.places[place].initial >= pre.get(place, 0):
                return False
            system.add_cause(event, self._causes(event, place))
        system.add_goal(goal)
        return system.ask(end) == "unsat"

    def _end(self, seconds: float | None) -> float | None:
        ends = [] if self.end is None else [self.end]
        if seconds is not None:
            ends.append(time.monotonic() + seconds)
        return min(ends, default=None)


class _System:
    """The equation in a solver: a count for each event, the marking as sums of them."""

    def __init__(self, net: Net, whole: bool, solver: Any) -> None:
        self.net = net
        self.solver = solver
        make = z3.Int if whole else z3.Real
        self.counts = [make(f"x{i}") for i in range(len(net.events))]
        for count in self.counts:
            solver.add(count >= 0)
        parts: list[list[Term]] = [[] for _ in net.places]
        for count, event in zip(self.counts, net.events, strict=True):
            for place, change in event.change:
                parts[place].append(count if change == 1 else change * count)
        constant = z3.IntVal if whole else z3.RealVal
        self.marking: list[Term] = []
        for number, (first, sums) in enumerate(zip(net.initial, parts, strict=True)):
            if not sums:
                self.marking.append(constant(first))
                continue
            tokens = make(f"m{number}")
            solver.add(tokens == z3.Sum(constant(first), *sums), tokens >= 0)
            self.marking.append(tokens)

    def add_atom(self, a: Atom) -> None:
        """An inequality of the marking."""
        self.solver.add(self._atom(a))

    def add_cause(self, event: int, causes: list[int]) -> None:
        """The event occurs only if one of its causes does."""
        some = z3.Or(*(self.counts[t] > 0 for t in causes))
        self.solver.add(z3.Implies(self.counts[event] > 0, some))

    def add_goal(self, goal: Goal) -> None:
        """The goal; shared parts are made once, and depth does not matter."""
        self.solver.add(
            fold_goal(goal, self._atom, lambda every, parts: (z3.And if every else z3.Or)(*parts))
        )

    def ask(self, end: float | None) -> str:
        """The solver's verdict before the end."""
        if end is not None:
            left = end - time.monotonic()
            if left <= 0:
                return "unknown"
            self.solver.set("timeout", max(1, int(left * 1000)))
        return str(self.solver.check())

    def solution(self) -> tuple[list[Fraction], list[float]]:
        """The counts, and the marking."""
        model = self.solver.model()

        def value(term: Term) -> Fraction:
            return Fraction(str(model.eval(term, model_completion=True).as_fraction()))

        def whole(term: Term) -> Fraction:
            return Fraction(model.eval(term, model_completion=True).as_long())

        read = whole if self.counts and z3.is_int(self.counts[0]) else value
        return [read(c) for c in self.counts], [float(read(m)) for m in self.marking]

    def _atom(self, a: Atom) -> Term:
        terms = [self.marking[p] if c == 1 else c * self.marking[p] for p, c in a.coefficients]
        return z3.Sum(*terms) >= a.bound


def _solver(seed: int) -> Any:
    solver = z3.SimpleSolver()
    solver.set("random_seed", seed)
    return solver
