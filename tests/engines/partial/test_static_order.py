"""Static partial-order reduction: a program with fewer states and the same formulas without X."""

import random
from pathlib import Path

import pytest
from tests.cli.command import Command

from plait import passes
from plait.engines import Budget, check, states
from plait.engines.partial.static import static_order
from plait.lang import load
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.logic.walk import conditions
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.models import producers_consumers
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

EXAMPLES = Path(__file__).parents[3] / "examples" / "milestones"
FORMS = (
    "G F ({p})",
    "F G ({p})",
    "({p}) U ({q})",
    "G (({p}) -> F ({q}))",
    "F (({p}) && F ({q}))",
    "(G F ({p})) -> (G F ({q}))",
    "G (({p}) W ({q}))",
)


def reduced(model: Model, text: str) -> tuple[Model, Property, Model]:
    """The flat model, the property of it, and the smaller program."""
    flat = passes.flat(model, reduce=False).model
    prop = asked(flat, text)
    assert isinstance(prop.body, Formula)
    return flat, prop, static_order(flat, conditions(prop.body))


def asked(model: Model, text: str) -> Property:
    return parse_formula(f"ltl: {text}", model, name=text)


def test_the_smaller_program_satisfies_the_same_formulas() -> None:
    """covers: M100"""
    smaller = 0
    verdicts = []
    for seed in range(1, 45):
        model = parse(program(Seeded(seed), open_values=0, nonlinear=15).text())
        if not 8 <= states(model, budget=Budget(states=81)).states <= 80:
            continue
        dice = random.Random(seed)
        names = [n for n in Semantics(model).cells if n.startswith(("g", "p"))]
        p, q = (f"{dice.choice(names)} == {dice.randrange(2)}" for _ in range(2))
        flat, prop, less = reduced(model, FORMS[seed % len(FORMS)].format(p=p, q=q))
        whole, part = (states(m, engine="explicit").states for m in (flat, less))
        assert part <= whole
        smaller += part < whole
        expected = Semantics(flat).check(prop).verdict
        assert Semantics(less).check(prop).verdict == expected, (seed, prop.name)
        verdicts.append(expected)
    assert smaller >= 3
    assert 2 <= verdicts.count("true") <= len(verdicts) - 2


def test_producers_and_consumers_need_few_states_in_any_engine() -> None:
    model = producers_consumers(2)
    flat, prop, less = reduced(model, "G F (buffer > 1)")
    assert states(flat, engine="symbolic").states == 51_859
    few = states(less, engine="explicit").states
    assert few < 1_000
    assert states(less, engine="symbolic").states == few
    for engine in ("explicit", "symbolic"):
        assert check(less, [prop], engine=engine)[0].verdict == "false"


def test_the_command_writes_the_smaller_program(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = Command(capsys)
    source, target = EXAMPLES / "producers-consumers.mil", tmp_path / "less.gal"
    line = ("convert", source, "--to", "gal", "-o", target)
    assert command(*line, "--static", "G F (buffer > 1)").status == 0
    less = load(target)
    assert states(less, engine="explicit").states < 1_000
    (answer,) = check(less, [asked(less, "G F (buffer > 1)")])
    assert (answer.verdict, answer.replayed) == ("false", True)
    refused = command(*line, "--static", "G X (buffer > 1)")
    assert refused.status == 2
    assert "can tell a state from its repetition" in refused.err
