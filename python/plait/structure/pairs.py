"""Pairs of values that two places may have at the same time; what is no such pair never is.

The state equation knows weighted sums. That at most one of many places holds two tokens is no
weighted sum, and many nets rely on such a fact. So all *pairs* of values are computed that can be
had together, from above: two values are together at first if the initial marking has them; and an
event brings values together if what it needs, and what was there before, could be had together two
by two. The least such relation contains all pairs of every reachable marking. In planning it is
the h^2 heuristic (Haslum and Geffner, "Admissible heuristics for optimal planning", 2000; its
complement are the mutexes of Blum and Furst's Graphplan); for safe nets it is an approximation of
the concurrency relation (Kovalyov 1992).

Values above a place's `top` are one value, the last: *top or more*.

Invariant: when `complete`, every two values of every reachable marking are in the relation, by the
word of its checker (`plait.structure.together`). A goal that no choice of such values satisfies is
unreachable: its disjunctions are split into cases, and the values of the places of a sum, and in
each case values are taken away that do not satisfy an inequality, or are together with no value
that is left of another place.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

from plait.model.net import Net
from plait.structure.linear import Atom, Goal, Junction, atoms
from plait.structure.together import Move, Together, bits

MOST_FACTS = 3_000
"""Facts of a net for which this is tried: it takes the square of them."""
PRECISE = 4
"""Tokens up to which values are told apart, where no event or goal asks for more."""
CASES = 2_000
"""Cases that one goal may take."""


class Pairs:
    """The relation of one net, grown in as many turns as it takes."""

    def __init__(self, net: Net, goals: Iterable[Goal] = ()) -> None:
        """Values that the goals compare with are told apart where they are small."""
        assert net.ordinary
        self.net = net
        self.complete = False
        """Whether it is grown, and was checked."""
        self._waiting: dict[int, None] = {}
        """Events that may bring more values together."""
        tops = _tops(net, goals)
        # An arc may have a weight of any size: what is too large is not even begun.
        self._large = sum(tops) + len(tops) > MOST_FACTS
        if self._large:
            return
        self.relation = Together(net, tops)
        first = 0
        for place, tokens in enumerate(net.initial):
            first |= 1 << self.relation.number(place, tokens)
        for fact in bits(first):
            self.relation.rows[fact] = first
        self._waiting = dict.fromkeys(range(len(net.events)))
        self._touching: list[list[int]] = [[] for _ in net.places]
        for number, event in enumerate(self.relation.moves):
            for place in {*event.needs, *event.change}:
                self._touching[place].append(number)

    def tells_apart(self, goals: Iterable[Goal]) -> bool:
        """Whether the values that the goals compare with are told apart, where they are small.

        Of a net that has too many values nothing would be.
        """
        return self._large or all(value < self.relation.tops[p] for p, value in _asked(goals))

    def grow(self, seconds: float) -> bool:
        """Go on for so long; whether the relation is complete now."""
        if self._large:
            return False
        end = time.monotonic() + seconds
        while self._waiting:
            if time.monotonic() > end:
                return False
            number = next(iter(self._waiting))
            del self._waiting[number]
            for place in self._occur(self.relation.moves[number]):
                self._waiting |= dict.fromkeys(self._touching[place])
        self.complete = self.complete or self.relation.holds()
        return self.complete

    def _occur(self, event: Move) -> set[int]:
        """Add the pairs that the event brings together; the places whose pairs are more now."""
        touched = set[int]()
        enough = [(place, self.relation.enough(place, needed)) for place, needed in event.pre]
        if self._is_dead([facts for _, facts in enough]):
            return touched
        for place, difference in event.change.items():
            for value in range(event.needs.get(place, 0), self.relation.tops[place] + 1):
                beside = row = self.relation.rows[self.relation.number(place, value)]
                for other, facts in enough:
                    if other != place:
                        beside &= self.relation.beside(row & facts)
                if beside:
                    after = self._after(event.change, place, beside)
                    for then in self._moved(place, value, difference):
                        self._add(self.relation.number(place, then), after, touched)
        return touched

    def _is_dead(self, enough: list[int]) -> bool:
        """Whether of two of these places no sufficient values may be had together."""
        for i, facts in enumerate(enough):
            beside = self.relation.beside(facts)
            if not all(beside & others for others in enough[i:]):
                return True
        return False

    def _moved(self, place: int, value: int, difference: int) -> range:
        """The values after so many tokens more, or fewer."""
        top = self.relation.tops[place]
        if value < top:
            return range(min(top, value + difference), min(top, value + difference) + 1)
        return range(max(0, top + min(difference, 0)), top + 1)

    def _after(self, change: Mapping[int, int], place: int, beside: int) -> int:
        """What these facts of other places than `place` become."""
        relation = self.relation
        after = beside & ~relation.field(place)
        for other, difference in change.items():
            if other != place:
                field = after & relation.field(other)
                after ^= field
                for value, _ in relation.values(other, field):
                    for then in self._moved(other, value, difference):
                        after |= 1 << relation.number(other, then)
        return after

    def _add(self, fact: int, others: int, touched: set[int]) -> None:
        """The fact may be true together with the others."""
        rows, places = self.relation.rows, self.relation.places
        new = (others | 1 << fact) & ~rows[fact]
        if new:
            rows[fact] |= new
            touched.add(places[fact])
            for other in bits(new):
                rows[other] |= 1 << fact
                touched.add(places[other])

    def unreachable(self, goal: Goal, seconds: float) -> bool:
        """Whether no choice of values that may be together two by two satisfies the goal."""
        if not self.complete:
            return False
        end = time.monotonic() + seconds
        possible = 0
        for fact, row in enumerate(self.relation.rows):
            if row:
                possible |= 1 << fact
        stack: list[tuple[int, tuple[Goal, ...]]] = [(possible, (goal,))]
        cases = CASES
        while stack:
            cases -= 1
            if cases < 0 or time.monotonic() > end:
                return False
            left, parts = stack.pop()
            narrowed = self._narrow(left, parts)
            if narrowed is None:
                continue
            left, given, choices = narrowed
            if not choices:
                place = self._undecided(left, given)
                if place is None:
                    return False
                for _, bit in self.relation.values(place, left):
                    stack.append((left & ~self.relation.field(place) | bit, tuple(given)))
                continue
            first, *rest = sorted(choices, key=lambda j: len(j.parts))
            stack.extend((left, (*given, *rest, part)) for part in first.parts)
        return True

    def _narrow(
        self, left: int, parts: tuple[Goal, ...]
    ) -> tuple[int, list[Atom], list[Junction]] | None:
        """The facts that are left when all the parts hold, their inequalities and disjunctions.

        None when a place has no value left.
        """
        given: list[Atom] = []
        choices: list[Junction] = []
        stack, seen = list(parts), set[int]()
        while stack:
            part = stack.pop()
            if id(part) in seen:
                continue
            seen.add(id(part))
            if isinstance(part, Atom):
                given.append(part)
            elif part.every:
                stack.extend(part.parts)
            else:
                choices.append(part)
        while True:
            before = left
            for a in given:
                left = self._satisfying(left, a)
            left = self._consistent(left, _support(given)) if left else 0
            if not left:
                return None
            if left == before:
                return left, given, choices

    def _undecided(self, left: int, given: Iterable[Atom]) -> int | None:
        """A place of a sum that has several values left; of single places nothing is undecided."""
        sums = (p for a in given if len(a.coefficients) > 1 for p, _ in a.coefficients)
        several = (p for p in sums if (left & self.relation.field(p)).bit_count() > 1)
        return next(several, None)

    def _satisfying(self, left: int, a: Atom) -> int:
        """Without the values that cannot satisfy the inequality, whatever the others are; or 0."""
        relation = self.relation
        most: list[int | None] = []
        for place, factor in a.coefficients:
            values = [v for v, _ in relation.values(place, left)]
            if not values:
                return 0
            unbounded = factor > 0 and values[-1] == relation.tops[place]
            most.append(None if unbounded else max(factor * v for v in values))
        for i, (place, factor) in enumerate(a.coefficients):
            others = [m for j, m in enumerate(most) if j != i]
            if None in others:
                continue
            rest = sum(m for m in others if m is not None)
            for value, bit in relation.values(place, left):
                open_ = factor > 0 and value == relation.tops[place]
                if not open_ and factor * value + rest < a.bound:
                    left &= ~bit
            if not left & relation.field(place):
                return 0
        return left

    def _consistent(self, left: int, places: Iterable[int]) -> int:
        """Without the values that no value left of one of the places may be together with."""
        relation = self.relation
        for place in places:
            left &= relation.beside(left & relation.field(place))
            if not left & relation.field(place):
                return 0
        return left


def _support(given: Iterable[Atom]) -> list[int]:
    """The places of some inequalities."""
    return sorted({p for a in given for p, _ in a.coefficients})


def _tops(net: Net, goals: Iterable[Goal]) -> list[int]:
    """For each place the value from which on values are not told apart."""
    tops = [min(tokens, PRECISE) for tokens in net.initial]
    for place, value in _compared(net, goals):
        tops[place] = max(tops[place], value)
    return [top + 1 for top in tops]


def _compared(net: Net, goals: Iterable[Goal]) -> Iterator[tuple[int, int]]:
    for event in net.events:
        yield from event.pre
    yield from _asked(goals)


def _asked(goals: Iterable[Goal]) -> Iterator[tuple[int, int]]:
    for goal in goals:
        for a in atoms(goal):
            for place, factor in a.coefficients:
                yield place, min(abs(a.bound // factor), PRECISE)


__all__ = ["Pairs"]
