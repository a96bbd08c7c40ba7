"""T18: a variable may be called like an operator, and a formula about it is still read back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plait.lang.gal.printer import KEYWORDS
from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Release, Until
from plait.logic.parse import parse_formula
from plait.model.expr import And, Binary, Compare, Const, Deadlock, Formula, Not, Unary, Var
from plait.model.text import show
from plait.model.types import CompositeType, ElementaryType, Instance, Model, Variable

Z, ONE = Var("z"), Const(1)


def conditions(x: Var) -> Iterator[Formula]:
    """The variable first, last, alone, negated, and where a condition of its name could stand."""
    yield Compare("==", x, ONE)
    yield Compare("<", ONE, x)
    yield Compare(">=", Unary("-", x), x)
    yield Compare("!=", Binary("+", x, Z), Binary("-", Z, x))


def formulas(x: Var) -> Iterator[tuple[str, Formula]]:
    other = Compare("==", Z, ONE)
    for c in conditions(x):
        yield "invariant", c
        yield "never", Not(c)
        yield "reachable", And((c, other))
        yield "invariant", And((Deadlock(), c, Deadlock()))
        yield "ctl", Forall(Globally(c))
        yield "ctl", Exists(Until(c, other))
        yield "ctl", Forall(Release(c, Not(c)))
        yield "ltl", Until(c, Next(c))
        yield "ltl", Finally(And((other, c)))


@pytest.mark.parametrize("name", sorted(KEYWORDS))
def test_a_formula_about_a_variable_of_any_name_is_read_back(name: str) -> None:
    model = Model("g", (ElementaryType("g", variables=(Variable(name), Variable("z"))),), "g")
    for kind, formula in formulas(Var(name)):
        written = f"{kind}: {show(formula)}"
        found = parse_formula(written, model)
        assert (found.kind, found.body) == (kind, formula), written


def test_a_part_of_that_name_goes_before_a_kind_of_property() -> None:
    inner = ElementaryType("g", variables=(Variable("x"),))
    whole = CompositeType("c", instances=(Instance("never", "g"),))
    found = parse_formula("never:x == 1", Model("c", (inner, whole), "c"))
    assert found.kind == "invariant"
