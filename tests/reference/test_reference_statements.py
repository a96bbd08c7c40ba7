"""What bodies do: calls, branches, loops, fixpoints, transient states, domains, time."""

from __future__ import annotations

import pytest
from reference_models import (
    array,
    ask,
    call,
    call_part,
    cmp,
    composite,
    eq,
    event,
    figures,
    gal,
    instance,
    integer,
    interval,
    labelled,
    op,
    param,
    put,
    system,
    var,
)

from plait.errors import LimitReached, ModelError
from plait.model.arithmetic import INT_MAX
from plait.model.expr import FALSE, Not
from plait.model.stmt import FIXPOINT_LIMIT, Abort, Fixpoint, For, If, Settle
from plait.model.types import Constant, ElementaryType, Event, Label, Variable

UP = put("x", op(var("x"), "+", 1))


def test_only_events_without_a_label_are_executed_freely() -> None:
    """covers: I96"""
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("free", (), put("x", 1)),
            event("empty", (), put("x", 2), label=""),
            event("labelled", (), put("x", 3), label="l"),
        )
    )
    assert semantics.successors((0,)) == [("free", (1,)), ("empty", (2,))]


def test_a_call_leads_to_the_union_of_what_answers_it() -> None:
    """The published figures of the example `call`: 2 states, 4 edges, no deadlock."""
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("choose", (), call("set")),
            event("one", (), put("x", 1), label="set"),
            event("zero", (), put("x", 0), label="set"),
            event("never", FALSE, put("x", 5), label="set"),
        )
    )
    assert figures(semantics.reachable()) == (2, 4, 0)


def test_a_call_that_nobody_answers_leads_nowhere() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("unknown", (), put("x", 1), call("nothing")),
            event("closed", (), put("x", 1), call("guarded")),
            event("guarded", eq("x", 5), label="guarded"),
        )
    )
    assert semantics.successors((0,)) == []
    assert not semantics.undefined


def test_arguments_choose_the_copies_that_answer() -> None:
    """covers: I107"""
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("two", (), call("add", op(1, "+", 1))),
            event("nine", (), call("add", 9)),
            event("each", (), call("add", param("q")), parameters=[("r", "q")]),
            event(
                "add",
                cmp(param("p"), "!=", 3),
                put("x", op(var("x"), "+", param("p"))),
                parameters=[("r", "p")],
                label=labelled("add", param("p")),
            ),
            event("twice", (), put("x", 100), label=labelled("add", 2)),
            ranges=(interval("r", 1, 3),),
        )
    )
    assert semantics.successors((10,)) == [
        ("two", (12,)),
        ("two", (100,)),
        ("each(1)", (11,)),
        ("each(2)", (12,)),
        ("each(2)", (100,)),
    ]


def test_a_parametric_event_has_one_copy_for_each_value() -> None:
    """The published figures of the example `param`: 4 states, 12 edges, no deadlock."""
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event(
                "e",
                cmp(param("p"), "!=", param("q")),
                put("x", op(param("p"), "+", param("q"))),
                parameters=[("three", "p"), ("two", "q")],
            ),
            event("none", (), put("x", 99), parameters=[("empty", "p")]),
            ranges=(interval("three", 0, 2), interval("two", 0, 1), interval("empty", 3, 2)),
        )
    )
    titles = ["e(0, 1)", "e(1, 0)", "e(2, 0)", "e(2, 1)"]
    assert [title for title, _ in semantics.successors((0,))] == titles
    graph = semantics.reachable()
    assert len(graph.states) == 4
    assert graph.arc_count == 4 * 4
    assert figures(graph) == (4, 12, 0)


def test_too_many_copies_are_refused_before_they_are_made() -> None:
    with pytest.raises(LimitReached, match="more than 1000000 copies"):
        system(
            gal(
                "g",
                [integer("x")],
                event("e", (), parameters=[("r", "p"), ("r", "q")]),
                ranges=(interval("r", 0, INT_MAX - 1),),
            )
        )


