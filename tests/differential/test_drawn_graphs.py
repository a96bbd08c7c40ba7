"""State graphs of random models: what is drawn is there, and what is not is counted."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest

import plait
from plait.engines.evidence import Evidence
from plait.errors import LimitReached, PlaitError
from plait.reference import Graph, Semantics
from plait.testing.choices import Seeded
from plait.testing.random_models import model

STATES = 200


def reachable(system: plait.System) -> Graph | None:
    """The whole graph, if it is small and nothing goes wrong in it."""
    try:
        return Semantics(system.model).reachable(STATES)
    except (LimitReached, PlaitError):
        return None


@pytest.mark.parametrize("seed", range(60))
def test_parts_of_random_graphs_are_parts_of_them(seed: int) -> None:
    system = plait.System(model(Seeded(seed)))
    whole = reachable(system)
    if whole is None:
        return
    leaving = [Counter(title for title, _ in row) for row in whole.arcs]
    for limit in (STATES, max(1, len(whole.states) // 2)):
        graph = system.graph(limit=limit)
        assert (graph.partial is None) == (limit >= len(whole.states))
        for place, node in enumerate(graph.nodes):
            drawn = [a for a in graph.arcs if a.source == place]
            events = [e for a in drawn for e in a.events]
            assert len(events) + node.hidden == sum(leaving[node.number].values())
            assert bool(node.deadlocks) == (not leaving[node.number])
            for a in drawn:
                ends = {(e, graph.nodes[a.target].number) for e in a.events}
                assert ends <= set(whole.arcs[node.number])
        ElementTree.fromstring(graph.svg())


@pytest.mark.parametrize("seed", range(60))
def test_walks_through_random_models_are_diagrams(seed: int) -> None:
    system = plait.System(model(Seeded(seed)))
    whole = reachable(system)
    if whole is None:
        return
    last = len(whole.states) - 1
    witness = whole.trace(last)
    found = Evidence(system.model).annotate(witness).diagram()
    assert len(found.lanes.rows) == len(witness.steps)
    ElementTree.fromstring(found.svg())
    for message in found.lanes.messages:
        assert message.arrives is None or message.row <= message.arrives
