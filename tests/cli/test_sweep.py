"""Sweeps: a run for each value, a table and a document of all, and a status that hides nothing."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command, start, wait_until_busy
from tests.report import junit_schema, sarif_schema

COUNTER = """\
$N = 3;
$M = 1;
gal counter {
  int x = 0;
  array[$N] a;
  transition up [x < $N] { x += $M; }
}
property below [never] : x == 4;
property top [bounds] : x;
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    file = tmp_path / "counter.gal"
    file.write_text(COUNTER.replace("  array[$N] a;\n", ""))
    return file


def schema(name: str) -> dict[str, object]:
    text = resources.files("plait.report").joinpath("schema", f"{name}.json").read_text()
    document: dict[str, object] = json.loads(text)
    return document


def rows(out: str) -> list[list[str]]:
    """The table, without seconds and memory, which differ from run to run."""
    return [line.split() for line in out.partition("\n\n")[0].splitlines()]


def test_states_are_counted_for_each_value(plait: Command, counter: Path) -> None:
    result = plait("states", counter, "-D", "N=2,5..7")
    assert (result.status, result.err) == (0, "")
    head, *found = rows(result.out)
    assert head == ["N", "states", "growth", "arcs", "deadlocks", "time", "memory"]
    assert [row[0] for row in found] == ["2", "5", "6", "7"]
    assert [row[1] for row in found] == ["3", "6", "7", "8"]
    assert [row[2] for row in found[1:]] == ["2.00", "1.17", "1.14"]


def test_properties_are_checked_for_each_value(plait: Command, counter: Path) -> None:
    result = plait("check", counter, "-D", "N=3..5")
    assert result.status == 1
    head, *found = rows(result.out)
    assert head == ["N", "below", "top", "states", "growth", "time", "memory"]
    assert [row[:3] for row in found] == [
        ["3", "holds", "0..3"],
        ["4", "violated", "0..4"],
        ["5", "violated", "0..5"],
    ]
    # The trace of the first value that has one.
    assert result.out.count("below is violated: a trace of 4 steps") == 1
    assert "\nwith N = 4:\nbelow is violated" in result.out
    quiet = plait("check", counter, "-D", "N=3..5", "-q")
    assert len(quiet.out.splitlines()) == 4


def test_states_of_a_search_that_stopped_early_are_a_lower_bound(
    plait: Command, tmp_path: Path
) -> None:
    text = "$N = 3; gal c { int x = 0; int y = 0; transition up [x < $N] { x = x + 1; }"
    text += " transition at [x < $N] { y = 1; } } property p [never] : x == 2;"
    model = tmp_path / "c.gal"
    model.write_text(text, encoding="utf-8")
    result = plait("check", model, "-D", "N=1,3,30", "--engine", "explicit", "-q")
    assert result.status == 1
    _, whole, *stopped = result.out.splitlines()
    assert whole.split()[:3] == ["1", "holds", "4"]
    assert all(re.match(r" *\d+  violated  at least \d+   +\d", line) for line in stopped)


def test_the_last_of_several_parameters_changes_first(plait: Command, counter: Path) -> None:
    result = plait("states", counter, "-D", "N=4,8", "-D", "M=1,2")
    found = rows(result.out)[1:]
    assert [row[:3] for row in found] == [
        ["4", "1", "5"],
        ["4", "2", "3"],
        ["8", "1", "9"],
        ["8", "2", "5"],
    ]
    # Growth is that of the last one alone.
    assert [len(row) for row in found] == [len(found[0]), len(found[0]) + 1] * 2


def test_a_parameter_with_one_value_stands_in_the_table(plait: Command, counter: Path) -> None:
    result = plait("states", counter, "-D", "M=2", "-D", "N=2..3")
    assert [row[:3] for row in rows(result.out)] == [
        ["M", "N", "states"],
        ["2", "2", "2"],
        ["2", "3", "3"],
    ]


def test_one_document_has_those_of_all_runs(plait: Command, counter: Path, tmp_path: Path) -> None:
    for command in ("check", "states"):
        document = json.loads(plait(command, counter, "-D", "N=3..4", "--json", "-").out)
        jsonschema.validate(document, schema("sweep"))
        assert [run["values"] for run in document["runs"]] == [{"N": 3}, {"N": 4}]
        for run in document["runs"]:
            jsonschema.validate(run["document"], schema(command))
            alone = plait(command, counter, "-D", f"N={run['values']['N']}", "--json", "-").out
            expected = json.loads(alone)
            if command == "check":
                verdicts = [r["verdict"] for r in expected["results"]]
                assert [r["verdict"] for r in run["document"]["results"]] == verdicts
            else:
                assert run["document"]["states"] == expected["states"]


def test_reports_have_all_runs(plait: Command, counter: Path, tmp_path: Path) -> None:
    files = {o: tmp_path / o.strip("-") for o in ("--junit", "--sarif", "--witness")}
    words = [word for option in files.items() for word in option]
    assert plait("check", counter, "-D", "N=3..5", *words).status == 1
    suites = junit_schema.valid(files["--junit"].read_text())
    assert [s.get("name") for s in suites] == [f"counter N={n}" for n in (3, 4, 5)]
    assert [s.get("failures") for s in suites] == ["0", "1", "1"]
    first, second = sarif_schema.valid(files["--sarif"].read_text())["results"]
    assert first["message"]["text"].startswith("N = 4: below is violated")
    assert first["partialFingerprints"] == second["partialFingerprints"]
    witnesses = json.loads(files["--witness"].read_text())["witnesses"]
    assert [w["values"] for w in witnesses if w["verdict"] == "false"] == [{"N": 4}, {"N": 5}]


