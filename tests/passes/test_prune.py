"""Interval analysis and the removal of what it shows to be impossible."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import LIMIT, assert_same, events, gal

from plait.errors import PlaitError
from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary, apply_unary, compare
from plait.model.expr import Binary, Compare, Const, Unary, Var
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.shape import shape_of
from plait.passes import LOWERING, flat, prune, run
from plait.passes.domains import domains
from plait.passes.intervals import Intervals
from plait.passes.prune import may_all_happen
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_models import model as random_model


def ranges(text: str) -> dict[str, tuple[int, int]]:
    return domains(run(gal(text), LOWERING).model).ranges


def test_variables_that_are_assigned_constants_have_the_range_of_these() -> None:
    """covers: I117"""
    found = ranges("""
        gal M { int state = 0; int never = 5; array [3] t = (1, 1, 4);
          transition a [state == 0] { state = 3; }
          transition b [state == 3] { state = 7; t[state - 7] = 2; }
          transition c [state == 8] { never = 1; state = 100; } }
        """)
    assert found == {"state": (0, 7), "never": (5, 5), "t": (1, 4)}


def test_a_guard_bounds_a_counter() -> None:
    """covers: I117"""
    found = ranges("""
        gal M { int up = 0; int down = 50; int both = 0;
          transition a [up < 1000] { up = up + 1; }
          transition b [down > -20] { down = down - 3; }
          transition c [both < 6 && both > -6] { both = both * 2 + 1; } }
        """)
    assert found["up"] == (0, 1000)
    assert found["down"] == (-22, 50)
    assert found["both"][0] >= -11
    assert found["both"][1] <= 11


def test_what_may_wrap_has_the_whole_range() -> None:
    found = ranges("gal M { int x = 1; transition a [x != 0] { x = x * 3; } }")
    assert found["x"] == (INT_MIN, INT_MAX)


def test_events_that_no_reachable_state_enables_are_removed() -> None:
    model = gal("""
        gal M { int x = 0; int y = 0;
          transition a [x < 4] { x = x + 1; }
          transition b [x > 4] { y = 1; }
          transition c [y == 1] { self."deep"; }
          transition deep [true] label "deep" { y = 7; }
          transition d [x == 2 && y == 7] { x = 0; } }
        property q [reachable] : y == 7;
        property e [reachable] : enabled("c");
        """)
    new = run(model, [*LOWERING, prune])
    assert events(new.model) == ["a [x < 4] { x = x + 1; }"]
    assert_same(model, [*LOWERING, prune])
    assert_same(model, [flat])


def test_what_a_removed_event_answered_is_simplified_where_it_is_called() -> None:
    model = gal("""
        gal M { int x = 0; int y = 0;
          transition a [x < 4] { x = x + 1; self."next"; }
          transition one [y == 0] label "next" { y = 1; self."last"; }
          transition two [y == 1] label "next" { y = 0; }
          transition three [y == 5] label "next" { y = 2; }
          transition four [x < 9] label "last" { x = x + 1; }
          transition five [x > 9] label "last" { x = 0; } }
        """)
    assert events(flat(model).model) == [
        'a [x < 4] { x = x + 1; self."next"; }',
        'one [y == 0 && x < 9] label "next" { y = 1; x = x + 1; }',
        'two [y == 1] label "next" { y = 0; }',
    ]
    assert_same(model, [flat])


def test_branches_that_the_ranges_decide_are_replaced() -> None:
    model = gal("""
        gal M { int x = 0; int y = 0; array [3] t;
          transition a [x < 4] { if (x < 9) { x = x + 1; } else { y = 1; } }
          transition b [x == 1] { if (t[x] < 1) { y = 2; } else { y = 3; } } }
        """)
    assert events(flat(model).model) == [
        "a [x < 4] { x = x + 1; }",
        "b [x == 1] { if (t[x] < 1) { y = 2; } else { y = 3; } }",
    ]
    assert_same(model, [flat])


NUMBER = st.one_of(st.integers(-4, 4), st.sampled_from([INT_MIN, INT_MAX, 31, 32, 100, -100]))
PAIR = st.tuples(NUMBER, NUMBER).map(sorted)
OPERATORS = ["+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^"]


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(OPERATORS), PAIR, PAIR, st.data())
def test_interval_arithmetic_holds_every_result(
    op: str, a: list[int], b: list[int], data: st.DataObject
) -> None:
    known = Intervals({"x": (a[0], a[1]), "y": (b[0], b[1])}, {"x": None, "y": None})
    x, y = data.draw(st.integers(*a)), data.draw(st.integers(*b))
    value = apply_binary(op, x, y)
    interval = known.integer(Binary(op, Var("x"), Var("y")))  # type: ignore[arg-type]
    if value is not None:
        assert interval is not None
        assert interval[0] <= value <= interval[1]
    for unary in ("-", "~"):
        low, high = known.integer(Unary(unary, Var("x"))) or (1, 0)  # type: ignore[arg-type]
        assert low <= apply_unary(unary, x) <= high


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), PAIR, PAIR, st.data())
def test_conditions_over_intervals_hold_every_truth_value(
    op: str, a: list[int], b: list[int], data: st.DataObject
) -> None:
    known = Intervals({"x": (a[0], a[1]), "y": (b[0], b[1])}, {"x": None, "y": None})
    x, y = data.draw(st.integers(*a)), data.draw(st.integers(*b))
    condition = Compare(op, Var("x"), Var("y"))  # type: ignore[arg-type]
    truth = compare(op, x, y)
    assert known.truths(condition)[truth]
    local = known.assume((condition,)) if truth else known.deny(condition)
    assert local is not None
    narrowed = Intervals(known.ranges, known.sizes, local)
    for name, value in (("x", x), ("y", y)):
        low, high = narrowed.integer(Var(name)) or (1, 0)
        assert low <= value <= high


LONG = {3, 4}
"""Blocks with a model on which the reference takes seconds."""
BLOCKS = [pytest.param(b, marks=[pytest.mark.soak] * (b in LONG)) for b in range(8)]


@pytest.mark.parametrize("block", BLOCKS)
def test_the_ranges_hold_in_every_reachable_state_of_random_models(block: int) -> None:
    """And every event that is executed was found possible. covers: I117"""
    compared = 0
    for seed in range(block * 20, block * 20 + 20):
        model = random_model(Seeded(seed), DEFAULT)
        try:
            new = run(model, LOWERING).model
            found = domains(new)
            graph = Semantics(new).reachable(LIMIT)
        except PlaitError:
            continue
        slots = shape_of(new).variables
        for state in graph.states:
            for name, slot in slots.items():
                for cell in state[slot.offset : slot.offset + (slot.size or 1)]:
                    if slot.size != 0:
                        assert found.ranges[name][0] <= cell <= found.ranges[name][1]
        possible = {e.title for i, e in enumerate(new.system.events) if i in found.possible}
        assert {title for arcs in graph.arcs for title, _ in arcs} <= possible
        compared += 1
    assert compared >= 12


def test_a_constant_is_a_range_of_one() -> None:
    known = Intervals({}, {})
    assert known.integer(Const(3)) == (3, 3)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_simpler_look_at_nets_finds_what_interval_analysis_finds(data: st.DataObject) -> None:
    places = data.draw(st.integers(1, 5))
    row = st.dictionaries(st.integers(0, places - 1), st.integers(1, 3), max_size=3).map(
        lambda weights: tuple(sorted(weights.items()))
    )
    events = data.draw(st.lists(st.tuples(row, row), max_size=6))
    net = Net(
        "net",
        tuple(Place(f"p{i}", data.draw(st.integers(0, 3))) for i in range(places)),
        tuple(NetEvent(f"t{i}", pre, post) for i, (pre, post) in enumerate(events)),
    )
    possible = domains(as_model(net)).possible
    assert may_all_happen(net) == (len(possible) == len(net.events))


def test_a_net_whose_events_may_all_happen_is_left_alone() -> None:
    net = Net(
        "net",
        (Place("p", 1), Place("q"), Place("r")),
        (NetEvent("move", ((0, 1),), ((1, 1),)), NetEvent("on", ((1, 2),), ((2, 1),))),
    )
    model = as_model(net)
    assert prune(model).model is model
    lonely = as_model(replace(net, events=(net.events[1],)))
    assert not events(prune(lonely).model)
