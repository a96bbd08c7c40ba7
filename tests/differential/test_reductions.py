"""Random models under every reduction: deadlocks, verdicts, traces as the reference has them (T3).

Each model is put to three of the presets, in turn, with the independences that they rely on tested
in every state (T4).
"""

import pytest
from blocks import SOAK, SOAK_FIRST, Record, blocks, no_failures

from plait.testing.hunt import Failure, hunt
from plait.testing.mix import CHANNELS, COMPOSITES, DEFAULT, NETS, Mix
from plait.testing.subjects import SUBJECTS, searchable
from plait.testing.tally import Tally

REDUCED = [name for name in SUBJECTS if name.startswith("reduction")]
MIXES: tuple[Mix, ...] = (CHANNELS, DEFAULT, NETS, CHANNELS, COMPOSITES)


def hunted(seeds: range, tally: Tally, limit: int) -> list[Failure]:
    found: list[Failure] = []
    for seed in seeds:
        names = [REDUCED[(seed + step) % len(REDUCED)] for step in (0, 17, 31)]
        subjects = {name: SUBJECTS[name] for name in names}
        mix = MIXES[seed % len(MIXES)]
        found += hunt([seed], subjects, tally, mix=mix, limit=limit, asks=searchable)
    return found


@blocks(20_000, 120, 20)
def test_every_reduction_gives_the_verdicts_of_the_reference(
    seeds: range, record_property: Record
) -> None:
    """covers: P30, P33, P45, P46"""
    tally = Tally()
    no_failures(hunted(seeds, tally, 150), tally, record_property)
    assert tally["models explored"] > len(seeds) // 3


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 2, 200)
def test_every_reduction_gives_the_verdicts_of_the_reference_at_length(
    seeds: range, record_property: Record
) -> None:
    tally = Tally()
    no_failures(hunted(seeds, tally, 1000), tally, record_property)
