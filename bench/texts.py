"""The native search of Promela texts beside SPIN's verifier: no reduction, one core.

The texts are of different kinds (channels with and without room, shared variables, arrays, many
processes, wide states), and SPIN searches each in some tenths of a second to some seconds. SPIN's
verifier is compiled with -O2 -DNOREDUCE -DSAFETY and has a hash table of the right size and a stack
that is deep enough from the beginning. What comes before the search is shown apart: of Plait the
start of Python, reading the text and the passes; of SPIN the generator and the C compiler. Plait's
own compiler is a part of its search, which is done with interpreted and with compiled events. The
bytes that a state takes, with its share of index and tree, are held against SPIN's with collapse
compression.

`python -m bench texts`; PLAIT_BENCH_PROMELA and PLAIT_BENCH_TEXTS name the folder and the texts, as
for `beside-spin`.
"""

from __future__ import annotations

import fnmatch
import json
import math
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.beside_spin import PROMELA
from bench.measure import Run, run

TEXTS = (
    "beem-its/adding.2",
    "beem-its/blocks.3",
    "beem-its/brp.3",
    "beem-its/cambridge.1",
    "beem-its/extinction.1",
    "beem-its/firewire_link.7",
    "beem-its/frogs.3",
    "beem-its/hanoi.2",
    "beem-its/iprotocol.3",
    "beem-its/krebs.2",
    "beem-its/lamport.5",
    "beem-its/lamport_nonatomic.3",
    "beem-its/loyd.2",
    "beem-its/needham.3",
    "beem-its/peg_solitaire.4",
    "beem-its/reader_writer.3",
    "beem-its/rushhour.4",
    "beem-its/schedule_world.2",
    "beem-its/sorter.3",
    "spin/sort",
)
REPEAT = 3
LIMIT = 300.0
"""Seconds of the processor that one command may take."""
TICK = 0.001
"""Nothing takes less, whatever the clock of the processor says."""
HEAD = (
    "text",
    "states",
    "start",
    "interpreted",
    "compiled",
    "states/s",
    "bytes",
    "cc",
    "spin",
    "states/s",
    "bytes",
    "all",
    "search",
    "memory",
)


@dataclass(frozen=True)
class Plait:
    """What Plait needs for a text: seconds, and bytes a state."""

    states: int
    start: float
    interpreted: float
    compiled: float
    whole: float
    """The command, from the text to the answer."""
    size: float


@dataclass(frozen=True)
class Spin:
    """What SPIN needs for the same text."""

    states: int
    compiler: float
    search: float
    size: float


def main() -> None:
    """Print the table and the geometric means."""
    spin = shutil.which("spin") is not None and shutil.which("cc") is not None
    if not spin:
        print("spin or cc is not on PATH: Plait alone")
    print("| " + " | ".join(HEAD) + " |\n" + "| --- " * len(HEAD) + "|")
    ratios: list[tuple[float, float, float]] = []
    folder = Path(os.environ.get("PLAIT_BENCH_PROMELA", PROMELA))
    patterns = os.environ.get("PLAIT_BENCH_TEXTS", "*").split()
    for name in TEXTS:
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        file = folder / f"{name}.pml"
        if not file.is_file():
            print(f"{name} is not here")
            continue
        ours = plait_on(file)
        theirs = spin_on(file, ours.states) if spin else None
        if theirs is not None and theirs.states != ours.states:
            raise SystemExit(f"{name}: Plait {ours.states} states, SPIN {theirs.states}")
        if theirs is not None:
            ratios.append(compared(ours, theirs))
        print(row(name.rpartition("/")[2], ours, theirs), flush=True)
    if ratios:
        columns = zip(*ratios, strict=True)
        means = [math.exp(sum(map(math.log, column)) / len(ratios)) for column in columns]
        cells = ["geometric mean", *[""] * (len(HEAD) - 4), *(f"{mean:.2f}" for mean in means)]
        print("| " + " | ".join(cells) + " |")


