"""The structural engine: walks and the state equation against the reference, and their limits."""

from random import Random

import pytest

from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.search import TURNS
from plait.engines.structural import EQUATION, WALK, Structural
from plait.errors import LimitReached
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.models import entry
from plait.reference import Semantics

LIMIT = 400


def random_model(random: Random) -> Model:
    places = random.randint(2, 6)
    made = tuple(Place(f"p{i}", random.choice([0, 1, 1, 2])) for i in range(places))

    def row(count: int) -> tuple[tuple[int, int], ...]:
        chosen = [random.randrange(places) for _ in range(count)]
        return tuple(sorted((p, chosen.count(p)) for p in set(chosen)))

    events = []
    for i in range(random.randint(1, 7)):
        taken = random.randint(1, 2)
        events.append(NetEvent(f"t{i}", row(taken), row(taken - random.choice([0, 0, 0, 1]))))
    return as_model(Net("random", made, tuple(events)))


def random_questions(random: Random, model: Model) -> list[Property]:
    places = [v.name for v in model.system.variables]  # type: ignore[union-attr]
    events = [e.name for e in model.system.events]  # type: ignore[union-attr]
    texts = ["deadlock"]
    for kind in ("reachable", "invariant", "never"):
        a, b = random.choice(places), random.choice(places)
        op = random.choice(["<", "<=", ">", ">=", "==", "!="])
        other = random.choice([b, str(random.randint(0, 3)), f"{b} + 1"])
        texts.append(f"{kind}: {a} {op} {other} {random.choice(['&&', '||'])} {b} >= 1")
        texts.append(f"{kind}: {random.choice(['', '!'])}enabled({random.choice(events)})")
    texts += [f"bounds: {random.choice(places)}", f"bounds: {places[0]} + {places[1]}"]
    return [parse_formula(t, model) for t in texts]


@pytest.mark.parametrize("block", range(2))
def test_what_the_structural_engine_says_the_reference_says_too(block: int) -> None:
    answered = asked = 0
    for seed in range(block * 40, block * 40 + 40):
        random = Random(seed)
        model = random_model(random)
        questions = random_questions(random, model)
        semantics = Semantics(model)
        try:
            semantics.reachable(LIMIT)
        except LimitReached:
            continue
        found = Structural(model).check(questions, Budget(timeout=0.4))
        for question, answer in zip(questions, found, strict=True):
            asked += 1
            if answer.verdict == "unknown":
                continue
            answered += 1
            expected = semantics.check(question)
            assert answer.verdict == expected.verdict, (seed, question.name)
            if question.kind == "bounds":
                assert answer.value == expected.value, (seed, question.name)
            needs_trace = (answer.verdict == "true") == (question.kind == "reachable")
            if needs_trace and question.kind != "bounds":
                assert answer.replayed
    assert asked > 100
    assert answered > asked * 3 // 4


def test_a_ring_with_more_states_than_can_be_stored_is_decided_by_both() -> None:
    model = entry("kanban").build(500)
    places = [v.name for v in model.system.variables]  # type: ignore[union-attr]
    questions = [
        parse_formula(f"reachable: {places[0]} == 0", model),
        parse_formula(f"invariant: {places[0]} <= 500", model),
        parse_formula(f"bounds: {places[0]}", model),
    ]
    found = Structural(model).check(questions, Budget(timeout=20))
    assert [(a.verdict, a.engine) for a in found] == [
        ("true", WALK),
        ("true", EQUATION),
        ("true", EQUATION),
    ]
    assert found[2].value == 500


def test_the_portfolio_asks_it_between_search_and_diagrams() -> None:
    """The first explicit turn cannot finish; the answers come from the structure of the net."""
    model = entry("kanban").build(300)
    place = model.system.variables[0].name  # type: ignore[union-attr]
    question = parse_formula(f"never: {place} > 300", model)
    (answer,) = check(model, [question], budget=Budget(timeout=60))
    assert (answer.verdict, answer.engine) == ("true", EQUATION)
    assert TURNS


def test_walks_serve_models_that_are_no_nets() -> None:
    from plait.lang.gal import parse

    model = parse("gal g { int x; int y; transition t [x < 3000] { x += 1; y = x * x; } }", "g.gal")
    question = parse_formula("reachable: y == 2500 * 2500", model)
    (answer,) = Structural(model).check([question], Budget(timeout=20))
    assert (answer.verdict, answer.engine, answer.replayed) == ("true", WALK, True)
    assert answer.witness is not None
    assert len(answer.witness.steps) == 2500
