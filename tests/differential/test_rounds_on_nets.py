"""Sets that are closed in rounds, also inside a constraint: nets against the reference."""

from dataclasses import replace

from blocks import Record, blocks, no_failures

from plait.engines.symbolic.tuning import CTL_WAYS, Tuning
from plait.model.types import Property
from plait.testing.hunt import hunt
from plait.testing.mix import NETS
from plait.testing.subjects import on_diagrams, searchable
from plait.testing.tally import Tally

WAYS = {
    f"{way}, levels {merge}": on_diagrams(Tuning(strategy="rounds", ctl=way, merge=merge))
    for way in CTL_WAYS
    for merge in ("auto", "none")
}
"""Each event of a net with a level for each cell spans many of them."""
STRICT = {"strict": on_diagrams(Tuning(strategy="rounds", strict=1))}
"""What is found and not yet joined must survive every collection."""


def is_ctl(p: Property) -> bool:
    return p.kind == "ctl"


@blocks(90_000, 160, 40)
def test_ctl_in_rounds_has_the_verdicts_of_the_reference(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    mix = replace(NETS, properties=8, temporal=90)
    failures = list(hunt(seeds, WAYS, tally, mix=mix, asks=is_ctl, limit=300))
    no_failures(failures, tally, record_property)
    assert tally["verdicts"] >= len(seeds)


@blocks(91_000, 200, 100)
def test_states_found_in_rounds_are_those_of_the_reference(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    failures = list(hunt(seeds, STRICT, tally, mix=NETS, asks=searchable, limit=1000))
    no_failures(failures, tally, record_property)
    assert tally["models"] >= 0.5 * len(seeds)
