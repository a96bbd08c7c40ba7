"""CTL under fairness constraints: only paths on which they hold again and again count."""

from dataclasses import replace

import pytest
from tests.engines.symbolic.test_ctl import GENERAL, NETS

from plait import parse
from plait.engines import Tuning, check
from plait.engines.symbolic.tuning import CTL_WAYS
from plait.errors import InputError
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_formulas import Formulas
from plait.testing.random_models import model as random_model
from plait.testing.random_models import observed

LAMP = """
gal lamp {
  int on = 0; int broken = 0;
  transition press { on = 1 - on; }
  transition rest [on == 0] { on = 0; }
  transition break [on == 1] { on = 2; broken = 1; }
}
main lamp;
"""
"""It can rest dark for ever, be pressed for ever, or break, after which nothing happens but
pressing (which leaves the range 0..1 and comes back)."""


def condition(model: Model, text: str) -> Formula:
    body = parse_formula(f"reachable: {text}", model).body
    assert isinstance(body, Formula)
    return body


@pytest.mark.parametrize("engine", ["reference", "symbolic", "auto"])
@pytest.mark.parametrize(
    ("formula", "fair", "verdict"),
    [
        ("AF on == 1", [], "false"),
        ("AF on == 1", ["on == 1"], "true"),
        ("AF on == 1", ["on == 0"], "false"),
        ("EG on == 0", ["on == 0"], "true"),
        ("EG on == 0", ["on == 1"], "false"),
        ("EG on <= 1", ["on == 0", "on == 1"], "true"),
        ("AG AF on == 0", ["on == 0", "on == 1"], "true"),
        ("EF broken == 1", ["broken == 0"], "false"),
        ("EF broken == 1", [], "true"),
        ("AG broken == 0", ["broken == 0"], "true"),
        ("EX on == 1", ["on == 5"], "false"),
        ("AX on == 7", ["on == 5"], "true"),
    ],
)
def test_only_fair_paths_count(engine: str, formula: str, fair: list[str], verdict: str) -> None:
    """covers: S121"""
    model = parse(LAMP).model
    asked = parse_formula(f"ctl: {formula}", model)
    constraints = [condition(model, text) for text in fair]
    (answer,) = check(model, [asked], engine=engine, fair=constraints)
    assert answer.verdict == verdict
    assert answer.witness is None or not fair


def test_a_deadlock_repeats_and_is_fair_where_it_satisfies_the_constraints() -> None:
    model = parse("gal g { int x = 0; transition t [x < 2] { x = x + 1; } } main g;").model
    asked = [parse_formula(f"ctl: {f}", model) for f in ("EG x >= 0", "EF x == 1", "EX x == 1")]
    for engine in ("reference", "symbolic"):
        for text, verdict in (("x == 2", "true"), ("x == 1", "false")):
            answers = check(model, asked, engine=engine, fair=[condition(model, text)])
            assert [a.verdict for a in answers] == [verdict] * 3


def test_fairness_is_refused_for_what_is_not_ctl() -> None:
    model = parse(LAMP).model
    with pytest.raises(InputError, match="fairness is for CTL"):
        check(model, [parse_formula("ltl: G on <= 2", model)], fair=[condition(model, "on == 1")])


@pytest.mark.parametrize("mix", [NETS, GENERAL], ids=["nets", "programs"])
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_fair_verdicts_on_diagrams_are_those_of_the_reference(mix, first: int) -> None:
    compared = different = 0
    for seed in range(first, first + 20):
        model = random_model(Seeded(seed), mix)
        try:
            Semantics(model).reachable(150)
        except Exception:
            continue  # too large, or it goes wrong when it is executed
        formulas = Formulas(Seeded(seed), observed(model))
        fair = [formulas.state(1) for _ in range(1 + seed % 2)]
        asked = [Property(f"p{i}", kind="ctl", body=formulas.ctl(1 + i % 3)) for i in range(4)]
        plain = check(model, asked, engine="reference")
        expected = check(model, asked, engine="reference", fair=fair)
        for way in CTL_WAYS[seed % 2 :: 2]:
            tuning = replace(Tuning(), ctl=way)
            found = check(model, asked, engine="symbolic", fair=fair, tuning=tuning)
            assert [a.verdict for a in found] == [a.verdict for a in expected], (seed, way)
        compared += len(asked)
        different += sum(a.verdict != b.verdict for a, b in zip(plain, expected, strict=True))
    assert compared >= 30
    assert different >= 1


@pytest.mark.parametrize("mix", [NETS, GENERAL], ids=["nets", "programs"])
def test_verdicts_about_infinite_paths_are_those_of_the_reference(mix) -> None:
    compared = different = 0
    for seed in range(100, 130):
        model = random_model(Seeded(seed), mix)
        try:
            Semantics(model).reachable(150)
        except Exception:
            continue  # too large, or it goes wrong when it is executed
        formulas = Formulas(Seeded(seed), observed(model))
        asked = [Property(f"p{i}", kind="ctl", body=formulas.ctl(1 + i % 3)) for i in range(4)]
        plain = check(model, asked, engine="reference")
        expected = check(model, asked, engine="reference", infinite=True)
        for way in CTL_WAYS[seed % 2 :: 2]:
            tuning = replace(Tuning(), ctl=way)
            found = check(model, asked, engine="symbolic", infinite=True, tuning=tuning)
            assert [a.verdict for a in found] == [a.verdict for a in expected], (seed, way)
            assert all(a.replayed for a in found if a.witness is not None)
        compared += len(asked)
        different += sum(a.verdict != b.verdict for a, b in zip(plain, expected, strict=True))
    assert compared >= 30
    assert different >= 1 or mix is GENERAL
