"""The tutorial shows what really happens: its commands are run and their outputs compared."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from literate import Block, blocks

import plait

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
MEASURED = re.compile(r"\d+\.\d+ s\b|\d+(\.\d+)? (kB|MB|GB)\b|\d+ bits a state")
"""Seconds and sizes, which differ from run to run or from one version to the next."""


def _sessions() -> Iterator[tuple[str, str, int]]:
    """Each command of the tutorial with its output and exit status (0 unless it says otherwise)."""
    waiting: Block | None = None
    for _, block in blocks(TUTORIAL):
        if block.language == "sh":
            waiting = block
        elif block.language == "text" and waiting is not None:
            yield waiting.text.strip(), block.text, int(block.settings.get("exit", "0"))
            waiting = None


def _files() -> Iterator[tuple[str, str]]:
    for _, block in blocks(TUTORIAL):
        if "file" in block.settings:
            yield block.settings["file"], block.text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which a reader of the tutorial would be."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name, text in _files():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


SESSIONS = list(_sessions())


@pytest.mark.parametrize(("command", "output", "status"), SESSIONS, ids=range(1, len(SESSIONS) + 1))
def test_the_tutorial_shows_what_is_printed(
    command: str, output: str, status: int, folder: Path
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "plait"
    run = subprocess.run(
        [sys.executable, "-m", "plait", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(plait.__file__).parents[1])},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert _stable(run.stdout + run.stderr) == _stable(output)
    assert run.returncode == status


def test_the_script_of_the_tutorial_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [script] = [block for _, block in blocks(TUTORIAL) if block.language == "py"]
    monkeypatch.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script.text, "tutorial", "exec"), {})
    assert printed.getvalue().splitlines()[1] == "true"


def _stable(text: str) -> str:
    return MEASURED.sub("#", text).rstrip()
