"""Coverability: backward search against all markings, and against trees of Karp and Miller."""

from collections import Counter
from collections.abc import Iterator
from math import inf
from random import Random

import pytest
from random_ordinary import Marking, markings, ordinary_net, random_goal

from plait import _core
from plait.engines.budget import Budget
from plait.engines.nets.coverability import Coverability
from plait.engines.nets.directed import DirectedSearch, Led
from plait.engines.nets.engine import Structural
from plait.engines.nets.value_pairs import ValuePairs
from plait.engines.nets.walks import NetWalks
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Compare, Const, Var
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Property
from plait.records import replace
from plait.structure.ceilings import Ceilings
from plait.structure.certificate import Ceiling, check_ceiling
from plait.structure.equation import StateEquation
from plait.structure.linear import FALSE, TRUE, Goal, as_formula, as_sum, atom, holds, junction
from plait.structure.upward import Demand, rises, upward

Wide = tuple[float, ...]
"""A marking with places that have no bound."""


def net_of(initial: list[int], *events: tuple[dict[int, int], dict[int, int]]) -> Net:
    places = tuple(Place(f"p{i}", tokens) for i, tokens in enumerate(initial))
    made = (
        NetEvent(f"t{i}", tuple(sorted(pre.items())), tuple(sorted(post.items())))
        for i, (pre, post) in enumerate(events)
    )
    return Net("net", places, tuple(made))


