"""`plait graph`: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.cli.command import Command
from tests.conftest import ROOT
from tests.report.drawings import read_svg

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
