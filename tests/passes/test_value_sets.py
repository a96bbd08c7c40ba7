"""Few values that variables can hold: impossible events are dropped, possible ones never."""

from __future__ import annotations

import pytest
from rewriting import assert_same

from plait.model.builder import Elementary, call
from plait.model.types import ElementaryType, Model
from plait.passes import instantiate, join_rendezvous, rendezvous
from plait.passes.value_sets import MOST_VALUES, possible_events
from plait.testing.choices import Seeded
from plait.testing.mix import CHANNELS
from plait.testing.random_models import model as random_model


def possible(m: Elementary) -> set[str]:
    return {e.name for e in possible_events(m.build())}


def test_constants_flow_along_copies_and_messages_but_not_from_impossible_events() -> None:
    m = Elementary("M")
    x, y, z, q = m.variable("x"), m.variable("y"), m.variable("z"), m.channel("q", 1)
    m.event("set", when=x == 0, do=x.set(3))
    m.event("send", when=x == 3, do=q.send(x))
    m.event("get", do=q.receive(y))
    m.event("seen", when=y == 3, do=z.set(y))
    m.event("copied", when=z == 3, do=z.set(0))
    m.event("never", when=y == 5, do=x.set(7))
    m.event("nor this", when=x == 7, do=x.set(0))
    assert possible(m) == {"set", "send", "get", "seen", "copied"}


def test_what_is_computed_may_be_anything() -> None:
    m = Elementary("M")
    x, y = m.variable("x"), m.variable("y")
    m.event("count", when=x < 9, do=x.set(x + 1))
    m.event("copy", do=y.set(x))
    m.event("seven", when=y == 7, do=y.set(0))
    assert possible(m) == {"count", "copy", "seven"}


def test_an_array_is_one_holder_and_its_cells_begin_with_zero() -> None:
    m = Elementary("M")
    a, i = m.array("a", 3), m.variable("i")
    m.event("store", do=a[1].set(4))
    m.event("load", do=i.set(a[2]))
    m.event("zero", when=i == 0, do=i.set(0))
    m.event("four", when=i == 4, do=i.set(0))
    m.event("five", when=i == 5, do=i.set(0))
    assert possible(m) == {"store", "load", "zero", "four"}


def test_many_values_are_as_good_as_any() -> None:
    m = Elementary("M")
    x = m.variable("x")
    for k in range(MOST_VALUES + 1):
        m.event(f"set {k}", do=x.set(k))
    m.event("beyond", when=x == 10_000, do=x.set(0))
    assert "beyond" in possible(m)


def test_an_event_that_others_call_stays() -> None:
    m = Elementary("M")
    x = m.variable("x")
    m.event("ask", do=call("l"))
    m.event("answer", label="l", when=x == 9, do=x.set(1))
    assert possible(m) == {"ask", "answer"}


def test_systems_with_rendezvous_keep_their_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every system is treated as one with many pairs."""
    monkeypatch.setattr(rendezvous, "MANY_PAIRS", -1)
    found = [
        assert_same(random_model(Seeded(s), CHANNELS), [instantiate, join_rendezvous], False)
        for s in range(9000, 9030)
    ]
    assert sum(not isinstance(f, str) for f in found) >= 20


def test_constants_that_differ_are_not_joined() -> None:
    m = Elementary("M")
    x, q = m.variable("x"), m.channel("q", 0, 2)
    m.event("send", do=q.send(1, x))
    m.event("one", do=q.receive(1, None))
    m.event("two", do=q.receive(2, None))
    m.event("any", do=q.receive(x, 0))
    joined = join_rendezvous(Model("m", (m.build(),), "M")).model.system
    assert isinstance(joined, ElementaryType)
    assert [e.title for e in joined.events] == ["send & one", "send & any"]
