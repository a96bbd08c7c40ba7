"""Local CTL: the verdicts of the reference on as few states as decide them, and paths that replay.

Verdicts on random models are compared in `tests/differential`.
"""

import time

import pytest

from plait import _core, parse
from plait.cli.deadline import deadline
from plait.engines import Budget, Tuning, check
from plait.engines.branching import Branching
from plait.engines.evidence import Evidence
from plait.engines.explicit.graph import GraphEngine
from plait.engines.explicit.local import Local
from plait.errors import InputError, LimitReached
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.models import entry
from plait.report.answer import Answer
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model as random_model
from plait.testing.random_models import observed

LOCAL = Tuning(ctl="local")


def model(text: str) -> Model:
    return parse(text).model


def asked(of: Model, *texts: str) -> list[Property]:
    return [parse_formula(text, of, name=text) for text in texts]


WALK = """
gal walk {
  int x = 0; int y = 0;
  transition right [x < 300] { x = x + 1; }
  transition up [y < 300] { y = y + 1; }
}
main walk;
"""


def test_an_answer_that_is_near_is_found_among_many_states() -> None:
    """Ninety thousand states, of which the formulas need few; covers: I50"""
    walk = model(WALK)
    near = asked(walk, "EF (x == 3 && EX x == 4)", "AG EF x == 300", "A (x < 5) U (y == 1)")
    found = check(walk, near, tuning=LOCAL)
    assert [a.verdict for a in found] == ["true", "true", "false"]
    assert {a.engine for a in found} == {"local"}
    first = check(walk, near[:1], tuning=LOCAL)[0]
    seen = first.stats["states_seen"]
    assert isinstance(seen, int)
    assert seen < 10_000
    assert first.replayed


FORMULAS = {
    "EF (x == 4 && EG (x >= 3))": "true",
    "AG (x != 4 || AX x == 5)": "false",
    "E (EX x > 0) U (x == 3 && EX EX x == 5)": "true",
    "EX x == 1 && EF (x == 6 && EX x == 3)": "true",
    "AG EF (x == 6)": "true",
    "AF (x == 5 && AG y == 2)": "false",
    "E (x < 5 || EX y == 2) W (x == 40)": "true",
    "A (x == 6) R (x < 7)": "true",
    "E (x == 5) M (x < 6)": "true",
    "A (x < 3) W (x == 3)": "true",
    "!E (x < 3) W (x == 7)": "true",
    "EF (y == 2 && EG x == 6)": "true",
    "EG x >= 0": "true",
    "x / y == 1 || AX x / y == 1": "false",
    "!(x / y == 1) || EX !(x / y == 1)": "false",
}
MODEL = """
gal w {
  int x = 0; int y = 0;
  transition up [x < 6] { x = x + 1; }
  transition turn [x == 6 && y < 2] { x = 3; y = y + 1; }
  transition spin [x == 4 && y == 1] { y = 1; }
  transition flip [x == 5] { y = 2; }
}
main w;
"""


def test_every_operator_has_the_meaning_of_the_reference() -> None:
    """Undefined atoms do not hold, nor do their negations; paths are those of the reference."""
    w = model(MODEL)
    properties = asked(w, *FORMULAS)
    for infinite in (False, True):
        local = check(w, properties, tuning=LOCAL, infinite=infinite)
        reference = check(w, properties, engine="reference", infinite=infinite)
        assert [a.verdict for a in local] == [a.verdict for a in reference]
        if not infinite:
            assert [a.verdict for a in local] == list(FORMULAS.values())
            assert [a.witness is None for a in local] == [a.witness is None for a in reference]
        shown = [a.witness for a in local if a.witness is not None]
        assert all(a.replayed for a in local if a.witness is not None)
        if infinite:
            # No path that shows something ends in a deadlock.
            assert not any(w.loop == len(w.steps) for w in shown)
            assert any(w.loop is not None for w in shown)


def test_answers_are_shown_by_paths_through_what_was_seen() -> None:
    """On random models: whatever the reference can show, local search can; covers: I55"""
    shown = 0
    for seed in range(40):
        random = random_model(Seeded(seed), DEFAULT)
        made = Formulas(Seeded(seed), observed(random))
        properties = [Property(f"p{i}", kind="ctl", body=made.ctl(3)) for i in range(4)]
        try:
            reference = check(random, properties, engine="reference", budget=Budget(states=300))
        except (InputError, LimitReached):
            continue
        if any(a.verdict == "unknown" for a in reference):
            continue
        local = check(random, properties, tuning=LOCAL)
        for mine, theirs in zip(local, reference, strict=True):
            assert mine.verdict == theirs.verdict, (seed, mine.property)
            assert (mine.witness is None) == (theirs.witness is None), (seed, mine.property)
            assert mine.replayed == theirs.replayed
            shown += mine.replayed
    assert shown >= 20


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (Budget(states=1000), "states"),
        (Budget(memory=1), "memory"),
        (Budget(timeout=0.0), "timeout"),
    ],
)
def test_a_limit_leaves_the_answer_unknown(budget: Budget, reason: str) -> None:
    """covers: I146"""
    walk = model(WALK)
    (answer,) = check(walk, asked(walk, "AF x + y == 600"), tuning=LOCAL, budget=budget)
    assert (answer.verdict, answer.reason) == ("unknown", reason)