def test_a_loop_executes_its_body_for_each_value_in_ascending_order() -> None:
    """The published figures of the example `for`: 2 states, 2 edges, no deadlock.

    covers: I108
    """
    semantics = system(
        gal(
            "g",
            [array("t", 0, 0, 0), integer("x")],
            event("fill", (), For("i", "r", (put(var("t", param("i")), param("i")),))),
            ranges=(interval("r", 0, 2),),
        )
    )
    assert figures(semantics.reachable()) == (2, 2, 0)
    nested = system(
        gal(
            "g",
            [integer("x")],
            event(
                "e",
                (),
                For(
                    "i",
                    "r",
                    (
                        For(
                            "j",
                            "r",
                            (
                                If(
                                    cmp(param("i"), "<", param("j")),
                                    (put("x", op(op(var("x"), "*", 10), "+", param("j"))),),
                                ),
                            ),
                        ),
                    ),
                ),
            ),
            ranges=(interval("r", 0, 2),),
        )
    )
    assert nested.successors((0,)) == [("e", (122,))]


def test_abort_drops_the_path_and_time_is_the_label_elapse_of_the_main_type() -> None:
    """The published figures of the example `abort`, a timed net: 5 states, 7 edges, no deadlock.

    covers: I97
    """
    timed = gal(
        "g",
        [integer("a", 1), integer("b"), integer("clock")],
        event(
            "t",
            [cmp(var("a"), ">=", 1), cmp(var("clock"), ">=", param("soonest"))],
            put("a", op(var("a"), "-", 1)),
            put("b", op(var("b"), "+", 1)),
            put("clock", 0),
        ),
        event(
            "tick",
            (),
            If(
                cmp(var("a"), ">=", 1),
                (
                    If(
                        cmp(var("clock"), "<", param("latest")),
                        (put("clock", op(var("clock"), "+", 1)),),
                        (Abort(),),
                    ),
                ),
            ),
            label="elapse",
        ),
        constants=(Constant("soonest", value=1), Constant("latest", value=3)),
    )
    semantics = system(timed)
    assert figures(semantics.reachable()) == (5, 7, 0)
    assert semantics.successors(semantics.initial) == [("tick", (1, 0, 1))]
    assert semantics.enabled((1, 0, 3)) == {"t"}


def test_elapse_of_a_part_is_an_ordinary_label() -> None:
    """covers: I97"""
    clock = gal("clock", [integer("x")], event("tick", eq("x", 0), put("x", 1), label="elapse"))
    alone = system(clock, composite("c", [instance("p", "clock")]))
    assert alone.successors((0,)) == []
    whole = composite(
        "c", [instance("p", "clock")], event("time", (), call_part("p", "elapse"), label="elapse")
    )
    assert system(clock, whole).successors((0,)) == [("time", (1,))]


# --- fixpoint -------------------------------------------------------------------------------------


def timed_by_fixpoint(soonest: int = 3, latest: int = 5) -> ElementaryType:
    a, clock = var("a"), var("clock")
    return gal(
        "g",
        [integer("a", 1), integer("b"), integer("clock")],
        event("wait", cmp(clock, "<", latest), put("clock", op(clock, "+", 1)), label="wait"),
        event("stay", (), label="wait"),
        event("next", (), Fixpoint((call("wait"),)), call("fire")),
        event(
            "fire",
            [cmp(a, ">=", 1), cmp(clock, ">=", soonest)],
            put("a", op(a, "-", 1)),
            put("b", op(var("b"), "+", 1)),
            put("clock", 0),
            label="fire",
        ),
    )


def test_a_fixpoint_iterates_its_body_on_the_set_of_states() -> None:
    """The published figures of the example `fixpoint`: 2 states, 1 edge, 1 deadlock.

    covers: I98
    """
    semantics = system(timed_by_fixpoint())
    assert figures(semantics.reachable()) == (2, 1, 1)
    assert semantics.successors(semantics.initial) == [("next", (0, 1, 0))]


def test_states_that_cannot_go_on_leave_a_fixpoint() -> None:
    """A greatest fixpoint: only the states on which the body works for ever stay.

    covers: I98
    """
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event(
                "e",
                (),
                call("any"),
                Fixpoint((If(cmp(var("x"), ">", 0), (put("x", 5),), (Abort(),)),)),
            ),
            event("any", (), put("x", param("p")), parameters=[("r", "p")], label="any"),
            ranges=(interval("r", -3, 3),),
        )
    )
    assert semantics.successors((0,)) == [("e", (5,))]


