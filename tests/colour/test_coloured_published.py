"""Coloured nets of the contest against their published answers and their published unfoldings."""

import re
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DATA
from tests.engines.test_published import published

from plait.colour.choice import as_model
from plait.colour.net import ColouredNet
from plait.colour.unfold import unfold
from plait.engines import Budget, check, states
from plait.lang import load
from plait.lang.pnml.reader import load_net
from plait.logic.examinations import GLOBAL
from plait.logic.mcc import load_properties
from plait.model.expr import Const
from plait.model.shape import COUNTER
from plait.model.types import ElementaryType, Model, Variable

MCC = DATA / "mcc"
SMALL = (
    "Philosophers-COL-000005",
    "TokenRing-COL-005",
    "DatabaseWithMutex-COL-02",
    "Sudoku-COL-AN02",
    "NeoElection-COL-2",
)
TWINS = (
    "Philosophers-COL-000005",
    "TokenRing-COL-005",
    "DatabaseWithMutex-COL-02",
    "LamportFastMutEx-COL-2",
)
TEMPORAL = ("CTLCardinality", "CTLFireability", "LTLCardinality", "LTLFireability")


def coloured(path: Path) -> ColouredNet:
    net = load_net(path)
    assert isinstance(net, ColouredNet)
    return net


def system(model: Model) -> ElementaryType:
    assert isinstance(model.system, ElementaryType)
    return model.system


@pytest.mark.parametrize("model", SMALL if MCC.is_dir() else ())
def test_temporal_properties_of_coloured_nets_have_the_published_answers(model: str) -> None:
    expected = published("mcc")
    net = load(MCC / model / "model.pnml")
    liveness = GLOBAL["Liveness"]
    answers = check(net, liveness.properties(net))
    assert {"Liveness": liveness.verdict([a.verdict for a in answers]).upper()} == expected[
        model, "Liveness"
    ]
    for examination in TEMPORAL:
        asked = load_properties(MCC / model / f"{examination}.xml", net)
        found = {a.property.name: a.verdict.upper() for a in check(net, asked)}
        wanted = expected[model, examination]
        assert {name: found[name] for name in wanted} == wanted


def with_places(model: Model, names: set[str]) -> Model:
    """The net without memory of colours, and with these places, which are empty for ever."""
    known = {v.name for v in system(model).variables}
    more = tuple(
        Variable(name, (Const(0),), domain=COUNTER) for name in sorted(names) if name not in known
    )
    flat = replace(system(model), variables=system(model).variables + more, folding=None)
    return replace(model, types=(flat,))


@pytest.mark.parametrize("model", TWINS if MCC.is_dir() else ())
def test_an_unfolded_net_is_its_published_twin(model: str) -> None:
    """The same places by name, up to those never marked; the same space; the same verdicts."""
    twin = model.replace("-COL-", "-PT-")
    expected = published("mcc")
    published_net = load(MCC / twin / "model.pnml")
    places = {v.name for v in system(published_net).variables}
    unfolded = unfold(coloured(MCC / model / "model.pnml"))
    assert {v.name for v in system(unfolded).variables} <= places
    ours, theirs = states(unfolded), states(published_net)
    assert (ours.states, ours.arcs, ours.deadlocks) == (
        theirs.states,
        theirs.arcs,
        theirs.deadlocks,
    )
    complete = with_places(unfolded, places)
    for examination in ("ReachabilityCardinality", "UpperBounds"):
        asked = load_properties(MCC / twin / f"{examination}.xml", complete)
        found = {
            a.property.name: str(a.value) if a.property.kind == "bounds" else a.verdict.upper()
            for a in check(complete, asked)
        }
        assert found == expected[twin, examination]


def archived(model: str, folder: Path) -> ColouredNet:
    with tarfile.open(DATA / "mcc-extra" / f"{model}.tgz") as archive:
        member = archive.extractfile(f"{model}/model.pnml")
        assert member is not None
        (folder / "model.pnml").write_bytes(member.read())
    return coloured(folder / "model.pnml")


@pytest.mark.soak
def test_a_large_net_unfolds_to_what_counting_says(tmp_path: Path) -> None:
    """Sudoku of order 15: three tables of 15 * 15, and 15 * 15 * 15 moves with a cell each."""
    net = system(unfold(archived("Sudoku-COL-AN15", tmp_path)))
    assert (len(net.variables), len(net.events)) == (3 * 15**2 + 15**3, 15**3)


@pytest.mark.soak
@pytest.mark.parametrize(
    "model",
    sorted(
        re.sub(r"\.tgz$", "", path.name) for path in (DATA / "mcc-extra").glob("*-COL-*.tgz")
    ),
)  # fmt: skip
def test_every_archived_net_is_read_and_starts_with_its_published_tokens(
    model: str, tmp_path: Path
) -> None:
    """Whatever can be said of the large ones: the most tokens of a marking is at least those of
    the first, and the search begins."""
    net = archived(model, tmp_path)
    tokens = sum(sum(p.initial.values()) for p in net.places)
    figures = published("mcc-extra").get((model, "StateSpace"), {})
    assert 0 < tokens <= int(figures.get("MAX_TOKEN_PER_MARKING", tokens))
    assert states(as_model(net), budget=Budget(timeout=2)).states >= 1
