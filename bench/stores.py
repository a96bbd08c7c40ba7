"""Stores and threads of the explicit engine: seconds on one and two threads, bytes a state.

Each run is a search of its own in this process, the best of three. `work` is the processor time of
two threads over that of one: what sharing costs; `speed-up` is the time on the clock of one over
that of two, which needs two processors that nobody else uses. Bytes are those of states, index and
tree at the end, over the states; a bitstate store has the size that it was given, so its line says
how many of the states it found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from bench.nets import fms, kanban, philosophers
from plait.engines import Budget, Method, Reduction, states
from plait.engines.budget import resident_memory
from plait.lang import load
from plait.model.types import Model
from plait.report.answer import StateSpace

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
REPEAT = 3
BITS = 8 * 2**20
"""Bytes of the bit array, about."""
DVE = ("production_cell.3", "iprotocol.3", "firewire_link.7")


def main() -> None:
    head = f"{'model':<16}{'states':>10}{'words':>6}  {'1 thread s':>10}{'2 threads':>10}"
    print(f"{head}{'speed-up':>9}{'work':>6}  bytes a state: {'exact':>6}{'tree':>7}", end="")
    print(f"{'hash-compact':>13}{'bitstate':>9}  found")
    for name, model in models():
        one, two = (best(model, Method(threads=n)) for n in (1, 2))
        exact = one[2]
        count = exact.states or 1
        bits = int(str(exact.stats["bits_per_state"]))
        row = f"{name:<16}{count:>10,}{-(-bits // 64):>6}  {one[0]:>10.2f}{two[0]:>10.2f}"
        row += f"{one[0] / two[0]:>9.2f}{two[1] / one[1]:>6.2f}  {'':<15}{_bytes(exact):>6.1f}"
        for store, width in (("tree", 7), ("hash-compact", 13)):
            space = states(model, engine="explicit", method=Method(threads=1, store=store))
            row += f"{_bytes(space):>{width}.1f}"
        budget = Budget(memory=resident_memory() + 2 * BITS)
        method = Method(store="bitstate", threads=1)
        space = states(model, method=method, budget=budget)
        row += f"{_bytes(space):>9.1f}  {(space.states or 0) / count:.4%}"
        print(row, flush=True)


def models() -> Iterator[tuple[str, Model]]:
    """The models that are measured, by name."""
    for net in (philosophers(10), kanban(5), fms(5)):
        yield net.name, net.model()
    for name in DVE:
        path = DATA / "beem-dve" / "dve" / f"{name}.dve"
        if path.exists():
            yield name, load(path)


def best(
    model: Model, method: Method, reduction: Reduction | None = None
) -> tuple[float, float, StateSpace]:
    """Seconds on the clock, seconds of processors, and what was found: the best of some runs."""
    runs = []
    for _ in range(REPEAT):
        start, used = time.monotonic(), time.process_time()
        space = states(model, engine="explicit", method=method, reduction=reduction or Reduction())
        runs.append((time.monotonic() - start, time.process_time() - used, space))
    return min(runs, key=lambda run: run[0])


def _bytes(space: StateSpace) -> float:
    return int(str(space.stats["store_bytes"])) / (space.states or 1)