def test_a_fixpoint_is_decided_on_the_whole_set_that_arrives() -> None:
    """The body swaps 0 and 1: the set of both is stable, neither alone is."""
    swap = Fixpoint((put("x", op(1, "-", var("x"))),))
    both = system(
        gal(
            "g",
            [integer("x")],
            event("e", (), call("any"), swap),
            event("zero", (), put("x", 0), label="any"),
            event("one", (), put("x", 1), label="any"),
        )
    )
    assert both.successors((0,)) == [("e", (0,)), ("e", (1,))]
    one = system(gal("g", [integer("x")], event("e", (), swap)))
    with pytest.raises(ModelError, match="never settles"):
        one.successors((0,))


def test_a_called_event_is_executed_on_one_state_at_a_time() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("e", (), call("any"), call("swap")),
            event("zero", (), put("x", 0), label="any"),
            event("one", (), put("x", 1), label="any"),
            event("swap", (), Fixpoint((put("x", op(1, "-", var("x"))),)), label="swap"),
        )
    )
    with pytest.raises(ModelError, match="never settles"):
        semantics.successors((0,))


def test_a_fixpoint_that_grows_for_ever_is_an_error() -> None:
    semantics = system(gal("g", [integer("x")], event("e", (), Fixpoint((UP,)))))
    with pytest.raises(ModelError, match=f"does not settle in {FIXPOINT_LIMIT} rounds"):
        semantics.successors((0,))


# --- transient ------------------------------------------------------------------------------------


def test_transient_states_are_not_observed() -> None:
    """The published figures of the example `sample-8`: 2 states, 2 edges, no deadlock.

    covers: I99
    """
    i = var("i")
    semantics = system(
        gal(
            "g",
            [integer("i"), array("t", 0, 0, 0, 0)],
            event(
                "e",
                cmp(i, "<", 4),
                put(var("t", i), i),
                If(cmp(i, "<", 3), (put("i", op(i, "+", 1)),), (put("i", 0),)),
            ),
            transient=cmp(i, "!=", 0),
        )
    )
    assert figures(semantics.reachable()) == (2, 2, 0)
    assert semantics.successors(semantics.initial) == [("e", (0, 0, 1, 2, 3))]


def counter(transient: int, *events: Event) -> ElementaryType:
    return gal("g", [integer("x")], *events, transient=cmp(var("x"), ">=", transient))


def test_a_transient_state_without_successor_disappears() -> None:
    semantics = system(counter(1, event("e", eq("x", 0), put("x", 1))))
    assert semantics.successors((0,)) == []


def test_a_transient_state_is_replaced_by_all_its_settled_successors() -> None:
    semantics = system(
        counter(
            5,
            event("go", eq("x", 0), put("x", 5)),
            event("up", eq("x", 5), put("x", 6)),
            event("one", cmp(var("x"), ">=", 5), put("x", 1)),
            event("two", eq("x", 6), put("x", 2)),
            event("labelled", eq("x", 5), put("x", 3), label="l"),
        )
    )
    assert sorted(semantics.successors((0,))) == [("go", (1,)), ("go", (2,))]


def test_a_cycle_of_transient_states_is_an_error() -> None:
    """covers: I99"""
    looping = counter(
        1,
        event("go", eq("x", 0), put("x", 1)),
        event("there", eq("x", 1), put("x", 2)),
        event("back", eq("x", 2), put("x", 1)),
        event("out", eq("x", 2), put("x", 0)),
    )
    with pytest.raises(ModelError, match="cycle of transient states"):
        system(looping).successors((0,))


def test_a_transient_initial_state_is_an_error() -> None:
    with pytest.raises(ModelError, match="the initial state is transient"):
        system(counter(0))
    with pytest.raises(ModelError, match=r"the initial state of 'p\[0\]' is transient"):
        system(counter(0), composite("c", [instance("p", "g", 2)]))


