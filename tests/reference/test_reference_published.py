"""The reference gives the published answers of the small models in the data folder."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from plait.lang.gal import load
from plait.lang.pnml import reader as pnml
from plait.logic.mcc import load_properties
from plait.logic.parse import parse_ctl, parse_formula
from plait.reference import Semantics

STATES = {
    "gal/loyd": 720,
    "gal/lup": 1404,
    "gal/fischer": 634,
    "gal/frogs": 5094,
    "gal/hanoi_ori": 6561,
    "cgal/PhiloFork": 29,
    "cgal/fischer.mod": 634,
    "cgal/loyd.mod": 720,
    "cgal/lup.mod": 1404,
    "cgal/frogs": 5094,
    "beem-flat/adding.1.flat": 7372,
    "beem-flat/bakery.1.flat": 1506,
    "beem-flat/bakery.2.flat": 1146,
    "beem-flat/loyd.1.flat": 722,
    "beem-flat/msmie.1.flat": 2336,
}
CTL = ("ctl/CTLFireabilitySimple", "ctl/circ/CTLFireabilitySimple")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def answers(data: Path) -> dict[tuple[str, str], str]:
    found = rows(data / "gal" / "expected.csv")
    return {(row["model"], row["property_id"]): row["expected"] for row in found}


@pytest.mark.parametrize("model", STATES)
def test_published_models_have_their_published_number_of_states(model: str, data: Path) -> None:
    assert answers(data)[model, "STATES"] == str(STATES[model])
    graph = Semantics(load(data / "gal" / f"{model}.gal")).reachable(limit=10_000)
    assert len(graph.states) == STATES[model]


def test_frogs_and_the_philosophers_have_their_published_edges_and_deadlocks(data: Path) -> None:
    """5301 edges and 1185 deadlocks of `frogs`, 2 deadlocks of `PhiloFork`."""
    frogs = Semantics(load(data / "gal" / "gal" / "frogs.gal")).reachable()
    assert (frogs.arc_count, len(frogs.deadlocks)) == (5301, 1185)
    philosophers = Semantics(load(data / "gal" / "cgal" / "PhiloFork.gal")).reachable()
    assert len(philosophers.deadlocks) == 2


def test_transient_states_are_hidden_in_fischer(data: Path) -> None:
    """covers: I99"""
    model = load(data / "gal" / "gal" / "fischer.gal")
    assert len(Semantics(model).reachable().states) == 634


@pytest.mark.parametrize("model", CTL)
def test_published_ctl_answers(model: str, data: Path) -> None:
    semantics = Semantics(load(data / "gal" / f"{model}.gal"))
    graph = semantics.reachable(limit=1_000)
    expected = answers(data)
    asked = [r for r in rows(data / "gal" / "formulas.csv") if r["model"] == model]
    assert asked
    for row in asked:
        (prop,) = parse_ctl(row["formula"] + ";", semantics.model)
        answer = semantics.check(prop, graph=graph)
        assert answer.verdict.upper() == expected[model, row["property_id"]], row["formula"]
        if answer.witness is not None:
            semantics.confirm(prop, answer.witness)


def test_the_goal_of_the_frogs_is_reachable_by_a_trace_that_replays(data: Path) -> None:
    """covers: I42"""
    semantics = Semantics(load(data / "gal" / "gal" / "frogs.gal"))
    prop = parse_formula("reachable: Check.state == 1", semantics.model)
    answer = semantics.check(prop)
    assert answer.verdict == "true"
    assert answer.witness is not None
    semantics.confirm(prop, answer.witness)


EXAMINATIONS = ("CTLCardinality", "CTLFireability", "LTLCardinality", "LTLFireability")


@pytest.mark.parametrize(
    "instance", ["Philosophers-PT-000005", "ResAllocation-PT-R003C003", "TokenRing-PT-005"]
)
def test_published_contest_answers(instance: str, data: Path) -> None:
    """Temporal answers of the Model Checking Contest, with every witness replayed."""
    folder = data / "mcc" / instance
    expected = {r["property_id"]: r["expected"] for r in rows(data / "mcc" / "expected.csv")}
    semantics = Semantics(pnml.load(folder / "model.pnml"))
    graph = semantics.reachable(limit=1_000)
    for examination in EXAMINATIONS:
        for prop in load_properties(folder / f"{examination}.xml", semantics.model):
            answer = semantics.check(prop, graph=graph)
            assert answer.verdict.upper() == expected[prop.name], prop.name
            if answer.witness is not None:
                semantics.confirm(prop, answer.witness)
