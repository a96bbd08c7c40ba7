"""Nets found inside models: exactly those, and with exactly the same behaviour."""

import itertools
import random

import pytest

from plait.errors import Diagnostic, InputError
from plait.lang.gal import parse
from plait.lang.pnml import parse as parse_pnml
from plait.lang.pnml import print_model
from plait.model.expr import And, Binary, Compare, Const, IntExpr, Not, Param, Var
from plait.model.net import Net, NetEvent, Place, as_model, as_net
from plait.model.shape import COUNTER
from plait.model.stmt import Assign
from plait.model.types import Constant, ElementaryType, Event, Model, Property, Variable
from plait.records import replace
from plait.reference import Semantics


def gal(body: str) -> Model:
    return parse(f"gal g {{ int x = 1; int y = 0; array[2] a = (3, 0);\n{body}\n}}", "g.gal")


def event_of(transition: str) -> NetEvent:
    net = as_net(gal(transition))
    assert isinstance(net, Net), net
    return net.events[0]


def refusal(body: str) -> str:
    found = as_net(gal(body))
    assert isinstance(found, Diagnostic)
    assert found.span is not None
    return f"{found.span.column}: {found.message}"


def test_a_hand_written_gal_net_is_recognised() -> None:
    net = as_net(
        parse(
            """gal table {
              int think = 2; int fork = 1; int eat = 0;
              transition take [think >= 1 && fork > 0] { think = think - 1; fork -= 1; eat += 1; }
            }""",
            "table.gal",
        )
    )
    assert net == Net(
        "table",
        (Place("think", 2), Place("fork", 1), Place("eat")),
        (NetEvent("take", ((0, 1), (1, 1)), ((2, 1),)),),
    )


@pytest.mark.parametrize(
    ("transition", "expected"),
    [
        ("transition t [x == 0] { }", NetEvent("t", inhibitor=((0, 1),))),
        ("transition t [x == 3] { }", NetEvent("t", ((0, 3),), ((0, 3),), ((0, 4),))),
        ("transition t [x != 0] { }", NetEvent("t", ((0, 1),), ((0, 1),))),
        ("transition t [!(x < 2)] { }", NetEvent("t", ((0, 2),), ((0, 2),))),
        ("transition t [2 <= x && 5 > x] { }", NetEvent("t", ((0, 2),), ((0, 2),), ((0, 5),))),
        ("transition t [x <= 2 && x < 9] { }", NetEvent("t", inhibitor=((0, 3),))),
        ("transition t [x >= 0 && x > -4 && x != -1] { }", NetEvent("t")),
        ("transition t [true && 1 < 2] { }", NetEvent("t")),
        ("transition t [x <= 2147483647] { }", NetEvent("t")),
        ("transition t [true] { x = 0; }", NetEvent("t", reset=(0,))),
        ("transition t [true] { x = 4; x += 1; }", NetEvent("t", post=((0, 5),), reset=(0,))),
        ("transition t [x == 1] { x = 3; }", NetEvent("t", ((0, 1),), ((0, 3),), ((0, 2),))),
        ("transition t [true] { x = 3 + (x - 2); }", NetEvent("t", post=((0, 1),))),
        ("transition t [true] { x -= 1; x += 1; }", NetEvent("t")),
        ("transition t [a[0] >= 2] { a[0] -= 2; a[1] += 1; }", NetEvent("t", ((2, 2),), ((3, 1),))),
    ],
)
def test_each_spelling_gives_the_rows_it_means(transition: str, expected: NetEvent) -> None:
    assert event_of(transition) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "transition t [true] { x -= 1; }",
            "23: 'x' may become negative in 't': the guard only ensures that it is at least 0",
        ),
        (
            "transition t [x != 2] { }",
            "15: a net cannot test that a place is not a constant above 0",
        ),
        ("transition t [x < 0] { }", "15: this never holds: places are in 0..2147483647"),
        ("transition t [1 > 2] { }", "15: this never holds"),
        ("transition t [x == 1 || y == 1] { }", "15: not a conjunction of comparisons"),
        ("transition t [x < y] { }", "19: a constant is needed here"),
        ("transition t [true] { x = y; }", "23: 'x' is assigned from 'y'"),
        ("transition t [true] { x = x + y; }", "27: not a place plus a constant"),
        ("transition t [true] { x = 2 * x; }", "27: not a place plus a constant"),
        ("transition t [true] { a[x] = 1; }", "25: a constant is needed here"),
        ("transition t [true] { x = -1; }", "23: 'x' may become negative in 't': it is set to -1"),
        ("transition t [true] { abort; }", "23: a net's events only assign; this is 'abort'"),
        ('transition t [true] label "l" { }', "'t' has a label; a net's events are free"),
        ("int z = -1;", "'z' starts negative: -1"),
        ("TRANSIENT = x == 1;", "a net has no transient states"),
    ],
)
def test_what_is_not_a_net_is_refused_where_it_stands(body: str, expected: str) -> None:
    assert expected in refusal(body)


