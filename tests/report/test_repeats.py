"""Steps of a trace that only repeat those before are one line."""

from random import Random

import pytest

import plait
from plait.report.answer import Step, Witness
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


def long_witness(loop: int | None) -> Witness:
    """A thousand steps that do not repeat."""
    return Witness((0,), tuple(Step(f"t{i * i}", (i,)) for i in range(1, 1001)), loop)


def test_of_a_very_long_trace_the_ends_are_shown() -> None:
    lines = long_witness(None).show().splitlines()
    assert len(lines) == 201
    assert lines[99].split() == ["99", "t9801"]
    assert lines[100] == "     ⋮  steps 100 to 900 are left out; --full shows them"
    assert lines[101].split() == ["901", "t811801"]
    assert lines[-1].split() == ["1000", "t1000000"]
    assert len(long_witness(None).show(full=True).splitlines()) == 1001


def test_where_a_long_lasso_comes_back_to_is_shown() -> None:
    lines = long_witness(500).show().splitlines()
    assert [line for line in lines if "left out" in line] == [
        "     ⋮  steps 100 to 499 are left out; --full shows them",
        "     ⋮  steps 501 to 900 are left out; --full shows them",
    ]
    assert "↻  500  t250000" in [line.rstrip() for line in lines]
