"""Two processes that ask the same questions: one answer each, the same as with one process."""

import os
import time
from collections.abc import Iterator
from random import Random

import pytest
from tests.structure.random_ordinary import markings, ordinary_net

from plait import parse
from plait.engines import Budget, beside, branching, check, rounds, search
from plait.engines.apart import Apart
from plait.engines.beside import AllAnswered, Beside, Lane, Marks, Told
from plait.engines.budget import Progress
from plait.engines.evidence import Evidence
from plait.engines.explicit import engine as explicit
from plait.engines.explicit.method import Method
from plait.engines.formulas import Formulas
from plait.engines.pending import Pending
from plait.errors import Diagnostic, ModelError
from plait.logic.parse import parse_formula
from plait.model.expr import Not, Truth
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.report.answer import Answer

ASKED = [Property(f"q{i}", kind="reachable", body=Truth(True)) for i in range(2)]


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processors, and a first round that answers nothing."""
    monkeypatch.setattr(beside, "has_two_processors", lambda: True)
    monkeypatch.setattr(rounds, "TURNS", ((1, 0.0), (1_000_000, 600.0)))


def counters() -> Model:
    """Six counters that only grow: every run ends in the same state, 10^10 states away."""
    names = "abcdef"
    variables = " ".join(f"int {n} = 0;" for n in names)
    events = " ".join(f"transition {n} [{n} < 49] {{ {n} = {n} + 1; }}" for n in names)
    return parse(f"gal c {{ {variables} {events} }} main c;").model


def test_an_answer_of_the_other_process_ends_the_search_here(
    two: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search here would take hours; a random walk gets there whatever it does."""
    monkeypatch.setattr(rounds, "TURNS", ((1, 0.0), (10**9, 600.0)))
    monkeypatch.setattr(search, "STATE_SPACE", (explicit.ENGINE,))
    model = counters()
    asked = parse_formula("reachable: a + b + c + d + e + f == 294", model)
    told: list[Answer] = []
    (answer,) = check(model, [asked], tell=told.append)
    assert (answer.verdict, answer.engine, answer.replayed) == ("true", "walk", True)
    assert answer.property is asked
    assert answer.witness is not None
    assert len(answer.witness.steps) == 294
    assert [a.property for a in told] == [asked]


def test_what_is_answered_here_ends_the_other_process(two: None) -> None:
    """The diagrams tell that it is unreachable; nobody waits for the walks to give up."""
    model = counters()
    asked = parse_formula("reachable: a == 49 && b == 49 && a + c == 99", model)
    (answer,) = check(model, [asked])
    assert answer.verdict == "false"


