"""Conditions in the middle of a body, asked before it."""

from dataclasses import replace

import pytest

from plait.engines import states
from plait.errors import ModelError
from plait.lang.gal import parse
from plait.model.text import show
from plait.model.types import Domain, ElementaryType, Model
from plait.passes import flat

VARIABLES = "int x = 0; int y = 0; int z = 0; int r = 0; array [3] a = (0, 0, 0);"
MOVE = """transition move [x + y < 9] { x = x + 1; y = x * 2; z = y; a[x % 3] = z; }
    transition turn [r == 0] { r = 3; }"""
STOP = "{ } else { abort; }"


def bounded(text: str) -> Model:
    """A model with the event; r is from 0 to 3."""
    model = parse(f"gal M {{ {VARIABLES} {MOVE} {text} }}", "m")
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    variables = (replace(v, domain=Domain(0, 3)) if v.name == "r" else v for v in type_.variables)
    return replace(model, types=(replace(type_, variables=tuple(variables)),))


def event(text: str) -> tuple[list[str], int]:
    """The guard of the event, and how many statements are left of its body."""
    model = bounded(text)
    found = [e for e in flat(model).model.system.events if e.name == "e"]
    assert len(found) <= 1
    return ([show(g) for g in found[0].guard], len(found[0].body)) if found else (["false"], 0)


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        # In terms of the values at the beginning.
        (f"x = y + 1; if (x == 5) {STOP} z = 1;", ["y == 4"]),
        (f"x = y; y = x + z; if (y == 5) {STOP} z = 1;", ["y + z == 5"]),
        (f"a[1] = y; if (a[1] == 5) {STOP} z = 1;", ["y == 5"]),
        (f"a[1] = y; if (a[2] == 5) {STOP} z = 1;", ["a[2] == 5"]),
        # Which cell was written is not known.
        (f"a[x] = y; if (a[1] == 5) {STOP} z = 1;", []),
        (f"a[1] = y; if (a[x] == 5) {STOP} z = 1;", []),
        # A later condition may go before one that stays.
        (f"a[x] = y; if (a[1] == 5) {STOP} if (y == 2) {STOP} z = 1;", ["y == 2"]),
    ],
)
def test_a_condition_is_asked_in_terms_of_the_values_before_the_body(
    text: str, guard: list[str]
) -> None:
    found, _ = event(f"transition e [true] {{ {text} }}")
    assert found == guard


def test_opposite_comparisons_are_always_and_never_true() -> None:
    found, left = event(f"transition e [x == 1 || x != 1] {{ if (y < 2 && y >= 2) {STOP} z = 1; }}")
    assert (found, left) == (["false"], 0)
    found, left = event("transition e [x == 1 || x != 1] { z = 1; }")
    assert (found, left) == ([], 1)


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        # Sure to stay in the domain of r: by its range, and by the guard.
        (f"[x > 0] {{ r = x & 3; if (z == 1) {STOP} }}", ["x > 0", "z == 1"]),
        (f"[r < 3] {{ r = r + 1; if (r == 2) {STOP} }}", ["r < 3", "r == 1"]),
        # Perhaps an error, which must be found whether or not the condition holds.
        (f"[x > 0] {{ r = x; if (z == 1) {STOP} }}", ["x > 0"]),
        (f"[r < 4] {{ r = r + 1; if (r == 2) {STOP} }}", ["r < 4"]),
    ],
)
def test_no_condition_moves_before_what_may_be_an_error(text: str, guard: list[str]) -> None:
    found, _ = event(f"transition e {text}")
    assert found == guard


def test_an_error_before_a_condition_that_never_holds_is_still_found() -> None:
    model = bounded(f"transition e [x == 2] {{ r = x + 5; if (z == 77) {STOP} z = 1; }}")
    for engine in ("explicit", "reference"):
        with pytest.raises(ModelError, match="outside its domain"):
            states(model, engine=engine)
