"""Facts: which conditions are true in no reachable state, as far as that is seen in a short time.

Walks find the conditions that are true somewhere; of the others pairs of values and the state
equation, by linear programmes and by a solver, show for some that they never are. Nothing is said
of the rest. The model must be a net, whose conditions are always defined. Linear programmes may
also show that every run ends, that none stays for ever where a condition is true, or that from
wherever it is true some run leads to where it is not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from plait import _core
from plait.engines.budget import Budget
from plait.engines.nets.equations import LinearQuestion, Unreachable, solve
from plait.engines.nets.siphon_trap import has_no_deadlock
from plait.engines.nets.value_pairs import ValuePairs
from plait.engines.prepared import Prepared, prepare
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula
from plait.model.net import Net
from plait.model.types import Model, Property
from plait.structure import linear
from plait.structure.equation import StateEquation
from plait.structure.escape import Escapes
from plait.structure.linear import Goal, Linear, NotLinear
from plait.structure.programme import Programmes
from plait.structure.ranking import is_left

WALKED = 0.15
"""The part of the time for walks."""
PAIRED = 0.2
"""The part of what is left for pairs of values."""
EQUATION = 0.6
"""The part of what is left for linear programmes; the rest is the solver's."""
RANKED = 0.5
"""The part of the time for weights that show what no run stays in."""
LEAST = 0.3
"""Seconds that the solver needs at least."""
LARGEST = 5_000
"""Inequalities of a condition that is looked at."""
STEPS = 2_000_000
"""Steps of walks a second."""
MOST_STEPS = 20_000_000
"""... and all together."""
LENGTH = 1 << 14


_IsLeft = Callable[[Goal, float], bool]
"""Whether runs leave the markings of a goal, seen in so many seconds."""


class Seen(NamedTuple):
    """What is known of a condition: whether it is true at first, and that it never is."""

    initially: bool | None
    never: bool


