"""Random whole programs: engines and reductions against the reference, and Plait against SPIN.

Each program is put to some of the subjects of a hunt (`plait.testing`), others for each seed. Where
SPIN is installed, `make soak` asks it about other programs: states, assertions that fail, invalid
end states, acceptance and non-progress cycles, and claims.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from tests.lang.random_programs import Programs
from tests.lang.spin import AVAILABLE, Run, Spin

from plait.engines import Budget, check, states
from plait.errors import PlaitError
from plait.lang.promela import parse
from plait.model.types import Model
from plait.testing.hunt import compare
from plait.testing.subjects import SUBJECTS
from plait.testing.tally import Tally

SEEDS = range(16)
SOAK = 60
SHARD = 20
LIMIT = 20_000
GROUPS = [
    [n for n in SUBJECTS if n.startswith("reduction")],
    [n for n in SUBJECTS if n.startswith("ltl") and "tableau" not in n],
    [n for n in SUBJECTS if n.startswith(("explicit", "symbolic", "passes"))],
]
"""Subjects that answer what Promela asks (never claims have no tableau); some see each program."""


def text_of(seed: int) -> str:
    return Programs(random.Random(f"program {seed}")).text()


def differing(seed: int, tally: Tally) -> list[str]:
    """What the chosen subjects say otherwise than the reference, where that is soon done."""
    chance = random.Random(f"subjects {seed}")
    chosen = {n: SUBJECTS[n] for names in GROUPS for n in chance.sample(names, 2)}
    try:
        model = parse(text_of(seed), f"program {seed}")
    except PlaitError:
        return []  # refused
    found = compare(model, chosen, tally, seed=seed, limit=300, effort=20_000, shrinking=False)
    return [str(failure) for failure in found]


def test_engines_agree_with_the_reference_on_programs() -> None:
    tally = Tally()
    assert [line for seed in SEEDS for line in differing(seed, tally)] == []
    assert tally["models"] > len(SEEDS) // 3


@pytest.mark.soak
@pytest.mark.parametrize("shard", range(SOAK))
def test_engines_agree_with_the_reference_on_more_programs(shard: int) -> None:
    for seed in range(1000 + SHARD * shard, 1000 + SHARD * (shard + 1)):
        assert differing(seed, Tally()) == [], text_of(seed)


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="spin or gcc is not installed")
@pytest.mark.parametrize("shard", range(SOAK))
def test_spin_says_the_same_about_programs(shard: int, tmp_path: Path) -> None:
    compared = 0
    for seed in range(5000 + SHARD * shard, 5000 + SHARD * (shard + 1)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = tmp_path / "text.pml"
        path.write_text(text_of(seed))
        spin = Spin(path, folder)
        if spin.refused is None:
            try:
                model = parse(text_of(seed), "random")
                found = states(model, budget=Budget(states=LIMIT)) if model.properties else None
            except PlaitError:
                continue  # refused, or a block that never ends
            if found is not None and found.complete:
                compared += agrees(spin, model, found.states, text_of(seed))
    assert compared > SHARD // 4


def agrees(spin: Spin, model: Model, count: int | None, text: str) -> bool:
    """Whether SPIN could be asked; that it says the same is asserted."""
    try:
        safety = spin.safety()
    except AssertionError:
        return False  # what SPIN writes is no C
    if not safety.complete or "states, stored" not in safety.output:
        return False
    asked = {p.name: p for p in model.properties}
    answers = check(model, list(asked.values()), budget=Budget(states=20 * LIMIT))
    verdicts = {n: a.verdict for n, a in zip(asked, answers, strict=True)}
    failing = any(v == "false" for n, v in verdicts.items() if n.startswith("assertion"))
    assert safety.assertion == failing, text
    if failing or verdicts.get("run-time error") == "false" or safety.errors_but_ends:
        return True  # SPIN goes on where the system has stopped
    assert safety.states == count, text
    stuck = safety.has("invalid end state")
    assert stuck == (verdicts["invalid end state"] == "false"), text
    runs: dict[str, Run] = {}
    if "acceptance cycle" in verdicts:
        runs["acceptance cycle"] = spin.acceptance()
    if "non-progress cycle" in verdicts:
        runs["non-progress cycle"] = spin.progress()
    for name in re.findall(r"^ltl (\w+)", text, re.MULTILINE):
        runs[name] = spin.run("-a", "-E", "-N", name)
    if "never claim" in verdicts:
        runs["never claim"] = spin.run("-a", "-E")
    for name, run in runs.items():
        if verdicts[name] != "unknown" and (run.errors or run.complete):
            assert bool(run.errors) == (verdicts[name] == "false"), f"{name}\n{text}"
    return True
