"""Reductions of Promela texts in which blocks wait for a rendezvous keep every deadlock."""

from __future__ import annotations

import random

import pytest
from tests.lang.random_promela import Texts

from plait.engines import Reduction, check, states
from plait.lang.promela import parse

CROSSED = """
chan c = [0] of { bit };
chan d = [0] of { bit };
active proctype A() { bit a; a = 1; if :: atomic { a == 1; c!1 } :: d?1 fi }
active proctype B() { bit b; if :: atomic { b == 0; d!1 } :: c?1 fi }
"""
"""B waits in the middle of its block before A can receive, and then A in the middle of its own.

To SPIN (6.5.2) the condition in front of a rendezvous is a local step, and the assignment to `a`
may as well come first: then one of them always receives, and its reduction misses the deadlock.
"""
PRESETS = ("sleep", "ps", "ps+sleep", "ps+prov", "ps+sleep+prov")
PLAIN = [3, 10, 14, 29, 30, 72, 110]
"""Seeds of texts without an endless block."""


@pytest.mark.parametrize("preset", PRESETS)
def test_blocks_that_wait_for_each_other_are_found(preset: str) -> None:
    model = parse(CROSSED, "crossed")
    for persistent in ("guards", "conditional", "overman"):
        reduction = Reduction(preset, persistent, order="dfs", check=True)
        answers = check(model, engine="explicit", reduction=reduction)
        assert [a.verdict for a in answers] == ["false"]


@pytest.mark.parametrize("seed", PLAIN)
def test_random_blocks_and_escapes_keep_their_deadlocks(seed: int) -> None:
    model = parse(Texts(random.Random(f"promela {seed}")).text(), "random")
    full = states(model, engine="explicit")
    for preset in PRESETS:
        reduced = states(
            model, engine="explicit", reduction=Reduction(preset, order="dfs", check=True)
        )
        assert reduced.deadlocks == full.deadlocks, preset
        assert reduced.states <= full.states
