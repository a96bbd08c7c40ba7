"""The structural engine: walks and the state equation against the reference, and their limits."""

import time
from collections.abc import Sequence
from random import Random

import pytest

from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.nets.engine import EQUATION, WALK, Structural
from plait.engines.nets.reduced import Question, ReducedNets
from plait.engines.nets.turn import Turn
from plait.engines.prepared import Prepared, prepare
from plait.engines.rounds import TURNS
from plait.errors import LimitReached
from plait.logic.parse import parse_formula
from plait.model.expr import Formula, IntExpr
from plait.model.net import Net, NetEvent, Place, as_model, as_net
from plait.model.types import Model, Property
from plait.models import entry
from plait.reference import Semantics
from plait.report.answer import Answer
from plait.structure.linear import Linear, deadlocked

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


def test_a_variable_that_wraps_around_is_no_place() -> None:
    """After 2^31 steps x is negative: what holds of the net does not hold of the model."""
    from plait.lang.gal import parse

    model = parse("gal g { int x; transition t [x >= 0] { x += 1; } }", "g.gal")
    questions = [parse_formula(t, model) for t in ("never: x < 0", "bounds: x")]
    engine = Structural(model)
    found = engine.check(questions, Budget(timeout=0.5))
    assert [(a.verdict, a.value) for a in found] == [("unknown", None)] * 2
    assert not any((a.reason or "").startswith("unbounded") for a in found)
    assert engine.unbounded(Budget(timeout=0.5)) is None


def test_variables_that_never_get_to_the_end_of_the_integers_are_places() -> None:
    from plait.lang.gal import parse

    text = "gal g { int x = 9; int y; transition t [x >= 1] { x -= 1; y += 1; } }"
    model = parse(text, "g.gal")
    questions = [parse_formula(t, model) for t in ("never: x + y > 9", "bounds: y")]
    found = Structural(model).check(questions, Budget(timeout=20))
    assert [(a.verdict, a.value) for a in found] == [("true", None), ("true", 9)]


def token_ring(stations: int, tokens: int) -> Model:
    """Tokens that go round, each station passing on in three steps; the first may swallow one."""
    names = [f"{step}{i}" for i in range(stations) for step in ("in", "work", "out")]
    places = tuple(Place(name, tokens if name == "in0" else 0) for name in names)
    count = len(names)
    events = [NetEvent(f"t{i}", ((i, 1),), (((i + 1) % count, 1),)) for i in range(count)]
    events.append(NetEvent("swallow", ((0, 1),), ()))
    return as_model(Net("ring", places, tuple(events)))


def test_a_reduced_net_decides_what_the_whole_net_is_too_large_for() -> None:
    """Every way to a deadlock swallows all tokens; its trace is one of the whole net."""
    model = token_ring(40, 12)
    questions = [
        parse_formula("deadlock", model),
        parse_formula("never: out39 >= 5 && in0 >= 7", model),
        parse_formula("bounds: work20 + work21", model),
    ]
    prepared = prepare(model, questions)
    net = as_net(prepared.rewritten.model)
    assert isinstance(net, Net)
    linear = Linear(net, prepared.compiled.shape, prepared.compiled.titled)
    nets = ReducedNets(prepared, net)
    deadlock, never, bounds = prepared.properties
    (told,) = nets.check([Question(deadlock, deadlocked(net))], Budget(timeout=30), None)
    assert told is not None
    assert told.found
    assert told.witness is not None
    Semantics(model).confirm(questions[0], told.witness)
    assert isinstance(never.body, Formula)
    (told,) = nets.check([Question(never, linear.goal(never.body))], Budget(timeout=30), None)
    assert told is not None
    assert told.witness is not None
    Semantics(model).confirm(questions[1], told.witness)
    assert isinstance(bounds.body, IntExpr)
    places, constant = linear.sum((bounds.body, 1))
    asked = Question(bounds, places=places, constant=constant)
    (told,) = nets.check([asked], Budget(timeout=30), None)
    assert told is not None
    assert (told.answer.stats["min"], told.answer.value) == (0, 12)


@pytest.mark.parametrize("block", range(2))
def test_reduced_nets_tell_what_the_reference_says(block: int) -> None:
    """Every question alone, so that each is asked of a net of its own (T24, T30)."""
    told_of = asked_of = 0
    for seed in range(block * 60, block * 60 + 60):
        random = Random(f"reduced {seed}")
        model = random_model(random)
        semantics = Semantics(model)
        try:
            semantics.reachable(LIMIT)
        except LimitReached:
            continue
        for question in random_questions(random, model):
            prepared = prepare(model, [question])
            net = as_net(prepared.rewritten.model)
            if not isinstance(net, Net) or not net.ordinary:
                continue
            linear = Linear(net, prepared.compiled.shape, prepared.compiled.titled)
            (flat,) = prepared.properties
            if question.kind == "bounds":
                assert isinstance(flat.body, IntExpr)
                places, constant = linear.sum((flat.body, 1))
                asked = Question(flat, None, places, constant)
            elif question.kind == "deadlock":
                asked = Question(flat, deadlocked(net))
            else:
                assert isinstance(flat.body, Formula)
                asked = Question(flat, linear.goal(flat.body, question.kind != "invariant"))
            asked_of += 1
            nets = ReducedNets(prepared, net)
            (told,) = nets.check([asked], Budget(timeout=10), None)
            if told is None:
                continue
            told_of += 1
            expected = semantics.check(question)
            if question.kind == "bounds":
                shown = (told.answer.stats["min"], told.answer.value)
                assert shown == (expected.stats["min"], expected.value), (seed, question.name)
                continue
            reached = (expected.verdict == "true") == (question.kind == "reachable")
            assert told.found == reached, (seed, question.name)
            if told.found:
                assert told.witness is not None
                semantics.confirm(question, told.witness)
    assert told_of > asked_of // 2 > 50


