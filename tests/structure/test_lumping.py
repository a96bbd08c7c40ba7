"""Lumped nets stand for exactly the reachable markings of the net, and are counted by tables."""

from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random

import pytest
from random_ordinary import Marking, markings, ordinary_net

from plait.model.net import Net, NetEvent, Place, as_net
from plait.models import fms, kanban
from plait.structure.lumped import Lumped
from plait.structure.lumping import lump
from plait.structure.parts import Both, Leaf, Parts, Sum, Tables, convolve
from plait.structure.redundancy import Redundancy

Arcs = dict[int, int]
Shares = dict[int, int]
"""The tokens of some places of the original net."""


def net_of(initial: Iterable[int], *events: tuple[Arcs, Arcs]) -> Net:
    places = tuple(Place(f"p{i}", n) for i, n in enumerate(initial))
    rows = ((tuple(sorted(a.items())), tuple(sorted(b.items()))) for a, b in events)
    return Net("net", places, tuple(NetEvent(f"t{i}", a, b) for i, (a, b) in enumerate(rows)))


def shares(lumped: Lumped, part: int, value: int) -> list[Shares]:
    """What a value of a part stands for, one by one."""
    if value < 0:
        return []
    match lumped.parts.parts[part]:
        case Sum(left, right):
            return [
                a | b
                for x in range(value + 1)
                for a in shares(lumped, left, x)
                for b in shares(lumped, right, value - x)
            ]
        case Both(main, other, sign, constant):
            beside = shares(lumped, other, sign * value + constant)
            return [a | b for a in shares(lumped, main, value) for b in beside]
        case _:
            return [{part: value}]


def value_of(lumped: Lumped, part: int, tokens: Shares) -> int:
    match lumped.parts.parts[part]:
        case Sum(left, right):
            return value_of(lumped, left, tokens) + value_of(lumped, right, tokens)
        case Both(main):
            return value_of(lumped, main, tokens)
        case _:
            return tokens[part]


def stands_for(net: Net, lumped: Lumped) -> Counter[Marking]:
    """The markings of the net that those of the lumped net stand for, and how often each does."""
    left, parts = lumped.residue("left")
    found: Counter[Marking] = Counter()
    reached = markings(left, 4000)
    assert reached is not None
    for marking in reached:
        values = [*lumped.constants.items(), *zip(parts, marking, strict=True)]
        for combined in product(*(shares(lumped, part, value) for part, value in values)):
            tokens: Shares = {}
            for some in combined:
                tokens |= some
            for one in reversed(lumped.dropped):
                terms = (f * value_of(lumped, p, tokens) for p, f in one.factors.items())
                tokens[one.place] = one.constant + sum(terms)
            found[tuple(tokens[place] for place in range(len(net.places)))] += 1
    return found


def worked_net(random: Random) -> Net:
    """A net of moves and of work done by others: x + M -> P, P -> y + M."""
    count = random.randint(4, 8)
    initial = [random.choice([0, 0, 0, 1, 1, 2, 3]) for _ in range(count)]
    events: list[tuple[Arcs, Arcs]] = []
    for _ in range(random.randint(1, 5)):
        x, m, p, y = random.sample(range(count), 4)
        if random.random() < 0.5:
            events.append(({x: 1}, {y: 1}))
            continue
        events += [({x: 1, m: 1}, {p: 1}), ({p: 1}, {y: 1, m: 1})]
        if random.random() < 0.4:
            events.append(({p: 1}, {x: 1, m: 1}))
        if random.random() < 0.3:
            events.append(({y: 1, m: 1}, {x: 1, m: 1}))
        if random.random() < 0.3:
            events.append(({x: 1, y: 1}, {p: 1, m: 1}))
    return net_of(initial, *events)


@pytest.mark.parametrize("seed", range(6))
def test_lumped_nets_stand_for_the_reachable_markings_each_once(seed: int) -> None:
    random = Random(seed)
    lumped_nets, rules = 0, Counter[str]()
    for _ in range(60):
        net = worked_net(random) if random.random() < 0.7 else ordinary_net(random)
        reachable = markings(net, 600)
        if reachable is None:
            continue
        lumped = lump(net)
        rules.update(type(part).__name__ for part in lumped.parts.parts)
        lumped_nets += len(lumped.initial) < len(net.places)
        assert stands_for(net, lumped) == Counter(set(reachable)), net
    assert lumped_nets > 15
    assert rules["Sum"] > 3


