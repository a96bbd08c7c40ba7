"""What a bounded search tells, item by item; without the solver, for those who only listen."""

from __future__ import annotations

from typing import Literal

from plait.model.shape import Trace
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Reached:
    """A run from the initial state to the goal of a property."""

    number: int
    trace: Trace


@dataclass(frozen=True, slots=True)
class Failed:
    """A run to a state from which an event fails: an error of the model."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class Proved:
    """The goal of a property is unreachable: by induction, or since all runs end before."""

    number: int
    steps: int
    by: Literal["induction", "exhaustion"]
    largest_sum: int
    """What all cells together are at most, for all that is known."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A property, or with None every one, that this cannot be asked about."""

    number: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Deeper:
    """No goal that is left is met by a run of up to so many steps, as far as could be told."""

    steps: int
    doubtful: bool = False
    """Some questions up to there had no answer in time."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What looking at the runs of a bound took."""

    bound: int
    """Steps of the runs, idle ones included."""
    cycles: int
    seconds: float
    memory: float
    """What the solver had, in megabytes."""


@dataclass(frozen=True, slots=True)
class Violated:
    """A run that violates a linear-time property, without its idle steps.

    `loop` is the place that it goes back to; None when it violates it however it goes on.
    """

    number: int
    trace: Trace
    loop: int | None
    effort: Effort


@dataclass(frozen=True, slots=True)
class NoneUpTo:
    """No run of up to a bound violates a property, as far as could be told."""

    number: int
    effort: Effort
    doubtful: bool = False
    """Some bounds up to there had no answer in time."""


Found = Reached | Failed | Proved | Refused | Deeper
LinearFound = Violated | NoneUpTo | Failed | Refused
