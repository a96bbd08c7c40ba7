"""The directed search: goals of random nets against all their markings, and what it leaves out."""

from collections import Counter
from random import Random

import pytest
from random_ordinary import markings, ordinary_net, random_goal

from plait.engines.budget import Budget
from plait.engines.nets.directed import DirectedSearch, Led
from plait.engines.nets.engine import Structural
from plait.engines.nets.value_pairs import ValuePairs
from plait.engines.nets.walks import NetWalks
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Property
from plait.structure.equation import StateEquation
from plait.structure.linear import FALSE, TRUE, Goal, as_formula, as_sum, atom, holds, junction


def after(net: Net, events: list[int]) -> tuple[int, ...]:
    marking = net.initial
    for event in events:
        assert net.events[event].enabled(marking)
        marking = net.events[event].fire(marking)
    return marking


def test_a_goal_is_found_exactly_when_a_reachable_marking_satisfies_it() -> None:
    count: Counter[bool] = Counter()
    for seed in range(150):
        random = Random(seed)
        net = ordinary_net(random)
        reachable = markings(net)
        search = DirectedSearch(net)
        for _ in range(4):
            goal = random_goal(random, len(net.places))
            led = search.search(goal, Budget(states=2000))
            if led.events is not None:
                assert holds(goal, after(net, led.events)), seed
            if reachable is not None:
                real = any(holds(goal, m) for m in reachable)
                assert (led.events is not None, led.nowhere) == (real, not real), seed
                count[real] += 1
    assert min(count.values()) > 100


def test_constants_are_goals_too() -> None:
    net = Net("one", (Place("p", 1),), (NetEvent("t", ((0, 1),), ()),))
    assert DirectedSearch(net).search(TRUE, Budget()) == Led([])
    assert DirectedSearch(net).search(FALSE, Budget()) == Led(None, True)


def lock(length: int) -> Net:
    """A lock that one of four events opens a little, while the others close it again."""
    places = tuple(Place(f"s{i}", int(i == 0)) for i in range(length + 1))
    events = [
        NetEvent(f"turn{i}_{k}", ((i, 1),), ((i + 1 if k == i % 4 else 0, 1),))
        for i in range(length)
        for k in range(4)
    ]
    return Net("lock", places, tuple(events))


def test_a_long_way_is_found_without_looking_left_and_right() -> None:
    net = lock(300)
    led = DirectedSearch(net).search(atom({300: 1}, 1), Budget())
    assert led.events is not None
    assert len(led.events) == 300
    assert DirectedSearch(net).search(atom({300: 1}, 2), Budget()).nowhere


def test_what_limits_end_is_neither_found_nor_shown_to_be_nowhere() -> None:
    places = tuple(Place(f"p{i}", 1) for i in range(24))
    steps = [NetEvent(f"t{i}", ((i, 1),), ((i, 1), ((i + 1) % 24, 1))) for i in range(24)]
    net = Net("growing", places, tuple(steps))
    goal = junction(True, [atom({0: 1, 5: -1}, 1), atom({5: 1, 0: -1}, 1)])
    search = DirectedSearch(net)
    assert search.search(goal, Budget(states=500)) == Led()
    assert search.search(goal, Budget(timeout=0.0)) == Led()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else answers."""
    monkeypatch.setattr(NetWalks, "walk", lambda *_: None)
    monkeypatch.setattr(ValuePairs, "unreachable", lambda *_: iter(()))
    monkeypatch.setattr(StateEquation, "available", property(lambda _: False))
    monkeypatch.setattr(StateEquation, "bound", lambda *_: 1000)


@pytest.mark.usefixtures("alone")
def test_properties_and_bounds_of_nets_are_answered_and_replayed() -> None:
    count: Counter[tuple[str, str]] = Counter()
    for seed in range(40):
        random = Random(1000 + seed)
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        names = {i: p.name for i, p in enumerate(net.places)}
        goals: list[Goal] = [random_goal(random, len(net.places)) for _ in range(3)]
        weights = {p: random.randint(1, 2) for p in range(len(net.places)) if random.random() < 0.6}
        asked = [
            Property("reachable", "reachable", as_formula(goals[0], names)),
            Property("never", "never", as_formula(goals[1], names)),
            Property("invariant", "invariant", as_formula(goals[2], names)),
            Property("bounds", "bounds", as_sum(weights or {0: 1}, 2, names)),
            Property("deadlock", "deadlock"),
        ]
        model = as_model(net, tuple(asked))
        answers = Structural(model).check(asked, Budget(timeout=60.0))
        real = [
            any(holds(goals[0], m) for m in reachable),
            not any(holds(goals[1], m) for m in reachable),
            all(holds(goals[2], m) for m in reachable),
        ]
        dead = [m for m in reachable if not any(e.enabled(m) for e in net.events)]
        assert [a.verdict for a in answers] == [
            *("true" if value else "false" for value in real),
            "true",
            "false" if dead else "true",
        ], seed
        most = max(sum(c * m[p] for p, c in (weights or {0: 1}).items()) for m in reachable)
        assert answers[3].value == most + 2, seed
        directed = [a for a in answers if a.engine == "structural-reduction+directed"]
        count.update((a.property.kind, a.verdict) for a in directed)
        found = [a for a in directed if a.witness is not None]
        assert all(a.replayed for a in found)
    assert all(
        count[kind, verdict] for kind in ("reachable", "never") for verdict in ("true", "false")
    )
