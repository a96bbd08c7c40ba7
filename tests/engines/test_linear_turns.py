"""LTL by turns: walks, reduced nets and diagrams say what the reference says."""

from collections import Counter
from collections.abc import Sequence

import pytest
from tests.engines.random_runs import questions

from plait.automata import TooLarge
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import TOO_LARGE, LinearTime
from plait.engines.explicit.run_walks import RunWalks
from plait.engines.linear_turns import Turns
from plait.engines.nets.reduced_ltl import ReducedLinear, keeps_for
from plait.engines.nets.tokens import doubt_sums
from plait.engines.symbolic.ltl import SymbolicLinear
from plait.engines.symbolic.reach import Diagrams
from plait.logic.nnf import nnf
from plait.logic.parse import parse_formula
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Property
from plait.report.answer import Answer


def test_a_run_that_walks_find_is_replayed_and_nothing_is_found_where_there_is_none() -> None:
    found: Counter[str] = Counter()
    for model, asked, expected in questions("walks", range(60)):
        answers: dict[int, Answer] = {}
        walks = RunWalks(Evidence(model), asked)
        walks.check(range(len(asked)), Budget(), answers.__setitem__, 4)
        for i, theirs in enumerate(expected):
            if i not in answers:
                found["missed"] += theirs.verdict == "false"
                continue
            mine = answers[i]
            assert mine.verdict == theirs.verdict == "false", (mine.reason, asked[i], model)
            found["replayed" if mine.replayed else "beginning"] += 1
            run = mine.witness
            found["ended"] += run is not None and run.loop == len(run.steps)
    assert found["replayed"] > 40
    assert found["ended"] > 5
    assert found["missed"] < found["replayed"] / 10


@pytest.mark.parametrize("with_next", [True, False])
def test_answers_of_reduced_nets_are_those_of_the_net(with_next: bool) -> None:
    counted: Counter[str] = Counter()
    for model, asked, expected in questions("reduced", range(60), with_next=with_next):
        reduced = ReducedLinear(Evidence(model), asked, solve)
        for p, theirs in zip(asked, expected, strict=True):
            mine = reduced.check(p, Budget())
            assert "internal" not in (mine.reason or ""), (mine.reason, p, model)
            if mine.verdict == "unknown":
                continue
            assert mine.verdict == theirs.verdict, (p, model)
            counted[mine.verdict] += 1
            counted["replayed"] += mine.replayed
    assert min(counted["true"], counted["false"], counted["replayed"]) > 10


def test_a_formula_with_next_keeps_every_step_and_one_without_need_not() -> None:
    net = Net(
        "line",
        (Place("a", 1), Place("b"), Place("c")),
        (NetEvent("t", ((0, 1),), ((1, 1),)), NetEvent("u", ((1, 1),), ((2, 1),))),
    )
    model = as_model(net)
    for text, keeps in (("X X 1 <= c", "steps"), ("F 1 <= c", "paths"), ("X F G 1 <= c", "paths")):
        p = parse_formula(f"ltl: {text}", model)
        assert isinstance(p.body, Formula)
        assert keeps_for(nnf(p.body)) == keeps, text
        assert ReducedLinear(Evidence(model), [p], solve).check(p, Budget()).verdict != "false"


def solve(evidence: Evidence, p: Property, budget: Budget, _: object) -> Answer:
    """The reference answers on the reduced net."""
    return evidence.confirm(evidence.semantics.check(p))


class _WithoutProduct(Turns):
    """All turns but those of the product."""

    def _product(self, budget: Budget) -> None:
        pass


@pytest.mark.parametrize("turns", [Turns, _WithoutProduct])
@pytest.mark.parametrize("shown", [True, False])
def test_the_engines_in_turn_have_the_answers_of_the_reference(
    turns: type[Turns], shown: bool
) -> None:
    engines: Counter[str] = Counter()
    for model, asked, expected in questions("turns", range(25)):
        evidence = Evidence(model, shows_runs=shown)
        found = turns(evidence, Budget(), alone=True).check(asked)
        for mine, theirs in zip(found, expected, strict=True):
            assert mine.verdict == theirs.verdict, (mine.reason, mine.property, model)
            assert mine.property is theirs.property
            engines[mine.engine] += 1
    if turns is not Turns:
        assert {"walk", "symbolic"} <= engines.keys()
        assert any(name.startswith("structural-reduction+") for name in engines)


def rings(count: int, size: int) -> Net:
    """Rings with a token each: as many states as there are places on all of them together."""
    places = tuple(Place(f"p{i}", int(i % size == 0)) for i in range(count * size))
    after = [i + 1 - size * (i % size == size - 1) for i in range(count * size)]
    events = tuple(NetEvent(f"t{i}", ((i, 1),), ((j, 1),)) for i, j in enumerate(after))
    return Net("rings", places, events)


