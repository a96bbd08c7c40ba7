"""The distance function of the dissertation's nets: table 6.1 again, with the printed figures.

Siminiceanu, Structural Model Checking (2003): EV+ by saturation (Es) and breadth-first (Eb), a
forest of sets breadth-first (Mb), values in terminals by saturation (As) and breadth-first (Ab).
Seconds and final nodes, then the printed ones in brackets. An encoding that takes more than
`PLAIT_BENCH_SECONDS` (10) is not tried with greater sizes.
"""

from __future__ import annotations

import time

from bench.measure import limits
from plait import _core
from plait.engines.prepared import prepare
from plait.engines.symbolic.attempts import named_order
from plait.engines.symbolic.orders import Orders
from plait.models import entry

LIMIT = limits(10)[0]
ENCODINGS = {
    "Es": ("edges", True),
    "Eb": ("edges", False),
    "Mb": ("layers", False),
    "As": ("terminals", True),
    "Ab": ("terminals", False),
}

PRINTED: dict[tuple[str, int], tuple[str, str]] = {
    ("philosophers", 5): ("0.00 0.01 0.01 0.01 0.03", "11 83 38"),
    ("philosophers", 10): ("0.01 0.06 0.05 0.12 0.46", "21 255 170"),
    ("philosophers", 20): ("0.01 0.34 0.28 1.64 9.00", "46 1100 740"),
    ("philosophers", 25): ("0.01 0.59 0.47 4.09 26.08", "61 1893 1178"),
    ("philosophers", 30): ("0.02 0.86 0.70 7.39 56.80", "71 2545 1710"),
    ("philosophers", 1000): ("0.48 - - - -", "2496 - -"),
    ("kanban", 3): ("0.01 0.02 0.02 0.04 0.17", "7 180 68"),
    ("kanban", 5): ("0.02 0.14 0.12 0.24 1.55", "9 444 133"),
    ("kanban", 7): ("0.04 0.51 0.42 0.94 7.79", "11 848 218"),
    ("kanban", 10): ("0.16 2.10 1.68 4.68 48.86", "14 1673 383"),
    ("kanban", 12): ("0.34 4.34 3.45 11.08 129.46", "16 2368 518"),
    ("kanban", 50): ("179.48 - - - -", "58 - -"),
    ("fms", 3): ("0.00 0.12 0.09 0.26 1.58", "88 1925 1191"),
    ("fms", 5): ("0.01 0.42 0.34 0.88 11.78", "149 5640 2989"),
    ("fms", 7): ("0.02 1.05 0.85 2.08 65.32", "222 12070 5739"),
    ("fms", 10): ("0.04 2.96 2.40 5.79 608.92", "354 28225 11894"),
    ("fms", 140): ("20.03 - - - -", "32012 - -"),
    ("round-robin", 10): ("0.01 0.06 0.05 0.22 0.50", "92 1038 1123"),
    ("round-robin", 15): ("0.01 0.15 0.14 1.00 2.93", "177 2578 3136"),
    ("round-robin", 20): ("0.02 0.32 0.31 3.10 12.62", "287 4968 6619"),
    ("round-robin", 25): ("0.03 0.59 0.54 7.89 52.29", "422 8333 11947"),
    ("round-robin", 30): ("0.05 0.95 0.89 16.04 224.83", "582 12798 19495"),
    ("round-robin", 200): ("1.63 - - - -", "20897 - -"),
}
"""Table 6.1 as printed: seconds of Es, Eb, Mb, As, Ab; final nodes of EV+, forest and terminals."""


FMS_LEVELS = (
    "P3 | P3M2 | P3s | P2 | P2wM2 | P2d | M2 P2M2 | P2s | P2wP1 | P12 | P12wM3 | M3 P12M3 | P12s | "
    "P1wP2 | P1s | P1d | M1 P1M1 | P1wM1 | P1"
)
"""The levels of the manufacturing system that give the printed numbers of nodes, from below."""


def reached(name: str, n: int) -> _core.Symbolic:
    """A net in the levels of the table, its states computed."""
    model = entry(name).model(n, "flat")
    prepared = prepare(model)
    if name == "fms":
        number = {p: cell for cell, p in enumerate(prepared.compiled.shape.cells())}
        levels = [[number[p] for p in level.split()] for level in FMS_LEVELS.split("|")]
    else:
        orders = Orders(prepared.rewritten.model)
        levels = [list(level) for level in named_order(orders, "declared", "units").levels]
    core = _core.Symbolic(prepared.compiled.program, levels)
    core.limit(timeout=LIMIT)
    core.reach()
    return core


def main() -> None:
    print("Table 6.1: seconds of Es Eb Mb As Ab, final nodes of E M A; [printed]")
    given_up: set[tuple[str, str]] = set()
    for (name, n), (seconds, nodes) in PRINTED.items():
        try:
            core = reached(name, n)
        except _core.StoppedError:
            print(f"{name:<14}{n:>6}  the states take more than {LIMIT:.0f} s")
            continue
        times, sizes, greatest = [], {}, set()
        for short, (encoding, saturation) in ENCODINGS.items():
            if (name, short) in given_up:
                times.append("-")
                continue
            core.limit(timeout=LIMIT)
            start = time.perf_counter()
            try:
                found = core.distances(encoding, saturation=saturation, histogram=False)  # type: ignore[arg-type]
            except _core.StoppedError:
                given_up.add((name, short))
                times.append("-")
                continue
            assert found is not None
            times.append(f"{time.perf_counter() - start:.2f}")
            sizes[short[0]] = str(found["final_nodes"])
            greatest.add(found["greatest"])
        if len(greatest) > 1:
            raise SystemExit(f"{name} {n}: the encodings disagree on the greatest distance")
        final = " ".join(sizes.get(kind, "-") for kind in "EMA")
        depth = max(greatest, default="-")
        print(
            f"{name:<14}{n:>6}  D {depth:>5}  {' '.join(times):<32} {final:<20}"
            f"  [{seconds}; {nodes}]",
            flush=True,
        )


if __name__ == "__main__":
    main()