def test_an_interrupt_ends_it_and_nobody_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = model(WALK)

    def interrupted(self: Local, properties: list[Property], *_: object) -> list[Answer]:
        return [Answer(p, "unknown", "local", reason="interrupted") for p in properties]

    monkeypatch.setattr(Local, "check", interrupted)
    (answer,) = check(walk, asked(walk, "AF x + y == 600"))
    assert (answer.verdict, answer.reason) == ("unknown", "interrupted")


def test_the_explicit_engine_answers_ctl_and_the_portfolio_says_who_did() -> None:
    """covers: I143, I145"""
    walk = model(WALK)
    question = asked(walk, "EF (x == 3 && EX x == 4)")
    (explicit,) = check(walk, question, engine="explicit")
    (portfolio,) = check(walk, question)
    assert explicit.engine == portfolio.engine == "local"
    assert explicit.verdict == portfolio.verdict == "true"


def test_what_local_search_cannot_do_is_refused() -> None:
    walk = model(WALK)
    question = asked(walk, "AF x == 5")
    with pytest.raises(InputError, match="explicit states"):
        check(walk, question, engine="symbolic", tuning=LOCAL)
    with pytest.raises(InputError, match="fairness"):
        check(walk, question, tuning=LOCAL, fair=[parse_formula("atom: x == 1", walk).body])  # type: ignore[list-item]
    with pytest.raises(InputError, match="diagrams"):
        check(walk, question, engine="explicit", tuning=Tuning(ctl="backward"))


def test_a_deep_formula_needs_no_deep_stack() -> None:
    """covers: I52"""
    lamp = model("gal lamp { int on = 0; transition press { on = 1 - on; } } main lamp;")
    deep = parse_formula("EX " * 4_001 + "on == 1", lamp, name="deep")
    (answer,) = check(lamp, [deep], tuning=Tuning(ctl="local", witnesses=False))
    assert answer.verdict == "true"


def test_guided_search_goes_where_the_goal_is() -> None:
    """A net whose first events lead away from the goal, and measures that lead to it."""
    net = entry("kanban").build(3)
    texts = [
        "EF (" + " && ".join(['enabled("' + e.title + '")']) + " && EX true)"
        for e in net.types[0].events[:3]
    ]  # type: ignore[union-attr]
    found = check(net, asked(net, *texts), tuning=LOCAL)
    assert all(a.verdict == "true" for a in found)


def test_a_table_that_makes_no_sense_is_an_ordinary_error() -> None:
    program = _core.Program()
    true, one = program.truth(True), program.const(1)
    rows = [("condition", False, False, (), true)]
    with pytest.raises(ValueError, match="operand"):
        _core.local(program, [*rows, ("all", False, False, (1,), None)], [0])
    with pytest.raises(TypeError):
        _core.local(program, [("condition", False, False, (), one)], [0])
    with pytest.raises(ValueError, match="formula"):
        _core.local(program, [("since", False, False, (), None)], [])
    with pytest.raises(ValueError, match="two operands"):
        _core.local(program, [*rows, ("until", False, False, (0,), None)], [])
    with pytest.raises(IndexError):
        _core.local(program, rows, [1])
    found = _core.local(program, rows, [0])
    assert found.verdicts == [True]
    with pytest.raises(IndexError):
        found.truth(1, 0)
    with pytest.raises(IndexError):
        found.state(1)


def test_turns_end_with_the_first_answer() -> None:
    """Diagrams are not built when local search has answered everything."""
    walk = model(WALK)
    told: list[str] = []
    branching = Branching(
        Evidence(walk), "auto", Budget(), listen=lambda progress: told.append(progress.phase)
    )
    (answer,) = branching.check(asked(walk, "EF (x == 250 && AX x >= 250)"))
    assert answer.verdict == "true"
    assert "symbolic" not in told


def test_nobody_is_asked_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that overstays its turn is the last one."""
    walk = model(WALK)
    asked_of: list[str] = []

    def slow(self: GraphEngine, p: Property, waiting: int = 1) -> Answer:
        asked_of.append("graph")
        object.__setattr__(budget, "timeout", 0.0)
        return Answer(p, "unknown", "reference", reason="states")

    def local(self: Local, properties: list[Property], *_: object) -> list[Answer]:
        asked_of.append("local")
        return [Answer(p, "true", "local") for p in properties]

    budget = Budget(timeout=600.0)
    monkeypatch.setattr(GraphEngine, "check", slow)
    monkeypatch.setattr(Local, "check", local)
    (answer,) = Branching(Evidence(walk), "auto", budget).check(asked(walk, "AF x == 5"))
    assert (answer.verdict, answer.reason) == ("unknown", "timeout")
    assert asked_of == ["graph"]


def test_an_alarm_that_somebody_took_for_his_own_comes_again() -> None:
    met = 0
    with deadline(0.0):
        while met < 2:
            try:
                time.sleep(0.01)
            except LimitReached:
                met += 1
    assert met == 2
