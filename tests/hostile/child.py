"""Runs the command as a process of its own and measures it: status, output, seconds, memory."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STATUSES = {0, 1, 2, 3}
SECONDS = 180.0
"""Enough for a loaded machine; what hangs takes longer."""


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str
    seconds: float
    peak: int
    """The largest resident size seen, in bytes."""


def run(arguments: Sequence[str | Path], *, signal_after: tuple[float, int] | None = None) -> Run:
    """`plait ARGUMENTS`; with `signal_after`, a signal after that many seconds."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "plait", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        sent = False
        peak = 0
        while process.poll() is None:
            peak = max(peak, _high_water(process.pid))
            seconds = time.monotonic() - begin
            if signal_after is not None and not sent and seconds >= signal_after[0]:
                process.send_signal(signal_after[1])
                sent = True
            if seconds > SECONDS:
                process.kill()
            time.sleep(0.005)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8"))
    seconds = time.monotonic() - begin
    return Run(process.returncode, texts[0], texts[1], seconds, peak)


def _high_water(pid: int) -> int:
    """The largest resident size of a process; not the kernel's figure, which counts its parent."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def honest(result: Run) -> None:
    """What holds of every run: a status of ours, and no insides shown to the user."""
    shown = result.out[-2000:] + result.err[-2000:]
    assert result.status in STATUSES, shown
    for word in ("Traceback", "panicked", "internal error"):
        assert word not in result.err, shown
        assert word not in result.out, shown
    if result.status == 2:
        assert "error: " in result.err, shown
