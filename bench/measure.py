"""Running a command and measuring it: processor seconds, peak memory, what it printed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LAUNCH = Path(__file__).with_name("launch.py")


def limits(usual: float) -> tuple[float, ...]:
    """The seconds in `PLAIT_BENCH_SECONDS`; most benchmarks have one limit, the first."""
    return tuple(map(float, os.environ.get("PLAIT_BENCH_SECONDS", str(usual)).split()))


@dataclass(frozen=True)
class Run:
    """One run of a command."""

    seconds: float
    """User and system time of the whole process."""
    megabytes: float
    """Its peak memory; below 10 all are the same (see `bench/launch.py`)."""
    status: int
    """Its exit status; negative when a signal ended it, as after the time was over."""
    text: str


def run(command: list[str], folder: Path, limit: float) -> Run:
    """Run a command in a folder, and end it after so many seconds of the processor."""
    # Modules are compiled once, as in an installed package, whatever the shell here says.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as place:
        facts = Path(place) / "facts"
        launch = [sys.executable, "-I", "-S", str(LAUNCH), str(facts), str(limit)]
        done = subprocess.run(
            [*launch, *command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=True,
        )
        status, seconds, kilobytes = facts.read_text().split()
    return Run(float(seconds), int(kilobytes) / 1000, int(status), done.stdout)
