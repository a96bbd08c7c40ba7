"""Sets of markings that no run stays in for ever, shown by weights that every step inside lowers.

Take the events that may lead from a marking of the set to a marking of the set. If integer weights
of the places make each of them lower the weighted sum, a run inside the set lowers it with every
step: it is a *ranking function* (A. Turing, *Checking a large routine*, 1949), and no step is left
in the end. The sum has a least value where no weight is negative, and where the net is bounded,
since it has finitely many markings then; so the run leaves the set or ends in a deadlock of it. By
Farkas' lemma there are such weights in a bounded net unless some of these events, each so often,
change nothing together (a *T-semiflow*, T. Murata, *Petri nets: properties, analysis and
applications*, 1989).

An event leads into the set or out of it by what it needs and leaves: before it a place has at least
what it takes, afterwards at least what it puts there, and never more than its bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from plait.model.net import NetEvent
from plait.structure import linear
from plait.structure.certificate import takes_away
from plait.structure.equation import StateEquation
from plait.structure.linear import Atom, Goal, fold_goal, truth

BOUNDED = 20
"""Places whose bounds are asked for."""
Tokens = Callable[[int], float]


def is_left(equation: StateEquation, goal: Goal, seconds: float, *, bounded: bool) -> bool:
    """Whether no run stays in the markings of a goal without ending there.

    `bounded` says that the net is; that must have been shown.
    """
    if not equation.available:
        return False
    end = time.monotonic() + seconds
    set_of = Inside(equation, goal, seconds / 2)
    inside = [n for n, e in enumerate(equation.net.events) if set_of.may_stay(e)]
    left = end - time.monotonic()
    if left <= 0:
        return False
    weights = equation.programmes.lowering(inside, left, signed=bounded)
    return weights is not None and takes_away(equation.net, weights, inside, signed=bounded)


def _bounds(equation: StateEquation, goal: Goal, seconds: float) -> dict[int, int]:
    """How many tokens the places of a goal have at most, as far as that is known."""
    places = linear.support(goal)
    if len(places) > BOUNDED:
        return {}
    end = time.monotonic() + seconds
    found = {}
    for place in places:
        left = end - time.monotonic()
        most = equation.place_bound(place, left) if left > 0 else None
        if most is not None:
            found[place] = most
    return found


class Inside:
    """The markings of a goal, as far as bounds of its places tell what they are."""

    def __init__(self, equation: StateEquation, goal: Goal, seconds: float) -> None:
        self.goal = goal
        self._bounds = _bounds(equation, goal, seconds)

    def may_stay(self, event: NetEvent) -> bool:
        """Whether an event may lead from a marking of the goal to one."""
        pre, post = dict(event.pre), dict(event.post)

        def most(place: int) -> float:
            return self._bounds.get(place, math.inf)

        def afterwards(place: int) -> float:
            return most(place) + min(0, post.get(place, 0) - pre.get(place, 0))

        return _possible(self.goal, lambda p: pre.get(p, 0), most) and _possible(
            self.goal, lambda p: post.get(p, 0), afterwards
        )


def _possible(goal: Goal, least: Tokens, most: Tokens) -> bool:
    """Whether a goal may be true of a marking between these."""

    def leaf(part: Atom) -> bool:
        greatest = sum(c * (most(p) if c > 0 else least(p)) for p, c in part.coefficients)
        return greatest >= part.bound

    return fold_goal(goal, leaf, truth)


__all__ = ["Inside", "is_left"]
