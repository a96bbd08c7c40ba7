"""Pairs of values: those of all reachable markings are in the relation, the others never are."""

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from random_ordinary import markings, ordinary_net, random_goal, satisfies

from plait.engines.budget import Budget
from plait.engines.nets.engine import Structural
from plait.engines.nets.facts import Facts
from plait.engines.nets.value_pairs import ValuePairs
from plait.engines.nets.walks import NetWalks
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.structure.equation import StateEquation
from plait.structure.linear import Goal, atom, junction
from plait.structure.pairs import Pairs
from plait.structure.together import Together, bits


def grown(net: Net, goals: tuple[Goal, ...] = ()) -> Pairs:
    pairs = Pairs(net, goals)
    assert pairs.grow(60.0)
    return pairs


def facts_of(relation: Together, marking: tuple[int, ...]) -> list[int]:
    return [relation.number(p, tokens) for p, tokens in enumerate(marking)]


def generous_net(random: Random) -> Net:
    """A random net of which some places may have more tokens than are told apart."""
    net = ordinary_net(random)
    most = random.choice([0, 8])
    more = [random.choice([0, 0, most]) for _ in net.places]
    places = [replace(p, initial=p.initial + n) for p, n in zip(net.places, more, strict=True)]
    return replace(net, places=tuple(places))


def goals_of(random: Random, net: Net) -> tuple[Goal, ...]:
    """Small goals, and a sum that may be large."""
    chosen = random.sample(range(len(net.places)), 2)
    large = atom({p: random.choice([1, 1, 2, -1]) for p in chosen}, random.randint(4, 14))
    return large, *(random_goal(random, len(net.places)) for _ in range(3))


def compared(seeds: range) -> tuple[int, int]:
    """How many goals are refuted, and how many of them the state equation leaves open."""
    refuted = new = 0
    for seed in seeds:
        random = Random(seed)
        net = generous_net(random)
        reachable = markings(net)
        goals = goals_of(random, net)
        pairs = grown(net, goals)
        relation, equation = pairs.relation, StateEquation(net)
        for fact, row in enumerate(relation.rows):
            assert all(relation.rows[other] >> fact & 1 for other in bits(row)), seed
        if reachable is None:
            continue
        for marking in reachable:
            facts = facts_of(relation, marking)
            assert all(relation.rows[f] >> g & 1 for f in facts for g in facts), seed
        for goal in goals:
            if pairs.unreachable(goal, 60.0):
                assert not any(satisfies(goal, m) for m in reachable), (seed, goal)
                refuted += 1
                new += equation.unreachable(goal, 5.0) is None
    return refuted, new


def test_pairs_hold_in_every_reachable_marking_and_refute_only_the_unreachable() -> None:
    refuted, new = compared(range(80))
    assert refuted > 40
    assert new > 3, "pairs tell what weighted sums do not"


@pytest.mark.soak
@pytest.mark.parametrize("block", range(10))
def test_many_pairs_hold_in_every_reachable_marking(block: int) -> None:
    compared(range(70_000 + block * 500, 70_000 + block * 500 + 500))


def test_a_relation_without_a_pair_of_a_reachable_marking_does_not_pass_the_check() -> None:
    """The check is what is believed: whichever pair is left out, it must notice."""
    tried = 0
    for seed in range(60):
        random = Random(seed)
        net = generous_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        relation = grown(net).relation
        seen = {
            pair
            for marking in reachable
            for pair in combinations(sorted(facts_of(relation, marking)), 2)
        }
        for one, other in random.sample(sorted(seen), min(12, len(seen))):
            relation.rows[one] ^= 1 << other
            relation.rows[other] ^= 1 << one
            assert not relation.holds(), (seed, one, other)
            relation.rows[one] ^= 1 << other
            relation.rows[other] ^= 1 << one
            tried += 1
        assert relation.holds()
    assert tried > 200


def walker(positions: int) -> Net:
    """One walker on a circle of positions that it uses up: two tokens are where it stands."""
    places = tuple(Place(f"a{i}", 2 if i == 0 else 1) for i in range(positions))
    steps = [(i, (i + d) % positions) for i in range(positions) for d in (1, 2)]
    events = tuple(
        NetEvent(f"t{i}_{j}", tuple(sorted(((i, 2), (j, 1)))), ((j, 2),)) for i, j in steps
    )
    return Net("walker", places, events)


def test_that_only_one_place_holds_two_tokens_is_seen_though_no_sum_says_so() -> None:
    net = walker(40)
    both = junction(True, [atom({7: 1}, 2), atom({23: 1}, 2)])
    assert grown(net).unreachable(both, 60.0)
    assert not grown(net).unreachable(atom({7: 1}, 2), 60.0)
    more = junction(False, [both, atom({3: 1, 5: 1, 9: 1}, 5), atom({3: 1}, 3)])
    assert grown(net, (more,)).unreachable(more, 60.0)
    assert not grown(net).unreachable(atom({3: 1, 5: 1, 9: 1}, 4), 60.0)
    assert StateEquation(net).unreachable(both, 20.0) is None


