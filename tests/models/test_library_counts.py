"""The models of the library have the published numbers of states, arcs and deadlocks."""

import math

import pytest
from tests.conftest import DATA
from tests.models.published import ARCS, DISTANCES, ERRATA, TABLES, agrees, deadlocks, rows

from plait.engines import states
from plait.lang import load
from plait.models import ENTRIES, Entry, counts
from plait.report.numbers import decimal

SMALL = {
    "philosophers": (1, 2, 3, 4, 5, 6),
    "doubled-philosophers": (0, 1, 2),
    "contest-philosophers": (2, 3, 5, 8),
    "slotted-ring": (1, 2, 3, 4, 5),
    "round-robin": (3, 5, 6, 8, 10),
    "fms": (0, 1, 2, 3),
    "kanban": (0, 1, 2, 3),
    "leader": (2, 3, 4),
    "voters": (1, 2, 10),
    "producer-consumer": (1, 2, 5),
    "fork-join": (0, 1, 2, 3, 4),
    "three-places": (0, 1, 2, 5),
    "two-places": (0, 1, 4),
    "producers-consumers": (1, 2),
}


def cases() -> list[tuple[str, str, int]]:
    return [(e.name, v, n) for e in ENTRIES.values() for v in e.variants for n in sizes(e)]


def sizes(e: Entry) -> tuple[int, ...]:
    return SMALL[e.name] if e.size is not None else ()


@pytest.mark.parametrize(("name", "variant", "n"), cases())
def test_every_variant_has_the_known_state_space(name: str, variant: str, n: int) -> None:
    """covers: S1, S23, S24, S79, S104, I86"""
    space = states(ENTRIES[name].model(n, variant), engine="explicit")
    known = ENTRIES[name].states
    assert known is not None
    assert space.states == known(n)
    if n:
        assert space.deadlocks == deadlocks(name, n)
    if not variant.startswith("flush"):
        assert space.arcs == ARCS.get(name, {}).get(n, space.arcs)
    assert space.stats["depth"] == DISTANCES.get(name, {}).get(n, space.stats["depth"])


def test_an_empty_shipment_is_a_step_or_none_as_the_variant_says() -> None:
    """With nothing finished, each of the four shipments leads from the initial state to itself.

    covers: S5
    """
    for n in (1, 2):
        spaces = {
            v: states(ENTRIES["fms"].model(n, v), engine="explicit")
            for v in ENTRIES["fms"].variants
        }
        assert {s.states for s in spaces.values()} == {counts.fms(n)}
        assert {s.stats["depth"] for s in spaces.values()} == {14 * n}
        empty = empty_shipments(n)
        literal, strict = spaces["flush"].arcs, spaces["flush-nonempty"].arcs
        assert literal is not None
        assert strict is not None
        assert literal - strict == empty


def empty_shipments(n: int) -> int:
    """How many pairs there are of a reachable state and a shipment that has nothing to ship."""
    from plait.reference import Semantics

    semantics = Semantics(ENTRIES["fms"].model(n, "flat"))
    at = {name: i for i, name in enumerate(semantics.cells)}
    graph = semantics.reachable()
    return sum(s[at[p]] == 0 for s in graph.states for p in ("P1s", "P2s", "P12s", "P3s"))


def test_the_swap_has_two_states() -> None:
    space = states(ENTRIES["swap"].model())
    assert (space.states, space.arcs, space.deadlocks) == (2, 2, 0)


@pytest.mark.parametrize(
    ("name", "n", "instance"),
    [
        ("contest-philosophers", 5, "Philosophers-PT-000005"),
        ("fms", 2, "FMS-PT-00002"),
    ],
)
def test_the_contest_has_the_same_nets(name: str, n: int, instance: str) -> None:
    """covers: I133

    Not by name, but by states, arcs, deadlocks, distances and greatest values.
    """
    file = DATA / "mcc" / instance / "model.pnml"
    if not file.is_file():
        pytest.skip("the folder of published models is not there")
    ours, theirs = (states(m, engine="explicit") for m in (ENTRIES[name].model(n), load(file)))
    for figure in ("states", "arcs", "deadlocks", "max_value", "max_sum"):
        assert getattr(ours, figure) == getattr(theirs, figure)
    assert ours.stats["depth"] == theirs.stats["depth"]


# --- the closed forms against what is printed -----------------------------------------------------


@pytest.mark.parametrize(("table", "model", "n", "printed"), rows())
def test_closed_forms_have_the_printed_digits(table: str, model: str, n: int, printed: str) -> None:
    known = ENTRIES[model].states
    assert known is not None
    count = known(n)
    assert count is not None
    assert agrees(count, printed)


def test_the_errata_are_errata() -> None:
    for (table, model, n), corrected in ERRATA.items():
        known = ENTRIES[model].states
        assert known is not None
        count = known(n)
        assert count is not None
        assert not agrees(count, TABLES[table][model][n])
        assert agrees(count, corrected)


def test_agreement_looks_at_every_digit_and_at_the_magnitude() -> None:
    assert agrees(53_856, "5.3e4")
    assert agrees(53_856, "5.39e4")
    assert agrees(360, "3.60e2")
    assert not agrees(53_856, "5.5e4")
    assert not agrees(53_856, "5.3e5")


def test_counts_of_the_contest_agree_with_the_closed_forms() -> None:
    """The contest's consensus about sizes that nobody enumerates."""
    assert counts.fms(1000) == 21576588217001978419563077657284401
    assert counts.kanban(2000) == 2875887617083828264033450546613401


def test_lucas_numbers_follow_their_recurrence() -> None:
    assert (counts.lucas(0), counts.lucas(1)) == (2, 1)
    for k in range(2, 100):
        assert counts.lucas(k) == counts.lucas(k - 1) + counts.lucas(k - 2)


def test_the_three_forms_of_the_doubled_count_agree() -> None:
    for n in range(8):
        exact = counts.doubled_philosophers(n)
        assert exact == counts.philosophers(2**n)
        for modulus in (2, 97, 2**31 - 1, 10**9 + 7):
            assert counts.doubled_philosophers_modulo(n, modulus) == exact % modulus
    exact = counts.doubled_philosophers(10)
    digits = decimal(exact)
    logarithm = counts.doubled_philosophers_log10(10)
    assert math.floor(logarithm) == len(digits) - 1
    assert round(float(logarithm % 1), 9) == round(math.log10(int(digits[:17]) / 10**16), 9)
