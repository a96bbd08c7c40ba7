"""The automaton of a model: it accepts the words that its runs read.

Its states are those of the model and one before them, `iota`, which is state 0. An arc carries the
letter of the state that it leads to, so the first letter read is that of the initial state; all
infinite runs are accepted. A deadlock repeats for ever. Searches never build it (they make the
product as they go); it is here to be written, and to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from plait.automata.automaton import Arc, Automaton
from plait.model.expr import Formula

if TYPE_CHECKING:
    from plait.reference.graph import Graph

MOST_STATES = 100_000
"""Larger automata are not written."""


def system_automaton(
    graph: Graph, conditions: Sequence[Formula], holds: Callable[[Formula, int], bool]
) -> Automaton:
    """The automaton of a graph over these conditions; state `n` of the graph is state `n + 1`."""
    every = (1 << len(conditions)) - 1

    def arc_to(number: int) -> Arc:
        letter = sum(1 << i for i, c in enumerate(conditions) if holds(c, number))
        return Arc(letter, every & ~letter, number + 1)

    into = [arc_to(number) for number in range(len(graph.states))]
    rows: list[tuple[Arc, ...]] = [(into[0],)]
    for number, arcs in enumerate(graph.arcs):
        after = dict.fromkeys(target for _, target in arcs) or {number: None}
        rows.append(tuple(into[target] for target in after))
    return Automaton(tuple(rows), 0)
