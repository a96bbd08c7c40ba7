"""Nets written in Python: arcs of every kind, and levels."""

import pytest

from plait.errors import InputError
from plait.model.expr import Compare, Const, Var
from plait.model.net import NetEvent, Place, as_net
from plait.model.net_builder import NetBuilder
from plait.model.types import Unit, Units


def test_arcs_to_one_place_add_up() -> None:
    net = NetBuilder("n")
    p, q = net.place("p", 3), net.place("q")
    net.event("t", takes=[p, (p, 2)], gives=[q, q, (q, 0)])
    assert net.net().places == (Place("p", 3), Place("q"))
    assert net.net().events == (NetEvent("t", ((0, 3),), ((1, 2),)),)


def test_a_read_is_given_back_and_the_greater_need_counts() -> None:
    """covers: S2"""
    net = NetBuilder("n")
    p, q = net.place("p", 3), net.place("q")
    net.event("read", reads=[(p, 2)], below=[q, (q, 4)])
    net.event("both", takes=[p], reads=[(p, 3)])
    read, both = net.net().events
    assert read == NetEvent("read", ((0, 2),), ((0, 2),), ((1, 1),))
    assert both == NetEvent("both", ((0, 3),), ((0, 2),))
    assert [read.enabled(m) for m in ((2, 0), (1, 0), (2, 1))] == [True, False, False]
    net.event("few", below=[(q, 4)])
    assert [net.net().events[-1].enabled((0, k)) for k in (3, 4, 5)] == [True, False, False]


def test_tokens_are_taken_then_places_emptied_then_tokens_given() -> None:
    net = NetBuilder("n")
    p = net.place("p", 7)
    net.event("set", takes=[(p, 2)], empties=[p], gives=[(p, 4)], reads=[(p, 5)])
    (event,) = net.net().events
    assert event == NetEvent("set", ((0, 5),), ((0, 4),), (), (0,))
    assert event.fire((7,)) == (4,)


def test_the_model_is_recognised_as_the_net() -> None:
    net = NetBuilder("n")
    p, q = net.places("{}_1", p=2, q=0)
    net.event("t", [p], [q], below=[(q, 2)])
    net.level("low", [q])
    net.level("high", [p])
    found = as_net(net.model())
    assert found == net.net()
    assert net.net().units == Units(
        "levels",
        (Unit("levels", (), ("low", "high")), Unit("low", ("q_1",)), Unit("high", ("p_1",))),
    )


def test_places_are_handles_for_properties() -> None:
    place = NetBuilder("n").place("p")
    assert (place >= 2).node == Compare(">=", Var("p"), Const(2))


def test_levels_that_are_no_partition_are_refused() -> None:
    net = NetBuilder("n")
    p, q = net.place("p"), net.place("q")
    net.level("one", [p])
    with pytest.raises(InputError, match="the place 'q' is in no level"):
        net.net()
    net.level("two", [q, p])
    with pytest.raises(InputError, match="the place 'p' is in 'one' and 'two'"):
        net.net()


def test_an_inhibitor_of_weight_nothing_is_refused() -> None:
    net = NetBuilder("n")
    p = net.place("p")
    with pytest.raises(InputError, match="'t' can never be executed"):
        net.event("t", below=[(p, 0)])
