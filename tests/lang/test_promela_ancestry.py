"""Processes that run processes: which numbers they can have, where nothing is run in a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.engines import states
from plait.engines.budget import Budget
from plait.engines.prepared import prepare
from plait.errors import LimitReached
from plait.lang.promela import load, parse
from plait.model.types import ElementaryType, Model

FAMILY = """
byte seen;
proctype leaf() { seen = _pid }
proctype left() { atomic { run leaf(); run leaf() } }
proctype right() { run leaf() }
active proctype root() { atomic { run left(); run right() } }
active proctype other() { do :: seen > 0 -> seen = 0 od }
"""


def processes(model: Model) -> list[str]:
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    return [p.name for p in type_.processes]


def test_numbers_follow_from_who_runs_whom() -> None:
    """The two that `left` runs come one after the other; `other` never ends and has number 1."""
    numbers = processes(parse(FAMILY))
    assert numbers == [
        *("root_0", "other_1", "left_2", "right_3", "leaf_3"),
        *("leaf_4", "leaf_5", "leaf_6"),
    ]


def test_there_are_as_many_states_as_spin_stores() -> None:
    assert states(parse(FAMILY), engine="explicit").states == 156


def test_what_is_run_in_a_loop_may_have_any_number() -> None:
    looping = FAMILY.replace("run leaf() }\nactive", "do :: run leaf() od }\nactive")
    assert "leaf_11" in processes(parse(looping))


def test_a_process_that_may_be_stopped_in_a_block_gives_no_certainty() -> None:
    """What is run next does not have the next number when others may run something meanwhile."""
    stopped = FAMILY.replace("proctype left()", "proctype left() provided (seen == 0)")
    assert "leaf_9" in processes(parse(stopped))


def test_the_processes_of_recursion_have_any_number() -> None:
    text = "proctype p(byte n) { if :: n > 0 -> run p(n - 1) :: else fi } init { run p(2) }"
    assert len(processes(parse(text))) > 12


@pytest.mark.soak
def test_channels_are_sent_through_channels_as_spin_does_it(data: Path) -> None:
    """SPIN 6.5.2 stores as many states without reduction (`-o1 -o2 -o3`)."""
    model = load(data / "promela" / "spin" / "LTL" / "mobile1.pml")
    assert states(model, engine="explicit").states == 32_668


def test_making_a_model_ready_looks_at_the_budget(data: Path) -> None:
    """It has thousands of meetings; with no time at all it is given up at once."""
    model = load(data / "promela" / "spin" / "LTL" / "mobile1.pml")
    with pytest.raises(LimitReached, match="timeout"):
        prepare(model, (), Budget(timeout=0.0))
    for engine in ("auto", "explicit", "symbolic"):
        space = states(model, engine=engine, budget=Budget(timeout=0.0))
        assert (space.complete, space.reason) == (False, "timeout")
