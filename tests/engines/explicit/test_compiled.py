"""Compiled successors: the figures, verdicts and traces of the interpreter, on real models."""

import json
from pathlib import Path

import pytest
from tests.conftest import DATA, ROOT

from plait.cli.main import run
from plait.engines import Budget, Method, check, states
from plait.errors import InputError, ModelError
from plait.lang import load
from plait.model.types import Model

LIMIT = 4_000
LARGE = 300_000

MODELS = (
    *(f"beem-dve/dve/{name}.dve" for name in ("adding.1", "bakery.1", "brp.1", "elevator.2")),
    *(
        f"beem-dve/dve/{name}.dve"
        for name in ("firewire_link.2", "lifts.5", "rether.3", "sorter.5")
    ),
    *(f"promela/beem-its/{name}.pml" for name in ("bakery.1", "elevator.1", "iprotocol.1")),
    *(f"promela/spin/{name}.pml" for name in ("leader0", "abp", "sort", "peterson")),
    *(f"gal/gal/{name}.gal" for name in ("brp", "hanoi", "peterson", "train4")),
    *(f"gal/beem-flat/{name}.flat.gal" for name in ("adding.1", "bakery.1")),
)


def figures(model: Model, limit: int, method: Method) -> dict[str, object]:
    try:
        space = states(model, engine="explicit", budget=Budget(states=limit), method=method)
    except ModelError as wrong:  # when it is executed: equally in both
        return {"wrong": str(wrong)}
    left_out = ("store_bytes", "compiled_events", "compiled_bytes", "compile_seconds")
    kept = {name: value for name, value in space.stats.items() if name not in left_out}
    return kept | {"complete": space.complete, "notes": space.notes}


REFUSED = {
    "for_example.pml", "for_select_example.pml", "patterns.pml", "priorities.pml", "rtos1.pml",
}  # fmt: skip
"""The texts of the data folder that are not read, each for a reason that its error names."""


def agree(path: Path, limit: int) -> None:
    model = load(path)
    plain = figures(model, limit, Method(threads=1, successors="interpreted"))
    fast = figures(model, limit, Method(threads=1, successors="compiled"))
    assert fast == plain


@pytest.mark.parametrize("name", [m for m in MODELS if (DATA / m).is_file()])
def test_a_model_has_the_same_figures_compiled_and_interpreted(name: str) -> None:
    agree(DATA / name, LIMIT)


@pytest.mark.soak
@pytest.mark.parametrize(
    "path",
    sorted(
        p
        for folder, ending in (("beem-dve", "dve"), ("promela", "pml"), ("gal", "gal"))
        for p in (DATA / folder).rglob(f"*.{ending}")
        if p.name not in REFUSED
    ),
    ids=lambda p: p.name,
)
def test_every_model_has_the_same_figures_compiled_and_interpreted(path: Path) -> None:
    agree(path, LARGE)


def test_verdicts_and_traces_are_those_of_the_interpreter() -> None:
    model = load(ROOT / "examples" / "philosophers.gal")

    def answers(successors: str) -> list[tuple[object, ...]]:
        found = check(model, engine="explicit", method=Method(threads=1, successors=successors))
        return [(a.property.name, a.verdict, a.witness, a.value) for a in found]

    assert answers("compiled") == answers("interpreted")


def test_the_statistics_tell_what_was_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "model.gal"
    file.write_text("gal g { int a = 1; int b = 3; transition t [a * b < 50] { a = a * b + 1; } }")
    model = load(file)
    for successors, compiled in (("interpreted", 0), ("compiled", 1)):
        space = states(model, engine="explicit", method=Method(successors=successors))
        assert space.stats.get("compiled_events", 0) == compiled
        assert space.states == 4
    command = ["states", str(file), "--engine", "explicit", "--json", "-", "--successors"]
    assert run([*command, "compiled"]) == 0
    assert json.loads(capsys.readouterr().out)["stats"]["compiled_events"] == 1
    assert run([*command, "guessed"]) == 2
    assert "--successors" in capsys.readouterr().err
    with pytest.raises(InputError, match="no successors 'guessed'"):
        Method(successors="guessed")
