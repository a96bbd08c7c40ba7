"""The state equation by a solver, in a process of its own, for several questions of a net.

What it shows is told as it comes, so that the end of the time loses nothing; a solver that dies
shows nothing more.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from plait.engines.apart import Died, apart
from plait.engines.budget import Budget
from plait.engines.stopped import as_far_as_limits_let
from plait.model.net import Net
from plait.records import dataclass
from plait.structure.linear import Goal


@dataclass(frozen=True, slots=True)
class LinearQuestion:
    """Whether a goal is unreachable; or by how much a sum of places is bounded."""

    goal: Goal | None
    places: Mapping[int, int] | None = None
    low: int = 0
    high: int = 0


def linear_question(
    goal: Goal | None,
    places: Mapping[int, int] | None,
    lower: int | None,
    upper: int | None,
    constant: int,
) -> LinearQuestion:
    """What is asked: the goal if there is one, else the sum without its constant."""
    if goal is not None or places is None or lower is None or upper is None:
        return LinearQuestion(goal)
    return LinearQuestion(None, places, lower - constant, upper - constant)


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No reachable marking satisfies the goal of a question."""

    number: int


@dataclass(frozen=True, slots=True)
class Reachable:
    """These events lead to a marking that satisfies the goal of a question."""

    number: int
    events: list[int]


@dataclass(frozen=True, slots=True)
class Planned:
    """How often events occur in a solution that is no run: a plan for walks."""

    number: int
    times: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class AtMost:
    """The sum of a question never exceeds a value."""

    number: int
    value: int


Shown = Unreachable | Reachable | Planned | AtMost


def solve(net: Net, questions: Sequence[LinearQuestion], budget: Budget) -> Iterator[Shown]:
    """What is found of the questions, by their numbers, as it comes."""
    if not net.ordinary or importlib.util.find_spec("z3") is None:
        return

    def work() -> Iterator[Shown]:
        from plait.smt.equation import Equation

        remaining = budget.remaining()
        end = None if remaining is None else time.monotonic() + remaining
        equation = Equation(net, end)
        for number, q in enumerate(questions):
            left = None if end is None else (end - time.monotonic()) / (len(questions) - number)
            if q.goal is not None:
                if equation.unreachable(q.goal, left):
                    yield Unreachable(number)
                elif equation.run is not None:
                    yield Reachable(number, equation.run)
                elif equation.plan is not None:
                    yield Planned(number, equation.plan)
            elif q.places is not None:
                bound = equation.least_bound(q.places, q.low, q.high, left)
                if bound < q.high:
                    yield AtMost(number, bound)

    with suppress(Died), as_far_as_limits_let():
        yield from apart(work, budget)
