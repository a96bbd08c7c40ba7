"""Orders by vertex separation: what waits at the cuts, and where it is least."""

import math
from itertools import combinations, permutations
from random import Random

import pytest

from plait.engines.budget import Budget
from plait.engines.symbolic.attempts import candidates
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.orders import Orders
from plait.engines.symbolic.separation import Separation
from plait.engines.symbolic.tuning import Tuning
from plait.lang.gal import parse
from plait.model.types import Model


def waiting(separation: Separation, order: list[int]) -> float:
    """The cost by its definition."""
    total = 0.0
    for cut in range(len(order)):
        above, below = order[: cut + 1], order[cut + 1 :]
        sides = [
            sum(separation.weights[v] for v in one if separation.neighbours[v] & set(other))
            for one, other in ((above, below), (below, above))
        ]
        total += math.exp(min(sides))
    return math.log(total)


def test_the_cost_of_an_order_is_what_waits_at_its_cuts() -> None:
    random = Random(1)
    for _ in range(40):
        levels = [[cell] * random.randint(1, 3) for cell in range(random.randint(1, 8))]
        events = [random.sample(range(len(levels)), min(len(levels), 2)) for _ in range(9)]
        separation = Separation(levels, events)
        order = random.sample(range(len(levels)), len(levels))
        assert separation.cost(order) == pytest.approx(waiting(separation, order))


def test_the_greedy_order_is_best_for_paths_and_stars() -> None:
    path = Separation([[c] for c in range(7)], [(c, c + 1) for c in (4, 0, 5, 2, 1, 3)])
    star = Separation([[c] for c in range(7)], [(3, c) for c in (4, 0, 5, 2, 1, 6)])
    for separation in (path, star):
        best = min(separation.cost(order) for order in permutations(range(7)))
        assert sorted(separation.order()) == list(range(7))
        assert separation.cost(separation.order()) == pytest.approx(best)


def greedy(separation: Separation) -> list[int]:
    """The order by its definition: next comes the neighbour that leaves the least waiting."""
    order: list[int] = []
    levels = range(len(separation.neighbours))

    def waits(placed: list[int]) -> float:
        return sum(separation.weights[v] for v in placed if separation.neighbours[v] - {*placed})

    while len(order) < len(levels):
        left = [v for v in levels if v not in order]
        near = [v for v in left if separation.neighbours[v] & {*order}] or left

        def price(v: int) -> tuple[float, int, int]:
            more = waits([*order, v]) - waits(order)
            return round(more, 9), -len(separation.neighbours[v]), v

        order.append(min(near, key=price))
    return order


def test_the_next_level_is_the_one_that_leaves_the_least_waiting() -> None:
    random = Random(2)
    for _ in range(60):
        levels = [[cell] * random.randint(1, 3) for cell in range(random.randint(1, 14))]
        events = [random.sample(range(len(levels)), min(len(levels), 2)) for _ in range(20)]
        separation = Separation(levels, events)
        assert separation.order() == greedy(separation)


def test_an_event_that_touches_everything_makes_no_neighbours() -> None:
    separation = Separation([[c] for c in range(12)], [range(12), (3, 7)])
    assert [near for near in separation.neighbours if near] == [{7}, {3}]


def network(members: int) -> Model:
    """Members of three values, and between any two a channel that is changed by both of them."""
    names = [f"m{i}" for i in range(members)]
    cells = [f"int {name} = 0;" for name in names]
    steps = [
        f"transition {name}_{v} [{name} == {v}] {{ {name} = {(v + 1) % 3}; }}"
        for name in names
        for v in range(3)
    ]
    for a, b in combinations(names, 2):
        cells.append(f"int c_{a}_{b} = 0;")
        for v in range(3):
            for member, step in ((a, 1), (b, 2)):
                after = (v + step) % 3
                guard = f"c_{a}_{b} == {v} && {member} == {v}"
                steps.append(f"transition [{guard}] {{ c_{a}_{b} = {after}; {member} = {after}; }}")
    named = [s.replace("transition [", f"transition t{i} [") for i, s in enumerate(steps)]
    return parse(f"gal network {{ {' '.join(cells)} {' '.join(named)} }} main network;", "network")


def test_members_of_a_network_wait_and_hardly_a_channel_does() -> None:
    model = network(6)
    orders = Orders(model)
    found, mirrored = orders.separated("none")
    assert (found.name, mirrored.name) == ("separation", "separation down")
    assert mirrored.levels == found.levels[::-1]
    names = [variable.name for variable in model.system.variables]
    placed: set[str] = set()
    for (cell,) in found.levels:
        placed.add(names[cell])
        channels = [name.split("_")[1:] for name in placed if name.startswith("c_")]
        assert sum(not placed >= set(ends) for ends in channels) <= 1


def test_an_order_that_leaves_little_waiting_is_tried_and_can_be_asked_for() -> None:
    model = network(12)
    orders = Orders(model)
    separated = orders.separated("none")
    assert separated[0].costs["separation"] < -3
    tried = [order.name for order in candidates(orders, "none", Budget())]
    assert "separation" in tried
    assert "separation down" in tried
    small = network(3)
    space = Symbolic(small, tuning=Tuning(order="separation", merge="none")).states(Budget())
    assert space.stats["order"] == "separation"
    assert space.states == Symbolic(small).states(Budget()).states
