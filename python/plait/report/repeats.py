"""Rounds of a trace that only repeat the one before, of which a reader needs the first.

A counter that wraps around makes a run of a thousand steps of the same eight. Found are the places
where a round of some steps follows on itself, the shortest round first; a round around others that
repeat is not looked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from plait.records import dataclass

LONGEST = 60
"""Steps of a round; longer ones a reader would not recognise."""
LEAST = 6
"""Steps that must be saved."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """The `period` items before `start` come `times` more from there on."""

    start: int
    period: int
    times: int

    @property
    def end(self) -> int:
        """The first item behind."""
        return self.start + self.period * self.times


def repeats(items: Sequence[Hashable]) -> list[Repeat]:
    """Where rounds repeat, in order and apart from each other."""
    found: list[Repeat] = []
    at = 0
    while at < len(items):
        repeat = _from(items, at)
        if repeat is None:
            at += 1
        else:
            found.append(repeat)
            at = repeat.end
    return found


def _from(items: Sequence[Hashable], at: int) -> Repeat | None:
    """The round that begins there and repeats, if there is one."""
    for period in range(1, min(LONGEST, (len(items) - at) // 2) + 1):
        if items[at] != items[at + period]:
            continue
        end = at + period
        while end < len(items) and items[end] == items[end - period]:
            end += 1
        times = (end - at) // period - 1
        if times * period >= LEAST and times > 1:
            return Repeat(at + period, period, times)
    return None


__all__ = ["Repeat", "repeats"]
