"""Random models searched in every way that must not matter: figures, verdicts, shortest traces."""

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks, no_failures

from plait.testing.hunt import hunt
from plait.testing.mix import CHANNELS, COMPOSITES, DEFAULT, NETS, Mix
from plait.testing.subjects import METHODS, SUBJECTS, searchable
from plait.testing.tally import Tally

SEARCHES = {name: SUBJECTS[name] for m in METHODS if (name := f"explicit: {m}")}
MIXES: tuple[Mix, ...] = (DEFAULT, CHANNELS, NETS, COMPOSITES)


def hunted(seeds: range, tally: Tally, limit: int) -> list[object]:
    found: list[object] = []
    for seed in seeds:
        mix = MIXES[seed % len(MIXES)]
        found += hunt([seed], SEARCHES, tally, mix=mix, limit=limit, asks=searchable)
    return found


@blocks(40_000, 100, 20)
def test_every_way_to_search_gives_the_answers_of_the_reference(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(hunted(seeds, tally, 150), tally, record_property)
    assert tally["models explored"] > len(seeds) // 3


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 5, 200)
def test_every_way_to_search_gives_the_answers_of_the_reference_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(hunted(seeds, tally, 1000), tally, record_property)
