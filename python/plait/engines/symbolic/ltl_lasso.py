"""A run that an automaton accepts, from the sets of states that begin one (`ltl`).

In the product of the diagrams and the automaton a shortest path is sought to a component in which
every acceptance set can be visited for ever, or to a deadlock in which the automaton accepts. In
the component the run goes to an arc of each acceptance set that it has not visited yet, each time
by a shortest path, and then back to where it began. If there is no way back, it begins again where
it is: all that follows lies behind what was left, so that this ends (Clarke, Grumberg, McMillan,
Zhao: "Efficient generation of counterexamples and witnesses in symbolic model checking", 1995).

Paths are found layer by layer, with a set for each location of the automaton; then one state of
each layer is chosen, from the last to the first.

Invariant: a state of the path is in the set of its location. So whoever comes to a deadlock has
found a run: the only one there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait import _core
from plait.automata.automaton import Arc
from plait.automata.components import components
from plait.engines.symbolic.ltl import Acceptance, Sets
from plait.model.shape import State, Trace
from plait.program import with_events
from plait.records import dataclass

Rows = Mapping[int, Sequence[Arc]]


@dataclass(frozen=True, slots=True)
class Place:
    """A state of the product; `marks` are those of the arc that led there."""

    state: State
    location: int
    marks: int = 0


class Lasso:
    """Makes a run of an automaton that accepts one from the initial state."""

    def __init__(self, acceptance: Acceptance, program: _core.Program) -> None:
        self._acceptance = acceptance
        self._core = acceptance.core
        self._program = program

    def run(self) -> tuple[Trace, int]:
        """The steps of the run, and the place of the state that it goes back to.

        That is the last one when it is a deadlock.
        """
        nodes = [Place(tuple(self._program.initial()), 0)]
        again, inside = self._recurrent()
        rows: Rows = dict(enumerate(self._acceptance.automaton.arcs))
        nodes += self._to(nodes[0], rows, self._acceptance.sets, again)
        return self.endless(nodes, again, inside)

    def endless(
        self, nodes: list[Place], again: Sets, inside: Mapping[int, Rows]
    ) -> tuple[Trace, int]:
        """A path to a state in which a run can have all marks for ever, and such a run.

        `inside` has the arcs of the component that each location with such states is in.
        """
        loop = len(nodes) - 1
        while not self._is_end(nodes[-1]):
            rows = inside[nodes[-1].location]
            loop = len(nodes) - 1
            nodes += self._through_all(nodes[-1], rows, again)
            if self._is_end(nodes[-1]):
                break
            first = nodes[loop]
            back = self._path(nodes[-1], rows, again, {first.location: self._single(first)})
            if back is not None:
                nodes += back
                break
        if self._is_end(nodes[-1]):
            loop = len(nodes) - 1
        return with_events(self._program, [node.state for node in nodes]), loop

    def _recurrent(self) -> tuple[Sets, dict[int, Rows]]:
        """The states of each component that can visit all acceptance sets, and its arcs."""
        acceptance = self._acceptance
        arcs = acceptance.automaton.arcs
        again: Sets = {}
        inside: dict[int, Rows] = {}
        for component in components([[a.target for a in row] for row in arcs]):
            rows = {q: [a for a in arcs[q] if a.target in component] for q in component}
            found = acceptance.recurrent(rows)
            if found is not None:
                again.update(found)
                inside.update(dict.fromkeys(component, rows))
        return again, inside

    def _through_all(self, start: Place, rows: Rows, again: Sets) -> list[Place]:
        """A path along an arc of each acceptance set, or to a deadlock."""
        nodes: list[Place] = []
        acceptance = self._acceptance
        seen = 0
        for mark in acceptance.needed:
            if nodes and seen & mark == mark:
                continue
            with_mark = {q: [a for a in row if a.marks & mark == mark] for q, row in rows.items()}
            before = {q: acceptance.steps(row, again) for q, row in with_mark.items()}
            here = nodes[-1] if nodes else start
            nodes += self._to(here, rows, again, before)
            here = nodes[-1] if nodes else start
            if self._is_end(here):
                break
            step = self._path(here, with_mark, again, again, moved=True)
            assert step is not None
            nodes += step
            if self._is_end(nodes[-1]):
                break
            for node in nodes:
                seen |= node.marks
        return nodes

    # --- paths ------------------------------------------------------------------------------------

    def _to(self, start: Place, rows: Rows, stay: Sets, goals: Sets) -> list[Place]:
        """A shortest path to a goal or to a deadlock, one of which there must be."""
        ends = {q: self._core.intersection(s, self._acceptance.ends) for q, s in stay.items()}
        nothing = self._acceptance.labelling.nothing
        either = {q: self._core.union(ends[q], goals.get(q, nothing)) for q in stay}
        found = self._path(start, rows, stay, either)
        assert found is not None
        return found

    def _path(
        self, start: Place, rows: Rows, stay: Sets, goals: Sets, *, moved: bool = False
    ) -> list[Place] | None:
        """What follows `start` on a shortest path to a goal; with `moved` not of zero steps."""
        core = self._core
        layers: list[Sets] = [{start.location: self._single(start)}]
        seen: Sets = {} if moved else dict(layers[0])
        met = None if moved else self._met(layers[0], goals)
        while met is None:
            layer = self._next(layers[-1], rows, stay, seen)
            if not layer:
                return None
            layers.append(layer)
            for q, states in layer.items():
                seen[q] = states if q not in seen else core.union(seen[q], states)
            met = self._met(layer, goals)
        nodes: list[Place] = []
        for layer in reversed(layers[:-1]):
            before, marks = self._before(met, layer, rows)
            nodes.append(Place(met.state, met.location, marks))
            met = before
        return nodes[::-1]

    def _next(self, layer: Sets, rows: Rows, stay: Sets, seen: Sets) -> Sets:
        core, acceptance = self._core, self._acceptance
        found: Sets = {}
        for q, states in layer.items():
            for arc in rows.get(q, ()):
                if arc.target not in stay:
                    continue
                read = core.intersection(states, acceptance.label(arc))
                after = core.intersection(core.successors(read), stay[arc.target])
                if arc.target in seen:
                    after = core.difference(after, seen[arc.target])
                if not after:
                    continue
                known = found.get(arc.target)
                found[arc.target] = after if known is None else core.union(known, after)
        return found

    def _met(self, layer: Sets, goals: Sets) -> Place | None:
        for q, states in layer.items():
            if q in goals:
                for state in self._core.pick(self._core.intersection(states, goals[q]), 1):
                    return Place(state, q)
        return None

    def _before(self, node: Place, layer: Sets, rows: Rows) -> tuple[Place, int]:
        """A node of the layer with an arc to the node, and the marks of the arc."""
        core = self._core
        sources = core.predecessors(core.single(node.state))
        for q, states in layer.items():
            for arc in rows.get(q, ()):
                if arc.target != node.location:
                    continue
                read = core.intersection(states, self._acceptance.label(arc))
                for state in core.pick(core.intersection(read, sources), 1):
                    return Place(state, q), arc.marks
        raise AssertionError("a state of a layer has a predecessor in the one before")

    def _single(self, node: Place) -> _core.StateSet:
        return self._core.single(node.state)

    def _is_end(self, node: Place) -> bool:
        return self._core.contains(self._acceptance.ends, node.state)


__all__ = ["Lasso", "Place"]
