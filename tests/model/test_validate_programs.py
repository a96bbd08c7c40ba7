"""Static checks of what only a program can build: models that no text could have."""

import pytest

from plait.api import System
from plait.errors import Source, Span
from plait.lang.gal import parse
from plait.logic.formula import Finally
from plait.model.expr import (
    And,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Full,
    Hop,
    Length,
    Param,
    Poll,
    Var,
)
from plait.model.stmt import (
    AnyCall,
    Assign,
    Bind,
    For,
    If,
    InstanceCall,
    Match,
    NextCall,
    Receive,
    Send,
    Skip,
    Statement,
)
from plait.model.stmt import Call as SelfCall
from plait.model.types import (
    Channel,
    CompositeType,
    Constant,
    Domain,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    Parameter,
    Process,
    Property,
    Range,
    SetType,
    Variable,
)
from plait.model.validate import validate

ONE = Const(1)
x = Var("x")
AT = Span(Source("made by hand"), 3, 4)


def built(
    body: tuple[Statement, ...] = (), guard: tuple[Formula, ...] = (), **more: object
) -> Model:
    fields: dict[str, object] = {
        "variables": (Variable("x"), Variable("a", (), Const(2))),
        "channels": (
            Channel("c", 2, (None, None)),
            Channel("sync", 0, (None,)),
            Channel("many", 1, (None,), Const(2)),
        ),
        "events": (Event("t", guard, body, span=AT), Event("l", label=Label("l"))),
        **more,
    }
    return Model("m", (ElementaryType("T", **fields),), "T")  # type: ignore[arg-type]


def found(model: Model) -> list[str]:
    return [d.message for d in validate(model) if d.severity == "error"]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (Send(Hop("z"), ()), "undeclared channel 'z'"),
        (Send(Hop("c"), (ONE,)), "a message of channel 'c' has 2 fields, not 1"),
        (Send(Hop("c"), (ONE, Var("z"))), "undeclared variable 'z'"),
        (Send(Hop("c", ONE), (ONE, x)), "'c' is not an array; it has no index"),
        (Send(Hop("many"), (x,)), "'many' is an array; an index is needed"),
        (
            Send(Hop("many", Const(2)), (x,)),
            "the index 2 is out of range for 'many': its cells are 0 .. 1",
        ),
        (Receive(Hop("c"), (Skip(),)), "a message of channel 'c' has 2 fields, not 1"),
        (Receive(Hop("c"), (Bind(Var("z")), Skip())), "undeclared variable 'z'"),
        (Receive(Hop("c"), (Match(Var("z")), Skip())), "undeclared variable 'z'"),
        (
            If(Compare("==", x, ONE), (Send(Hop("sync"), (x,)),)),
            "'sync' is a rendezvous: it must be the first statement of its event",
        ),
        (
            Send(Hop("sync"), (x,), ordered=True),
            "'sync' is a rendezvous: it stores no messages to search, sort or keep",
        ),
        (
            Receive(Hop("sync"), (Skip(),), keep=True),
            "'sync' is a rendezvous: it stores no messages to search, sort or keep",
        ),
        (InstanceCall(Hop("t"), "l"), "only a composite can call an instance"),
        (AnyCall("l"), "only a set of instances can call any, all or next of them"),
        (NextCall("l", (), "l", ()), "only a set of instances can call any, all or next of them"),
        (SelfCall("l", (Param("n"),)), "undeclared parameter '$n'"),
        (Assign(x, Const(2**31)), "the constant 2147483648 does not fit in 32 bits"),
        (Assign(Var("c"), ONE), "'c' is a channel, not a variable"),
        (
            Assign(Var("x", None, (Hop("i"),)), ONE),
            "a variable of an instance can be used in properties only",
        ),
    ],
)
def test_a_wrong_statement_is_found(statement: Statement, message: str) -> None:
    """covers: I94"""
    diagnostics = [d for d in validate(built((statement,))) if d.severity == "error"]
    assert message in [d.message for d in diagnostics]
    assert all(d.span == AT for d in diagnostics)


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        (Deadlock(), "'deadlock' can be used in properties only"),
        (Enabled(("t",)), "'enabled' can be used in properties only"),
        (Finally(Deadlock()), "temporal operators can be used in properties only"),
        (Full(Hop("z")), "undeclared channel 'z'"),
        (Poll(Hop("c"), (None,)), "a message of channel 'c' has 2 fields, not 1"),
        (Compare("==", Length(Hop("z")), ONE), "undeclared channel 'z'"),
    ],
)
def test_a_wrong_guard_is_found(guard: Formula, message: str) -> None:
    assert message in found(built(guard=(guard,)))


