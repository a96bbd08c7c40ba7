"""Steps that an undefined operation swallowed are told by every engine in the same words."""

import pytest

from plait.engines import check, states
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.types import Property

SOURCE = """
gal quotients {
  int x = 0; int y = 0; array [2] t = (0, 0);
  transition divide [x < 3] { y = 6 / x; x += 1; }
  transition start [x == 0] { x = 1; }
  transition store [x >= 1 && y < 9] { t[x] = 1; y = 9; }
}
"""
EXPECTED = (
    "event divide: 1 step left out, where an operation is undefined "
    "(division by zero, an index outside its array, a shift beyond 31)",
    "event store: 4 steps left out, where an operation is undefined "
    "(division by zero, an index outside its array, a shift beyond 31)",
)


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_a_count_tells_the_steps_that_were_left_out(engine: str) -> None:
    assert states(parse(SOURCE, "quotients"), engine=engine).notes == EXPECTED


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_an_answer_tells_the_steps_that_were_left_out(engine: str) -> None:
    """The replay of a witness executes steps again and counts nothing twice.

    The search ends when it has its answer, so the question is one that needs every state.
    """
    model = parse(SOURCE, "quotients")
    bounds = parse_formula("bounds: x", model)
    answers = check(model, [Property("free", kind="deadlock"), bounds], engine=engine)
    assert [a.verdict for a in answers] == ["false", "true"]
    assert [a.notes for a in answers] == [EXPECTED, EXPECTED]


def test_a_model_without_undefined_steps_has_no_notes() -> None:
    model = parse("gal m { int x = 0; transition t [x < 3] { x += 1; } }", "m")
    assert states(model, engine="reference").notes == ()
