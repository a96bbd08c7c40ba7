"""Vacuity: premises that are never true are noted, others are not, and no answer is at stake."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.command import Command

from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.vacuity import premises, with_vacuity
from plait.errors import LimitReached
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.text import show
from plait.model.types import Property
from plait.report.answer import Answer

COUNTER = "gal counter { int x = 0; transition up [x < 3] { x += 1; } }\n"
MODELS = {
    "counter.gal": COUNTER
    + "property idle [invariant] : x == 5 -> x == 2;\n"
    + "property used [invariant] : x == 3 -> x >= 2;\n",
    "counter.pml": "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od }\n"
    "ltl idle { [] (x == 5 -> <> (x == 0)) }\nltl used { [] (x == 2 -> <> (x == 3)) }\n",
    "counter.smv": "MODULE main\nVAR x : 0..7;\n"
    "ASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : x;\n"
    "CTLSPEC NAME idle := AG (x = 5 -> AF x = 0)\nCTLSPEC NAME used := AG (x = 2 -> AF x = 3)\n",
}
NEVER = "holds vacuously: its premise is true in no reachable state: x == 5"


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic"])
def test_a_premise_that_is_never_true_is_noted(
    name: str, engine: str, plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(MODELS[name])
    for asked, noted in (("idle", True), ("used", False)):
        result = plait("check", file, "-p", asked, "--engine", engine)
        assert (result.status, result.err) == (0, "")
        assert (f"note: {asked} {NEVER}" in result.out) == noted, result.out


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("x == 5 -> x == 2", ["x == 5"]),
        ("invariant: (x == 5 -> x == 2) && (x > 9 -> x < 2) && x < 4", ["x == 5", "x > 9"]),
        ("G (x == 5 -> F x == 0)", ["x == 5"]),
        ("G ((x == 5 -> F x == 0) && (x == 6 -> X x == 0))", ["x == 5", "x == 6"]),
        ("AX AG (x == 5 -> AF x == 0)", ["x == 5"]),
        ("ltl: X G (x == 5 -> F x == 0)", ["x == 5"]),
        ("G F x == 1 -> G (x == 5 -> F x == 0)", ["x == 5"]),
        ("invariant: x == 1 -> x == 5 -> x == 2", ["x == 1", "x == 5"]),
        ("AG (x == 5 -> AF x == 0) && AG (x == 6 -> EX x == 0)", ["x == 5", "x == 6"]),
        ("AG (EF x == 5 -> AF x == 0)", []),  # no condition on a state
        ("AF (x == 5 -> x == 0)", []),
        ("x == 5 -> AF x == 0", []),  # about the first state
        ("F (x == 5 -> x == 0)", []),
        ("never: x == 5 && x == 0", []),
        ("reachable: x == 5 -> x == 2", []),
        ("deadlock", []),
        ("bounds: x", []),
    ],
)
def test_premises_are_what_a_demand_depends_on(formula: str, expected: list[str]) -> None:
    found = premises(parse_formula(formula, parse(COUNTER, "counter")))
    assert [show(f) for f in found] == expected


def test_a_violated_property_is_not_vacuous(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "counter.gal"
    file.write_text(COUNTER)
    result = plait("check", file, "-f", "(x == 5 -> x == 2) && x < 3")
    assert result.status == 1
    assert "note" not in result.out


def answers(*formulas: str) -> list[Answer]:
    model = parse(COUNTER, "counter")
    return check(model, [parse_formula(f, model) for f in formulas])


def test_each_premise_is_asked_once_and_in_little_time() -> None:
    model = parse(COUNTER, "counter")
    told: list[tuple[Sequence[Property], Budget]] = []

    def ask(some: Sequence[Property], budget: Budget) -> list[Answer]:
        told.append((some, budget))
        return check(model, some)

    found = answers("x == 5 -> x == 2", "G (x == 5 -> F x == 0)", "x < 7")
    noted = with_vacuity(found, Budget(10.0), ask)
    assert [len(a.notes) for a in noted] == [1, 1, 0]
    assert [a.verdict for a in noted] == ["true"] * 3
    ((asked, budget),) = told
    assert [(p.kind, show(p.body)) for p in asked if p.body is not None] == [
        ("reachable", "x == 5")
    ]
    assert budget.timeout is not None
    assert budget.timeout <= 1.0


@pytest.mark.parametrize("failure", [LimitReached("timeout"), MemoryError()])
def test_a_question_that_takes_too_long_costs_a_note_only(failure: BaseException) -> None:
    def ask(some: Sequence[Property], budget: Budget) -> list[Answer]:
        raise failure

    found = answers("x == 5 -> x == 2")
    assert with_vacuity(found, Budget(), ask) == found


def test_nothing_is_said_of_what_stays_unknown() -> None:
    def ask(some: Sequence[Property], budget: Budget) -> list[Answer]:
        return [Answer(p, "unknown", "none", reason="timeout") for p in some]

    found = answers("x == 5 -> x == 2")
    assert with_vacuity(found, Budget(), ask) == found


def test_an_interrupt_is_one() -> None:
    def ask(some: Sequence[Property], budget: Budget) -> list[Answer]:
        return [Answer(p, "unknown", "none", reason="interrupted") for p in some]

    with pytest.raises(KeyboardInterrupt):
        with_vacuity(answers("x == 5 -> x == 2"), Budget(), ask)


def test_what_is_known_when_it_is_interrupted_is_shown(
    plait: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> list[Answer]:
        raise KeyboardInterrupt

    monkeypatch.setattr("plait.engines.vacuity.with_vacuity", interrupted)
    file = tmp_path / "counter.gal"
    file.write_text(MODELS["counter.gal"])
    result = plait("check", file)
    assert result.status == 130
    assert [line.split()[-1] for line in result.out.splitlines()[:2]] == ["holds", "holds"]


def test_where_a_first_step_chooses_the_initial_state_premises_are_seen(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "lift.smv"
    file.write_text(
        "MODULE main\nVAR floor : 0..2; dir : {up, down};\n"
        "ASSIGN init(dir) := up; init(floor) := 0; next(floor) := (floor + 1) mod 2;\n"
        "FAIRNESS floor = 1\n"
        "CTLSPEC NAME c := AG (dir = up & floor = 2 -> AF floor = 0)\n"
        "LTLSPEC NAME l := G (floor = 2 -> F floor = 0)\n"
        "INVARSPEC NAME i := floor = 2 -> dir = up\n"
        "CTLSPEC NAME used := AG (floor = 1 -> AF floor = 0)\n"
    )
    result = plait("check", file)
    noted = [line for line in result.out.splitlines() if "vacuously" in line]
    assert [line.split()[1] for line in noted] == ["c", "l", "i"]
    assert noted[0].endswith("dir == up && floor == 2")
