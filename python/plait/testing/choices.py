"""Where a random model comes from: a sequence of choices.

Every generator of this package asks one question only, `integer(low, high)`; all other choices are
made of it, with the simplest alternative at the low end. So a seeded generator and a property-based
tester that records and shrinks its choices can both drive the same code.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices(ABC):
    """A source of decisions; the low end of each is the simple one."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """An integer of low..high, both included."""

    def chance(self, percent: int) -> bool:
        """True in about `percent` of a hundred cases."""
        return percent > 0 and self.integer(0, 99) >= 100 - percent

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest."""
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[int, T]]) -> T:
        """One of the options, each as often as its weight says."""
        rest = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            if rest < weight:
                return option
            rest -= weight
        raise AssertionError("weights must be positive")

    def some(self, options: Sequence[T], low: int, high: int) -> list[T]:
        """Between `low` and `high` different options (or as many as there are), in order."""
        count = min(len(options), self.integer(low, high))
        left = list(range(len(options)))
        taken = [left.pop(self.integer(0, len(left) - 1)) for _ in range(count)]
        return [options[i] for i in sorted(taken)]


class Seeded(Choices):
    """The choices of a pseudo-random generator: the same seed, the same model."""

    def __init__(self, seed: int) -> None:
        self._below = random.Random(seed).random

    def integer(self, low: int, high: int) -> int:
        """An integer of low..high, both included."""
        return low + int(self._below() * (high - low + 1))
