"""The state equation put to a solver: what it refutes is unreachable, bounds are bounds (T9)."""

from random import Random

import pytest
from random_ordinary import markings, ordinary_net, random_goal, satisfies

from plait.engines.budget import Budget
from plait.engines.nets.engine import Structural
from plait.engines.nets.equations import AtMost, LinearQuestion, Reachable, Unreachable, solve
from plait.engines.nets.reduced import ReducedNets
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.smt.equation import Equation
from plait.structure.equation import StateEquation
from plait.structure.linear import Atom, Goal, atom, junction


def refutes_only_the_unreachable(seeds: range) -> tuple[int, int]:
    """How many goals were refuted, and how many of them linear programmes leave open."""
    refuted = new = reached = 0
    for seed in seeds:
        random = Random(seed)
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        equation, programmes = Equation(net), StateEquation(net)
        for _ in range(4):
            goal = random_goal(random, len(net.places))
            real = any(satisfies(goal, m) for m in reachable)
            found = equation.unreachable(goal)
            assert not (found and real), (seed, goal)
            if equation.run is not None:
                reached += satisfies(goal, executed(net, equation.run))
                assert real, (seed, goal)
            refuted += found
            new += found and programmes.unreachable(goal, 5.0) is None
    assert reached > len(seeds) // 3
    return refuted, new


def executed(net: Net, run: list[int]) -> tuple[int, ...]:
    """The marking after a run, each of whose events must be enabled."""
    marking = net.initial
    for event in run:
        assert net.events[event].enabled(marking)
        marking = net.events[event].fire(marking)
    return marking


def test_what_the_solver_refutes_no_reachable_marking_satisfies() -> None:
    refuted, new = refutes_only_the_unreachable(range(60))
    assert refuted > 25
    assert new > 0, "causes and integers tell more than linear programmes"


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_many_systems_are_refuted_rightly(block: int) -> None:
    refutes_only_the_unreachable(range(50_000 + block * 500, 50_000 + block * 500 + 500))


def test_bounds_by_bisection_are_bounds() -> None:
    exact = 0
    for seed in range(30):
        random = Random(seed)
        net = ordinary_net(random)
        reachable = markings(net)
        if reachable is None:
            continue
        places = {p: 1 for p in range(len(net.places)) if random.random() < 0.6} or {0: 1}
        most = max(sum(m[p] for p in places) for m in reachable)
        first = sum(net.initial[p] for p in places)
        found = Equation(net).least_bound(places, first, most + 7)
        assert found >= most, seed
        exact += found == most
    assert exact > 7


CAUSES = Net(
    "a circle that feeds itself",
    (Place("a", 0), Place("b", 0), Place("c", 1)),
    (
        NetEvent("ab", ((0, 1),), ((0, 1), (1, 1))),
        NetEvent("ba", ((1, 1),), ((1, 1), (0, 1))),
        NetEvent("cc", ((2, 1),), ((2, 1),)),
    ),
)


def test_an_event_without_a_cause_does_not_occur() -> None:
    """Each of two events would need a token that only the other makes, or itself."""
    alone = Net("alone", CAUSES.places, (CAUSES.events[2], NetEvent("aa", ((0, 1),), ((0, 2),))))
    goal = atom({0: 1}, 1)
    assert StateEquation(alone).unreachable(goal, 5.0) is None
    assert Equation(alone).unreachable(goal)


def test_a_wrong_trap_is_not_believed() -> None:
    equation = Equation(CAUSES)
    equation.learnt.append(Atom(((1, 1),), 1))  # not marked at first
    assert not equation.unreachable(atom({1: -1}, 0))
    assert Equation(CAUSES).unreachable(atom({2: -1}, 0)), "place c keeps its token"


def parity(n: int) -> tuple[Net, Goal]:
    """Pairs of places, one of which is marked; a goal of 2^n cases that only sums exclude."""
    places, events = [Place("sum", 0)], []
    cases: list[Goal] = []
    for i in range(n):
        on, off = len(places), len(places) + 1
        places += [Place(f"on{i}", 0), Place(f"off{i}", 1)]
        events.append(NetEvent(f"t{i}", ((off, 1),), ((0, 2), (on, 1))))
        cases.append(junction(False, [atom({on: 1}, 1), atom({off: 1}, 1)]))
    odd = junction(True, [*cases, atom({0: 1}, 2 * n - 1), atom({0: -1}, 1 - 2 * n)])
    return Net("pairs", tuple(places), tuple(events)), odd


def test_a_goal_of_many_cases_is_refuted_as_a_whole() -> None:
    net, goal = parity(12)
    found = list(solve(net, [LinearQuestion(goal)], Budget(60.0)))
    assert found == [Unreachable(0)]


def test_sums_and_goals_are_told_from_the_process() -> None:
    net, goal = parity(3)
    asked = [
        LinearQuestion(None, {0: 1}, 0, 50),
        LinearQuestion(atom({0: 1}, 2)),
        LinearQuestion(goal),
    ]
    bound, reached, refuted = solve(net, asked, Budget(60.0))
    assert (bound, refuted) == (AtMost(0, 6), Unreachable(2))
    assert isinstance(reached, Reachable)
    assert len(reached.events) == reached.number == 1


def test_a_net_with_inhibitors_is_not_asked() -> None:
    net = Net("i", (Place("a", 1),), (NetEvent("t", inhibitor=((0, 1),), post=((0, 1),)),))
    assert list(solve(net, [LinearQuestion(atom({0: 1}, 5))], Budget(60.0))) == []


def test_the_structural_engine_asks_the_solver_what_linear_programmes_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(StateEquation, "unreachable", lambda *_: None)
    monkeypatch.setattr(ReducedNets, "check", lambda self, asked, *_: [None] * len(asked))
    monkeypatch.setattr(ReducedNets, "direct", lambda *_: None)
    net, _ = parity(24)
    text = " || ".join(f"(on{i} == 1 && sum == 2 * {i} + 1)" for i in range(0, 20, 2))
    model = as_model(net)
    asked = [
        parse_formula(f"never: {text}", model, name="odd"),
        parse_formula("bounds: 2 * on0 + off0", model, name="pair"),
    ]
    odd, pair = Structural(model).check(asked, Budget(15.0))
    assert (odd.verdict, odd.engine, odd.stats) == ("true", "state-equation", {"solver": "z3"})
    assert (pair.verdict, pair.value) == ("true", 2)


def test_a_solution_that_can_be_executed_is_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs must change in one run; walks that change some of them never see it."""
    monkeypatch.setattr("plait.engines.nets.turn.Turn._walk", lambda *_: None)
    monkeypatch.setattr(ReducedNets, "check", lambda self, asked, *_: [None] * len(asked))
    monkeypatch.setattr(ReducedNets, "direct", lambda *_: None)
    monkeypatch.setattr("plait.engines.nets.turn.Turn._cover", lambda *_: None)
    net, _ = parity(16)
    model = as_model(net)
    asked = [parse_formula("reachable: sum == 32 && off3 == 0", model, name="all")]
    (answer,) = Structural(model).check(asked, Budget(20.0))
    assert (answer.verdict, answer.engine, answer.replayed) == ("true", "state-equation", True)
    assert answer.witness is not None
    assert len(answer.witness.steps) == 16
