"""Two-Phase (Nalumasu and Gopalakrishnan), executed naively: the reduced graph of a model.

As Vander Meulen's thesis states it (algorithm 3.1): from a state each process in turn goes on by
its safe events, of which at most one is enabled, until it has none or comes back to a state of this
phase; then all events are executed where they have arrived, unless that was done before. The graph
is visibly bisimilar to the whole one where the events are safe and linear.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from plait.model.shape import State
from plait.reference.execution import Execution
from plait.reference.graph import Graph


def two_phase(execution: Execution, processes: Sequence[Collection[str]]) -> Graph:
    """The reduced graph; `processes` are the titles of the safe and linear events of each."""
    arcs: dict[State, dict[tuple[str, State], None]] = {}
    visited: set[State] = set()
    frontier = [execution.initial]
    while frontier:
        current = frontier.pop()
        if current in visited:
            continue
        queue = {current}
        for titles in processes:
            while True:
                steps = [step for step in execution.successors(current) if step[0] in titles]
                if not steps:
                    break
                ((title, target),) = steps
                if target in queue:
                    break  # it closes a cycle of this phase
                arcs.setdefault(current, {})[title, target] = None
                current = target
                queue.add(target)
        is_new = current not in visited
        visited |= queue
        if is_new:
            for title, target in execution.successors(current):
                arcs.setdefault(current, {})[title, target] = None
                frontier.append(target)
    return _graph(execution.initial, arcs)


def _graph(initial: State, arcs: dict[State, dict[tuple[str, State], None]]) -> Graph:
    graph = Graph()
    graph.add(initial, None)
    for source, state in enumerate(graph.states):
        graph.arcs.append([])
        for title, target in arcs.get(state, {}):
            graph.arcs[source].append((title, graph.add(target, (source, title))))
    return graph
