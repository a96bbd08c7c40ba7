"""Escapes: what is said to be left from everywhere has no marking from which all runs stay."""

from random import Random

import pytest
from random_ordinary import Marking, markings, ordinary_net, random_goal, satisfies

from plait.model.net import Net, NetEvent, Place, Row
from plait.structure.equation import StateEquation
from plait.structure.escape import Escapes
from plait.structure.linear import TRUE, Atom, Goal, atom, junction


def enabled(event: NetEvent) -> Goal:
    """That an event can be executed."""
    return junction(True, [atom({p: 1}, w) for p, w in event.pre])


def keeps_some(net: Net, reachable: list[Marking], goal: Goal) -> bool:
    """Whether from some marking that satisfies the goal no run leads to one that does not."""
    outside = {m for m in reachable if not satisfies(goal, m)}
    while True:
        more = {
            m
            for m in reachable
            if m not in outside and any(e.enabled(m) and e.fire(m) in outside for e in net.events)
        }
        if not more:
            return len(outside) < len(reachable)
        outside |= more


@pytest.mark.parametrize("block", range(3))
def test_from_everywhere_some_run_leaves_what_is_said_to_be_left(block: int) -> None:
    told, stayed, several = 0, 0, 0
    for seed in range(block * 150, block * 150 + 150):
        random = Random(f"escape {seed}")
        net = ordinary_net(random)
        reachable = markings(net, 300)
        if reachable is None:
            continue
        escapes = Escapes(StateEquation(net))
        asked = [random_goal(random, len(net.places)) for _ in range(2)]
        some = random.sample(net.events, min(2, len(net.events)))
        one_of = junction(False, [enabled(e) for e in some])
        asked += [enabled(some[0]), one_of, junction(True, [one_of, asked[0]])]
        asked.append(junction(False, [asked[-1], enabled(some[-1])]))
        for goal in asked:
            stays = keeps_some(net, reachable, goal)
            found = escapes.exist(goal, 5.0)
            assert not (found and stays), (seed, goal)
            told += found
            several += found and goal is one_of
            stayed += stays
    assert min(told, stayed, several) > 10, (told, stayed, several)


def net_of(initial: list[int], *events: tuple[Row, Row]) -> Net:
    places = tuple(Place(f"p{i}", tokens) for i, tokens in enumerate(initial))
    return Net("net", places, tuple(NetEvent(f"t{i}", *e) for i, e in enumerate(events)))


MOVE, BACK = (((0, 1),), ((1, 1),)), (((1, 1),), ((0, 1),))
TEST, GROW = (((0, 1),), ((0, 1),)), (((0, 1),), ((0, 2),))
ON = (((1, 1),), ((2, 1),))


@pytest.mark.parametrize(
    ("net", "asked", "left"),
    [
        (net_of([3, 0], MOVE), [0], True),  # it is executed until there is nothing to move
        (net_of([3, 0], MOVE, BACK), [0], True),  # whatever comes back may stay away
        (net_of([3, 0], MOVE, BACK), [0, 1], False),  # the tokens are here or there
        (net_of([3, 0, 0], MOVE, ON), [0, 1], True),  # one after the other
        (net_of([3, 0], TEST), [0], False),
        (net_of([3, 0], GROW), [0], False),
        (net_of([3, 0], ((), ((0, 1),))), [0], False),  # always
    ],
)
def test_that_some_of_these_events_are_enabled_is_left(
    net: Net, asked: list[int], left: bool
) -> None:
    goal = junction(False, [enabled(net.events[n]) for n in asked])
    assert Escapes(StateEquation(net)).exist(goal, 60.0) is left


def test_what_is_left_need_not_be_written_as_a_transition() -> None:
    """Where there are two tokens at least, one can go; of what is outside nothing is asked."""
    escapes = Escapes(StateEquation(net_of([3, 0], MOVE, BACK)))
    assert escapes.exist(Atom(((0, 2),), 3), 60.0)
    assert escapes.exist(junction(True, [atom({0: 1}, 1), atom({1: -1}, -7)]), 60.0)
    assert not escapes.exist(atom({0: 1, 1: 1}, 1), 60.0)
    assert not escapes.exist(atom({0: 1}, 0), 60.0)
    assert not escapes.exist(TRUE, 60.0)


def test_an_event_that_leads_outside_at_once_may_put_back_what_it_took() -> None:
    """Of two tokens at most three are left by a step that brings two."""
    net = net_of([1, 1], (((0, 1),), ((0, 3),)), (((0, 3), (1, 1)), ((0, 1), (1, 1))))
    few = junction(True, [atom({0: 1}, 1), atom({0: -1}, -2)])
    assert Escapes(StateEquation(net)).exist(few, 60.0)
