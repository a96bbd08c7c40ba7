"""CTL at the command line: the ways, fairness, and trees of paths."""

import json
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command
from tests.conftest import ROOT

from plait.engines.symbolic.tuning import CTL_WAYS

LAMP = """
gal lamp {
  int on = 0;
  transition press { on = 1 - on; }
  transition rest [on == 0] { on = 0; }
}
main lamp;
"""
FORMULA = "EF (right[0] == 1 && EX left[0] == 1)"


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    file = tmp_path / "lamp.gal"
    file.write_text(LAMP)
    return file


@pytest.mark.parametrize("way", CTL_WAYS)
@pytest.mark.parametrize("eg", ["traditional", "cycles"])
def test_every_way_gives_the_same_answers(
    plait: Command, philosophers: Path, way: str, eg: str
) -> None:
    asked = ["-f", FORMULA, "-f", "AG AF left[0] == 1", "-f", "AG EF (left[0] == 1 || deadlock)"]
    options = ["--engine", "symbolic", "--ctl", way, "--eg", eg]
    result = plait("check", philosophers, *asked, *options)
    assert result.status == 1
    words = [line.split()[-1] for line in result.out.splitlines()[:3]]
    assert words == ["holds", "violated", "holds"]


def test_the_forward_form_and_the_tree_are_in_the_document(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    """covers: I53, I55"""
    file = tmp_path / "result.json"
    plait("check", philosophers, "-f", FORMULA, "--engine", "symbolic", "--json", file)
    document = json.loads(file.read_text())
    schema = ROOT / "python" / "plait" / "report" / "schema" / "check.json"
    jsonschema.validate(document, json.loads(schema.read_text()))
    (answer,) = document["results"]
    assert answer["stats"]["forward"][0].startswith("EY(FwdU(Init, true) * right[0] == 1)")
    assert answer["replayed"]
    assert answer["witness"]["shows"].startswith("EF (")
    (branch,) = answer["witness"]["branches"]
    assert branch["at"] == len(answer["witness"]["steps"])
    assert len(branch["steps"]) == 1


def test_fairness_changes_what_holds(plait: Command, lamp: Path) -> None:
    """covers: S121"""
    assert plait("check", lamp, "-f", "AF on == 1").status == 1
    assert plait("check", lamp, "-f", "AF on == 1", "--fair", "on == 1").status == 0
    result = plait("check", lamp, "-f", "AG on == 1", "--fair", "on == 1")
    assert result.status == 1
    assert "\nnote: formula: no trace is shown, since only fair paths count\n" in result.out
    twice = ["--fair", "on == 1", "--fair", "on == 2"]
    assert plait("check", lamp, "-f", "EX true", *twice).status == 1


def test_fairness_is_added_to_that_of_a_text_whose_steps_may_be_impossible(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "lamp.smv"
    file.write_text(
        "MODULE main VAR on : 0..1; stays : boolean; INIT on = 0 & stays\n"
        "TRANS (stays & next(on) = 0) | (!stays & on = 0 & next(on) = 1)\n"
        "SPEC AF on = 1"
    )
    assert plait("check", file).status == 1
    assert plait("check", file, "--fair", "on == 1").status == 0


@pytest.mark.parametrize("engine", ["reference", "symbolic"])
@pytest.mark.parametrize("way", CTL_WAYS)
def test_paths_that_end_count_unless_only_infinite_ones_do(
    plait: Command, tmp_path: Path, engine: str, way: str
) -> None:
    """covers: S74, I54"""
    file = tmp_path / "end.gal"
    file.write_text("gal g { int x = 0; transition t [x < 2] { x = x + 1; } } main g;")
    options = ["-q", "--engine", engine, "--ctl", way]
    formulas = ["EG x >= 0", "AF x == 5", "EF EG x == 2", "EX x == 1", "AG EF x == 2"]
    asked = [part for f in formulas for part in ("-f", f)]

    def words(*more: str) -> list[str]:
        lines = plait("check", file, *asked, *options, *more).out.splitlines()
        return [line.split()[-1] for line in lines[:5]]

    assert words() == ["holds", "violated", "holds", "holds", "holds"]
    infinite = words("--paths", "infinite")
    assert infinite == ["violated", "holds", "violated", "holds", "holds"]


def test_a_constraint_that_speaks_of_paths_is_wrong_input(plait: Command, lamp: Path) -> None:
    result = plait("check", lamp, "-f", "AF on == 1", "--fair", "F on == 1")
    assert result.status == 2
    assert "a state formula is needed here" in result.err
    result = plait("check", lamp, "-f", "reachable: on == 1", "--fair", "on == 1")
    assert result.status == 2
    assert "fairness is for CTL" in result.err


def test_a_wrong_condition_is_shown_as_it_was_written(plait: Command, lamp: Path) -> None:
    result = plait("check", lamp, "-f", "AF on == 1", "--fair", "on ==")
    assert result.status == 2
    assert result.err.splitlines()[:2] == [
        "<formula>:1:6: error: expected a formula, found the end of the text",
        "1 | on ==",
    ]


def test_a_part_named_as_a_kind_of_property_changes_no_condition(
    plait: Command, tmp_path: Path
) -> None:
    """`reachable:n` is the variable n of the part that is called so."""
    model = tmp_path / "parts.gal"
    model.write_text(
        "gal part { int n; transition t [n < 2] { n = n + 1; } }\n"
        "composite all { part reachable; } main all;\n"
    )
    asked = ["-f", "AF reachable:n == 2", "--fair", "reachable:n >= 0"]
    assert plait("check", model, *asked).status == 0
