"""The symbolic engine: strategies, orders, limits; the same answers as everybody else.

Random models are in `tests/differential`, published ones in `test_published.py`.
"""

import ctypes
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.engines.hard import hard

from plait import System, parse
from plait.engines import Budget, Tuning, check, states
from plait.engines.prepared import Prepared, prepare
from plait.engines.symbolic import attempts, reach
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.orders import MERGES, Levels, Order
from plait.engines.symbolic.tuning import LOCALS, STRATEGIES, Strategy
from plait.errors import InputError, ModelError
from plait.lang import load
from plait.logic.parse import parse_formula

PHILOSOPHERS = Path(__file__).parents[3] / "examples" / "philosophers.gal"

GENERAL = """
gal general {
  int x = 0; int y = 3; array [4] a = (0, 2, 1, 3);
  transition up [x < 9] { x = x + 1; a[a[x % 4]] = (a[y] + x) % 4; }
  transition down [x > 4 && a[x % 4] != y] { x = x - 2; y = a[3]; }
  transition swap [a[0] > a[1]] { self."exchange"; y = 0; }
  transition one [x > 2] label "exchange" { a[1] = a[0]; }
  transition two [x > 5] label "exchange" { a[0] = 0; }
}
main general;
property small [invariant] : x < 9 || y == 3;
property reach [reachable] : a[0] == 3 && a[3] == 0;
property range [bounds] : a[0] + a[1] * x;
property stuck [reachable] : deadlock;
"""


def figures(system: System, tuning: Tuning) -> tuple[object, ...]:
    space = states(system.model, engine="symbolic", tuning=tuning)
    assert space.complete
    assert space.engine == "symbolic"
    return (space.states, space.arcs, space.deadlocks, space.max_value, space.max_sum)


def answers(system: System, engine: str, tuning: Tuning | None = None) -> list[object]:
    found = check(system.model, engine=engine, tuning=tuning)
    assert all(a.replayed for a in found if a.witness is not None)
    return [
        (
            a.verdict,
            a.value,
            a.stats.get("min"),
            None if a.witness is None else len(a.witness.steps),
        )
        for a in found
    ]


