"""Instantiation: constants, loops, parameters, labels with arguments."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rewriting import assert_same, events, figures, gal, properties

from plait.errors import InputError
from plait.model.builder import Elementary, call, parameter
from plait.model.expr import Compare, Const, Hop, Var
from plait.model.stmt import If, InstanceCall
from plait.model.types import CompositeType, ElementaryType, Event, Model
from plait.passes import flat, instantiate
from plait.passes.parameters import COPY_LIMIT, TRIAL_LIMIT, Budget, copies


def with_range(model: Model, low: int, high: int) -> Model:
    """The model with its only range changed, past the static checks."""
    (only,) = model.ranges
    return replace(model, ranges=(replace(only, low=Const(low), high=Const(high)),))


def test_only_copies_whose_guard_can_hold_are_made() -> None:
    """covers: I106"""
    model = gal("""
        typedef two = 0..1;
        typedef three = 0..2;
        gal M { array [3] t = (0, 0, 0);
          transition go (two $x, three $y) [$x != $y && t[$x] == 0] { t[$y] = $x; } }
        """)
    new = instantiate(model).model
    assert [e.title for e in new.system.events] == ["go(0, 1)", "go(0, 2)", "go(1, 0)", "go(1, 2)"]
    assert events(new)[0] == "go_0_1 [t[0] == 0] { t[1] = 0; }"
    assert_same(model, [instantiate])


def test_a_false_conjunct_cuts_off_all_copies_below() -> None:
    """Ten parameters of ten values each would be 10^10 tuples; ordered ones are just one."""
    parameters = ", ".join(f"digit $p{i}" for i in range(10))
    ordered = " && ".join(f"$p{i} < $p{i + 1}" for i in range(9))
    model = gal(f"""
        typedef digit = 0..1;
        gal M {{ int x = 0; transition t ({parameters}) [{ordered}] {{ x = $p9; }} }}
        """)
    model = with_range(model, 0, 9)
    assert [e.title for e in instantiate(model).model.system.events] == [
        "t(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)"
    ]


def test_too_many_copies_are_an_error_at_the_event() -> None:
    model = gal("""
        typedef r = 1..10;
        gal M { int x = 0;
          transition t (r $a, r $b) [true] { x = $a; } }
        """)
    with pytest.raises(InputError) as caught:
        instantiate(with_range(model, 1, 1001))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == (
        f"the parameters of the events make more than {COPY_LIMIT} copies"
    )
    assert diagnostic.span is not None
    assert diagnostic.span.line == 4


def test_comparisons_narrow_the_range_of_a_parameter() -> None:
    model = gal("""
        typedef r = 1..10;
        gal M { int x = 0;
          transition t (r $a, r $b) [$a >= 999999999 && $b + 3 == $a && x == 0] { x = $b; } }
        """)
    new = instantiate(with_range(model, 1, 10**9)).model
    assert [e.title for e in new.system.events] == [
        "t(999999999, 999999996)",
        "t(1000000000, 999999997)",
    ]


def test_too_many_bindings_to_try_are_an_error_too() -> None:
    model = gal("""
        typedef r = 1..10;
        gal M { int x = 0; transition t (r $a) [$a * $a == 2] { x = $a; } }
        """)
    with pytest.raises(InputError, match=f"more than {TRIAL_LIMIT} bindings"):
        list(copies(model.system.events[0], {}, {"r": range(10**9)}, Budget(trials=1000)))


def test_an_empty_range_gives_no_copy() -> None:
    model = gal("""
        typedef none = 1..1;
        gal M { int x = 0; transition t (none $a) [true] { x = $a; }
          transition u [x == 0] { for ($i : none) { x = x + $i; } } }
        """)
    assert len(instantiate(model).model.system.events) == 2
    assert events(instantiate(with_range(model, 2, 1)).model) == ["u [x == 0] {}"]


def test_nested_loops_are_unrolled_in_order() -> None:
    """covers: I108"""
    model = gal("""
        typedef i = 0..1;
        typedef j = 1..3;
        gal M { int x = 0;
          transition t [x < 50] { for ($a : i) { for ($b : j) { x = x * 2 + $a * $b; } } } }
        """)
    body = instantiate(model).model.system.events[0].body
    assert len(body) == 6
    assert_same(model, [instantiate])
    assert figures(model)[0] > 2


def test_inner_constants_win_and_instances_override_them() -> None:
    """covers: I105"""
    model = gal("""
        $N = 5;
        gal Counter ($N = 2, $step = 1) {
          int x = $N;
          transition up [x < $N * 3] { x = x + $step; } }
        gal Plain { int y = $N; }
        composite Main {
          Counter small;
          Counter big ($N = 3, $step = 2);
          Counter again ($N = 3, $step = 2);
          Plain p; }
        main Main;
        property high [bounds] : big:x + p:y;
        property mine [reachable] : p:y == $N && small:x == 6;
        """)
    new = instantiate(model).model
    assert {t.name for t in new.types} == {"Plain", "Counter", "Counter_3_2", "Main"}
    main = new.system
    assert isinstance(main, CompositeType)
    assert main.instances[1].type == main.instances[2].type != main.instances[0].type
    before = assert_same(model, [instantiate])
    assert before[0] == (2, 3, 3, 5)
    assert "p:y == 5" in properties(new)[1]
    assert_same(model, [flat])


def test_labels_with_arguments_are_matched_by_value() -> None:
    """covers: I107"""
    model = gal("""
        typedef d = 0..2;
        gal M { int x = 0; array [3] seen = (0, 0, 0);
          transition send (d $v) [seen[$v] == 0] { self."got"($v, 1); x = $v; }
          transition got (d $v) [true] label "got"($v, $v * 0 + 1) { seen[$v] = 1; }
          transition other [true] label "got"(7, 7) { x = 9; }
          transition never [true] label "got_0_1" { x = 8; } }
        """)
    new = instantiate(model).model
    labels = [e.label.name for e in new.system.events if e.label is not None]
    # A plain label of the same look is somebody else; nobody calls it, nor "got"(7, 7).
    assert labels == ["got_0_1_2x", "got_1_1", "got_2_1"]
    assert all(e.label is None or not e.label.arguments for e in new.system.events)
    assert_same(model, [instantiate])


def test_a_computed_argument_chooses_among_the_labels() -> None:
    m = Elementary("M")
    m.range("d", 0, 2)
    x, y, v = m.variable("x"), m.variable("y"), parameter("v")
    m.event("next", when=x < 4, do=[call("at", x), x.add(1)])
    m.event("at", label=("at", v), parameters={"v": "d"}, do=y.set(v * v))
    model = Model("m", (m.build(),), "M")
    found = assert_same(model, [instantiate])
    assert_same(model, [flat])
    # From x = 3 on nobody answers.
    assert sorted(found[1]) == [(0, 0), (1, 0), (2, 1), (3, 4)]


def test_choices_over_parameters_disappear_from_composites() -> None:
    """A ring in which only neighbours talk: `if` and `abort` decide which calls there are.

    covers: I109
    """
    model = gal("""
        $N = 10;
        typedef node = 0 .. $N - 1;
        gal Station ($me = 0) { int token = 0;
          transition take [token == 0] label "take" { token = 1; }
          transition give [token == 1] label "give" { token = 0; } }
        composite Ring {
          Station [$N] s;
          synchronization pass (node $from, node $to) {
            if ($from + 1 == $to || ($from == $N - 1 && $to == 0)) {
              s[$from]."give"; s[$to]."take";
            } else { abort; }
          }
          synchronization start (node $n) { if ($n > 0) { abort; } s[$n]."take"; } }
        main Ring;
        """)
    new = instantiate(model).model
    main = new.system
    assert isinstance(main, CompositeType)
    assert [e.title for e in main.events] == [
        *(f"pass({i}, {i + 1})" for i in range(9)),
        "pass(9, 0)",
        "start(0)",
    ]
    small = model.with_constants({"N": 4})
    assert_same(small, [instantiate])
    assert_same(small, [flat])


def test_a_condition_of_a_composite_over_variables_is_refused() -> None:
    type_ = CompositeType(
        "C", events=(Event("e", body=(If(Compare("==", Var("x"), Const(1)), ()),)),)
    )
    with pytest.raises(InputError, match="constants and parameters only"):
        instantiate(Model("m", (type_,), "C"))


def test_labelled_events_that_nobody_calls_are_removed_but_elapse_of_main_stays() -> None:
    """covers: I113"""
    model = gal("""
        gal T { int x = 0;
          transition used [x == 0] label "used" { self."deep"; }
          transition deep [true] label "deep" { x = 1; }
          transition unused [true] label "unused" { self."lost"; }
          transition lost [true] label "lost" { x = 5; }
          transition time [true] label "elapse" { x = 0; } }
        composite C { T t; synchronization s { t."used"; }
          synchronization tick label "elapse" { t."elapse"; }
          synchronization dead label "dead" { t."unused"; } }
        main C;
        """)
    new = instantiate(model).model
    assert {e.name for t in new.types for e in t.events} == {"used", "deep", "time", "s", "tick"}
    assert_same(model, [instantiate])
    alone = replace(new, types=(new.type("T"),), main="T")
    kept = instantiate(alone).model.system
    assert isinstance(kept, ElementaryType)
    assert [e.name for e in kept.events] == ["time"]


def test_a_call_that_nobody_can_answer_blocks_the_synchronisation() -> None:
    model = gal("""
        gal T { int x = 0; transition a (r $v) [true] label "a"($v) { x = $v; } }
        typedef r = 1..2;
        composite C { T [2] t;
          synchronization ok { t[0]."a"(1); t[1]."a"(2); } }
        main C;
        """)
    calls = [
        InstanceCall(Hop("t", Const(0)), "a", (Const(3),)),
        InstanceCall(Hop("t", Const(2)), "a", (Const(1),)),
    ]
    main = model.type("C")
    extra = tuple(Event(f"bad{i}", body=(c,)) for i, c in enumerate(calls))
    changed = replace(main, events=(*main.events, *extra))
    model = replace(
        model, types=tuple(changed if type_ is main else type_ for type_ in model.types)
    )
    assert [e.name for e in instantiate(model).model.type("C").events] == ["ok"]
    assert_same(model, [instantiate])
