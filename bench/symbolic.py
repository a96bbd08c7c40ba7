"""The symbolic engine on the nets of the dissertation: its tables again.

Three tables of Siminiceanu, Structural Model Checking (2003), with our figures beside the printed
ones: six strategies (3.1 and 3.2), policies of garbage collection (3.3), local states on the fly or
generated beforehand (4.1). `bench.compare` has other programs on the same nets.

Seconds are those of `plait states`: reading the file and counting states, arcs and deadlocks are
included. A run that takes more than LIMIT seconds, or more than MEMORY, is
given up, and so are greater sizes with the same strategy. `PLAIT_BENCH_SECONDS` changes the limit.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import history
from bench.measure import Run, limits, run
from bench.rivals import Case

LIMIT = limits(10)[0]
MEMORY = "2G"


@dataclass(frozen=True)
class Figures:
    """What one run of Plait tells about itself."""

    process: Run
    seconds: float
    peak_nodes: int
    megabytes: float
    """Of the diagrams alone, caches included."""
    reach_seconds: float
    """Of the generation alone."""


class Bench:
    """Runs Plait on the models of the library, each written once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._given_up: set[tuple[str, tuple[str, ...]]] = set()

    def measure(self, model: str, n: int, *options: str) -> Figures | str:
        """One run, whose count is checked; or why there is none."""
        if (model, options) in self._given_up:
            return "-"
        result = self.folder / "result.json"
        result.unlink(missing_ok=True)
        limits = ["--timeout", str(LIMIT), "--memory", MEMORY, "--json", result.name, "-q"]
        command = [sys.executable, "-m", "plait", "states", Case(model, n).pnml(self.folder).name]
        command += ["--engine", "symbolic", *options, *limits]
        made = run(command, self.folder, LIMIT + 30)
        if not result.exists():
            return f"failed: {made.text.partition(chr(10))[0]}"
        found = json.loads(result.read_text())
        if not found["complete"]:
            self._given_up.add((model, options))
            return str(found["reason"])
        expected = Case(model, n).known
        if int(found["states"]) != expected:
            raise SystemExit(f"{model} {n}: {found['states']} states instead of {expected}")
        stats = found["stats"]
        return Figures(
            made,
            found["seconds"],
            stats["peak_nodes"],
            stats["peak_bytes"] / 1e6,
            stats["reach_seconds"],
        )


def main() -> None:
    sys.set_int_max_str_digits(0)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        strategies(bench)
        policies(bench)
        local_states(bench)


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
                figures = bench.measure(model, n, "--strategy", "saturation", "--gc", policy)
                print(f"{model:<13}{n:>6}  {policy:<13}{_row(figures)}", flush=True)


def local_states(bench: Bench) -> None:
    print("\nTable 4.1: local states on the fly and pregenerated; [printed seconds, KB; NuSMV]")
    for (model, n), (otf, pre, otf_kb, pre_kb, nusmv) in history.LOCALS.items():
        seconds = []
        for way, old, kb in (("on-the-fly", otf, otf_kb), ("pregenerated", pre, pre_kb)):
            figures = bench.measure(model, n, "--strategy", "saturation", "--locals", way)
            printed = f"[{old} s, {kb:.0f} KB; {_number(nusmv)} s]"
            print(f"{model:<13}{n:>6}  {way:<13}{_row(figures)}  {printed}", flush=True)
            if isinstance(figures, Figures):
                seconds.append(figures.reach_seconds)
        if len(seconds) == 2:
            ours, theirs = (_percent(a, b) for a, b in (seconds, (otf, pre)))
            print(f"{model:<13}{n:>6}  overhead on the fly, saturation alone {ours} [{theirs}]")


def _row(figures: Figures | str) -> str:
    if isinstance(figures, str):
        return f"{figures:>31}"
    return f"{figures.seconds:>8.2f} s{figures.peak_nodes:>10,}{figures.megabytes:>8.1f} MB"


def _percent(more: float, base: float) -> str:
    """How much more one is than the other."""
    return f"{100 * (more / base - 1):+.0f} %" if base > 0 else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


if __name__ == "__main__":
    main()
