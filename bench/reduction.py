"""Partial-order reduction: tables like those of Godefroid's thesis, and SPIN's own reduction.

1. The six searches of table 8.1 (DFS, SLEEP, PS, PS+SLEEP, PS+PROV, PS+SLEEP+PROV) on models.
2. State-space caching as in section 8.4: what a cache of a share of the states costs in steps.
3. The curve of figure 8.1: philosophers, plain and with PS+SLEEP.
4. What the reduction costs and saves: states a second with and without, deadlocks and time.
5. Beside SPIN's own reduction (`-o1 -o2 -o3`, safety), if spin and a C compiler are on PATH: both
   depth-first, both with a proviso, and the geometric mean of the ratios.

The models are the philosophers and the queues made here, the protocols of `examples`, and the files
given by PLAIT_BENCH_MODELS, a list of paths.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from plait.engines import Budget, Method, Reduction, states
from plait.lang import load
from plait.lang.gal import parse
from plait.model.types import Model
from plait.report.answer import StateSpace

SEARCHES = (
    ("DFS", Reduction("none", order="dfs")),
    ("SLEEP", Reduction("sleep", order="dfs")),
    ("PS", Reduction("ps", order="dfs")),
    ("PS+SLEEP", Reduction("ps+sleep", order="dfs")),
    ("PS+PROV", Reduction("ps+prov", order="dfs")),
    ("PS+SLEEP+PROV", Reduction("ps+sleep+prov", order="dfs")),
)
SECONDS = 60.0
"""The longest that one search may take."""
CACHED = 5.0
"""The longest that one search with a cache may take."""
SHARES = (2, 4, 8, 16, 32)
"""Caches with room for one state in so many."""


def main() -> None:
    """Print all tables."""
    named = _models()
    print(f"{'model':<20}{'algorithm':<15}{'stored':>10}{'arcs':>11}{'matched':>11}", end="")
    print(f"{'seconds':>9}{'states %':>10}{'arcs %':>8}")
    for name, model in named:
        _table(name, model)
    print("\nstate-space caching (section 8.4): steps, for one step of the search that stores all")
    print(f"{'model':<20}{'algorithm':<15}{'states':>10}", end="")
    print("".join(f"{f'1/{share}':>10}" for share in SHARES))
    for name, model in named[:1] + named[2:4]:
        for title, reduction in SEARCHES[:4]:
            _cached(name, model, title, reduction)
    print("\nphilosophers (figure 8.1)")
    print(f"{'n':>3}{'DFS':>12}{'PS+SLEEP':>12}{'by Algorithm 2':>16}")
    for count in range(2, 11):
        _curve(count)
    print("\nbreadth-first: what the reduction costs and saves")
    print(f"{'model':<20}{'states':>10}{'states/s':>10}{'reduced':>10}{'states/s':>10}{'time':>7}")
    for name, model in named:
        _cost(name, model)
    if shutil.which("spin") is None or shutil.which("cc") is None:
        print("\nspin or cc is not on PATH: no comparison with SPIN's reduction")
        return
    print("\nbeside SPIN's reduction (states stored)")
    print(f"{'model':<20}{'spin full':>11}{'spin':>10}{'plait ps+prov':>15}{'plait/spin':>12}")
    texts = [p for p in _paths() if p.suffix in (".pml", ".prom", ".promela", ".pm")]
    ratios = [ratio for path in texts if (ratio := _beside_spin(path)) is not None]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{'geometric mean':<20}{mean:>48.2f}")


def _paths() -> list[Path]:
    """The protocols of `examples`, and whatever files are given."""
    given = os.environ.get("PLAIT_BENCH_MODELS", "")
    protocols = Path(__file__).parents[1] / "examples" / "protocols"
    return [*sorted(protocols.glob("*.pml")), *(Path(p) for p in given.split(os.pathsep) if p)]


def _models() -> list[tuple[str, Model]]:
    made = [("philosophers 8", philosophers(8)), ("queues 3x3", queues(3, 3))]
    return [*made, *((p.stem, load(p)) for p in _paths())]


def philosophers(count: int) -> Model:
    """The model of Godefroid's thesis: four local states, one boolean for each fork."""
    lines = ["gal philosophers {"]
    lines += [f"int pc{i} = 0; int f{i} = 0;" for i in range(count)]
    for i in range(count):
        left, right = f"f{i}", f"f{(i + 1) % count}"
        lines += [
            f"transition a{i} [pc{i} == 0 && {left} == 0] {{ pc{i} = 1; {left} = 1; }}",
            f"transition b{i} [pc{i} == 1 && {right} == 0] {{ pc{i} = 2; {right} = 1; }}",
            f"transition c{i} [pc{i} == 2] {{ pc{i} = 3; {left} = 0; }}",
            f"transition d{i} [pc{i} == 3] {{ pc{i} = 0; {right} = 0; }}",
        ]
    return parse("\n".join([*lines, "}"]), "philosophers")