class Facts:
    """Conditions of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._seed = 0
        self._pairs = ValuePairs()
        self._tokens: int | None = None
        self._sought = 0.0
        """Seconds that a bound of all tokens was looked for."""
        self._programmes: Programmes | None = None
        self._ends: bool | None = None
        self._deadlocks: bool | None = None
        """Whether there may be a deadlock; None before that was looked at."""

    def every_run_ends(self, budget: Budget) -> bool:
        """Whether weights of places show that there is no infinite run; looked at once."""
        if self._ends is None:
            prepared = prepare(self.model)
            net = prepared.net
            self._ends = isinstance(net, Net) and self._is_finite(net, budget)
        return self._ends

    def _equation(self, net: Net) -> StateEquation:
        """The state equation of the net, set up once."""
        if self._programmes is None or self._programmes.net is not net:
            self._programmes = Programmes(net)
        return StateEquation(net, self._programmes)

    def _is_finite(self, net: Net, budget: Budget) -> bool:
        equation = self._equation(net)
        if not net.ordinary or not equation.available:
            return False
        steps = equation.longest_run(budget.part(1 / 2, 5.0))
        if steps is None:
            return False
        # So few steps cannot make any place leave the integers.
        most = max((w for e in net.events for _, w in e.post), default=0)
        return max(net.initial, default=0) + steps * most <= INT_MAX

    def always_left(self, conditions: Sequence[Formula], budget: Budget) -> list[bool]:
        """For each condition, whether every run comes to a state in which it is not true.

        No run stays where it is true without an end (`ranking`), and no deadlock is there: siphons
        and traps show that there is none at all, or the equation that none is there.
        """

        def way(net: Net, ranked: Budget) -> _IsLeft:
            bounded = self._most_tokens(net, ranked) is not None
            return partial(is_left, self._equation(net), bounded=bounded)

        net, left = self._left(conditions, budget, way)
        found = set() if net is None else self._without_deadlock(net, left, budget)
        return [i in found for i in range(len(conditions))]

    def sometimes_left(self, conditions: Sequence[Formula], budget: Budget) -> list[bool]:
        """For each condition, whether from each state in which it is true some run comes to one in
        which it is not."""
        _, left = self._left(conditions, budget, lambda net, _: Escapes(self._equation(net)).exist)
        return [i in left for i in range(len(conditions))]

    def _left(
        self,
        conditions: Sequence[Formula],
        budget: Budget,
        way: Callable[[Net, Budget], _IsLeft],
    ) -> tuple[Net | None, dict[int, Goal]]:
        """The net, if the model is one, and the conditions that runs leave in some way."""
        asked = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(conditions)]
        prepared = prepare(self.model, asked)
        net = prepared.net
        left: dict[int, Goal] = {}
        if not isinstance(net, Net) or not net.ordinary:
            return None, left
        goals = self._goals(prepared, net, budget)
        ranked = Budget(budget.part(RANKED, 5.0))
        leaves = way(net, ranked)
        for i, goal in enumerate(goals):
            share = ranked.share(len(goals) - i).timeout
            if share is None or share <= 0.005:
                break
            if goal is not None and leaves(goal, share):
                left[i] = goal
        return net, left

    def _without_deadlock(self, net: Net, goals: dict[int, Goal], budget: Budget) -> set[int]:
        """Those of the goals that no deadlock satisfies."""
        dead = linear.deadlocked(net)
        if not goals or linear.size(dead) > LARGEST:
            return set()
        if self._deadlocks is None:
            part = budget.share(2)
            none = has_no_deadlock(net, part) or self._refuted(net, {0: dead}, part)
            self._deadlocks = not none
        if not self._deadlocks:
            return set(goals)
        ends = {i: linear.junction(True, [goal, dead]) for i, goal in goals.items()}
        return self._refuted(net, ends, budget)

    def look(self, conditions: Sequence[Formula], budget: Budget) -> list[Seen]:
        """What is seen of conditions of the model within the budget."""
        nothing = [Seen(None, False)] * len(conditions)
        asked = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(conditions)]
        prepared = prepare(self.model, asked)
        net = prepared.net
        if not isinstance(net, Net) or not net.ordinary:
            return nothing
        goals = self._goals(prepared, net, budget)
        first = [None if g is None else linear.holds(g, net.initial) for g in goals]
        open_ = {i: g for i, g in enumerate(goals) if g is not None and first[i] is False}
        for i in self._met(prepared, list(open_), budget):
            del open_[i]
        never = self._refuted(net, open_, budget)
        return [Seen(value, i in never) for i, value in enumerate(first)]

    def _goals(self, prepared: Prepared, net: Net, budget: Budget) -> list[Goal | None]:
        """The conditions over places; None where that is not exact, or too much."""
        compiled = prepared.compiled
        translate = Linear(net, compiled.shape, compiled.titled)
        wraps = any(domain is None for domain in compiled.shape.domains())
        found: list[Goal | None] = []
        for p in prepared.properties:
            budget.check()
            assert isinstance(p.body, Formula)
            try:
                goal = translate.goal(p.body)
                limit = linear.wraps_from(p.body)
            except NotLinear:
                found.append(None)
                continue
            limits = [n for n in (limit, INT_MAX + 1 if wraps else None) if n is not None]
            exact = linear.fits(goal) and linear.size(goal) <= LARGEST
            if exact and limits:
                tokens = self._most_tokens(net, budget)
                exact = tokens is not None and tokens < min(limits)
            found.append(goal if exact else None)
        return found

    def _most_tokens(self, net: Net, budget: Budget) -> int | None:
        """A bound of all tokens together, if there is a certificate of one."""
        seconds = budget.part(1 / 4, 5.0)
        if self._tokens is None and seconds > 2 * self._sought:
            equation, begun = self._equation(net), time.monotonic()
            every = dict.fromkeys(range(len(net.places)), 1)
            self._tokens = equation.bound(every, seconds) if equation.available else None
            # With more time it is looked for again only where time was what it lacked.
            self._sought = seconds if time.monotonic() - begun > seconds / 2 else math.inf
        return self._tokens

    def _met(self, prepared: Prepared, numbers: Sequence[int], budget: Budget) -> list[int]:
        """Those that walks find true somewhere."""
        seconds = budget.part(WALKED, 1.0)
        if not numbers or seconds <= 0.01:
            return []
        self._seed += 1
        try:
            found = _core.walk(
                prepared.compiled.program,
                goals=[prepared.goal(prepared.properties[i]) for i in numbers],
                measures=[None] * len(numbers),
                values=[],
                enough=[],
                seed=self._seed,
                timeout=seconds,
                steps=min(MOST_STEPS, int(seconds * STEPS)),
                length=LENGTH,
            )
        except _core.ProgramError:
            return []  # an error of the model, which a search will tell
        if found.reason == "interrupted":
            raise LimitReached("interrupted")
        return [i for i, place in zip(numbers, found.goals, strict=True) if place is not None]

    def _refuted(self, net: Net, goals: dict[int, Goal], budget: Budget) -> set[int]:
        """Those of the goals that pairs of values or the state equation show to be unreachable."""
        equation = self._equation(net)
        numbers = list(goals)
        seconds = budget.part(PAIRED, 2.0)
        paired = self._pairs.unreachable(net, [goals[i] for i in numbers], seconds)
        never = {numbers[place] for place in paired}
        numbers = [i for i in numbers if i not in never]
        seconds = budget.part(EQUATION, 5.0)
        programmes = Budget(seconds)
        for place, i in enumerate(numbers if equation.available else ()):
            share = programmes.share(len(numbers) - place).timeout
            if share is None or share <= 0.005:
                break
            if equation.unreachable(goals[i], share) is not None:
                never.add(i)
        left = [i for i in numbers if i not in never]
        remaining = budget.remaining()
        if left and (remaining is None or remaining >= LEAST):
            rest = Budget(2.0 if remaining is None else remaining, budget.memory)
            for shown in solve(net, [LinearQuestion(goals[i]) for i in left], rest):
                if isinstance(shown, Unreachable):
                    never.add(left[shown.number])
        return never


__all__ = ["Facts", "Seen"]
