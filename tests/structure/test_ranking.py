"""Ranking functions: what is said to be left by every run has no cycle of reachable markings."""

from random import Random

import pytest
from random_ordinary import markings, ordinary_net, random_goal, satisfies

from plait.model.net import Net, NetEvent, Place
from plait.structure.certificate import takes_away
from plait.structure.equation import StateEquation
from plait.structure.linear import Atom, Goal, junction
from plait.structure.ranking import is_left

RING = Net(
    "ring",
    (Place("a", 2), Place("b", 0), Place("c", 0)),
    (
        NetEvent("ab", ((0, 1),), ((1, 1),)),
        NetEvent("bc", ((1, 1),), ((2, 1),)),
        NetEvent("ca", ((2, 1),), ((0, 1),)),
    ),
)
"""Tokens go around: a run without end meets every place again and again."""


def has_cycle(net: Net, inside: set[tuple[int, ...]]) -> bool:
    """Whether some run stays in these markings for ever: what has no step inside is taken away."""
    left = set(inside)
    while True:
        last = {m for m in left if not any(e.enabled(m) and e.fire(m) in left for e in net.events)}
        if not last:
            return bool(left)
        left -= last


@pytest.mark.parametrize("block", range(3))
def test_no_run_stays_where_weights_say_that_none_does(block: int) -> None:
    left = steps = kept = 0
    for seed in range(block * 150, block * 150 + 150):
        random = Random(f"ranking {seed}")
        net = ordinary_net(random)
        reachable = markings(net, 300)
        if reachable is None:
            continue
        equation = StateEquation(net)
        for _ in range(3):
            goal = random_goal(random, len(net.places))
            inside = {m for m in reachable if satisfies(goal, m)}
            stays = has_cycle(net, inside)
            for bounded in (False, True):
                found = is_left(equation, goal, 5.0, bounded=bounded)
                assert not (found and stays), (seed, goal)
                left += found
                steps += found and any(
                    e.enabled(m) and e.fire(m) in inside for m in inside for e in net.events
                )
            kept += stays
    assert min(left, steps, kept) > 10, (left, steps, kept)


@pytest.mark.parametrize(
    ("goal", "left"),
    [
        (Atom(((0, -1),), 0), True),  # a is empty
        (Atom(((0, -1),), -1), False),  # a has one token at most: the other goes around
        (Atom(((0, 1),), 2), True),  # a has both tokens
        (Atom(((0, 1),), 1), False),  # a has one
        (junction(False, [Atom(((0, -1),), 0), Atom(((1, -1),), 0)]), False),
        (junction(True, [Atom(((0, -1), (1, -1)), 0)]), True),
        (Atom(((0, 1),), 0), False),  # always
    ],
)
def test_of_a_ring_is_left(goal: Goal, left: bool) -> None:
    assert is_left(StateEquation(RING), goal, 60.0, bounded=True) is left


def test_negative_weights_need_a_bound() -> None:
    """The number of tokens grows for ever, and with the weight -1 every step lowers it."""
    net = Net("source", (Place("p", 0), Place("q", 1)), (NetEvent("t", (), ((0, 1),)),))
    always = Atom(((1, 1),), 1)
    assert not is_left(StateEquation(net), always, 60.0, bounded=False)
    assert takes_away(net, {0: -1}, [0], signed=True)
    assert not takes_away(net, {0: -1}, [0])
    assert not takes_away(net, {0: 1}, [0], signed=True)


def test_what_an_event_leaves_there_is_what_counts_afterwards() -> None:
    """Two tokens come together and go one by one: with one at most none ever comes."""
    net = Net(
        "pair",
        (Place("p", 0), Place("q", 1), Place("r", 0)),
        (
            NetEvent("come", ((1, 1),), ((0, 2),)),
            NetEvent("go", ((0, 1),), ((2, 1),)),
            NetEvent("back", ((2, 2),), ((1, 1),)),
        ),
    )
    assert is_left(StateEquation(net), Atom(((0, -1),), -1), 60.0, bounded=True)
    assert not is_left(StateEquation(net), Atom(((0, -1),), -2), 60.0, bounded=True)
