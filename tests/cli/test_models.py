"""`plait models`: listing, showing and writing the models of the library."""

import json
from pathlib import Path

import pytest
from tests.cli.command import Command

from plait.lang import load
from plait.models import ENTRIES


def test_the_list_has_every_model_with_its_size_variants_and_source(plait: Command) -> None:
    result = plait("models", "list")
    assert result.status == 0
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines[::2]] == list(ENTRIES)
    assert lines[0].split(maxsplit=3)[1:3] == ["-n", "4"]
    for e, line in zip(ENTRIES.values(), lines[1::2], strict=True):
        assert line.strip() == f"{', '.join(e.variants)}; {e.source}"


@pytest.mark.parametrize("name", ENTRIES)
def test_a_model_is_shown_with_its_text_and_its_count(plait: Command, name: str) -> None:
    result = plait("models", "show", name)
    assert result.status == 0
    assert ENTRIES[name].source in result.out
    assert ENTRIES[name].description in result.out


def test_the_shown_count_is_that_of_the_size(plait: Command) -> None:
    assert "states       322 for n = 4" in plait("models", "show", "philosophers").out
    large = plait("models", "show", "philosophers", "-n", "10000").out
    assert "states       about 4.2580e6269 for n = 10000" in large
    assert "states  " not in plait("models", "show", "doubled-philosophers", "-n", "1000").out


def count(plait: Command, file: Path) -> str:
    return str(json.loads(plait("states", file, "--json", "-").out)["states"])


@pytest.mark.parametrize(
    ("arguments", "states"),
    [
        (["philosophers", "-n", "3"], "76"),
        (["philosophers", "-n", "3", "--variant", "circular"], "76"),
        (["slotted-ring", "-n", "3", "--variant", "composite"], "504"),
        (["kanban", "-n", "1"], "160"),
        (["leader"], "849"),
        (["fms", "-n", "1", "--variant", "flush"], "120"),
        (["doubled_philosophers", "-n", "2"], "322"),
        (["swap"], "2"),
    ],
)
def test_a_written_model_is_read_back_with_its_states(
    plait: Command, tmp_path: Path, arguments: list[str], states: str
) -> None:
    file = tmp_path / "model.gal"
    result = plait("models", "write", *arguments, "-o", file)
    assert (result.status, result.out, result.err) == (0, "", "")
    assert count(plait, file) == states


@pytest.mark.parametrize(
    ("name", "states"), [("philosophers", "322"), ("leader", "849"), ("fms", "3444")]
)
def test_a_net_is_written_as_pnml(plait: Command, tmp_path: Path, name: str, states: str) -> None:
    file = tmp_path / "model.pnml"
    assert plait("models", "write", name, "--to", "pnml", "-o", file).status == 0
    assert count(plait, file) == states
    units = load(file).system.units  # type: ignore[attr-defined]
    assert units is not None


def test_the_ending_of_the_file_tells_the_language(plait: Command, tmp_path: Path) -> None:
    net, text, other = (tmp_path / name for name in ("m.pnml", "m.gal", "m.txt"))
    for file in (net, text, other):
        assert plait("models", "write", "kanban", "-n", "1", "-o", file).status == 0
    assert net.read_text().startswith("<?xml")
    assert text.read_text() == other.read_text()
    assert count(plait, net) == count(plait, text) == "160"
    result = plait("models", "write", "kanban", "-o", tmp_path / "m.dve")
    assert result.status == 2
    assert "say --to, or write to a file that ends with one of .gal, .pnml" in result.err


def test_a_model_is_written_to_the_standard_output(plait: Command, tmp_path: Path) -> None:
    result = plait("models", "write", "kanban", "-n", "1")
    assert result.out.startswith("// Four production cells with n cards each (kanban, flat, n = 1)")
    file = tmp_path / "model.gal"
    file.write_text(result.out)
    assert count(plait, file) == "160"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["write", "philosofers"],
            "error: the library has no model named 'philosofers'\n  did you mean 'philosophers'?\n",
        ),
        (
            ["show", "slot-ring"],
            "error: the library has no model named 'slot-ring'\n  did you mean 'slotted-ring'?\n",
        ),
        (
            ["write", "kanban", "--variant", "composit"],
            "error: there is no variant 'composit'\n  did you mean 'composite'?\n",
        ),
        (
            ["write", "fms", "--variant", "flush", "--to", "pnml"],
            "error: 'fms' is no place/transition net as 'flush'\n"
            "  these variants are: flat, groups\n",
        ),
        (["write", "leader", "-n", "1"], "error: the size must be at least 2, not 1\n"),
        (
            ["write", "voters", "-n", "9999999999"],
            "error: the size must be at most 100000, not 9999999999\n",
        ),
        (["write", "swap", "-n", "2"], "error: 'swap' has no size\n"),
    ],
)
def test_what_is_wrong_is_told(plait: Command, arguments: list[str], message: str) -> None:
    result = plait("models", *arguments)
    assert (result.status, result.out, result.err) == (2, "", message)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["write"],
        ["lst"],
        ["write", "kanban", "-n", "-1"],
        ["write", "kanban", "-n", "two"],
        ["write", "kanban", "--to", "dot"],
        ["list", "all"],
    ],
)
def test_a_wrong_command_line_has_status_2(plait: Command, arguments: list[str]) -> None:
    result = plait("models", *arguments)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert "(see plait models" in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["models", ""], ["list", "show", "write"]),
        (["models", "write", "kan"], ["kanban"]),
        (["models", "write", "fms", "--variant", "fl"], ["flat", "flush", "flush-nonempty"]),
        (["models", "write", "fms", "--to", ""], ["gal", "pnml"]),
        (["models", "write", "--var"], ["--variant"]),
    ],
)
def test_the_shell_completes_models(plait: Command, words: list[str], expected: list[str]) -> None:
    assert plait("__complete", *words).out.split() == expected
