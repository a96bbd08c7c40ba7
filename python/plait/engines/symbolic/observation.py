"""LTL on diagrams, hybrid: graphs in which only changes of what is observed are steps.

For formulas that cannot tell a state from its repetition, all that can be reached while no
condition changes is one set; a set in which a run can stay for ever has a successor that says so.

- *SOG*, the symbolic observation graph (Haddad, Ilie, Klai: "Design and evaluation of a symbolic
  and abstraction-based model checker", ATVA 2004): every condition of the formula is observed.
- *SOP*, the symbolic observation product (Duret-Lutz, Klai, Poitrenaud, Thierry-Mieg: "Combining
  explicit and symbolic approaches for better on-the-fly LTL model checking", 2011): at a location,
  only the conditions are observed that arcs still speak of which can be reached from it. So the
  sets grow, and become fewer, as the automaton gets on with its formula.

Invariant: the states of a node agree on all that is observed at its location, and are closed under
steps that change none of it. SOP relies on each *location* to accept a language that cannot tell
repetitions, not only the first one. That holds for the tableau of a formula without X, whose
locations are sets of such formulas, and for claims, of which it is seen arc by arc
(`plait.automata.stutter`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.automata.automaton import Automaton
from plait.automata.components import components
from plait.automata.translate import Translation
from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.engines.symbolic.hybrids import Hybrid, Node, Step
from plait.errors import error


class Observation(Hybrid):
    """The product of a model and an automaton, as far as changes are observed."""

    def __init__(self, labelling: SymbolicLabelling, translation: Translation) -> None:
        if translation.has_next:
            raise error("observation graphs are for formulas that cannot tell repetitions: no X")
        super().__init__(labelling, translation)
        self.observed: list[int] = []
        """The conditions, as bits, that are observed at each location."""

    def sog(self) -> bool:
        """Whether a run is accepted: the symbolic observation graph."""
        every = (1 << len(self.conditions)) - 1
        return self._decide([every] * len(self.automaton.arcs))

    def sop(self) -> bool:
        """Whether a run is accepted: the symbolic observation product."""
        return self._decide(spoken_of(self.automaton))

    def _decide(self, observed: list[int]) -> bool:
        self.observed = observed
        initial = self.core.initial()
        return self.search((0, self._gathered(initial, 0), False), self.steps_of)

    def steps_of(self, node: Node) -> Iterator[Step]:
        """The arcs of a node of the graph."""
        q, states, stays = node
        read = list(self.read(q, states))
        if stays:
            for arc in read:
                yield self.marks(arc), (arc.target, states, True)
            return
        core = self.core
        outside = core.difference(self.after(states), self._alike(states, q))
        may_stay = bool(core.invariantly(states, self.labelling.nothing))
        for arc in read:
            if may_stay:
                yield self.marks(arc), (arc.target, states, True)
            for part in self.parts(outside, self._seen(arc.target)):
                gathered = self._gathered(part, arc.target)
                yield self.marks(arc), (arc.target, gathered, False)

    def _gathered(self, states: States, q: int) -> States:
        """What states that agree on what is observed lead to while none of it changes."""
        return self.core.eventually(self._alike(states, q), states, forward=True)

    def _alike(self, states: States, q: int) -> States:
        """All states that agree with some on what is observed, as those do among themselves."""
        found = self.labelling.all
        for label in self._seen(q):
            if self.core.intersection(states, label):
                found = self.core.intersection(found, label)
            else:
                found = self.core.difference(found, label)
        return found

    def _seen(self, q: int) -> Sequence[States]:
        bits = self.observed[q]
        return [label for bit, label in enumerate(self.conditions) if bits >> bit & 1]


def spoken_of(automaton: Automaton) -> list[int]:
    """For each location, the bits that arcs speak of which can be reached from it."""
    found = [0] * len(automaton.arcs)
    # The last components come first: what lies behind one is known.
    for component in components([[a.target for a in row] for row in automaton.arcs]):
        bits = 0
        for arc in (a for q in component for a in automaton.arcs[q]):
            bits |= arc.positive | arc.negative | found[arc.target]
        for q in component:
            found[q] = bits
    return found


__all__ = ["Observation", "spoken_of"]
