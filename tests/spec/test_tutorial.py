"""The tutorial shows what really happens: its commands are run and their outputs compared."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from literate import Block, blocks
from sessions import TUTORIAL, prepare, run, sessions, stable

SESSIONS = list(sessions())


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=range(1, len(SESSIONS) + 1))
def test_the_tutorial_shows_what_is_printed(command: str, output: Block, tmp_path: Path) -> None:
    printed, status = run(command, prepare(tmp_path))
    assert stable(printed) == stable(output.text)
    assert status == int(output.settings.get("exit", "0"))


def test_the_script_of_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [script] = [block for _, block in blocks(TUTORIAL) if block.language == "py"]
    monkeypatch.chdir(prepare(tmp_path))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(script.text, "tutorial", "exec"), {})
    assert printed.getvalue().splitlines()[1] == "true"
