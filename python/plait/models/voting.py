"""Voters who vote once: n independent parts of two states.

The test of scalar sets in libITS (`voters`): 2^n states, of which the one where all have voted is a
deadlock. Nothing tells the voters apart, so every grouping of them is an equivalent encoding, and a
recursive one needs a number of nodes that is logarithmic in n.
"""

from __future__ import annotations

from plait.model.builder import Elementary, ScalarSet, any_call, system
from plait.model.net_builder import NetBuilder
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.questions import no_deadlock

VARIANTS = ("scalar", "flat")
LEAST, MOST = 1, 100_000


def voters(n: int = 10, variant: str = "scalar") -> Model:
    """Voters who vote once: a scalar set with 2^n states."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    return _scalar(n) if variant == "scalar" else _flat(n)


def _scalar(n: int) -> Model:
    voter = Elementary("voter")
    decided = voter.variable("decided")
    voter.event("decide", label="decide", when=decided == 0, do=decided.set(1))
    hall = ScalarSet("voters", element=voter, size=n)
    hall.event("vote", do=any_call("decide"))
    return system(hall, voter, properties=[no_deadlock()])


def _flat(n: int) -> Model:
    net = NetBuilder("voters")
    for i in range(n):
        undecided, decided = net.places(f"{{}}_{i}", undecided=1, decided=0)
        net.event(f"vote_{i}", [undecided], [decided])
        net.level(f"voter_{i}", [undecided, decided])
    return net.model([no_deadlock()])
