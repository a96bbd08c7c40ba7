"""Traces: sequences of events that differ only in the order of independent neighbours.

Two sequences are equivalent when one becomes the other by exchanging neighbours that are
independent; the classes are *traces* (Mazurkiewicz). A reduced graph is a *trace automaton* of the
whole one when every run of the whole graph is a prefix of a member of the trace of some run of the
reduced one (Godefroid's thesis, definition 6.4): then the reduced graph executes the same events
and reaches the same local states, although it has few of the interleavings.

Everything here is by definition and for small systems: it is what reductions are tested with.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from plait.records import dataclass

State = TypeVar("State")
Word = tuple[int, ...]
"""A sequence of events, by number."""
Dependent = Callable[[int, int], bool]
"""A symmetric relation between events."""


def members(word: Word, dependent: Dependent) -> set[Word]:
    """The trace of a sequence: all sequences that are equivalent to it."""
    found = {word}
    pending = [word]
    while pending:
        now = pending.pop()
        for i in range(len(now) - 1):
            if dependent(now[i], now[i + 1]):
                continue
            other = (*now[:i], now[i + 1], now[i], *now[i + 2 :])
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def members_from(
    word: Word,
    state: State,
    step: Callable[[State, int], State],
    dependent: Callable[[State, int, int], bool],
) -> set[Word]:
    """The trace of a sequence from a state: neighbours are exchanged where they are independent."""
    found = {word}
    pending = [word]
    while pending:
        now, here = pending.pop(), state
        for i in range(len(now) - 1):
            if not dependent(here, now[i], now[i + 1]):
                other = (*now[:i], now[i + 1], now[i], *now[i + 2 :])
                if other not in found:
                    found.add(other)
                    pending.append(other)
            here = step(here, now[i])
    return found


def normal_form(word: Word, dependent: Dependent) -> Word:
    """The member of a trace that is least in lexicographic order: one for each trace."""
    left, chosen = list(word), []
    while left:
        first = [
            i for i, e in enumerate(left) if not any(dependent(e, before) for before in left[:i])
        ]
        chosen.append(left.pop(min(first, key=left.__getitem__)))
    return tuple(chosen)


def after(word: Word, event: int, dependent: Dependent) -> Word | None:
    """What is left of a sequence that is to be a prefix of a trace that begins with `event`.

    None when it cannot be one: the event, or something that must come before it, is in the way.
    """
    for i, mine in enumerate(word):
        if mine == event:
            return (*word[:i], *word[i + 1 :])
        if dependent(mine, event):
            return None
    return word


@dataclass(frozen=True, slots=True)
class TraceAutomaton:
    """A reduced graph: for each state, the initial one first, its events and where they lead."""

    arcs: Sequence[Sequence[tuple[int, int]]]
    dependent: Dependent

    def represents(self, word: Word) -> bool:
        """Whether the sequence is a prefix of a member of the trace of a run of this graph."""
        seen = {(0, word)}
        pending = [(0, word)]
        while pending:
            state, left = pending.pop()
            if not left:
                return True
            for event, target in self.arcs[state]:
                rest = after(left, event, self.dependent)
                if rest is not None and (target, rest) not in seen:
                    seen.add((target, rest))
                    pending.append((target, rest))
        return False

    def missing(self, whole: Sequence[Sequence[tuple[int, int]]], length: int) -> Word | None:
        """A run of the whole graph, at most so long, that is not represented; None without one."""
        for word in runs(whole, length):
            if not self.represents(word):
                return word
        return None


def runs(arcs: Sequence[Sequence[tuple[int, int]]], length: int) -> Iterator[Word]:
    """The event sequences of a graph that are as long as asked for, or end before; no prefixes."""
    seen: set[Hashable] = {(0, ())}
    pending: list[tuple[int, Word]] = [(0, ())]
    while pending:
        state, word = pending.pop()
        if len(word) == length or not arcs[state]:
            yield word
            continue
        for event, target in arcs[state]:
            longer = (target, (*word, event))
            if longer not in seen:
                seen.add(longer)
                pending.append(longer)