ONE = {0: 1}
RULES = {
    "a loop of moves": net_of([2, 1, 0], (ONE, {1: 1}), ({1: 1}, {2: 1}), ({2: 1}, ONE)),
    "a chain": net_of([3, 0], (ONE, {1: 1})),
    "a loop through a multiset": net_of(
        [2, 1, 0, 0], (ONE, {2: 1, 3: 1}), ({2: 1, 3: 1}, {1: 1}), ({1: 1}, ONE)
    ),
    "a capacity behind a chain": net_of(
        [3, 2, 0, 0], ({0: 1, 1: 1}, {2: 1}), ({2: 1}, {3: 1, 1: 1})
    ),
    "a capacity that gives back": net_of(
        [3, 1, 1, 0], ({0: 1, 1: 1}, {2: 1}), ({2: 1}, {0: 1, 1: 1}), (ONE, {3: 1})
    ),
    "twins": net_of([1, 2, 3], ({0: 1, 1: 1}, {2: 1}), ({2: 1}, {0: 1, 1: 1})),
    "a constant": net_of([1, 2], ({0: 1, 1: 1}, {1: 1})),
    "work with others who hold the worker": net_of(
        [2, 0, 2, 0, 0, 1],
        ({0: 1, 2: 1}, {3: 1}),
        ({3: 1}, {1: 1, 2: 1}),
        ({1: 1}, ONE),
        ({2: 1, 5: 1}, {4: 1}),
        ({4: 1}, {2: 1, 5: 1}),
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_leaves_fewer_places_and_the_same_markings(rule: str) -> None:
    net = RULES[rule]
    lumped = lump(net)
    reachable = markings(net, 4000)
    assert reachable is not None
    assert len(lumped.initial) < len(net.places)
    assert stands_for(net, lumped) == Counter(set(reachable))


NOT = {
    "a chain whose end has tokens": net_of([0, 1], (ONE, {1: 1}), ({1: 2}, ONE)),
    "a chain with another way in": net_of([2, 0, 1], (ONE, {1: 1}), ({2: 1}, {1: 1})),
    "a chain whose end is tested": net_of(
        [2, 0, 1, 0], (ONE, {1: 1}), ({1: 1, 2: 1}, {1: 1, 3: 1})
    ),
    "a worker that may be gone": net_of(
        [2, 0, 1, 0], ({0: 1, 2: 1}, {3: 1}), ({3: 1}, {1: 1, 2: 1}), ({1: 1}, ONE), ({2: 1}, {})
    ),
    "a capacity of nobody": net_of([2, 0, 0, 0], ({0: 1, 1: 1}, {2: 1}), ({2: 1}, {3: 1, 1: 1})),
    "a capacity that is asked for too much": net_of(
        [1, 1, 0, 0, 1, 0],
        ({0: 1, 1: 1}, {2: 1}),
        ({2: 1}, {3: 1, 1: 1}),
        ({4: 1, 1: 2}, {5: 1, 1: 2}),
    ),
    "a capacity in use": net_of([1, 1, 1, 0], ({0: 1, 1: 1}, {2: 1}), ({2: 1}, {3: 1, 1: 1})),
    "work that nobody does": net_of(
        [2, 0, 0, 0], ({0: 1, 2: 1}, {3: 1}), ({3: 1}, {1: 1, 2: 1}), ({1: 1}, ONE)
    ),
    "a twin that is needed more": net_of([2, 2, 0], ({0: 1, 1: 2}, {1: 1, 2: 1})),
}


@pytest.mark.parametrize("trap", NOT)
def test_what_only_looks_like_a_rule_is_counted_right(trap: str) -> None:
    net = NOT[trap]
    reachable = markings(net, 4000)
    assert reachable is not None
    assert stands_for(net, lump(net)) == Counter(set(reachable))


def test_a_place_that_a_sum_of_others_implies_is_dropped_with_its_value() -> None:
    # p0 starts what p1 and p2 go through in turn; p3 counts both.
    net = net_of([2, 0, 0, 0], (ONE, {1: 1, 3: 1}), ({1: 2}, {2: 2}), ({2: 1, 3: 1}, {}))
    lumped = lump(net)
    assert [(one.place, dict(one.factors), one.constant) for one in lumped.dropped] == [
        (3, {1: 1, 2: 1}, 0)
    ]
    assert stands_for(net, lumped) == Counter(set(markings(net) or ()))


def test_what_the_solver_proposes_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(11)

    def propose(self: Redundancy, place: int) -> dict[int, int]:
        return {other: 1 for other in self.net.initial if other != place and random.random() < 0.5}

    monkeypatch.setattr(Redundancy, "_factors", propose)
    for _ in range(80):
        net = ordinary_net(random, places=4, events=4)
        reachable = markings(net, 200)
        if reachable is not None:
            assert stands_for(net, lump(net)) == Counter(set(reachable)), net
    # p3 is p1 + p2, but an event needs more of it than these would tell.
    counted = ({0: 1}, {1: 1, 3: 1}), ({1: 2}, {2: 2}), ({2: 1, 3: 1}, {})
    net = net_of([2, 0, 0, 0, 1, 0], *counted, ({4: 1, 3: 2}, {5: 1, 3: 2}))
    monkeypatch.setattr(Redundancy, "_factors", lambda _, p: {1: 1, 2: 1} if p == 3 else None)
    assert stands_for(net, lump(net)) == Counter(set(markings(net) or ()))


@pytest.mark.parametrize(
    ("model", "states"),
    [
        (kanban(2000), 2875887617083828264033450546613401),
        (fms(1000), 21576588217001978419563077657284401),
    ],
)
def test_nets_that_lump_away_are_counted_for_thousands_of_tokens(model, states: int) -> None:
    net = as_net(model)
    assert isinstance(net, Net)
    lumped = lump(net)
    assert not lumped.initial
    tables = Tables(lumped.parts, {}, lumped.constants)
    found = 1
    for part, value in lumped.constants.items():
        found *= tables[part][value]
    assert found == states


def test_the_product_of_tables_is_that_of_all_pairs() -> None:
    random = Random(5)
    for _ in range(60):
        most = random.choice([3, 40, 90])
        a, b = (
            [0] * (at := random.choice([0, 0, 2])) + [1] * (most + 1 - at)
            if random.random() < 0.3
            else [random.choice([0, 1, 7, 10**30]) for _ in range(random.randint(1, most + 1))]
            for _ in range(2)
        )
        slow = [0] * (most + 1)
        for x, n in enumerate(a):
            for y, m in enumerate(b):
                if x + y <= most:
                    slow[x + y] += n * m
        assert convolve(a, b, most) == slow


def test_the_greatest_leaves_and_sums_are_those_of_all_shares() -> None:
    parts = Parts(5)
    limited = parts.add(Both(1, 2, -1, 3))
    shared = parts.add(Sum(0, limited))
    twin = parts.add(Both(3, 4, 1, 2))
    root = parts.add(Sum(shared, twin))
    lumped = Lumped(parts, {}, [])
    tables = Tables(parts, {root: 9}, {})
    factors = {0: 1, 1: 1, 2: 3, 3: 1, 4: 1, shared: 2}
    leaves, sums = tables.greatest_leaves(), tables.greatest_sums(factors)
    assert leaves is not None
    assert sums is not None
    for value in range(10):
        all_shares = shares(lumped, root, value)
        assert tables[root][value] == len(all_shares)
        assert leaves[root][value] == max(max(s.values()) for s in all_shares)
        expected = max(
            sum(f * value_of(lumped, p, s) for p, f in factors.items()) for s in all_shares
        )
        assert sums[root][value] == expected
    at_least = tables.where({1: 2, 4: 4})
    for value in range(10):
        some = [s for s in shares(lumped, root, value) if s[1] >= 2 and s[4] >= 4]
        assert at_least[root][value] == len(some)
    assert isinstance(parts.parts[0], Leaf)
