"""T29: a process that checks for a long time holds no more at its end than at its start."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT

PROGRAM = Path(__file__).with_name("many_checks.py")


@pytest.mark.parametrize(
    ("count", "megabytes"), [(150, 10), pytest.param(10_000, 20, marks=pytest.mark.soak)]
)
def test_checks_leave_nothing_behind(count: int, megabytes: int) -> None:
    """No memory, no files, no threads, no processes: of every engine, and of checks that fail."""
    line = [sys.executable, PROGRAM, str(count)]
    run = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    told = json.loads(run.stdout)
    start, end = told["start"], told["end"]
    assert end["bytes"] - start["bytes"] <= megabytes * 2**20
    assert (end["files"], end["threads"]) == (start["files"], start["threads"])
    assert told["children"] == 0
