"""Random texts with `unless`, rendezvous, `else`, blocks and `timeout`, held against SPIN.

The figures were written down from `spin -a -o1 -o2 -o3`, the verifier compiled with `-DNOREDUCE
-DSAFETY` and run with `-c0`; where SPIN is installed, `make soak` asks it about texts that are not
written down.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.lang.random_promela import Texts
from tests.lang.spin import AVAILABLE, Spin

from plait.engines import Budget, check, states
from plait.errors import PlaitError
from plait.lang.promela import parse

FIGURES: dict[int, tuple[int, bool]] = {
    3: (110, True),
    4: (28, False),
    5: (24, True),
    10: (96, True),
    13: (205, True),
    14: (24, True),
    28: (30, True),
    29: (54, True),
    30: (92, False),
    32: (46, True),
    33: (108, True),
    38: (12, True),
    51: (30, True),
    55: (176, True),
    57: (74, False),
    61: (30, True),
    70: (95, True),
    72: (107, True),
    74: (35, True),
    75: (36, True),
    76: (38, True),
    86: (21, True),
    90: (93, True),
    95: (50, True),
    98: (63, True),
    102: (21, True),
    104: (24, False),
    106: (53, True),
    107: (50, True),
    108: (42, True),
    110: (62, False),
    114: (44, False),
    3074: (19, True),
    4071: (17, True),
    5045: (136, True),
}
"""By the seed of a text SPIN's number of states, and whether it finds an invalid end state."""
SOAK = 40


def text_of(seed: int) -> str:
    return Texts(random.Random(f"promela {seed}")).text()


@pytest.mark.parametrize("first", range(0, len(FIGURES), 10))
def test_texts_with_escapes_have_the_states_of_spin(first: int) -> None:
    for seed, (count, stuck) in list(FIGURES.items())[first : first + 10]:
        model = parse(text_of(seed), "random")
        assert states(model, engine="explicit").states == count, seed
        ends = [p for p in model.properties if p.name == "invalid end state"]
        assert [a.verdict == "false" for a in check(model, ends, engine="explicit")] == [stuck], (
            seed
        )


def test_the_reference_follows_escapes_by_rendezvous() -> None:
    """The channel of a receiver alone is part of the model, not of the engine."""
    for seed in list(FIGURES)[:5]:
        model = parse(text_of(seed), "random")
        assert states(model, engine="reference").states == FIGURES[seed][0], seed


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="spin or gcc is not installed")
@pytest.mark.parametrize("shard", range(SOAK))
def test_spin_counts_the_same_states_of_new_texts(shard: int, tmp_path: Path) -> None:
    path = tmp_path / "text.pml"
    compared = 0
    for seed in range(10_000 + 40 * shard, 10_040 + 40 * shard):
        path.write_text(text_of(seed))
        try:
            found = states(parse(text_of(seed), "random"), budget=Budget(states=20_000))
        except PlaitError:
            continue  # refused, or a block that never ends
        folder = tmp_path / str(seed)
        folder.mkdir()
        spin = Spin(path, folder)
        if spin.refused is None and found.complete:
            run = spin.safety()
            if run.complete and "states, stored" in run.output:
                assert run.states == found.states, text_of(seed)
                compared += 1
    assert compared > 10
