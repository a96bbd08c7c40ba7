"""LTL on diagrams, forward: the hull of the accepting components of the product.

The reachable product is a set of states for each location of the automaton. What no accepting cycle
leads to is taken away until nothing changes:

- *EL* (Emerson and Lei, 1986): for each acceptance set, only what lies behind one of its arcs
  stays;
- *OWCTY* (one way catch them young; Fisler, Fraer, Kamhi, Vardi and Yang, *Is there a best symbolic
  cycle-detection algorithm?*, TACAS 2001): before each round, also what no endless past leads to
  goes.

What is left are the accepting components and all behind them: it is empty exactly when no run is
accepted. The engine itself goes backward (`ltl`), where fixpoints by saturation do most of the
work; the hulls are two independent ways to the same answer.
"""

from __future__ import annotations

from typing import Literal

from plait.engines.symbolic.ltl import Acceptance, Sets

Hull = Literal["el", "owcty"]


class ForwardHull(Acceptance):
    """The product of a model and an automaton, from the initial state on."""

    def accepts(self, hull: Hull) -> bool:
        """Whether the automaton accepts a run from the initial state."""
        nothing = dict.fromkeys(range(len(self.automaton.arcs)), self.labelling.nothing)
        left = self._behind({**nothing, 0: self.core.initial()})
        sets = [1 << i for i in range(self.automaton.acceptances)]
        while True:
            before = left
            if hull == "owcty" or not sets:
                left = self._with_past(left)
            for mark in sets:
                left = self._behind(self._after(left, mark))
            if left == before:
                return any(left.values())

    def _with_past(self, left: Sets) -> Sets:
        """What some endless path inside leads to."""
        while True:
            after = self._after(left, 0)
            if after == left:
                return left
            left = after

    def _behind(self, start: Sets) -> Sets:
        """What paths of the product lead to."""
        found = start
        while True:
            after = self._after(found, 0)
            more = {q: self.core.union(found[q], after[q]) for q in found}
            if more == found:
                return found
            found = more

    def _after(self, sets: Sets, mark: int) -> Sets:
        """The successors by arcs with a mark."""
        found = dict.fromkeys(sets, self.labelling.nothing)
        for q, row in enumerate(self.automaton.arcs):
            for arc in row:
                if arc.marks & mark != mark:
                    continue
                read = self.core.intersection(sets[q], self.label(arc))
                ends = self.core.intersection(read, self.ends)
                step = self.core.union(self.core.successors(read), ends)
                found[arc.target] = self.core.union(found[arc.target], step)
        return found


__all__ = ["ForwardHull", "Hull"]
