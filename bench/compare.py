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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.counts import published, source
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
REPEAT = 3
LONG = 1.0
"""Seconds beyond which one run is enough."""
FLOOR = 12.0
"""Megabytes below which the memory of a process is that of starting it (see `bench/launch.py`)."""
MOMENT = 0.1
"""Seconds below which a ratio is that of starting up."""
TICK = 0.01
"""The clock of processes ticks in hundredths, and some programs print no more."""


@dataclass(frozen=True)
class Ours:
    """A run of Plait."""

    process: Run
    diagrams: float
    """Megabytes of diagrams, caches, tables and local states at their peak."""
    search: float
    """Seconds of encoding and saturation."""


@dataclass(frozen=True)
class Row:
    """What was measured of a net."""

    case: Case
    plait: Ours | None
    others: dict[Rival, Run | None]

    @property
    def ended(self) -> list[Run]:
        """The runs of other programs that came to an end."""
        return [made for made in self.others.values() if made is not None]

    @property
    def time(self) -> float | None:
        """Our seconds over those of the fastest, whole processes."""
        if self.plait is None or not self.ended:
            return None
        return ratio(self.plait.process.seconds, self.fastest)

    @property
    def fastest(self) -> float:
        return min(made.seconds for made in self.ended)

    @property
    def memory(self) -> float | None:
        """Our megabytes over those of the smallest, whole processes."""
        if self.plait is None or not self.ended:
            return None
        return self.plait.process.megabytes / self.smallest

    @property
    def smallest(self) -> float:
        return min(made.megabytes for made in self.ended)

    def searched(self) -> dict[Rival, float | None]:
        """The seconds that the programs that tell say of their search."""
        told = {r: made for r, made in self.others.items() if r.search}
        return {r: None if made is None else r.searched(made.text) for r, made in told.items()}

    @property
    def search(self) -> float | None:
        """Our seconds over the fewest that another program tells, for the search alone."""
        if self.plait is None or self.fastest_search is None:
            return None
        return ratio(self.plait.search, self.fastest_search)

    @property
    def fastest_search(self) -> float | None:
        return min((s for s in self.searched().values() if s is not None), default=None)

    def shown(self) -> str:
        """The row of the table."""
        ours = self.plait
        runs = [None if ours is None else ours.process, *self.others.values()]
        searches = [None if ours is None else ours.search, *self.searched().values()]
        cells = [self.case.name, *map(shown, runs)]
        cells += [_number(self.time, 2), _number(self.memory, 2)]
        cells += [_number(seconds, 3) for seconds in searches]
        cells += [_number(self.search, 2), _number(None if ours is None else ours.diagrams, 1)]
        return f"| {' | '.join(cells)} |"


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
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for case in cases(folder):
            ours = plait(case, folder)
            rows.append(Row(case, ours, {r: best(r, case, folder) for r in rivals}))
            print(rows[-1].shown(), flush=True)
    summary(rows)


def summary(rows: Sequence[Row]) -> None:
    """Print the means, and the nets on which another program is faster."""
    whole = {row.case.name: (row.time, row.fastest) for row in rows if row.time is not None}
    print(f"\nWhole processes: {_means(whole, MOMENT)}.")
    memory = [row.memory for row in rows if row.memory is not None]
    large = [
        row.plait.diagrams / row.smallest
        for row in rows
        if row.plait is not None and row.ended and row.smallest > FLOOR
    ]
    print(
        f"Memory: geometric mean {mean(memory)}; of the diagrams alone {mean(large)} over the "
        f"{len(large)} nets for which every other program takes more than {FLOOR} MB."
    )
    search = {
        row.case.name: (row.search, row.fastest_search)
        for row in rows
        if row.search is not None and row.fastest_search is not None
    }
    print(f"Search alone: {_means(search, TICK)}.")
    alone = sum(row.plait is not None and not row.ended for row in rows)
    others = sum(row.plait is None and bool(row.ended) for row in rows)
    print(f"Within {LIMIT:.0f} s: {alone} nets by Plait alone, {others} by others alone.")


def _means(found: Mapping[str, tuple[float, float]], least: float) -> str:
    """The mean of ratios, that of the nets that take the fastest so long, and those above 1."""
    long = {name: ratio for name, (ratio, fastest) in found.items() if fastest >= least}
    slower = ", ".join(f"{name} ({ratio:.2f})" for name, ratio in long.items() if ratio > 1)
    return (
        f"geometric mean {mean(ratio for ratio, _ in found.values())} over {len(found)} nets; "
        f"{mean(long.values())} over the {len(long)} that take the fastest {least} s or more; "
        f"of these, Plait takes longer on {slower or 'none'}"
    )


def cases(folder: Path) -> Iterator[Case]:
    """The nets, in the order of the table: those of the library, and those of the contest.

    Of the contest's nets there are those without colours whose number of states is known.
    """
    for family, sizes in SIZES.items():
        yield from (Case(family, n) for n in sizes)
    for family in ("mcc", "mcc-extra"):
        for name, states in published(family):
            if "-PT-" in name and states.isdigit():
                yield Case(name, 0, source(family, name, folder), int(states))


def ratio(ours: float, theirs: float) -> float:
    """Our seconds over theirs, neither shorter than a tick."""
    return max(ours, TICK) / max(theirs, TICK)


def plait(case: Case, folder: Path) -> Ours | None:
    """The best run of Plait; None when it takes too long.

    What the diagrams used is told by a run of its own, since the others need no document to write
    it in.
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
    return Ours(
        min(found, key=lambda made: made.seconds),
        # Nets that are lumped or scaled are counted without diagrams of their own.
        (stats.get("peak_bytes", 0) + stats.get("matrix_bytes", 0)) / 1e6,
        stats.get("encode_seconds", 0.0) + stats.get("reach_seconds", 0.0),
    )


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


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def shown(made: Run | None) -> str:
    """A cell of the table."""
    return "-" if made is None else f"{made.seconds:.2f} / {made.megabytes:.0f}"


if __name__ == "__main__":
    main()
