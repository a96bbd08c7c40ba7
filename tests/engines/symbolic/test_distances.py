"""Distances of all states: four encodings, one function; shortest traces from it."""

from collections import Counter
from dataclasses import replace

import pytest
from tests.engines.symbolic.test_ctl import NETS, library, on_diagrams

from plait import _core
from plait.engines.prepared import prepare
from plait.engines.symbolic.tuning import Tuning
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Property
from plait.models import entry
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model as random_model
from plait.testing.random_models import observed

ENCODINGS = [
    ("edges", True),
    ("edges", False),
    ("terminals", True),
    ("terminals", False),
    ("layers", False),
]


def distances(core: _core.Symbolic, encoding: str, saturation: bool) -> dict[str, object]:
    found = core.distances(encoding, saturation=saturation)  # type: ignore[arg-type]
    assert found is not None
    return found


@pytest.mark.parametrize("first", range(0, 40, 20))
def test_every_encoding_gives_the_depths_of_a_breadth_first_search(first: int) -> None:
    """covers: S83, S96, S97"""
    compared = traced = 0
    for seed in range(first, first + 20):
        model = random_model(Seeded(seed), NETS)
        try:
            graph = Semantics(model).reachable(400)
        except Exception:
            continue  # too large, or it goes wrong when it is executed
        depth = [0]
        for parent in graph.parents[1:]:
            assert parent is not None
            depth.append(depth[parent[0]] + 1)
        expected = [n for _, n in sorted(Counter(depth).items())]
        goal = Formulas(Seeded(seed), observed(model)).state(1)
        prepared = prepare(model, [Property("goal", kind="reachable", body=goal)])
        labelling = on_diagrams(prepared)
        if not labelling.core.is_net:
            continue  # the passes made it one that is simple, but no net
        for encoding in ENCODINGS:
            found = distances(labelling.core, *encoding)
            assert found["histogram"] == expected, (seed, encoding)
            assert found["greatest"] == max(depth)
        body = prepared.properties[0].body
        assert isinstance(body, Formula)
        targets = labelling.states(body)
        layered = labelling.core.trace(targets)
        valued = labelling.core.trace_by_distance(targets)
        assert (layered is None) == (valued is None)
        if layered is not None and valued is not None:
            assert len(valued) == len(layered), seed
            Semantics(model).confirm(
                Property("goal", kind="reachable", body=goal), prepared.witness(valued)
            )
            traced += 1
        compared += 1
    assert compared >= 10
    assert traced >= 3


@pytest.mark.parametrize(
    ("name", "n", "greatest"),
    [
        ("philosophers", 5, 10),
        ("philosophers", 20, 40),
        ("kanban", 3, 42),
        ("fms", 3, 42),
        ("round-robin", 10, 74),
        ("leader", 3, 29),
    ],
)
def test_the_greatest_distances_are_the_published_ones(name: str, n: int, greatest: int) -> None:
    """covers: S89"""
    found = distances(library(name, n).core, "edges", True)
    assert found["greatest"] == greatest
    assert sum(found["histogram"]) == library(name, n).core.count(library(name, n).all)  # type: ignore[call-overload]


FMS_LEVELS = (
    "P3 | P3M2 | P3s | P2 | P2wM2 | P2d | M2 P2M2 | P2s | P2wP1 | P12 | P12wM3 | M3 P12M3 | P12s | "
    "P1wP2 | P1s | P1d | M1 P1M1 | P1wM1 | P1"
)
"""The levels of the dissertation's table 6.1, from below."""


@pytest.mark.parametrize(("n", "nodes"), [(3, 7), (5, 9), (7, 11), (10, 14), (12, 16)])
def test_the_distances_of_kanban_have_the_published_number_of_nodes(n: int, nodes: int) -> None:
    """covers: S90"""
    prepared = prepare(entry("kanban").model(n, "flat"))
    made = on_diagrams(prepared, Tuning(merge="units", order="declared"))
    assert distances(made.core, "edges", True)["final_nodes"] == nodes


@pytest.mark.parametrize(("n", "nodes"), [(3, 88), (5, 149), (7, 222), (10, 354)])
def test_the_distances_of_the_manufacturing_system_have_the_published_number_of_nodes(
    n: int, nodes: int
) -> None:
    """covers: S90"""
    prepared = prepare(entry("fms").model(n, "flat"))
    number = {name: cell for cell, name in enumerate(prepared.compiled.shape.cells())}
    levels = [[number[p] for p in level.split()] for level in FMS_LEVELS.split("|")]
    core = _core.Symbolic(prepared.compiled.program, levels)
    core.reach()
    assert distances(core, "edges", True)["final_nodes"] == nodes


def test_a_shortest_trace_to_a_deadlock_of_the_philosophers_has_two_steps_for_each() -> None:
    """covers: S93"""
    labelling = library("philosophers", 20)
    trace = labelling.core.trace_by_distance(labelling.core.deadlocks())
    assert trace is not None
    assert len(trace) - 1 == 40
    assert labelling.core.trace_by_distance(labelling.nothing) is None
    finished = replace(
        parse_formula("reachable: P1s == 3 && P2s == 3 && P3s == 3", entry("fms").model(3, "flat"))
    )
    prepared = prepare(entry("fms").model(3, "flat"), [finished])
    made = on_diagrams(prepared)
    body = prepared.properties[0].body
    assert isinstance(body, Formula)
    trace = made.core.trace_by_distance(made.states(body))
    assert trace is not None
    assert len(trace) - 1 == 30


def test_programs_that_are_no_nets_have_no_distance_function() -> None:
    from plait import parse

    model = parse(
        "gal g { int x = 0; int y = 1; transition t [x < y * 3] { x = x + y; y = y + 1; } } main g;"
    ).model
    made = on_diagrams(prepare(model))
    assert not made.core.is_net
    assert made.core.distances() is None
    with pytest.raises(ValueError, match="no encoding"):
        made.core.distances("other")  # type: ignore[arg-type]