def test_a_rendezvous_is_first_in_an_unlabelled_event() -> None:
    send = Send(Hop("sync"), (x,))
    assert found(built((send, Assign(x, ONE)))) == []
    late = "'sync' is a rendezvous: it must be the first statement of its event"
    assert found(built((Assign(x, ONE), send))) == [late]
    labelled = built(events=(Event("t", (), (send,), label=Label("l")),))
    message = "'sync' is a rendezvous: an event with a label cannot wait for a partner"
    assert found(labelled) == [message]


def test_wrong_declarations_of_programs_are_found() -> None:
    wrong_variable = Variable("v", (Const(5),), domain=Domain(0, 3))
    message = "the initial value 5 of 'v' is outside its domain, 0 .. 3"
    assert found(built(variables=(wrong_variable, Variable("x")))) == [message]
    negative = Channel("c", -1, ())
    assert found(built(channels=(negative,))) == [
        "the capacity of channel 'c' is -1; it must be in 0 .. 16777216"
    ]
    lost = built(processes=(Process("P", pc="z"),), events=(Event("e", process="Q"),))
    assert found(lost) == [
        "process 'P' has no variable 'z' for its location",
        "no process named 'Q'",
    ]
    assert found(Model("m", (), "T")) == ["no type named 'T' that could be the main type"]
    assert found(built(constants=(Constant("N", 2**31),))) == [
        "the constant 2147483648 does not fit in 32 bits"
    ]


def test_statements_of_programs_may_not_nest_deeper_than_those_of_texts() -> None:
    body: tuple[Statement, ...] = (Assign(x, ONE),)
    for _ in range(1000):
        body = (If(Compare("==", x, ONE), body),)
    assert found(built(body)) == ["blocks are nested deeper than 200 levels"]


def test_wrong_properties_of_programs_are_found() -> None:
    def asked(p: Property) -> list[str]:
        model = built()
        return found(Model("m", model.types, "T", properties=(p,)))

    assert asked(Property("p", "deadlock", Deadlock())) == ["a deadlock property has no formula"]
    assert asked(Property("p", "reachable", x)) == ["property 'p' needs a formula"]
    assert asked(Property("p", "bounds", Deadlock())) == ["property 'p' needs a number"]
    assert asked(Property("p", "reachable")) == ["property 'p' needs a formula"]
    assert asked(Property("p", "reachable", Full(Hop("z")))) == ["undeclared channel 'z'"]
    assert asked(Property("p", "never", And((Full(Hop("c")),)))) == []
    big = Compare("==", x, Const(2**40))
    assert asked(Property("p", "never", big)) == [
        "the constant 1099511627776 does not fit in 32 bits"
    ]


def test_calls_of_sets_and_composites_built_by_programs_are_checked() -> None:
    part = ElementaryType("E", events=(Event("l", label=Label("l")),))
    ring = SetType(
        "S",
        element=Instance("item", "E", Const(2)),
        events=(Event("s", body=(Assign(x, ONE), AnyCall("l", (Param("z"),)))),),
    )
    model = Model("m", (part, ring), "S")
    assert found(model) == [
        "only an elementary type has variables to assign",
        "undeclared parameter '$z'",
        "label 'l' of type 'E' takes 0 arguments, not 1",
    ]
    loop = For("i", "r", (InstanceCall(Hop("e", Param("i")), "l"),))
    parts = (Instance("e", "E", Const(2)),)
    ranges = (Range("r", Const(0), ONE),)
    whole = CompositeType("C", ranges=ranges, instances=parts, events=(Event("s", body=(loop,)),))
    assert found(Model("m", (part, whole), "C")) == []
    used = Event("s", body=(loop,), parameters=(Parameter("k", "nowhere"),))
    assert found(Model("m", (part, CompositeType("C", (), ranges, (used,), parts)), "C")) == [
        "no range named 'nowhere'"
    ]


def test_a_cell_of_an_array_without_cells_is_undefined_not_an_error() -> None:
    """Translators write such arrays; what asks for a cell has no successor, in every engine."""
    text = """gal T { array [0] first; int x; int y; array [0] e;
        transition up [x < 3] { x = x + 1; }
        transition aliased [first[0] == 0 || first[1] == 0] { x = 30; }
        transition computed [e[y] == 0] { x = 40; }
        transition asks [e[0] == 0] { x = 10; }
        transition reads [x == 2] { x = e[0]; }
        transition sets [x == 3] { e[1] = 4; x = 9; }
        transition either [x == 3 && (e[0] == 1 || x == 3)] { x = 20; } }"""
    system = System(parse(text, "m"))
    for engine in ("reference", "explicit", "symbolic"):
        assert system.states(engine=engine).states == 5
