"""The state equation: what it refutes is unreachable, and only exact certificates count (T9)."""

from dataclasses import replace
from itertools import combinations, product
from random import Random

import pytest
from random_ordinary import markings, ordinary_net, random_goal, satisfies

from plait.model.net import Net, NetEvent, Place
from plait.structure.certificate import (
    Bound,
    Refutation,
    check_bound,
    check_refutation,
    is_marked_trap,
)
from plait.structure.equation import StateEquation
from plait.structure.linear import Atom, atom, junction
from plait.structure.programme import Programmes
from plait.structure.traps import Traps

RING = Net(
    "ring",
    (Place("a", 1), Place("b", 0), Place("c", 0)),
    (
        NetEvent("ab", ((0, 1),), ((1, 1),)),
        NetEvent("bc", ((1, 1),), ((2, 1),)),
        NetEvent("ca", ((2, 1),), ((0, 1),)),
    ),
)


@pytest.mark.parametrize("block", range(4))
def test_what_the_state_equation_refutes_no_reachable_marking_satisfies(block: int) -> None:
    refutes_only_the_unreachable(range(block * 100, block * 100 + 100))


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_twenty_thousand_systems_are_refuted_rightly(block: int) -> None:
    """T9: no answer rests on a floating-point infeasibility alone."""
    refutes_only_the_unreachable(range(10_000 + block * 350, 10_000 + block * 350 + 350))


def refutes_only_the_unreachable(seeds: range) -> None:
    refuted = seen = 0
    for seed in seeds:
        random = Random(seed)
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        equation = StateEquation(net)
        for _ in range(3):
            goal = random_goal(random, len(net.places))
            real = any(satisfies(goal, m) for m in reachable)
            proof = equation.unreachable(goal, 5.0)
            assert proof is None or not real, (seed, goal)
            seen += not real
            refuted += proof is not None
    assert seen > len(seeds) // 2
    assert refuted > seen // 2


@pytest.mark.parametrize("block", range(2))
def test_no_reachable_marking_exceeds_a_bound_of_the_state_equation(block: int) -> None:
    met = given = 0
    for seed in range(block * 150, block * 150 + 150):
        random = Random(f"bound {seed}")
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        weights = {p: random.randint(1, 3) for p in range(len(net.places)) if random.random() < 0.5}
        bound = StateEquation(net).bound(weights, 5.0)
        most = max(sum(w * m[p] for p, w in weights.items()) for m in reachable)
        assert bound is None or bound >= most, seed
        given += bound is not None
        met += bound == most
    assert given > 60
    assert met > given // 2


def test_multiples_of_one_place_are_refuted_rightly() -> None:
    refuted = 0
    for seed in range(60):
        net = ordinary_net(Random(f"one place {seed}"), places=4, events=4)
        reachable = markings(net)
        if reachable is None:
            continue
        equation = StateEquation(net)
        for place, factor in product(range(len(net.places)), (-2, 2, 3)):
            reached = [factor * m[place] for m in reachable]
            for least in range(max(reached) - 1, max(reached) + 3):
                proof = equation.unreachable(atom({place: factor}, least), 5.0)
                assert proof is None or max(reached) < least, (seed, place, factor, least)
                refuted += proof is not None
    assert refuted > 100


def test_a_place_that_a_source_fills_has_no_bound() -> None:
    net = Net("source", (Place("p"),), (NetEvent("t", (), ((0, 1),)),))
    assert StateEquation(net).bound({0: 1}, 5.0) is None


def test_a_goal_that_only_half_a_token_satisfies_is_split_and_refuted() -> None:
    goal = junction(True, [atom({0: 2}, 1), atom({0: -2}, -1)])
    proof = StateEquation(RING).unreachable(goal, 5.0)
    assert proof is not None
    assert len(proof.leaves) == 2


MERGING = Net(
    "merging",
    (Place("a", 3), Place("b")),
    (NetEvent("t", ((0, 2),), ((1, 1),)), NetEvent("u", ((1, 1),), ((0, 1),))),
)
"""Tokens merge two by two, but the last stays: only the trap {a, b} knows."""


