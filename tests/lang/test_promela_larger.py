"""Larger Promela texts: as many states as SPIN 6.5.2 stores without reduction (`-o1 -o2 -o3`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.engines import check, states
from plait.lang.promela import load, parse

STORED = {
    "Book_1991/p117.pml": 354,
    "Book_1991/p329.pml": 90_840,
    "Book_1991/p330.pml": 90_840,
    "Book_1991/p337.pftp.ses.pml": 287_366,
    "Book_1991/p347.pftp.ses5.pml": 258_051,
    "LTL/bakery.pml": 6_196,
    "calculator.pml": 572,
    "cambridge.pml": 1_252_655,
    "hajek.pml": 116_087,
    "leader0.pml": 41_692,
    "leader_trace.pml": 41_692,
    "sort.pml": 659_683,
}
QUICK = 10_000


@pytest.mark.parametrize(
    "name",
    [
        name if stored < QUICK else pytest.param(name, marks=pytest.mark.soak)
        for name, stored in STORED.items()
    ],
)
def test_there_are_as_many_states_as_spin_stores(name: str, data: Path) -> None:
    found = states(load(data / "promela" / "spin" / name), engine="explicit")
    assert (found.complete, found.states) == (True, STORED[name])


@pytest.mark.parametrize(
    ("size", "stored", "stuck"),
    [(3, 6_288, 77), pytest.param(4, 115_007, 190, marks=[pytest.mark.soak])],
)
def test_a_small_game_of_life_has_as_many_states_as_spin_stores(
    size: int, stored: int, stuck: int, data: Path
) -> None:
    """Nested loops inside `d_step`; the board of the text itself has far more states."""
    text = (data / "promela" / "spin" / "life.pml").read_text().replace("MAX\t5", f"MAX\t{size}")
    model = parse(text, f"life_{size}")
    found = states(model, engine="explicit")
    assert (found.complete, found.states, found.deadlocks) == (True, stored, stuck)
    answers = check(model, engine="explicit")
    assert {a.property.name for a in answers if a.verdict == "false"} == {"invalid end state"}
