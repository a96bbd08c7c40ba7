"""Conditions as linear goals mean what the formulas mean."""

from itertools import product

import pytest
from random_ordinary import satisfies

from plait.engines.prepared import Prepared, prepare
from plait.logic.parse import parse_formula
from plait.model.expr import Binary, Formula, Var
from plait.model.net import Net, NetEvent, Place, as_model, as_net
from plait.reference import Semantics
from plait.structure.linear import (
    Linear,
    NotLinear,
    atoms,
    deadlocked,
    enabled,
    size,
    wraps_from,
)

TEXTS = [
    "p + 2 * q >= r - 1",
    "p == q",
    "p != q + 1",
    "!(p < 2) && (q > 0 || r <= 1)",
    "p <= 1 -> q >= 1",
    "(p >= 1) <-> (q >= 1)",
    "-p + 3 > q",
    "true && !(false || p > 3)",
    "enabled(t)",
    "!enabled(u)",
    "enabled(t) || enabled(u)",
    "deadlock",
    "!deadlock",
]
NET = Net(
    "three",
    (Place("p", 2), Place("q", 1), Place("r", 0)),
    (
        NetEvent("t", ((0, 1),), ((2, 1),)),
        NetEvent("u", ((1, 1), (2, 2)), ((0, 2),)),
    ),
)


def linear_form(text: str) -> tuple[Prepared, Linear, Formula]:
    model = as_model(NET)
    asked = parse_formula(f"reachable: {text}", model)
    prepared = prepare(model, [asked])
    net = as_net(prepared.rewritten.model)
    assert isinstance(net, Net)
    body = prepared.properties[0].body
    assert isinstance(body, Formula)
    compiled = prepared.compiled
    return prepared, Linear(net, compiled.shape, compiled.titled), body


@pytest.mark.parametrize("text", TEXTS)
def test_a_linear_goal_holds_where_its_formula_does(text: str) -> None:
    prepared, linear, body = linear_form(text)
    semantics = Semantics(prepared.model)
    asked = parse_formula(f"reachable: {text}", prepared.model).body
    assert isinstance(asked, Formula)
    goal, opposite = linear.goal(body), linear.goal(body, positive=False)
    for marking in product(range(4), repeat=3):
        assert satisfies(goal, marking) == semantics.holds(asked, marking), marking
        assert satisfies(opposite, marking) != satisfies(goal, marking), marking


def test_a_product_of_places_is_not_linear() -> None:
    _, linear, body = linear_form("p * q > 2")
    with pytest.raises(NotLinear):
        linear.goal(body)


def test_sums_say_from_which_number_of_tokens_they_may_wrap() -> None:
    assert wraps_from(linear_form("p > 5 && q <= r")[2]) is None
    assert wraps_from(linear_form("p + q > 5")[2]) == 2**31
    assert wraps_from(linear_form("2 * p + q + 100 > 5")[2]) == (2**31 - 101) // 2 + 1
    assert wraps_from(linear_form("p + q > r + 7")[2]) == 2**31 - 7
    # What is added is too large without any token; a number that is only compared never is.
    assert wraps_from(linear_form("p + 2147483647 + 1 > 0")[2]) == 0
    assert wraps_from(linear_form("p + q >= -2147483648")[2]) == 2**31
    # p > -p becomes 2 p > 0, and 2 p wraps around where neither side does.
    assert wraps_from(linear_form("p > 0 - p")[2]) == 2**30


def test_a_sum_that_is_shared_a_hundred_times_is_looked_at_once() -> None:
    _, linear, _ = linear_form("p > 0")
    doubled: Binary | Var = Var("p")
    for _ in range(100):
        doubled = Binary("+", doubled, doubled)
    assert linear.sum((doubled, 1)) == ({0: 2**100}, 0)


def test_a_deadlock_asks_once_for_what_several_events_need() -> None:
    net = Net(
        "alike",
        (Place("p", 0), Place("q", 0)),
        (
            NetEvent("a", ((0, 2), (1, 1)), ((1, 1),)),
            NetEvent("b", ((0, 2), (1, 1)), ()),
            NetEvent("c", ((1, 2),), (), ((0, 1),)),
        ),
    )
    dead, alive = deadlocked(net), enabled(net.events)
    assert size(dead) == size(alive) == 4
    for marking in product(range(4), repeat=2):
        found = any(e.enabled(marking) for e in net.events)
        assert satisfies(alive, marking) == found
        assert satisfies(dead, marking) == (not found)


def test_equal_inequalities_of_events_are_made_once() -> None:
    places = tuple(Place(f"p{i}", 0) for i in range(4))
    events = (NetEvent(f"e{i}{j}", ((i, 1), (j, 1))) for i in range(4) for j in range(i))
    goal = enabled(tuple(events))
    assert size(goal) == 12
    assert len({id(a) for a in atoms(goal)}) == len(places)
