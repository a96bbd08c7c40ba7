"""`--engine symbolic` answers LTL on any model, in each of its ways."""

import pytest

from plait.engines import Tuning, check
from plait.engines.symbolic.tuning import LTL_WAYS, STUTTERING_WAYS, LtlWay
from plait.lang import promela
from plait.lang.gal import parse
from plait.logic.parse import parse_formula

CIRCLE = """
gal circle {
  int x = 0;  array [2] seen = (0, 0);
  transition step [x < 5] { x = x + 1; seen[x % 2] = 1; }
  transition again [x == 5] { x = 2; }
  transition end [x == 3] { x = 6; }
}
"""
"""Not a net: an index is computed, and a run may end."""


@pytest.mark.parametrize("way", LTL_WAYS)
@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("F x == 2", "true"),
        ("F x == 6", "false"),
        ("G F x == 5 || F G x == 6", "true"),
        ("G (x == 3 -> F x == 2)", "false"),
        ("!(G F x == 4 && G F x == 2)", "false"),
        ("F G deadlock || G F x == 3", "true"),
        ("(seen[1] == 0) U (x == 1)", "true"),
    ],
)
def test_every_way_answers_and_shows_a_run_of_a_violation(
    way: LtlWay, text: str, verdict: str
) -> None:
    model = parse(CIRCLE, "circle.gal")
    asked = parse_formula(f"ltl: {text}", model)
    (answer,) = check(model, [asked], engine="symbolic", tuning=Tuning(ltl=way))
    assert answer.verdict == verdict
    assert answer.replayed == (verdict == "false")


def test_formulas_that_count_steps_are_left_open_by_what_cannot_count_alone() -> None:
    model = parse(CIRCLE, "circle.gal")
    asked = parse_formula("ltl: X X x == 2", model)
    for way in LTL_WAYS:
        (answer,) = check(model, [asked], engine="symbolic", tuning=Tuning(ltl=way))
        assert answer.verdict == ("unknown" if way in STUTTERING_WAYS else "true")


def test_diagrams_know_no_weak_fairness() -> None:
    text = """
        byte x, y;
        active proctype Loop() { do :: x = 1 - x od }
        active proctype Once() { y = 1 }
        ltl f { <> (y == 1) }
    """
    model = promela.parse(text, "starving.pml")
    asked = [p for p in model.properties if p.kind == "ltl"]
    (unfair,) = check(model, asked, engine="symbolic")
    assert unfair.verdict == "false"
    (answer,) = check(model, asked, engine="symbolic", weak=True)
    assert answer.verdict == "unknown"
    assert "weak fairness" in (answer.reason or "")
