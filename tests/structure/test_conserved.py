"""Sets of places that together never get more tokens: what they say is so."""

from random import Random

import pytest
from random_ordinary import markings, ordinary_net

from plait.model.net import Net, NetEvent, Place
from plait.structure import programme
from plait.structure.certificate import Adding, never_increases
from plait.structure.conserved import IN_VAIN, ConservedSets
from plait.structure.equation import StateEquation


def machines(count: int, length: int) -> Net:
    """Rings of places with a token each; every ring shares an event with the one before it."""
    size = count * length
    places = tuple(Place(f"p{i}", int(i % length == 0)) for i in range(size))

    def after(i: int) -> int:
        return i + 1 if (i + 1) % length else i + 1 - length

    alone = [NetEvent(f"t{i}", ((i, 1),), ((after(i), 1),)) for i in range(size) if i % length]
    starts = range(0, size, length)
    shared = [
        NetEvent(f"s{i}", ((i, 1), (i + length, 1)), ((after(i), 1), (after(i + length), 1)))
        for i in starts[:-1]
    ]
    return Net("machines", places, (*shared, *alone))


def test_no_reachable_marking_has_more_tokens_in_a_set_than_the_first() -> None:
    found = 0
    for seed in range(200):
        net = ordinary_net(Random(f"sets {seed}"))
        reachable = markings(net)
        sets = ConservedSets(net)
        for place in range(len(net.places)):
            inside = sets.around(place)
            if inside is None:
                continue
            most = sum(net.initial[p] for p in inside)
            assert place in inside
            assert most <= max(1, net.initial[place])
            if reachable is not None:
                assert all(sum(m[p] for p in inside) <= most for m in reachable), (seed, place)
            found += 1
    assert found > 100


def test_places_of_machines_that_meet_are_each_in_the_set_of_their_own() -> None:
    net = machines(4, 5)
    sets = ConservedSets(net)
    for place in range(20):
        machine = place // 5 * 5
        assert sets.around(place) == frozenset(range(machine, machine + 5))


def test_a_net_without_sets_is_given_up() -> None:
    size = 2 * IN_VAIN
    places = tuple(Place(f"p{i}", 0) for i in range(size))
    ring = Net("sources", places, tuple(NetEvent(f"t{i}", (), ((i, 1),)) for i in range(size)))
    sets = ConservedSets(ring)
    assert all(sets.around(place) is None for place in range(size))
    assert len(sets.tried) == IN_VAIN


def test_a_place_in_a_set_is_bounded_without_a_linear_programme(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a linear programme was asked")

    monkeypatch.setattr(programme, "minimise", refuse)
    equation = StateEquation(machines(3, 4))
    assert [equation.bound({place: 1}, 1.0) for place in range(12)] == [1] * 12


def test_of_places_that_are_as_good_the_one_without_tokens_joins_the_set() -> None:
    joined = NetEvent("t", ((1, 1), (2, 1)), ((0, 1),))
    for marked in (1, 2):
        places = tuple(Place(f"p{i}", int(i == marked)) for i in range(3))
        assert ConservedSets(Net("joined", places, (joined,))).around(0) == {0, 3 - marked}


def test_the_events_that_add_to_a_set_are_enough_to_check_it() -> None:
    seen = {True: 0, False: 0}
    for seed in range(200):
        random = Random(f"adding {seed}")
        net = ordinary_net(random)
        adding = Adding(net)
        for _ in range(10):
            weights = {p: random.randint(-1, 2) for p in range(len(net.places))}
            found = never_increases(net, weights, adding)
            assert found == never_increases(net, weights), (seed, weights)
            seen[found] += 1
    assert min(seen.values()) > 20
