"""`plait.edge_valued`: functions on sequences, against dictionaries."""

import doctest
from itertools import product
from random import Random

import pytest

import plait.edge_valued
from plait.edge_valued import Function, Functions

LABELS = range(3)
SEQUENCES = list(product(LABELS, repeat=3))


def test_the_example_of_the_module_prints_what_it_says() -> None:
    assert doctest.testmod(plait.edge_valued).attempted > 5
    assert doctest.testmod(plait.edge_valued).failed == 0


def made(
    ev: Functions, values: dict[tuple[int, ...], int], prefix: tuple[int, ...] = ()
) -> Function:
    """The function with these values."""
    if len(prefix) == 3:
        return ev.constant(values[prefix]) if prefix in values else ev.nowhere
    below = {label: made(ev, values, (*prefix, label)) for label in LABELS}
    return ev.node(3 - len(prefix), below)


def values_of(f: Function) -> dict[tuple[int, ...], int]:
    found = {s: f.value(*s) for s in SEQUENCES}
    return {s: v for s, v in found.items() if v is not None}


@pytest.mark.parametrize("seed", range(20))
def test_operations_agree_with_dictionaries(seed: int) -> None:
    """covers: S123"""
    random, ev = Random(seed), Functions()
    a, b = ({s: random.randrange(9) for s in SEQUENCES if random.random() < 0.6} for _ in "ab")
    f, g = made(ev, a), made(ev, b)
    assert values_of(f) == a
    least = {s: min(v for v in (a.get(s), b.get(s)) if v is not None) for s in {**a, **b}}
    assert values_of(f.minimum(g)) == least
    assert f.minimum(g) == made(ev, least)
    greatest = {s: max(a[s], b[s]) for s in a if s in b}
    assert values_of(f.maximum(g)) == greatest
    assert f.maximum(g) == made(ev, greatest)
    assert f + 4 == made(ev, {s: v + 4 for s, v in a.items()})
    assert (f.least, f.greatest) == (min(a.values()), max(a.values()))
    assert a[f.nearest or ()] == f.least
    assert f.histogram == {v: list(a.values()).count(v) for v in sorted(set(a.values()))}


def test_the_golden_function_has_five_nodes() -> None:
    """The function of section 6.2 of the dissertation.

    covers: S84, S123
    """
    ev = Functions()
    printed = dict(zip(product(range(2), repeat=3), (0, 2, 3, 2, 2, 4, 1, 0), strict=True))
    f = made(ev, printed)
    assert values_of(f) == printed
    assert (f.nodes, f.least) == (5, 0)


def test_what_is_infinite_everywhere_is_one_function() -> None:
    ev = Functions()
    empty = ev.node(2, {0: ev.nowhere})
    assert empty == ev.nowhere == ev.node(5, {}) == ev.nowhere + 3
    one = ev.node(1, {4: ev.constant(6)})
    assert one.minimum(empty) == empty.minimum(one) == one
    assert one.maximum(empty) == empty
    assert (empty.value(1), empty.least, empty.greatest, empty.nearest) == (None,) * 4
    assert (empty.histogram, empty.nodes) == ({}, 0)


def test_a_distance_function_is_a_fixpoint_of_minima() -> None:
    """The steps of a counter from 0 to 9 that may be set back to 0 from 5 on.

    covers: S123
    """
    ev = Functions()
    steps = {i: [i + 1] if i < 9 else [] for i in range(10)}
    for i in range(5, 10):
        steps[i].append(0)
    distance = ev.node(1, {0: ev.constant(0)})
    while True:
        known = {i: distance.value(i) for i in range(10)}
        reached = distance
        for i, next_ones in steps.items():
            if (d := known[i]) is not None:
                for j in next_ones:
                    reached = reached.minimum(ev.node(1, {j: ev.constant(d + 1)}))
        if reached == distance:
            break
        distance = reached
    assert [distance.value(i) for i in range(10)] == list(range(10))
    targets = ev.node(1, {i: ev.constant(0) for i in (7, 9)})
    assert distance.maximum(targets).nearest == (7,)


def test_nonsense_is_refused() -> None:
    ev, other = Functions(), Functions()
    one = ev.node(1, {0: ev.constant(0)})
    with pytest.raises(ValueError, match="another forest"):
        one.minimum(other.node(1, {0: other.constant(0)}))
    with pytest.raises(ValueError, match="one below"):
        ev.node(3, {0: one})
    with pytest.raises(ValueError, match="different variables"):
        one.maximum(ev.constant(1))
    with pytest.raises(ValueError, match="less than 2"):
        one + (2**31)
    with pytest.raises(ValueError, match="for each variable"):
        ev.node(2, {0: one}).value(0)
    with pytest.raises(OverflowError):
        ev.constant(-1)
