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
