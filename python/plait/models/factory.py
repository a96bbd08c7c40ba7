"""A flexible manufacturing system: three kinds of parts, three kinds of machines.

Ciardo, Trivedi: A decomposition approach for stochastic reward net models (1993); Siminiceanu,
Structural Model Checking (2003), appendix B.2; `FMS` of the Model Checking Contest. There are n
parts of each kind; parts of the first two kinds may be joined. The machines are 3 of the first
kind, 1 of the second, which two kinds of parts share, and 2 of the third. 20 events on 22 places:

    tP1: P1 -> P1wM1              tM1: P1wM1 + M1 -> P1M1      tP1M1: P1M1 -> M1 + P1d
    tP1e: P1d -> P1s              tP1j: P1d -> P1wP2           tP1s: P1s -> P1
    tP2: P2 -> P2wM2              tM2: P2wM2 + M2 -> P2M2      tP2M2: P2M2 -> M2 + P2d
    tP2e: P2d -> P2s              tP2j: P2d -> P2wP1           tP2s: P2s -> P2
    tx: P1wP2 + P2wP1 -> P12      tP12: P12 -> P12wM3          tM3: P12wM3 + M3 -> P12M3
    tP12M3: P12M3 -> M3 + P12s    tP12s: P12s -> P1 + P2
    tP3: P3 -> P3M2               tP3M2: P3M2 + M2 -> P3s + M2 tP3s: P3s -> P3

**Shipments.** The listing ships all finished parts at once: tP1s, tP2s, tP12s and tP3s move as many
tokens as there are ("flush arcs"). That is not consistent with the 19 levels of the tables, nor
with the four groups printed beside the listing (tP12s): the amount on one level would depend on
another. The tables were made with one part shipped at a time, which is the variant `flat`; it has
the same reachable states and the same greatest distance 14n, and other arcs. In the variant `flush`
a shipment of nothing is enabled and leads back to the same state, as an arc of cardinality 0 does;
in `flush-nonempty` it is not.

The levels of `flat` are those of the tables, reconstructed: three have a kind of machine with the
parts in it, each other one is a place with 0 to n tokens. `groups` has the four printed groups.
"""

from __future__ import annotations

from plait.model.arithmetic import INT_MAX
from plait.model.builder import Bool, Cell, Elementary, ask, system
from plait.model.net_builder import NetBuilder
from plait.model.types import Model, Property
from plait.models.arguments import check_size, check_variant
from plait.models.decomposition import by_levels
from plait.models.questions import (
    all_always,
    all_finally,
    exists_always,
    exists_finally,
    exists_until,
    no_deadlock,
)

VARIANTS = ("flat", "groups", "composite", "flush", "flush-nonempty")
LEAST, MOST = 0, INT_MAX
PLACES = [
    "P1",
    "P1wM1",
    "P1M1",
    "M1",
    "P1d",
    "P1s",
    "P1wP2",
    "P2wP1",
    "P12",
    "P12wM3",
    "P12M3",
    "M3",
    "P12s",
    "P2",
    "P2wM2",
    "P2M2",
    "M2",
    "P2d",
    "P2s",
    "P3",
    "P3M2",
    "P3s",
]
EVENTS = {
    "tP1": ("P1", "P1wM1"),
    "tM1": ("P1wM1 M1", "P1M1"),
    "tP1M1": ("P1M1", "M1 P1d"),
    "tP1e": ("P1d", "P1s"),
    "tP1j": ("P1d", "P1wP2"),
    "tP1s": ("P1s", "P1"),
    "tP2": ("P2", "P2wM2"),
    "tM2": ("P2wM2 M2", "P2M2"),
    "tP2M2": ("P2M2", "M2 P2d"),
    "tP2e": ("P2d", "P2s"),
    "tP2j": ("P2d", "P2wP1"),
    "tP2s": ("P2s", "P2"),
    "tx": ("P1wP2 P2wP1", "P12"),
    "tP12": ("P12", "P12wM3"),
    "tM3": ("P12wM3 M3", "P12M3"),
    "tP12M3": ("P12M3", "M3 P12s"),
    "tP12s": ("P12s", "P1 P2"),
    "tP3": ("P3", "P3M2"),
    "tP3M2": ("P3M2 M2", "P3s M2"),
    "tP3s": ("P3s", "P3"),
}
"""What each event takes and gives, one token each."""
SHIPMENTS = ("tP1s", "tP2s", "tP12s", "tP3s")
LEVELS = [
    "P3",
    "P3M2",
    "P3s",
    "P2",
    "P2wM2",
    "P2d",
    "M2 P2M2",
    "P2s",
    "P2wP1",
    "P12",
    "P12wM3",
    "M3 P12M3",
    "P12s",
    "P1wP2",
    "P1s",
    "P1d",
    "M1 P1M1",
    "P1wM1",
    "P1",
]
"""The 19 levels of the tables, the bottom one first."""
GROUPS = (
    "P1 P1wM1 P1M1 M1 P1d P1s",
    "P12s P12M3 M3 P12wM3 P12 P1wP2 P2wP1",
    "P2 P2wM2 P2M2 M2 P2d P2s",
    "P3 P3M2 P3s",
)
"""The groups printed with the listing."""


