"""Reductions of Promela texts in which blocks wait for a rendezvous keep every deadlock."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.lang.random_promela import Texts

from plait.engines import Reduction, check, states
from plait.lang.promela import load, parse
from plait.model.expr import Compare, Const, Var
from plait.model.stmt import Assign
from plait.passes import flat
from plait.passes.rewritten import flat_type

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
ENGINES = ("reference", "explicit")
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


STORED = {"needham.1": 772, "needham.2": 34_065, "public_subscribe.1": 908}
"""States that SPIN (6.5.2) stores with its reduction, `-o1 -o2 -o3`."""


@pytest.mark.parametrize("name", STORED)
def test_where_blocks_wait_no_more_states_are_kept_than_by_spin(name: str, data: Path) -> None:
    model = load(data / "promela" / "beem-its" / f"{name}.pml")
    full = states(model, engine="explicit")
    reduced = states(model, engine="explicit", reduction=Reduction("ps+prov", order="dfs"))
    assert reduced.deadlocks == full.deadlocks
    assert (reduced.states or 0) <= STORED[name]


WAITING = """
chan c = [0] of { bit };
byte done;
active [2] proctype Client() { atomic { done < 2; c!1; done++ } }
active proctype Server() { byte n; do :: n == 1 -> n = 0 :: atomic { c?1; n = 1 } od }
"""


def test_a_block_that_waits_is_an_event_apart_from_the_same_block_that_does_not() -> None:
    events = flat_type(flat(parse(WAITING, "waiting")).model).events
    begins = [e for e in events if e.title == "Client_0:4"]
    ready = [Compare("==", Var("Server_2._pc"), Const(1)) in e.guard for e in begins]
    stored = [{s.target.name for s in e.body if isinstance(s, Assign)} for e in begins]
    assert sorted(ready) == [False, True]
    assert stored[ready.index(False)] == {"Client_0._pc"}
    assert {"Client_0._pc", "Server_2.n"} <= stored[ready.index(True)]


ALIKE = """
chan c = [0] of { bit };
byte done;
active [2] proctype Client() { atomic { done < 2; c!1; done++ } }
active [2] proctype Server() { do :: atomic { c?1; skip } od }
"""


def test_partners_that_are_left_as_they_were_give_no_second_successor() -> None:
    model = parse(ALIKE, "alike")
    figures = [(s.states, s.arcs, s.deadlocks) for s in (states(model, engine=e) for e in ENGINES)]
    assert figures[0] == figures[1]


MOVED = ALIKE.replace("c?1; skip", "c?1; done = done").replace("do ::", "").replace(" od", "")


def test_partners_that_move_are_events_apart() -> None:
    events = flat_type(flat(parse(MOVED, "moved")).model).events
    begins = [e for e in events if e.title == "Client_0:4"]
    moved = [
        {s.target.name for s in e.body if isinstance(s, Assign)} & {"Server_2._pc", "Server_3._pc"}
        for e in begins
    ]
    assert sorted(map(sorted, moved)) == [[], ["Server_2._pc"], ["Server_3._pc"]]


def test_a_block_waits_for_each_of_its_partners_by_a_guard_of_its_own() -> None:
    events = flat_type(flat(parse(MOVED, "moved")).model).events
    waiting = next(e for e in events if e.title == "Client_0:4" and len(e.body) == 1)
    for server in ("Server_2._pc", "Server_3._pc"):
        assert Compare("!=", Var(server), Const(1)) in waiting.guard
