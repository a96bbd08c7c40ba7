"""Reductions keep what they promise, and traces lead back to the net."""

from dataclasses import replace
from random import Random

import pytest
from random_ordinary import Marking, markings, ordinary_net

from plait.engines.nets.expanded import NoWitness, expand_witness
from plait.engines.nets.reduced_ltl import expanded
from plait.engines.prepared import prepare
from plait.logic.formula import Exists, Globally
from plait.model.expr import TRUE
from plait.model.net import Net, NetEvent, Place, as_model
from plait.report.answer import Witness
from plait.structure import reductions
from plait.structure.draft import Trail
from plait.structure.reductions import Reduced, TooLong, reduce


def is_deadlock(net: Net, marking: Marking) -> bool:
    return not any(e.enabled(marking) for e in net.events)


def path_to(net: Net, target: Marking) -> list[int]:
    """Events that lead to a reachable marking."""
    came: dict[Marking, tuple[Marking, int] | None] = {net.initial: None}
    queue = [net.initial]
    for marking in queue:
        if marking == target:
            break
        for number, event in enumerate(net.events):
            if event.enabled(marking):
                after = event.fire(marking)
                if after not in came:
                    came[after] = (marking, number)
                    queue.append(after)
    events = []
    at = target
    while (step := came[at]) is not None:
        events.append(step[1])
        at = step[0]
    return events[::-1]


def executed(net: Net, events: list[int]) -> Marking:
    """The marking after these events, each of which must be enabled."""
    marking = net.initial
    for number in events:
        assert net.events[number].enabled(marking)
        marking = net.events[number].fire(marking)
    return marking


@pytest.mark.parametrize("block", range(4))
def test_the_markings_of_observed_places_stay_and_traces_lead_to_them(block: int) -> None:
    smaller = compared = 0
    for seed in range(block * 300, block * 300 + 300):
        random = Random(f"markings {seed}")
        net = ordinary_net(random, places=7, events=9)
        reachable = markings(net)
        if reachable is None:
            continue
        observed = sorted(random.sample(range(len(net.places)), random.randint(1, 2)))
        reduced = reduce(net, observed)
        left = markings(reduced.net)
        assert left is not None, seed
        here = [reduced.places.index(p) for p in observed]
        wanted = {tuple(m[p] for p in observed) for m in reachable}
        assert {tuple(m[p] for p in here) for m in left} == wanted, seed
        compared += 1
        smaller += len(reduced.net.events) < len(net.events)
        for marking in random.sample(left, min(3, len(left))):
            end = executed(net, reduced.expand(path_to(reduced.net, marking)))
            assert [end[p] for p in reduced.places] == list(marking), seed
    assert compared > 100
    assert smaller > compared // 3


@pytest.mark.parametrize("block", range(4))
def test_deadlocks_stay_and_traces_lead_to_them(block: int) -> None:
    smaller = compared = deadlocked = 0
    for seed in range(block * 300, block * 300 + 300):
        random = Random(f"deadlocks {seed}")
        net = ordinary_net(random, places=7, events=9)
        reachable = markings(net)
        if reachable is None:
            continue
        reduced = reduce(net, (), keeps="deadlocks")
        left = markings(reduced.net)
        assert left is not None, seed
        dead = [m for m in left if is_deadlock(reduced.net, m)]
        assert bool(dead) == any(is_deadlock(net, m) for m in reachable), seed
        compared += 1
        deadlocked += bool(dead)
        smaller += len(reduced.net.events) < len(net.events)
        for marking in random.sample(dead, min(3, len(dead))):
            end = executed(net, reduced.expand(path_to(reduced.net, marking), deadlock=True))
            assert is_deadlock(net, end), seed
    assert compared > 100
    assert deadlocked > 20
    assert smaller > compared // 4


def chain(length: int) -> Net:
    """A token that moves along a chain of places, and back from the last to the first."""
    places = tuple(Place(f"p{i}", int(i == 0)) for i in range(length))
    events = tuple(NetEvent(f"t{i}", ((i, 1),), (((i + 1) % length, 1),)) for i in range(length))
    return Net("chain", places, events)


def test_a_chain_of_a_thousand_events_becomes_two() -> None:
    reduced = reduce(chain(1000), [999])
    assert len(reduced.net.events) <= 2
    found = markings(reduced.net)
    assert found is not None
    last = reduced.places.index(999)
    full = next(m for m in found if m[last] == 1)
    events = reduced.expand(path_to(reduced.net, full))
    assert executed(chain(1000), events)[999] == 1
    assert len(events) == 999