def test_two_processes_answer_as_one_does(two: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """covers: S124"""
    compared = 0
    for seed in range(40):
        random = Random(f"beside {seed}")
        net = ordinary_net(random, places=5, events=6)
        if markings(net, 400) is None or compared == 6:
            continue
        compared += 1
        a, b = (random.choice(net.places).name for _ in range(2))
        model = as_model(net)
        texts = [f"reachable: {a} >= 2 && {b} == 0", f"invariant: {a} + {b} <= 2", "deadlock"]
        asked = [parse_formula(t, model, name=t) for t in (*texts, f"bounds: {a}")]
        with monkeypatch.context() as patch:
            patch.setattr(beside, "has_two_processors", lambda: False)
            alone = check(model, asked)
        both = check(model, asked)
        assert [(x.verdict, x.value) for x in both] == [(x.verdict, x.value) for x in alone]
        assert all(x.replayed for x in both if x.witness is not None)
    assert compared == 6


def test_one_thread_asked_for_is_one_process(two: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("no process was asked for")

    monkeypatch.setattr(beside, "Beside", refuse)
    model = parse("gal g { int x = 0; transition t [x < 5] { x = x + 1; } } main g;").model
    asked = [parse_formula("reachable: x == 5", model)]
    (answer,) = check(model, asked, method=Method(threads=1))
    assert answer.verdict == "true"
    with pytest.raises(AssertionError):
        check(model, asked)


def test_an_answer_is_told_once_whoever_comes_second() -> None:
    """Diagrams may come to an answer while a walk has told it already."""
    told: list[str] = []
    run = Pending(ASKED, lambda _, answer: told.append(answer.engine))
    run.hear(0, Answer(ASKED[0], "true", "walk"))
    run.take({i: Answer(p, "true", "symbolic") for i, p in enumerate(ASKED)})
    assert told == ["walk", "symbolic"]
    assert [a.engine for a in run.in_order()] == ["walk", "symbolic"]


CTL = [
    "AG EF (end == 1)",
    "EF (end == 1 && EG end == 1)",
    "AF (end == 1)",
    "E (start == 1) U (c3 == 1 && EX c4 == 1)",
    "EX EX AG start == 0",
]


def test_branching_time_is_answered_by_two_processes_as_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each with its witness, which is replayed, and told once."""
    places = [Place("start", 1), *(Place(f"c{i}") for i in range(6)), Place("end")]
    events = [NetEvent(f"t{i}", ((i, 1),), ((i + 1, 1),)) for i in range(7)]
    model = as_model(Net("chain", tuple(places), tuple(events)))
    asked = [parse_formula(text, model, name=text) for text in CTL]
    expected = check(model, asked, engine="reference")
    monkeypatch.setattr(branching, "SMALL_GRAPH", 1)
    monkeypatch.setattr(branching, "FIRST_LOCAL", (1, 0.001))
    monkeypatch.setattr(beside, "has_two_processors", lambda: True)
    told: list[Answer] = []
    found = check(model, asked, tell=told.append)
    assert [a.verdict for a in found] == [a.verdict for a in expected]
    assert all(
        (a.witness is None) == (b.witness is None) for a, b in zip(found, expected, strict=True)
    )
    assert all(a.replayed for a in found if a.witness is not None)
    assert sorted(a.property.name for a in told) == sorted(CTL)


def test_reduced_nets_and_local_search_answer_while_diagrams_are_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Diagrams that never come to an end here: the other process has all answers."""

    diagrams = branching.Branching._on_diagrams

    def forever(
        self: branching.Branching, asked: list[Property], budget: Budget, formulas: Formulas
    ) -> list[Answer]:
        if self.nested:
            return diagrams(self, asked, budget, formulas)
        assert self.listen is not None
        while True:
            time.sleep(0.01)
            self.listen(Progress("diagrams"))

    monkeypatch.setattr(branching, "SMALL_GRAPH", 1)
    monkeypatch.setattr(branching, "FIRST_LOCAL", (1, 0.001))
    monkeypatch.setattr(beside, "has_two_processors", lambda: True)
    monkeypatch.setattr(branching.Branching, "_on_diagrams", forever)
    rings, size = 10, 6
    places = tuple(Place(f"p{i}", int(i % size == 0)) for i in range(rings * size))
    events = tuple(
        NetEvent(f"t{i}", ((i, 1),), ((i + 1 - size * (i % size == size - 1), 1),))
        for i in range(rings * size)
    )
    model = as_model(Net("rings", places, events))
    asked = [parse_formula(t, model, name=t) for t in ("AG EF (p3 == 1)", "AF (p3 == 1)")]
    found = check(model, asked, budget=Budget(300))
    assert [a.verdict for a in found] == ["true", "false"]
    assert all(a.engine != "symbolic" for a in found)


def test_local_search_goes_on_where_diagrams_and_what_all_share_filled_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two formulas one answers the second, by itself; the other process has nothing to say."""
    asked_of: list[tuple[str, int]] = []

    def full(
        self: branching.Branching, asked: list[Property], _: Budget, __: Formulas
    ) -> list[Answer]:
        asked_of.append(("diagrams", len(asked)))
        return [Answer(p, "unknown", "symbolic", reason="memory") for p in asked]

    def small(
        self: branching.Branching, asked: list[Property], _: Budget, __: Formulas
    ) -> list[Answer]:
        asked_of.append(("local", len(asked)))
        alone = len(asked) == 1 and asked[0].name == "second"
        return [
            Answer(p, "true", "local") if alone else Answer(p, "unknown", "local", reason="memory")
            for p in asked
        ]

    monkeypatch.setattr(branching.Branching, "_on_diagrams", full)
    monkeypatch.setattr(branching.Branching, "_locally", small)
    monkeypatch.setattr(branching.Branching, "_lane", lambda *_: iter(()))
    model = as_model(Net("one", (Place("p", 1),), (NetEvent("t", ((0, 1),), ()),)))
    asked = [parse_formula("AG EF p == 1", model, name=name) for name in ("first", "second")]
    engine = branching.Branching(Evidence(model), "auto", Budget(600.0))
    found = engine._side_by_side(asked, engine.budget, Formulas(model, asked))
    assert [a.verdict for a in found] == ["unknown", "true"]
    assert asked_of == [("diagrams", 2), ("local", 2), ("local", 1), ("local", 1)]


def test_what_reachable_states_left_open_is_asked_again_in_the_time_that_others_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The part that the safety property has at first is not enough; the CTL one needs little."""
    calls: list[int] = []
    search_states = search.Search.check

    def later(self: search.Search, asked: list[Property], tell: object = None) -> list[Answer]:
        calls.append(len(asked))
        if len(calls) == 1:
            return [Answer(p, "unknown", "explicit", reason="timeout") for p in asked]
        return search_states(self, asked)

    monkeypatch.setattr(search.Search, "check", later)
    model = as_model(Net("one", (Place("p", 1),), (NetEvent("t", ((0, 1),), ()),)))
    asked = [parse_formula(t, model, name=t) for t in ("AG p <= 1", "AG EF p == 0")]
    found = check(model, asked, budget=Budget(600.0))
    assert [a.verdict for a in found] == ["true", "true"]
    assert calls == [1, 1]
    calls.clear()
    (found_alone,) = check(model, asked[:1], budget=Budget(600.0))
    assert (found_alone.verdict, calls) == ("unknown", [1]), "alone it had all of the time"


# --- the process itself ---------------------------------------------------------------------------


def test_a_question_that_is_settled_here_is_marked_there() -> None:
    def work(marks: Marks) -> Iterator[Told]:
        while 0 not in marks:
            time.sleep(0.01)
        yield 1, Answer(ASKED[1], "true", "other")

    told: list[int] = []
    both = Beside(ASKED, Lane(work), Budget(600), tell=lambda i, _: told.append(i))
    try:
        both.look()
        assert both.answers == {}
        both.settle([0])
        both.wait()
        assert [both.answers[1].engine] == ["other"]
        assert both.answers[1].property is ASKED[1]
        assert told == [1]
        with pytest.raises(AllAnswered):
            both.listen(Progress("here"))
    finally:
        both.close()


def test_an_error_of_the_model_is_one_whoever_finds_it() -> None:
    def work(_: Marks) -> Iterator[Told]:
        raise ModelError(Diagnostic("it goes wrong"))
        yield 0, Answer(ASKED[0], "true", "other")

    both = Beside(ASKED, Lane(work), Budget(600))
    try:
        with pytest.raises(ModelError, match="it goes wrong"):
            both.wait()
    finally:
        both.close()


def test_an_error_of_ours_in_the_other_process_leaves_the_questions_open() -> None:
    def work(_: Marks) -> Iterator[Told]:
        yield 0, Answer(ASKED[0], "true", "other")
        raise RuntimeError("ours")

    both = Beside(ASKED, Lane(work), Budget(600))
    try:
        both.wait()
        assert set(both.answers) == {0}
        both.look()  # there is nobody to listen to, and no harm in it
        assert both.here() == Budget(600, start=both.here().start)
    finally:
        both.close()


def test_the_other_process_ends_in_time_to_be_heard() -> None:
    """An engine tells at the end of its time what it found until then."""
    budget = Budget(100, memory=4 << 30)
    share = beside.there(budget)
    remaining, left = share.remaining(), budget.remaining()
    assert remaining is not None
    assert left is not None
    assert 0 < remaining < left
    assert share.memory == 1 << 30
    assert beside.there(Budget()).timeout is None


def test_memory_is_divided_while_there_are_two() -> None:
    def work(marks: Marks) -> Iterator[Told]:
        while 1 not in marks:
            time.sleep(0.01)
        yield from ()

    both = Beside(ASKED, Lane(work), Budget(600, memory=4 << 30))
    try:
        assert both.here().memory == 3 << 30
        both.settle([1])
        both.wait()
        assert both.here().memory == 4 << 30
    finally:
        both.close()


def test_what_both_have_is_not_written_out() -> None:
    """A formula a hundred thousand operators deep comes back as the very same."""
    deep = Truth(True)
    for _ in range(100_000):
        deep = Not(deep)  # type: ignore[assignment]
    process = Apart(lambda: iter([("it", deep)]), Budget(600), [deep])
    try:
        items: list[tuple[str, object]] = []
        while process.running:
            items += process.take(1.0)
        assert items[0][1] is deep
    finally:
        process.close()


def test_a_long_message_is_read_at_once() -> None:
    """Nearly fifty times what a pipe holds, and not one look for each."""
    long = "x" * 3_000_000
    process = Apart(lambda: iter([("long", long), ("short", "y")]), Budget(600))
    try:
        items: list[tuple[str, str]] = []
        looks = 0
        while not items:
            items += process.take(60.0)
            looks += 1
        assert items[0] == ("long", long)
        assert looks < 40
        while process.running:
            items += process.take(60.0)
        assert items == [("long", long), ("short", "y")]
    finally:
        process.close()


def test_the_other_process_is_gone_when_it_is_closed() -> None:
    def work(_: Marks) -> Iterator[Told]:
        while True:
            time.sleep(0.01)
            yield 0, Answer(ASKED[0], "unknown", str(os.getpid()))

    both = Beside(ASKED, Lane(work), Budget(600))
    while not both.answers:
        both.look(0.1)
    process = int(both.answers[0].engine)
    both.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_one_processor_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert not beside.has_two_processors()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert beside.has_two_processors() == hasattr(os, "fork")
