"""Equivalent rewrites of a model have the same states, arcs and answers (T24)."""

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks, no_failures

from plait.model.validate import check
from plait.testing.choices import Seeded
from plait.testing.findings import differences
from plait.testing.hunt import count, text
from plait.testing.mix import DEFAULT
from plait.testing.random_models import model
from plait.testing.rewrites import REWRITES
from plait.testing.subjects import explicit
from plait.testing.tally import Tally


def pairs(seeds: range, tally: Tally) -> list[str]:
    failures = []
    for seed in seeds:
        made = model(Seeded(seed), DEFAULT)
        expected = explicit(made, 500)
        count(tally, made, expected)
        if expected.outcome == "too large":
            continue
        for rewriting in REWRITES:
            other = rewriting(made)
            check(other)
            got = explicit(other, 500)
            got.witnesses.clear()
            tally["pairs"] += 1
            found = differences(made, expected, got)
            if found:
                head = f"seed {seed}, {rewriting.__name__}: {'; '.join(found)}"
                failures.append(f"{head}\n{text(made)}\n-- and --\n{text(other)}")
    return failures


@blocks(40_000, 120, 40)
def test_equivalent_models_have_the_same_states_and_answers(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    failures = pairs(seeds, tally)
    no_failures(failures[:3], tally, record_property)
    assert tally["pairs"] > 5 * len(seeds)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 10, 200)
def test_equivalent_models_have_the_same_states_and_answers_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(pairs(seeds, tally)[:3], tally, record_property)
