"""Results arrive or the status tells: documents, full disks, pipes that nobody reads to the end."""

import subprocess
from pathlib import Path

import pytest
from tests.cli.command import Command, start

TALK = 'for (int i in {1..20000}) { print("line ", i, "\\n"); }\n'
"""A program that prints more than a pipe holds."""


@pytest.mark.parametrize("command", ["check", "states"])
def test_a_document_that_cannot_be_written_does_not_take_the_answers_with_it(
    command: str, plait: Command, philosophers: Path, tmp_path: Path
) -> None:
    result = plait(command, philosophers, "--json", tmp_path / "missing" / "result.json")
    assert result.status == 3
    assert "34" in result.out
    assert result.err.startswith("error: cannot write to ")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_who_reads_only_the_first_line_hears_of_no_error(
    unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `head -1` does."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    line = ("models", "write", "slotted-ring", "-n", "900", "--to", "pnml")
    process = start(*line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert _told(process) == ""
    assert process.wait(60) == 3


def test_help_that_nobody_reads_is_no_error() -> None:
    process = start("check", "--help", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert _told(process) == ""
    assert process.wait(60) == 3


def test_a_program_whose_lines_nobody_reads_to_the_end_stops_printing(tmp_path: Path) -> None:
    program = tmp_path / "talk.sm"
    program.write_text(TALK)
    process = start("smart", program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "line 1\n"
    process.stdout.close()
    assert _told(process) == ""
    assert process.wait(60) == 3


@pytest.mark.parametrize("arguments", [("smart", "talk.sm"), ("check", "table.gal"), ("--help",)])
def test_a_full_disk_is_told(
    arguments: tuple[str, ...], philosophers: Path, tmp_path: Path
) -> None:
    (tmp_path / "talk.sm").write_text(TALK)
    (tmp_path / "table.gal").write_text(philosophers.read_text())
    with open("/dev/full", "w") as full:
        process = start(*arguments, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path)
        told = _told(process)
        assert process.wait(60) == 3
    assert told == "error: cannot write to the standard output: No space left on device\n"


def _told(process: subprocess.Popen[str]) -> str:
    """All that a process says that is no result."""
    assert process.stderr is not None
    with process.stderr:
        return process.stderr.read()
