"""Dining philosophers who take their forks in any order.

Siminiceanu, Structural Model Checking (2003), appendix B.1; the four philosophers of Thierry-Mieg's
habilitation (figure I.2) are the same net. Philosopher i has the forks i and j = i + 1:

    GoEat: Idle -> WaitL + WaitR           GetL: WaitL + Fork_j -> HasL
    GetR:  WaitR + Fork -> HasR            Rel:  HasL + HasR -> Idle + Fork + Fork_j

L(3n) states (a Lucas number), two of them deadlocks: all hold their right fork, or all their left
one; the farthest states are 2n events away. A level has two neighbours, 34 local states; for odd n
the bottom level has one philosopher. (The listing's rule `1 + div(i, 2)` would give even n a single
one at both ends; the published figures have pairs.)
"""

from __future__ import annotations

from plait.model.builder import (
    Bool,
    Component,
    Composite,
    Elementary,
    Part,
    ScalarSet,
    next_call,
    parameter,
    system,
)
from plait.model.net_builder import NetBuilder
from plait.model.types import Model, Property
from plait.models.arguments import check_size, check_variant
from plait.models.questions import exists_always, exists_until, no_deadlock

VARIANTS = ("flat", "composite", "circular")
LEAST, MOST = 1, 100_000


def philosophers(n: int = 4, variant: str = "flat") -> Model:
    """Dining philosophers who take their forks in any order."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    if variant == "flat":
        return _flat(n)
    return _composite(n) if variant == "composite" else _circular(n)


def _questions(eats: list[Bool]) -> list[Property]:
    """The queries of tables 5.1 and 5.2 about the first two philosophers."""
    asked = [no_deadlock(), exists_always("starvation", ~eats[0])]
    if len(eats) > 1:
        asked.append(exists_until("first_before_second", ~eats[1], eats[0]))
    return asked


def _flat(n: int) -> Model:
    net = NetBuilder("philosophers")
    seats = [
        net.places(f"{{}}_{i}", Idle=1, WaitL=0, WaitR=0, HasL=0, HasR=0, Fork=1)
        for i in range(1, n + 1)
    ]
    for i, (idle, wait_left, wait_right, has_left, has_right, fork) in enumerate(seats):
        other = seats[(i + 1) % n][-1]
        name = i + 1
        net.event(f"GoEat_{name}", [idle], [wait_left, wait_right])
        net.event(f"GetL_{name}", [wait_left, other], [has_left])
        net.event(f"GetR_{name}", [wait_right, fork], [has_right])
        net.event(f"Rel_{name}", [has_left, has_right], [idle, fork, other])
    first = 0
    while first < n:
        last = first + (1 if first == 0 and n % 2 else 2)
        places = [p for seat in seats[first:last] for p in seat]
        net.level(f"seats_{first + 1}", places)
        first = last
    return net.model(_questions([(s[3] >= 1) & (s[4] >= 1) for s in seats[:2]]))


def seat() -> Elementary:
    """One philosopher and the right fork; what the left fork needs are labels.

    `getL` and `rel` are the philosopher's share, `take` and `put` that of the neighbour whose right
    fork it is.
    """
    seat = Elementary("seat")
    idle, wait_left, wait_right = (
        seat.variable(name, tokens) for name, tokens in (("Idle", 1), ("WaitL", 0), ("WaitR", 0))
    )
    has_left, has_right, fork = (
        seat.variable(name, tokens) for name, tokens in (("HasL", 0), ("HasR", 0), ("Fork", 1))
    )
    seat.event("GoEat", when=idle >= 1, do=[idle.add(-1), wait_left.add(1), wait_right.add(1)])
    seat.event(
        "GetR",
        when=[wait_right >= 1, fork >= 1],
        do=[wait_right.add(-1), fork.add(-1), has_right.add(1)],
    )
    seat.event("getL", label="getL", when=wait_left >= 1, do=[wait_left.add(-1), has_left.add(1)])
    seat.event("take", label="take", when=fork >= 1, do=fork.add(-1))
    seat.event(
        "rel",
        label="rel",
        when=[has_left >= 1, has_right >= 1],
        do=[has_left.add(-1), has_right.add(-1), idle.add(1), fork.add(1)],
    )
    seat.event("put", label="put", do=fork.add(1))
    return seat


def _eats(part: Part) -> Bool:
    return (part.HasL >= 1) & (part.HasR >= 1)


def _composite(n: int) -> Model:
    """An array of seats, with one synchronisation a pair of neighbours."""
    one = seat()
    table = Composite("philosophers")
    size = table.constant("N", n)
    every = table.range("seats", 0, size - 1)
    seats = table.instance("seat", one, size)
    i = parameter("i")
    neighbour = (i + 1) % size
    for name, own, others in (("GetL", "getL", "take"), ("Rel", "rel", "put")):
        table.event(
            name, parameters={"i": every}, do=[seats[i].call(own), seats[neighbour].call(others)]
        )
    return _closed(table, one, seats, n)


def _circular(n: int) -> Model:
    """A circular set: the seats have no numbers, only neighbours."""
    one = seat()
    table = ScalarSet("philosophers", element=one, size=n, circular=True)
    table.event("GetL", do=next_call("getL", "take"))
    table.event("Rel", do=next_call("rel", "put"))
    return _closed(table, one, Part("item"), n)


def _closed(table: Component, one: Elementary, seats: Part, n: int) -> Model:
    return system(table, one, properties=_questions([_eats(seats[i]) for i in range(min(n, 2))]))
