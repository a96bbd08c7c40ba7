"""Persistent sets keep at most the states that SPIN's own reduction keeps on its examples.

SPIN 6.5.2, `-o1 -o2 -o3`, `-DSAFETY -DNOCLAIM`, as in `bench/results/reduction.md`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.engines import Reduction, states
from plait.lang.promela import load

STORED = {
    "hajek": 22_556,
    "leader0": 108,
    "manna_pnueli": 86,
    "peterson": 40,
    "Book_1991/p104.2": 1_579,
    "Book_1991/p117": 152,
    "Book_1991/p319": 2_066,
    "Exercises/ex_3c": 429,
}


@pytest.mark.parametrize(("name", "stored"), STORED.items())
def test_at_most_as_many_states_are_stored(name: str, stored: int, data: Path) -> None:
    model = load(data / "promela" / "spin" / f"{name}.pml")
    found = states(model, reduction=Reduction("ps+prov", order="dfs"))
    assert found.complete
    assert (found.states or 0) <= stored
