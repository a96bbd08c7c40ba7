"""Saturation in rounds: the same states in fewer nodes, and turns with saturation."""

import tarfile
from itertools import islice
from pathlib import Path

import pytest

from plait.engines import states
from plait.engines.budget import Budget
from plait.engines.prepared import prepare
from plait.engines.symbolic.attempts import TURNS, attempts
from plait.engines.symbolic.tuning import Strategy, Tuning
from plait.lang import load
from plait.model.types import Model
from plait.models import entry
from plait.passes.grouping import Grouping
from plait.report.answer import StateSpace
from plait.testing.subjects import GROUPINGS

ARCHIVE = Path(__file__).parents[4] / "shared" / "data" / "mcc-extra" / "NoC3x3-PT-1A.tgz"
"""Nine routers, each of small machines that wait for those of its neighbours."""


@pytest.mark.skipif(not ARCHIVE.is_file(), reason="the contest's nets are not here")
def test_rounds_find_nothing_again_that_is_known(tmp_path: Path) -> None:
    with tarfile.open(ARCHIVE) as archive:
        archive.extract("NoC3x3-PT-1A/model.pnml", tmp_path, filter="data")
    model = load(tmp_path / "NoC3x3-PT-1A" / "model.pnml")
    found = {}
    for strategy in ("saturation", "rounds"):
        tuning = Tuning(strategy=strategy, order="declared down", merge="units")
        space = states(model, engine="symbolic", tuning=tuning)
        assert space.states == 2_150_723_002_088_668_796_650
        assert space.stats["strategy"] == strategy
        assert space.stats["final_nodes"] == 1084
        found[strategy] = int(str(space.stats["peak_nodes"]))
    assert 9 * found["rounds"] < found["saturation"]


def turns(model: Model, tuning: Tuning, count: int) -> list[tuple[str, Strategy]]:
    """The first attempts: order and strategy."""
    found = islice(attempts(prepare(model), tuning, Budget()), count)
    return [(order.name, strategy) for order, strategy, _ in found]


def test_the_first_order_has_turns_of_both_and_rounds_do_what_takes_long() -> None:
    model = entry("slotted-ring").model(4, "flat")
    first = turns(model, Tuning(), len(TURNS) + 2)
    assert [strategy for _, strategy in first[: len(TURNS)]] == [s for s, _ in TURNS]
    assert len({order for order, _ in first[: len(TURNS)]}) == 1
    assert all(strategy == "rounds" for _, strategy in first[len(TURNS) :])
    named = turns(model, Tuning(order="declared"), 100)
    assert named == [*(("declared", s) for s, _ in TURNS), ("declared", "rounds")]


def test_a_strategy_that_is_asked_for_has_all_turns() -> None:
    model = entry("slotted-ring").model(4, "flat")
    for strategy in ("saturation", "rounds", "chaining"):
        found = turns(model, Tuning(strategy=strategy), 100)
        assert {s for _, s in found} == {strategy}


# ----- diagrams that keep the hierarchy -----------------------------------------------------------


def kept(model: Model, strategy: Strategy, grouping: Grouping | None = None) -> StateSpace:
    tuning = Tuning(strategy=strategy, grouping=grouping or Grouping())
    space = states(model, engine="symbolic", tuning=tuning)
    assert space.complete
    assert space.stats["strategy"] == strategy
    return space


@pytest.mark.parametrize("grouping", GROUPINGS, ids=str)
def test_composites_have_the_same_diagrams_in_rounds(grouping: Grouping) -> None:
    for name, n in (("philosophers", 7), ("slotted-ring", 4), ("round-robin", 5), ("voters", 9)):
        for variant in {"composite", "circular", "scalar"} & set(entry(name).variants):
            model = entry(name).model(n, variant)
            ours, theirs = kept(model, "rounds", grouping), kept(model, "saturation", grouping)
            assert (ours.states, ours.deadlocks) == (theirs.states, theirs.deadlocks)
            assert ours.stats["final_nodes"] == theirs.stats["final_nodes"]
            known = entry(name).states
            assert known is not None
            assert ours.states == known(n)


def test_strategies_take_turns_where_the_hierarchy_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model = entry("philosophers").model(30, "composite")
    tuning = Tuning(grouping=Grouping())
    assert states(model, engine="symbolic", tuning=tuning).stats["strategy"] == "saturation"
    monkeypatch.setattr("plait.engines.symbolic.attempts.TURNS", (("saturation", 0.0),))
    space = states(model, engine="symbolic", tuning=tuning)
    assert space.stats["strategy"] == "rounds"
    assert space.states == states(model, engine="symbolic").states
