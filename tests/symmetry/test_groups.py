"""Canonical states under permutations of cells, and when they are the least of their orbits."""

from itertools import permutations, product
from random import Random

import pytest

from plait.errors import LimitReached
from plait.symmetry.group import (
    Permutation,
    canonical,
    canonised,
    exchanges,
    generated,
    is_monotonic,
    not_reduced,
    orbit,
    rotations,
)


def cells(n: int) -> list[list[int]]:
    return [[i] for i in range(n)]


def test_exchanges_of_neighbours_sort() -> None:
    """covers: I72"""
    elements = exchanges(3, cells(3))
    states = [*permutations((1, 2, 3)), (3, 3, 1)]
    assert {canonical(elements, s) for s in states} == {(1, 2, 3), (1, 3, 3)}


def test_rotations_give_the_least_rotation() -> None:
    """All rings of five values out of three.

    covers: I73
    """
    elements = rotations(5, cells(5))
    for state in product(range(3), repeat=5):
        least = min(state[i:] + state[:i] for i in range(5))
        assert canonical(elements, state) == least


def test_rotations_of_blocks_compare_whole_blocks() -> None:
    """covers: I73"""
    elements = rotations(6, [[0, 1], [2, 3], [4, 5]])
    for state in product(range(2), repeat=6):
        least = min(state[i:] + state[:i] for i in (0, 2, 4))
        assert canonical(elements, state) == least


def test_the_permutation_of_the_seed_moves_values_as_it_says() -> None:
    """g = (2,3,1,4): g.s = (s3,s1,s2,s4), the exchange of 2 and 3 and then that of 1 and 2."""
    g = Permutation((2, 0, 1, 3))
    assert g.apply((10, 20, 30, 40)) == (30, 10, 20, 40)
    first, second, _ = exchanges(4, cells(4))
    assert first.after(second).key() == g.key()
    assert g.target == (1, 2, 0, 3)


def test_a_set_that_is_not_monotonic_keeps_states_of_the_same_orbit_and_stays_in_it() -> None:
    """A rotation and one exchange generate all permutations of four, and do not sort them.

    covers: I74, I77
    """
    elements = [rotations(4, cells(4))[0], exchanges(4, cells(4))[0]]
    assert len(generated(elements)) == 24
    kept: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for state in product(range(4), repeat=4):
        found = canonical(elements, state)
        assert sorted(found) == sorted(state)
        assert not any(g.apply(found) < found for g in elements)
        kept.setdefault(tuple(sorted(state)), set()).add(found)
    assert all(states for states in kept.values())
    assert max(map(len, kept.values())) > 1
    left = not_reduced(elements, [range(4)] * 4)
    assert left is not None
    assert canonical(elements, left) == left
    assert min(orbit(elements, left)) < left


@pytest.mark.parametrize("n", [2, 3, 4])
def test_monotonic_sets_are_told_from_others_on_small_states(n: int) -> None:
    """Neighbours for all orders, all powers for rotations; one exchange less is not enough.

    covers: I77
    """
    values = [range(3)] * n
    assert is_monotonic(exchanges(n, cells(n)), values)
    assert is_monotonic(rotations(n, cells(n)), values)
    if n > 3:
        assert not is_monotonic(rotations(n, cells(n))[:1], values)
    if n > 2:
        swaps = exchanges(n, cells(n))
        around = rotations(n, cells(n))[0]
        assert not is_monotonic([*swaps[:-1], around], [range(n)] * n)


def test_references_are_renumbered_as_their_objects_move() -> None:
    """Cells: three objects, then two references; -1 refers to nothing.

    covers: I76
    """
    numbers = {0: 1, 1: 0}
    g = Permutation((1, 0, 2, 3, 4), {3: numbers, 4: numbers})
    assert g.apply((7, 5, 6, 0, -1)) == (5, 7, 6, 1, -1)
    assert g.apply((7, 5, 6, 1, 2)) == (5, 7, 6, 0, 2)


def test_products_and_inverses_act_one_after_the_other() -> None:
    """Random permutations with references, on random states.

    covers: I76
    """
    random = Random("products")
    for _ in range(200):
        made = []
        for _ in range(2):
            order = random.sample(range(4), 4)
            numbers = {old: new for new, old in enumerate(order) if old != new}
            held = {4: numbers, 5: numbers} if numbers else {}
            made.append(Permutation((*order, *random.sample((4, 5), 2)), held))
        g, h = made
        state = tuple(random.randint(-1, 3) for _ in range(6))
        assert g.after(h).apply(state) == g.apply(h.apply(state))
        assert g.inverse().apply(g.apply(state)) == state
        assert g.after(g.inverse()).key() == Permutation.identity(6).key()


def test_what_was_applied_leads_to_the_canonical_state() -> None:
    random = Random("applied")
    elements = exchanges(5, cells(5))
    for _ in range(50):
        state = tuple(random.randrange(4) for _ in range(5))
        found, applied = canonised(elements, state)
        assert found == tuple(sorted(state))
        for g in applied:
            state = g.apply(state)
        assert state == found


def test_a_vast_group_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.symmetry.group.MOST_ELEMENTS", 100)
    with pytest.raises(LimitReached, match="more than 100 elements"):
        generated(exchanges(6, cells(6)))
