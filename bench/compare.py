"""The symbolic engine beside other programs (`bench.rivals`), on the same nets in the same run.

Seconds are user and system time of whole processes, megabytes their peak, so Plait pays for the
start of Python; each figure is the best of some runs. A ratio is ours over the fastest (or the
smallest) of the others. Where everyone needs hundredths of a second the ratio tells how long Python
takes to start, so the mean is also given without these nets.

Behind them stand the kernels alone. `search` is what each program says of itself: Plait, by the
clock, for its events in diagrams and the saturation, without Python's start, reading, passes and
the search for an order; its-reach the time in its own table; MEDDLY's examples, whose model and
order are compiled in, for the next-state function and the saturation. `diagrams` is the peak of
Plait's own diagrams, caches, tables and local states, without Python.

`python -m bench rivals > bench/results/rivals.md` renews the table. `PLAIT_BENCH_RIVAL_SECONDS` is
the limit of a run, in seconds of the processor.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.counts import DATA, published
from bench.measure import Run, run
from bench.rivals import Case, Rival, present, same_number

LIMIT = float(os.environ.get("PLAIT_BENCH_RIVAL_SECONDS", "60"))
SIZES = {
    "philosophers": (10, 100, 1000, 2000),
    "slotted-ring": (5, 10, 20, 50, 100),
    "round-robin": (10, 50, 100),
    "kanban": (5, 10, 20, 50, 100, 200),
    "fms": (5, 10, 20, 50, 100),
}
FILES = (
    "Angiogenesis-PT-05",
    "CircularTrains-PT-012",
    "Dekker-PT-010",
    "ERK-PT-000010",
    "HouseConstruction-PT-00002",
    "IBM319-PT-none",
    "MAPK-PT-00008",
    "Railroad-PT-005",
    "RwMutex-PT-r0010w0010",
    "TokenRing-PT-005",
)
"""Nets of the Model Checking Contest, where they are at hand."""
REPEAT = 3
LONG = 1.0
"""Seconds beyond which one run is enough."""
FLOOR = 12.0
"""Megabytes below which the memory of a process is that of starting it (see `bench/launch.py`)."""
MOMENT = 0.1
"""Seconds below which a ratio is that of starting up."""
TICK = 0.01
"""The clock of processes ticks in hundredths, and some programs print no more."""


def main() -> None:
    """Print the table, then the means."""
    sys.set_int_max_str_digits(0)
    rivals = present()
    if not rivals:
        print("None of the other programs is on PATH: Plait alone.\n")
    names = ["plait", *(r.name for r in rivals)]
    searching = ["plait", *(r.name for r in rivals if r.search)]
    heads = [f"{n} s / MB" for n in names] + ["time", "memory"]
    heads += [f"{n} search s" for n in searching] + ["search", "diagrams MB"]
    print(f"| net | {' | '.join(heads)} |")
    print("|", " | ".join("---" for _ in range(len(heads) + 1)), "|")
    time: dict[str, tuple[float, float]] = {}
    search: list[tuple[float, float]] = []
    memory: list[float] = []
    diagrams: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            found = plait(case, Path(folder))
            ours = None if found is None else found[0]
            theirs = [best(rival, case, Path(folder)) for rival in rivals]
            ended = [t for t in theirs if t is not None]
            row = f"| {case.name} | {' | '.join(map(shown, [ours, *theirs]))} |"
            if ours is not None and ended:
                fastest = min(t.seconds for t in ended)
                time[case.name] = ratio(ours.seconds, fastest), fastest
                memory.append(ours.megabytes / min(t.megabytes for t in ended))
                row += f" {time[case.name][0]:.2f} | {memory[-1]:.2f} |"
                smallest = min(t.megabytes for t in ended)
                if found is not None and smallest > FLOOR:
                    diagrams.append(found[1] / smallest)
            else:
                row += " - | - |"
            alone = [
                None if made is None else rival.searched(made.text)
                for rival, made in zip(rivals, theirs, strict=True)
                if rival.search
            ]
            told = [seconds for seconds in alone if seconds is not None]
            row += "".join(f" {_seconds(s)} |" for s in [found[2] if found else None, *alone])
            if found is not None and told:
                search.append((ratio(found[2], min(told)), min(told)))
                row += f" {search[-1][0]:.2f} |"
            else:
                row += " - |"
            row += " - |" if found is None else f" {found[1]:.1f} |"
            print(row, flush=True)
    if time:
        long = [ratio for ratio, fastest in time.values() if fastest >= MOMENT]
        print(f"\nTime: geometric mean {mean(r for r, _ in time.values())} over all nets;")
        print(
            f"{mean(long)} over the {len(long)} that take the fastest {MOMENT} s or more, of which "
            f"{sum(r > 1 for r in long)} take Plait longer. Memory: geometric mean {mean(memory)}; "
            f"of the diagrams alone {mean(diagrams)} over the {len(diagrams)} nets for which every "
            f"other program takes more than {FLOOR} MB."
        )
    if search:
        long = [r for r, fastest in search if fastest >= TICK]
        print(
            f"Search alone, with what is below {TICK} s taken for that: geometric mean "
            f"{mean(r for r, _ in search)} over the {len(search)} nets of which another program "
            f"tells it; {mean(long)} over the {len(long)} that take the fastest {TICK} s or more, "
            f"of which {sum(r > 1 for r in long)} take Plait longer."
        )


def cases() -> Iterator[Case]:
    """The nets, in the order of the table."""
    for family, sizes in SIZES.items():
        yield from (Case(family, n) for n in sizes)
    counts = dict(published("mcc"))
    for name in FILES:
        file = DATA / "mcc" / name / "model.pnml"
        if name in counts and file.is_file():
            yield Case(name, 0, file, int(counts[name]))


def ratio(ours: float, theirs: float) -> float:
    """Our seconds over theirs, neither shorter than a tick."""
    return max(ours, TICK) / max(theirs, TICK)


def plait(case: Case, folder: Path) -> tuple[Run, float, float] | None:
    """The best run of Plait, the megabytes of its diagrams and the seconds of its search.

    None when it takes too long. What the diagrams used is told by a run of its own, since the
    others need no document to write it in.
    """
    command = [sys.executable, "-m", "plait", "states", case.pnml(folder).name]
    command += ["--engine", "symbolic", "-q"]
    found = []
    for _ in range(REPEAT):
        made = run(command, folder, LIMIT)
        if made.status < 0:
            return None
        count = counted(made.text)
        if made.status != 0 or count is None:
            raise SystemExit(f"plait failed on {case.name}: {made.text}")
        if count != case.known:
            raise SystemExit(f"plait counts {count} states of {case.name}")
        found.append(made)
        if made.seconds > LONG:
            break
    result = folder / "result.json"
    run([*command, "--json", result.name], folder, 2 * LIMIT)
    stats = json.loads(result.read_text())["stats"]
    result.unlink()
    megabytes = (stats["peak_bytes"] + stats["matrix_bytes"]) / 1e6
    searched = stats["encode_seconds"] + stats["reach_seconds"]
    return min(found, key=lambda r: r.seconds), megabytes, searched


def counted(text: str) -> int | None:
    """The number of states that Plait printed, which may be told about as well."""
    printed = re.match(r"states +([\d,]+)(?: \(about .*\))?\n", text)
    return None if printed is None else int(printed[1].replace(",", ""))


def best(rival: Rival, case: Case, folder: Path) -> Run | None:
    """The best run of another program, whose count is checked."""
    found = []
    for _ in range(REPEAT):
        theirs = rival.best(case, folder, LIMIT)
        if theirs is None:
            return None
        if not same_number(theirs[1], case.known):
            raise SystemExit(f"{rival.name} counts {theirs[1]} states of {case.name}")
        found.append(theirs[0])
        if theirs[0].seconds > LONG:
            break
    return min(found, key=lambda r: r.seconds)


def mean(ratios: Iterable[float]) -> str:
    """The geometric mean."""
    logarithms = [math.log(r) for r in ratios]
    return f"{math.exp(sum(logarithms) / len(logarithms)):.2f}" if logarithms else "-"


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f}"


def shown(made: Run | None) -> str:
    """A cell of the table."""
    return "-" if made is None else f"{made.seconds:.2f} / {made.megabytes:.0f}"


if __name__ == "__main__":
    main()
