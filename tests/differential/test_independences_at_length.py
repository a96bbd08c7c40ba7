"""T4: ten million claims of independence, each executed in both orders on a state that was met."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.engines import Budget, Reduction, states
from plait.errors import InputError
from plait.lang import load

CLAIMS = 10**7


def claims(paths: list[Path], enough: int) -> int:
    """Claims tested on these models, up to about so many; a violated one raises."""
    count = 0
    reduction = Reduction("sleep", order="dfs", check=True)
    budget = Budget(timeout=300, states=300_000)
    for path in paths:
        try:
            model = load(path)
        except InputError:
            continue  # a text that is not read
        space = states(model, engine="explicit", reduction=reduction, budget=budget)
        count += int(str(space.stats["tested_independences"]))
        if count >= enough:
            break
    return count


def test_claims_of_a_protocol_hold_on_every_state(data: Path) -> None:
    assert claims([data / "promela" / "spin" / "LTL" / "salesman1.pml"], 1) > 1000


@pytest.mark.soak
def test_ten_million_claims_hold(data: Path) -> None:
    paths = [*(data / "beem-dve").rglob("*.dve"), *(data / "promela").rglob("*.pml")]
    assert claims(sorted(paths), CLAIMS) >= CLAIMS
