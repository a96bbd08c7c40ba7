"""LTL on diagrams, hybrid: a small explicit graph whose nodes are a location and a set of states.

The automaton stays explicit, sets of states are diagrams, and the graph is searched on the fly for
an accepting component (its-gal specification, 4.5 and 4.6). What is a node differs:

- *SLAP*, the self-loop aggregation product (Duret-Lutz, Klai, Poitrenaud, Thierry-Mieg: "Self-loop
  aggregation product: a new hybrid approach to on-the-fly LTL model checking", ATVA 2011): whatever
  loops of the location, with no more marks than the arc that led there has, can reach is one set.
  With `fst`, a location that has only loops is decided by a fixpoint on its set; with `fsa` every
  location whose loops have all marks is, before it is gone on from.
- *BCZ* (Biere, Clarke, Zhu: "Multiple state and single state tableaux for combining local and
  global model checking", 1999): states that agree on all conditions, one step at a time.
- *SOG*, the symbolic observation graph (Haddad, Ilie, Klai: "Design and evaluation of a symbolic
  and abstraction-based model checker", ATVA 2004): all that can be reached while no condition
  changes is one set; a set in which a run can stay for ever has a successor that says so. Only for
  formulas that cannot tell a state from its repetition.

They are ways to the answer that share only the arcs with the engine itself (`ltl`), and stop as
soon as there is a run. A deadlock repeats for ever: it is a successor of itself.

Invariant: from a node an accepted run of the graph begins if and only if the automaton, at its
location, accepts a run from one of its states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from plait.automata.automaton import Arc
from plait.automata.translate import Translation
from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.engines.symbolic.ltl import Acceptance
from plait.errors import error

Decided = Literal["none", "fst", "fsa"]
"""What SLAP decides by a fixpoint: nothing, terminal locations, all whose loops have all marks."""
Node = tuple[int, States, bool]
"""A location, states, and whether they stay as they are for ever."""
SINK = -1
"""The location behind a fixpoint that found a run."""


class Hybrid(Acceptance):
    """The product of a model and an automaton, its nodes aggregated."""

    def __init__(self, labelling: SymbolicLabelling, translation: Translation) -> None:
        super().__init__(labelling, translation)
        self.nodes = 0
        """How many nodes were looked at."""
        self._stutters = not translation.has_next
        # The definition of SLAP wants an acceptance set: one of all arcs.
        self._every = self.automaton.all_marks or 1

    def slap(self, decided: Decided = "fst") -> bool:
        """Whether a run is accepted: the self-loop aggregation product."""
        first = (0, self._through_loops(self.core.initial(), 0, 0), False)
        return self._search(first, lambda node: self._slap_arcs(node, decided))

    def bcz(self) -> bool:
        """Whether a run is accepted: states that agree on all conditions, step by step."""
        return self._search((0, self.core.initial(), False), self._bcz_arcs)

    def sog(self) -> bool:
        """Whether a run is accepted: the symbolic observation graph."""
        if not self._stutters:
            raise error("an observation graph is for formulas that cannot tell repetitions")
        first = self._observed(self.core.initial(), self.core.initial())
        return self._search((0, first, False), self._sog_arcs)

    # --- SLAP -------------------------------------------------------------------------------------

    def _slap_arcs(self, node: Node, decided: Decided) -> Iterator[tuple[int, Node]]:
        q, states, _ = node
        if q == SINK:
            yield self._every, node
            return
        row = self.automaton.arcs[q]
        loops = [a for a in row if a.target == q]
        terminal = len(loops) == len(row)
        if decided == "fsa" or (decided == "fst" and terminal):
            found = self.recurrent({q: loops})
            if found is not None and self.core.intersection(found[q], states):
                yield 0, (SINK, self.labelling.nothing, False)
            elif not terminal:
                yield from self._slap_steps(q, states)
        else:
            yield from self._slap_steps(q, states)

    def _slap_steps(self, q: int, states: States) -> Iterator[tuple[int, Node]]:
        for arc in self.automaton.arcs[q]:
            marks = self._marks(arc)
            if arc.target == q and not marks:
                continue
            after = self._after(self.core.intersection(states, self.label(arc)))
            gathered = self._through_loops(after, arc.target, marks)
            if gathered:
                yield marks, (arc.target, gathered, False)

    def _through_loops(self, states: States, q: int, marks: int) -> States:
        """What loops of a location with no other marks lead to, and the states themselves."""
        loops = (a for a in self.automaton.arcs[q] if a.target == q)
        stay = self._union(self.label(a) for a in loops if not self._marks(a) & ~marks)
        core = self.core
        inside = core.eventually(stay, core.intersection(states, stay), forward=True)
        return core.union(states, core.union(inside, self._after(inside)))

    # --- BCZ and SOG ------------------------------------------------------------------------------

    def _bcz_arcs(self, node: Node) -> Iterator[tuple[int, Node]]:
        q, states, _ = node
        after = list(self._parts(self._after(states)))
        for arc in self._read(q, states):
            for part in after:
                yield self._marks(arc), (arc.target, part, False)

    def _sog_arcs(self, node: Node) -> Iterator[tuple[int, Node]]:
        q, states, stays = node
        if stays:
            for arc in self._read(q, states):
                yield self._marks(arc), (arc.target, states, True)
            return
        core = self.core
        alike = self._alike(states)
        outside = core.difference(self._after(states), alike)
        after = [(self._observed(part, part), False) for part in self._parts(outside)]
        if core.invariantly(states, self.labelling.nothing):
            after.append((states, True))
        for arc in self._read(q, states):
            for part, for_ever in after:
                yield self._marks(arc), (arc.target, part, for_ever)

    def _observed(self, states: States, like: States) -> States:
        """What the states lead to while no condition changes."""
        return self.core.eventually(self._alike(like), states, forward=True)

    def _alike(self, states: States) -> States:
        """All states that agree on the conditions with some that agree on them."""
        found = self.labelling.all
        for label in self._conditions:
            if self.core.intersection(states, label):
                found = self.core.intersection(found, label)
            else:
                found = self.core.difference(found, label)
        return found

    def _parts(self, states: States) -> Iterable[States]:
        """The states in sets that agree on all conditions."""
        parts = [states]
        for label in self._conditions:
            halves = (
                half
                for part in parts
                for half in (self.core.intersection(part, label), self.core.difference(part, label))
            )
            parts = [half for half in halves if half]
        return [part for part in parts if part]

    @property
    def _conditions(self) -> list[States]:
        return [self.labelling.label(condition) for condition in self._bits]

    def _read(self, q: int, states: States) -> Iterator[Arc]:
        """The arcs of a location that read states, which agree on all conditions."""
        for arc in self.automaton.arcs[q]:
            if self.core.intersection(states, self.label(arc)):
                yield arc

    # --- the search -------------------------------------------------------------------------------

    def _marks(self, arc: Arc) -> int:
        return arc.marks if self.automaton.acceptances else self._every

    def _after(self, states: States) -> States:
        ends = self.core.intersection(states, self.ends)
        return self.core.union(self.core.successors(states), ends)

    def _search(self, first: Node, arcs: Callable[[Node], Iterable[tuple[int, Node]]]) -> bool:
        """Whether a component with all marks can be reached (Couvreur, FM 1999)."""
        number = {first: 0}
        live = [first]
        gone: set[Node] = set()
        # Of each component on the path: its first node, its marks, and those of the arc to it.
        roots, inside, into = [0], [0], [0]
        path = [(0, iter(arcs(first)))]
        while path:
            place, following = path[-1]
            step = next(following, None)
            if step is None:
                path.pop()
                if roots[-1] == place:
                    roots.pop(), inside.pop(), into.pop()
                    while live and number[live[-1]] >= place:
                        gone.add(live.pop())
                continue
            marks, node = step
            if node not in number:
                number[node] = len(number)
                live.append(node)
                roots.append(number[node])
                inside.append(0)
                into.append(marks)
                path.append((number[node], iter(arcs(node))))
            elif node not in gone:
                while roots[-1] > number[node]:
                    marks |= inside.pop() | into.pop()
                    roots.pop()
                inside[-1] |= marks
                if inside[-1] == self._every:
                    break
        self.nodes = len(number)
        return bool(path)


__all__ = ["Decided", "Hybrid"]
