"""Runs the command line inside the test, or as a process of its own."""

import os
import subprocess
import sys
import time
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


def refuse_located(plait: Command, file: Path, text: str | bytes, message: str) -> None:
    """See that a text in a file is refused with a message that says where."""
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    result = plait("check", file)
    assert (result.status, result.out) == (2, "")
    assert result.err.splitlines()[0] == f"{file}:{message}"
    assert "Traceback" not in result.err


def wait_until_busy(process: subprocess.Popen[str], seconds: float = 1.5) -> None:
    """Wait until a process has used so much processor time: it is then past its start.

    A fixed pause would be too short on a busy machine.
    """
    tick = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        facts = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        if (int(facts[11]) + int(facts[12])) / tick >= seconds:
            return
        time.sleep(0.05)


def start(*arguments: str | Path, **options: object) -> subprocess.Popen[str]:
    """`plait ARGUMENTS` as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "plait", *map(str, arguments)],
        text=True,
        encoding="utf-8",
        env=dict(os.environ),
        **options,  # type: ignore[call-overload]
    )
