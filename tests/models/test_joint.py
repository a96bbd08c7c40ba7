"""The models of the thesis on Milestones have its numbers."""

from pathlib import Path

import pytest

from plait.engines import Tuning, check, states
from plait.lang import load
from plait.models import counts, producers_consumers, running_example
from plait.models.joint import producers_consumers_text
from plait.reference import Semantics

EXAMPLES = Path(__file__).parents[2] / "examples" / "milestones"
PRINTED = {1: 1_059, 2: 51_859, 3: 3_807_747}


@pytest.mark.parametrize("m", [1, 2, 3, 4, 10, 20])
def test_breadth_first_search_finds_the_states_of_the_closed_form(m: int) -> None:
    """The last image brings nothing new; the thesis counts it.

    covers: M32, M48
    """
    model = producers_consumers(m)
    space = states(model, engine="symbolic", tuning=Tuning(strategy="bfs", order="declared"))
    assert space.states == counts.producers_consumers(m) == PRINTED.get(m, space.states)
    assert space.stats["rounds"] == 80 * m + 31
    assert space.deadlocks == 0


def test_both_modes_of_the_fixpoint_find_the_same_states() -> None:
    """covers: M31"""
    for model in (running_example(), producers_consumers(2)):
        spaces = [
            states(model, engine="symbolic", tuning=Tuning(strategy=strategy, order="declared"))
            for strategy in ("bfs", "bfs-all")
        ]
        assert spaces[0].states == spaces[1].states
        assert spaces[0].stats["final_nodes"] == spaces[1].stats["final_nodes"]
        assert spaces[0].stats["rounds"] == spaces[1].stats["rounds"]


def test_the_iterations_of_the_running_example_are_the_printed_ones() -> None:
    """covers: M29"""
    graph = Semantics(running_example()).reachable()
    known = {0}
    sizes = [1]
    while len(sizes) < 6:
        known |= {target for source in known for _, target in graph.arcs[source]}
        sizes.append(len(known))
    assert sizes == [1, 3, 5, 6, 7, 7]
    tuning = Tuning(strategy="bfs-all", order="declared")
    space = states(running_example(), engine="symbolic", tuning=tuning)
    # Neither the initial state nor the last iteration is a round that brings something new.
    assert (space.states, space.stats["rounds"]) == (7, len(sizes) - 2)


def test_the_example_files_are_the_models_of_the_library() -> None:
    assert (EXAMPLES / "producers-consumers.mil").read_text() == producers_consumers_text(2)
    types = load(EXAMPLES / "running.mil").types
    assert [t.name for t in types] == ["running"]
    ours, theirs = running_example().system, types[0]
    assert (ours.events, ours.name) == (theirs.events, "running-example")


def test_the_verdicts_of_the_models_are_the_printed_ones() -> None:
    for model in (running_example(), producers_consumers(1)):
        for answer in check(model):
            expected = "true" if answer.property.kind == "ctl" else "false"
            assert answer.verdict == expected, answer.property.name


@pytest.mark.parametrize("m", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_bounded_runs_find_the_first_item_at_the_published_depth(m: int) -> None:
    """covers: M71, M81"""
    model = producers_consumers(m)
    first = [model.properties[0]]
    (below,) = check(model, first, engine="bounded", depth=8 * m + 1)
    assert below.verdict == "unknown"
    assert below.reason is not None
    (there,) = check(model, first, engine="bounded", depth=8 * m + 2)
    assert there.verdict == "false"
    assert there.witness is not None
    assert len(there.witness.steps) == 8 * m + 2
