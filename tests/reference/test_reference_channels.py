"""Channels: queues, ordered sends, receives that search, polls, and rendezvous."""

from __future__ import annotations

import pytest
from reference_models import (
    Number,
    call,
    cmp,
    eq,
    event,
    gal,
    hop,
    integer,
    interval,
    num,
    op,
    param,
    put,
    system,
    var,
)

from plait.errors import ModelError
from plait.model.expr import Const, Empty, Full, Length, Not, Poll
from plait.model.stmt import Bind, Match, Pattern, Receive, Send, Skip
from plait.model.types import Channel, Domain, ElementaryType, Event
from plait.reference import Semantics

C = hop("c")


def send(*values: Number, to: str = "c", ordered: bool = False) -> Send:
    return Send(hop(to), tuple(map(num, values)), ordered)


def receive(*patterns: Pattern, anywhere: bool = False, keep: bool = False) -> Receive:
    return Receive(C, patterns, anywhere, keep)


def to(name: str) -> Bind:
    return Bind(var(name))


def match(value: Number) -> Match:
    return Match(num(value))


def queue(capacity: int, fields: int, *events: Event, size: int | None = None) -> ElementaryType:
    """A channel `c` after the variables x and y."""
    channel = Channel(
        "c",
        capacity=capacity,
        fields=(None,) * fields,
        size=None if size is None else Const(size),
    )
    return gal("g", [integer("x"), integer("y")], *events, channels=(channel,))


