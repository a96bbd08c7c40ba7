"""The quotient by symmetries on diagrams: sets of states are made canonical at once.

For each element `g` of a set of permutations, the states that it makes less are replaced by what it
makes of them, until none is left that some element makes less (Colange,
Kordon, Thierry-Mieg, Baarir: "State space analysis using symmetries on decision diagrams", ACSD
2012):

    for g in H:   R := {s in S : g.s < s};   S := (S - R) + g.R

The reachable canonical states are found layer by layer, since that cannot be part of a saturation:
it reads and writes all cells that are permuted. The elements are events of the program
(`plait.symmetry.quotient`), so that the ordering of states and the exchange of values are what the
diagrams do with any condition and any assignment.

A run is a path along events of the model and elements, inside all sets that were seen. Without the
elements, and with the permutations taken back that they were, its states are those of a run of the
model; which events lead from one to the next is found there.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.budget import Budget, Listener, Progress
from plait.engines.prepared import Prepared
from plait.engines.symbolic.attempts import candidates
from plait.engines.symbolic.orders import Orders
from plait.engines.symbolic.reach import ENGINE, Diagrams
from plait.engines.symbolic.tuning import Tuning
from plait.model.expr import Formula, IntExpr
from plait.model.rewritten import Rewritten, flat_type
from plait.model.shape import State
from plait.model.types import Model, Property
from plait.program import compile_model
from plait.records import replace
from plait.symmetry.group import Permutation
from plait.symmetry.quotient import with_elements


class Orbits:
    """The reachable canonical states of a flat model."""

    def __init__(
        self,
        flat: Model,
        elements: Sequence[Permutation],
        tuning: Tuning,
        budget: Budget,
        listen: Listener | None = None,
    ) -> None:
        """`StoppedError` when the budget is too small."""
        self._elements = elements
        extended = with_elements(replace(flat, properties=()), elements)
        events = flat_type(flat).events
        self._first = len(events)
        """The number of the event of the first element."""
        self._free = [n for n, event in enumerate(events) if event.label is None]
        prepared = Prepared(extended, Rewritten(extended), compile_model(extended))
        self._compiled = prepared.compiled
        order = next(candidates(Orders(extended, None), tuning.merge, budget))
        diagrams = Diagrams(prepared, order, tuning, listen)
        diagrams.limit(budget)
        self.core = diagrams.core
        self._seen = self.core.initial()
        try:
            self.states = self._explore(budget, listen)
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None

    def _explore(self, budget: Budget, listen: Listener | None) -> _core.StateSet:
        core = self.core
        visited = frontier = self.canonical(core.initial())
        depth = 0
        while frontier:
            if listen is not None:
                listen(Progress(ENGINE, states=core.count(visited), depth=depth))
            budget.check()
            frontier = core.difference(self.canonical(core.image(frontier, self._free)), visited)
            visited = core.union(visited, frontier)
            depth += 1
        return visited

    def canonical(self, states: _core.StateSet) -> _core.StateSet:
        """The canonical states of the orbits of some states."""
        core = self.core
        self._seen = core.union(self._seen, states)
        changed = True
        while changed:
            changed = False
            for number in range(len(self._elements)):
                less = [self._first + 2 * number]
                reduced = core.enabled(states, less)
                if reduced:
                    moved = core.image(reduced, less)
                    states = core.union(core.difference(states, reduced), moved)
                    self._seen = core.union(self._seen, moved)
                    changed = True
        return states

    def closure(self, states: _core.StateSet) -> _core.StateSet:
        """All states of the orbits of some states."""
        core = self.core
        elements = [self._first + 2 * n + 1 for n in range(len(self._elements))]
        changed = True
        while changed:
            before = states
            for element in elements:
                states = core.union(states, core.image(states, [element]))
            changed = states != before
        return states

    def deadlocks(self) -> _core.StateSet:
        """The canonical states in which nothing can happen."""
        return self.core.difference(self.states, self.core.enabled(self.states, self._free))

    def goal(self, p: Property) -> _core.StateSet:
        """The canonical states that decide a property of the flat model."""
        if p.kind == "deadlock":
            return self.deadlocks()
        assert isinstance(p.body, Formula)
        program, condition = self._compiled.program, self._compiled.formula(p.body)
        if p.kind == "invariant":
            condition = program.fails(condition)
        return self.core.select(program, self.states, condition)

    def extrema(self, expression: IntExpr) -> tuple[int, int] | None:
        """The least and the greatest value of an integer; None where it never has one."""
        program = self._compiled.program
        return self.core.extrema(program, self.states, self._compiled.integer(expression))

    def run(self, goal: _core.StateSet) -> list[State] | None:
        """The states of a run of the model to the orbit of a goal."""
        path = self.core.path_inside(self._seen, goal)
        if path is None:
            return None
        g = Permutation.identity(len(path[0][1]) - 1)
        states: list[State] = []
        for event, state in path:
            if event is not None and event >= self._first:
                g = g.after(self._elements[(event - self._first) // 2].inverse())
            else:
                states.append(g.apply(state[:-1]))
        return states


__all__ = ["Orbits"]
