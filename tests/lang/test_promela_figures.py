"""The Promela texts at hand against what SPIN 6.5.2 said about them.

`spin_figures.csv` holds SPIN's own words: `spin -a -o1 -o2 -o3 MODEL`, the verifier compiled with
`-DNOREDUCE`; states, invalid end states, assertions and errors at run time by `-DSAFETY -DNOCLAIM`
and `pan -c0`, claims by `pan -a -N NAME`, cycles by `pan -a` and `pan -l`.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from plait import engines
from plait.engines.budget import Budget
from plait.lang.promela import load

with (Path(__file__).parent / "spin_figures.csv").open() as file:
    FIGURES = list(csv.DictReader(file))


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row["model"])
def test_spin_says_the_same(row: dict[str, str], data: Path) -> None:
    """covers: I136"""
    model = load(data / "promela" / row["model"])
    space = engines.states(model, budget=Budget(60.0, None))
    assert space.complete
    assert space.states == int(row["states"])
    answers = engines.check(model, model.properties, budget=Budget(60.0, None))
    wrong = {a.property.name for a in answers if a.verdict == "false"}
    assert all(a.verdict != "unknown" for a in answers)
    assert ("invalid end state" in wrong) == (row["invalid_end"] == "true")
    assert any(n.startswith("assertion") for n in wrong) == (row["assertion"] == "true")
    assert ("run-time error" in wrong) == (row["run_time_error"] == "true")
    found = {a.property.name: a.verdict for a in answers if a.property.kind == "ltl"}
    told = dict(claim.split("=") for claim in row["claims"].split())
    assert {n.replace(" ", "_"): v for n, v in found.items()} == told