def test_an_event_that_needs_what_is_never_together_leads_nowhere() -> None:
    places = (Place("a", 1), Place("b"), Place("c"), Place("d", 1))
    events = (
        NetEvent("there", ((0, 1),), ((1, 1),)),
        NetEvent("back", ((1, 1),), ((0, 1),)),
        NetEvent("both", ((0, 1), (1, 1)), ((2, 1),)),
    )
    assert grown(Net("apart", places, events)).unreachable(atom({2: 1}, 1), 60.0)


def condition(model: Model, text: str) -> Formula:
    body = parse_formula(text, model).body
    assert isinstance(body, Formula)
    return body


def test_an_answer_by_pairs_says_so_and_conditions_of_temporal_formulas_use_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(NetWalks, "walk", lambda *_: None)
    model = as_model(walker(40))
    body = condition(model, "a7 >= 2 && a23 >= 2")
    asked = [Property("both", "reachable", body), Property("not both", "never", body)]
    answers = Structural(model).check(asked, Budget(timeout=120.0))
    assert [(a.verdict, a.engine) for a in answers] == [
        ("false", "value-pairs"),
        ("true", "value-pairs"),
    ]
    conditions = [body, condition(model, "a7 >= 2")]
    seen = Facts(model).look(conditions, Budget(timeout=60.0))
    assert [s.never for s in seen] == [True, False]


def test_no_more_of_a_sum_than_was_met_is_shown_by_pairs() -> None:
    """No weights of the places bound where the walker stands by less than it has tokens for."""
    model = as_model(walker(16))
    texts = {"bounds: a3": 2, "bounds: a3 + a5 + a9": 4, "bounds: a0 + 7": 9}
    asked = [parse_formula(text, model, name=text) for text in texts]
    answers = Structural(model).check(asked, Budget(timeout=120.0))
    assert {a.property.name: a.value for a in answers} == texts
    assert "value-pairs" in {a.engine for a in answers}


def test_a_relation_is_made_anew_for_a_goal_that_compares_with_more() -> None:
    net = walker(6)
    kept = ValuePairs()
    assert list(kept.unreachable(net, [atom({1: 1}, 2)], 60.0)) == []
    assert list(kept.unreachable(net, [atom({1: 1}, 3)], 60.0)) == [0]
    pairs = Pairs(net, [atom({1: 1}, 3)])
    assert pairs.tells_apart([atom({1: 1}, 3)])
    assert not Pairs(net).tells_apart([atom({1: 1}, 4)])


def test_a_relation_that_takes_longer_than_a_turn_goes_on_in_the_next() -> None:
    net = walker(12)
    whole, interrupted = grown(net), Pairs(net)
    both = junction(True, [atom({1: 1}, 2), atom({2: 1}, 2)])
    assert not interrupted.grow(-1.0)
    assert not interrupted.complete
    assert not interrupted.unreachable(both, 60.0), "nothing is said before it is complete"
    assert interrupted.grow(60.0)
    assert interrupted.relation.rows == whole.relation.rows
    kept = ValuePairs()
    assert list(kept.unreachable(net, [both], -1.0)) == []
    assert list(kept.unreachable(net, [both], 60.0)) == [0]


def test_nets_with_too_many_facts_are_left_alone() -> None:
    places = tuple(Place(f"p{i}") for i in range(2000))
    net = Net("large", places, (NetEvent("t", ((0, 1),), ((1, 1),)),))
    pairs = Pairs(net)
    assert not pairs.grow(60.0)
    assert not pairs.unreachable(atom({1: 1}, 1), 60.0)
    kept = ValuePairs()
    for bound in (1, 2, 4):
        assert list(kept.unreachable(net, [atom({1: 1}, bound)], 60.0)) == [], (
            "asked again and again"
        )


def test_a_net_with_a_weight_of_any_size_is_too_large_before_its_facts_are_made() -> None:
    huge = NetEvent("u", ((1, 2**31 - 1),), ((0, 1),))
    net = Net("heavy", (Place("a", 3), Place("b", 0)), (NetEvent("t", ((0, 1),), ((1, 1),)), huge))
    pairs = Pairs(net, [atom({1: 1}, 4)])
    assert not pairs.grow(60.0)
    assert not pairs.unreachable(atom({1: 1}, 4), 60.0)
    assert list(ValuePairs().unreachable(net, [atom({1: 1}, 4)], 60.0)) == []