def test_answers_are_told_as_soon_as_a_turn_has_them() -> None:
    """What is told is in the list again."""
    model = entry("kanban").build(300)
    place = model.system.variables[0].name  # type: ignore[union-attr]
    texts = (f"never: {place} > 300", f"reachable: {place} == 299")
    questions = [parse_formula(t, model) for t in texts]
    told: list[Answer] = []
    found = check(model, questions, budget=Budget(timeout=60), tell=told.append)
    assert sorted(a.property.kind for a in told) == ["never", "reachable"]
    assert all(any(a is b or a == b for b in found) for a in told)
    assert [a.verdict for a in found] == ["true", "true"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("p <= -2147483648", "false"),
        ("p - 2147483647 < q + 2147483647", "true"),
        ("p < -2147483647", "false"),
    ],
)
def test_numbers_at_the_ends_of_the_integers_do_no_harm(text: str, verdict: str) -> None:
    net = Net("two", (Place("p", 3), Place("q")), (NetEvent("t", ((0, 1),), ((1, 1),)),))
    model = as_model(net)
    asked = [parse_formula(f"reachable: {t}", model) for t in (text, "q == 3")]
    for engine in ("auto", "reference"):
        found = check(model, asked, engine=engine)
        assert [a.verdict for a in found] == [verdict, "true"]
    alone = Structural(model).check(asked, Budget(timeout=5))
    assert alone[1].verdict == "true"
    assert alone[0].verdict in (verdict, "unknown")


@pytest.fixture
def climbed(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A ladder of sixty rungs, from each of which one may fall to the ground: chance never climbs.

    The solver, which would try the events of its solution by itself, and searches are left out.
    """
    rungs = 60
    places = tuple(Place(f"p{i}", 2 * int(i == 0)) for i in range(rungs + 1))
    up = [NetEvent(f"up{i}", ((i, 1),), ((i + 1, 1),)) for i in range(rungs)]
    fall = [NetEvent(f"fall{i}", ((i, 1),), ((0, 1),)) for i in range(1, rungs)]
    monkeypatch.setattr("plait.engines.nets.turn.solve", lambda *_: ())
    for way in ("_reduced", "_direct", "_cover"):
        monkeypatch.setattr(f"plait.engines.nets.turn.Turn.{way}", lambda *_: None)
    return as_model(Net("ladder", places, (*up, *fall)))


def test_a_walk_follows_the_solution_of_the_state_equation(climbed: Model) -> None:
    asked = [parse_formula("reachable: p60 >= 1", climbed)]
    (answer,) = Structural(climbed).check(asked, Budget(30))
    assert (answer.verdict, answer.engine, answer.replayed) == ("true", WALK, True)
    assert answer.witness is not None
    assert len(answer.witness.steps) == 60


@pytest.mark.parametrize(("text", "most"), [("p60", 2), ("p60 + 3", 5), ("p59 + 2 * p60", 4)])
def test_a_walk_follows_the_solution_that_has_all_of_a_sum(
    climbed: Model, text: str, most: int
) -> None:
    (answer,) = Structural(climbed).check([parse_formula(f"bounds: {text}", climbed)], Budget(30))
    assert (answer.value, answer.engine) == (most, EQUATION)


def test_the_clock_of_a_turn_starts_when_the_net_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ready: list[float] = []
    starts: list[float] = []
    set_up, ask = Structural.set_up, Structural.check

    def noted(self: Structural, prepared: Prepared) -> None:
        set_up(self, prepared)
        ready.append(time.monotonic())

    def asked(
        self: Structural, properties: Sequence[Property], budget: Budget, *more: object
    ) -> list[Answer]:
        starts.append(budget.start)
        return ask(self, properties, budget, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Structural, "set_up", noted)
    monkeypatch.setattr(Structural, "check", asked)
    monkeypatch.setattr("plait.engines.beside.has_two_processors", lambda: False)
    model = entry("kanban").build(300)
    place = model.system.variables[0].name  # type: ignore[union-attr]
    (answer,) = check(model, [parse_formula(f"never: {place} > 300", model)])
    assert answer.verdict == "true"
    assert ready
    assert all(began >= made for began, made in zip(starts, ready, strict=True))


def test_a_place_that_no_event_changes_is_told_before_anything_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("there was no need")

    monkeypatch.setattr(Turn, "_walk", refuse)
    monkeypatch.setattr(Turn, "_conserved", refuse)
    places = (Place("p", 1), Place("q", 0), *(Place(f"p{i}", 0) for i in range(99)), Place("r", 2))
    steps = tuple(NetEvent(f"t{i}", ((i, 1),), ((i + 1, 1),)) for i in range(100))
    model = as_model(Net("still", places, steps))
    asked = [parse_formula(f"invariant: {p.name} == {p.initial}", model) for p in places]
    *found, still = Structural(model).check(asked, Budget(300.0))
    assert still.verdict == "true"
    assert {a.verdict for a in found} == {"unknown"}