def test_a_product_that_filled_the_memory_is_begun_again_for_each_property(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked_together: list[int] = []

    def full(engine: LinearTime, some: Sequence[Property], *_: object) -> list[Answer]:
        """All together they fill the memory; the second by itself does not."""
        asked_together.append(len(some))
        known = len(some) == 1 and some[0].name == "b"
        return [
            Answer(p, "true", "explicit") if known else Answer(p, "unknown", "x", reason="memory")
            for p in some
        ]

    monkeypatch.setattr(LinearTime, "check", full)
    model = as_model(rings(2, 3))
    asked = [parse_formula("ltl: G F (p0 == 1)", model, name=n) for n in "abc"]
    turns = Turns(Evidence(model), Budget(600.0), nested=True, properties=asked)
    turns._product(turns.budget)
    assert asked_together == [3, 3, 1, 1, 1]
    assert [turns.answers[i].verdict for i in range(3)] == ["unknown", "true", "unknown"]


def test_time_that_the_product_leaves_is_for_diagrams_and_walks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[str] = []
    monkeypatch.setattr(Turns, "_product", lambda self, _: used.append("product"))
    monkeypatch.setattr(Turns, "_on_diagrams", lambda self, _: used.append("diagrams"))
    monkeypatch.setattr(Turns, "_walk", lambda self, _: used.append("walks"))
    model = as_model(rings(2, 3))
    asked = [parse_formula("ltl: G F (p0 == 1 || p0 == 0)", model)]
    monkeypatch.setattr(Turns, "_on_reduced_nets", lambda self, _: None)
    (answer,) = Turns(Evidence(model, shows_runs=False), Budget(600.0), alone=True).check(asked)
    assert answer.verdict == "unknown"
    assert used == ["product", "diagrams", "walks", "product", "diagrams", "walks"]


def test_a_formula_that_has_no_automaton_leaves_the_time_to_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used: list[str] = []

    def none(evidence: Evidence, *_: object) -> Diagrams:
        used.append("diagrams")
        raise AssertionError

    def refused(*_: object) -> None:
        raise TooLarge("many states")

    monkeypatch.setattr("plait.engines.symbolic.ltl.reach", none)
    for engine in ("explicit.linear", "explicit.run_walks", "symbolic.ltl"):
        monkeypatch.setattr(f"plait.engines.{engine}.violating", refused)
    model = as_model(rings(2, 3))
    asked = [parse_formula("ltl: G F (p0 == 1)", model)]
    monkeypatch.setattr(Turns, "_on_reduced_nets", lambda self, _: None)
    monkeypatch.setattr(Turns, "_walk", lambda self, _: used.append("walks"))
    budget = Budget(600.0)
    (answer,) = Turns(Evidence(model, shows_runs=False), budget, alone=True).check(asked)
    assert (answer.reason or "").startswith(TOO_LARGE)
    assert used == ["walks"], "those of the turn before"


def test_an_answer_about_a_sum_that_wraps_around_can_be_doubted() -> None:
    """As numbers of tokens p and q are more than none; as 32-bit integers their sum is negative."""
    places = (Place("p", INT_MAX), Place("q", INT_MAX), Place("a", 1), Place("b"))
    model = as_model(Net("much", places, (NetEvent("go", ((2, 1),), ((3, 1),)),)))
    asked = [parse_formula("ltl: G (p + q > 0)", model)]
    walked: dict[int, Answer] = {}
    RunWalks(Evidence(model), asked).check([0], Budget(), walked.__setitem__, 4)
    on_diagrams = SymbolicLinear(Evidence(model)).check(asked, Budget())
    for answer in (walked[0], on_diagrams[0]):
        assert answer.verdict == "false"
        assert doubt_sums([answer])[0].verdict == "unknown"


def test_a_run_too_long_to_be_looked_at_is_doubted_unless_its_tokens_are_few() -> None:
    for tokens, verdict in ((1, "false"), (INT_MAX, "unknown")):
        places = (Place("p", tokens), Place("q", tokens), Place("a", 1), Place("b"))
        model = as_model(Net("much", places, (NetEvent("go", ((2, 1),), ((3, 1),)),)))
        walks = RunWalks(Evidence(model), [parse_formula("ltl: G (p + q > 5)", model)])
        (question,), prepared, _ = walks._made(Budget())
        answer = walks._answer(question, prepared, None, 0)
        assert answer is not None
        assert doubt_sums([answer])[0].verdict == verdict
