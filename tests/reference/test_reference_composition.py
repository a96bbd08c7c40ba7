"""Composites, scalar and circular sets: who moves, with whom, and what a step is called."""

from __future__ import annotations

import pytest
from reference_models import (
    ask,
    call,
    call_part,
    cmp,
    composite,
    eq,
    event,
    figures,
    gal,
    hop,
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

from plait.errors import InputError
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Until
from plait.model.expr import TRUE, And, Formula, Implies, Not, Or
from plait.model.stmt import Abort, For, If, Statement
from plait.model.types import Constant
from plait.reference import Semantics

PING = gal("Ping", [integer("ball", 1)], event("hit", eq("ball", 1), put("ball", 0), label="ping"))
PONG = gal("Pong", [integer("ball")], event("catch", eq("ball", 0), put("ball", 1), label="pong"))


def ball(name: str, index: int | None = None) -> Formula:
    return cmp(var("ball", path=[hop(name, index)]), "==", 1)


def test_a_synchronisation_is_one_atomic_step_of_several_parts() -> None:
    """The published figures of `sample-9`: 2 states, 1 edge, 1 deadlock, and AF is true.

    covers: I79
    """
    game = composite(
        "game",
        [instance("a", "Ping"), instance("b", "Pong")],
        event("serve", (), call_part("a", "ping"), call_part("b", "pong")),
    )
    semantics = system(PING, PONG, game)
    assert figures(semantics.reachable()) == (2, 1, 1)
    assert semantics.successors((1, 0)) == [("serve", (0, 1))]
    assert semantics.check(ask("ctl", Forall(Finally(ball("b"))))).verdict == "true"


def test_a_synchronisation_is_disabled_when_one_part_cannot_move() -> None:
    """covers: I79"""
    game = composite(
        "game",
        [instance("a", "Ping"), instance("b", "Pong")],
        event("serve", (), call_part("a", "ping"), call_part("b", "pong")),
        event("unknown", (), call_part("a", "ping"), call_part("b", "ping")),
    )
    semantics = system(PING, PONG, game)
    assert semantics.successors((1, 1)) == []
    assert semantics.successors((0, 0)) == []


def three_ways() -> Semantics:
    """One server and an array of three receivers: two of them together, or the last one."""
    return system(
        PING,
        PONG,
        composite(
            "game",
            [instance("a", "Ping"), instance("b", "Pong", 3)],
            event(
                "two",
                (),
                call_part("a", "ping"),
                call_part(hop("b", 0), "pong"),
                call_part(hop("b", op(0, "+", 1)), "pong"),
            ),
            event("third", (), call_part("a", "ping"), call_part(hop("b", 2), "pong")),
        ),
    )


def test_parts_of_an_array_are_called_by_their_index() -> None:
    """The published figures of `sample-10`: 3 states, 2 edges, 2 deadlocks.

    covers: I85
    """
    semantics = three_ways()
    assert figures(semantics.reachable()) == (3, 2, 2)
    assert semantics.successors((1, 0, 0, 0)) == [("two", (0, 1, 1, 0)), ("third", (0, 0, 0, 1))]


def test_a_deadlock_fails_an_eventuality_by_default_and_fulfils_it_by_the_textbook() -> None:
    """The published answer of `sample-10`: false with the deadlock convention, textbook true.

    covers: I54
    """
    semantics = three_ways()
    inevitable = ask("ctl", Forall(Finally(ball("b", 0))))
    assert semantics.check(inevitable).verdict == "false"
    assert semantics.check(inevitable, textbook=True).verdict == "true"
    avoidable = ask("ctl", Exists(Globally(Not(ball("b", 0)))))
    assert semantics.check(avoidable).verdict == "true"
    assert semantics.check(avoidable, textbook=True).verdict == "false"


def test_several_synchronisations_of_one_label_are_a_choice_of_the_caller() -> None:
    """The published figures of `sample-12`: 20 states, 54 edges, 1 deadlock, and AF is true.

    covers: I80
    """
    choices = [
        event(f"{label}{i}", (), call_part(hop(part, i), label), label=f"{label}Any")
        for part, label in (("a", "ping"), ("b", "pong"))
        for i in range(3)
    ]
    semantics = system(
        PING,
        PONG,
        composite(
            "game",
            [instance("a", "Ping", 3), instance("b", "Pong", 3)],
            *choices,
            event("play", (), call("pingAny"), call("pongAny")),
        ),
    )
    assert figures(semantics.reachable()) == (20, 54, 1)
    assert len(semantics.successors((1, 1, 1, 0, 0, 0))) == 9
    assert semantics.check(ask("ctl", Forall(Finally(ball("b", 0))))).verdict == "true"


def test_an_instance_that_is_called_several_times_moves_several_times_in_order() -> None:
    """covers: I83"""
    x = var("x")
    counter = gal(
        "Counter",
        [integer("x", 2)],
        event("dec", cmp(x, ">", 0), put("x", op(x, "-", 1)), label="dec"),
        event("iszero", eq("x", 0), label="iszero"),
    )
    whole = composite(
        "c",
        [instance("k", "Counter")],
        event("last", (), call_part("k", "dec"), call_part("k", "iszero")),
        event("never", (), call_part("k", "iszero"), call_part("k", "dec")),
    )
    semantics = system(counter, whole)
    assert semantics.successors((2,)) == []
    assert semantics.successors((1,)) == [("last", (0,))]
    assert semantics.successors((0,)) == []


def test_free_events_of_parts_and_free_synchronisations_at_any_depth_interleave() -> None:
    """covers: I79"""
    x = var("x")
    leaf = gal("Leaf", [integer("x")], event("up", cmp(x, "<", 2), put("x", op(x, "+", 1))))
    resettable = gal("Pit", [integer("x")], event("r", (), put("x", 9), label="reset"))
    middle = composite(
        "Middle",
        [instance("l", "Leaf", 2), instance("p", "Pit")],
        event("inner", (), call_part("p", "reset")),
    )
    whole = composite("Whole", [instance("m", "Middle"), instance("l", "Leaf")])
    semantics = system(leaf, resettable, middle, whole)
    assert semantics.cells == ("m:l[0]:x", "m:l[1]:x", "m:p:x", "l:x")
    assert semantics.successors((0, 0, 0, 2)) == [
        ("m.inner", (0, 0, 9, 2)),
        ("m.l[0].up", (1, 0, 0, 2)),
        ("m.l[1].up", (0, 1, 0, 2)),
    ]
    deep = var("x", path=[hop("m"), hop("l", 1)])
    assert semantics.value(deep, (0, 7, 0, 2)) == 7
    assert semantics.value(var("x", path=[hop("m"), hop("l", 2)]), (0, 7, 0, 2)) is None
    assert semantics.event("m.l[1].up").path == "m.l[1]"


def test_a_path_to_a_part_that_does_not_exist_is_an_error() -> None:
    semantics = three_ways()
    with pytest.raises(InputError, match="no instance named 'z'"):
        semantics.value(var("ball", path=[hop("z")]), semantics.initial)


def test_an_index_beyond_an_array_of_parts_disables_the_call() -> None:
    game = composite(
        "game",
        [instance("b", "Pong", 2)],
        event(
            "e", (), call_part(hop("b", op(param("i"), "+", 1)), "pong"), parameters=[("r", "i")]
        ),
    )
    semantics = system(PONG, game, ranges=(interval("r", 0, 1),))
    assert semantics.successors((0, 0)) == [("e(0)", (0, 1))]
    assert semantics.undefined == {"e(1)": 1}


def test_conditions_over_parameters_choose_what_a_synchronisation_does() -> None:
    """The published figures of `sample_18`, a token ring of 10: 11 states, 45 edges, no deadlock.

    covers: I109
    """
    token = gal(
        "Participant",
        [integer("token", param("token"))],
        event("get", eq("token", 1), put("token", 0), label="get"),
        event("put", eq("token", 0), put("token", 1), label="put"),
        event("reset", (), put("token", 0), label="reset"),
        constants=(Constant("token", value=0),),
    )
    i, j = param("i"), param("j")
    fast: tuple[Statement, ...] = (
        If(
            And((cmp(i, "!=", j), Or((cmp(i, "==", 0), cmp(j, "==", op(i, "+", 2)))))),
            (call_part(hop("ring", i), "get"), call_part(hop("ring", j), "put")),
            (Abort(),),
        ),
    )
    ring = composite(
        "Ring",
        [instance("leader", "Participant", token=1), instance("ring", "Participant", param("n"))],
        event(
            "start",
            (),
            call_part(hop("ring", i), "put"),
            call_part("leader", "get"),
            parameters=[("index", "i")],
        ),
        event(
            "pass",
            (),
            call_part(hop("ring", i), "get"),
            call_part(hop("ring", op(op(i, "+", 1), "%", param("n"))), "put"),
            parameters=[("index", "i")],
        ),
        event(
            "reset",
            (),
            call_part("leader", "put"),
            For("i", "index", (call_part(hop("ring", i), "reset"),)),
        ),
        event("fast", (), *fast, parameters=[("index", "i"), ("index", "j")]),
    )
    semantics = system(
        token,
        ring,
        constants=(Constant("n", value=10),),
        ranges=(interval("index", 0, op(param("n"), "-", 1)),),
    )
    assert figures(semantics.reachable()) == (11, 45, 0)


def test_calls_pass_the_values_of_their_arguments() -> None:
    """The published figures of `sample_17`, a lossy channel: 239 states, 668 edges, 74 deadlocks.

    covers: I107, I105
    """
    d, top = param("d"), param("max")
    value, count = var("value"), var("count")
    buffer = gal(
        "Buffer",
        [integer("value", top)],
        event(
            "put",
            cmp(value, "==", top),
            put("value", d),
            parameters=[("data", "d")],
            label=labelled("send", d),
        ),
        event(
            "get",
            cmp(value, "==", d),
            put("value", top),
            parameters=[("data", "d")],
            label=labelled("receive", d),
        ),
        event("lose", cmp(value, "!=", top), put("value", top)),
    )
    counter = gal(
        "Counter",
        [integer("count")],
        event(
            "inc",
            cmp(count, "<", param("bound")),
            put("count", op(count, "+", d)),
            parameters=[("data", "d")],
            label=labelled("inc", d),
        ),
        event(
            "wrong",
            cmp(count, "<", param("bound")),
            put("count", op(count, "+", 2)),
            label=labelled("inc", 1),
        ),
        constants=(Constant("bound", value=5),),
    )
    channel = composite(
        "Channel",
        [
            instance("sender", "Counter", bound=3),
            instance("buffer", "Buffer"),
            instance("sum", "Counter", bound=20),
            instance("receiver", "Counter"),
        ],
        event(
            "send",
            (),
            call_part("sender", "inc", 1),
            call_part("buffer", "send", d),
            parameters=[("data", "d")],
        ),
        event(
            "receive",
            (),
            call_part("buffer", "receive", d),
            call_part("sum", "inc", d),
            call_part("receiver", "inc", 1),
            parameters=[("data", "d")],
        ),
    )
    semantics = system(
        buffer,
        counter,
        channel,
        constants=(Constant("max", value=3),),
        ranges=(interval("data", 0, op(param("max"), "-", 1)),),
    )
    assert figures(semantics.reachable()) == (239, 668, 74)


# --- the three philosophers -----------------------------------------------------------------------


def philosophers() -> Semantics:
    def move(*names: str) -> tuple[Statement, ...]:
        """One token from each place with a minus to each place with a plus."""
        return tuple(put(n[1:], op(var(n[1:]), n[0], 1)) for n in names)

    def has(*names: str) -> list[Formula]:
        return [cmp(var(n), ">=", 1) for n in names]

    start = {"think": 1, "waitL": 0, "waitR": 0, "hasL": 0, "hasR": 0, "eat": 0, "fork": 1}
    philosopher = gal(
        "Philo",
        [integer(name, value) for name, value in start.items()],
        event("ask", has("think"), *move("-think", "+waitR", "+waitL")),
        event("getL", has("waitL", "fork"), *move("-fork", "-waitL", "+hasL")),
        event("lend", has("fork"), *move("-fork"), label="lend"),
        event("back", (), *move("+fork"), label="back"),
        event("getR", has("waitR"), *move("-waitR", "+hasR"), label="getR"),
        event("eat", has("hasR", "hasL"), *move("+eat", "-hasL", "-hasR")),
        event("end", has("eat"), *move("-eat", "+fork", "+think"), label="end"),
    )
    syncs = []
    for i in range(3):
        left, right = f"p{i}", f"p{(i + 1) % 3}"
        syncs.append(event(f"get{i}", (), call_part(left, "getR"), call_part(right, "lend")))
        syncs.append(event(f"end{i}", (), call_part(left, "end"), call_part(right, "back")))
    table = composite("Table", [instance(f"p{i}", "Philo") for i in range(3)], *syncs)
    return system(philosopher, table)


def eats(i: int, value: int = 1) -> Formula:
    return cmp(var("eat", path=[hop(f"p{i}")]), "==", value)


def always(f: Formula) -> Formula:
    return Forall(Globally(f))


QUESTIONS: dict[str, tuple[Formula, str]] = {
    "no deadlock": (always(Exists(Next(TRUE))), "false"),
    "mutual exclusion": (always(Not(And((eats(0), eats(2))))), "true"),
    "turns": (
        always(
            Implies(
                eats(0),
                Forall(Until(eats(0), And((eats(0, 0), Exists(Until(eats(0, 0), eats(1))))))),
            )
        ),
        "true",
    ),
    "fair": (
        always(
            Implies(
                eats(0),
                Forall(Until(eats(0), And((eats(0, 0), Forall(Until(eats(0, 0), eats(1))))))),
            )
        ),
        "false",
    ),
    "first eater": (Forall(Until(And((eats(1, 0), eats(2, 0))), eats(0))), "false"),
    "home": (always(Exists(Finally(And((eats(0, 0), eats(1, 0), eats(2, 0)))))), "true"),
}


def test_three_philosophers_have_the_published_figures_and_answers() -> None:
    """100 states, 267 edges, 2 deadlocks (example `nPhils`); AG EX true is deadlock freedom.

    covers: I56
    """
    semantics = philosophers()
    graph = semantics.reachable()
    assert figures(graph) == (100, 267, 2)
    for name, (formula, verdict) in QUESTIONS.items():
        answer = semantics.check(ask("ctl", formula), graph=graph)
        assert answer.verdict == verdict, name
        if answer.witness is not None:
            semantics.confirm(answer.property, answer.witness)
    assert semantics.check(ask("deadlock"), graph=graph).verdict == "false"
