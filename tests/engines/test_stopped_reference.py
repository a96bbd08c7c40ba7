"""The reference asked for more states than it may have: it says how many it saw."""

import pytest

from plait.engines import states
from plait.engines.budget import Budget
from plait.lang.gal import parse

ENDLESS = "gal endless { int x = 0; transition up [true] { x = x + 1; } }"


@pytest.mark.parametrize("limit", [1, 7, 300])
def test_a_limit_on_states_tells_how_many_were_seen(limit: int) -> None:
    space = states(parse(ENDLESS, "endless"), engine="reference", budget=Budget(states=limit))
    assert (space.complete, space.reason) == (False, f"more than {limit} states")
    assert space.states == limit


def test_what_was_seen_when_the_time_is_over_counts() -> None:
    space = states(parse(ENDLESS, "endless"), engine="reference", budget=Budget(timeout=0.3))
    assert (space.complete, space.reason) == (False, "timeout")
    assert space.states > 1
