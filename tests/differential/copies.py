"""Weak fairness by copies: a naive oracle for tests.

The state space is copied, once for each acceptance set and each process, to wait for them one after
the other; a process that is not ready is passed by a *null step*, which moves nobody (Choueka 1974;
the section on weak fairness of `automata-ltl.md` has the rules). No component is looked for: a run
is accepted when the last copy can be left and reached again, by plain reachability.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.automata import violating
from plait.model.expr import Formula
from plait.reference import Graph, Semantics

Node = tuple[int, int, int]
"""A state, a location of the automaton, and a copy."""


class Copies:
    """The copies of a graph for the violations of a formula."""

    def __init__(self, semantics: Semantics, graph: Graph, formula: Formula) -> None:
        translation = violating(formula)
        self.automaton = translation.automaton
        self.conditions = translation.conditions
        self.semantics = semantics
        self.graph = graph
        self.sets = self.automaton.acceptances
        self.movers = len(semantics.movers.names)
        self.last = self.sets + self.movers
        self.letters: dict[int, int] = {}

    def letter(self, state: int) -> int:
        if state not in self.letters:
            cells = self.graph.states[state]
            true = (self.semantics.holds(c, cells) for c in self.conditions)
            self.letters[state] = sum(1 << i for i, holds in enumerate(true) if holds)
        return self.letters[state]

    def ready(self, state: int, mover: int) -> bool:
        of = self.semantics.movers.of
        return any(mover in of[title] for title, _ in self.graph.arcs[state])

    def successors(self, node: Node) -> Iterator[Node]:
        state, location, copy = node
        waits = copy - self.sets
        if 0 <= waits < self.movers and not self.ready(state, waits):
            yield state, location, copy + 1
        movers, states = self.semantics.movers, self.graph.states
        for arc in self.automaton.arcs[location]:
            if not arc.reads(self.letter(state)):
                continue
            for title, target in self.graph.arcs[state] or [(None, state)]:
                if copy < self.sets:
                    on = arc.marks >> copy & 1
                elif copy == self.last:
                    yield target, arc.target, 0
                    continue
                elif title is None:
                    on = 0  # a deadlock: only the null steps go on
                else:
                    on = waits in movers.moving(states[state], title, states[target])
                yield target, arc.target, copy + int(on)

    def reach(self, start: Node) -> set[Node]:
        """The nodes that can be reached in one step or more."""
        found: set[Node] = set()
        stack = [start]
        while stack:
            new = [n for n in self.successors(stack.pop()) if n not in found]
            found.update(new)
            stack.extend(new)
        return found

    @property
    def is_violated(self) -> bool:
        """Whether a fair run violates the formula."""
        nodes = {(0, 0, 0)} | self.reach((0, 0, 0))
        self.size = len(nodes)
        return any(n in self.reach(n) for n in nodes if n[2] == self.last)
