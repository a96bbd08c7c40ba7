"""Facts about nets: true of every reachable marking, and what they do for induction."""

from collections import Counter
from random import Random

import pytest
from random_ordinary import markings, ordinary_net, random_goal, satisfies

from plait.engines.bounded import Bounded
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.prepared import prepare
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Property
from plait.smt.certificate import Checker
from plait.smt.facts import Fact, Facts, facts_of
from plait.smt.induction import Proof
from plait.smt.relation import Relation
from plait.structure.linear import as_formula, atom


def true_of(fact: Fact, marking: tuple[int, ...]) -> bool:
    if fact.trap:
        return any(marking[p] for p, _ in fact.weights)
    return sum(w * marking[p] for p, w in fact.weights) <= fact.value


def test_facts_hold_in_every_reachable_marking_and_exclude_what_they_are_asked_to() -> None:
    excluded = traps = 0
    for seed in range(60):
        random = Random(seed)
        net = ordinary_net(random)
        reachable = markings(net)
        facts = facts_of(as_model(net), 5.0)
        if reachable is None or facts is None:
            continue
        for _ in range(6):
            state = tuple(random.randint(0, 3) for _ in net.places)
            fact = facts.excluding(state, 5.0)
            if fact is not None:
                assert not true_of(fact, state)
                excluded += 1
                traps += fact.trap
        for marking in reachable:
            assert all(true_of(fact, marking) for fact in facts.known), seed
            assert all(marking[p] <= most for p, most in facts.bounds.items()), seed
    assert excluded > 20
    assert traps > 2


def induced(seeds: range) -> Counter[str]:
    """The bounded engine on random nets, against all their markings."""
    count: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        names = {i: p.name for i, p in enumerate(net.places)}
        goals = [random_goal(random, len(net.places)) for _ in range(3)]
        asked = [
            Property(f"g{i}", kind="never", body=as_formula(g, names)) for i, g in enumerate(goals)
        ]
        model = as_model(net)
        engine = Bounded(model, Evidence(model), 3, alone=False)
        for goal, answer in zip(goals, engine.check(asked, Budget(10.0)), strict=True):
            assert "internal" not in (answer.reason or "")
            count[f"{answer.engine} {answer.verdict}"] += 1
            if answer.verdict != "unknown":
                real = any(satisfies(goal, m) for m in reachable)
                assert (answer.verdict == "false") == real, (seed, goal)
    return count


def test_induction_on_nets_is_right_and_succeeds() -> None:
    count = induced(range(20))
    assert count["k-induction true"] > 10, count
    assert count["bounded false"] > 3, count


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_induction_on_many_nets_is_right(block: int) -> None:
    induced(range(10_000 + block * 200, 10_000 + block * 200 + 200))


MUTEX = Net(
    "mutex",
    (Place("idle", 2), Place("busy", 0), Place("key", 1)),
    (
        NetEvent("enter", ((0, 1), (2, 1)), ((1, 1),)),
        NetEvent("leave", ((1, 1),), ((0, 1), (2, 1))),
    ),
)


def checker(facts: Facts) -> Checker:
    asked = Property("two", kind="never", body=as_formula(atom({1: 1}, 2), {1: "busy"}))
    prepared = prepare(as_model(MUTEX), [asked])
    titled, model = prepared.compiled.titled, prepared.rewritten.model
    relation = Relation(model, titled, narrow=False, facts=facts)
    return Checker(relation, prepared.properties, lambda: None)


def test_the_checker_wants_certificates_for_facts_and_bounds() -> None:
    key, both = Fact(((1, 1), (2, 1)), 1), Fact(((0, 1), (1, 1)), 2)
    known = [key, both]
    assert checker(Facts(MUTEX, {}, known)).accepts(Proof(0, 0, facts=(key, both)))
    assert checker(Facts(MUTEX, {0: 2, 1: 1, 2: 1}, known)).accepts(Proof(0, 0))
    assert not checker(Facts(MUTEX, {}, known)).accepts(Proof(0, 0)), "nothing excludes it"
    wrong = Fact(((1, 1),), 0)
    assert not checker(Facts(MUTEX, {}, [wrong])).accepts(Proof(0, 0, facts=(both, wrong)))
    least = Facts(MUTEX, {0: 2, 1: 0, 2: 1}, known)
    assert not checker(least).accepts(Proof(0, 0)), "busy may be 1"
    empty = Fact(((1, 1),), trap=True)
    assert not checker(Facts(MUTEX, {}, known)).accepts(Proof(0, 0, facts=(both, empty)))
