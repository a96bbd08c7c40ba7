"""The native engines against published answers: state spaces of GAL models and nets, the contest.

Coloured nets (`-COL-`) are among them; the figures are those of their unfolding.

The largest ones are left to `make soak`.
"""

import csv
import tarfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DATA

from plait.engines import Budget, check, states
from plait.lang import load
from plait.logic.examinations import GLOBAL
from plait.logic.mcc import load_properties

SMALL = 100_000
ENGINES = ("explicit", "symbolic")
ANSWERED = (
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "UpperBounds",
    "ReachabilityDeadlock",
    "OneSafe",
    "QuasiLiveness",
    "StableMarking",
)
Expected = dict[tuple[str, str], dict[str, str]]


@cache
def published(family: str) -> Expected:
    found: Expected = defaultdict(dict)
    file = DATA / family / "expected.csv"
    if file.is_file():
        with file.open() as rows:
            for row in csv.DictReader(rows):
                found[row["model"], row["examination"]][row["property_id"]] = row["expected"]
    return found


def spaces(family: str, smallest: int, largest: int) -> list[str]:
    """The models of a family whose published number of states lies in that range."""
    return sorted(
        model
        for (model, examination), figures in published(family).items()
        if examination == "StateSpace"
        and figures.get("STATES", "").isdigit()
        and smallest <= int(figures["STATES"]) < largest
    )


def compare(path: Path, figures: dict[str, str], engine: str = "explicit") -> None:
    space = states(load(path), engine=engine, budget=Budget(timeout=600))
    found = {
        "STATES": space.states,
        "TRANSITIONS": space.arcs,
        "DEADLOCK_STATES": space.deadlocks,
        "MAX_TOKEN_PER_MARKING": space.max_sum,
        "MAX_TOKEN_IN_PLACE": space.max_value,
    }
    assert space.complete
    assert {k: str(v) for k, v in found.items() if k in figures} == {
        k: v for k, v in figures.items() if k in found
    }


def gal_pairs() -> list[Any]:
    """Each small model with each engine; diagrams take long on one of them."""
    found = [(m, e) for m in spaces("gal", 0, SMALL) for e in ENGINES]
    slow = ("beem-flat/peg_solitaire.1.flat", "symbolic")
    return [pytest.param(*pair, marks=[pytest.mark.soak] * (pair == slow)) for pair in found]


