"""The reachable graph, searched and built breadth first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from plait.errors import LimitReached
from plait.model.expr import IntExpr
from plait.model.shape import State
from plait.records import dataclass, field
from plait.reference.components import Frame
from plait.reference.execution import Execution
from plait.report.answer import Step, Witness


@dataclass(slots=True)
class Graph:
    """States in breadth-first order, the initial one first, and the arcs between them."""

    states: list[State] = field(default_factory=list)
    number: dict[State, int] = field(default_factory=dict)
    """The position of each state in `states`."""
    arcs: list[list[tuple[str, int]]] = field(default_factory=list)
    """For each state the titles of its events and the states they lead to; distinct pairs."""
    parents: list[tuple[int, str] | None] = field(default_factory=list)
    """How each state was first reached."""

    @property
    def deadlocks(self) -> list[int]:
        """The states without a successor."""
        return [i for i, arcs in enumerate(self.arcs) if not arcs]

    @property
    def arc_count(self) -> int:
        """How many arcs there are."""
        return sum(map(len, self.arcs))

    def add(self, state: State, parent: tuple[int, str] | None) -> int:
        """The number of a state, a new one if it was not known."""
        known = self.number.get(state)
        if known is not None:
            return known
        self.number[state] = len(self.states)
        self.states.append(state)
        self.parents.append(parent)
        return len(self.states) - 1

    def trace(self, last: int) -> Witness:
        """A shortest path from the initial state."""
        steps: list[Step] = []
        parent = self.parents[last]
        while parent is not None:
            steps.append(Step(parent[1], self.states[last]))
            last = parent[0]
            parent = self.parents[last]
        return Witness(self.states[0], tuple(reversed(steps)))

    def step(self, source: int, target: int, title: str | None = None) -> Step:
        """An arc between two neighbours, by the event of that title, as a step of a trace."""
        if title is None:
            title = next(t for t, n in self.arcs[source] if n == target)
        return Step(title, self.states[target])

    def walk(
        self, path: Sequence[int], titles: Sequence[str | None] = (), loop: int | None = None
    ) -> Witness:
        """The witness that goes through these states, one arc from each to the next.

        Where `titles` says by which event, it goes by that one.
        """
        named = dict(enumerate(titles))
        steps = tuple(self.step(a, b, named.get(i)) for i, (a, b) in enumerate(pairwise(path)))
        return Witness(self.states[path[0]], steps, loop)


def search(
    execution: Execution,
    stop: Callable[[State], bool],
    limit: int | None = None,
    tick: Callable[[int], None] | None = None,
) -> tuple[Graph, int | None]:
    """Explore until a state is found where `stop` says so: the graph so far, and that state.

    Raises `LimitReached` when there are more than `limit` states and none was found. `tick` is
    called for each state with the number of states so far, and may raise to end the search.
    """
    graph = Graph()
    graph.add(execution.initial, None)
    for source, state in enumerate(graph.states):
        graph.arcs.append([])
        if stop(state):
            return graph, source
        for title, successor in execution.successors(state):
            graph.arcs[source].append((title, graph.add(successor, (source, title))))
        if limit is not None and len(graph.states) > limit:
            raise LimitReached(f"more than {limit} states")
        if tick is not None:
            tick(len(graph.states))
    return graph, None


def reachable(
    execution: Execution,
    limit: int | None = None,
    tick: Callable[[int], None] | None = None,
) -> Graph:
    """The whole reachable graph; `LimitReached` when it has more than `limit` states."""
    return search(execution, lambda state: False, limit, tick)[0]


def bounds(execution: Execution, graph: Graph, expr: IntExpr) -> tuple[int, int] | None:
    """The least and the greatest value of an expression; None if it is defined nowhere."""
    frame = Frame(execution.main)
    values = [v for s in graph.states if (v := frame.value(expr, s)) is not None]
    return (min(values), max(values)) if values else None