def queues(pairs: int, capacity: int) -> Model:
    """Producers and consumers, each pair with a queue of its own."""
    lines = ["gal queues {", *(f"int n{i} = 0;" for i in range(pairs))]
    for i in range(pairs):
        lines.append(f"transition send{i} [n{i} < {capacity}] {{ n{i} = n{i} + 1; }}")
        lines.append(f"transition receive{i} [n{i} > 0] {{ n{i} = n{i} - 1; }}")
    return parse("\n".join([*lines, "}"]), "queues")


def _timed(model: Model, reduction: Reduction) -> tuple[StateSpace, float]:
    start = time.monotonic()
    found = states(model, reduction=reduction, budget=Budget(timeout=SECONDS))
    return found, time.monotonic() - start


def _table(name: str, model: Model) -> None:
    full: StateSpace | None = None
    for title, reduction in SEARCHES:
        found, seconds = _timed(model, reduction)
        full = full or found
        more = "" if found.complete else "+"
        share = 100 * _stored(found) / _stored(full)
        arcs = 100 * (found.arcs or 0) / max(1, full.arcs or 0)
        row = f"{name:<20}{title:<15}{_stored(found):>10,}{found.arcs or 0:>11,}"
        print(f"{row}{found.stats['matched']:>11,}{seconds:>9.2f}{share:>10.1f}{arcs:>8.1f}{more}")
        if found.complete and full.complete and found.deadlocks != full.deadlocks:
            raise SystemExit(f"{name}: {title} has {found.deadlocks} deadlocks")


def _cached(name: str, model: Model, title: str, reduction: Reduction) -> None:
    """A row: what smaller and smaller caches cost; a dash where one is too small, or time is up."""
    whole, _ = _timed(model, reduction)
    row = f"{name:<20}{title:<15}{_stored(whole):>10,}"
    for share in SHARES:
        method = Method(cache=max(1, _stored(whole) // share))
        found = states(model, reduction=reduction, method=method, budget=Budget(timeout=CACHED))
        steps = found.stats["executed"]
        assert isinstance(steps, int)
        done = found.complete or (found.reason or "").startswith("states were forgotten")
        row += f"{steps / max(1, whole.arcs or 0):>10.2f}" if done else f"{'-':>10}"
    print(row, flush=True)


def _curve(count: int) -> None:
    model = philosophers(count)
    plain, _ = _timed(model, Reduction("none"))
    both, _ = _timed(model, Reduction("ps+sleep", order="dfs"))
    second, _ = _timed(model, Reduction("ps+sleep", "overman", "dfs"))
    print(f"{count:>3}{plain.states:>12,}{both.states:>12,}{second.states:>16,}", flush=True)


def _cost(name: str, model: Model) -> None:
    plain, slow = _timed(model, Reduction("none"))
    reduced, fast = _timed(model, Reduction("ps"))
    most, least = _stored(plain), _stored(reduced)
    row = f"{name:<20}{most:>10,}{most / slow:>10,.0f}{least:>10,}"
    print(f"{row}{least / fast:>10,.0f}{fast / slow:>7.2f}", flush=True)


def _stored(space: StateSpace) -> int:
    """The states of a search that counts them."""
    return space.states or 0


def _beside_spin(path: Path) -> float | None:
    """Print a row; how many states are kept for one that SPIN keeps."""
    with tempfile.TemporaryDirectory() as folder:
        full, ours = _pan(path, folder, "-DNOREDUCE"), _pan(path, folder)
    found, _ = _timed(load(path), Reduction("ps+prov", order="dfs"))
    if full is None or ours is None:
        print(f"{path.stem:<20}  SPIN gives no number of states")
        return None
    more = "" if found.complete else "+"
    row = f"{path.stem:<20}{full:>11,}{ours:>10,}{_stored(found):>15,}"
    print(f"{row}{_stored(found) / ours:>12.2f}{more}", flush=True)
    return _stored(found) / ours if found.complete else None


def _pan(path: Path, folder: str, *flags: str) -> int | None:
    """The states that SPIN's verifier stores."""
    options = ["-DSAFETY", "-O2", "-w", *flags]
    commands = (
        ["spin", "-o1", "-o2", "-o3", "-a", str(path.resolve())],
        ["cc", *options, "-o", "pan", "pan.c"],
        ["./pan", "-E", "-c0", "-m3000000"],
    )
    text = ""
    for command in commands:
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return None
        text = done.stdout
    stored = re.search(r"(\d+) states, stored", text)
    return None if stored is None else int(stored[1])


if __name__ == "__main__":
    main()
