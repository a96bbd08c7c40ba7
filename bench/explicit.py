"""The native breadth-first search beside SPIN's verifier, no reduction, one core.

First the same nets in both languages, then Promela texts that both read (`bench.texts`). SPIN's
verifier is compiled with -O2 -DNOREDUCE -DSAFETY and stores full states in a hash table that is
large enough from the start. Times are user + system seconds of whole processes.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import texts
from bench.measure import run
from bench.nets import Net, fms, kanban, philosophers
from plait.lang.gal import print_model

NETS = (philosophers(8), philosophers(10), kanban(4), kanban(5), fms(4), fms(5))
REPEAT = 3


def main() -> None:
    spin = shutil.which("spin") is not None
    if not spin:
        print("spin is not on PATH: Plait alone")
    nets(spin)
    print()
    texts.main()


def nets(spin: bool) -> None:
    """Nets, written in both languages."""
    head = f"{'net':<17}{'states':>10}{'arcs':>12}  {'plait s':>8}{'MB':>6}"
    print(
        head
        + (f"  {'spin s':>8}{'MB':>6}{'(compile)':>11}  {'states/s ratio':>14}" if spin else "")
    )
    ratios = []
    for net in NETS:
        with tempfile.TemporaryDirectory() as folder:
            best = min(_plait(net, Path(folder)) for _ in range(REPEAT))
            seconds, megabytes, states, arcs = best
            row = f"{net.name:<17}{states:>10,}{arcs:>12,}  {seconds:>8.2f}{megabytes:>6.0f}"
            if spin:
                compile_seconds = _compile(net, Path(folder))
                theirs = min(_pan(Path(folder)) for _ in range(REPEAT))
                if theirs[2] != states:
                    raise SystemExit(f"{net.name}: Plait {states} states, SPIN {theirs[2]}")
                ratio = theirs[0] / seconds
                ratios.append(ratio)
                row += (
                    f"  {theirs[0]:>8.2f}{theirs[1]:>6.0f}{compile_seconds:>11.2f}  {ratio:>14.2f}"
                )
            print(row, flush=True)
    if ratios:
        print(f"geometric mean of Plait's states per second over SPIN's: {_mean(ratios):.2f}")


def _plait(net: Net, folder: Path) -> tuple[float, float, int, int]:
    file = folder / "net.gal"
    file.write_text(print_model(net.model()))
    command = [sys.executable, "-m", "plait", "states", str(file), "--json", "-", "--threads", "1"]
    command += ["--engine", "explicit"]
    seconds, megabytes, text = _run(command, folder)
    found = json.loads(text)
    return seconds, megabytes, int(found["states"]), int(found["arcs"])


def _compile(net: Net, folder: Path) -> float:
    (folder / "net.pml").write_text(net.promela())
    start = time.monotonic()
    subprocess.run(["spin", "-a", "net.pml"], cwd=folder, check=True, capture_output=True)
    flags = ["-O2", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=16000", "-w"]
    subprocess.run(["cc", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
    return time.monotonic() - start


def _pan(folder: Path) -> tuple[float, float, int]:
    # -E: invalid end states are no errors; -c0: never stop; -w24: 2^24 slots; -m: stack depth.
    command = ["./pan", "-E", "-c0", "-w24", "-m5000000"]
    seconds, megabytes, text = _run(command, folder)
    states = re.search(r"(\d+) states, stored", text)
    if states is None:
        raise SystemExit(f"pan printed no number of states:\n{text}")
    return seconds, megabytes, int(states[1])


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _run(command: list[str], folder: Path) -> tuple[float, float, str]:
    """User + system seconds, peak MB and output of a command."""
    found = run(command, folder, texts.LIMIT)
    if found.status:
        raise SystemExit(f"{command[0]} failed:\n{found.text}")
    return found.seconds, found.megabytes, found.text


if __name__ == "__main__":
    main()
