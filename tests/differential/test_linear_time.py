"""Random models and random LTL: the native product, reduced or not, and the reference (T3).

Every run that is found is replayed by the reference, which also evaluates the formula on it.
"""

from dataclasses import replace

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks, no_failures

from plait.engines.explicit.reduction import PERSISTENT
from plait.engines.symbolic.tuning import LTL_WAYS
from plait.logic.classify import is_stutter_invariant_syntactic
from plait.model.expr import Formula
from plait.model.types import Property
from plait.testing.hunt import Failure, hunt
from plait.testing.mix import CHANNELS, COMPOSITES, DEFAULT, NETS, Mix
from plait.testing.subjects import SUBJECTS
from plait.testing.tally import Tally

MIXES: tuple[Mix, ...] = tuple(
    replace(mix, properties=10, temporal=100) for mix in (DEFAULT, CHANNELS, NETS, COMPOSITES)
)
PLAIN = ("ltl", "ltl: compiled", "ltl: nested", "ltl: built first")


def is_ltl(p: Property) -> bool:
    return p.kind == "ltl"


def stutters(p: Property) -> bool:
    """An LTL property that cannot tell a state from its repetition."""
    body = p.body
    return is_ltl(p) and isinstance(body, Formula) and is_stutter_invariant_syntactic(body)


def unreduced(seeds: range, tally: Tally, limit: int) -> list[Failure]:
    found: list[Failure] = []
    for seed in seeds:
        mix = MIXES[seed % len(MIXES)]
        subjects = {name: SUBJECTS[name] for name in (PLAIN[0], PLAIN[1 + seed % 3])}
        found += hunt([seed], subjects, tally, mix=mix, limit=limit, asks=is_ltl)
    return found


def reduced(seeds: range, tally: Tally, limit: int) -> list[Failure]:
    found: list[Failure] = []
    for seed in seeds:
        mix = MIXES[seed % len(MIXES)]
        algorithms = (PERSISTENT[seed % len(PERSISTENT)], "nested")
        names = (f"ltl: ample sets, {algorithm}" for algorithm in algorithms)
        subjects = {name: SUBJECTS[name] for name in names}
        found += hunt([seed], subjects, tally, mix=mix, limit=limit, asks=stutters)
    return found


@blocks(40_000, 40, 20)
def test_the_product_with_an_automaton_agrees_with_the_reference(
    seeds: range, record_property: Record
) -> None:
    """covers: A7, A9, A12, A29, I59, P53"""
    tally = Tally()
    no_failures(unreduced(seeds, tally, 200), tally, record_property)
    assert tally["verdicts"] > 2 * len(seeds)
    assert min(tally["verdicts true"], tally["verdicts false"]) > len(seeds) // 4


def on_diagrams(seeds: range, tally: Tally, limit: int) -> list[Failure]:
    found: list[Failure] = []
    for seed in seeds:
        mix = MIXES[seed % len(MIXES)]
        ways = ("backward", LTL_WAYS[seed % len(LTL_WAYS)])
        subjects = {name: SUBJECTS[name] for name in {f"ltl: {way} on diagrams" for way in ways}}
        found += hunt([seed], subjects, tally, mix=mix, limit=limit, asks=stutters)
    return found


@blocks(45_000, 40, 20)
def test_diagrams_have_the_answers_of_the_reference_in_every_way(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(on_diagrams(seeds, tally, 100), tally, record_property)
    assert tally["verdicts"] > len(seeds)


@blocks(50_000, 40, 20)
def test_ample_sets_keep_the_verdicts_of_stutter_invariant_formulas(
    seeds: range, record_property: Record
) -> None:
    """covers: A31, A38, P57"""
    tally = Tally()
    no_failures(reduced(seeds, tally, 200), tally, record_property)
    assert tally["verdicts"] > len(seeds)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 5, 200)
def test_the_product_with_an_automaton_agrees_with_the_reference_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(unreduced(seeds, tally, 1000), tally, record_property)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 5, 200)
def test_ample_sets_keep_the_verdicts_of_stutter_invariant_formulas_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(reduced(seeds, tally, 1000), tally, record_property)