def fms(n: int = 2, variant: str = "flat") -> Model:
    """A flexible manufacturing system with n parts of each of three kinds."""
    check_size(n, LEAST, MOST)
    check_variant(variant, VARIANTS)
    if variant.startswith("flush"):
        return _flush(n, nothing=variant == "flush")
    net = NetBuilder("fms")
    places = {name: net.place(name, tokens) for name, tokens in _marking(n).items()}
    for name, (taken, given) in EVENTS.items():
        net.event(name, [places[p] for p in taken.split()], [places[p] for p in given.split()])
    for number, level in enumerate(GROUPS if variant == "groups" else LEVELS, start=1):
        net.level(f"level_{number}", [places[p] for p in level.split()])
    asked = _questions(n, dict(places))
    return by_levels(net.net(), asked) if variant == "composite" else net.model(asked)


def _marking(n: int) -> dict[str, int]:
    start = {"P1": n, "P2": n, "P3": n, "M1": 3, "M2": 1, "M3": 2}
    return {name: start.get(name, 0) for name in PLACES}


def _flush(n: int, nothing: bool) -> Model:
    """All finished parts are shipped at once; with `nothing` also when there are none."""
    factory = Elementary("fms")
    places = {
        name: factory.variable(name, tokens, domain=(0, INT_MAX))
        for name, tokens in _marking(n).items()
    }
    for name, (taken, given) in EVENTS.items():
        takes, gives = ([places[p] for p in names.split()] for names in (taken, given))
        needed = [p >= 1 for p in takes]
        if name in SHIPMENTS:
            (finished,) = takes
            guard = [] if nothing else needed
            body = [*(p.add(finished) for p in gives), finished.set(0)]
            factory.event(name, when=guard, do=body)
        else:
            tested = set(taken.split()) & set(given.split())
            changed = [places[p].add(-1) for p in taken.split() if p not in tested]
            changed += [places[p].add(1) for p in given.split() if p not in tested]
            factory.event(name, when=needed, do=changed)
    return system(factory, properties=_questions(n, places))


def _questions(n: int, p: dict[str, Cell]) -> list[Property]:
    """The queries of tables 5.1 and 5.2, and those of libITS on this net."""
    finished: Bool = (p["P1s"] == n) & (p["P2s"] == n) & (p["P3s"] == n)
    return [
        no_deadlock(),
        ask("all_finished", "reachable", finished),
        exists_always("never_all_finished", ~finished),
        exists_until("a_machine_until_all_finished", p["M1"] >= 1, finished),
        all_finally("one_finished", p["P1s"] == 1),
        all_always("two_third_machines", ~(p["M3"] == 3)),
        exists_finally("done_or_finished", (p["P1d"] == 1) | (p["P1s"] == 1)),
        exists_until("first_step", p["P1"] == n, (p["P1wM1"] == 1) & (p["P1"] == n - 1)),
    ]
