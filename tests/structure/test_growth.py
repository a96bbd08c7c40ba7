"""Nets without bound are recognised, and never given one."""

from dataclasses import replace
from random import Random

import pytest
from random_ordinary import markings, ordinary_net

from plait.engines import check, states
from plait.engines.budget import Budget
from plait.engines.nets.engine import Structural
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.structure.growth import growth

PRODUCER = Net(
    "producer",
    (Place("idle", 1), Place("busy"), Place("store")),
    (
        NetEvent("begin", ((0, 1),), ((1, 1),)),
        NetEvent("end", ((1, 1),), ((0, 1), (2, 1))),
    ),
)


def test_a_run_that_can_be_repeated_and_adds_tokens_is_a_growth() -> None:
    found = growth(PRODUCER, [], [0, 1])
    assert found is not None
    assert found.gain == {2: 1}
    assert found.why(PRODUCER) == (
        "unbounded: begin, end can be repeated for ever and add to store"
    )


def test_what_is_not_repeatable_or_adds_nothing_is_none() -> None:
    assert growth(PRODUCER, [], [0]) is None
    assert growth(PRODUCER, [], []) is None
    assert growth(PRODUCER, [1], [0, 1]) is None
    assert growth(PRODUCER, [0], [1, 1]) is None
    inhibited = replace(PRODUCER.events[0], inhibitor=((2, 3),))
    assert growth(replace(PRODUCER, events=(inhibited, PRODUCER.events[1])), [], [0, 1]) is None


@pytest.mark.parametrize("block", range(2))
def test_only_nets_with_infinitely_many_markings_are_called_unbounded(block: int) -> None:
    said = infinite = 0
    for seed in range(block * 60, block * 60 + 60):
        net = ordinary_net(Random(f"growth {seed}"))
        reachable = markings(net, 2000)
        why = Structural(as_model(net)).unbounded(Budget(timeout=0.3))
        assert why is None or reachable is None, seed
        said += why is not None
        infinite += reachable is None
    assert infinite > 10
    assert said > infinite * 3 // 4


def test_the_state_space_of_a_growing_net_ends_with_the_reason() -> None:
    space = states(as_model(PRODUCER), budget=Budget(timeout=60))
    assert not space.complete
    assert space.reason is not None
    assert space.reason.startswith("unbounded: ")


def test_the_bound_of_a_growing_place_is_unknown_because_it_has_none() -> None:
    model = as_model(PRODUCER)
    questions = [parse_formula(t, model) for t in ("bounds: store", "bounds: idle + busy")]
    store, rest = check(model, questions, budget=Budget(timeout=60))
    assert (store.verdict, store.value) == ("unknown", None)
    assert store.reason is not None
    assert store.reason.startswith("unbounded: ")
    assert (rest.verdict, rest.value) == ("true", 1)
