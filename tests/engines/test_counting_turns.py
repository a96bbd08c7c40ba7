"""Whose turn it is to count states: few one by one, nets in a moment of diagrams, then longer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from plait.engines import Budget, Tuning, states
from plait.engines.request import Request
from plait.engines.rounds import BRIEF, FEW_STATES, FIRST_STATES
from plait.engines.search import Search
from plait.engines.stopped import stopped_space
from plait.engines.symbolic.engine import Symbolic
from plait.lang.gal import parse
from plait.lang.pnml import parse as parse_pnml
from plait.lang.pnml import print_model as print_pnml
from plait.lang.promela import parse as parse_promela
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model
from plait.models import kanban
from plait.report.answer import StateSpace

COUNTED = ("states", "arcs", "deadlocks", "max_value", "max_sum")
COUNTER = "gal g { int x = 0; transition t [x < 5000] { x = (3 * x + 1) % 5003; } }"


def counts(space: StateSpace) -> list[object]:
    assert space.complete
    return [getattr(space, name) for name in COUNTED]


def turns(model: Model, tuning: Tuning | None = None) -> Iterator[tuple[str, Budget]]:
    return Search(model, Request(tuning=tuning)).rounds.counting()


@pytest.mark.parametrize("native", [True, False])
def test_a_net_is_counted_in_a_moment_of_diagrams(native: bool) -> None:
    def net(cards: int) -> Model:
        model = kanban(cards)
        return parse_pnml(print_pnml(model).encode(), "kanban.pnml") if native else model

    small, larger = states(net(1)), states(net(2))
    assert (small.engine, larger.engine) == ("explicit", "symbolic")
    assert small.states is not None
    assert larger.states is not None
    assert small.states <= FEW_STATES < larger.states < FIRST_STATES
    for space, cards in ((small, 1), (larger, 2)):
        for engine in ("explicit", "symbolic"):
            assert counts(space) == counts(states(net(cards), engine=engine))


def test_what_a_moment_does_not_count_is_counted_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = states(kanban(2), engine="explicit")
    with monkeypatch.context() as changed:
        changed.setattr("plait.engines.symbolic.attempts.BRIEF_TURNS", (("rounds", 0.0),))
        space = states(kanban(2))
    assert space.engine == "explicit"
    assert counts(space) == counts(expected)


def test_diagrams_that_tell_no_arcs_are_not_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Symbolic.states

    def without_arcs(self: Symbolic, *args: object) -> StateSpace:
        assert self.brief
        return replace(whole(self, *args), arcs=None, reason="timeout")  # type: ignore[arg-type]

    monkeypatch.setattr(Symbolic, "states", without_arcs)
    space = states(kanban(2))
    assert space.engine == "explicit"
    assert space.arcs is not None


def test_who_interrupts_that_moment_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_self: Symbolic, budget: Budget, *_others: object) -> StateSpace:
        return stopped_space("symbolic", "interrupted", budget)

    monkeypatch.setattr(Symbolic, "states", interrupted)
    space = states(kanban(2))
    assert not space.complete
    assert space.reason == "interrupted"
    assert space.states == FEW_STATES


def test_only_nets_without_a_choice_of_diagrams_have_that_moment() -> None:
    assert [name for name, _ in turns(kanban(2))][:3] == ["explicit", BRIEF, "explicit"]
    first, *_ = turns(kanban(2))
    assert first[1].states == FEW_STATES
    computed = parse(COUNTER, "counter.gal")
    assert BRIEF not in [name for name, _ in turns(computed)]
    assert BRIEF not in [name for name, _ in turns(kanban(2), Tuning(order="declared"))]
    # Which lines no process ever executes only a search state by state can tell.
    text = "int x; active proctype P() { x = 1; if :: x == 2 ->\n x = 3\n :: else fi }"
    program = parse_promela(text, "p")
    assert BRIEF not in [name for name, _ in turns(program)]
    assert any("unreached" in note for note in states(program).notes)


def test_a_net_without_a_bound_is_still_recognised() -> None:
    grows = NetEvent("grows", ((0, 1),), ((0, 1), (1, 1)))
    net = as_model(Net("net", (Place("p", 1), Place("q")), (grows,)))
    read = parse_pnml(print_pnml(net).encode(), "net.pnml")
    space = states(read, budget=Budget(60.0))
    assert not space.complete
    assert space.reason is not None
    assert "unbounded" in space.reason
