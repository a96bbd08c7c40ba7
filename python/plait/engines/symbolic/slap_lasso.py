"""A run of the model from an accepting lasso of the self-loop aggregation product (`hybrids`).

A node of that product is a set of states, and an arc says only that some state of the one set leads
to some state of the other. But each state of a node was reached: it has a path from a state of the
node before, which reads the arc and then loops of the location with no other marks. So paths are
found backward, layer by layer:

- along the circle of nodes, from one state of its first node, until that state is met again. If it
  never is, no path leads from it to itself, and the search begins anew from a state of the last
  layer: all that leads there is less than what led to the first one, so that this ends (as in
  Clarke, Grumberg, McMillan, Zhao, 1995, forward);
- along the stem, from the state of the circle that was found, until the initial state is met.

Then the run is read off forward. Where a fixpoint found the run (SLAP-FST and FSA), the stem leads
to one of its states, and the circle is made from its sets (`ltl_lasso`).

Invariant: between two states of the first node of the circle lies at least one round, which has all
marks. A deadlock repeats for ever: the run ends where it meets one.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.symbolic.ctl import States
from plait.engines.symbolic.hybrids import SINK, Hybrid, Node, Step
from plait.engines.symbolic.ltl_lasso import Lasso, Place
from plait.model.shape import State, Trace
from plait.program import with_events
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Layers:
    """What leads to a goal by loops of a location: the goal, what is one step before it, ..."""

    layers: tuple[States, ...]
    all: States


class SlapLasso(Lasso):
    """Makes the run of a product that has found one."""

    def __init__(self, product: Hybrid, program: _core.Program) -> None:
        super().__init__(product, program)
        self._product = product

    def run(self) -> tuple[Trace, int]:
        """The steps of the run, and the place of the state that it goes back to."""
        lasso = self._product.lasso
        assert lasso is not None
        if lasso.first[0] == SINK:
            return self._decided(lasso.stem)
        around, states = self._circle(lasso.first, lasso.circle)
        path = self._stem(lasso.stem, self._core.single(around))
        return self._ended([*path, *states], len(path) - 1)

    def _decided(self, stem: Sequence[Step]) -> tuple[Trace, int]:
        """The run of a location whose loops were decided by a fixpoint."""
        product, core = self._product, self._core
        q, states, _ = stem[-2][1] if len(stem) > 1 else product.first()
        rows = {q: [a for a in product.automaton.arcs[q] if a.target == q]}
        again = product.recurrent(rows)
        assert again is not None
        path = self._stem(stem[:-1], core.intersection(states, again[q]))
        trace, loop = self._ended(path, len(path) - 1)
        if core.contains(product.ends, trace[-1][1]):
            return trace, loop
        places = [Place(state, q) for _, state in trace]
        return self.endless(places, again, {q: rows})

    # --- the circle -------------------------------------------------------------------------------

    def _circle(self, first: Node, circle: Sequence[Step]) -> tuple[State, list[State]]:
        """A state of a node, and what follows on a path around until it is there again."""
        core = self._core
        nodes = [first, *(node for _, node in circle)]
        start = core.pick(first[1], 1)[0]
        while True:
            goal = core.single(start)
            rounds: list[list[Layers]] = []
            left = furthest = goal
            seen = self._product.labelling.nothing
            while left:
                rounds.append(self._back(nodes, circle, left))
                before = self._sources(nodes[0], circle[0], rounds[-1][0])
                if core.intersection(before, goal):
                    path = [start]
                    for layers in reversed(rounds):
                        path = self._forward(path, layers)
                    return start, path[1:]
                left = core.difference(before, seen)
                seen = core.union(seen, before)
                furthest = left or furthest
            start = core.pick(furthest, 1)[0]

    def _back(self, nodes: Sequence[Node], steps: Sequence[Step], goal: States) -> list[Layers]:
        """For each arc, what leads inside the node behind it to where the next arc is taken."""
        found: list[Layers] = []
        for place in range(len(steps) - 1, -1, -1):
            marks, node = steps[place]
            found.append(self._layers(node, marks, goal))
            goal = self._sources(nodes[place], steps[place], found[-1])
        return found[::-1]

    def _layers(self, node: Node, marks: int, goal: States) -> Layers:
        """What leads to a goal inside a node."""
        core = self._core
        inside = core.intersection(node[1], self._product.stay(node[0], marks))
        layers = [core.intersection(goal, node[1])]
        seen = layers[0]
        while True:
            before = core.intersection(core.predecessors(layers[-1]), inside)
            before = core.difference(before, seen)
            if not before:
                return Layers(tuple(layers), seen)
            layers.append(before)
            seen = core.union(seen, before)

    def _sources(self, node: Node, step: Step, to: Layers) -> States:
        """The states of a node from which an arc leads into the layers."""
        core, product = self._core, self._product
        marks, (target, _, _) = step
        before = core.union(core.predecessors(to.all), core.intersection(to.all, product.ends))
        found = product.labelling.nothing
        for arc in product.automaton.arcs[node[0]]:
            if arc.target == target and product.marks(arc) == marks:
                read = core.intersection(product.label(arc), node[1])
                found = core.union(found, core.intersection(read, before))
        return found

    # --- the path ---------------------------------------------------------------------------------

    def _stem(self, stem: Sequence[Step], goal: States) -> list[State]:
        """The states of a path along the stem to a goal."""
        first = self._product.first()
        nodes = [first, *(node for _, node in stem)]
        found = self._back(nodes, stem, goal)
        at_first = self._sources(first, stem[0], found[0]) if stem else goal
        layers = self._layers(first, 0, at_first)
        start = tuple(self._program.initial())
        return self._forward(self._down([start], layers), found)

    def _forward(self, path: list[State], found: Sequence[Layers]) -> list[State]:
        """The path, gone on along arcs and through the layers behind each."""
        for layers in found:
            path = self._down([*path, self._follow(path[-1], layers.all)], layers)
        return path

    def _down(self, path: list[State], layers: Layers) -> list[State]:
        """The path, gone on from a state of a layer to the goal."""
        state = path[-1]
        depth = next(i for i, s in enumerate(layers.layers) if self._core.contains(s, state))
        for layer in reversed(layers.layers[:depth]):
            path.append(self._follow(path[-1], layer))
        return path

    def _follow(self, state: State, into: States) -> State:
        """A successor in a set; a deadlock is its own."""
        core = self._core
        single = core.single(state)
        after = core.union(core.successors(single), core.intersection(single, self._product.ends))
        return core.pick(core.intersection(after, into), 1)[0]

    def _ended(self, states: Sequence[State], loop: int) -> tuple[Trace, int]:
        """The run with its events: up to a deadlock, if it meets one."""
        ends = self._product.ends
        end = next((i for i, s in enumerate(states) if self._core.contains(ends, s)), None)
        if end is not None:
            states, loop = states[: end + 1], end
        return with_events(self._program, states), loop


__all__ = ["SlapLasso"]
