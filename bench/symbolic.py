"""The symbolic engine on the nets of the dissertation: its tables again, and other programs.

Three tables of Siminiceanu, Structural Model Checking (2003), with our figures beside the printed
ones: six strategies (3.1 and 3.2), policies of garbage collection (3.3), local states on the fly or
generated beforehand (4.1). Then the programs of `bench.rivals` that are on PATH, on the same nets.

Seconds of the tables are those of `plait states`: reading the file and counting states, arcs and
deadlocks are included. Those of the comparison are user and system time of whole processes, so
Plait pays for Python's start. A run that takes more than LIMIT seconds, or more than MEMORY, is
given up, and so are greater sizes with the same strategy. `PLAIT_BENCH_SECONDS` changes the limit.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import history
from bench.measure import Run, run
from bench.rivals import Rival, present, same_number
from plait.lang.pnml import print_model
from plait.models import entry

LIMIT = float(os.environ.get("PLAIT_BENCH_SECONDS", "10"))
MEMORY = "2G"
COMPARED = {
    "philosophers": (10, 100, 1000),
    "slotted-ring": (10, 20, 50),
    "round-robin": (10, 50, 100),
    "kanban": (5, 20, 50),
    "fms": (5, 20, 50),
}
"""The sizes of the comparison with other programs."""
REPEAT = 3


@dataclass(frozen=True)
class Figures:
    """What one run of Plait tells about itself."""

    process: Run
    seconds: float
    peak_nodes: int
    megabytes: float
    """Of the diagrams alone, caches included."""


class Bench:
    """Runs Plait on the models of the library, each written once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._given_up: set[tuple[str, tuple[str, ...]]] = set()

    def file(self, model: str, n: int) -> Path:
        path = self.folder / f"{model}-{n}.pnml"
        if not path.exists():
            path.write_text(print_model(entry(model).model(n, "flat")), encoding="utf-8")
        return path

    def measure(self, model: str, n: int, *options: str) -> Figures | str:
        """One run, whose count is checked; or why there is none."""
        if (model, options) in self._given_up:
            return "-"
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        limits = ["--timeout", str(LIMIT), "--memory", MEMORY, "--json", result.name, "-q"]
        command = [sys.executable, "-m", "plait", "states", self.file(model, n).name]
        command += ["--engine", "symbolic", *options, *limits]
        made = run(command, self.folder, LIMIT + 30)
        if not result.exists():
            return f"failed: {made.text.partition(chr(10))[0]}"
        found = json.loads(result.read_text())
        if not found["complete"]:
            self._given_up.add((model, options))
            return str(found["reason"])
        expected = known(model, n)
        if int(found["states"]) != expected:
            raise SystemExit(f"{model} {n}: {found['states']} states instead of {expected}")
        stats = found["stats"]
        return Figures(made, found["seconds"], stats["peak_nodes"], stats["peak_bytes"] / 1e6)


def known(model: str, n: int) -> int:
    """How many states a model has."""
    states = entry(model).states
    count = None if states is None else states(n)
    assert count is not None
    return count


def main() -> None:
    sys.set_int_max_str_digits(0)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        strategies(bench)
        policies(bench)
        local_states(bench)
        compare(bench, present())


def strategies(bench: Bench) -> None:
    print(
        "\nTables 3.1 and 3.2: seconds, peak nodes and megabytes by strategy; [printed seconds, MB]"
    )
    for (model, n), seconds in history.SECONDS.items():
        megabytes = history.MEGABYTES[model, n]
        for k, strategy in enumerate(history.STRATEGIES):
            figures = bench.measure(model, n, "--strategy", strategy)
            printed = f"[{_number(seconds[k])} s, {_number(megabytes[k])} MB]"
            print(f"{model:<13}{n:>6}  {strategy:<13}{_row(figures)}  {printed}", flush=True)


def policies(bench: Bench) -> None:
    print("\nTable 3.3: saturation under policies of garbage collection")
    for model, sizes in history.COLLECTED.items():
        for n in sizes:
            for policy in ("lazy", "strict:100", "strict:1"):
                figures = bench.measure(model, n, "--gc", policy)
                print(f"{model:<13}{n:>6}  {policy:<13}{_row(figures)}", flush=True)


def local_states(bench: Bench) -> None:
    print("\nTable 4.1: local states on the fly and pregenerated; [printed seconds, KB; NuSMV]")
    for (model, n), (otf, pre, otf_kb, pre_kb, nusmv) in history.LOCALS.items():
        for way, seconds, kb in (("on-the-fly", otf, otf_kb), ("pregenerated", pre, pre_kb)):
            figures = bench.measure(model, n, "--locals", way)
            printed = f"[{seconds} s, {kb:.0f} KB; {_number(nusmv)} s]"
            print(f"{model:<13}{n:>6}  {way:<13}{_row(figures)}  {printed}", flush=True)


def compare(bench: Bench, rivals: list[Rival]) -> None:
    if not rivals:
        print("\nits-reach, pnml2lts-sym, smart and MEDDLY's examples are not on PATH: Plait alone")
    else:
        print("\nSeconds and MB of whole processes, and ours over the fastest of the others")
    ratios: list[float] = []
    for model, sizes in COMPARED.items():
        for n in sizes:
            runs = [bench.measure(model, n) for _ in range(REPEAT)]
            ended = [f.process for f in runs if isinstance(f, Figures)]
            ours = min(ended, key=lambda r: r.seconds, default=None)
            row = f"{model:<13}{n:>6}  plait {_process(ours)}"
            fastest = []
            for rival in rivals:
                theirs = rival.best(model, n, bench.folder, 6 * LIMIT)
                if theirs is not None:
                    if not same_number(theirs[1], known(model, n)):
                        raise SystemExit(f"{rival.name} counts {theirs[1]} states of {model} {n}")
                    fastest.append(theirs[0].seconds)
                row += f"  {rival.name} {_process(None if theirs is None else theirs[0])}"
            if ours is not None and fastest:
                # The clock of processes ticks in hundredths.
                ratios.append(max(ours.seconds, 0.01) / max(min(fastest), 0.01))
                row += f"  ratio {ratios[-1]:.2f}"
            print(row, flush=True)
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"geometric mean of the ratios: {mean:.2f}, greatest {max(ratios):.2f}")


def _row(figures: Figures | str) -> str:
    if isinstance(figures, str):
        return f"{figures:>31}"
    return f"{figures.seconds:>8.2f} s{figures.peak_nodes:>10,}{figures.megabytes:>8.1f} MB"


def _process(made: Run | None) -> str:
    return "      -       " if made is None else f"{made.seconds:>6.2f} s{made.megabytes:>5.0f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


if __name__ == "__main__":
    main()