def test_a_trap_excludes_what_the_state_equation_allows() -> None:
    empty = junction(True, [atom({0: -1}, 0), atom({1: -1}, 0)])
    assert not isinstance(Programmes(MERGING).refute([*empty.parts], 5.0), Refutation)  # type: ignore[union-attr, list-item]
    proof = StateEquation(MERGING).unreachable(empty, 5.0)
    assert proof is not None


@pytest.mark.parametrize("block", range(2))
def test_the_greatest_trap_is_the_union_of_all_traps(block: int) -> None:
    for seed in range(block * 60, block * 60 + 60):
        random = Random(f"trap {seed}")
        net = ordinary_net(random)
        inside = [p for p in range(len(net.places)) if random.random() < 0.7]
        union: set[int] = set()
        for count in range(len(inside) + 1):
            for chosen in combinations(inside, count):
                if is_trap(net, set(chosen)):
                    union |= set(chosen)
        assert Traps(net).greatest(inside) == union, seed


def is_trap(net: Net, places: set[int]) -> bool:
    def touches(row: tuple[tuple[int, int], ...]) -> bool:
        return any(p in places for p, _ in row)

    return all(touches(e.post) for e in net.events if touches(e.pre))


def test_only_a_trap_that_is_marked_at_first_counts() -> None:
    assert is_marked_trap(MERGING, [0, 1])
    assert not is_marked_trap(MERGING, [0])
    assert not is_marked_trap(replace(MERGING, places=(Place("a"), Place("b"))), [0, 1])
    emptied = NetEvent("r", ((0, 1),), ((1, 1),), reset=(0,))
    assert not is_marked_trap(replace(MERGING, events=(*MERGING.events, emptied)), [0, 1])


def test_the_empty_disjunction_needs_no_certificate() -> None:
    proof = StateEquation(RING).unreachable(junction(False, []), 5.0)
    assert proof is not None
    assert proof.leaves == ()


def test_the_checker_refuses_a_certificate_that_was_tampered_with() -> None:
    goal = [Atom(((0, 1),), 1), Atom(((1, 1),), 1)]
    found = Programmes(RING).refute(goal, 5.0)
    assert isinstance(found, Refutation)
    assert check_refutation(RING, goal, found)
    assert not check_refutation(RING, goal[:1], found)
    for place in range(3):
        less = {**found.weights, place: found.weights.get(place, 0) - 1}
        assert not check_refutation(RING, goal, replace(found, weights=less))
    negative = [(a, -v) for a, v in found.factors]
    assert not check_refutation(RING, goal, replace(found, factors=negative))
    bound = Programmes(RING).bound({0: 1, 1: 1}, 5.0)
    assert bound is not None
    assert bound.value == 1
    assert check_bound(RING, {0: 1, 1: 1}, bound)
    assert not check_bound(RING, {0: 1, 1: 1}, replace(bound, value=0))
    assert not check_bound(RING, {0: 2, 1: 1}, bound)
    assert not check_bound(RING, {0: 1}, Bound({0: 1}, 1, 1))
    assert not check_bound(RING, {0: 1}, Bound({0: 0}, 0, 5))
    whole = {0: 1, 1: 1, 2: 1}
    assert not check_bound(RING, whole, Bound(dict.fromkeys(whole, -1), -1, -1))


def test_inhibitor_and_reset_arcs_have_no_state_equation() -> None:
    inhibited = NetEvent("t", ((0, 1),), ((1, 1),), inhibitor=((1, 1),))
    net = replace(RING, events=(*RING.events, inhibited))
    assert StateEquation(net).unreachable(atom({0: 1}, 5), 5.0) is None
    assert StateEquation(net).bound({0: 1}, 5.0) is None
    assert not check_bound(net, {0: 1}, Bound({0: 1, 1: 1, 2: 1}, 1, 1))
