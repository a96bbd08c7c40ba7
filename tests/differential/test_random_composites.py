"""Random models with parts: every hierarchical encoding agrees with the reference."""

from blocks import Record, blocks, no_failures

from plait.engines.symbolic.tuning import Tuning
from plait.testing.hunt import hunt
from plait.testing.mix import COMPOSITES
from plait.testing.subjects import GROUPINGS, SUBJECTS, hierarchical
from plait.testing.tally import Tally

KEPT = {name: s for name, s in SUBJECTS.items() if name.startswith("hierarchy")}
STRICT = {str(g): hierarchical(g, Tuning(strategy="rounds", strict=1)) for g in GROUPINGS}
"""What is found and not yet joined must survive every collection."""
GROUPED = {name: s for name, s in SUBJECTS.items() if name.startswith("grouping")}


@blocks(500_000, 90, 30)
def test_diagrams_that_keep_the_hierarchy_agree_with_the_reference(
    seeds: range, record_property: Record
) -> None:
    """covers: I79, I80, I84, I86"""
    tally = Tally()
    failures = list(hunt(seeds, KEPT, tally, mix=COMPOSITES, asks=lambda p: False))
    no_failures(failures, tally, record_property)


@blocks(505_000, 90, 45)
def test_what_is_found_in_rounds_survives_every_collection(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    failures = list(hunt(seeds, STRICT, tally, mix=COMPOSITES, asks=lambda p: False))
    no_failures(failures, tally, record_property)
    assert tally["models"] >= 0.5 * len(seeds)


@blocks(510_000, 24, 24)
def test_a_grouped_set_means_what_the_set_means(seeds: range, record_property: Record) -> None:
    tally = Tally()
    failures = list(hunt(seeds, GROUPED, tally, mix=COMPOSITES, asks=lambda p: False))
    no_failures(failures, tally, record_property)
