"""Whether an automaton cannot tell a state from its repetition.

A language is *stutter-invariant* when a letter of a word may be repeated, or a repeated one left
out, without changing whether the word is accepted. To decide that exactly takes the complement of
the automaton (Michaud and Duret-Lutz, *Practical stutter-invariance checks for ω-regular
languages*, SPIN 2015). Here it is seen from the arcs, which is sufficient and cheap: for each state
and letter,

- *insertion*: what one arc on the letter does, two arcs on the same letter can do;
- *removal*: what two arcs on the same letter do, one arc on it can do;

where "can do" is to meet at least the same acceptance sets and to lead to a state that simulates;
or, where the component of the automaton is left, to lead to the same state. Then a run on a word
can be followed, letter by letter, on the word with letters repeated or left out: acceptance sets
are missed only where components are left, which happens finitely often. What the translators of
formulas without X write mostly is of this kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from plait.automata.automaton import Automaton
from plait.automata.components import components
from plait.automata.simplify import SIMULATION_WORK, simulators

MOST_BITS = 10
"""Conditions that arcs may speak of: every letter is looked at."""
MOST_WORK = 2_000_000
"""Pairs of arcs that are looked at."""


def is_stutter_closed(automaton: Automaton, tick: Callable[[], None] = lambda: None) -> bool:
    """Whether insertion and removal are seen from the arcs; then the language is invariant."""
    used = 0
    for row in automaton.arcs:
        for arc in row:
            used |= arc.positive | arc.negative
    widest = max(map(len, automaton.arcs), default=0)
    if used.bit_count() > MOST_BITS or automaton.arc_count**2 > SIMULATION_WORK:
        return False
    if (1 << used.bit_count()) * automaton.arc_count * widest**2 > MOST_WORK:
        return False
    above = simulators(automaton, tick)
    of = [0] * len(automaton.arcs)
    for number, component in enumerate(components([[a.target for a in r] for r in automaton.arcs])):
        for state in component:
            of[state] = number
    for letter in _letters(used):
        tick()
        moves = [[(a.marks, a.target) for a in row if a.reads(letter)] for row in automaton.arcs]
        for state, here in enumerate(moves):
            twice = [(m | n, t) for m, r in here for n, t in moves[r]]

            def can(marks: int, target: int, others: list[tuple[int, int]], state: int) -> bool:
                if any(not marks & ~m and above[target] >> t & 1 for m, t in others):
                    return True
                return of[state] != of[target] and any(t == target for _, t in others)

            if not all(can(m, t, twice, state) for m, t in here):
                return False
            if not all(can(m, t, here, state) for m, t in twice):
                return False
    return True


def _letters(used: int) -> Iterator[int]:
    """All sets of the bits."""
    letter = used
    while True:
        yield letter
        if letter == 0:
            return
        letter = (letter - 1) & used
