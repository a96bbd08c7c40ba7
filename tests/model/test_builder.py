"""Models written in a script."""

from dataclasses import replace

import pytest

from plait.errors import InputError
from plait.lang.gal import parse, print_model
from plait.model import Compare, Const, ElementaryType, Node, Var, rewrite
from plait.model.builder import (
    Composite,
    Elementary,
    ScalarSet,
    abort,
    all_call,
    any_call,
    ask,
    call,
    fixpoint,
    loop,
    next_call,
    parameter,
    system,
    when,
)
from plait.reference import Semantics


def counter() -> Elementary:
    c = Elementary("counter")
    x = c.variable("x", 0)
    c.event("up", when=x < 3, do=x.set(x + 1))
    c.event("reset", when=x == 3, do=x.set(0))
    return c


def test_a_model_can_be_built_visited_rewritten_and_printed() -> None:
    """covers: I104"""
    model = system(
        counter(), properties=[ask("top", "reachable", Elementary("").variable("x") == 3)]
    )
    assert parse(print_model(model), "counter") == model
    assert len(Semantics(model).reachable().states) == 4

    def five_for_three(node: Node) -> Node:
        return Const(5) if node == Const(3) else node

    (component,) = model.types
    assert isinstance(component, ElementaryType)
    events = tuple(
        replace(e, guard=tuple(rewrite(g, five_for_three) for g in e.guard))  # type: ignore[misc]
        for e in component.events
    )
    wider = replace(model, types=(replace(component, events=events),))
    assert len(Semantics(wider).reachable().states) == 6
    assert component.events[0].guard == (Compare("<", Var("x"), Const(3)),)


def test_the_same_model_as_a_text() -> None:
    text = """
    gal counter {
      int x = 0;
      transition up [x < 3] { x += 1; }
      transition reset [x == 3] { x = 0; }
    }
    main counter;
    """
    assert system(counter()) == parse(text, "counter")


def test_arrays_parameters_loops_and_calls() -> None:
    table = Elementary("table")
    table.constant("N", 3)
    seat = table.range("seat", 0, parameter("N") - 1)
    fork = table.array("fork", parameter("N"))
    p = parameter("p")
    table.event(
        "take",
        parameters={"p": seat},
        when=[fork[p] == 0, fork[(p + 1) % parameter("N")] == 0],
        do=[fork[p].set(1), call("count")],
    )
    total = table.variable("total")
    table.event(
        "count", label="count", do=[total.set(0), loop("i", seat, total.add(fork[parameter("i")]))]
    )
    semantics = Semantics(system(table))
    assert [t for t, _ in semantics.successors(semantics.initial)] == [
        "take(0)",
        "take(1)",
        "take(2)",
    ]
    assert len(semantics.reachable().states) == 7


def test_channels_and_processes() -> None:
    link = Elementary("link")
    wire = link.channel("wire", capacity=2)
    got = link.variable("got")
    sender = link.process("sender")
    receiver = link.process("receiver")
    link.event("send", process=sender, when=~wire.full, do=wire.send(got + 1))
    link.event("receive", process=receiver, when=wire.length >= 1, do=wire.receive(got))
    link.event("stop", when=wire.poll(3) | (got > 3), do=abort())
    semantics = Semantics(system(link))
    assert semantics.event("send").process == "sender"
    first = dict(semantics.successors(semantics.initial))
    assert list(first) == ["send"]


def test_composites_and_sets() -> None:
    voter = Elementary("voter")
    vote = voter.variable("vote")
    voter.event("yes", label="yes", when=vote == 0, do=vote.set(1))
    voter.event("again", label="again", do=vote.set(0))
    ring = ScalarSet("ring", element=voter, size=3, circular=True)
    ring.event("one", do=any_call("yes"))
    ring.event("none", do=all_call("again"))
    ring.event("pair", do=next_call("again", "yes"))
    assert len(Semantics(system(ring, voter)).reachable().states) == 8

    pair = Composite("pair")
    left = pair.instance("left", voter)
    right = pair.instance("right", voter, size=2)
    pair.event("both", do=[left.call("yes"), right[1].call("yes")])
    model = system(pair, voter, properties=[ask("p", "reachable", right[1].vote == 1)])
    answer = Semantics(model).check(model.properties[0])
    assert answer.verdict == "true"


def test_statements() -> None:
    c = Elementary("c")
    x = c.variable("x")
    c.event("t", when=(x >= 0) & (x < 2), do=[when(x == 0, x.set(1), x.set(5)), fixpoint(x.set(5))])
    assert Semantics(system(c)).reachable().states == [(0,), (5,)]


def test_mistakes_are_found_at_once() -> None:
    c = Elementary("c")
    x = c.variable("x")
    with pytest.raises(TypeError, match="no Python truth value"):
        assert x == 1
    with pytest.raises(TypeError, match="an integer or an expression is needed"):
        x.set(True)
    c.event("t", do=Elementary("d").variable("y").set(1))
    with pytest.raises(InputError, match="undeclared variable 'y'"):
        system(c)
