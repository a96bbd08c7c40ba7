"""Siphons and traps: what they say of deadlocks and liveness is what the states say."""

from itertools import combinations
from random import Random

import pytest
from random_ordinary import markings, ordinary_net

from plait.engines import Budget, check
from plait.engines.nets.siphon_trap import ENGINE, liveness, not_live_answers
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.model.expr import And, Enabled, Formula
from plait.model.net import Net, NetEvent, Place, Row, as_model
from plait.model.types import Property
from plait.structure.siphons import (
    deadlock_siphon,
    first_to_die,
    is_free_choice,
    live_free_choice,
    takes_single_tokens,
    untrapped_siphon,
)


def siphons(net: Net) -> list[set[int]]:
    """All siphons but the empty one, by definition."""
    found = []
    for size in range(1, len(net.places) + 1):
        for chosen in combinations(range(len(net.places)), size):
            inside = set(chosen)
            if all(takes(e, inside) for e in net.events if puts(e, inside)):
                found.append(inside)
    return found


def takes(event: NetEvent, places: set[int]) -> bool:
    return any(p in places for p, _ in event.pre)


def puts(event: NetEvent, places: set[int]) -> bool:
    return any(p in places for p, _ in event.post)


def has_marked_trap(net: Net, places: set[int]) -> bool:
    """Whether some trap inside is marked at first, by definition."""
    for size in range(1, len(places) + 1):
        for chosen in combinations(sorted(places), size):
            trap = set(chosen)
            closed = all(puts(e, trap) for e in net.events if takes(e, trap))
            if closed and any(net.initial[p] for p in trap):
                return True
    return False


def single(net: Net) -> Net:
    """The net with single tokens taken."""
    events = tuple(
        NetEvent(e.name, tuple((p, 1) for p, _ in e.pre) or ((0, 1),), e.post) for e in net.events
    )
    return Net(net.name, net.places, events)


def free_choice(random: Random) -> Net:
    """A random free-choice net: events in clusters that share all their inputs."""
    count = random.randint(2, 6)
    places = tuple(Place(f"p{i}", random.choice([0, 0, 1, 1, 2])) for i in range(count))
    order = random.sample(range(count), count)
    events = []
    while order:
        cluster = [order.pop() for _ in range(min(len(order), random.choice([1, 1, 2])))]
        pre: Row = tuple((p, 1) for p in sorted(cluster))
        for _ in range(random.choice([1, 1, 2])):
            put = random.sample(range(count), min(count, random.choice([1, 1, 1, 2])))
            post: Row = tuple((p, 1) for p in sorted(put))
            events.append(NetEvent(f"t{len(events)}", pre, post))
    return Net("choice", places, tuple(events))


def test_the_search_finds_a_siphon_exactly_where_there_is_one() -> None:
    found = missing = 0
    for seed in range(300):
        net = single(ordinary_net(Random(f"siphon {seed}"), places=5, events=5))
        wanted = [s for s in siphons(net) if not has_marked_trap(net, s)]
        touched = {p for e in net.events for p, _ in (*e.pre, *e.post)}
        answer = untrapped_siphon(net, 60)
        assert answer.none == (not any(s & touched for s in wanted)), seed
        if answer.siphon is not None:
            assert set(answer.siphon) in wanted, seed
        hit = [s for s in wanted if all(takes(e, s) for e in net.events)]
        dead = deadlock_siphon(net, 60)
        assert dead.none == (not hit), seed
        found += not answer.none
        missing += dead.none
    assert found > 50
    assert missing > 20


def test_where_siphons_exclude_a_deadlock_there_is_none() -> None:
    excluded = 0
    for seed in range(600):
        net = single(ordinary_net(Random(f"commoner {seed}"), places=5, events=6))
        reachable = markings(net)
        if reachable is None:
            continue
        if deadlock_siphon(net, 60).none:
            excluded += 1
            assert all(any(e.enabled(m) for e in net.events) for m in reachable), seed
    assert excluded > 20


def test_free_choice_nets_are_live_exactly_when_siphons_say_so() -> None:
    live = dead = 0
    for seed in range(500):
        net = free_choice(Random(f"live {seed}"))
        assert is_free_choice(net)
        if markings(net, 200) is None:
            continue
        asked = [
            Property(e.name, kind="ctl", body=Forall(Globally(Exists(Finally(Enabled((e.name,)))))))
            for e in net.events
        ]
        found = check(as_model(net, tuple(asked)), engine="reference")
        expected = all(a.verdict == "true" for a in found)
        assert live_free_choice(net, 60) is expected, (seed, net)
        live += expected
        dead += not expected
    assert live > 10
    assert dead > 100


def live(*events: str) -> Formula:
    """One of these events can happen again from everywhere."""
    return Forall(Globally(Exists(Finally(Enabled(events)))))


