"""Random models: what the bounded engine answers is what the reference answers, and it does answer.

The solver works in this process here, which is faster for models of this size. What it does not
decide within the depth and the time stays unknown and is only counted.
"""

from collections import Counter

import pytest
from blocks import SOAK, SOAK_FIRST, blocks

from plait.engines.bounded import Bounded
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.safety import as_safety
from plait.errors import ModelError
from plait.model.types import Model, Property
from plait.testing.choices import Seeded
from plait.testing.findings import SAFETY, Findings, by_reference
from plait.testing.mix import CHANNELS, COMPOSITES, DEFAULT, NETS
from plait.testing.random_models import model

MIXES = (DEFAULT, CHANNELS, NETS, COMPOSITES)


def asked(made: Model) -> list[Property]:
    """Its safety properties, also those in temporal disguise."""
    found = (p if p.kind in SAFETY else as_safety(p) for p in made.properties)
    return [p for p in found if p is not None and p.kind in SAFETY]


def compare(made: Model, meant: Findings, depth: int, seconds: float, count: Counter[str]) -> None:
    """The engine on one model, against what the reference found of it."""
    properties = asked(made)
    engine = Bounded(made, Evidence(made), depth, alone=False)
    try:
        answers = engine.check(properties, Budget(seconds))
    except ModelError:
        assert meant.outcome == "wrong model"
        count["wrong models"] += 1
        return
    for p, answer in zip(properties, answers, strict=True):
        assert "internal error" not in (answer.reason or "")
        if answer.verdict == "unknown":
            count["unknown"] += 1
            continue
        count["runs" if answer.witness is not None else f"proofs by {answer.engine}"] += 1
        if answer.witness is None:
            # What is proved holds of all states, and there is no error in any of them.
            assert meant.outcome == "complete", (p.name, meant.message)
            if answer.engine == "k-induction" and answer.stats["k"]:
                count["deep proofs"] += 1
        else:
            assert answer.replayed
            if p.name in meant.distances:
                assert len(answer.witness.steps) == meant.distances[p.name], "it is a shortest run"
        if meant.outcome == "complete":
            assert answer.verdict == meant.verdicts[p.name], p.name


def hunted(seeds: range, depth: int, seconds: float, limit: int) -> Counter[str]:
    count: Counter[str] = Counter()
    for seed in seeds:
        made = model(Seeded(seed), MIXES[seed % len(MIXES)])
        meant = by_reference(made, limit)
        if meant.outcome not in ("too large", "limit"):
            compare(made, meant, depth, seconds, count)
    return count


@blocks(70_004, 12, 12)
def test_the_bounded_engine_gives_the_answers_of_the_reference(seeds: range) -> None:
    """covers: I141"""
    count = hunted(seeds, 3, 4.0, 150)
    assert count["runs"] >= 5, count
    assert count["proofs by k-induction"] >= 4, count


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 40, 100)
def test_the_bounded_engine_gives_the_answers_of_the_reference_at_length(seeds: range) -> None:
    count = hunted(seeds, 8, 5.0, 500)
    assert count["runs"] >= 30, count
    assert count["proofs by k-induction"] >= 30, count
    assert count["deep proofs"] >= 5, count
