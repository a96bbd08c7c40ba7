"""Answers, witnesses, replay, and why events cannot be executed."""

from __future__ import annotations

from dataclasses import replace

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
    gal,
    hop,
    instance,
    integer,
    interval,
    labelled,
    num,
    op,
    param,
    put,
    system,
    var,
)

from plait.errors import LimitReached, Source, Span
from plait.logic.formula import Finally, Globally
from plait.model.expr import And, Deadlock, Empty, Enabled, Not, Or
from plait.model.stmt import Abort, Receive, Send, Skip
from plait.model.types import Channel, Event
from plait.reference import Blocked, Reason, ReplayError, Semantics
from plait.report.answer import Step, Witness

X = var("x")
UP = put("x", op(X, "+", 1))


def counter(last: int = 3) -> Semantics:
    """Counts up to `last`; from 2 it may go back to 0."""
    return system(
        gal(
            "g",
            [integer("x")],
            event("up", cmp(X, "<", last), UP),
            event("back", eq("x", 2), put("x", 0)),
        )
    )


# --- answers --------------------------------------------------------------------------------------


def test_safety_answers_come_with_a_shortest_trace() -> None:
    """covers: I41, I42"""
    semantics = counter()
    reached = semantics.check(ask("reachable", eq("x", 2)))
    assert reached.verdict == "true"
    assert reached.witness == Witness((0,), (Step("up", (1,)), Step("up", (2,))))
    assert semantics.check(ask("reachable", eq("x", 9))).verdict == "false"
    avoided = semantics.check(ask("never", eq("x", 2)))
    assert (avoided.verdict, avoided.witness) == ("false", reached.witness)
    kept = semantics.check(ask("invariant", cmp(X, "<", 2)))
    assert (kept.verdict, kept.witness) == ("false", reached.witness)
    assert semantics.check(ask("invariant", cmp(X, "<=", 3))).verdict == "true"
    stuck = semantics.check(ask("deadlock"))
    assert stuck.verdict == "false"
    assert stuck.witness is not None
    assert stuck.witness.states[-1] == (3,)
    for answer in (reached, avoided, kept, stuck):
        assert answer.witness is not None
        semantics.confirm(answer.property, answer.witness)


def test_an_invariant_that_is_undefined_somewhere_is_violated() -> None:
    """covers: I41"""
    semantics = counter()
    fragile = cmp(op(6, "/", op(X, "-", 2)), "!=", 100)
    assert semantics.check(ask("invariant", fragile)).verdict == "false"
    assert semantics.check(ask("never", Not(fragile))).verdict == "true"


def test_bounds_are_taken_where_the_expression_is_defined() -> None:
    """covers: I46"""
    semantics = counter()
    answer = semantics.check(ask("bounds", op(6, "/", op(X, "-", 2))))
    assert (answer.verdict, answer.value, answer.stats["min"]) == ("true", 6, -6)
    assert semantics.bounds(X) == (0, 3)
    nowhere = semantics.check(ask("bounds", op(1, "/", 0)))
    assert (nowhere.verdict, nowhere.value) == ("true", None)


def test_deadlocks_are_listed() -> None:
    """covers: I48"""
    assert counter().deadlocks() == [(3,)]
    assert counter().holds(Deadlock(), (3,))
    assert not counter().holds(Deadlock(), (2,))


def test_a_search_beyond_its_limit_is_unknown_unless_it_was_decided_before() -> None:
    endless = system(gal("g", [integer("x")], event("up", (), UP)))
    with pytest.raises(LimitReached, match="more than 100 states"):
        endless.reachable(100)
    assert endless.check(ask("deadlock"), limit=100).verdict == "unknown"
    assert endless.check(ask("deadlock"), limit=100).reason == "more than 100 states"
    assert endless.check(ask("reachable", eq("x", 50)), limit=100).verdict == "true"
    assert len(counter().reachable(4).states) == 4


def test_an_atom_is_no_question() -> None:
    assert counter().check(ask("atom", eq("x", 0))).verdict == "unknown"


def test_enabled_names_events_with_or_without_their_arguments() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("take", cmp(X, "==", param("p")), UP, parameters=[("r", "p")]),
            event("taken", eq("x", 7), UP),
            ranges=(interval("r", 1, 2),),
        )
    )
    assert semantics.holds(Enabled(("take",)), (1,))
    assert semantics.holds(Enabled(("take(1)",)), (1,))
    assert not semantics.holds(Enabled(("take(2)",)), (1,))
    assert semantics.holds(Enabled(("take(2)", "take(1)")), (1,))
    assert not semantics.holds(Enabled(("take",)), (7,))