def test_events_are_said_not_to_be_live_only_where_they_are_not() -> None:
    """Each event, some in pairs, and all together, on random bounded free-choice nets."""
    alone = together = 0
    for seed in range(150):
        net = free_choice(Random(f"dies {seed}"))
        if markings(net, 200) is None or not net.events:
            continue
        names = [e.name for e in net.events]
        bodies = [*map(live, names), live(*names[:2]), And(tuple(map(live, names)))]
        asked = [Property(f"q{i}", kind="ctl", body=b) for i, b in enumerate(bodies)]
        model = as_model(net, tuple(asked))
        expected = check(model, engine="reference")
        found = not_live_answers(model, asked, Budget())
        for mine, theirs in zip(found, expected, strict=True):
            assert mine.verdict in ("unknown", theirs.verdict), (seed, mine.property.name, net)
        alone += any(a.verdict == "false" for a in found[:-1])
        together += found[-1].verdict == "false"
        if live_free_choice(net, 60) is False:
            assert found[-1].verdict == "false"
    assert alone > 10
    assert together > 30


def test_two_sources_leave_it_open_which_events_die() -> None:
    """Of two rings side by side one has no token: the other lives."""
    ring = [NetEvent(f"t{i}", ((i, 1),), ((i ^ 1, 1),)) for i in range(4)]
    net = Net("two", tuple(Place(f"p{i}", int(i == 0)) for i in range(4)), tuple(ring))
    assert first_to_die(net) == frozenset()
    (both,) = [Property("all", kind="ctl", body=And(tuple(live(e.name) for e in ring)))]
    one = Property("one", kind="ctl", body=live("t0"))
    other = Property("other", kind="ctl", body=live("t2", "nobody"))
    found = not_live_answers(as_model(net), [both, one, other], Budget())
    assert [a.verdict for a in found] == ["false", "unknown", "unknown"]


def test_siphons_show_that_a_net_with_many_states_is_not_live() -> None:
    """Thirty rings that one event joins: a token is lost there, so all come to their end."""
    size, rings = 8, 30
    places = tuple(Place(f"p{i}", int(i % size == 0)) for i in range(size * rings))

    def after(i: int) -> int:
        return i + 1 if (i + 1) % size else i + 1 - size

    events = [
        NetEvent(f"t{i}", ((i, 1),), ((after(i), 1),))
        for i in range(size * rings)
        if (i + 1) % size
    ]
    last = tuple((r * size + size - 1, 1) for r in range(rings))
    first = tuple((r * size, 1) for r in range(rings))
    events.append(NetEvent("join", last, first))
    events.append(NetEvent("lose", last, first[1:]))
    net = Net("lossy", places, tuple(events))
    assert is_free_choice(net)
    assert first_to_die(net) == frozenset(range(len(events)))
    asked = [Property("t0", kind="ctl", body=live("t0"))]
    (answer,) = not_live_answers(as_model(net), asked, Budget())
    assert (answer.verdict, answer.engine) == ("false", ENGINE)


RING = Net(
    "ring",
    tuple(Place(f"p{i}", 3 * (i == 0)) for i in range(40)),
    tuple(NetEvent(f"t{i}", ((i, 1),), (((i + 1) % 40, 1),)) for i in range(40)),
)


def test_the_portfolio_answers_by_siphons_where_there_are_many_states() -> None:
    """A ring of forty places with three tokens, and thirty of them side by side: 10^123 states."""
    many = Net(
        "rings",
        tuple(Place(f"r{r}{p.name}", p.initial) for r in range(30) for p in RING.places),
        tuple(
            NetEvent(
                f"r{r}{e.name}",
                tuple((40 * r + p, w) for p, w in e.pre),
                tuple((40 * r + p, w) for p, w in e.post),
            )
            for r in range(30)
            for e in RING.events
        ),
    )
    model = as_model(many)
    assert liveness(model, Budget()) is True
    asked = Property(
        "again", kind="ctl", body=Forall(Globally(Exists(Finally(Enabled(("r3t7",))))))
    )
    (answer,) = check(model, [asked])
    assert (answer.verdict, answer.engine) == ("true", ENGINE)


def test_what_is_no_such_net_is_refused_and_time_is_kept() -> None:
    twice = Net("twice", (Place("a", 1),), (NetEvent("t", ((0, 2),)),))
    assert not takes_single_tokens(twice)
    assert not is_free_choice(twice)
    with pytest.raises(ValueError, match="several"):
        deadlock_siphon(twice, 1)
    with pytest.raises(ValueError, match="free choice"):
        live_free_choice(twice, 1)
    shared = Net(
        "shared",
        (Place("a", 1), Place("b", 1)),
        (NetEvent("t", ((0, 1), (1, 1))), NetEvent("u", ((0, 1),))),
    )
    assert not is_free_choice(shared)
    assert liveness(as_model(shared), Budget()) is None
    over = untrapped_siphon(RING, 0.0)
    assert over.siphon is None
    assert not over.none
