"""Flattening and the lowering of transient predicates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rewriting import assert_same, events, figures, gal, graph, properties

from plait.errors import LimitReached, ModelError
from plait.model.expr import Binary, Compare, Const, Hop, Var
from plait.model.shape import shape_of
from plait.model.stmt import AllCall, AnyCall, Assign, Call, InstanceCall, NextCall, Statement
from plait.model.types import (
    CompositeType,
    ElementaryType,
    Event,
    Instance,
    Label,
    Model,
    SetType,
    Variable,
)
from plait.passes import LOWERING, flat, lower_transient

PHILOSOPHERS = """
    $N = 3;
    typedef seat = 0 .. $N - 1;
    gal Philosopher { int state = 0;
      transition hungry [state == 0] { state = 1; }
      transition left [state == 1] label "left" { state = 2; }
      transition right [state == 2] label "right" { state = 3; }
      transition done [state == 3] label "done" { state = 0; } }
    gal Fork { int taken = 0;
      transition take [taken == 0] label "take" { taken = 1; }
      transition put [taken == 1] label "put" { taken = 0; } }
    composite Table { Philosopher [$N] p; Fork [$N] f;
      synchronization left (seat $i) { p[$i]."left"; f[$i]."take"; }
      synchronization right (seat $i) { p[$i]."right"; f[($i + 1) % $N]."take"; }
      synchronization eat (seat $i) { p[$i]."done"; f[$i]."put"; f[($i + 1) % $N]."put"; } }
    main Table;
    property stuck [reachable] : p[0]:state == 2 && p[1]:state == 2 && p[2]:state == 2;
    property forks [bounds] : f[0]:taken + f[1]:taken + f[2]:taken;
    property far [reachable] : p[7]:state == 0;
    """


def test_a_composite_becomes_events_that_call_labels_of_its_parts() -> None:
    model = gal(PHILOSOPHERS.replace("property far [reachable] : p[7]:state == 0;", ""))
    plain = flat(model, reduce=False).model
    assert isinstance(plain.system, ElementaryType)
    assert [v.name for v in plain.system.variables][:2] == ["p.0.state", "p.1.state"]
    assert 'left_1 { self."p.1.left"; self."f.1.take"; }' in events(plain)
    assert 'p.2.right [p.2.state == 2] label "p.2.right" { p.2.state = 3; }' in events(plain)
    titles = [e.title for e in plain.system.events if e.label is None]
    assert titles[:3] == ["left(0)", "left(1)", "left(2)"]
    assert titles[-1] == "p[2].hungry"
    assert list(shape_of(plain).cells()) == [
        name.replace("[", ".").replace("]", "").replace(":", ".")
        for name in shape_of(model).cells()
    ]
    assert "p.0.state == 2 && p.1.state == 2" in properties(plain)[0]
    assert_same(model, LOWERING)


def test_a_synchronisation_of_single_answers_becomes_a_plain_event() -> None:
    """Its conditions all end up in the guard."""
    new = flat(gal(PHILOSOPHERS.replace("property far [reachable] : p[7]:state == 0;", ""))).model
    assert "left_1 [p.1.state == 1 && f.1.taken == 0] { p.1.state = 2; f.1.taken = 1; }" in events(
        new
    )
    assert all(e.label is None for e in new.system.events)


CELL = ElementaryType(
    "Cell",
    events=(
        Event(
            "on", (Compare("==", Var("x"), Const(0)),), (Assign(Var("x"), Const(1)),),
            label=Label("on"),
        ),
        Event(
            "off", (Compare("==", Var("x"), Const(1)),), (Assign(Var("x"), Const(0)),),
            label=Label("off"),
        ),
        Event("grow", (Compare("==", Var("x"), Const(1)),), (Assign(Var("x"), Const(2)),)),
    ),
    variables=(Variable("x"),),
)  # fmt: skip


def cells(size: int, *bodies: tuple[Statement, ...], circular: bool = True) -> Model:
    """A set of cells with one synchronisation for each body."""
    made = tuple(Event(f"e{i}", body=body) for i, body in enumerate(bodies))
    element = Instance("c", type="Cell", size=Const(size))
    return Model(
        "cells", (CELL, SetType("Set", events=made, element=element, circular=circular)), "Set"
    )


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
@pytest.mark.parametrize(
    "body",
    [
        (AnyCall("on"),),
        (AllCall("on"),),
        (NextCall("on", (), "off", ()),),
        (NextCall("on", (), "on", ()),),
        (AnyCall("on"), AnyCall("on")),
        (AnyCall("on"), AllCall("off")),
        (AnyCall("nothing"),),
        (AllCall("nothing"),),
    ],
    ids=str,
)
def test_sets_keep_their_meaning(size: int, body: tuple[Statement, ...]) -> None:
    """covers: I86"""
    model = cells(size, body, (AnyCall("on"),))
    assert_same(model, LOWERING)
    assert_same(model, [flat])


def test_alternatives_are_not_multiplied_out() -> None:
    """Six choices among eight instances: 8 events for the label, not 8^6."""
    model = cells(8, (AnyCall("on"),) * 6)
    new = flat(model, reduce=False).model
    assert len([e for e in new.system.events if e.label and e.label.name == "any.on"]) == 8
    assert len(new.system.events) < 8 * 4 + 8 + 2
    found = graph(cells(4, (AnyCall("on"),) * 3))
    assert found[1]


def test_labels_and_names_that_look_alike_are_kept_apart() -> None:
    """Instance `a.b` with label `c`, and instance `a` with label `b.c`."""
    up = (Assign(Var("x"), Binary("+", Var("x"), Const(1))),)
    small = (Compare("<", Var("x"), Const(2)),)
    one = ElementaryType("One", events=(Event("t", small, up, label=Label("c")),),
                         variables=(Variable("x"),))  # fmt: skip
    two = ElementaryType("Two", events=(Event("t", small, up, label=Label("b.c")),),
                         variables=(Variable("b.x"), Variable("x")))  # fmt: skip
    main = CompositeType(
        "M",
        events=(
            Event("first", body=(InstanceCall(Hop("a.b"), "c"),)),
            Event("second", body=(InstanceCall(Hop("a"), "b.c"),)),
        ),
        instances=(Instance("a.b", type="One"), Instance("a", type="Two")),
    )
    model = Model("m", (one, two, main), "M")
    assert_same(model, LOWERING)
    assert figures(model)[0] == 9


def test_elapse_of_the_main_type_is_a_free_event_and_still_callable() -> None:
    """covers: I97"""
    model = gal("""
        gal M { int x = 0; int clock = 0;
          transition tick [clock < 3] label "elapse" { clock = clock + 1; }
          transition jump [x == 0] { self."elapse"; self."elapse"; x = 1; } }
        """)
    new = flat(model, reduce=False).model
    assert [e.title for e in new.system.events if e.label is None] == ["tick", "jump"]
    assert_same(model, LOWERING)
    assert_same(model, [flat])


def test_elapse_of_a_part_is_an_ordinary_label() -> None:
    model = gal("""
        gal T { int x = 0; transition tick [x < 2] label "elapse" { x = x + 1; } }
        composite C { T a; T b; synchronization both label "elapse" { a."elapse"; b."elapse"; } }
        main C;
        """)
    assert figures(model) == (3, 2, 1)
    assert_same(model, LOWERING)


TRANSIENT = """
    gal M { int x = 0; int y = 0;
      transition start [x == 0 && y < 2] { x = 1; self."bump"; }
      transition one [x == 1] { x = 2; }
      transition two [x == 1] { x = 0; y = 3; }
      transition back [x == 2] { x = 0; }
      transition bump [x == 1] label "bump" { y = y + 1; }
      TRANSIENT = x == 1 || x == 2; }
    """


def test_a_component_settles_when_it_has_moved_not_when_it_calls_itself() -> None:
    """covers: I99"""
    model = gal(TRANSIENT)
    assert figures(model) == (4, 4, 2)
    assert_same(model, LOWERING)
    assert_same(model, [flat])


def test_a_part_settles_before_the_synchronisation_goes_on() -> None:
    model = gal("""
        gal T { int x = 0;
          transition go [x == 0] label "go" { x = 1; }
          transition on [x == 1] { x = 2; }
          transition check [x == 2] label "check" { x = 3; }
          TRANSIENT = x == 1; }
        composite C { T t; T u; synchronization s { t."go"; t."check"; u."go"; } }
        main C;
        """)
    assert figures(model) == (2, 1, 1)
    assert_same(model, LOWERING)


def test_a_transient_initial_state_is_an_error_at_the_predicate() -> None:
    model = gal("gal M { array [2] t = (1, 2);\n transition a [true] { t[0] = 0; }\n"
                " TRANSIENT = t[0] + t[1] == 3; }")  # fmt: skip
    with pytest.raises(ModelError, match="is transient") as caught:
        lower_transient(model)
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert span.line == 3


def test_a_property_of_an_instance_that_does_not_exist_is_undefined() -> None:
    model = gal(PHILOSOPHERS.replace("p[7]", "p[2]"))
    far = model.property("far")
    assert far.body is not None
    path = (Hop("p", Const(7)),)
    beyond = Compare("==", Var("state", None, path), Const(0))
    model = replace(model, properties=(replace(far, body=beyond),))
    assert_same(model, LOWERING)


# --- size -----------------------------------------------------------------------------------------


def nested(levels: int, parts: int = 1) -> Model:
    """A hierarchy with one call that goes all the way down."""
    up = Binary("+", Var("x"), Const(1))
    types: list[ElementaryType | CompositeType] = [
        ElementaryType(
            "T0",
            events=(
                Event("a", (Compare("<", Var("x"), Const(3)),), (Assign(Var("x"), up),)),
                Event("up", (Compare("==", Var("x"), Const(3)),), (Assign(Var("x"), Const(0)),),
                      label=Label("up")),
            ),
            variables=(Variable("x"),),
        )
    ]  # fmt: skip
    for i in range(1, levels):
        label = Label("up") if i < levels - 1 else None
        types.append(
            CompositeType(
                f"T{i}",
                events=(Event("up", body=(InstanceCall(Hop("p0"), "up"),), label=label),),
                instances=tuple(Instance(f"p{k}", type=f"T{i - 1}") for k in range(parts)),
            )
        )
    return Model("nested", tuple(types), f"T{levels - 1}")


def test_ten_thousand_levels_are_flattened() -> None:
    new = flat(nested(10_000)).model
    assert [e.title[-4:] for e in new.system.events] == ["up", "p0.a"]
    assert figures(flat(nested(50)).model) == (4, 4, 0)


def test_a_hundred_thousand_instances_are_flattened() -> None:
    assert shape_of(flat(cells(100_000, ()), reduce=False).model).width == 100_000


def test_what_cannot_be_held_in_memory_is_refused_with_its_size() -> None:
    with pytest.raises(LimitReached, match=r"about 2\^999 cells, more than the limit of 16777216"):
        flat(nested(1000, 2))


def test_instances_without_cells_are_counted_too() -> None:
    types = [ElementaryType("T0")]
    more = [
        CompositeType(f"T{i}", instances=(Instance("a", type=f"T{i - 1}"),
                                          Instance("b", type=f"T{i - 1}")))
        for i in range(1, 200)
    ]  # fmt: skip
    with pytest.raises(LimitReached, match="instances and events"):
        flat(Model("empty", (*types, *more), "T199"))


def test_a_long_chain_of_calls_is_no_recursion() -> None:
    last = Event("last", body=(Assign(Var("x"), Const(1)),), label=Label("l20000"))
    chain = [Event(f"e{i}", body=(Call(f"l{i + 1}"),), label=Label(f"l{i}")) for i in range(20_000)]
    first = Event("first", (Compare("==", Var("x"), Const(0)),), (Call("l0"),))
    type_ = ElementaryType("M", events=(first, *chain, last), variables=(Variable("x"),))
    assert events(flat(Model("m", (type_,), "M")).model) == ["first [x == 0] { x = 1; }"]
