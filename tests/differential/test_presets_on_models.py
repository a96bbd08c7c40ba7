"""Every preset on the published protocols: the verdicts and deadlocks of the full search (T3).

The claims of each reduction are tested in every state that it visits (T4). A few models are for
every run; the others, larger ones and those in DVE among them, are for the soak.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from blocks import Record
from tests.conftest import DATA

from plait.engines import Budget, Reduction, check, states
from plait.errors import InputError
from plait.lang import load
from plait.logic.mcc import load_properties
from plait.model.types import Model

PRESETS = (
    Reduction("sleep", order="dfs", check=True),
    Reduction("ps", order="bfs", check=True),
    Reduction("ps", "weak", order="dfs", check=True),
    Reduction("ps+sleep", "conditional", order="dfs", check=True),
    Reduction("ps+prov", "deletion", order="bfs", check=True),
    Reduction("ps+prov", "overman", order="dfs", check=True),
    Reduction("ps+prov", "conflicts", order="dfs", check=True),
    Reduction("ps+sleep+prov", "stubborn", order="dfs", check=True),
    Reduction("auto", check=True),
)
FEW = (
    "ltsmin/p117.pml",
    "spin/Book_1991/p116.pml",
    "spin/Book_1991/p312.pml",
    "spin/Exercises/ex_3c.pml",
    "spin/manna_pnueli.pml",
    "spin/peterson.pml",
    "spin/sat.pml",
    "spin/test_mtype.pml",
)
"""Asserted or not, with invalid end states or none, with rendezvous, blocks and timeouts."""
MOST_STATES = 30_000
PARTS = 20
SUFFIXES = (".pml", ".dve")


def compare(model: Model) -> None:
    """All presets with the search that leaves nothing out."""
    asked = [p for p in model.properties if p.kind in ("never", "invariant", "reachable")]
    full = states(model, engine="explicit")
    expected = [a.verdict for a in check(model, asked, engine="explicit", reduction=Reduction())]
    for reduction in PRESETS:
        found = states(model, engine="explicit", reduction=reduction)
        assert found.deadlocks == full.deadlocks, reduction
        assert (found.states or 0) <= (full.states or 0)
        answers = check(model, asked, engine="explicit", reduction=reduction)
        assert [a.verdict for a in answers] == expected, reduction


@pytest.mark.parametrize("name", FEW)
def test_every_preset_answers_as_the_full_search_does(name: str, data: Path) -> None:
    """covers: P45"""
    compare(load(data / "promela" / name))


@pytest.mark.parametrize("examination", ["ReachabilityCardinality", "ReachabilityFireability"])
def test_what_is_asked_of_a_net_stays_visible(examination: str, data: Path) -> None:
    """A reduction that lost what a formula asks about answered wrongly on this net (ltsmin#169)."""
    folder = data / "mcc" / "DatabaseWithMutex-PT-02"
    model = load(folder / "model.pnml")
    compare(replace(model, properties=load_properties(folder / f"{examination}.xml", model)))


FOLDERS = ("promela", "dve-small", "beem-dve")
FILES = sorted(
    p for folder in FOLDERS for p in (DATA / folder).rglob("*.*") if p.suffix in SUFFIXES
)


def small(path: Path) -> Model | None:
    """The model of a file, when it is one and has few states."""
    try:
        model = load(path)
        size = states(model, engine="explicit", budget=Budget(states=MOST_STATES))
    except InputError:
        return None
    return model if size.complete else None


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_every_preset_answers_as_the_full_search_does_on_all_that_is_small(
    part: int, data: Path, record_property: Record
) -> None:
    models = [model for path in FILES[part::PARTS] if (model := small(path)) is not None]
    for model in models:
        compare(model)
    record_property("tally", {"models": len(models)})
    assert len(models) >= 2, "of all the files of the data folder at least 50 are such"


def test_the_models_for_every_run_are_recorded_with_both_verdicts() -> None:
    figures = Path(__file__).parents[1] / "lang" / "spin_figures.csv"
    with figures.open() as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    for column in ("invalid_end", "assertion"):
        assert {rows[name][column] for name in FEW} == {"true", "false"}
