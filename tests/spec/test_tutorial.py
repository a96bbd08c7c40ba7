"""The tutorial shows what really happens: its commands are run and their outputs compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from literate import Block
from sessions import prepare, run, sessions, stable

SESSIONS = list(sessions())


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=range(1, len(SESSIONS) + 1))
def test_the_tutorial_shows_what_is_printed(command: str, output: Block, tmp_path: Path) -> None:
    printed, status = run(command, prepare(tmp_path))
    assert stable(printed) == stable(output.text)
    assert status == int(output.settings.get("exit", "0"))
