"""LTL on diagrams by a tableau: the product of a model with what is left of a formula to satisfy.

A state of the product is one of the model and one of the tableau (`plait.automata.elementary`). A
set of them is a set of states of the model for each state of the tableau, so that conditions of
whatever kind are asked of diagrams and never become variables. A step is one of the model with any
step of the tableau that fits: after Clarke, Grumberg and Hamaguchi, *Another look at LTL model
checking* (1997), in the form that partial exploration needs (Vander Meulen, 2012, section 4.1):

- every step of the model has a step of the product. Where the tableau has none whose conditions are
  those of the model, the pair is (s, TOP), which is kept, is never left and has no part in a
  violation. So what may be done first in the model may be done first in the product;
- a violation is an endless path inside the pairs that match, `matching`, that is again and again in
  the fairness set of each until: the search must not leave them (the thesis's algorithm 4.1 may).

`backward` is the fixpoint FS of the states that begin such a path, `forward` the one of those that
such a path may have led to; either is empty iff there is no violation among the states given.

A deadlock repeats for ever: it is a successor of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from plait import _core
from plait.automata.elementary import TOP, Tableau
from plait.model.expr import Formula

States = _core.StateSet


class Pairs:
    """A set of pairs: the states of the model for each state of the tableau that has some."""

    __slots__ = ("of",)

    def __init__(self, of: Mapping[int, States]) -> None:
        self.of = {t: states for t, states in of.items() if states}

    def __bool__(self) -> bool:
        return bool(self.of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and self.of == other.of

    __hash__ = None  # type: ignore[assignment]


class TableauProduct:
    """The product of a model in diagrams and the tableau of a formula's violations."""

    def __init__(
        self,
        core: _core.Symbolic,
        events: Sequence[int],
        tableau: Tableau,
        select: Callable[[States, Formula], States],
        dead: Callable[[States], States],
    ) -> None:
        """`select` gives the states of a set where a condition holds, `dead` those without event.

        `events` are all that happen on their own: steps by just these let deadlocks repeat.
        """
        self.core = core
        self.events = events
        self.tableau = tableau
        self._select = select
        self._dead = dead
        start = core.initial()
        self._nothing = core.difference(start, start)

    # --- sets -------------------------------------------------------------------------------------

    def begins(self, start: States) -> Pairs:
        """The pairs of some states in which a violation may begin."""
        root = self.tableau.root
        return Pairs({t: self._sat(start, t, [root])[root] for t in self.tableau.states})

    def union(self, a: Pairs, b: Pairs) -> Pairs:
        """The pairs of one set or the other."""
        return self._each(a.of.keys() | b.of.keys(), self.core.union, a, b)

    def intersection(self, a: Pairs, b: Pairs) -> Pairs:
        """The pairs of both sets."""
        return self._each(a.of.keys() & b.of.keys(), self.core.intersection, a, b)

    def difference(self, a: Pairs, b: Pairs) -> Pairs:
        """The pairs of the first set that are not in the second."""
        return self._each(a.of.keys(), self.core.difference, a, b)

    def matching(self, pairs: Pairs) -> Pairs:
        """Without those whose conditions are not those of the tableau."""
        return Pairs({t: states for t, states in pairs.of.items() if t != TOP})

    def enabled(self, pairs: Pairs, events: Sequence[int]) -> Pairs:
        """The pairs in whose states of the model one of the events has a successor."""
        return Pairs({t: self.core.enabled(states, events) for t, states in pairs.of.items()})

    def count(self, pairs: Pairs) -> int:
        """How many pairs a set has."""
        return sum(self.core.count(states) for states in pairs.of.values())

    def size(self, pairs: Pairs) -> int:
        """The nodes of its diagrams, those that are shared counted each time."""
        return sum(self.core.size(states) for states in pairs.of.values())

    def fair(self, pairs: Pairs, until: int) -> Pairs:
        """The pairs in the fairness set of an until."""
        goal = self.tableau.parts[until].operands[1]
        found = {}
        for t, states in self.matching(pairs).of.items():
            sat = self._sat(states, t, [until, goal])
            found[t] = self.core.union(self.core.difference(states, sat[until]), sat[goal])
        return Pairs(found)

    # --- steps ------------------------------------------------------------------------------------

    def image(self, pairs: Pairs, events: Sequence[int]) -> Pairs:
        """The pairs after a step by one of the events; a deadlock is one after all events."""
        core = self.core
        after = {t: self._onward(states, events) for t, states in pairs.of.items()}
        top = after.pop(TOP, self._nothing)
        left = dict(after)
        found: dict[int, States] = {}
        everywhere = self._nothing
        for states in after.values():
            everywhere = core.union(everywhere, states)
        for t in self.tableau.states:
            nexts = self._nexts(everywhere, t)
            for before, states in after.items():
                part = self._matched(states, before, nexts)
                if part:
                    known = found.get(t)
                    found[t] = part if known is None else core.union(known, part)
                    left[before] = core.difference(left[before], part)
        for states in left.values():
            top = core.union(top, states)
        found[TOP] = top
        return Pairs(found)

    def preimage(self, pairs: Pairs) -> Pairs:
        """The pairs that match from which a step leads to one of these, which match, too.

        All reachable states must be known.
        """
        core = self.core
        ends: dict[int, States] = {}
        for t, states in self.matching(pairs).of.items():
            nexts = self._nexts(states, t)
            for before in self.tableau.states:
                part = self._matched(states, before, nexts)
                if part:
                    known = ends.get(before)
                    ends[before] = part if known is None else core.union(known, part)
        return Pairs(
            {t: core.union(core.predecessors(end), self._dead(end)) for t, end in ends.items()}
        )

    def is_dead(self, states: States) -> bool:
        """Whether some state of a set is a deadlock."""
        return bool(self._dead(states))

    def tableau_before(self, t: int, state: States) -> int:
        """The state of the tableau before a pair that matches: there is one."""
        nexts = self._nexts(state, t)
        return sum(1 << bit for bit, holds in enumerate(nexts) if holds)

    # --- cycles -----------------------------------------------------------------------------------

    def forward(self, inside: Pairs) -> Pairs:
        """The pairs inside that a fair path, endless toward the past, leads to inside."""
        left = inside
        while left:
            before = left
            for until in self.tableau.untils:
                reached = self.reached(self.fair(left, until), left)
                left = self.intersection(left, self.image(reached, self.events))
            if not self.tableau.untils:
                left = self.intersection(left, self.image(left, self.events))
            if left == before:
                break
        return left

    def backward(self, inside: Pairs) -> Pairs:
        """The pairs inside with an endless fair path inside: the fixpoint FS."""
        left = inside
        while left:
            before = left
            for until in self.tableau.untils:
                leads = self._leading(inside, self.intersection(left, self.fair(left, until)))
                left = self.intersection(left, self.preimage(leads))
            if not self.tableau.untils:
                left = self.intersection(left, self.preimage(left))
            if left == before:
                break
        return left

    def reached(self, start: Pairs, inside: Pairs) -> Pairs:
        """What paths inside lead to from some pairs."""
        found = frontier = start
        while frontier:
            image = self.intersection(self.image(frontier, self.events), inside)
            frontier = self.difference(image, found)
            found = self.union(found, frontier)
        return found

    def _leading(self, inside: Pairs, goal: Pairs) -> Pairs:
        """The pairs from which paths inside lead to a goal."""
        found = frontier = goal
        while frontier:
            before = self.intersection(self.preimage(frontier), inside)
            frontier = self.difference(before, found)
            found = self.union(found, frontier)
        return found

    # --- one state of the tableau -----------------------------------------------------------------

    def _onward(self, states: States, events: Sequence[int]) -> States:
        after = self.core.image(states, events)
        return self.core.union(after, self._dead(states)) if events is self.events else after

    def _nexts(self, states: States, t: int) -> list[States]:
        """For each elementary X, the states that satisfy its operand, with a tableau state."""
        sat = self._sat(states, t, self.tableau.nexts)
        return [sat[operand] for operand in self.tableau.nexts]

    def _matched(self, states: States, before: int, nexts: Sequence[States]) -> States:
        """The states of a set whose X were those of a tableau state one step before."""
        for bit, holds in enumerate(nexts):
            if not states:
                break
            keep = self.core.intersection if before >> bit & 1 else self.core.difference
            states = keep(states, holds)
        return states

    def _sat(self, states: States, t: int, wanted: Iterable[int]) -> dict[int, States]:
        """The states of a set that satisfy sub-formulas, with a state of the tableau."""
        core, tableau = self.core, self.tableau
        places = sorted({p for w in wanted for p in tableau.below(w)})
        known: dict[int, States] = {}
        for p in places:
            part = tableau.parts[p]
            match part.operator:
                case "true":
                    known[p] = states
                case "condition":
                    known[p] = self._select(states, tableau.conditions[part.operands[0]])
                case "not":
                    known[p] = core.difference(states, known[part.operands[0]])
                case "or":
                    some = self._nothing
                    for q in part.operands:
                        some = core.union(some, known[q])
                    known[p] = some
                case "next":
                    known[p] = states if t >> tableau.bit(p) & 1 else self._nothing
                case _:
                    stay, goal = (known[q] for q in part.operands)
                    later = t >> tableau.bit(p) & 1
                    known[p] = core.union(goal, stay) if later else goal
        return known

    def _each(
        self,
        keys: Iterable[int],
        operation: Callable[[States, States], States],
        a: Pairs,
        b: Pairs,
    ) -> Pairs:
        nothing = self._nothing
        return Pairs({t: operation(a.of.get(t, nothing), b.of.get(t, nothing)) for t in keys})


__all__ = ["Pairs", "TableauProduct"]
