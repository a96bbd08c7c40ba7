"""Larger Promela texts: as many states as SPIN 6.5.2 stores without reduction (`-o1 -o2 -o3`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from plait.engines import Method, check, states
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


SMALLER = {
    "LTL/leader.pml: N 5 3": 4_030,
    "life.pml: MAX 5 3": 6_288,
    "Exercises/ex_6.pml: MaxSeq 3 1": 16_078,
    "LTL/ltl_gen.pml: DEPTH_LIMIT 4 2": 41_818,
    "life.pml: MAX 5 4": 115_007,
    "LTL/leader.pml: N 5 4": 130_850,
    "LTL/leader_pre.pml: N 5 4": 130_850,
}
"""Texts that have tens of millions of states as they are, with a smaller constant."""


@pytest.mark.parametrize(
    "change",
    [
        change if stored < QUICK else pytest.param(change, marks=pytest.mark.soak)
        for change, stored in SMALLER.items()
    ],
)
def test_smaller_versions_have_as_many_states_as_spin_stores(change: str, data: Path) -> None:
    name, constant, value, other = change.replace(":", "").split()
    text = (data / "promela" / "spin" / name).read_text()
    written = f"#define {constant}\t{value}"
    assert written in text
    model = parse(text.replace(written, f"#define {constant}\t{other}"), "smaller")
    found = states(model, engine="explicit")
    assert (found.complete, found.states) == (True, SMALLER[change])


@pytest.mark.soak
def test_the_whole_file_transfer_protocol_with_one_user_has_as_many_states_as_spin_stores(
    data: Path, tmp_path: Path
) -> None:
    """Eight files; with both users there are more than two hundred million states."""
    for part in (data / "promela" / "spin" / "Book_1991").glob("App.F.*"):
        shutil.copy(part, tmp_path)
    protocol = tmp_path / "App.F.pftp.pml"
    both, one = "run userprc(0); run userprc(1);", "run userprc(0);"
    text = protocol.read_text()
    assert both in text
    protocol.write_text(text.replace(both, one))
    found = states(load(protocol), engine="explicit", method=Method(store="tree"))
    assert (found.complete, found.states, found.arcs) == (True, 12_264_525, 47_008_112)


def test_the_only_mistake_of_the_game_of_life_is_that_it_may_stop(data: Path) -> None:
    """Nested loops inside `d_step`, which become loops of machine code; 77 states as in SPIN."""
    text = (data / "promela" / "spin" / "life.pml").read_text().replace("MAX\t5", "MAX\t3")
    model = parse(text, "life")
    compiled = Method(threads=1, successors="compiled")
    assert states(model, engine="explicit", method=compiled).deadlocks == 77
    answers = check(model, engine="explicit")
    assert {a.property.name for a in answers if a.verdict == "false"} == {"invalid end state"}
