"""LTL on diagrams, forward, with a testing automaton (`plait.automata.testing`).

The product has a set of states for each location of the testing automaton. Where no condition
changes the automaton stays, so that these steps are steps of the model alone, inside the states
that agree on all conditions: a fixpoint by saturation. Only where conditions change does the
automaton move. On this product the hulls of `hull` are computed (Ben Salem, Duret-Lutz, Kordon,
Thierry-Mieg, TACAS 2014).

Only letters that reachable states have are letters of the automaton. Invariant: what is left in the
hull lies behind a circle of the product with all marks; so it is empty exactly when no run is
accepted.
"""

from __future__ import annotations

from plait.automata.testing import GeneralisedTestingAutomaton, of_buchi
from plait.automata.translate import Translation
from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.engines.symbolic.hull import Hull
from plait.engines.symbolic.ltl import Acceptance, Sets
from plait.errors import error


class TgtaHull(Acceptance):
    """The product of a model and a testing automaton, from the initial state on."""

    def __init__(self, labelling: SymbolicLabelling, translation: Translation) -> None:
        if translation.has_next:
            raise error("testing automata are for formulas that cannot tell repetitions: no X")
        super().__init__(labelling, translation)
        self._alike = self._letters()
        self.testing: GeneralisedTestingAutomaton = of_buchi(self.automaton, list(self._alike))

    def accepts(self, hull: Hull) -> bool:
        """Whether the automaton accepts a run from the initial state."""
        core = self.core
        left = self._nowhere()
        for letter, q in self.testing.first:
            here = core.intersection(core.initial(), self._alike[letter])
            left[q] = core.union(left[q], here)
        left = self._behind(left)
        while True:
            before = left
            if hull == "owcty":
                left = self._with_past(left)
            for bit in range(self.testing.acceptances):
                left = self._behind(self._changed(left, 1 << bit, self._marked(left)))
            if left == before:
                return any(left.values())

    def _with_past(self, left: Sets) -> Sets:
        """What some endless path inside leads to."""
        while True:
            after = self._changed(left, 0, {q: self._still(s) for q, s in left.items()})
            if after == left:
                return left
            left = after

    def _behind(self, start: Sets) -> Sets:
        """What paths of the product lead to."""
        core = self.core
        found = {q: self._staying(states) for q, states in start.items()}
        while True:
            more = self._changed(found, 0, found)
            if more == found:
                return found
            found = {q: core.union(found[q], self._staying(states)) for q, states in more.items()}

    def _marked(self, sets: Sets) -> Sets:
        """What loops with all marks lead to: steps on which nothing changes."""
        staying, nothing = self.testing.staying, self.labelling.nothing
        return {q: self._still(s) if q in staying else nothing for q, s in sets.items()}

    def _changed(self, sets: Sets, mark: int, also: Sets) -> Sets:
        """Some states, and the successors by arcs with a mark."""
        core = self.core
        found = dict(also)
        for q, row in enumerate(self.testing.arcs):
            if not sets[q] or not any(c.marks & mark == mark for c in row):
                continue
            after = self._after_letters(sets[q])
            for c in (c for c in row if c.marks & mark == mark):
                for letter, states in after.items():
                    alike = self._alike.get(letter ^ c.bits)
                    if alike is not None:
                        step = core.intersection(states, alike)
                        found[c.target] = core.union(found[c.target], step)
        return found

    def _after_letters(self, states: States) -> dict[int, States]:
        """The successors of the states with each letter."""
        parts = {n: self.core.intersection(states, alike) for n, alike in self._alike.items()}
        return {n: self.core.successors(part) for n, part in parts.items() if part}

    def _staying(self, states: States) -> States:
        """What the states lead to while nothing changes."""
        core = self.core
        return self._union(
            core.eventually(alike, core.intersection(states, alike), forward=True)
            for alike in self._alike.values()
        )

    def _still(self, states: States) -> States:
        """The successors by steps on which nothing changes; a deadlock is its own."""
        core = self.core
        found = core.intersection(states, self.ends)
        for letter, after in self._after_letters(states).items():
            found = core.union(found, core.intersection(after, self._alike[letter]))
        return found

    def _letters(self) -> dict[int, States]:
        """The reachable states that agree on all conditions, by the letter that they have."""
        core = self.core
        found = {0: self.labelling.all}
        for bit, condition in enumerate(self._bits):
            label = self.labelling.label(condition)
            halves = {
                **{n: core.difference(s, label) for n, s in found.items()},
                **{n | 1 << bit: core.intersection(s, label) for n, s in found.items()},
            }
            found = {n: s for n, s in halves.items() if s}
        return found

    def _nowhere(self) -> Sets:
        return dict.fromkeys(range(len(self.testing.arcs)), self.labelling.nothing)


__all__ = ["TgtaHull"]
