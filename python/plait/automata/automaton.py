"""Generalised Büchi automata with acceptance on arcs, over letters that are sets of bits.

An arc may be taken when the letter has all of its `positive` bits and none of its `negative` ones.
It belongs to some of the acceptance sets (`marks`, a set of bits too). A word is accepted when a
run on it, from state 0, takes arcs of each acceptance set again and again; where there are no
acceptance sets, any infinite run will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.automata.components import components
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc to a state."""

    positive: int
    negative: int
    target: int
    marks: int = 0

    def reads(self, letter: int) -> bool:
        """Whether the arc may be taken on this letter."""
        return not self.positive & ~letter and not self.negative & letter


@dataclass(frozen=True, slots=True)
class Automaton:
    """The arcs of each state, and how many acceptance sets there are. It begins in state 0."""

    arcs: tuple[tuple[Arc, ...], ...]
    acceptances: int

    @property
    def all_marks(self) -> int:
        """The marks of all acceptance sets."""
        return (1 << self.acceptances) - 1

    @property
    def arc_count(self) -> int:
        """How many arcs."""
        return sum(map(len, self.arcs))

    def accepts(self, letters: Sequence[int], loop: int) -> bool:
        """Whether the infinite word that goes back to `loop` after the last letter is accepted."""
        length = len(letters)
        start = (0, 0)
        graph: dict[tuple[int, int], list[tuple[int, tuple[int, int]]]] = {}
        stack = [start]
        while stack:
            node = stack.pop()
            if node in graph:
                continue
            place, state = node
            after = place + 1 if place + 1 < length else loop
            arcs = [a for a in self.arcs[state] if a.reads(letters[place])]
            graph[node] = [(a.marks, (after, a.target)) for a in arcs]
            stack.extend(target for _, target in graph[node])
        numbers = {node: n for n, node in enumerate(graph)}
        after_of = [[numbers[t] for _, t in row] for row in graph.values()]
        rows = list(graph.values())
        for component in components(after_of):
            inside = set(component)
            marks = [m for n in component for m, target in rows[n] if numbers[target] in inside]
            if marks and self._union(marks) == self.all_marks:
                return True
        return False

    @staticmethod
    def _union(marks: Sequence[int]) -> int:
        found = 0
        for m in marks:
            found |= m
        return found

    def lines(self) -> Iterator[str]:
        """The automaton as text, a line for each arc."""
        for state, arcs in enumerate(self.arcs):
            for arc in arcs:
                bits = range(max(arc.positive.bit_length(), arc.negative.bit_length()))
                literals = [
                    f"{'' if arc.positive >> b & 1 else '!'}p{b}"
                    for b in bits
                    if (arc.positive | arc.negative) >> b & 1
                ]
                marks = "".join(f" {{{i}}}" for i in range(self.acceptances) if arc.marks >> i & 1)
                yield f"{state} -> {arc.target}: {' & '.join(literals) or 'true'}{marks}"