def compared(ours: Plait, theirs: Spin) -> tuple[float, float, float]:
    """Our states per second over theirs, all in all and in the search; our bytes over theirs."""
    whole = (theirs.compiler + theirs.search) / ours.whole
    return whole, theirs.search / ours.compiled, ours.size / theirs.size


def row(name: str, ours: Plait, theirs: Spin | None) -> str:
    """A row of the table."""
    cells = [name, f"{ours.states:,}"]
    cells += [f"{seconds:.2f}" for seconds in (ours.start, ours.interpreted, ours.compiled)]
    cells += [f"{ours.states / ours.compiled:,.0f}", f"{ours.size:.1f}"]
    if theirs is None:
        cells += [""] * (len(HEAD) - len(cells))
    else:
        cells += [f"{theirs.compiler:.2f}", f"{theirs.search:.2f}"]
        cells += [f"{theirs.states / theirs.search:,.0f}", f"{theirs.size:.1f}"]
        cells += [f"{ratio:.2f}" for ratio in compared(ours, theirs)]
    return "| " + " | ".join(cells) + " |"


def plait_on(file: Path) -> Plait:
    """The best of some runs of each kind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed = [sys.executable, str(Path(__file__).with_name("timed.py")), str(file)]

        def runs(successors: str) -> list[dict[str, float]]:
            texts = (_done([*timed, successors], folder).text for _ in range(REPEAT))
            return [json.loads(text) for text in texts]

        fast, plain = runs("auto"), runs("interpreted")
        command = [sys.executable, "-m", "plait", "states", str(file), "--json", "-"]
        command += ["--threads", "1", "--engine", "explicit"]
        whole = min(_done(command, folder).seconds for _ in range(REPEAT))
    states = int(fast[0]["states"])
    return Plait(
        states,
        min(found["start"] for found in fast),
        max(TICK, min(found["search"] for found in plain)),
        max(TICK, min(found["search"] for found in fast)),
        whole,
        fast[0]["bytes"] / states,
    )


def spin_on(file: Path, states: int) -> Spin:
    """The verifier of a text that has so many states, as far as we know."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiler = _done(["spin", "-a", "-o1", "-o2", "-o3", str(file)], folder).seconds
        cc = ["cc", "-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=16000", "-o", "pan"]
        compiler += _done([*cc, "pan.c"], folder).seconds
        slots = max(16, states.bit_length())
        # -E: an invalid end is no error; -c0: never stop; -n: no report of unreached code.
        command = _fitted(["./pan", "-E", "-c0", "-n", f"-w{slots}"], folder)
        best = min((_done(command, folder) for _ in range(REPEAT)), key=lambda r: r.seconds)
        _done([*cc, "-DCOLLAPSE", "pan.c"], folder)
        collapsed = _done(command, folder).text
    megabytes = sum(
        float(found[1])
        for what in ("actual memory usage for states", "memory used for hash table")
        if (found := re.search(rf"([\d.]+)\s+{what}", collapsed))
    )
    count = re.search(r"([\d.e+]+) states, stored", best.text)
    if count is None or not megabytes:
        raise SystemExit(f"pan printed no number of states or bytes:\n{best.text}")
    stored = round(float(count[1]))
    return Spin(stored, compiler, max(TICK, best.seconds), megabytes * 2**20 / stored)


def _fitted(command: list[str], folder: Path) -> list[str]:
    """The command with a stack that is deep enough, but not a hundred times too deep."""
    for depth in (10_000, 100_000, 1_000_000):
        if "max search depth too small" not in _done([*command, f"-m{depth}"], folder).text:
            return [*command, f"-m{depth}"]
    return [*command, "-m10000000"]


def _done(command: list[str], folder: Path) -> Run:
    """A command that must succeed."""
    found = run(command, folder, LIMIT)
    if found.status:
        raise SystemExit(f"{command[0]} failed:\n{found.text}")
    return found


if __name__ == "__main__":
    main()
