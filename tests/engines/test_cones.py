"""Properties asked of the part of a model that they depend on."""

from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.lang.random_smv import random_text

from plait.engines import check, cones, states
from plait.lang.smv import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.passes.cone import asked_by, dependences

BESIDE = """
MODULE main
VAR x : 0..3; turns : boolean; far : counter(TRUE); near : counter(turns);
ASSIGN init(x) := 0; next(x) := case turns : x; x < 3 : x + 1; TRUE : 0; esac;
  init(turns) := FALSE; next(turns) := {FALSE, TRUE};
SPEC AG x < 3
SPEC AF x = 3
SPEC AG EF x = 3
SPEC EF (x = 2 & EG x = 2)
LTLSPEC F x = 3
LTLSPEC ! F x = 3
INVARSPEC near.n < 4
MODULE counter(goes)
VAR n : 0..4;
ASSIGN init(n) := 0; next(n) := case !goes : n; n < 4 : n + 1; TRUE : 0; esac;
"""


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables are left out however few they are."""
    monkeypatch.setattr(cones, "WORTHWHILE", 0.999)
    monkeypatch.setattr(cones, "ALIKE", 0.999)


def kept(model: Model, number: int) -> frozenset[str]:
    found = dependences(model)
    assert found is not None
    return found.kept(asked_by([model.properties[number]]))


def test_what_a_property_depends_on() -> None:
    model = parse(BESIDE)
    assert kept(model, 0) == {"x", "turns"}
    assert kept(model, 6) == {"near.n", "turns"}


def test_constraints_decide_whether_there_is_a_step_and_are_kept() -> None:
    text = "MODULE main VAR x : boolean; y : 0..3; z : boolean;\n{}\nSPEC AG x\n"
    assert kept(parse(text.format("")), 0).isdisjoint({"y", "z"})
    for constraint in ("TRANS next(y) > y", "INVAR y < 3", "INIT y > 2 | y = 0", "FAIRNESS y = 1"):
        found = kept(parse(text.format(constraint)), 0)
        assert {"x", "y"} <= found, constraint
        assert "z" not in found, constraint


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic", "bounded"])
def test_paths_are_those_of_the_whole_model(engine: str) -> None:
    model = parse(BESIDE)
    answers = check(model, engine=engine)
    verdicts = ("false", "false", "true", "true", "false", "false", "false")
    for answer, right in zip(answers, verdicts, strict=True):
        may_be_open = engine == "bounded" and answer.property.kind == "ctl"
        assert answer.verdict == right or (may_be_open and answer.verdict == "unknown")
        assert any("left out" in note for note in answer.notes)
        if answer.witness is not None:
            assert answer.replayed
            cells = len(model.types[0].variables)  # type: ignore[attr-defined]
            assert {len(s) for s in answer.witness.states} == {cells}


def test_a_path_goes_round_until_all_variables_are_what_they_were() -> None:
    answer = check(parse(BESIDE), engine="symbolic")[1]
    assert answer.witness is not None
    assert answer.witness.loop is not None
    # What was asked about stays where it is; the counter that goes on by itself counts to five.
    assert len(answer.witness.steps) - answer.witness.loop == 5


def test_a_path_that_goes_round_too_often_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cones, "MOST_STEPS", 4)
    answer = check(parse(BESIDE), engine="symbolic")[1]
    assert (answer.verdict, answer.witness) == ("false", None)
    assert any("no path is shown" in note for note in answer.notes)


def test_counting_and_deadlocks_are_of_all_variables() -> None:
    text = "MODULE main VAR x : boolean; y : 0..3; ASSIGN init(x) := FALSE; next(x) := !x;\n"
    text += "init(y) := 0;\n"
    model = parse(text + "TRANS y < 3 & next(y) = y + 1 | y = 3 & next(y) = 3 & !x\nSPEC EF x\n")
    assert states(model).states == states(model, engine="reference").states
    asked = [parse_formula("deadlock", model)]
    assert [a.verdict for a in check(model, asked)] == [
        a.verdict for a in check(model, asked, engine="reference")
    ]


@pytest.mark.parametrize("engine", ["explicit", "symbolic", "auto"])
def test_random_texts_have_the_answers_of_the_reference(engine: str, always: None) -> None:
    cut = 0
    for seed in range(120):
        model = parse(random_text(seed))
        right = check(model, engine="reference")
        answers = check(model, engine=engine)
        for a, b in zip(answers, right, strict=True):
            cut += any("left out" in note for note in a.notes)
            assert a.verdict in (b.verdict, "unknown"), (seed, a.property)
            assert "internal" not in (a.reason or ""), (seed, a.reason)
            assert a.witness is None or a.replayed
    assert cut > 30


def test_the_command_leaves_variables_out_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "beside.smv"
    text.write_text(BESIDE, encoding="utf-8")
    done = Command(capsys)("check", text)
    assert done.status == 1
    assert "note: 2 of 4 variables were left out: what is asked does not" in done.out


def test_what_is_noted_late_is_noted_of_a_part_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "bus.smv"
    file.write_text(
        "MODULE main\nVAR a : boolean; x : 0..3; y : 0..3; z : 0..3;\n"
        "ASSIGN next(x) := a ? 1 : x;\nFAIRNESS a\nCTLSPEC AG AF !a\n"
    )
    told = Command(capsys)("check", file).out
    assert "note: ctl-1: no trace is shown, since only fair paths count\n" in told
    assert "variables were left out" in told