def test_a_repeated_event_is_written_out_as_often_as_it_occurs() -> None:
    net = Net(
        "three at once",
        (Place("a", 1), Place("p"), Place("b")),
        (NetEvent("h", ((0, 1),), ((1, 6),)), NetEvent("f", ((1, 2),), ((2, 1),))),
    )
    reduced = reduce(net, [2])
    assert isinstance(reduced, Reduced)
    found = markings(reduced.net)
    assert found is not None
    most = max(found, key=lambda m: m[reduced.places.index(2)])
    events = reduced.expand(path_to(reduced.net, most))
    assert [net.events[e].name for e in events] == ["h", "f", "f", "f"]


def test_nets_with_inhibitor_arcs_are_refused() -> None:
    event = NetEvent("t", ((0, 1),), (), inhibitor=((1, 1),))
    with pytest.raises(ValueError, match="inhibitor"):
        reduce(Net("inhibited", (Place("a", 1), Place("b")), (event,)), [0])


def weights(net: Net) -> list[int]:
    return [w for e in net.events for _, w in (*e.pre, *e.post)]


def test_no_weight_and_no_token_leaves_the_integers() -> None:
    """Agglomeration multiplies weights: 2 to the power of 40 is not one."""
    places = (Place("p0", 1), *(Place(f"p{i}") for i in range(1, 41)))
    events = tuple(NetEvent(f"t{i}", ((i, 1),), ((i + 1, 2),)) for i in range(40))
    chain = Net("chain", places, events)
    found = reduce(chain, {40})
    assert len(found.net.places) < len(places)
    assert max(weights(found.net)) < 2**31
    full = Net(
        "full",
        (Place("p", 65_536), Place("q"), Place("o"), Place("x", 1)),
        (
            NetEvent("t0", ((0, 1),), ((1, 65_536),)),
            NetEvent("t1", ((1, 7),), ((2, 1),)),
            NetEvent("t2", ((3, 1),), ((0, 1),)),
        ),
    )
    assert max(p.initial for p in reduce(full, {2}).net.places) < 2**31


def test_a_deadlock_too_far_away_is_not_half_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    places = (Place("a", 60), Place("p"), Place("b"), Place("c"), Place("d", 1), Place("e"))
    net = Net(
        "far",
        places,
        (
            NetEvent("t0", ((0, 1),), ((1, 1),)),
            NetEvent("t1", ((1, 1), (2, 1)), ((2, 1), (3, 1))),
            NetEvent("t2", ((4, 1),), ((5, 1),)),
            NetEvent("t3", ((4, 1),), ((2, 1),)),
        ),
    )
    found = reduce(net, (), keeps="deadlocks")
    assert found.finish
    (stuck,) = [i for i, e in enumerate(found.net.events) if e.post == ()] or [0]
    leading = found.expand([stuck], deadlock=True)
    assert is_deadlock(net, executed(net, leading))
    monkeypatch.setattr(reductions, "LONGEST", 20)
    with pytest.raises(TooLong):
        found.expand([stuck], deadlock=True)


def endless() -> Reduced:
    """A net whose only event stays possible, and a trail of a few pairs that is 2^60 of it."""
    trail = Trail(0)
    for _ in range(60):
        trail = Trail(parts=((trail, 2),))
    net = Net("endless", (Place("a", 1),), (NetEvent("t", ((0, 1),), ((0, 1),)),))
    return Reduced(net, Net("left", (), ()), (), (), (), ((trail,),))


def test_a_trail_is_not_tried_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reductions, "LONGEST", 1000)
    with pytest.raises(TooLong):
        next(endless().finishing((1,)))
    with pytest.raises(TooLong):
        endless().expand([], deadlock=True)


def test_a_witness_that_ends_in_an_endless_trail_is_not_written_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reductions, "LONGEST", 1000)
    monkeypatch.setattr("plait.engines.nets.expanded.CELLS", 1000)
    reduced = endless()
    model = as_model(reduced.original)
    stays = Witness((), (), loop=0)
    assert expanded(stays, reduced, prepare(model)) is None
    always = (Exists(Globally(TRUE)), Exists(Globally(TRUE)))
    with pytest.raises(NoWitness, match="too long"):
        expand_witness(stays, reduced, prepare(model), always, {})
    begun = replace(reduced, prefix=reduced.finish[0], finish=())
    with pytest.raises(NoWitness, match="too long"):
        expand_witness(stays, begun, prepare(model), always, {})
