"""Random programs of Milestones and formulas without X, for what makes programs smaller."""

import random
from collections.abc import Callable, Sequence

from plait import passes
from plait.engines import Budget, states
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.logic.walk import conditions
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

FORMS = (
    "G F ({p})",
    "F G ({p})",
    "({p}) U ({q})",
    "G (({p}) -> F ({q}))",
    "F (({p}) && F ({q}))",
    "(G F ({p})) -> (G F ({q}))",
    "G (({p}) W ({q}))",
)
Smaller = Callable[[Model, Sequence[Formula]], Model]
"""Makes a smaller program that the conditions of a formula cannot tell from a flat one."""


def asked(model: Model, text: str) -> Property:
    return parse_formula(f"ltl: {text}", model, name=text)


def reduced(model: Model, text: str, make: Smaller) -> tuple[Model, Model]:
    """The flat model, and the smaller program for a formula."""
    flat = passes.flat(model, reduce=False).model
    body = asked(flat, text).body
    assert isinstance(body, Formula)
    return flat, make(flat, conditions(body))


def compare(make: Smaller, seeds: range, about: tuple[str, ...], nonlinear: int) -> None:
    """Random programs keep their formulas about variables with such names; some get smaller."""
    fewer = 0
    verdicts = []
    for seed in seeds:
        model = parse(program(Seeded(seed), open_values=0, nonlinear=nonlinear).text())
        if not 8 <= states(model, budget=Budget(states=81)).states <= 80:
            continue
        dice = random.Random(seed)
        names = [n for n in Semantics(model).cells if n.startswith(about)]
        p, q = (f"{dice.choice(names)} == {dice.randrange(2)}" for _ in range(2))
        text = FORMS[seed % len(FORMS)].format(p=p, q=q)
        flat, less = reduced(model, text, make)
        whole, part = (states(m, engine="explicit").states for m in (flat, less))
        assert part <= whole
        fewer += part < whole
        expected, found = (Semantics(m).check(asked(m, text)).verdict for m in (flat, less))
        assert found == expected, (seed, text)
        verdicts.append(expected)
    assert fewer >= 3
    assert 2 <= verdicts.count("true") <= len(verdicts) - 2
