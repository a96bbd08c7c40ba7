"""Reports for other programs: any number of them in one run, each whole, none of them in vain."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.report import sarif_schema
from tests.report.junit_schema import valid

OPTIONS = ("--json", "--witness", "--junit", "--sarif")


def test_all_reports_are_written_in_one_run(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    others = {o: tmp_path / f"out{o}" for o in OPTIONS[1:]}
    result = plait("check", philosophers, "--json", "-", *(w for o in others.items() for w in o))
    assert result.status == 1
    verdicts = {r["name"]: r["verdict"] for r in json.loads(result.out)["results"]}
    assert verdicts["free"] == "false"
    traces = json.loads(others["--witness"].read_text())["witnesses"]
    assert traces[0]["name"] == "free"
    (suite,) = valid(others["--junit"].read_text())
    found = {c.get("name"): [o.tag for o in c] for c in suite.iter("testcase")}
    assert found == {n: ["failure"] if v == "false" else [] for n, v in verdicts.items()}
    alerts = sarif_schema.valid(others["--sarif"].read_text())["results"]
    marks = {a["partialFingerprints"]["counterexample/v1"] for a in alerts}
    assert marks == {r["id"] for r in json.loads(result.out)["results"] if r["verdict"] == "false"}
    assert marks <= {w["id"] for w in traces}


@pytest.mark.parametrize("broken", OPTIONS)
def test_a_report_that_cannot_be_written_takes_no_other_with_it(
    broken: str, plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    files = {o: tmp_path / f"out{o}" for o in OPTIONS}
    files[broken] = tmp_path / "missing" / "file"
    result = plait("check", philosophers, *(word for option in files.items() for word in option))
    assert result.status == 3
    assert "free is violated" in result.out
    assert result.err.startswith(f"error: cannot write to {files[broken]}")
    for option in OPTIONS:
        assert option == broken or "free" in files[option].read_text()


@pytest.mark.parametrize("option", OPTIONS)
def test_a_report_on_the_standard_output_stands_there_alone(
    option: str, plait: Command, philosophers: Path
) -> None:
    result = plait("check", philosophers, option, "-")
    assert result.status == 1
    assert result.out[0] in "{<"
    assert result.out.rstrip()[-1] in "}>"


@pytest.mark.parametrize("place", ["-", "out"])
def test_two_reports_do_not_go_to_one_place(
    place: str, plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    file = place if place == "-" else str(tmp_path / place)
    result = plait("check", philosophers, "--witness", file, "--junit", file)
    assert (result.status, result.out) == (2, "")
    assert "two documents" in result.err


def test_a_wrong_model_is_a_test_that_fails(plait: Command, tmp_path: Path) -> None:
    model, report = tmp_path / "wrong.gal", tmp_path / "report.xml"
    model.write_text("gal g { int x = ; }\n")
    alerts = tmp_path / "alerts.sarif"
    result = plait("check", model, "--junit", report, "--sarif", alerts)
    assert result.status == 2
    run = sarif_schema.valid(alerts.read_text())
    assert run["results"] == []
    assert not run["invocations"][0]["executionSuccessful"]
    (suite,) = valid(report.read_text())
    (case,) = suite.iter("testcase")
    assert case[0].tag == "error"
    assert (case[0].get("message") or "").startswith(f"{model}:1:17: error: ")


def test_a_wrong_model_is_wrong_even_where_no_report_can_be_written(
    plait: Command, tmp_path: Path
) -> None:
    model = tmp_path / "wrong.gal"
    model.write_text("gal g { int x = ; }\n")
    result = plait("check", model, "--junit", tmp_path / "missing" / "report.xml")
    assert result.status == 2
    assert "cannot write" in result.err
    assert f"{model}:1:17: error: " in result.err


def test_a_model_that_goes_wrong_when_it_is_executed_is_a_test_that_fails(
    plait: Command, tmp_path: Path
) -> None:
    model, report = tmp_path / "loop.gal", tmp_path / "report.xml"
    model.write_text(
        "gal g { int x = 0; transition t [x < 2] { x += 1; fixpoint { x = 1 - x; } } }\n"
    )
    result = plait("check", model, "--junit", report)
    assert result.status == 2, result
    (suite,) = valid(report.read_text())
    assert suite.get("errors") == "1"


def test_time_that_is_over_is_a_test_that_fails(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    line = ["check", philosophers, "-D", "N=40", "-p", "neighbours", "--engine", "explicit"]
    for option, outcome in (([], "error"), (["--junit-unknown", "skipped"], "skipped")):
        report = tmp_path / "report.xml"
        result = plait(*line, "--timeout", "0.2", "--junit", report, *option)
        assert result.status == 3
        (suite,) = valid(report.read_text())
        assert suite.get("name") == "philosophers N=40"
        (case,) = suite.iter("testcase")
        assert (case[0].tag, case[0].text) == (outcome, "neighbours is unknown: out of time")


def test_a_full_disk_is_told(plait: Command, philosophers: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no full disk")
    result = plait("check", philosophers, "--junit", "/dev/full")
    assert result.status == 3
    assert "free is violated" in result.out
    assert "No space left on device" in result.err