def test_many_properties_are_counted(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "many.gal"
    text = COUNTER.replace("  array[$N] a;\n", "")
    file.write_text(text + "".join(f"property p{i} [never] : x == {i};\n" for i in range(10)))
    result = plait("check", file, "-D", "N=3..4", "-q")
    assert "8 holds, 4 violated" in result.out.splitlines()[1]
    assert "6 holds, 6 violated" in result.out.splitlines()[2]


def test_a_value_that_the_model_cannot_have_is_a_row(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "counter.gal"
    file.write_text(COUNTER.replace("x == 4", "a[1] == 4"))
    result = plait("check", file, "-D", "N=1..3", "-p", "below")
    assert result.status == 2
    assert result.err.startswith(f"with N = 1:\n{file}:")
    _, first, *others = result.out.splitlines()
    assert "the index 1 is out of range for 'a'" in first
    assert [row.split()[:2] for row in others] == [["2", "holds"], ["3", "holds"]]
    assert plait("states", file, "-D", "N=1..3").status == 2


def test_a_violation_is_not_hidden_by_a_wrong_value(plait: Command, tmp_path: Path) -> None:
    file = tmp_path / "counter.gal"
    file.write_text(COUNTER.replace("x == 4", "a[1] == 0"))
    report, document = tmp_path / "report.xml", tmp_path / "result.json"
    result = plait("check", file, "-D", "N=1,2", "--junit", report, "--json", document)
    assert result.status == 1
    wrong, good = junit_schema.valid(report.read_text())
    assert (wrong.get("errors"), good.get("failures")) == ("1", "1")
    first, second = json.loads(document.read_text())["runs"]
    assert first["document"] is None
    assert "out of range" in first["problem"]
    assert second["problem"] is None


def test_what_is_wrong_with_all_values_is_said_once(plait: Command, counter: Path) -> None:
    result = plait("check", counter, "-D", "N=1..100", "-p", "nope")
    assert result.status == 2
    assert result.err.count("no property named 'nope'") == 1
    assert len(result.out.splitlines()) == 3
    assert plait("check", counter, "-D", "Z=1..3").status == 2


def test_time_is_for_each_run(plait: Command, philosophers: Path) -> None:
    line = ["check", philosophers, "-p", "neighbours", "--engine", "explicit", "--timeout", "0.3"]
    result = plait(*line, "-D", "N=40,41,4")
    assert result.status == 3
    found = rows(result.out)[1:]
    assert [row[1] for row in found] == ["unknown", "unknown", "holds"]
    assert "unknown (out of time)" in result.out


def test_an_interrupt_keeps_what_is_known(philosophers: Path, tmp_path: Path) -> None:
    document = tmp_path / "result.json"
    process = start(
        "states", philosophers, "-D", "N=4,5,60", "--engine", "explicit", "--json", document,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    wait_until_busy(process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert [row[:2] for row in rows(out)][1:3] == [["4", "34"], ["5", "82"]]
    assert "interrupted" in out.splitlines()[3]
    found = json.loads(document.read_text())
    jsonschema.validate(found, schema("sweep"))
    assert found["interrupted"]
    assert [run["document"]["complete"] for run in found["runs"]] == [True, True, False]


def test_a_table_that_cannot_be_written_as_a_document_is_shown(
    plait: Command, counter: Path, tmp_path: Path
) -> None:
    for command in ("check", "states"):
        file = tmp_path / "missing" / "file"
        result = (
            plait(command, counter, "-D", "N=2..3", "-f", "x <= 9", "--json", file)
            if (command == "check")
            else plait(command, counter, "-D", "N=2..3", "--json", file)
        )
        assert result.status == 3
        assert len(rows(result.out)) == 3
        assert "cannot write" in result.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["check", "m.gal", "-D", "N=6..2"], "there is no value in '6..2'"),
        (["check", "m.gal", "-D", "N=2.."], "'' is not a 32-bit integer"),
        (["check", "m.gal", "-D", "N=2,,3"], "'' is not a 32-bit integer"),
        (["check", "m.gal", "-D", "N=1..5000"], "'1..5000' has more than 1000 values"),
        (["check", "m.gal", "-D", "N=0..2147483648"], "is not a 32-bit integer"),
        (["compare", "m.gal", "-D", "N=2..6"], "'2..6' is not a 32-bit integer"),
        (["states", "m.gal", "-D", "N=2..6", "--list", "3"], "--list is for one value"),
        (["states", "m.gal", "-D", "N=2,3", "--checkpoint", "d"], "--checkpoint is for one value"),
        (["states", "m.gal", "-D", "N=1..100", "-D", "M=1..100"], "these are 10,000 runs"),
    ],
)
def test_lines_that_are_wrong(line: list[str], message: str, plait: Command) -> None:
    result = plait(*line)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
