"""The native breadth-first search beside SPIN's verifier, no reduction, one core.

First the same nets in both languages, then Promela texts that both read. SPIN's verifier is
compiled with -O2 -DNOREDUCE -DSAFETY and stores full states in a hash table that is large enough
from the start. Times are user + system seconds of whole processes. Of Promela texts, what comes
before the search is shown apart: of Plait Python's start and reading the text, of SPIN the C
compiler; Plait's own compiler is a part of its search, which is done with interpreted and with
compiled events. The bytes that a state takes, with its share of index and tree, are held against
SPIN's with collapse compression and a hash table of the right size.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.nets import Net, fms, kanban, philosophers
from plait.lang.gal import print_model

PROMELA = Path(__file__).resolve().parents[2] / "shared" / "data" / "promela" / "beem-its"
TEXTS = (
    "adding.2",
    "bakery.4",
    "brp.3",
    "firewire_link.4",
    "lamport.5",
)
NETS = (philosophers(8), philosophers(10), kanban(4), kanban(5), fms(4), fms(5))
REPEAT = 3


def main() -> None:
    spin = shutil.which("spin") is not None
    if not spin:
        print("spin is not on PATH: Plait alone")
    nets(spin)
    print()
    texts(spin)


def texts(spin: bool) -> None:
    """Promela texts: speed with interpreted and compiled events, and memory."""
    head = f"{'text':<17}{'states':>10}  {'(start)':>7}{'interpreted':>13}{'compiled':>10}"
    head += f"{'B/state':>9}"
    if spin:
        head += f"  {'(cc)':>6}{'spin':>7}{'B/state':>9}  {'all':>6}{'search':>8}{'memory':>8}"
    print(head)
    gains, whole, search, memory = [], [], [], []
    for file in (PROMELA / f"{name}.pml" for name in TEXTS):
        if not file.is_file():
            print(f"{file.stem:<17} not here")
            continue
        start = _start(file)
        plain, _, states = _text(file, "interpreted")
        fast, size, _ = _text(file, "auto")
        gains.append((plain - start) / (fast - start))
        row = f"{file.stem:<17}{states:>10,}  {start:>7.2f}{plain:>13.2f}{fast:>10.2f}{size:>9.1f}"
        if spin:
            compiler, theirs, their_size, their_states = _spin(file, states)
            if their_states != states:
                raise SystemExit(f"{file.stem}: Plait {states} states, SPIN {their_states}")
            whole.append((theirs + compiler) / fast)
            search.append(theirs / (fast - start))
            memory.append(size / their_size)
            row += f"  {compiler:>6.2f}{theirs:>7.2f}{their_size:>9.1f}"
            row += f"  {whole[-1]:>6.2f}{search[-1]:>8.2f}{memory[-1]:>8.2f}"
        print(row, flush=True)
    for values, what in (
        (gains, "Plait's states per second, compiled over interpreted, without the start"),
        (whole, "Plait's states per second over SPIN's, from the text to the answer"),
        (search, "the same without Plait's start and SPIN's compiler"),
        (memory, "Plait's bytes a state over SPIN's with collapse compression"),
    ):
        if values:
            print(f"geometric mean of {what}: {_mean(values):.2f}")


def _start(file: Path) -> float:
    """Seconds until a search can begin: Python's start, reading the text, the passes."""
    code = "import sys; from plait.lang import load; from plait.engines.prepared import prepare; "
    command = [sys.executable, "-c", code + "prepare(load(sys.argv[1]))", str(file)]
    with tempfile.TemporaryDirectory() as folder:
        return min(_run(command, Path(folder))[0] for _ in range(REPEAT))


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def _text(file: Path, successors: str) -> tuple[float, float, int]:
    """Seconds, bytes a state and states of Plait's search."""
    command = [sys.executable, "-m", "plait", "states", str(file), "--json", "-", "--threads", "1"]
    command += ["--engine", "explicit", "--successors", successors]
    with tempfile.TemporaryDirectory() as folder:
        runs = [_run(command, Path(folder)) for _ in range(REPEAT)]
    seconds, _, text = min(runs)
    found = json.loads(text)
    states = int(found["states"])
    return seconds, found["stats"]["store_bytes"] / states, states


def _spin(file: Path, states: int) -> tuple[float, float, float, int]:
    """Seconds of the compilers and of the verifier, bytes a state when collapsed, and states."""
    size = max(16, states.bit_length())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate = ["spin", "-a", "-o1", "-o2", "-o3", str(file)]
        compiler, _, _ = _run(generate, folder)
        flags = ["-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=16000"]
        compiler += _run(["cc", *flags, "-o", "pan", "pan.c"], folder)[0]
        options = _fitted(["./pan", "-E", "-c0", "-n", f"-w{size}"], folder)
        seconds, _, text = min(_run(options, folder) for _ in range(REPEAT))
        _run(["cc", *flags, "-DCOLLAPSE", "-o", "pan", "pan.c"], folder)
        _, _, collapsed = _run(options, folder)
    megabytes = sum(
        float(found[1])
        for what in ("actual memory usage for states", "memory used for hash table")
        if (found := re.search(rf"([\d.]+)\s+{what}", collapsed))
    )
    count = re.search(r"([\d.e+]+) states, stored", text)
    if count is None or not megabytes:
        raise SystemExit(f"pan printed no number of states or bytes:\n{text}")
    return compiler, seconds, megabytes * 2**20 / states, round(float(count[1]))


def _fitted(command: list[str], folder: Path) -> list[str]:
    """The command with a stack that is deep enough, but not a hundred times too deep."""
    for depth in (10_000, 100_000, 1_000_000):
        if "max search depth too small" not in _run([*command, f"-m{depth}"], folder)[2]:
            return [*command, f"-m{depth}"]
    return [*command, "-m10000000"]


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


def _run(command: list[str], folder: Path) -> tuple[float, float, str]:
    """User + system seconds, peak MB and output of a command."""
    with (folder / "output").open("w+") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read()
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{command[0]} failed:\n{text}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000, text


if __name__ == "__main__":
    main()
