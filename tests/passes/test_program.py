"""Compilation: the native program and the reference on the same flat models."""

from __future__ import annotations

import pytest
from rewriting import LIMIT, gal

from plait._core import Program, ProgramError
from plait.errors import InputError, PlaitError
from plait.logic.formula import Finally
from plait.model.expr import (
    TRUE,
    And,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Hop,
    IntExpr,
    Not,
    Or,
    Var,
)
from plait.model.node import Node
from plait.model.types import Model
from plait.passes import flat
from plait.program import Compiled, compile_model
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.mix import DEFAULT
from plait.testing.random_models import model as random_model


def compiled(text: str) -> Compiled:
    return compile_model(flat(gal(text)).model)


LONG = {4, 5}
"""Blocks with a model on which the reference takes seconds."""
BLOCKS = [pytest.param(b, marks=[pytest.mark.soak] * (b in LONG)) for b in range(10)]


@pytest.mark.parametrize("block", BLOCKS)
def test_native_successors_are_those_of_the_reference(block: int) -> None:
    """Arc by arc on random models, and every state formula in every state."""
    explored = 0
    for seed in range(block * 16, block * 16 + 16):
        try:
            model = flat(random_model(Seeded(seed), DEFAULT)).model
            semantics = Semantics(model)
            graph = semantics.reachable(LIMIT)
        except PlaitError:
            continue
        native = compile_model(model)
        assert native.program.initial() == graph.states[0]
        asked = [
            p.body for p in model.properties
            if p.body is not None and p.kind in ("reachable", "never", "invariant", "bounds")
        ]  # fmt: skip
        ids = [_compile(native, body) for body in asked]
        for state in graph.states[:300]:
            found = {(native.events[e].title, s) for e, s in native.program.successors(state)}
            assert found == set(semantics.successors(state))
            for body, number in zip(asked, ids, strict=True):
                assert native.program.evaluate(number, state) == _evaluate(semantics, body, state)
        explored += 1
    assert explored >= 10


def _compile(native: Compiled, body: Formula | IntExpr) -> int:
    return native.formula(body) if isinstance(body, Formula) else native.integer(body)


def _evaluate(
    semantics: Semantics, body: Formula | IntExpr, state: tuple[int, ...]
) -> bool | int | None:
    if isinstance(body, Formula):
        return semantics.truth(body, state)
    return semantics.value(body, state)


ERRORS = """gal M { int x = 0; int y = 0;
  transition pick1 [true] label "pick" { x = 1 - x; }
  transition a [y == 0] { y = 1; }
  transition b [y == 1] {
    fixpoint {
      self."pick";
    }
  } }"""


def test_an_error_of_the_model_is_located_at_its_statement() -> None:
    native = compiled(ERRORS)
    with pytest.raises(ProgramError) as caught:
        native.program.successors((0, 1))
    kind, event, statement, cell = caught.value.args
    assert (kind, native.events[event].title, cell) == ("fixpoint", "b", None)
    span = native.statement_span(statement)
    assert span is not None
    assert span.line == 5


def test_enabled_is_resolved_by_the_titles_of_the_events() -> None:
    native = compiled("""
        typedef r = 0..2;
        gal T { int x = 0; transition go (r $i) [x == $i && $i < 2] { x = $i + 1; } }
        composite C { T a; T b; }
        main C;
        """)
    evaluate = native.program.evaluate
    start = native.program.initial()
    assert evaluate(native.formula(Enabled(("a.go",))), start) is True
    assert evaluate(native.formula(Enabled(("a.go(0)",))), start) is True
    assert evaluate(native.formula(Enabled(("a.go(1)",))), start) is False
    assert evaluate(native.formula(Enabled(("a.g", "go", "nothing"))), start) is False
    assert evaluate(native.formula(Deadlock()), (2, 2)) is True
    assert len(native.titled("b.go")) == 2


def test_deep_and_wide_expressions_are_compiled() -> None:
    native = compiled("gal M { int x = 1; transition a [x < 3] { x = x + 1; } }")
    total: IntExpr = Var("x")
    for _ in range(100_000):
        total = Binary("+", total, Var("x"))
    assert native.program.evaluate(native.integer(total), (1,)) == 100_001
    wide = Or(tuple(Compare("==", Var("x"), Const(i)) for i in range(50_000)))
    assert native.program.evaluate(native.formula(Not(wide)), (60_000,)) is True
    assert native.program.evaluate(native.formula(And(())), (1,)) is True


@pytest.mark.parametrize(
    "node", [Finally(TRUE), Var("nowhere"), Var("x", None, (Hop("p"),))], ids=str
)
def test_what_has_no_value_in_a_state_is_refused(node: Node) -> None:
    native = compiled("gal M { int x = 1; transition a [x < 3] { x = x + 1; } }")
    with pytest.raises(InputError):
        native.integer(node)  # type: ignore[arg-type]


def test_only_flat_models_are_compiled() -> None:
    model: Model = gal("gal T { int x = 0; } composite C { T t; } main C;")
    with pytest.raises(ValueError, match="flat model"):
        compile_model(model)


def test_a_program_without_cells_has_one_state() -> None:
    native = compiled("gal M { int x = 3; }")
    assert native.program.initial() == ()
    assert native.program.successors(()) == []
    assert isinstance(native.program, Program)
