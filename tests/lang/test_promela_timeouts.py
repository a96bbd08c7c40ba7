"""`timeout`: which events wait for all others, and that reductions keep what they lead to."""

import pytest

from plait.engines import Reduction, check, states
from plait.lang.promela import parse
from plait.model.node import nodes
from plait.model.types import ElementaryType
from plait.passes import flat

LOSING = """
chan q = [2] of { byte };
byte sent, got;
active proctype sender() {
    do :: sent < 2 -> q!sent; sent++ :: timeout && sent == 2 && got < 2 -> q!1 od
}
active proctype channel() { byte m; do :: q?m :: atomic { q?m -> got++; assert(got < 4) } od }
active proctype other() { do :: timeout -> got++ :: got > 3 -> break od }
"""


def idle(text: str) -> list[str]:
    type_ = parse(text, "timeouts").system
    assert isinstance(type_, ElementaryType)
    return [e.title for e in type_.events if e.idle]


def test_events_that_require_a_timeout_are_marked() -> None:
    assert idle(LOSING) == ["sender_0:5#2", "other_2:8"]


@pytest.mark.parametrize(
    "guard", ["timeout || got == 1", "!timeout", "(got == 1 || (timeout && sent == 2))"]
)
def test_nothing_is_marked_when_a_timeout_is_not_a_requirement(guard: str) -> None:
    """An event that may be possible beside a timeout would not be one that all wait for."""
    assert idle(LOSING.replace(":: timeout -> got++", f":: {guard} -> got++")) == []


@pytest.mark.parametrize("preset", ["sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov"])
@pytest.mark.parametrize("guard", ["timeout", "timeout && sent == 1", "timeout || got == 1"])
def test_reductions_keep_deadlocks_and_verdicts_with_timeouts(preset: str, guard: str) -> None:
    """covers: P8"""
    model = parse(LOSING.replace(":: timeout -> got++", f":: {guard} -> got++"), "timeouts")
    full = states(model, engine="reference")
    for persistent in ("guards", "conditional", "overman"):
        reduction = Reduction(preset, persistent, order="dfs", check=True)
        assert states(model, engine="explicit", reduction=reduction).deadlocks == full.deadlocks
    expected = [a.verdict for a in check(model, engine="reference")]
    assert [a.verdict for a in check(model, engine="explicit", reduction=reduction)] == expected


WAITING = """
chan q = [2] of {{ byte }};
byte got;
active [4] proctype sender() {{ byte n; do :: q!n -> n++ :: q?n -> n = 0 od }}
active proctype waiter() {{ do {options} od }}
"""


def size(waits: int) -> int:
    """How many nodes the guards of the flat model have, shared ones counted once."""
    options = " ".join(f":: timeout && got == {i} -> got = {i + 1}" for i in range(waits))
    model = flat(parse(WAITING.format(options=options), "waiting")).model.system
    assert isinstance(model, ElementaryType)
    return len({id(n) for e in model.events for g in e.guard for n in nodes(g)})


def test_events_that_wait_for_all_others_share_what_they_wait_for() -> None:
    """It is as long as the text, and no pass makes a copy of it for each event."""
    assert (size(12) - size(6)) // 6 < size(1) // 8