def test_a_rendezvous_is_enabled_by_the_name_of_either_half() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("s", (), Send(hop("c"), (num(1),))),
            event("r", (), Receive(hop("c"), (Skip(),))),
            channels=(Channel("c", capacity=0, fields=(None,)),),
        )
    )
    for name in ("s", "r", "s & r"):
        assert semantics.holds(Enabled((name,)), (0,))
    assert not semantics.holds(Enabled(("c",)), (0,))


# --- replay ---------------------------------------------------------------------------------------


GOOD = Witness((0,), (Step("up", (1,)), Step("up", (2,)), Step("back", (0,))), loop=0)


@pytest.mark.parametrize(
    ("witness", "step", "message"),
    [
        (Witness((1,), ()), 0, "does not begin in the initial state"),
        (Witness((0,), (Step("back", (0,)),)), 1, "'back' cannot be executed here"),
        (Witness((0,), (Step("up", (1,)), Step("up", (3,)))), 2, "does not lead to the state"),
        (Witness((0,), (Step("up", (1,)), Step("down", (0,)))), 2, "the model has no event 'down'"),
        (replace(GOOD, loop=1), 3, "the last state is not state 1"),
        (replace(GOOD, loop=3), 3, "it is no deadlock"),
        (replace(GOOD, loop=4), 3, "state 4, which does not exist"),
        (replace(GOOD, loop=-1), 3, "state -1, which does not exist"),
    ],
)
def test_a_wrong_witness_is_refused_at_its_first_wrong_step(
    witness: Witness, step: int, message: str
) -> None:
    with pytest.raises(ReplayError, match=message) as caught:
        counter().replay(witness)
    assert caught.value.step == step


def test_a_right_witness_replays() -> None:
    counter().replay(GOOD)
    counter().replay(Witness((0,), ()))
    three = tuple(Step("up", (i,)) for i in (1, 2, 3))
    counter().replay(Witness((0,), three, loop=3))


def test_a_witness_must_show_what_it_is_a_witness_of() -> None:
    semantics = counter()
    here = Witness((0,), (Step("up", (1,)),))
    semantics.confirm(ask("reachable", eq("x", 1)), here)
    semantics.confirm(ask("invariant", eq("x", 0)), here)
    semantics.confirm(ask("ltl", Finally(eq("x", 3))), GOOD)
    for wrong, witness in [
        (ask("reachable", eq("x", 2)), here),
        (ask("never", eq("x", 0)), here),
        (ask("invariant", eq("x", 1)), here),
        (ask("deadlock"), here),
        (ask("ltl", Finally(eq("x", 2))), GOOD),
        (ask("ltl", Globally(eq("x", 0))), here),
    ]:
        with pytest.raises(ReplayError, match="does not show"):
            semantics.confirm(wrong, witness)


def test_a_list_of_events_is_executed_or_its_first_blocked_step_is_told() -> None:
    """covers: I45"""
    semantics = counter()
    done = semantics.replay_events(["up", "up", "back"])
    assert done == replace(GOOD, loop=None)
    blocked = semantics.replay_events(["up", "back", "up"])
    assert isinstance(blocked, Blocked)
    assert (blocked.step, blocked.event, blocked.enabled) == (2, "back", ("up",))
    assert blocked.witness.states == ((0,), (1,))
    assert semantics.replay_events([]) == Witness((0,), ())


def test_a_list_of_events_finds_the_choices_that_make_it_possible() -> None:
    """covers: I45"""
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("choose", eq("x", 0), call("any")),
            event("any", (), put("x", param("p")), parameters=[("r", "p")], label="any"),
            event("three", eq("x", 3), put("x", 9), parameters=[("r", "q")]),
            ranges=(interval("r", 1, 4),),
        )
    )
    done = semantics.replay_events(["choose", "three(2)"])
    assert isinstance(done, Witness)
    assert done.states == ((0,), (3,), (9,))
    semantics.replay(done)
    assert isinstance(semantics.replay_events(["choose", "three"]), Witness)


def test_a_step_knows_its_event_its_process_and_its_place() -> None:
    span = Span(Source("m.gal"), 3, 7)
    leaf = gal("Leaf", [integer("x")], Event("e", body=(UP,), process="worker", span=span))
    semantics = system(leaf, composite("C", [instance("p", "Leaf", 2)]))
    move = semantics.event("p[1].e")
    assert (move.event.name, move.path, move.process, move.span) == (
        "e",
        "p[1]",
        "p[1].worker",
        span,
    )


# --- explanations ---------------------------------------------------------------------------------