@pytest.mark.parametrize(("model", "engine"), gal_pairs())
def test_gal_models_have_the_published_number_of_states(model: str, engine: str) -> None:
    """covers: I95, I99"""
    compare(DATA / "gal" / f"{model}.gal", published("gal")[model, "StateSpace"], engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", spaces("mcc", 0, SMALL))
def test_nets_have_the_published_state_space(model: str, engine: str) -> None:
    """covers: I133"""
    compare(DATA / "mcc" / model / "model.pnml", published("mcc")[model, "StateSpace"], engine)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", spaces("gal", SMALL, 10_000_000))
def test_large_gal_models_have_the_published_number_of_states(model: str, engine: str) -> None:
    compare(DATA / "gal" / f"{model}.gal", published("gal")[model, "StateSpace"], engine)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", spaces("mcc", SMALL, 10_000_000))
def test_large_nets_have_the_published_state_space(model: str, engine: str) -> None:
    compare(DATA / "mcc" / model / "model.pnml", published("mcc")[model, "StateSpace"], engine)


def unpacked(model: str, folder: Path) -> Path:
    """The net of an instance that is kept as an archive."""
    with tarfile.open(DATA / "mcc-extra" / f"{model}.tgz") as archive:
        member = archive.extractfile(f"{model}/model.pnml")
        assert member is not None
        file = folder / "model.pnml"
        file.write_bytes(member.read())
    return file


@pytest.mark.parametrize("model", spaces("mcc-extra", 0, SMALL))
def test_more_nets_have_the_published_state_space(model: str, tmp_path: Path) -> None:
    """covers: I133"""
    compare(unpacked(model, tmp_path), published("mcc-extra")[model, "StateSpace"])


@pytest.mark.soak
@pytest.mark.parametrize("model", spaces("mcc-extra", SMALL, 10_000_000))
def test_more_large_nets_have_the_published_state_space(model: str, tmp_path: Path) -> None:
    compare(unpacked(model, tmp_path), published("mcc-extra")[model, "StateSpace"])


def test_the_small_nets_of_other_tools_have_the_published_state_space() -> None:
    for (model, examination), figures in published("pnml-small").items():
        if examination == "StateSpace":
            compare(DATA / "pnml-small" / model, figures)


def pairs() -> list[Any]:
    """Each small net with each engine; diagrams take long on one of them."""
    found = [(m, e) for m in spaces("mcc", 0, SMALL) for e in ENGINES]
    slow = ("IBM319-PT-none", "symbolic")
    return [pytest.param(*pair, marks=[pytest.mark.soak] * (pair == slow)) for pair in found]


@pytest.mark.parametrize(("model", "engine"), pairs())
def test_the_contest_agrees_on_every_examination_that_a_search_decides(
    model: str, engine: str
) -> None:
    """Every witness is replayed by the reference on the way (T6)."""
    expected = published("mcc")
    folder = DATA / "mcc" / model
    net = load(folder / "model.pnml")
    compared = 0
    for examination in ANSWERED:
        if examination in GLOBAL:
            kind = GLOBAL[examination]
            answers = check(net, kind.properties(net), engine=engine)
            found = {examination: kind.verdict([a.verdict for a in answers]).upper()}
        else:
            answers = check(net, load_properties(folder / f"{examination}.xml", net), engine=engine)
            found = {
                a.property.name: str(a.value) if a.property.kind == "bounds" else a.verdict.upper()
                for a in answers
            }
        assert all(a.replayed for a in answers if a.witness is not None)
        published_answers = expected[model, examination]
        assert {k: v for k, v in found.items() if k in published_answers} == published_answers
        compared += len(published_answers)
    assert compared > 40


@pytest.mark.parametrize("model", spaces("mcc", 1_000, 8_000))
@pytest.mark.parametrize("examination", ["CTLCardinality", "CTLFireability"])
def test_ctl_formulas_of_the_contest_on_diagrams(model: str, examination: str) -> None:
    if "-COL-" in model:
        return
    folder = DATA / "mcc" / model
    net = load(folder / "model.pnml")
    answers = check(net, load_properties(folder / f"{examination}.xml", net), engine="symbolic")
    expected = published("mcc")[model, examination]
    found = {a.property.name: a.verdict.upper() for a in answers}
    assert {k: v for k, v in found.items() if k in expected} == expected
    assert len(expected) > 10


def test_published_reachability_of_gal_models(data: Path) -> None:
    """covers: I41"""
    from plait.logic.parse import parse_formula

    frogs = load(data / "gal" / "gal" / "frogs.gal")
    asked = parse_formula("reachable: Check.state == 1", frogs)
    (answer,) = check(frogs, [asked])
    assert answer.verdict == "true"
    assert answer.replayed


def in_our_notation(formula: str) -> str:
    """Spot quotes its atoms and says `dead` for a deadlock."""
    return formula.replace('"', "").replace("dead", "deadlock").replace("|", "||")


def test_a_small_gal_model_of_another_tool_has_its_published_answers(data: Path) -> None:
    """The formulas are those of Spot's test-suite; a deadlock repeats for ever."""
    from plait.logic.parse import parse_formula

    finite = load(data / "dve-small" / "spot" / "finite.gal")
    assert states(finite).states == 15
    with (data / "dve-small" / "formulas.csv").open() as rows:
        asked = {
            r["property_id"]: parse_formula(f"ltl: {in_our_notation(r['formula'])}", finite)
            for r in csv.DictReader(rows)
            if r["model"] == "spot/finite.gal"
        }
    found = {name: check(finite, [p])[0].verdict.upper() for name, p in asked.items()}
    assert found == published("dve-small")["spot/finite.gal", "LTL"]
