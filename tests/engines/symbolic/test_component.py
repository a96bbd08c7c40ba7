"""Types of a model through one interface, elementary and composite ones alike."""

import pytest

from plait.engines.symbolic.component import Component
from plait.errors import InputError
from plait.lang.gal import parse
from plait.model.types import Model
from plait.reference import Semantics

TEXT = """
gal cell {
  int x = 0 ; array [2] seen = (0, 0) ;
  transition up [x < 2] label "up" { x = x + 1 ; }
  transition jump [x == 0] label "up" { x = 2 ; }
  transition mark [x > 0] { seen[x - 1] = 1 ; }
  transition down [x > 0] label "down" { x = x - 1 ; }
}
composite pair {
  cell a ; cell b ;
  synchronization both label "both" { a."up" ; b."down" ; }
  synchronization go { a."up" ; b."up" ; }
}
main pair ;
"""


@pytest.fixture
def model() -> Model:
    return parse(TEXT, "pair")


def test_an_elementary_type_has_labels_events_and_successors(model: Model) -> None:
    """covers: I78"""
    cell = Component(model, "cell")
    assert cell.cells == ("x", "seen[0]", "seen[1]")
    assert list(cell.initial) == [(0, 0, 0)]
    assert cell.labels == ("up", "down")
    assert list(cell.events) == ["up", "jump", "mark", "down"]
    up, down = cell.successors("up"), cell.successors("down")
    assert set(up(cell.initial)) == {(1, 0, 0), (2, 0, 0)}
    assert set(down(up(cell.initial))) == {(0, 0, 0), (1, 0, 0)}
    assert set(cell.events["jump"](cell.initial)) == {(2, 0, 0)}
    # By itself it only marks what it has seen.
    assert list(cell.successors()(cell.state((2, 0, 0)))) == [(2, 0, 1)]
    assert cell.reachable() == cell.initial


def test_a_composite_has_the_same_interface(model: Model) -> None:
    """covers: I78"""
    pair = Component(model)
    assert pair.labels == ("both",)
    went = pair.successors()(pair.initial)
    assert {(s[0], s[3]) for s in went} == {(1, 1), (1, 2), (2, 1), (2, 2)}
    after = pair.successors("both")(pair.state((1, 0, 0, 1, 0, 0)))
    assert set(after) == {(2, 0, 0, 0, 0, 0)}
    assert set(pair.reachable()) == set(Semantics(model).reachable().states)


def test_a_predicate_selects_and_has_a_negation(model: Model) -> None:
    """covers: I78"""
    pair = Component(model)
    reached = pair.reachable()
    seen = pair.predicate("a.x == 2 && b.seen[1] == 1")
    assert seen.is_selector
    expected = {s for s in reached if s[0] == 2 and s[5] == 1}
    assert set(seen(reached)) == expected != set()
    assert seen(reached) | (~seen)(reached) == reached
    assert not seen(reached) & (~seen)(reached)


def test_an_unknown_type_or_label_is_an_error(model: Model) -> None:
    with pytest.raises(InputError, match="no label 'sideways'"):
        Component(model, "cell").successors("sideways")
    with pytest.raises((InputError, KeyError)):
        Component(model, "nothing")