def test_a_composite_is_not_a_net() -> None:
    model = parse("gal g { int x = 0; } composite c { g i; } main c;", "c.gal")
    found = as_net(model)
    assert isinstance(found, Diagnostic)
    assert found.message == "'c' is composed of instances; flatten it first"


def test_the_writer_refuses_what_is_not_a_net_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        print_model(gal("transition t [x < y] { }"))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == (
        "this model is not a place/transition net: a constant is needed here"
    )
    assert str(diagnostic.span) == "g.gal:2:19"


def test_rows_tell_tests_and_changes() -> None:
    event = event_of("transition t [x >= 2 && y == 1] { x -= 1; a[0] = 2; }")
    assert event.pre == ((0, 2), (1, 1))
    assert event.post == ((0, 1), (1, 1), (2, 2))
    assert event.test == ((1, 1),)
    assert event.change == ((0, -1),)
    assert event.reset == (2,)


VARIABLES = (Variable("x", (Const(1),)), Variable("y", (Const(0),)))


def random_event(rng: random.Random) -> Event:
    """An event of comparisons and assignments, some of them net-like, some not."""

    def var() -> IntExpr:
        return Var(rng.choice("xy"))

    def number() -> IntExpr:
        return Const(rng.randint(-1, 3))

    def comparison() -> Compare | Not:
        left, right = (var(), number()) if rng.random() < 0.7 else (number(), var())
        compare = Compare(rng.choice(["==", "!=", "<", "<=", ">", ">="]), left, right)
        return Not(compare) if rng.random() < 0.3 else compare

    def assignment() -> Assign:
        name = rng.choice("xy")
        value: IntExpr = number()
        if rng.random() < 0.8:
            value = Binary(rng.choice(["+", "-"]), Var(name), number())
        return Assign(Var(name), value)

    guard = tuple(comparison() for _ in range(rng.randint(0, 3)))
    body = tuple(assignment() for _ in range(rng.randint(0, 3)))
    return Event("t", (And(guard),) if rng.random() < 0.5 else guard, body)


def test_a_recognised_event_behaves_as_the_event_in_every_small_marking() -> None:
    rng = random.Random(20_230_401)
    recognised = 0
    for _ in range(3_000):
        system = ElementaryType("g", events=(random_event(rng),), variables=VARIABLES)
        model = Model("g", (system,), "g")
        net = as_net(model)
        if isinstance(net, Diagnostic):
            continue
        recognised += 1
        (event,) = net.events
        for version in (model, as_model(net), parse_pnml(print_model(model).encode(), "p")):
            semantics = Semantics(version)
            for marking in itertools.product(range(5), repeat=2):
                expected = {event.fire(marking)} if event.enabled(marking) else set()
                assert {state for _, state in semantics.successors(marking)} == expected
    assert recognised > 500


def test_an_event_that_is_not_recognised_for_going_negative_really_can() -> None:
    model = gal("transition t [x < 3] { x -= 1; }")
    assert isinstance(as_net(model), Diagnostic)
    (step,) = Semantics(model).successors((0, 0, 0, 0))
    assert step[1][0] == -1


def test_a_model_of_a_net_is_that_net_again() -> None:
    net = Net(
        "n",
        (Place("p", 2), Place("q"), Place("r", 7)),
        (
            NetEvent("a", ((0, 2), (1, 1)), ((0, 1), (2, 3)), ((2, 9),), (1,)),
            NetEvent("b"),
            NetEvent("c", reset=(0, 2)),
        ),
    )
    assert as_net(as_model(net)) == net
    assert not net.ordinary
    assert net.initial == (2, 0, 7)


def test_a_net_is_recognised_once_and_a_changed_one_anew() -> None:
    places = (Place("a", 1), Place("b"))
    events = (NetEvent("ab", ((0, 1),), ((1, 1),)), NetEvent("ba", ((1, 1),), ((0, 1),)))
    model = as_model(Net("ring", places, events))
    found = as_net(model)
    assert isinstance(found, Net)
    assert as_net(replace(model, properties=(Property("p", kind="deadlock"),))) is found
    system = model.system
    fewer = replace(model, types=(replace(system, events=system.events[1:]),))
    assert as_net(fewer) == replace(found, events=found.events[1:])


def test_what_a_type_is_may_depend_on_the_model_around_it() -> None:
    system = ElementaryType("g", variables=(Variable("a", (Param("N"),), domain=COUNTER),))
    model = Model("m", (system,), "g", constants=(Constant("N", 1),))
    for tokens in (1, 2):
        found = as_net(replace(model, constants=(Constant("N", tokens),)))
        assert isinstance(found, Net)
        assert found.initial == (tokens,)


def test_what_an_event_changes_is_worked_out_once_and_copied_by_nobody() -> None:
    event = NetEvent("t", ((0, 2), (1, 1)), ((1, 1), (2, 3)))
    assert event.change == ((0, -2), (2, 3))
    assert event.change is event.change
    assert replace(event, post=()).change == ((0, -2), (1, -1))
