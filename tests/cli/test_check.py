"""`plait check`: what it prints, the document it writes, the status it ends with."""

import json
import subprocess
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command, start

COUNTER = """\
gal counter {
	int x = 0;
	int y = 0;
	transition up [x < 3] { x += 1; }
	transition both [x == 3] { x = 0; y = 1; }
}
property small [invariant] : x <= 3 && y == 0;
property high [reachable] : x == 3;
property range [bounds] : x + y;
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    file = tmp_path / "counter.gal"
    file.write_text(COUNTER)
    return file


def schema(name: str) -> dict[str, object]:
    text = resources.files("plait.report").joinpath("schema", f"{name}.json").read_text()
    document: dict[str, object] = json.loads(text)
    return document


def test_a_violation_is_shown_by_a_trace_that_explains_itself(
    plait: Command, counter: Path
) -> None:
    """covers: I42, I145"""
    result = plait("check", counter, "-p", "small")
    assert result.status == 1
    assert result.err == ""
    lines = result.out.splitlines()
    assert lines[:11] == [
        "small  invariant x <= 3 && y == 0  violated",
        "",
        "small is violated: a trace of 4 steps, replayed on the model",
        "    0  initial state",
        "    1  up             line 4  x: 0 → 1",
        "    2  up             line 4  x: 1 → 2",
        "    3  up             line 4  x: 2 → 3",
        "    4  both           line 5  x: 3 → 0, y: 0 → 1",
        "  in the last state this is not true:",
        "    y == 0   (y = 1)",
        "",
    ]
    assert lines[11].startswith("0 hold, 1 violated  (5 states, explicit, ")


def test_a_deadlock_names_the_conditions_in_the_way(plait: Command, philosophers: Path) -> None:
    """Every named conjunct is false in the last state; see tests/reference for the evaluation."""
    result = plait("check", philosophers, "-p", "free")
    assert result.status == 1
    assert (
        "free is violated: the system deadlocks after 4 steps, replayed on the model" in result.out
    )
    assert "    takeRight(0)  needs fork[1] == 0, but fork[1] = 1" in result.out
    assert "    takeRight(3)  needs fork[0] == 0, but fork[0] = 1" in result.out


def test_whole_states_are_shown_on_request(plait: Command, counter: Path) -> None:
    result = plait("check", counter, "-p", "high", "--full")
    assert "    3  up             line 4  x = 3, y = 0" in result.out


def test_quiet_prints_verdicts_only(plait: Command, counter: Path) -> None:
    result = plait("check", counter, "-q")
    assert result.out.splitlines()[:3] == [
        "small  invariant x <= 3 && y == 0  violated",
        "high   reachable x == 3            reachable",
        "range  bounds x + y                0..4",
    ]
    assert len(result.out.splitlines()) == 5


def test_a_model_without_properties_is_checked_for_deadlocks(
    plait: Command, tmp_path: Path
) -> None:
    file = tmp_path / "stop.gal"
    file.write_text("gal stop { int x = 0; transition t [x == 0] { x = 1; } }\n")
    result = plait("check", file)
    assert result.status == 1
    assert result.out.startswith("deadlock  no deadlock  violated\n")


@pytest.mark.parametrize(
    ("formula", "status"),
    [
        ("AG (x <= 3)", 0),
        ("AG EF (x == 0)", 0),
        ("G (x <= 3)", 0),
        ("G F (y == 1)", 0),
        ("F (x == 5)", 1),
        ("x <= 2", 1),
        ("deadlock", 0),
        ("never: x == 4", 0),
        ("bounds: x", 0),
        ("A[x <= 3 U y == 1]", 0),
        ("EX (x == 2)", 1),
        ("[](x == 3 -> <> x == 0)", 0),
    ],
)
def test_formulas_given_on_the_command_line(
    plait: Command, counter: Path, formula: str, status: int
) -> None:
    """covers: I102"""
    assert plait("check", counter, "-f", formula).status == status


def test_the_document_follows_its_schema(plait: Command, counter: Path, tmp_path: Path) -> None:
    """covers: I144"""
    file = tmp_path / "result.json"
    result = plait("check", counter, "--json", file)
    assert result.out.startswith("small")
    document = json.loads(file.read_text())
    jsonschema.validate(document, schema("check"))
    assert document["model"] == "counter"
    small, high, bounds = document["results"]
    assert (small["kind"], small["verdict"], small["replayed"]) == ("invariant", "false", True)
    assert small["witness"]["initial"] == {"x": 0, "y": 0}
    assert [s["event"] for s in small["witness"]["steps"]] == ["up", "up", "up", "both"]
    assert small["witness"]["steps"][3]["changes"] == {"x": 0, "y": 1}
    assert small["witness"]["steps"][3]["place"].endswith("counter.gal:5:13")
    assert high["verdict"] == "true"
    assert (bounds["value"], bounds["stats"]["min"]) == (4, 0)


def test_the_document_alone_goes_to_the_standard_output(plait: Command, counter: Path) -> None:
    result = plait("check", counter, "--json", "-")
    assert result.status == 1
    jsonschema.validate(json.loads(result.out), schema("check"))


def test_traces_can_be_written_apart(plait: Command, counter: Path, tmp_path: Path) -> None:
    file = tmp_path / "witness.json"
    plait("check", counter, "--witness", file)
    names = [w["name"] for w in json.loads(file.read_text())["witnesses"]]
    assert names == ["small", "high"]


def test_time_is_a_limit_and_ends_in_unknown(plait: Command, philosophers: Path) -> None:
    """covers: I146"""
    limits = ["--engine", "explicit", "--timeout", "0.2"]
    result = plait("check", philosophers, "-D", "N=40", "-p", "neighbours", *limits)
    assert result.status == 3
    assert "unknown (out of time)" in result.out


def test_memory_is_a_limit_and_ends_in_unknown(philosophers: Path) -> None:
    """covers: I146"""
    process = start(
        "check", philosophers, "-D", "N=40", "-p", "neighbours",
        "--engine", "explicit", "--memory", "150M", "--json", "-",
        stdout=subprocess.PIPE,
    )  # fmt: skip
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 3
    (answer,) = json.loads(out)["results"]
    assert (answer["verdict"], answer["reason"]) == ("unknown", "memory")
    assert answer["stats"]["states"] > 1000
    assert answer["peak_memory_bytes"] < 230e6


def test_more_memory_than_any_machine_has_is_no_limit(plait: Command, philosophers: Path) -> None:
    for amount in ("99999999999G", "999999999999999T"):
        result = plait("states", philosophers, "-D", "N=4", "--memory", amount)
        assert (result.status, result.err) == (0, "")


def test_the_same_run_gives_the_same_figures(plait: Command, philosophers: Path) -> None:
    """covers: I147"""
    documents = []
    for _ in range(2):
        document = json.loads(plait("check", philosophers, "--json", "-").out)
        for result in document["results"]:
            del result["seconds"], result["peak_memory_bytes"]
            result["stats"].pop("store_bytes", None)
        documents.append(document)
    assert documents[0] == documents[1]


def test_formulas_of_its_ctl_in_a_file(plait: Command, counter: Path) -> None:
    formulas = counter.with_suffix(".ctl")
    formulas.write_text("# import\n#property top\nEF (x = 3);\n#property stuck\nAG !(y = 1);\n")
    result = plait("check", counter, "--properties", formulas)
    assert result.status == 1
    assert [line.split()[0] for line in result.out.splitlines()[:2]] == ["top", "stuck"]
    formulas.write_text("EF (z = 3);\n")
    result = plait("check", counter, "--properties", formulas)
    assert result.status == 2
    assert f"{formulas}:1:5" in result.err


def test_a_proctype_that_nobody_runs_is_warned_of(plait: Command, tmp_path: Path) -> None:
    """Its assertions are not among the properties: without a word, all would seem to be well."""
    file = tmp_path / "idle.pml"
    file.write_text("proctype Q() { assert(false) }\nactive proctype P() { skip }\n")
    result = plait("check", file)
    assert result.status == 0
    assert f"{file}:1:10: warning: proctype 'Q' is never run" in result.err