def why(semantics: Semantics, state: tuple[int, ...]) -> dict[str, list[str]]:
    """Each blocked event with its reasons, as short texts."""
    return {e.title: [text(r) for r in e.reasons] for e in semantics.explain(state)}


def text(reason: Reason) -> str:
    values = " ".join(f"{name}={value}" for name, value in reason.values)
    return reason.text or f"{reason.event}: {reason.truth} {values}"


def test_a_blocked_event_names_the_conjuncts_that_are_not_true_with_their_values() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x", 1), integer("y", 2), array("t", 5, 6)],
            event("fine", eq("x", 1)),
            event("e", [eq("x", 1), eq("y", 1), cmp(op(1, "/", op(X, "-", 1)), "==", 1)]),
            event(
                "take",
                [cmp(param("p"), "!=", 1), cmp(var("t", op(X, "+", param("p"))), "==", 0)],
                parameters=[("r", "p")],
            ),
            ranges=(interval("r", 0, 2),),
        )
    )
    assert why(semantics, semantics.initial) == {
        "e": ["e: False y=2", "e: None x=1"],
        "take(0)": ["take(0): False t[1]=6 x=1 $p=0"],
        "take(2)": ["take(2): None t[3]=None x=1 $p=2"],
    }


def test_a_blocked_synchronisation_says_which_part_is_in_the_way() -> None:
    fork = gal("Fork", [integer("free", 0)], event("take", eq("free", 1), label="take"))
    table = composite(
        "Table",
        [instance("f", "Fork", 2)],
        event("get", (), call_part(hop("f", 1), "take")),
        event("lost", (), call_part(hop("f", 0), "drop", 3)),
        event("off", (), call_part(hop("f", 2), "take")),
        event("none", (), Abort()),
        event("elapse", (), call_part(hop("f", 0), "take"), label="elapse"),
    )
    assert why(system(fork, table), (0, 0)) == {
        "get": ["f[1].take: False f[1]:free=0"],
        "lost": ["no event answers 'drop(3)'"],
        "off": ["there is no such part of 'f'"],
        "none": ["abort"],
        "elapse": ["f[0].take: False f[0]:free=0"],
    }


def test_channels_and_rendezvous_give_their_reasons() -> None:
    c, m = hop("c"), hop("m")
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("full", (), Send(c, (num(1),))),
            event("empty", Empty(c)),
            event("other", (), Receive(c, (Skip(),)), Receive(c, (Skip(),))),
            event("s", (), Send(m, ()), process="p"),
            event("r", eq("x", 1), Receive(m, ()), process="q"),
            event("own", (), Send(hop("n"), ())),
            channels=(
                Channel("c", capacity=1, fields=(None,)),
                Channel("m", capacity=0, fields=()),
                Channel("n", capacity=0, fields=()),
            ),
        )
    )
    assert why(semantics, (0, 1, 5)) == {
        "full": ["channel 'c' is full"],
        "empty": ["empty: False c.length=1"],
        "other": ["channel 'c' is empty"],
        "s": ["nobody is ready for the rendezvous on 'm'"],
        "r": ["r: False x=0"],
        "own": ["no other process takes part in the rendezvous on 'n'"],
    }
    assert not semantics.undefined


def test_an_undefined_operation_is_a_reason_and_explaining_does_not_count_it() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x"), array("t", 0)],
            event("value", (), put("x", op(1, "/", X))),
            event("index", (), put(var("t", 1), 1)),
            event("argument", (), call("l", op(1, "/", X))),
            event("l", (), label=labelled("l", 1)),
        )
    )
    semantics.successors((0, 0))
    assert sum(semantics.undefined.values()) == 3
    assert why(semantics, (0, 0)) == {
        "value": ["the value is undefined"],
        "index": ["the index of 't' is out of range"],
        "argument": ["a value is undefined here"],
    }
    assert sum(semantics.undefined.values()) == 3


def test_the_variables_of_a_property_are_told_with_their_values() -> None:
    leaf = gal("Leaf", [array("t", 4, 5)])
    semantics = system(leaf, composite("C", [instance("p", "Leaf", 2)]))
    formula = And(
        (
            cmp(var("t", 1, [hop("p", 0)]), "==", 5),
            Or((cmp(var("t", 2, [hop("p", 1)]), ">", 0), cmp(var("t", 0, [hop("p", 7)]), ">", 0))),
        )
    )
    assert semantics.values(formula, semantics.initial) == (
        ("p[0]:t[1]", 5),
        ("p[1]:t[2]", None),
        ("p[7]:t[0]", None),
    )