def test_a_run_tells_what_it_used() -> None:
    """covers: S55"""
    space = states(parse(PHILOSOPHERS.read_text(), N=6).model, engine="symbolic")
    found = {name: value for name, value in space.stats.items() if isinstance(value, int | float)}
    assert 0 < found["final_nodes"] <= found["peak_nodes"] <= found["created_nodes"]
    assert 0 < found["cache_hits"] < found["cache_lookups"]
    kinds = ("edges", "store_bytes", "cache_bytes", "matrix_bytes")
    assert all(found[kind] > 0 for kind in kinds)
    assert found["peak_bytes"] >= found["store_bytes"] + found["cache_bytes"]
    assert found["collections"] == 0
    assert 0 < found["reach_seconds"] <= space.seconds
    assert 0 < found["encode_seconds"] <= space.seconds


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("strict", [None, 1, 50])
def test_every_strategy_finds_the_same_states_of_a_net(strategy: str, strict: int | None) -> None:
    """covers: I39, S41, S42, S57"""
    system = System(parse(PHILOSOPHERS.read_text(), N=5).model)
    tuning = Tuning(strategy=strategy, strict=strict)  # type: ignore[arg-type]
    reference = states(system.model, engine="reference")
    assert figures(system, tuning) == (
        reference.states,
        reference.arcs,
        reference.deadlocks,
        reference.max_value,
        reference.max_sum,
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("strict", [None, 100])
def test_every_strategy_finds_the_same_answers_with_arrays_and_calls(
    strategy: str, strict: int | None
) -> None:
    system = parse(GENERAL)
    tuning = Tuning(strategy=strategy, strict=strict)  # type: ignore[arg-type]
    assert answers(system, "symbolic", tuning) == answers(system, "explicit")
    explicit = states(system.model, engine="explicit")
    assert figures(system, tuning)[:3] == (explicit.states, explicit.arcs, explicit.deadlocks)


@pytest.mark.parametrize("locals_", LOCALS)
@pytest.mark.parametrize("merge", MERGES)
def test_levels_and_local_states_change_nothing(locals_: str, merge: str) -> None:
    """covers: S22"""
    system = System(parse(PHILOSOPHERS.read_text(), N=4).model)
    tuning = Tuning(locals=locals_, merge=merge)  # type: ignore[arg-type]
    assert figures(system, tuning)[0] == 34


def test_the_order_is_reported_and_can_be_chosen() -> None:
    """covers: S119"""
    system = parse(PHILOSOPHERS.read_text(), N=4)
    for name in ("declared", "force", "sloan"):
        space = states(system.model, engine="symbolic", tuning=Tuning(order=name))
        assert space.stats["order"] == name
        assert space.states == 34
    with pytest.raises(InputError, match="no variable order named 'magic'"):
        states(system.model, engine="symbolic", tuning=Tuning(order="magic"))


def test_a_state_space_that_no_search_can_store_is_counted() -> None:
    system = parse(PHILOSOPHERS.read_text(), N=60)
    space = system.states()
    assert space.engine == "symbolic"
    before, now = 2, 6  # Pell's companion numbers: two philosophers have six states
    for _ in range(58):
        before, now = now, 2 * now + before
    assert space.states == now > 10**22
    assert space.deadlocks == 1


def test_a_deadlock_of_a_large_model_has_a_shortest_trace() -> None:
    """covers: S91"""
    answer = parse(PHILOSOPHERS.read_text(), N=25).check("free", engine="symbolic")
    assert answer.verdict == "false"
    assert answer.replayed
    assert answer.witness is not None
    assert len(answer.witness.steps) == 25


def test_time_ends_one_long_operation() -> None:
    """covers: S54, T16"""
    space = states(hard().model, engine="symbolic", budget=Budget(timeout=1.0))
    assert (space.complete, space.reason) == (False, "timeout")
    assert space.seconds < 10


def test_memory_ends_one_long_operation() -> None:
    """covers: S54"""
    from plait.engines.budget import resident_memory

    # What earlier tests left to the allocator would be used up first, which takes long.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    cap = resident_memory() + 24 * 2**20
    space = states(hard(90, 45).model, engine="symbolic", budget=Budget(timeout=120, memory=cap))
    assert (space.complete, space.reason) == (False, "memory")
    assert resident_memory() < cap + 64 * 2**20


def test_who_wants_no_witness_has_no_trace_to_wait_for() -> None:
    system = parse("gal g { int x = 0; transition t [x < 5] { x = x + 1; } } main g;")
    texts = ("reachable: x == 5", "invariant: x < 5", "deadlock")
    asked = [parse_formula(text, system.model) for text in texts]
    for witnesses in (True, False):
        tuning = Tuning(witnesses=witnesses)
        found = check(system.model, asked, engine="symbolic", tuning=tuning)
        assert [a.verdict for a in found] == ["true", "false", "false"]
        assert [a.witness is not None for a in found] == [witnesses] * 3


def test_answers_are_unknown_when_time_runs_out() -> None:
    answer = hard().check("b[0] + b[1] <= 2", engine="symbolic", timeout=1.0)
    assert (answer.verdict, answer.reason) == ("unknown", "timeout")


def test_an_event_that_leaves_a_domain_is_an_error_of_the_model() -> None:
    system = parse("gal g { int x = 0; transition t [x < 5] { x = x + 1; } }")
    assert system.states(engine="symbolic").states == 6
    for engine in ("explicit", "symbolic"):
        with pytest.raises(ModelError, match="event t assigns to x a value outside its domain"):
            _with_domain(system, 0, 2).states(engine=engine)


def test_a_domain_that_is_left_on_the_way_to_nowhere_is_an_error_of_the_model() -> None:
    """The event has no successor, so no path of the diagram tells that it was ever tried."""
    for body in (
        "x = 5; abort;",
        "x = 5; if (y == 7) { abort; } else { abort; }",
        "x = 5; y = 1 / 0;",
    ):
        system = parse(f"gal g {{ int x = 0; int y = 0; transition t [true] {{ {body} }} }}")
        for engine in ("explicit", "symbolic"):
            with pytest.raises(ModelError, match="event t assigns to x a value outside its domain"):
                _with_domain(system, 0, 2).states(engine=engine)


def _with_domain(system: System, low: int, high: int) -> System:
    from plait.model.types import Domain, ElementaryType

    (kind,) = system.model.types
    assert isinstance(kind, ElementaryType)
    variables = tuple(replace(v, domain=Domain(low, high)) for v in kind.variables)
    return System(replace(system.model, types=(replace(kind, variables=variables),)))


def test_a_prepared_model_answers_several_times() -> None:
    system = parse(GENERAL)
    engine = Symbolic(system.model)
    first = engine.states(Budget())
    assert engine.states(Budget()).states == first.states
    assert [a.verdict for a in engine.check(system.properties, Budget())] == [
        a.verdict for a in check(system.model, engine="explicit")
    ]


def test_undefined_steps_are_noted() -> None:
    system = parse("gal g { int x = 2; transition t [x >= 0] { x = 4 / x - 2; } }")
    (note,) = states(system.model, engine="symbolic").notes
    assert "undefined" in note


@pytest.mark.parametrize("engine", ["symbolic", "explicit", "reference"])
def test_an_if_with_an_undefined_condition_is_noted(engine: str) -> None:
    text = """
gal partial {
  int x = 0; array [2] a = (0, 1);
  transition step [x < 3] { if (a[x] == x) { x = x + 1; } else { x = 9; } }
}
main partial;
"""
    space = states(parse(text).model, engine=engine)
    assert space.states == 3
    (note,) = space.notes
    assert "undefined" in note
    never = text.replace("x < 3", "x < 2")
    assert not states(parse(never).model, engine=engine).notes


def test_an_order_that_gets_another_moment_goes_on_in_the_diagrams_it_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Levels] = []

    class Counted(reach.Diagrams):
        def __init__(self, prepared: Prepared, order: Order, *others: Any) -> None:
            made.append(order.levels)
            super().__init__(prepared, order, *others)

    monkeypatch.setattr(reach, "Diagrams", Counted)
    # No time at all for any attempt but the last, which has the whole budget.
    monkeypatch.setattr(attempts, "MOMENTS", (1e-9, 1e-9, 1e-9))
    monkeypatch.setattr(attempts, "TURNS", (("saturation", 1e-9), ("rounds", 1e-9)))
    space = Symbolic(parse(PHILOSOPHERS.read_text(), N=8).model).states(Budget())
    assert (space.complete, space.states) == (True, 1154)
    assert len(made) > 1
    assert len(made) == len(set(made))


