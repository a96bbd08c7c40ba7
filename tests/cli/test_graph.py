"""`plait graph`: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command
from tests.conftest import ROOT
from tests.report.drawings import read_svg, texts

SCHEMA = ROOT / "python" / "plait" / "report" / "schema" / "graph.json"


def test_the_command_writes_what_the_file_is_called(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    for name in ("a.svg", "a.dot", "a.json"):
        result = plait("graph", philosophers, "-o", tmp_path / name)
        assert (result.status, result.out, result.err) == (0, "", "")
    read_svg((tmp_path / "a.svg").read_text())
    assert (tmp_path / "a.dot").read_text().startswith("digraph")
    document = json.loads((tmp_path / "a.json").read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert len(document["nodes"]) == 34
    result = plait("graph", philosophers, "-o", tmp_path / "a.png")
    assert result.status == 2
    assert "--to svg, dot or json" in result.err


def test_the_command_says_when_the_picture_is_partial(plait: Command, philosophers: Path) -> None:
    result = plait("graph", philosophers, "--limit", "5")
    assert result.status == 0
    assert result.err.startswith("partial: the first 5 states only")
    read_svg(result.out)


def test_the_command_says_what_the_trace_shows(plait: Command, philosophers: Path) -> None:
    result = plait("graph", philosophers, "--trace", "free", "--to", "json")
    assert result.err == "free: violated, shown by the thick trace of 4 steps\n"
    document = json.loads(result.out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert sum(n["marked"] for n in document["nodes"]) == 5


def test_out_of_time_the_command_draws_what_it_has(plait: Command, philosophers: Path) -> None:
    result = plait("graph", philosophers, "-D", "N=10", "--limit", "90000", "--to", "json",
                   "--timeout", "0.3")  # fmt: skip
    assert result.status == 3
    document = json.loads(result.out)
    assert "the first states only" in document["partial"]
    assert any(n["hidden"] == -1 for n in document["nodes"])
    assert not any(n["deadlocks"] for n in document["nodes"] if n["hidden"])


def test_the_traces_of_a_check_become_diagrams(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    one, more = tmp_path / "one.svg", tmp_path / "more.svg"
    result = plait("check", philosophers, "-p", "free", "-q", "--diagram", one)
    assert (result.status, result.err) == (1, "")
    read_svg(one.read_text())
    result = plait("check", philosophers, "-p", "free", "-p", "dinner", "-q", "--diagram", more)
    assert not more.exists()
    assert result.err.splitlines() == [
        f"{tmp_path / 'more-1.svg'}: free: violated",
        f"{tmp_path / 'more-2.svg'}: dinner: holds",
    ]
    for number in (1, 2):
        read_svg((tmp_path / f"more-{number}.svg").read_text())


def test_diagrams_are_printed_as_text(plait: Command, philosophers: Path, tmp_path: Path) -> None:
    result = plait("check", philosophers, "-p", "free", "--diagram", "-")
    assert result.out.splitlines()[0] == "free: violated"
    assert "takeLeft(3)" in result.out.splitlines()[-1]
    file = tmp_path / "free.txt"
    plait("check", philosophers, "-p", "free", "--diagram", file)
    assert file.read_text() == result.out


def test_a_check_without_traces_has_no_diagram(
    plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    result = plait("check", philosophers, "-p", "forks", "--diagram", tmp_path / "a.svg")
    assert result.err == "no property has a trace, so there is no diagram\n"
    assert not (tmp_path / "a.svg").exists()
    result = plait("check", philosophers, "--diagram", tmp_path / "a.png")
    assert result.status == 2
    assert "it should end with .svg or .txt" in result.err


PICTURES = {
    "trace": ("graph", "--trace", "free", "--depth", "1"),
    "groups": ("graph", "--group", "left[0]", "--group", "right[0]"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_of_the_pages_are_what_the_command_draws(
    name: str, plait: Command, philosophers: Path
) -> None:
    command, *options = PICTURES[name]
    drawn = plait(command, philosophers, *options).out
    assert drawn == (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")


def test_the_diagram_of_the_page_has_what_the_command_draws(plait: Command, tmp_path: Path) -> None:
    transfer, file = ROOT / "examples" / "protocols" / "transfer.pml", tmp_path / "diagram.svg"
    asked = ("-f", "reachable: reader_4.next == 1", "--engine", "explicit")
    assert plait("check", transfer, *asked, "--diagram", file).status == 0
    shown = texts(read_svg((ROOT / "docs" / "pictures" / "diagram.svg").read_text()))
    messages = [text for text in texts(read_svg(file.read_text())) if "] (" in text]
    assert messages
    assert messages == [text for text in shown if "] (" in text]


def test_the_net_of_the_page_is_what_the_command_draws(plait: Command, tmp_path: Path) -> None:
    net = tmp_path / "kanban.pnml"
    assert plait("models", "write", "kanban", "-n", "2", "--to", "pnml", "-o", net).status == 0
    drawn = plait("convert", net, "--to", "svg").out
    assert drawn == (ROOT / "docs" / "pictures" / "net.svg").read_text(encoding="utf-8")


def test_models_and_automata_are_written_as_drawings(plait: Command, philosophers: Path) -> None:
    result = plait("convert", philosophers, "--to", "svg")
    assert result.status == 0
    assert {"takeLeft", "fork"} <= set(texts(read_svg(result.out)))
    result = plait("automaton", philosophers, "-f", "G F (left[0] == 1)", "--to", "svg")
    assert result.status == 0
    assert "violations of formula" in texts(read_svg(result.out))


def test_properties_and_variables_are_completed(plait: Command, tmp_path: Path) -> None:
    table = ROOT / "examples" / "philosophers.gal"
    assert plait("__complete", "graph", table, "--trace", "fr").out.split() == ["free"]
    assert plait("__complete", "graph", table, "--group", "le").out.split() == [
        "left",
        *(f"left[{i}]" for i in range(4)),
    ]
    lights = tmp_path / "lights.dve"
    lights.write_text("process P { state a; init a; trans a -> a {}; } system async;")
    assert plait("__complete", "graph", lights, "--show", "").out.split() == [
        "processes",
        "P",
        "P.state",
    ]
