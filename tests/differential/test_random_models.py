"""Random models on which the native engines, the passes and the reference must agree (T1, T6)."""

from dataclasses import replace

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks, no_failures

from plait.model.types import Property
from plait.testing.hunt import hunt
from plait.testing.mix import DEFAULT, SMALL
from plait.testing.subjects import SUBJECTS, searchable
from plait.testing.tally import Tally

MANY_QUESTIONS = replace(DEFAULT, properties=14, temporal=15)
ENGINES = {name: SUBJECTS[name] for name in ("explicit", "symbolic", "symbolic: rounds")}
CTL = {n: s for n, s in SUBJECTS.items() if n.startswith(("symbolic", "ctl"))}
LONG = 200_000
"""Statements that the reference executes at most for one model of the soak."""
PASSES = {name: subject for name, subject in SUBJECTS.items() if name.startswith("passes")}


@blocks(0, 1200, 120)
def test_the_native_engines_agree_with_the_reference(seeds: range, record_property: Record) -> None:
    """States, arcs, deadlocks, greatest values, verdicts, bounds; traces shortest and replayed."""
    tally = Tally()
    failures = list(hunt(seeds, ENGINES, tally, mix=MANY_QUESTIONS, asks=searchable, limit=300))
    no_failures(failures, tally, record_property)
    varied(tally)


@blocks(20_000, 120, 40)
def test_every_way_to_ctl_agrees_with_the_reference(seeds: range, record_property: Record) -> None:
    """Local, backward, forward, by saturation, with cycles looked for: the verdicts are the same.

    covers: S72, S75, I52, I53, M50
    """
    tally = Tally()
    mix = replace(DEFAULT, properties=8, temporal=90)
    failures = list(hunt(seeds, CTL, tally, mix=mix, asks=is_ctl))
    no_failures(failures, tally, record_property)
    assert tally["verdicts"] >= len(seeds)


def is_ctl(p: Property) -> bool:
    return p.kind == "ctl"


@blocks(10_000, 240, 40)
def test_every_pass_keeps_what_a_model_means(seeds: range, record_property: Record) -> None:
    """The same states, arcs and verdicts after each pass, CTL and LTL included."""
    tally = Tally()
    no_failures(list(hunt(seeds, PASSES, tally, mix=SMALL, limit=200)), tally, record_property)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK, 500)
def test_the_native_engines_agree_with_the_reference_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    found = hunt(
        seeds, ENGINES, tally, mix=MANY_QUESTIONS, limit=2000, effort=LONG, asks=searchable
    )
    failures = list(found)
    no_failures(failures, tally, record_property)
    varied(tally)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 10, 200)
def test_every_pass_keeps_what_a_model_means_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(list(hunt(seeds, PASSES, tally, limit=500)), tally, record_property)


def varied(tally: Tally) -> None:
    """A block that compares little, or always the same, is a broken test, not a passed one."""
    assert tally["models"] >= 0.8 * (tally["models"] + tally["models too large"])
    assert tally.share("states over 50", "models explored") >= 0.15
    assert tally.share("models with a deadlock", "models explored") >= 0.05
    assert tally.share("verdicts true", "verdicts") >= 0.25
    assert tally.share("verdicts false", "verdicts") >= 0.25
    assert tally["models gone wrong"] <= 0.15 * tally["models"]
    assert tally["traces replayed"] > tally["models"]
