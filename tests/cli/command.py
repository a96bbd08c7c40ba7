"""Runs the command line inside the test, or as a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from plait.cli.main import run


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str


class Command:
    """`plait ARGUMENTS` in this process."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self.capture = capture

    def __call__(self, *arguments: str | Path) -> Result:
        self.capture.readouterr()
        status = run([str(a) for a in arguments])
        out, err = self.capture.readouterr()
        return Result(status, out, err)


def start(*arguments: str | Path, **options: object) -> subprocess.Popen[str]:
    """`plait ARGUMENTS` as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "plait", *map(str, arguments)],
        text=True,
        encoding="utf-8",
        env=dict(os.environ),
        **options,  # type: ignore[call-overload]
    )