def weighted(random: Random, net: Net) -> Net:
    """The net with other weights here and there, so that it grows or starves."""

    def row(weights: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple((p, w + random.choice([0, 0, 0, 0, 1, 2])) for p, w in weights)

    return replace(
        net, events=tuple(replace(e, pre=row(e.pre), post=row(e.post)) for e in net.events)
    )


def karp_miller(net: Net, limit: int = 600) -> list[Wide] | None:
    """The labels of the tree, written down as it is defined; None when it is too large."""
    found: list[Wide] = []
    stack: list[tuple[Wide, tuple[Wide, ...]]] = [(tuple(map(float, net.initial)), ())]
    while stack:
        marking, before = stack.pop()
        for less in before:
            if all(a <= b for a, b in zip(less, marking, strict=True)):
                pairs = zip(less, marking, strict=True)
                marking = tuple(inf if a < b else b for a, b in pairs)
        found.append(marking)
        if len(found) > limit:
            return None
        if marking in before:
            continue
        for e in net.events:
            if all(marking[p] >= w for p, w in e.pre):
                after = list(marking)
                for p, w in e.pre:
                    after[p] -= w
                for p, w in e.post:
                    after[p] += w
                stack.append((tuple(after), (*before, marking)))
    return found


def demand_of(random: Random, places: int) -> Goal:
    chosen = random.sample(range(places), min(places, random.randint(1, 3)))
    return junction(True, [atom({p: 1}, random.choice([1, 1, 2, 2, 3, 5, 9])) for p in chosen])


def rising_goal(random: Random, places: int, depth: int = 2) -> Goal:
    """A goal that stays true with more tokens."""
    if depth and random.random() < 0.6:
        parts = [rising_goal(random, places, depth - 1) for _ in range(random.randint(1, 3))]
        return junction(random.random() < 0.5, parts)
    chosen = random.sample(range(places), min(places, random.randint(1, 3)))
    return atom({p: random.choice([1, 1, 2, 3]) for p in chosen}, random.randint(-1, 9))


def run(net: Net, events: list[int]) -> Marking:
    marking = net.initial
    for event in events:
        assert net.events[event].enabled(marking)
        marking = net.events[event].fire(marking)
    return marking


def covers(marking: Wide, goal: Goal) -> bool:
    return holds(goal, marking)  # type: ignore[arg-type]


def test_nets_with_and_without_bound_agree_with_karp_and_miller() -> None:
    count: Counter[tuple[bool, bool]] = Counter()
    for seed in range(2500):
        random = Random(seed)
        net = ordinary_net(random, places=5, events=5)
        if seed % 2:
            net = weighted(random, net)
        tree = karp_miller(net)
        if tree is None:
            continue
        bounded = not any(inf in m for m in tree)
        goals = [demand_of(random, len(net.places)), rising_goal(random, len(net.places))]
        for goal in goals:
            real = any(covers(m, goal) for m in tree)
            found = Coverability(net, goal).search(Budget())
            assert (found.events is not None, found.nowhere) == (real, not real), seed
            if found.events is not None:
                assert holds(goal, run(net, found.events)), seed
            count[bounded, real] += 1
    assert min(count.values()) > 300


def with_other_arcs(random: Random, net: Net) -> Net:
    def event(e: NetEvent) -> NetEvent:
        some = [p for p in range(len(net.places)) if random.random() < 0.15]
        below = [p for p in range(len(net.places)) if random.random() < 0.1]
        needed = dict(e.pre)
        inhibitor = tuple((p, needed.get(p, 0) + random.randint(1, 2)) for p in below)
        return replace(e, reset=tuple(some), inhibitor=inhibitor)

    return replace(net, events=tuple(map(event, net.events)))


def test_reset_and_inhibitor_arcs_and_goals_of_any_kind_are_never_answered_wrongly() -> None:
    count: Counter[str] = Counter()
    for seed in range(2500):
        random = Random(50_000 + seed)
        net = with_other_arcs(random, ordinary_net(random, places=5, events=5))
        reachable = markings(net)
        if reachable is None:
            continue
        inhibited = any(e.inhibitor for e in net.events)
        goal = (random_goal if seed % 2 else rising_goal)(random, len(net.places))
        part = upward(net, goal)
        if part is None:
            continue
        found = Coverability(net, goal).search(Budget())
        real = any(holds(goal, m) for m in reachable)
        assert not (real and found.nowhere), seed
        assert not found.wrong
        if part.exact:
            assert not inhibited
            assert (found.events is not None) == real, seed
            assert found.events is None or holds(goal, run(net, found.events)), seed
        count[f"{part.exact} {real} {found.nowhere}"] += 1
    assert all(
        count[kind] > 50 for kind in ("True True False", "True False True", "False False True")
    )


# --- proofs ---------------------------------------------------------------------------------------


def before(event: NetEvent, after: dict[int, int]) -> dict[int, int] | None:
    """The least marking from which the event leads above `after`, by the rule of firing."""
    for p in event.reset:
        if dict(event.post).get(p, 0) < after.get(p, 0):
            return None
    needed = dict(event.pre)
    for p, n in after.items():
        if p not in event.reset:
            left = n - dict(event.post).get(p, 0)
            needed[p] = needed.get(p, 0) + max(0, left)
    return needed


def is_above(demand: dict[int, int], basis: list[dict[int, int]]) -> bool:
    return any(all(demand.get(p, 0) >= n for p, n in less.items()) for less in basis)


def test_a_basis_is_closed_and_each_of_its_elements_is_minimal() -> None:
    count = 0
    for seed in range(400):
        random = Random(90_000 + seed)
        net = weighted(random, ordinary_net(random, places=5, events=5))
        if seed % 2:
            net = with_other_arcs(random, net)
        target = upward(net, demand_of(random, len(net.places)))
        assert target is not None
        rows = [(e.pre, e.post, e.reset) for e in net.events]
        search = _core.Backward(net.initial, rows, target.demands)
        outcome, _ = search.expand(300)
        if outcome != "closed":
            continue
        assert search.shown() == (True, None)
        basis = [dict(row) for row in search.elements()]
        assert not any(all(net.initial[p] >= n for p, n in d.items()) for d in basis)
        assert all(is_above(dict(d), basis) for d in target.demands)
        for d in basis:
            assert not is_above(d, [e for e in basis if e is not d]), seed
            for event in net.events:
                earlier = before(event, d)
                assert earlier is None or is_above(earlier, basis), seed
        count += len(basis) > 1
    assert count > 50


def test_ceilings_hold_of_all_markings_and_exclude_what_they_were_asked_about() -> None:
    count: Counter[bool] = Counter()
    for seed in range(600):
        random = Random(7_000 + seed)
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        ceilings = Ceilings(net)
        for _ in range(4):
            part = upward(net, demand_of(random, len(net.places)))
            assert part is not None
            (demand,) = part.demands
            found = ceilings.excluding(demand, 5.0)
            if found is None:
                continue
            assert sum(w * dict(demand).get(p, 0) for p, w in found.weights.items()) > found.value
            for m in reachable:
                assert sum(w * m[p] for p, w in found.weights.items()) <= found.value, seed
            assert check_ceiling(net, found)
            assert not check_ceiling(net, replace(found, value=found.value - 1))
            count[bool(found.traps)] += 1
    assert count[False] > 100
    assert count[True] > 3


def test_a_ceiling_that_an_event_raises_is_none() -> None:
    net = net_of([1, 0], ({0: 1}, {0: 1, 1: 1}), ({1: 1}, {}))
    assert check_ceiling(net, Ceiling({0: 1}, (), 1))
    assert not check_ceiling(net, Ceiling({0: 1, 1: 1}, (), 1))
    assert not check_ceiling(net, Ceiling({0: 1, 1: -1}, (), 1))
    trap = atom({0: 1}, 1)
    assert check_ceiling(net, Ceiling({}, ((trap, 1),), 0))  # type: ignore[arg-type]
    assert not check_ceiling(net, Ceiling({}, ((atom({1: 1}, 1), 1),), 5))  # type: ignore[arg-type]
    assert not check_ceiling(net, Ceiling({}, ((trap, -1),), 5))  # type: ignore[arg-type]


def test_a_search_finds_the_same_with_and_without_ceilings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    for seed in range(300):
        random = Random(20_000 + seed)
        net = ordinary_net(random)
        asked.append((net, rising_goal(random, len(net.places))))

    def verdicts() -> Iterator[tuple[bool, bool]]:
        for net, goal in asked:
            found = Coverability(net, goal).search(Budget(10.0))
            yield found.events is not None, found.nowhere

    pruned = list(verdicts())
    monkeypatch.setattr(Ceilings, "excluding", lambda *_: None)
    assert list(verdicts()) == pruned


# --- what is asked --------------------------------------------------------------------------------


def demands(net: Net, goal: Goal) -> tuple[set[Demand], bool]:
    found = upward(net, goal)
    assert found is not None
    return set(found.demands), found.exact


def test_what_of_a_goal_stays_true_with_more_tokens() -> None:
    net = net_of([0, 0, 0])
    a, b = atom({0: 1}, 2), atom({1: 2}, 3)
    assert demands(net, a) == ({((0, 2),)}, True)
    assert demands(net, b) == ({((1, 2),)}, True)
    assert demands(net, junction(True, [a, b])) == ({((0, 2), (1, 2))}, True)
    assert demands(net, junction(False, [a, b])) == ({((0, 2),), ((1, 2),)}, True)
    more = junction(False, [a, junction(True, [a, b]), atom({0: 1}, 3)])
    assert demands(net, more) == ({((0, 2),)}, True)
    assert demands(net, junction(True, [a, atom({0: -1}, -2)])) == ({((0, 2),)}, False)
    assert demands(net, atom({0: 1, 2: -1}, 2)) == ({((0, 2),)}, False)
    assert demands(net, FALSE) == (set(), True)
    assert demands(net, TRUE) == ({()}, True)
    assert demands(net, junction(False, [a, atom({1: 1}, 0)])) == ({()}, True)
    assert demands(net, junction(False, [a, atom({0: -1}, 1)])) == ({((0, 2),)}, True)
    assert upward(net, junction(False, [a, atom({0: -1}, 1)]), wraps=True) is None
    for goal in (atom({0: -1}, 0), junction(False, [a, atom({1: -1}, 0)])):
        assert upward(net, goal) is None
    many = junction(True, [junction(False, [atom({p: 1}, k) for p in range(3)]) for k in range(20)])
    assert upward(net, many) is None or len(demands(net, many)[0]) < 100


def test_a_sum_is_a_place_of_its_own() -> None:
    net = net_of([1, 2, 0], ({0: 1}, {2: 3}), ({1: 2}, {1: 2, 0: 1}))
    found = upward(net, atom({0: 1, 1: 2}, 9))
    assert found is not None
    assert found.demands == (((3, 9),),)
    assert found.net.initial == (1, 2, 0, 5)
    assert [(e.pre[-1], e.post[-1]) for e in found.net.events] == [
        ((3, 1), (2, 3)),
        ((3, 4), (3, 5)),
    ]
    millions = atom(dict.fromkeys(range(3), 1), 1000)
    assert Coverability(net_of([0, 0, 0], ({}, {1: 1})), millions).search(Budget()).events == (
        [0] * 1000
    )
    assert Coverability(net_of([500, 400, 99]), millions).search(Budget()).nowhere
    resets = replace(net, events=(replace(net.events[0], reset=(0,)),))
    assert upward(resets, atom({0: 1, 1: 1}, 3)) is None


def test_sums_that_may_wrap_around_are_asked_about_only_where_that_does_not_matter() -> None:
    names = {0: "a", 1: "b"}
    assert rises(as_formula(atom({0: 1, 1: 2}, 5), names))
    assert rises(as_sum({0: 1, 1: 1}, 3, names))
    assert not rises(as_formula(atom({0: 1, 1: -1}, 5), names))
    assert not rises(as_sum({0: 1, 1: -1}, 3, names))


# --- the edges ------------------------------------------------------------------------------------


def test_nets_without_places_or_events() -> None:
    nothing = net_of([])
    assert Coverability(nothing, FALSE).search(Budget()).nowhere
    assert Coverability(nothing, TRUE).search(Budget()).events == []
    still = net_of([3, 0])
    assert Coverability(still, atom({0: 1}, 3)).search(Budget()).events == []
    assert Coverability(still, atom({0: 1}, 4)).search(Budget()).nowhere
    source = net_of([0], ({}, {0: 1}))
    assert Coverability(source, atom({0: 1}, 50)).search(Budget()).events == [0] * 50


def test_weights_at_the_end_of_the_integers() -> None:
    big = INT_MAX
    net = net_of([big, 0, 0], ({0: big}, {1: big}), ({1: big - 1}, {2: 1}))
    assert Coverability(net, atom({2: 1}, 1)).search(Budget()).events == [0, 1]
    assert Coverability(net, atom({2: 1}, 2)).search(Budget()).nowhere
    assert Coverability(net, atom({1: 1}, big)).search(Budget()).events == [0]
    assert Coverability(net, atom({0: 1, 1: 1}, big + 1)).search(Budget()).nowhere
    assert Coverability(net, atom({0: big, 1: big}, big * big)).search(Budget()).events is None
    huge = net_of([1 << 41])
    assert upward(huge, atom({0: 1}, 1)) is None


def test_a_run_on_which_a_place_leaves_the_integers_is_no_answer() -> None:
    """The net goes on counting; a place of a model does not."""
    net = net_of([INT_MAX - 1, 0, 1], ({2: 1}, {0: 5, 1: 1}))
    model = as_model(net)
    asked = Property("p", "reachable", as_formula(atom({1: 1}, 1), {1: "p1"}))
    (answer,) = Structural(replace(model, properties=(asked,))).check([asked], Budget(5.0))
    assert answer.verdict == "unknown"
    assert not (answer.reason or "").startswith("internal error")


def test_limits_end_a_search_that_goes_on_where_it_was() -> None:
    size = 9
    steps = [
        ({i: 1, (i + 1) % size: 1}, {(i + 2) % size: 2, (i + 5) % size: 1}) for i in range(size)
    ]
    net = net_of([1, 1, 0, 0, 0, 0, 0, 0, 0], *steps)
    goal = junction(True, [atom({p: 1}, 40 + p) for p in range(size)])
    search = Coverability(net, goal)
    first = search.search(Budget(0.0))
    assert (first.events, first.nowhere, search.size) == (None, False, 1)
    assert search.search(Budget()).nowhere
    assert search.size == 0
    little = Coverability(net, goal).search(Budget(memory=1))
    assert (little.events, little.nowhere) == (None, False)


def test_an_interrupt_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        figures = (0, 0, 0)

        def waiting(self, _count: int) -> list[Demand]:
            return []

        def expand(self, _count: int, **_limits: object) -> tuple[str, list[int]]:
            return "interrupted", []

    search = Coverability(net_of([0]), atom({0: 1}, 1))
    monkeypatch.setattr(search, "_search", Interrupted())
    with pytest.raises(LimitReached):
        search.search(Budget())


# --- as one of the engines ------------------------------------------------------------------------


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else answers."""
    monkeypatch.setattr(NetWalks, "walk", lambda *_: None)
    monkeypatch.setattr(NetWalks, "grow", lambda *_: None)
    monkeypatch.setattr(ValuePairs, "unreachable", lambda *_: iter(()))
    monkeypatch.setattr(StateEquation, "unreachable", lambda *_: None)
    monkeypatch.setattr(DirectedSearch, "search", lambda *_: Led())
    monkeypatch.setattr("plait.engines.nets.turn.solve", lambda *_: iter(()))
    monkeypatch.setattr("plait.engines.nets.turn.Turn._conserved", lambda *_: None)
    monkeypatch.setattr("plait.engines.nets.turn.Turn._at_once", lambda *_: False)


@pytest.mark.usefixtures("alone")
def test_properties_of_nets_with_and_without_bound_are_answered_and_replayed() -> None:
    count: Counter[tuple[str, str, bool]] = Counter()
    for seed in range(250):
        random = Random(60_000 + seed)
        net = ordinary_net(random, places=5, events=5)
        tree = karp_miller(net)
        if tree is None:
            continue
        bounded = not any(inf in m for m in tree)
        names = {i: p.name for i, p in enumerate(net.places)}
        goals: list[Goal] = [rising_goal(random, len(net.places), 1) for _ in range(3)]
        bodies = [as_formula(g, names) for g in goals]
        asked = [
            Property("reachable", "reachable", bodies[0]),
            Property("never", "never", bodies[1]),
        ]
        model = as_model(net, tuple(asked))
        answers = Structural(model).check(asked, Budget(timeout=30.0))
        for i, answer in enumerate(answers):
            real = any(covers(m, goals[i]) for m in tree)
            assert answer.verdict == ("true" if real == (i == 0) else "false"), seed
            assert real == (answer.witness is not None)
            assert not real or answer.replayed
            # Some become constants before anybody is asked.
            if answer.engine == "structural-reduction+coverability":
                count[answer.property.kind, answer.verdict, bounded] += 1
    assert len(count) == 8
    assert min(count.values()) >= 5


@pytest.mark.usefixtures("alone")
def test_invariants_of_a_net_without_bound() -> None:
    # A producer fills a buffer; consumers take from it one after the other, and never two.
    consumers = ({1: 2, 2: 1}, {3: 1}), ({3: 1}, {2: 1}), ({3: 2}, {4: 1, 3: 2})
    net = net_of([1, 0, 1, 0, 0], ({0: 1}, {0: 1, 1: 1}), *consumers)
    names = {i: p.name for i, p in enumerate(net.places)}
    asked = [
        Property("mutex", "invariant", Compare("<=", as_sum({2: 1, 3: 1}, 0, names), Const(1))),
        Property("few", "invariant", Compare("<", Var("p1"), Const(6))),
        Property("none", "invariant", Compare("==", Var("p4"), Const(0))),
    ]
    answers = Structural(as_model(net, tuple(asked))).check(asked, Budget(timeout=30.0))
    assert [a.verdict for a in answers] == ["true", "false", "true"]
    assert answers[2].engine == answers[0].engine
    assert answers[0].engine == "structural-reduction+coverability"
    assert answers[1].replayed


def test_the_greatest_value_of_a_place_of_a_net_without_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(StateEquation, "bound", lambda *_: None)
    monkeypatch.setattr(ValuePairs, "unreachable", lambda *_: iter(()))
    net = net_of([1, 0, 1, 0], ({0: 1}, {0: 1, 1: 1}), ({1: 2, 2: 1}, {3: 1}), ({3: 1}, {2: 1}))
    asked = [Property("critical", "bounds", Var("p3"))]
    (answer,) = Structural(as_model(net, tuple(asked))).check(asked, Budget(timeout=30.0))
    assert (answer.verdict, answer.value) == ("true", 1)
    assert answer.engine == "structural-reduction+coverability"


@pytest.mark.usefixtures("alone")
def test_a_basis_that_is_not_closed_is_an_error_and_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    native = _core.Backward

    class Doubted:
        def __init__(self, *of: object) -> None:
            self._search = native(*of)  # type: ignore[arg-type]

        def __getattr__(self, name: str) -> object:
            return getattr(self._search, name)

        def shown(self, **_limits: object) -> tuple[bool, None]:
            return False, None

    monkeypatch.setattr(_core, "Backward", Doubted)
    net = net_of([1, 0, 0], ({0: 1}, {0: 1, 1: 1}), ({1: 1, 2: 1}, {0: 1}))
    asked = Property("p", "reachable", as_formula(atom({2: 1}, 1), {2: "p2"}))
    (answer,) = Structural(as_model(net, (asked,))).check([asked], Budget(5.0))
    assert answer.verdict == "unknown"
    assert (answer.reason or "").startswith("internal error")
