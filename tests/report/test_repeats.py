"""Steps of a trace that only repeat those before are one line."""

from random import Random

import pytest

import plait
from plait.report.repeats import LEAST, repeats

COUNTER = """
gal counter {
    int x = 0; int phase = 0;
    transition tick [phase == 0] { phase = 1; }
    transition tock [phase == 1] { phase = 0; x = (x + 1) % 20; }
}
"""


def test_a_loop_that_counts_is_shown_once_with_what_the_other_rounds_change() -> None:
    answer = plait.parse(COUNTER).check("never: x == 19")
    assert answer.witness is not None
    assert len(answer.witness.steps) == 38
    assert answer.witness.show().splitlines() == [
        "   0  initial state",
        "   1  tick           line 4  phase: 0 → 1",
        "   2  tock           line 5  x: 0 → 1, phase: 1 → 0",
        "   ⋮  these 2 steps 18 times more: x: 1 → 19",
    ]


def test_whole_states_are_shown_of_every_step() -> None:
    answer = plait.parse(COUNTER).check("never: x == 19")
    assert answer.witness is not None
    assert len(answer.witness.show(full=True).splitlines()) == 39


def test_the_state_that_a_lasso_comes_back_to_has_its_line() -> None:
    answer = plait.parse(COUNTER).check("F (x == 30)")
    assert answer.witness is not None
    lines = answer.witness.show().splitlines()
    loop = answer.witness.loop
    assert [line for line in lines if line.startswith(f"↻ {loop:>2}")]
    assert lines[-1] == f"↻ the same state as {loop}: this repeats for ever"
    assert len(lines) < 12


@pytest.mark.parametrize("seed", range(200))
def test_what_is_left_out_is_what_stands_before_it(seed: int) -> None:
    rng = Random(seed)
    parts = [
        ([rng.randrange(3) for _ in range(rng.randrange(5))], rng.randrange(1, 13))
        for _ in range(rng.randrange(6))
    ]
    items = [item for part, times in parts for item in part * times]
    at = 0
    for r in repeats(items):
        assert at + r.period <= r.start
        assert r.period * r.times >= LEAST
        assert items[r.start : r.end] == items[r.start - r.period : r.start] * r.times
        at = r.end
    assert at <= len(items)


def test_a_few_steps_alike_are_not_worth_a_line() -> None:
    assert repeats("ababab") == []
    assert repeats("abcdefghijklmnopqrstuvwxyz") == []