def after(type_: ElementaryType, state: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [s for _, s in system(type_).successors(state)]


def test_a_queue_is_first_in_first_out() -> None:
    t = queue(2, 1, event("s", (), send(op(var("x"), "+", 7))), event("r", (), receive(to("y"))))
    semantics = system(t)
    assert semantics.initial == (0, 0, 0, 0, 0)
    assert semantics.successors((0, 0, 0, 0, 0)) == [("s", (0, 0, 1, 7, 0))]
    assert semantics.successors((1, 0, 1, 7, 0)) == [("s", (1, 0, 2, 7, 8)), ("r", (1, 7, 0, 0, 0))]
    assert semantics.successors((1, 0, 2, 7, 8)) == [("r", (1, 7, 1, 8, 0))]


def test_slots_without_a_message_are_zero_so_that_equal_queues_are_equal_states() -> None:
    t = queue(3, 2, event("s", (), send(1, 2)), event("r", (), receive(Skip(), Skip())))
    graph = system(t).reachable()
    assert len(graph.states) == 4


def test_an_ordered_send_stands_before_the_first_greater_message() -> None:
    t = queue(3, 2, event("s", (), send(2, 5, ordered=True)))
    assert after(t, (0, 0, 2, 1, 9, 3, 0, 0, 0)) == [(0, 0, 3, 1, 9, 2, 5, 3, 0)]
    assert after(t, (0, 0, 2, 2, 4, 2, 6, 0, 0)) == [(0, 0, 3, 2, 4, 2, 5, 2, 6)]
    assert after(t, (0, 0, 2, 2, 5, 2, 5, 0, 0)) == [(0, 0, 3, 2, 5, 2, 5, 2, 5)]
    assert after(t, (0, 0, 2, 9, 0, 1, 0, 0, 0)) == [(0, 0, 3, 2, 5, 9, 0, 1, 0)]


def test_a_receive_takes_the_first_message_only_if_it_matches() -> None:
    t = queue(2, 2, event("r", (), receive(match(op(var("x"), "+", 1)), to("y"))))
    assert after(t, (4, 0, 2, 5, 8, 6, 9)) == [(4, 8, 1, 6, 9, 0, 0)]
    assert after(t, (5, 0, 2, 5, 8, 6, 9)) == []
    assert after(t, (4, 0, 0, 0, 0, 0, 0)) == []


def test_a_receive_anywhere_takes_the_first_message_that_matches() -> None:
    t = queue(3, 2, event("r", (), receive(match(6), to("y"), anywhere=True)))
    assert after(t, (0, 0, 3, 5, 8, 6, 9, 6, 7)) == [(0, 9, 2, 5, 8, 6, 7, 0, 0)]
    assert after(t, (0, 0, 1, 5, 8, 0, 0, 0, 0)) == []


def test_a_receive_may_leave_the_message_where_it_is() -> None:
    t = queue(2, 1, event("r", (), receive(to("y"), keep=True)))
    assert after(t, (0, 0, 2, 5, 6)) == [(0, 5, 2, 5, 6)]
    there = queue(2, 1, event("r", (), receive(match(6), anywhere=True, keep=True), put("y", 1)))
    assert after(there, (0, 0, 2, 5, 6)) == [(0, 1, 2, 5, 6)]


def test_matches_are_evaluated_before_anything_is_bound() -> None:
    t = queue(1, 2, event("r", (), receive(to("x"), match(var("x")))))
    assert after(t, (3, 0, 1, 8, 3)) == [(8, 0, 0, 0, 0)]
    assert after(t, (3, 0, 1, 3, 8)) == []


def test_targets_are_bound_from_left_to_right() -> None:
    t = queue(1, 2, event("r", (), receive(to("x"), to("x"))))
    assert after(t, (0, 0, 1, 3, 8)) == [(8, 0, 0, 0, 0)]


def test_what_a_channel_holds_can_be_asked() -> None:
    semantics = system(queue(2, 2))
    empty, one, full = (0,) * 7, (0, 0, 1, 5, 8, 0, 0), (0, 0, 2, 5, 8, 6, 9)
    assert [semantics.value(Length(C), s) for s in (empty, one, full)] == [0, 1, 2]
    assert [semantics.holds(Empty(C), s) for s in (empty, one, full)] == [True, False, False]
    assert [semantics.holds(Full(C), s) for s in (empty, one, full)] == [False, False, True]
    first = Poll(C, (num(6), None))
    anywhere = Poll(C, (num(6), None), anywhere=True)
    assert [semantics.holds(first, s) for s in (empty, one, full)] == [False, False, False]
    assert [semantics.holds(anywhere, s) for s in (empty, one, full)] == [False, False, True]
    assert semantics.holds(Poll(C, (None, num(8))), one)
    assert semantics.holds(Poll(C, (None, None)), one)
    assert not semantics.holds(Poll(C, (None, None)), empty)


def test_a_poll_with_an_undefined_pattern_is_undefined_unless_something_else_decides_it() -> None:
    semantics = system(queue(2, 2))
    undefined = op(1, "/", 0)
    assert semantics.truth(Poll(C, (undefined, None)), (0, 0, 1, 5, 8, 0, 0)) is None
    assert semantics.truth(Poll(C, (undefined, num(7))), (0, 0, 1, 5, 8, 0, 0)) is False
    assert semantics.truth(Poll(C, (undefined, num(8))), (0, 0, 0, 0, 0, 0, 0)) is False
    assert not semantics.holds(Not(Poll(C, (undefined, None))), (0, 0, 1, 5, 8, 0, 0))


def test_channels_may_stand_in_an_array() -> None:
    t = queue(
        1,
        1,
        event("s", (), Send(hop("c", var("x")), (num(7),))),
        event("r", (), Receive(hop("c", var("x")), (to("y"),))),
        size=2,
    )
    semantics = system(t)
    assert semantics.successors((1, 0, 0, 0, 0, 0)) == [("s", (1, 0, 0, 0, 1, 7))]
    assert semantics.successors((1, 0, 0, 0, 1, 7)) == [("r", (1, 7, 0, 0, 0, 0))]
    assert not semantics.undefined
    assert semantics.successors((2, 0, 1, 3, 1, 7)) == []
    assert semantics.undefined == {"s": 1, "r": 1}
    assert semantics.value(Length(hop("c", var("x"))), (2, 0, 1, 3, 1, 7)) is None
    assert semantics.truth(Not(Empty(hop("c", var("x")))), (2, 0, 1, 3, 1, 7)) is None


def test_undefined_values_are_neither_sent_nor_matched() -> None:
    undefined = op(1, "/", var("x"))
    t = queue(2, 1, event("s", (), send(undefined)), event("r", (), receive(match(undefined))))
    semantics = system(t)
    assert semantics.successors((0, 0, 1, 1, 0)) == []
    assert semantics.undefined == {"s": 1, "r": 1}


def test_a_field_has_a_domain_like_a_variable() -> None:
    channel = Channel("c", capacity=1, fields=(Domain(0, 1),))
    t = gal("g", [integer("x", 2)], event("s", (), send(var("x"))), channels=(channel,))
    with pytest.raises(ModelError, match=r"'c' is assigned 2, outside its domain 0..1"):
        system(t).successors((2, 0, 0))
    assert system(t).successors((2, 1, 0)) == []


def test_a_send_that_is_called_on_a_full_channel_leads_nowhere() -> None:
    t = queue(1, 0, event("e", (), call("s"), put("x", 1)), event("s", (), send(), label="s"))
    assert after(t, (0, 0, 0)) == [(1, 0, 1)]
    assert after(t, (0, 0, 1)) == []


# --- rendezvous -----------------------------------------------------------------------------------


def meeting(*events: Event) -> Semantics:
    return system(queue(0, 2, *events))


def test_a_rendezvous_is_one_joint_step_of_two_events() -> None:
    semantics = meeting(
        event("s", eq("x", 0), send(1, op(var("x"), "+", 5)), put("x", op(var("y"), "*", 2))),
        event("r", eq("y", 0), receive(match(1), to("y")), put("y", op(var("y"), "+", var("x")))),
    )
    assert semantics.initial == (0, 0)
    # y is bound to 5, then the sender sets x to 10, then the receiver sets y to 15.
    assert semantics.successors((0, 0)) == [("s & r", (10, 15))]
    assert semantics.successors((1, 0)) == []
    assert semantics.successors((0, 1)) == []


def test_neither_half_of_a_rendezvous_is_executed_alone() -> None:
    assert meeting(event("s", (), send(1, 2))).successors((0, 0)) == []
    assert meeting(event("r", (), receive(Skip(), Skip()))).successors((0, 0)) == []
    called = meeting(
        event("e", (), call("s")),
        event("s", (), send(1, 2), label="s"),
        event("r", (), receive(Skip(), Skip())),
    )
    assert called.successors((0, 0)) == []


def test_a_process_does_not_meet_itself() -> None:
    events = (
        event("s", (), send(1, 2), process="p"),
        event("r", (), receive(Skip(), Skip()), process="p"),
        event("q", (), receive(Skip(), Skip()), put("x", 1), process="q"),
        event("n", (), receive(Skip(), Skip()), put("x", 2)),
    )
    semantics = meeting(*events)
    assert semantics.successors((0, 0)) == [("s & q", (1, 0)), ("s & n", (2, 0))]
    assert semantics.event("s & q").process == "p & q"
    assert semantics.event("s & n").process == "p"


def test_values_of_a_rendezvous_are_those_of_the_state_before() -> None:
    semantics = meeting(
        event("s", (), send(op(var("y"), "+", 1), var("x"))),
        event("r", (), receive(to("x"), to("y"))),
    )
    assert semantics.successors((3, 7)) == [("s & r", (8, 3))]


def test_a_rendezvous_needs_a_match_and_the_same_channel_of_an_array() -> None:
    semantics = system(
        gal(
            "g",
            [integer("x"), integer("y")],
            event("s", (), Send(hop("c", param("i")), (num(1), num(2))), parameters=[("two", "i")]),
            event("r", (), Receive(hop("c", var("x")), (match(var("y")), Skip())), put("y", 9)),
            channels=(Channel("c", capacity=0, fields=(None, None), size=num(2)),),
            ranges=(interval("two", 0, 1),),
        )
    )
    assert semantics.successors((1, 1)) == [("s(1) & r", (1, 9))]
    assert semantics.successors((0, 1)) == [("s(0) & r", (0, 9))]
    assert semantics.successors((0, 0)) == []
    assert not semantics.undefined
    assert semantics.successors((2, 1)) == []
    assert semantics.undefined == {"s(0) & r": 1, "s(1) & r": 1}


def test_an_undefined_value_prevents_a_rendezvous_even_if_nobody_looks_at_it() -> None:
    semantics = meeting(
        event("s", (), send(1, op(1, "/", var("x")))),
        event("r", (), receive(Skip(), Skip())),
    )
    assert semantics.successors((0, 0)) == []
    assert semantics.undefined == {"s & r": 1}
    assert semantics.successors((1, 0)) == [("s & r", (1, 0))]


def test_a_channel_of_capacity_zero_is_always_empty_and_full() -> None:
    semantics = meeting()
    assert semantics.holds(Empty(C), (0, 0))
    assert semantics.holds(Full(C), (0, 0))
    assert not semantics.holds(Poll(C, (None, None)), (0, 0))
    assert semantics.holds(cmp(Length(C), "==", 0), (0, 0))
