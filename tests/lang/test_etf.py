"""Tables of a transition relation in LTSmin's format are read, and asked in all logics."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from plait.engines import check, states
from plait.errors import InputError
from plait.lang import etf, load
from plait.logic.parse import parse_formula
from plait.model.types import ElementaryType, Model

SQUARES = """
begin state
x:side  y:_
end state
begin edge
name:action
end edge
begin init
0 0
end init
begin trans
0/1 * 0
1/0 1/1 2
end trans
begin map shape:shape
0 * square
* 1 round
1 * other
end map
begin trans
  *  0/1  "go up"
end trans
begin sort action
right
#6c656674#
end sort
begin sort side
first
second
end sort
"""


def system(model: Model) -> ElementaryType:
    (type_,) = model.types
    assert isinstance(type_, ElementaryType)
    return type_


def test_rows_are_events_with_the_names_of_their_labels() -> None:
    model = etf.parse(SQUARES, "squares")
    assert [e.title for e in system(model).events] == ["right", "2", "go up"]
    assert [v.name for v in system(model).variables] == ["x", "y"]
    space = states(model)
    assert (space.states, space.arcs, space.deadlocks) == (4, 5, 0)


@pytest.mark.parametrize("engine", ["explicit", "symbolic", "reference"])
def test_reachability_ctl_and_ltl_have_the_answers_of_the_table(
    engine: str, tmp_path: Path
) -> None:
    """covers: I138"""
    path = tmp_path / "squares.etf"
    path.write_text(SQUARES)
    model = load(path)
    expected = {
        "EF (x == 1 && y == 1)": "true",
        "AG (x == 0 || y == 0)": "false",
        "AG EF (x == 0 && y == 1)": "true",
        "AF y == 1": "true",
        "EF (shape_round && shape_square)": "false",
        "EF (shape_round && x == 1)": "true",
        "AG (shape_square || shape_round || shape_other)": "true",
        "ltl: F G x == 1": "false",
        "ltl: G (y == 1 -> G y == 1)": "true",
        "ltl: G (y == 1 && x == 1 -> F x == 0)": "true",
    }
    asked = [parse_formula(text, model) for text in expected]
    found = check(model, asked, engine=engine)
    assert [a.verdict for a in found] == list(expected.values())


def written(tables: Sequence[Sequence[Sequence[tuple[int, int] | None]]], width: int) -> str:
    """Tables as a file of the format."""
    lines = ["begin state", " ".join(f"v\\[{i}\\]:int" for i in range(width)), "end state"]
    lines += ["begin edge", "end edge", "begin init", " ".join("0" * width), "end init"]
    for table in tables:
        rows = (" ".join("*" if c is None else f"{c[0]}/{c[1]}" for c in row) for row in table)
        lines += ["begin trans", *rows, "end trans"]
    return "\n".join(lines)


def test_random_tables_have_the_states_that_their_rows_lead_to() -> None:
    """Elements of an array; the states are found here row by row.

    covers: I138
    """
    larger = 0
    for seed in range(30):
        random = Random(f"etf {seed}")
        width = random.randint(1, 4)
        tables = [
            [
                [
                    None if random.random() < 0.4 else (random.randrange(3), random.randrange(3))
                    for _ in range(width)
                ]
                for _ in range(random.randint(1, 8))
            ]
            for _ in range(random.randint(1, 4))
        ]
        reached, arcs, dead = {(0,) * width}, 0, 0
        waiting = list(reached)
        while waiting:
            state = waiting.pop()
            after = {
                tuple(v if c is None else c[1] for v, c in zip(state, row, strict=True))
                for table in tables
                for row in table
                if all(c is None or c[0] == v for v, c in zip(state, row, strict=True))
            }
            dead += not after
            arcs += len(after)
            waiting += after - reached
            reached |= after
        model = etf.parse(written(tables, width))
        assert [v.name for v in system(model).variables] == ["v"]
        for engine in ("explicit", "symbolic"):
            space = states(model, engine=engine)
            assert (space.states, space.deadlocks) == (len(reached), dead), (seed, engine)
        larger += len(reached) > 5
    assert larger > 8


def test_rows_that_change_the_same_are_one_event() -> None:
    rows = [[(0, 1), (a, a), (b, b)] for a in range(3) for b in range(3) if (a, b) != (2, 1)]
    model = etf.parse(written([rows], 3))
    (event,) = system(model).events
    assert len(event.body) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("begin state", "begin edge", "expected the section state"),
        ("x:side", "x", "a name and a sort"),
        ("0 0\nend init", "0 0 0\nend init", "one initial state is expected"),
        ("0 0\nend init", "0 a\nend init", "expected a number"),
        ("0/1 * 0", "0/1 0", "expected 3 columns, found 2"),
        ("0/1 * 0", "0-1 * 0", "a step like 2/3"),
        ("0/1 * 0", "0/99999999999 * 0", "expected a number"),
        ("begin init\n0 0\nend init\n", "", "the section 'init' is missing"),
        ("second\nend sort\n", "second\n", "does not end"),
        ("begin map shape:shape", "begin card shape:shape", "expected the section init"),
        ("y:_", "x:_", "two variables are named 'x'"),
    ],
)
def test_what_is_wrong_is_told_where_it_is(old: str, new: str, message: str) -> None:
    assert old in SQUARES
    with pytest.raises(InputError, match=message) as caught:
        etf.parse(SQUARES.replace(old, new, 1))
    assert caught.value.diagnostics[0].span is not None
