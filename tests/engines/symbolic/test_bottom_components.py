"""AG EF and EF AG by bottom components: against the reference, and where there are several."""

from dataclasses import replace

import pytest

from plait.engines import Budget, check
from plait.engines.evidence import Evidence
from plait.engines.symbolic.asking import Asking
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tuning import Tuning
from plait.logic.formula import Exists, Finally, Forall, Globally
from plait.logic.parse import parse_formula
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.report.answer import Answer
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model as random_model
from plait.testing.random_models import observed

NETS = replace(DEFAULT, kinds=((1, "net"),), properties=0)
GENERAL = replace(DEFAULT, kinds=((1, "gal"),), properties=0)
BOTTOM = "bottom components"


def asked_of(model: Model, seed: int) -> list[Property]:
    """Conditions, and formulas with operators of their own, that may happen again and again."""
    made = Formulas(Seeded(seed), observed(model))
    goals = [made.state(1), made.state(2), made.state(1), Exists(Globally(made.state(1)))]
    bodies = [Forall(Globally(Exists(Finally(f)))) for f in goals]
    bodies += [Exists(Finally(Forall(Globally(f)))) for f in goals]
    return [Property(f"p{i}", "ctl", body) for i, body in enumerate(bodies)]


@pytest.mark.parametrize("mix", [NETS, GENERAL], ids=["nets", "programs"])
@pytest.mark.parametrize("first", [0, 30])
def test_what_can_always_happen_again_is_as_the_reference_says(mix, first: int) -> None:
    compared = 0
    verdicts: set[tuple[bool, str]] = set()
    for seed in range(first, first + 30):
        model = random_model(Seeded(seed), mix)
        try:
            Semantics(model).reachable(400)
        except Exception:
            continue  # too large, or it goes wrong when it is executed
        asked = asked_of(model, seed)
        expected = check(model, asked, engine="reference")
        # Half of them with garbage collected all the time.
        tuning = Tuning(strict=1 if seed % 2 else None, witnesses=False)
        found = Symbolic(model, tuning=tuning).check(asked, Budget())
        assert [a.verdict for a in found] == [a.verdict for a in expected], seed
        assert {a.stats["ctl"] for a in found} == {BOTTOM}
        compared += 1
        verdicts |= {(i < 4, a.verdict) for i, a in enumerate(found)}
    assert compared >= 10
    assert len(verdicts) == 4


def fork() -> Model:
    """From the start into a ring that is left, two rings that are not, and two dead ends."""
    names = ["start", "a1", "a2", "b1", "b2", "c1", "c2", "d", "e"]
    arcs = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 3), (0, 5), (5, 6), (6, 5), (1, 7), (0, 8)]
    places = tuple(Place(name, int(name == "start")) for name in names)
    events = tuple(NetEvent(f"t{x}{y}", ((x, 1),), ((y, 1),)) for x, y in arcs)
    return as_model(Net("fork", places, events))


def test_each_bottom_component_is_looked_at() -> None:
    model = fork()
    texts = {
        "AG EF (b1 == 1 || c1 == 1 || d == 1 || e == 1)": "true",
        "AG EF (b1 == 1 || c1 == 1 || d == 1)": "false",
        "AG EF (b1 == 1 || c1 == 1 || e == 1)": "false",
        "AG EF (b1 == 1 || d == 1 || e == 1)": "false",
        "AG EF (c1 == 1 || d == 1 || e == 1)": "false",
        "EF AG b1 + b2 == 1": "true",
        "EF AG b1 == 1": "false",
        "EF AG a1 + a2 == 1": "false",
        "EF AG d == 1": "true",
    }
    asked = [parse_formula(text, model, name=text) for text in texts]
    found = check(model, asked, engine="symbolic", tuning=Tuning(witnesses=False))
    assert {a.property.name: a.verdict for a in found} == texts
    assert {a.stats["ctl"] for a in found} == {BOTTOM}


def test_where_all_states_lead_to_each_other_there_is_one_component() -> None:
    places = (Place("a", 2), Place("b"))
    events = (NetEvent("ab", ((0, 1),), ((1, 1),)), NetEvent("ba", ((1, 1),), ((0, 1),)))
    model = as_model(Net("ring", places, events))
    texts = ["AG EF a == 2", "AG EF b == 2", "AG EF b == 3", "EF AG a + b == 2"]
    asked = [parse_formula(text, model, name=text) for text in texts]
    found = check(model, asked, engine="symbolic")
    assert [a.verdict for a in found] == ["true", "true", "false", "true"]


def test_a_question_alone_has_its_own_fixpoints() -> None:
    model = fork()
    asked = [parse_formula("AG EF b1 == 1", model)]
    (found,) = check(model, asked, engine="symbolic", tuning=Tuning(witnesses=False))
    assert (found.verdict, found.stats["ctl"]) == ("false", "auto")


def test_what_somebody_else_has_answered_is_not_asked() -> None:
    model = fork()
    asked = [parse_formula(text, model) for text in ("EX a1 == 1", "AF d == 1", "EG start == 1")]
    told: list[Answer] = []
    found = Symbolic(model, Evidence(model)).check(
        asked, Budget(), tell=told.append, wanted=lambda p: p is not asked[1]
    )
    assert [a.verdict for a in found] == ["true", "unknown", "false"]
    assert found[1].reason == "answered"
    assert [a.property for a in told] == [asked[0], asked[2]]
    assert all("states" in a.stats for a in told)


def test_a_question_ends_when_somebody_else_answers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The diagrams tell their progress, and hear then that the answer is not wanted any more."""
    model = fork()
    asked = [parse_formula(text, model) for text in ("EX a1 == 1", "AF d == 1")]
    open_ = {id(p) for p in asked}
    asking: list[Asking] = []
    made = Asking.__init__

    def init(self: Asking, *arguments: object) -> None:
        made(self, *arguments)  # type: ignore[arg-type]
        answer = self.questions.answer

        def slow(p: Property, flat: Property, show: Budget | None) -> Answer:
            if p is asked[0]:
                open_.discard(id(p))
                hear = self.questions.diagrams.listen
                assert hear is not None
                hear(None)  # type: ignore[arg-type]
            return answer(p, flat, show)

        monkeypatch.setattr(self.questions, "answer", slow)
        asking.append(self)

    monkeypatch.setattr(Asking, "__init__", init)
    found = Symbolic(model, Evidence(model)).check(
        asked, Budget(), lambda _: None, wanted=lambda p: id(p) in open_
    )
    assert [a.verdict for a in found] == ["unknown", "false"]
    assert len(asking) == 1
