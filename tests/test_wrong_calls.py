"""What a session gets wrong is told in words of the session, not by an error from inside."""

from collections.abc import Callable
from pathlib import Path

import pytest

import plait
from plait.model.builder import Elementary, ask, system
from plait.model.net_builder import NetBuilder

TEXT = """
gal lamp { int light = 0;
  transition toggle [true] { light = 1 - light; } }
property off [never] : light == 1;
property on [reachable] : light == 1;
"""


@pytest.fixture
def lamp() -> plait.System:
    return plait.parse(TEXT)


WRONG: list[tuple[Callable[[plait.System], object], str]] = [
    (lambda s: s.check(None), "a question is given as text, not as None"),  # type: ignore[arg-type]
    (lambda s: s.check(["off"]), "a question is given as text, not as 'list'"),  # type: ignore[arg-type]
    (lambda s: s.reachable(start=4), "'start' is given as text, not as 'int'"),  # type: ignore[arg-type]
    (lambda s: s.along(None, "light"), "there is no trace in None"),  # type: ignore[arg-type]
    (lambda s: s.along(s.check("never: light == 2"), "light"), "there is no trace in 'Answer'"),
    (lambda s: s.along(s.check("on"), 3), "an expression is given as text, not as 'int'"),  # type: ignore[arg-type]
    (lambda s: s.graph(depth=-3), "the depth is less than 0: -3"),
    (lambda s: s.graph(limit="5"), "the limit is not a whole number: '5'"),  # type: ignore[arg-type]
    (lambda s: s.traces("on", 1.5), "the limit is not a whole number: 1.5"),  # type: ignore[arg-type]
    (
        lambda s: s.semantics().successors((1, 2)),
        "a state is a tuple with a number for each cell, 1 in all",
    ),
    (
        lambda s: s.semantics().successors(None),
        "a state is a tuple with a number for each cell, 1 in all",
    ),  # type: ignore[arg-type]
    (lambda s: plait.parse(None), "a model is given as text, not as None"),  # type: ignore[arg-type]
    (lambda s: plait.parse(b"gal x {}"), "a model is given as text, not as 'bytes'"),  # type: ignore[arg-type]
    (lambda s: plait.load(0), "the name of a file is a text or a Path, not 'int'"),  # type: ignore[arg-type]
    (lambda s: plait.System(NetBuilder("n")), "a System has a Model, not 'NetBuilder'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "told"), WRONG, ids=[told for _, told in WRONG])
def test_values_of_another_kind_are_refused(
    lamp: plait.System, call: Callable[[plait.System], object], told: str
) -> None:
    with pytest.raises(plait.InputError) as wrong:
        call(lamp)
    assert str(wrong.value).splitlines()[0] == told


def test_a_name_that_no_property_has_is_told_those_that_there_are(lamp: plait.System) -> None:
    with pytest.raises(plait.InputError) as wrong:
        lamp.check("deadlocks")
    assert str(wrong.value).splitlines() == [
        "there is no property 'deadlocks'",
        "  there are: off, on",
    ]
    with pytest.raises(plait.InputError, match="a formula is needed here, but this is a number"):
        lamp.check("light")


def test_the_trace_of_an_answer_is_meant_where_the_answer_is_given(lamp: plait.System) -> None:
    answer = lamp.check("on")
    assert lamp.along(answer, "light") == [0, 1]


def test_a_set_of_states_shows_its_size(lamp: plait.System) -> None:
    assert repr(lamp.reachable()) == "<Region 2 states>"
    assert repr(lamp.reachable(constraint="light == 0")) == "<Region 1 state>"


def test_a_file_is_named_by_text_or_path(tmp_path: Path) -> None:
    file = tmp_path / "lamp.gal"
    file.write_text(TEXT, encoding="utf-8")
    assert plait.load(file).name == plait.load(str(file)).name == "lamp"


def test_a_builder_says_what_it_needs() -> None:
    counter = Elementary("counter")
    x = counter.variable("x", 0)
    for condition in (True, "x < 3", None):
        with pytest.raises(TypeError, match="a condition of the model is needed, such as x < 3"):
            counter.event("up", when=condition)  # type: ignore[arg-type]
    for body in (x + 1, "x = 1", [1]):
        with pytest.raises(TypeError, match="a statement is needed, such as x"):
            counter.event("up", do=body)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a component is needed"):
        system(None)  # type: ignore[arg-type]
    with pytest.raises(
        plait.InputError, match="no kind 'invarient' of properties\n  did you mean 'invariant'"
    ):
        system(counter, properties=[ask("p", "invarient", x <= 3)])  # type: ignore[arg-type]


def test_a_net_builder_says_what_an_arc_is() -> None:
    net = NetBuilder("n")
    p = net.place("p", 3)
    for arc in ("p", (p, -1), (p, "2"), 5):
        with pytest.raises(TypeError, match="an arc is a place, or a place and a weight"):
            net.event("t", takes=[arc])  # type: ignore[list-item]
    net.event("t", takes=p)  # one arc needs no list
    assert plait.System(net.model()).states().states == 4
