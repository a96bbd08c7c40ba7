"""Random processes with atomic blocks: the native engines, plain and reduced, and the reference."""

import pytest

from plait.engines import Reduction, states
from plait.errors import ModelError
from plait.testing.choices import Seeded
from plait.testing.random_blocks import blocks

REDUCTIONS = (
    Reduction("sleep", order="dfs", check=True),
    Reduction("ps", order="bfs", persistent="conditional", check=True),
    Reduction("ps", order="dfs", persistent="weak", check=True),
    Reduction("ps+sleep", order="dfs", check=True),
    Reduction("ps+sleep+prov", order="dfs", persistent="deletion", check=True),
)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_engines_and_reductions_agree_on_atomic_blocks(first: int) -> None:
    compared = reduced = 0
    for seed in range(first, first + 20):
        model = blocks(Seeded(seed))
        try:
            expected = states(model, engine="reference")
        except ModelError:
            continue
        figures = (expected.states, expected.arcs, expected.deadlocks)
        for engine in ("explicit", "symbolic"):
            found = states(model, engine=engine)
            assert (found.states, found.arcs, found.deadlocks) == figures
        for reduction in REDUCTIONS:
            less = states(model, engine="explicit", reduction=reduction)
            assert less.deadlocks == expected.deadlocks
            assert (less.states or 0) <= (expected.states or 0)
            reduced += (less.states or 0) < (expected.states or 0)
        compared += 1
    assert compared >= 10
    assert reduced >= 3