def test_a_part_settles_when_a_label_is_called_from_outside() -> None:
    """covers: I99"""
    part = counter(
        5,
        event("kick", eq("x", 0), put("x", 5), label="kick"),
        event("calm", eq("x", 5), put("x", 1)),
    )
    whole = composite(
        "c",
        [instance("a", "g"), instance("b", "g")],
        event("s", (), call_part("a", "kick"), call_part("b", "kick")),
    )
    assert system(part, whole).successors((0, 0)) == [("s", (1, 1))]


def test_a_call_within_a_component_is_part_of_a_larger_step_and_does_not_settle() -> None:
    """Otherwise `touch` would be settled by executing `free`, which calls `touch`, and so on."""
    semantics = system(
        counter(
            5,
            event("free", eq("x", 0), put("x", 5), call("touch"), put("x", op(var("x"), "-", 3))),
            event("calm", cmp(var("x"), ">=", 5), put("x", 0)),
            event("touch", (), label="touch"),
        )
    )
    assert semantics.successors((0,)) == [("free", (2,))]


def test_settling_by_a_statement_is_settling_by_a_transient_condition() -> None:
    settle = Settle(cmp(var("x"), ">=", 5), "raw")
    lowered = gal(
        "g",
        [integer("x")],
        event("go", eq("x", 0), put("x", 5), settle),
        event("one", eq("x", 5), put("x", 1), label="raw"),
        event("six", eq("x", 5), put("x", 6), label="raw"),
        event("two", eq("x", 6), put("x", 2), label="raw"),
    )
    assert sorted(system(lowered).successors((0,))) == [("go", (1,)), ("go", (2,))]


# --- domains --------------------------------------------------------------------------------------


def test_an_assignment_outside_the_declared_domain_is_an_error_of_the_model() -> None:
    semantics = system(gal("g", [integer("x", 3, domain=(0, 3))], event("e", (), UP)))
    with pytest.raises(ModelError, match=r"'x' is assigned 4, outside its domain 0..3"):
        semantics.successors((3,))


def test_a_domain_that_ends_with_the_integers_is_a_limit_of_ours() -> None:
    place = integer("x", INT_MAX, domain=(0, INT_MAX))
    semantics = system(gal("g", [place], event("e", (), UP)))
    with pytest.raises(LimitReached, match="32-bit"):
        semantics.successors((INT_MAX,))
    answer = semantics.check(ask("deadlock"))
    assert answer.verdict == "unknown"
    assert answer.reason is not None
    assert "32-bit" in answer.reason


def test_a_body_may_leave_the_domain_of_nothing_when_it_is_dropped_first() -> None:
    semantics = system(gal("g", [integer("x", 3, domain=(0, 3))], event("e", (), call("none"), UP)))
    assert semantics.successors((3,)) == []


def test_a_title_is_the_name_that_a_pass_kept_for_the_event() -> None:
    renamed = Event("e1", body=(UP,), display="p[0].e(1)")
    semantics = system(gal("g", [integer("x")], renamed))
    assert semantics.successors((0,)) == [("p[0].e(1)", (1,))]


def test_an_event_whose_label_has_an_undefined_argument_answers_nothing() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("e", (), call("l", 1)),
            event(
                "half",
                (),
                UP,
                parameters=[("r", "p")],
                label=Label("l", (op(1, "/", param("p")),)),
            ),
            ranges=(interval("r", 0, 1),),
        )
    )
    assert semantics.successors((0,)) == [("e", (1,))]


def test_variables_without_initial_values_are_zero() -> None:
    t = ElementaryType("g", variables=(Variable("x"), Variable("t", size=op(1, "+", 2))))
    assert system(t).initial == (0, 0, 0, 0)


def test_a_negated_undefined_condition_chooses_no_branch() -> None:
    undefined = cmp(op(1, "/", var("x")), "==", 1)
    semantics = system(
        gal("g", [integer("x")], event("e", (), If(Not(undefined), (UP,), (UP, UP))))
    )
    assert semantics.successors((0,)) == []
    assert semantics.undefined == {"e": 1}
    assert semantics.successors((1,)) == [("e", (3,))]
