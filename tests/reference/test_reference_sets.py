"""Scalar and circular sets, and hierarchies of any depth, as the reference executes them."""

from __future__ import annotations

import pytest
from reference_models import (
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
    op,
    put,
    system,
    var,
)

from plait.errors import LimitReached
from plait.model.stmt import AllCall, AnyCall, NextCall
from plait.model.types import CompositeType, ElementaryType, Event, SetType


def a_set(size: int, *events: Event, circular: bool = False) -> SetType:
    element = instance("p", "Cell", size)
    return SetType("Set", events=events, element=element, circular=circular)


def cells() -> ElementaryType:
    x = var("x")
    return gal(
        "Cell",
        [integer("x")],
        event("up", cmp(x, "<", 2), put("x", op(x, "+", 1)), label="up"),
        event("give", cmp(x, ">", 0), put("x", op(x, "-", 1)), label="give"),
        event("double", cmp(x, ">", 0), put("x", op(x, "*", 2)), label="double"),
        event("reset", eq("x", 2), put("x", 0)),
    )


def test_any_moves_exactly_one_instance_of_a_set() -> None:
    """covers: I86"""
    semantics = system(cells(), a_set(3, event("e", (), AnyCall("up"))))
    assert semantics.successors((0, 2, 1)) == [
        ("e", (1, 2, 1)),
        ("e", (0, 2, 2)),
        ("p[1].reset", (0, 0, 1)),
    ]


def test_all_moves_every_instance_of_a_set_or_none() -> None:
    """covers: I86"""
    semantics = system(cells(), a_set(3, event("e", (), AllCall("up"))))
    assert semantics.successors((0, 1, 0)) == [("e", (1, 2, 1))]
    assert semantics.enabled((0, 2, 0)) == {"p[1].reset"}
    empty = system(
        cells(), a_set(0, event("all", (), AllCall("up")), event("any", (), AnyCall("up")))
    )
    assert empty.successors(()) == [("all", ())]


def test_next_moves_two_neighbours_of_a_ring() -> None:
    """covers: I86"""
    passing = NextCall("give", (), "up", ())
    semantics = system(cells(), a_set(3, event("e", (), passing), circular=True))
    assert semantics.successors((1, 0, 1)) == [("e", (0, 1, 1)), ("e", (2, 0, 0))]
    alone = system(
        cells(), a_set(1, event("e", (), NextCall("up", (), "double", ())), circular=True)
    )
    assert alone.successors((0,)) == [("e", (2,))]


def test_a_set_may_call_its_own_labels_and_be_a_part_itself() -> None:
    """covers: I86"""
    inner = a_set(
        2,
        event("one", (), AnyCall("up"), label="grow"),
        event("all", (), AllCall("up"), label="grow"),
        event("twice", (), call("grow"), call("grow"), label="twice"),
    )
    whole = composite("Whole", [instance("s", "Set")], event("e", (), call_part("s", "twice")))
    semantics = system(cells(), inner, whole)
    reached = {s for _, s in semantics.successors((0, 0))}
    assert reached == {(2, 0), (1, 1), (0, 2), (2, 1), (1, 2), (2, 2)}


def test_a_scalar_set_is_the_composite_it_stands_for() -> None:
    labels = [event(f"any{i}", (), call_part(hop("p", i), "up"), label="any") for i in range(3)]
    plain = composite("C", [instance("p", "Cell", 3)], *labels, event("e", (), call("any")))
    as_set = system(cells(), a_set(3, event("e", (), AnyCall("up")))).reachable()
    as_composite = system(cells(), plain).reachable()
    assert set(as_set.states) == set(as_composite.states)
    assert as_set.arc_count == as_composite.arc_count


def tower(levels: int) -> tuple[ElementaryType | CompositeType, ...]:
    """A leaf under so many composites, each of which only passes the label on."""
    leaf = gal("T0", [integer("x")], event("e", eq("x", 0), put("x", 1), label="go"))
    floors = [
        composite(
            f"T{n}", [instance("p", f"T{n - 1}")], event("e", (), call_part("p", "go"), label="go")
        )
        for n in range(1, levels + 1)
    ]
    return (
        leaf,
        *floors,
        composite("Top", [instance("p", f"T{levels}")], event("e", (), call_part("p", "go"))),
    )


def test_types_may_be_nested_thousands_of_levels_deep() -> None:
    semantics = system(*tower(5_000))
    assert semantics.successors((0,)) == [("e", (1,))]


def test_an_astronomical_hierarchy_is_refused_at_once() -> None:
    leaf = gal("T0", [integer("x")])
    floors = [
        composite(f"T{n}", [instance("a", f"T{n - 1}"), instance("b", f"T{n - 1}")])
        for n in range(1, 101)
    ]
    with pytest.raises(LimitReached, match="components"):
        system(leaf, *floors)
