"""One core and two: the explicit searches that several threads can do, on the same models.

`speed-up` is the time on the clock of one thread over that of two: it needs two processors that
nobody else uses, so the load of the machine is printed first. `work` is the processor time of two
threads over that of one, which does not: twice the inverse of it is the speed-up to be had on idle
processors.
Both write into one index without locks; breadth-first search meets after each chunk and gives the
same numbers on any number of threads.
"""

from __future__ import annotations

import math
import os

from bench.stores import best, models
from plait.engines import Method, Reduction

SEARCHES = (("breadth-first", Reduction()), ("depth-first", Reduction(order="dfs")))


def main() -> None:
    """Print the table."""
    cores, load = os.cpu_count() or 1, os.getloadavg()[0]
    print(f"{cores} cores, load before the run {load:.1f}")
    print(f"{'model':<18}{'states':>10}  {'search':<14}{'one core s':>11}{'two s':>8}", end="")
    print(f"{'speed-up':>10}{'work':>7}")
    gains: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in SEARCHES}
    for title, model in models():
        for name, reduction in SEARCHES:
            one, two = (best(model, Method(threads=n), reduction) for n in (1, 2))
            if one[2].states != two[2].states:
                raise SystemExit(f"{title}: {one[2].states} states, {two[2].states} on two cores")
            gain, work = one[0] / two[0], two[1] / one[1]
            gains[name].append((gain, work))
            row = f"{title:<18}{one[2].states or 0:>10,}  {name:<14}{one[0]:>11.2f}{two[0]:>8.2f}"
            print(f"{row}{gain:>10.2f}{work:>7.2f}", flush=True)
    for name, found in gains.items():
        if found:
            gain, work = (_mean([pair[i] for pair in found]) for i in (0, 1))
            print(f"geometric mean, {name}: speed-up {gain:.2f}, work {work:.2f}")


def _mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))