@pytest.mark.parametrize("reason", ["memory", "timeout"])
def test_another_order_is_tried_where_one_filled_the_memory_not_where_it_took_the_time(
    reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Budget()
    explored: list[str] = []

    class Full(reach.Diagrams):
        def explore(self, strategy: Strategy, budget: Budget) -> str | None:
            if budget is not whole:
                return "memory"
            explored.append(self.order.name)
            return reason if len(explored) == 1 else super().explore(strategy, budget)

    monkeypatch.setattr(reach, "Diagrams", Full)
    space = Symbolic(parse(PHILOSOPHERS.read_text(), N=8).model).states(whole)
    if reason == "memory":
        assert (space.complete, space.states) == (True, 1154)
        assert len(set(explored)) == len(explored) == 2
    else:
        assert (space.complete, space.reason, len(explored)) == (False, "timeout", 1)


def test_an_order_that_took_long_to_find_is_tried_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    model = parse(PHILOSOPHERS.read_text(), N=8).model
    prepared = prepare(model)

    def moments(budget: Budget) -> list[float]:
        shares = islice(attempts.attempts(prepared, Tuning(strategy="saturation"), budget), 2)
        return [share.timeout or 0 for _, _, share in shares]

    monkeypatch.setattr(attempts, "QUICK_RANKING", 1e9)
    assert moments(Budget()) == [attempts.MOMENTS[0]] * 2
    monkeypatch.setattr(attempts, "QUICK_RANKING", 1e-12)
    first, second = moments(Budget())
    assert first > 10 * attempts.MOMENTS[0]
    assert second == attempts.MOMENTS[0]
    # But a part of the time is left for the others.
    first, second = moments(Budget(timeout=100))
    assert first <= 100 / attempts.FIRST_PART
    assert second == attempts.MOMENTS[0]


@pytest.mark.parametrize(
    ("name", "count"), [("adding.1", 7372), ("bakery.1", 1506), ("loyd.1", 722), ("msmie.1", 2336)]
)
def test_expressions_are_split_and_never_evaluated_state_by_state(
    name: str, count: int, data: Path
) -> None:
    """covers: I150"""
    space = states(load(data / "gal" / "beem-flat" / f"{name}.flat.gal"), engine="symbolic")
    assert space.states == count
    assert space.stats["explicit_calls"] == 0


def test_what_is_executed_on_single_values_is_counted() -> None:
    """A fixpoint over a choice is a function on the values that it touches: x, not y and z."""
    system = parse(
        """
gal settling {
  int x = 0; int y = 0; int z = 0;
  transition far [x < 6] { fixpoint { self."up"; } z = (z + 1) % 9; }
  transition up [x % 3 != 2] label "up" { x = x + 1; }
  transition stay [x % 3 == 2] label "up" { }
  transition on [x < 6] { x = x + 1; }
  transition y [y < 8] { y = y + 1; }
}
main settling;
"""
    )
    space = states(system.model, engine="symbolic")
    assert space.states == states(system.model, engine="reference").states
    calls = space.stats["explicit_calls"]
    assert isinstance(calls, int)
    # Once for each pair of x and z when states are found, once more when arcs are counted.
    assert 0 < calls <= 2 * 9 * 9 < (space.states or 0)
