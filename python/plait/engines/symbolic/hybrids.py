"""LTL on diagrams, hybrid: a small explicit graph whose nodes are a location and a set of states.

The automaton stays explicit, sets of states are diagrams, and the graph is searched on the fly for
an accepting component. What is a node differs:

- *SLAP*, the self-loop aggregation product (Duret-Lutz, Klai, Poitrenaud, Thierry-Mieg: "Self-loop
  aggregation product: a new hybrid approach to on-the-fly LTL model checking", ATVA 2011): whatever
  loops of the location, with no more marks than the arc that led there has, can reach is one set.
  With `fst`, a location that has only loops is decided by a fixpoint on its set; with `fsa` every
  location whose loops have all marks is, before it is gone on from.
- *BCZ* (Biere, Clarke, Zhu: "Multiple state and single state tableaux for combining local and
  global model checking", 1999): states that agree on all conditions, one step at a time.

`observation` has two more, for formulas that cannot tell a state from its repetition.

They are ways to the answer that share only the arcs with the engine itself (`ltl`), and stop as
soon as there is a run. A deadlock repeats for ever: it is a successor of itself.

Invariant: from a node an accepted run of the graph begins if and only if the automaton, at its
location, accepts a run from one of its states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from plait.automata.automaton import Arc
from plait.automata.translate import Translation
from plait.engines.symbolic.ctl import States, SymbolicLabelling
from plait.engines.symbolic.ltl import Acceptance
from plait.records import dataclass

Decided = Literal["none", "fst", "fsa"]
"""What SLAP decides by a fixpoint: nothing, terminal locations, all whose loops have all marks."""
Node = tuple[int, States, bool]
"""A location, states, and whether they stay as they are for ever."""
Step = tuple[int, Node]
"""An arc of the graph: its marks, and the node that it leads to."""
SINK = -1
"""The location behind a fixpoint that found a run."""


class Hybrid(Acceptance):
    """The product of a model and an automaton, its nodes aggregated."""

    def __init__(self, labelling: SymbolicLabelling, translation: Translation) -> None:
        super().__init__(labelling, translation)
        self.nodes = 0
        """How many nodes were looked at."""
        self.lasso: AggregateLasso | None = None
        """The nodes of the run that was found."""
        # The definition of SLAP wants an acceptance set: one of all arcs.
        self.every = self.automaton.all_marks or 1

    def slap(self, decided: Decided = "fst") -> bool:
        """Whether a run is accepted: the self-loop aggregation product."""
        return self.search(self.first(), lambda node: self._slap_arcs(node, decided))

    def first(self) -> Node:
        """The node of SLAP in which runs begin."""
        return 0, self._through_loops(self.core.initial(), 0, 0), False

    def bcz(self) -> bool:
        """Whether a run is accepted: states that agree on all conditions, step by step."""
        return self.search((0, self.core.initial(), False), self._bcz_arcs)

    # --- SLAP -------------------------------------------------------------------------------------

    def _slap_arcs(self, node: Node, decided: Decided) -> Iterator[Step]:
        q, states, _ = node
        if q == SINK:
            yield self.every, node
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

    def _slap_steps(self, q: int, states: States) -> Iterator[Step]:
        for arc in self.automaton.arcs[q]:
            marks = self.marks(arc)
            if arc.target == q and not marks:
                continue
            after = self.after(self.core.intersection(states, self.label(arc)))
            gathered = self._through_loops(after, arc.target, marks)
            if gathered:
                yield marks, (arc.target, gathered, False)

    def _through_loops(self, states: States, q: int, marks: int) -> States:
        """What loops of a location with no other marks lead to, and the states themselves."""
        core, stay = self.core, self.stay(q, marks)
        inside = core.eventually(stay, core.intersection(states, stay), forward=True)
        return core.union(states, core.union(inside, self.after(inside)))

    def stay(self, q: int, marks: int) -> States:
        """What loops of a location with no other marks read."""
        loops = (a for a in self.automaton.arcs[q] if a.target == q)
        return self._union(self.label(a) for a in loops if not self.marks(a) & ~marks)

    # --- BCZ --------------------------------------------------------------------------------------

    def _bcz_arcs(self, node: Node) -> Iterator[Step]:
        q, states, _ = node
        after = list(self.parts(self.after(states), self.conditions))
        for arc in self.read(q, states):
            for part in after:
                yield self.marks(arc), (arc.target, part, False)

    def parts(self, states: States, conditions: Iterable[States]) -> Iterable[States]:
        """The states in sets that agree on these conditions."""
        parts = [states]
        for label in conditions:
            halves = (
                half
                for part in parts
                for half in (self.core.intersection(part, label), self.core.difference(part, label))
            )
            parts = [half for half in halves if half]
        return [part for part in parts if part]

    @property
    def conditions(self) -> list[States]:
        """The states in which each of the conditions holds."""
        return [self.labelling.label(condition) for condition in self._bits]

    def read(self, q: int, states: States) -> Iterator[Arc]:
        """The arcs of a location that read states, which agree on all that it speaks of."""
        for arc in self.automaton.arcs[q]:
            if self.core.intersection(states, self.label(arc)):
                yield arc

    # --- the search -------------------------------------------------------------------------------

    def marks(self, arc: Arc) -> int:
        """The marks of an arc; where there are no acceptance sets, that of one of all arcs."""
        return arc.marks if self.automaton.acceptances else self.every

    def after(self, states: States) -> States:
        """The successors, of which a deadlock is its own."""
        ends = self.core.intersection(states, self.ends)
        return self.core.union(self.core.successors(states), ends)

    def search(self, first: Node, arcs: Callable[[Node], Iterable[Step]]) -> bool:
        """Whether a component with all marks can be reached (Couvreur, FM 1999)."""
        number = {first: 0}
        live = [first]
        gone: set[Node] = set()
        taken: dict[Node, list[Step]] = {first: []}
        # Of each component on the path: its first node, its marks, and those of the arc to it.
        roots, inside, into = [0], [0], [0]
        path = [(first, iter(arcs(first)))]
        while path:
            here, following = path[-1]
            step = next(following, None)
            if step is None:
                path.pop()
                if roots[-1] == number[here]:
                    roots.pop(), inside.pop(), into.pop()
                    while live and number[live[-1]] >= number[here]:
                        gone.add(live.pop())
                continue
            marks, node = step
            taken[here].append(step)
            if node not in number:
                number[node] = len(number)
                taken[node] = []
                live.append(node)
                roots.append(number[node])
                inside.append(0)
                into.append(marks)
                path.append((node, iter(arcs(node))))
            elif node not in gone:
                while roots[-1] > number[node]:
                    marks |= inside.pop() | into.pop()
                    roots.pop()
                inside[-1] |= marks
                if inside[-1] == self.every:
                    break
        self.nodes = len(number)
        self.lasso = None
        if path:
            component = {n for n in live if number[n] >= roots[-1]}
            stem = [n for n, _ in path if number[n] <= roots[-1]]
            self.lasso = AggregateLasso(*_lasso(stem, component, taken, self.every))
        return bool(path)


@dataclass(frozen=True, slots=True)
class AggregateLasso:
    """Nodes that lead from the first one to a circle of arcs which has all marks."""

    stem: tuple[Step, ...]
    """The arcs to the first node of the circle."""
    first: Node
    circle: tuple[Step, ...]


def _lasso(
    stem: Sequence[Node], component: set[Node], taken: Mapping[Node, Sequence[Step]], every: int
) -> tuple[tuple[Step, ...], Node, tuple[Step, ...]]:
    """The arcs between the nodes of a stem, and a circle through its last one."""
    steps = [next(step for step in taken[a] if step[1] == b) for a, b in pairwise(stem)]
    first = here = stem[-1]
    circle: list[Step] = []
    missing = every
    while missing or here != first or not circle:
        found = _walk(here, component, taken, missing, first)
        for marks, _ in found:
            missing &= ~marks
        here = found[-1][1]
        circle += found
    return tuple(steps), first, tuple(circle)


def _walk(
    start: Node,
    component: set[Node],
    taken: Mapping[Node, Sequence[Step]],
    missing: int,
    last: Node,
) -> list[Step]:
    """A shortest path inside a component to an arc with a missing mark, or else to a node."""
    came: dict[Node, tuple[Node, Step] | None] = {start: None}
    queue = [start]
    for node in queue:
        for step in taken[node]:
            if step[1] not in component:
                continue
            if step[0] & missing if missing else step[1] == last:
                found = [step]
                at = came[node]
                while at is not None:
                    found.append(at[1])
                    at = came[at[0]]
                return found[::-1]
            if step[1] not in came:
                came[step[1]] = node, step
                queue.append(step[1])
    raise AssertionError("the arcs of a component lead to one another")


__all__ = ["AggregateLasso", "Decided", "Hybrid", "Node", "Step"]
