"""Small random programs, and ways to explore them, for the tests of partial exploration."""

from collections.abc import Iterator
from functools import cache

from plait.engines import Budget, Tuning, states
from plait.engines.formulas import prepare_formulas
from plait.engines.partial.engine import PartialEngine, Run
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tuning import PartialTuning
from plait.lang.milestones import parse
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.types import Model, Property
from plait.reference import Semantics
from plait.testing.choices import Choices, Seeded
from plait.testing.random_milestones import program

SMALL = 120
"""The most states of a model that the reference judges here."""


def partial(
    variant: int = 1, keep: str | None = None, rule: str = "local", order: str = "auto"
) -> Tuning:
    return Tuning(strategy="partial", order=order, partial=PartialTuning(variant, keep, rule))


def runs(model: Model, *goals: str) -> Run:
    """A model in diagrams, for one who explores by hand."""
    asked = [parse_formula(f"reachable: {goal}", model) for goal in goals]
    prepared, conditions = prepare_formulas(model, asked, Budget())
    engine = PartialEngine(Symbolic(model, tuning=partial()))
    return Run(engine, prepared, conditions, Budget(), None)


def goal_of(run: Run) -> Formula:
    """The first goal, in terms of the flat model."""
    body = run.prepared.properties[0].body
    assert isinstance(body, Formula)
    return body


@cache
def small_models() -> tuple[Model, ...]:
    """Random programs that are small enough to be judged, and not too small to be reduced."""
    found = []
    for seed in range(80):
        model = parse(program(Seeded(seed), open_values=3, nonlinear=15).text())
        size = states(model, budget=Budget(states=SMALL + 1)).states
        if 12 <= size <= SMALL:
            found.append(model)
    return tuple(found)


class _Formulas:
    """Random CTL without X over the variables of a program."""

    def __init__(self, choices: Choices, model: Model) -> None:
        self.choices = choices
        names = list(Semantics(model).cells)
        self.names = [n for n in names if n.startswith("g")] * 3 + [
            n for n in names if not n.startswith(("init", "old"))
        ]

    def formula(self, depth: int) -> str:
        c = self.choices
        if depth == 0 or c.chance(15):
            name = c.pick(self.names)
            return f"{name} {c.pick(['==', '!=', '>'])} {c.integer(0, 2)}"
        a, b = self.formula(depth - 1), self.formula(depth - 1)
        return c.pick(
            [
                f"EF ({a})",
                f"EG ({a})",
                f"AG ({a})",
                f"AF ({a})",
                f"E[({a}) U ({b})]",
                f"A[({a}) U ({b})]",
                f"(({a}) && ({b}))",
                f"(({a}) || ({b}))",
                f"!({a})",
            ]
        )


def questions(model: Model, seed: int, count: int) -> Iterator[Property]:
    writer = _Formulas(Seeded(seed), model)
    for number in range(count):
        yield parse_formula(f"ctl: {writer.formula(3)}", model, name=f"q{number}")
