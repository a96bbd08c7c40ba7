"""A moment of diagrams: the answers of the reference, or none."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from tests.structure.random_ordinary import markings, ordinary_net

from plait import parse
from plait.engines import Budget, briefly
from plait.engines.simplified import check_simplified
from plait.engines.symbolic import attempts
from plait.engines.symbolic.engine import Symbolic
from plait.errors import LimitReached
from plait.lang.pnml import parse as read
from plait.lang.pnml.writer import print_net
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, Place, as_model, as_net
from plait.model.plain import plain_of
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.report.answer import Answer

TEXTS = (
    "AG EF {0} >= 1",
    "EF ({0} >= 1 && AG {1} == 0)",
    "A ({0} <= 1) U ({1} >= 2 || deadlock)",
    "EG ({0} == 0 || EX {1} >= 1)",
    "AF AG EF {1} == 0",
    "ltl: G ({0} >= 1 -> F {1} == 0)",
    "ltl: F G {0} == 0 || G F {1} >= 1",
    "ltl: ({0} <= 1) U X ({1} >= 1)",
)


def nobody(properties: Sequence[Property], tell: Callable[[Answer], None]) -> list[Answer]:
    raise AssertionError("nothing is left to ask")


def ring() -> Model:
    places = (Place("a", 2), Place("b"))
    events = (NetEvent("ab", ((0, 1),), ((1, 1),)), NetEvent("ba", ((1, 1),), ((0, 1),)))
    return as_model(Net("ring", places, events))


def heard(model: Model, asked: Sequence[Property], budget: Budget | None = None) -> list[Answer]:
    told: list[Answer] = []
    briefly.briefly(model, asked, budget or Budget(), told.append)
    return told


def test_formulas_are_answered_before_anybody_else_is_asked() -> None:
    compared = 0
    verdicts: set[str] = set()
    for seed in range(60):
        random = Random(f"briefly {seed}")
        net = ordinary_net(random, places=5, events=6)
        if markings(net, 300) is None:
            continue
        model = as_model(net)
        names = [p.name for p in random.sample(net.places, 2)]
        asked = [parse_formula(text.format(*names), model, name=text) for text in TEXTS]
        told: list[Answer] = []
        found = check_simplified(model, asked, Budget(1000.0), nobody, told.append)
        assert [a.property for a in found] == asked
        assert [a.verdict for a in found] == [Semantics(model).check(p).verdict for p in asked]
        assert sorted(a.property.name for a in told) == sorted(TEXTS)
        compared += 1
        verdicts |= {a.verdict for a in found}
    assert compared > 10
    assert verdicts == {"true", "false"}


def test_only_temporal_formulas_are_asked() -> None:
    model = ring()
    texts = ("AG EF a == 0", "ltl: G F a == 0", "reachable: a == 0")
    asked = [parse_formula(text, model) for text in texts]
    found = [(a.property, a.verdict, a.witness) for a in heard(model, asked)]
    assert found == [(asked[0], "true", None), (asked[1], "false", None)]


def test_what_a_moment_does_not_tell_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ring()
    asked = [parse_formula(text, model) for text in ("AG EF a == 0", "ltl: G F a == 0")]
    with monkeypatch.context() as patch:
        patch.setattr(attempts, "BRIEF_TURNS", ())
        assert heard(model, asked) == []
    with monkeypatch.context() as patch:
        patch.setattr(briefly, "TOO_WIDE", 1)
        assert heard(model, asked) == []
    assert heard(model, asked, Budget(0.0)) == []
    assert len(heard(model, asked)) == 2


def test_the_events_of_a_net_that_is_too_wide_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    net = as_net(ring())
    assert isinstance(net, Net)
    model = read(print_net(net).encode(), "ring.pnml")
    plain = plain_of(model)
    assert plain is not None
    monkeypatch.setattr(briefly, "TOO_WIDE", 1)
    with monkeypatch.context() as patch:
        patch.setattr(type(plain), "events", lambda _: pytest.fail("made"))
        assert model.system.event_count == 2
        assert heard(model, [parse_formula("AG EF a == 0", model)]) == []
    assert model.system.event_count == len(model.system.events)


def test_a_program_without_a_bound_on_its_states_has_no_answer() -> None:
    model = parse("gal g { int x = 0; transition t [true] { x = x + 1; } } main g;").model
    assert heard(model, [parse_formula("AG EF x == 5", model)], Budget(1.0)) == []


def test_ctrl_c_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: Symbolic, asked: Sequence[Property], *__: object, **___: object) -> list[Answer]:
        return [Answer(p, "unknown", "symbolic", reason="interrupted") for p in asked]

    monkeypatch.setattr(Symbolic, "check", stopped)
    model = ring()
    with pytest.raises(LimitReached, match="interrupted"):
        heard(model, [parse_formula("AG EF a == 0", model)])
