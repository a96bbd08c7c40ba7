"""Testing automata: they read which conditions change, and stay where nothing does.

A *transition-based generalised testing automaton* (Ben Salem, Duret-Lutz, Kordon, Thierry-Mieg,
"Symbolic model checking of stutter-invariant properties using generalized testing automata", TACAS
2014) begins by reading a letter; after that it reads only the *changes*, the bits in which a letter
differs from the one before. Where nothing changes, every location stays as it is. Some locations
accept when they stay for ever: their loop has all marks, that of the others has none.

It is made from a Büchi automaton whose language cannot tell a state from its repetition, in three
steps:

1. a location of the automaton together with the letter that it reads next is a location; an arc
   that reads the letter leads to all letters, with the bits that differ as its change;
2. arcs on which nothing changes go. A location that lies, by such arcs, on a circle with all marks
   becomes one that accepts when it stays; and whatever leads, by such arcs, to that location may
   have been left out: arcs to it are arcs to that location too;
3. locations that no accepted word leads to go, and those that do the same become one.

That a location stays where the automaton would have to move is right since repetitions do not
count; and that a loop with all marks may be taken a few times only is right since the circle that
it stands for leads back to the location.

Invariant: on words that the Büchi automaton cannot tell apart it has the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plait.automata.automaton import Automaton
from plait.automata.components import components
from plait.automata.tableau import TooLarge
from plait.records import dataclass

LOCATIONS = 20_000
"""More pairs of a location and a letter are not looked at."""
ARCS = 1_000_000
"""Nor are more arcs between them."""
Pair = tuple[int, int]
"""A location of the Büchi automaton, and the letter that it reads next."""


@dataclass(frozen=True, slots=True)
class Change:
    """An arc: which bits change, where it leads, and its marks."""

    bits: int
    target: int
    marks: int


@dataclass(frozen=True, slots=True)
class GeneralisedTestingAutomaton:
    """The arcs of each location; which begin at which letter; which accept when they stay."""

    arcs: tuple[tuple[Change, ...], ...]
    first: tuple[tuple[int, int], ...]
    """Letters, and a location to begin in that has read it."""
    staying: frozenset[int]
    acceptances: int
    """At least one: where the Büchi automaton had none, each of its arcs is in it."""

    @property
    def all_marks(self) -> int:
        """The marks of all acceptance sets."""
        return (1 << self.acceptances) - 1

    def loop(self, location: int) -> int:
        """The marks of the loop of a location, which is taken when nothing changes."""
        return self.all_marks if location in self.staying else 0

    def accepts(self, letters: Sequence[int], loop: int) -> bool:
        """Whether the infinite word that goes back to `loop` after the last letter is accepted."""
        found: dict[tuple[int, int], list[tuple[int, tuple[int, int]]]] = {}
        stack = [(0, q) for letter, q in self.first if letter == letters[0]]
        while stack:
            node = stack.pop()
            if node in found:
                continue
            place, q = node
            after = place + 1 if place + 1 < len(letters) else loop
            bits = letters[place] ^ letters[after]
            found[node] = [(c.marks, (after, c.target)) for c in self.arcs[q] if c.bits == bits]
            if not bits:
                found[node].append((self.loop(q), (after, q)))
            stack.extend(target for _, target in found[node])
        numbers = {node: n for n, node in enumerate(found)}
        rows = [[(m, numbers[t]) for m, t in row] for row in found.values()]
        return any(_marks_inside(c, rows) == self.all_marks for c in _circles(rows))


def of_buchi(
    automaton: Automaton, letters: Sequence[int], tick: Callable[[], None] = lambda: None
) -> GeneralisedTestingAutomaton:
    """The testing automaton for words of some letters; the language must not tell repetitions."""
    pairs = [(q, letter) for q in range(len(automaton.arcs)) for letter in letters]
    if len(pairs) > LOCATIONS:
        raise TooLarge(f"its testing automaton has more than {LOCATIONS:,} locations")
    numbers = {pair: n for n, pair in enumerate(pairs)}
    marks_of_arc = (1 << automaton.acceptances) - 1 or 1
    still: list[list[tuple[int, int]]] = []
    for q, letter in pairs:
        arcs = (a for a in automaton.arcs[q] if a.reads(letter))
        marked = ((a.marks if automaton.acceptances else 1, a.target) for a in arcs)
        still.append([(marks, numbers[target, letter]) for marks, target in marked])
    staying = {n for c in _circles(still) if _marks_inside(c, still) == marks_of_arc for n in c}
    entered = _entered(still, staying, tick)
    first = [(letter, n) for letter in letters for n in entered[numbers[0, letter]]]
    rows: list[list[Change]] = []
    count = 0
    for place, (_, letter) in enumerate(pairs):
        tick()
        row: dict[Change, None] = {}
        for marks, target in still[place]:
            q = pairs[target][0]
            for other in letters:
                if other != letter:
                    for n in entered[numbers[q, other]]:
                        row[Change(letter ^ other, n, marks)] = None
        count += len(row)
        if count > ARCS:
            raise TooLarge(f"its testing automaton has more than {ARCS:,} arcs")
        rows.append(list(row))
    made = _Made(rows, first, staying, max(automaton.acceptances, 1))
    return made.useful(tick).merged(tick).automaton()


def _entered(
    still: Sequence[Sequence[tuple[int, int]]], staying: set[int], tick: Callable[[], None]
) -> list[list[int]]:
    """For each location, itself and those that stay which it leads to while nothing changes."""
    found: list[list[int]] = []
    for start in range(len(still)):
        tick()
        seen, stack = {start}, [start]
        while stack:
            for _, n in still[stack.pop()]:
                if n not in seen:
                    seen.add(n)
                    stack.append(n)
        found.append([start, *sorted((seen & staying) - {start})])
    return found


@dataclass(slots=True)
class _Made:
    """A testing automaton that is made smaller."""

    rows: list[list[Change]]
    first: list[tuple[int, int]]
    staying: set[int]
    acceptances: int

    def useful(self, tick: Callable[[], None]) -> _Made:
        """Only the locations that can be reached, and from which a word is accepted."""
        every = (1 << self.acceptances) - 1
        loops = [
            [*((c.marks, c.target) for c in row), *([(every, n)] if n in self.staying else [])]
            for n, row in enumerate(self.rows)
        ]
        good = {n for c in _circles(loops) if _marks_inside(c, loops) == every for n in c}
        sources: list[list[int]] = [[] for _ in self.rows]
        for n, row in enumerate(self.rows):
            tick()
            for c in row:
                sources[c.target].append(n)
        good = _closure(good, sources)
        begin = {n for _, n in self.first if n in good}
        targets = [[c.target for c in row if c.target in good] for row in self.rows]
        return self._kept(sorted(_closure(begin, targets)))

    def _kept(self, kept: Sequence[int]) -> _Made:
        new = {n: i for i, n in enumerate(kept)}
        rows = [
            [Change(c.bits, new[c.target], c.marks) for c in self.rows[n] if c.target in new]
            for n in kept
        ]
        first = [(letter, new[n]) for letter, n in self.first if n in new]
        return _Made(rows, first, {new[n] for n in self.staying if n in new}, self.acceptances)

    def merged(self, tick: Callable[[], None]) -> _Made:
        """Locations that have the same changes to the same locations are one (bisimulation)."""
        kinds = [int(n in self.staying) for n in range(len(self.rows))]
        while True:
            tick()
            keys: dict[object, int] = {}
            after = [
                keys.setdefault(
                    (kinds[n], frozenset((c.bits, c.marks, kinds[c.target]) for c in row)),
                    len(keys),
                )
                for n, row in enumerate(self.rows)
            ]
            if len(set(after)) == len(set(kinds)):
                break
            kinds = after
        rows: list[list[Change]] = [[] for _ in set(after)]
        for n, row in enumerate(self.rows):
            if not rows[after[n]]:
                changes = (Change(c.bits, after[c.target], c.marks) for c in row)
                rows[after[n]] = list(dict.fromkeys(changes))
        first = list(dict.fromkeys((letter, after[n]) for letter, n in self.first))
        return _Made(rows, first, {after[n] for n in self.staying}, self.acceptances)

    def automaton(self) -> GeneralisedTestingAutomaton:
        """What has been made."""
        rows = tuple(map(tuple, self.rows))
        return GeneralisedTestingAutomaton(
            rows, tuple(self.first), frozenset(self.staying), self.acceptances
        )


def _circles(rows: Sequence[Sequence[tuple[int, int]]]) -> Iterator[set[int]]:
    """The components of a graph of marked arcs."""
    graph = [*([t for _, t in row] for row in rows), list(range(len(rows)))]
    for component in components(graph, start=len(rows)):
        if component != [len(rows)]:
            yield set(component)


def _marks_inside(component: set[int], rows: Sequence[Sequence[tuple[int, int]]]) -> int:
    """The marks of the arcs inside a component."""
    found = 0
    for n in component:
        for marks, target in rows[n]:
            if target in component:
                found |= marks
    return found


def _closure(start: set[int], targets: Sequence[Sequence[int]]) -> set[int]:
    """What can be reached from some places."""
    seen, stack = set(start), list(start)
    while stack:
        for n in targets[stack.pop()]:
            if n not in seen:
                seen.add(n)
                stack.append(n)
    return seen


__all__ = ["Change", "GeneralisedTestingAutomaton", "of_buchi"]
