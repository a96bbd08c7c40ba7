"""The dining philosophers of the Model Checking Contest.

Model Checking Contest, model `Philosophers` (`Philosophers-PT-000005` is this net with five).
Unlike those of `plait.models.dining` they do not sit down before they reach for a fork. Philosopher
i sits between the forks i and j = i + 1:

    FF1a: Think + Fork -> Catch1           FF1b: Think + Fork_j -> Catch2
    FF2a: Catch1 + Fork_j -> Eat           FF2b: Catch2 + Fork -> Eat
    End:  Eat -> Think + Fork + Fork_j

3^n states, since each fork is free or with one of its neighbours; two deadlocks from two
philosophers on. One philosopher a level.
"""

from __future__ import annotations

from plait.model.builder import Elementary, ScalarSet, next_call, system
from plait.model.net_builder import NetBuilder
from plait.model.types import Model
from plait.models.arguments import check_size, check_variant
from plait.models.questions import no_deadlock

VARIANTS = ("flat", "circular")
LEAST, MOST = 2, 100_000


def contest_philosophers(n: int = 5, variant: str = "flat") -> Model:
    """The dining philosophers of the Model Checking Contest, with 3^n states."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    return _flat(n) if variant == "flat" else _circular(n)


def _flat(n: int) -> Model:
    net = NetBuilder("contest_philosophers")
    seats = [
        net.places(f"{{}}_{i}", Think=1, Catch1=0, Catch2=0, Eat=0, Fork=1) for i in range(1, n + 1)
    ]
    for i, (think, catch1, catch2, eat, fork) in enumerate(seats):
        other = seats[(i + 1) % n][-1]
        name = i + 1
        net.event(f"FF1a_{name}", [think, fork], [catch1])
        net.event(f"FF1b_{name}", [think, other], [catch2])
        net.event(f"FF2a_{name}", [catch1, other], [eat])
        net.event(f"FF2b_{name}", [catch2, fork], [eat])
        net.event(f"End_{name}", [eat], [think, fork, other])
    for i, places in enumerate(seats):
        net.level(f"seat_{i + 1}", places)
    return net.model([no_deadlock()])


def _circular(n: int) -> Model:
    seat = Elementary("seat")
    think, catch1, catch2, eat, fork = (
        seat.variable(name, int(name in ("Think", "Fork")))
        for name in ("Think", "Catch1", "Catch2", "Eat", "Fork")
    )
    own = [fork >= 1]
    seat.event("FF1a", when=[think >= 1, *own], do=[think.add(-1), fork.add(-1), catch1.add(1)])
    seat.event("FF2b", when=[catch2 >= 1, *own], do=[catch2.add(-1), fork.add(-1), eat.add(1)])
    seat.event("FF1b", label="first", when=think >= 1, do=[think.add(-1), catch2.add(1)])
    seat.event("FF2a", label="second", when=catch1 >= 1, do=[catch1.add(-1), eat.add(1)])
    seat.event("End", label="end", when=eat >= 1, do=[eat.add(-1), think.add(1), fork.add(1)])
    seat.event("take", label="take", when=own, do=fork.add(-1))
    seat.event("put", label="put", do=fork.add(1))
    table = ScalarSet("contest_philosophers", element=seat, size=n, circular=True)
    table.event("FF1b", do=next_call("first", "take"))
    table.event("FF2a", do=next_call("second", "take"))
    table.event("End", do=next_call("end", "put"))
    return system(table, seat, properties=[no_deadlock()])
