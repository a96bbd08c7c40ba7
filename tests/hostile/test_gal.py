"""Section "GAL and friends" of the list of hostile inputs: the right answer, or a located error.

Every row is asked of both engines; where a figure stands, it was worked out by hand.
"""

from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.hostile.child import honest, run

from plait import engines
from plait.engines import Budget
from plait.errors import InputError
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.model.validate import validate

Figures = tuple[int, int, int]

LEAST, MOST = -(2**31), 2**31 - 1
ENGINES = ("auto", "reference")
PART = """gal g { int x; transition t [x < 2] label "a" { x += 1; }
  transition u [x > 0] label "b" { x -= 1; } transition v [x == 2] { x = 0; } }
"""


def _figures(text: str, engine: str) -> Figures:
    model = parse(text, "model.gal")
    assert [d for d in validate(model) if d.severity == "error"] == []
    space = engines.states(model, engine=engine, budget=Budget(timeout=60))
    assert space.complete
    assert space.arcs is not None
    assert space.deadlocks is not None
    return space.states, space.arcs, space.deadlocks


def _bounds(model: Model, engine: str, expression: str) -> tuple[object, object]:
    asked = parse_formula(f"bounds: {expression}", model)
    (answer,) = engines.check(model, [asked], engine=engine, budget=Budget(timeout=60))
    assert answer.verdict == "true"
    return answer.stats.get("min"), answer.stats.get("max")


# What, the model, and its states, arcs and deadlocks.
COUNTED: dict[str, tuple[str, Figures]] = {
    "no transition": ("gal g { int x; }", (1, 0, 1)),
    "nothing at all": ("gal g { }", (1, 0, 1)),
    "a composite of nothing": ("composite c { } main c;", (1, 0, 1)),
    "an array of no instances": (PART + "composite c { g [0] p; } main c;", (1, 0, 1)),
    "a scalar set of nobody, where all agree": (
        PART + 'scalar s [0] of g { synchronization y { all."a"; } } main s;', (1, 1, 0)),
    "a ring of nobody": (
        PART + 'circular s [0] of g { synchronization y { next."a", "b"; } } main s;', (1, 0, 1)),
    "a ring of one is its own neighbour": (
        PART + 'circular s [1] of g { synchronization y { next."a", "b"; }'
        ' synchronization k { any."a"; } } main s;', (3, 5, 0)),
    "a ring of two": (
        PART + 'circular s [2] of g { synchronization y { next."a", "b"; }'
        ' synchronization k { any."a"; } } main s;', (9, 26, 0)),
    "an empty range has no copy": (
        "typedef r = 1 .. 0; gal g { int x; transition t (r $i) [x == 0] { x = $i; } }", (1, 0, 1)),
    "a loop over an empty range does nothing": (
        "typedef r = 1 .. 0; gal g { int x;"
        " transition t [x == 0] { x = 1; for ($i : r) { abort; } } }", (2, 1, 1)),
    "an index out of range in a state that is never reached": (
        "gal g { int x; array [2] a; transition t [x < 2] { a[x] = 1; x += 1; }"
        " transition u [x == 5] { a[x] = 1; } }", (3, 2, 1)),
    "an index out of range in a reached state has no successor": (
        "gal g { int x; array [2] a; transition t [x < 9] { a[x] = 1; x += 1; } }", (3, 2, 1)),
    "an array without cells": (
        "gal g { int x; array [0] a; transition t [x == 0] { a[x] = 1; }"
        " transition u [a[x] == 0] { x = 1; } transition v [x == 0] { x = 2; } }", (2, 1, 1)),
    "a hotbit that leaves its range in a step is an integer like others": (
        "typedef r = 0 .. 3; gal g { hotbit(r) int x = 2;"
        " transition t [x < 7] { x = x + 1; } }", (6, 5, 1)),
    "an if without a defined condition": (
        "gal g { int x; int y; transition u [x == 0] { x = 1; }"
        " transition t [y == 0] { if (1 / x == 1) { y = 1; } else { y = 2; } } }", (3, 2, 1)),
    "neither a guard nor its negation": (
        "gal g { int x; int y; transition t [!(1 / x == 1) && y == 0] { y = 1; }"
        " transition u [1 / x == 1 && y == 0] { y = 2; }"
        " transition v [y == 0 && !(x != 0 && 1 / x == 1)] { y = 3; } }", (2, 1, 1)),
    "a call with a side effect before an abort": (
        'gal g { int x; int y; transition t [x < 3] { x += 1; self."a"; y += 1; }'
        ' transition a1 [x == 1] label "a" { y = 5; }'
        ' transition a2 [x == 2] label "a" { y = 9; abort; }'
        ' transition a3 [x >= 2] label "a" { x += 1; } }', (3, 2, 1)),
    "negative arguments of labels": (
        'typedef r = -2 .. 1; gal g { int x; transition t (r $i) [x == 0] label "l" ($i * 3)'
        ' { x = $i; } transition c [x == 0] { self."l"(-6); }'
        ' transition d [x == 0] { self."l"(3 - 6); } transition e [x == 0] { self."l"(7); } }',
        (3, 2, 2)),
    "an argument that wraps around": (
        'gal g { int x; transition t [x == 0] label "l" (-2147483648) { x = 1; }'
        ' transition c [x == 0] { self."l"(2147483647 + 1); } }', (2, 1, 1)),
    "an argument that is undefined": (
        'typedef r = -1 .. 1; gal g { int x; transition t (r $i) [true] label "l" (6 / $i)'
        ' { x = $i; } transition c (r $j) [true] { self."l"(6 / $j); } }', (3, 6, 0)),
    "a transient dead end disappears": (
        "gal g { int x; transition a [x == 0] { x = 1; } transition b [x == 0] { x = 2; }"
        " TRANSIENT = x == 1; }", (2, 1, 1)),
    "transient in the middle of a body is not looked at": (
        'gal g { int x; transition a [x == 0] { x = 1; x = 5; } transition b [x == 1] { x = 2; }'
        ' transition c [x == 5] { self."l"; x += 1; } transition l [x == 5] label "l" { x = 1; }'
        ' TRANSIENT = x == 1; }', (3, 2, 1)),
    "an undefined transient is none": (
        "gal g { int x; int y = 1; transition a [x < 3] { x += 1; y = 1 - y; }"
        " TRANSIENT = 1 / y == 1 && x > 0; }", (3, 2, 1)),
    "parts settle by themselves": (
        "gal g { int x; transition a [x == 0] { x = 1; } transition b [x == 1] { x = 2; }"
        " TRANSIENT = x == 1; } composite c { g p; g q; } main c;", (4, 4, 1)),
    "a transient part called from a composite settles before the next call": (
        'gal g { int x; transition a [x == 0] label "a" { x = 1; } transition s [x == 1] { x = 2; }'
        ' transition z [x == 2] label "b" { x = 3; } TRANSIENT = x == 1; }'
        ' composite c { g p; synchronization w { p."a"; p."b"; } } main c;', (2, 1, 1)),
    "elapse of the main type is a step": (
        'gal g { int x; transition t [x < 2] label "elapse" { x += 1; } }', (3, 2, 1)),
    "elapse of a part is none": (
        'gal g { int x; transition t [x < 2] label "elapse" { x += 1; } }'
        ' composite c { g p; } main c;', (1, 0, 1)),
    "elapse with an argument is another label": (
        'gal g { int x; transition t [x < 2] label "elapse" (1) { x += 1; } }', (1, 0, 1)),
    "two alternatives with one effect are one arc": (
        'gal g { int x; transition t [x == 0] label "a" { x = 1; }'
        ' transition t2 [x == 0] label "a" { x = 1; } transition u [x == 0] { self."a"; } }',
        (2, 1, 1)),
    "the least fixpoint": (
        'gal g { int x; transition t [x == 0] { fixpoint { self."i"; } }'
        ' transition i0 [true] label "i" { } transition i1 [x < 4] label "i" { x += 1; } }',
        (5, 5, 4)),
    "a fixpoint that empties": (
        "gal g { int x; transition t [x < 2] { x += 1; fixpoint { abort; } }"
        " transition u [x == 0] { x = 2; } }", (2, 1, 1)),
    "wrapping around": (
        "gal g { int x = 2147483647; transition t [x > 0] { x += 1; }"
        " transition u [x < 0] { x -= 1; } }", (2, 2, 0)),
    "a parameter hides a constant": (
        "$i = 5; typedef r = 0 .. 2; gal g { int x; transition t (r $i) [x == 0] { x = $i; }"
        " transition u [x == 0] { x = $i; } }", (4, 4, 3)),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", COUNTED)
def test_a_strange_model_is_counted_rightly(what: str, engine: str) -> None:
    text, expected = COUNTED[what]
    assert _figures(text, engine) == expected


# What is computed into y (x is 0), and the least and greatest y then; None where there is no step.
COMPUTED: dict[str, int | None] = {
    "1 / x": None,
    "1 % x": None,
    f"({LEAST}) / (x - 1)": LEAST,
    f"({LEAST}) % (x - 1)": 0,
    f"(x - {MOST} - 1) / (x - 1)": LEAST,
    f"(x - {MOST} - 1) * (x - 1)": LEAST,
    f"- (x - {MOST} - 1)": LEAST,
    "-7 / (x + 2)": -3,
    "-7 % (x + 2)": -1,
    "7 % (x - 2)": 1,
    "1 << (x + 31)": LEAST,
    "1 << (x + 32)": None,
    "1 << (x - 1)": None,
    "1 >> (x + 32)": None,
    "1 >> (x - 1)": None,
    f"({LEAST}) >> (x + 31)": -1,
    f"{MOST} + 1 + x": LEAST,
    f"({LEAST}) - 1 + x": MOST,
    "2 ** (x + 31)": LEAST,
    "2 ** (x + 32)": 0,
    "2 ** (x - 1)": None,
    "x ** x": 1,
    "~x": -1,
    "65536 * (65536 + x)": 0,
    "(1 / x == 1) + 1": None,
    "(x == 0 || 1 / x == 1) + 1": 2,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("expression", COMPUTED)
def test_the_edges_of_arithmetic(expression: str, engine: str) -> None:
    expected = COMPUTED[expression]
    text = f"gal g {{ int x; int y; transition t [y == 0] {{ y = {expression}; }} }}"
    low, high = _bounds(parse(text, "model.gal"), engine, "y")
    assert (low, high) == (min(0, expected or 0), max(0, expected or 0))
    if expected != 0:
        assert _figures(text, engine)[:2] == ((1, 0) if expected is None else (2, 1))


REFUSED: dict[str, tuple[str, str]] = {
    "a fixpoint with two branches that oscillate": (
        'gal g { int x; transition t [x < 1] { fixpoint { self."a"; } }'
        ' transition p [x == 0] label "a" { x = 1; } transition q [x == 1] label "a" { x = 0; } }',
        "1:39"),
    "a fixpoint whose set comes back": (
        "gal g { int x; transition t [x < 1] { fixpoint { x = 1 - x; } } }", "1:39"),
    "a fixpoint that never settles": (
        "gal g { int x; transition t [x < 1] { fixpoint { x += 1; } } }", "1:39"),
    "a transient predicate that is always true": (
        "gal g { int x; transition t [x == 0] { x = 1; } TRANSIENT = true; }", "1:61"),
    "a cycle of transient states": (
        "gal g { int x; transition t [x < 5] { x = x + 1; } transition u [x == 5] { x = 1; }"
        " TRANSIENT = x > 0; }", "1:97"),
    "a hotbit that begins out of range": (
        "typedef r = 0 .. 3; gal g { hotbit(r) int x = 7; }", "1:43"),
    "contradictory initial values": ("gal g { array [2] a = (1, 2, 3); }", "1:19"),
    "mutual recursion of labels": (
        'gal g { transition t [true] label "a" { self."b"; }'
        ' transition u [true] label "b" { self."a"; } }', "1:85"),
    "a type that contains itself": ("composite c { c p; } main c;", "1:"),
    "10^9 copies of an event": (
        "typedef r = 1 .. 1000; gal g { int x;"
        " transition t (r $i, r $j, r $k) [x == 0] { x = $i + $j + $k; } }", "1:50"),
    "10^9 rounds of a loop": (
        "typedef r = 1 .. 1000000000; gal g { int x; transition t { for ($i : r) { x += 1; } } }",
        "1:"),
    "10^9 cells": ("gal g { array [1000000000] a; }", "1:16"),
    "an array of -1": ("gal g { array [-1] a; }", "1:16"),
    "2^31 as a constant": ("gal g { int x = 2147483648; }", "1:17"),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("what", REFUSED)
def test_a_model_that_goes_wrong_is_refused_at_its_place(what: str, engine: str) -> None:
    text, place = REFUSED[what]

    def ask() -> None:
        model = parse(text, "model.gal")
        errors = [d for d in validate(model) if d.severity == "error"]
        if errors:
            raise InputError(*errors)
        engines.states(model, engine=engine, budget=Budget(timeout=60))

    with pytest.raises(InputError) as refused:
        ask()
    first = refused.value.diagnostics[0]
    assert str(first.span).removeprefix("model.gal:").startswith(place), first.render()


def _deep(levels: int) -> str:
    types = "".join(f"composite t{i + 1} {{ t{i} p; }}\n" for i in range(levels))
    return f"gal t0 {{ int x; transition t [x == 0] {{ x = 1; }} }}\n{types}main t{levels};\n"


def _calls(count: int) -> str:
    events = "\n".join(f'transition a{i} [true] label "l" {{ x = {i + 1}; }}' for i in range(count))
    return f'gal g {{ int x; transition t [x == 0] {{ self."l"; }}\n{events} }}'


def _star(count: int) -> str:
    events = "\n".join(f"transition a{i} [x == 0] {{ x = {i + 1}; }}" for i in range(count))
    return f"gal g {{ int x;\n{events} }}"


def _index(levels: int) -> str:
    nested = "a[" * levels + "0" + "]" * levels
    return f"gal g {{ array [3] a = (1, 2, 0); int x; transition t [x == 0] {{ x = {nested}; }} }}"


def _assigned_index(levels: int) -> str:
    nested = "a[" * levels + "0" + "]" * levels
    body = f"{nested} = 1; x = 1;"
    return f"gal g {{ array [3] a = (1, 2, 0); int x; transition t [x == 0] {{ {body} }} }}"


HUGE = {
    "a hierarchy of 9,999 levels": (_deep(9_999), 0, "2"),
    "a hierarchy of 10^5 levels": (_deep(100_000), 2, "nested deeper than 10000 levels"),
    "a label with 50,000 alternatives": (_calls(50_000), 0, "50,001"),
    "a star of 10,000 events": (_star(10_000), 0, "10,001"),
    "an array of 10^6 cells": (
        "gal g { array [1000000] a; int i; transition t [i < 3] { a[i] = 1; i += 1; } }", 0, "4"),
    "an index 1,000 deep": (_index(1_000), 0, "2"),
    "an index 1,000 deep that is assigned": (_assigned_index(1_000), 0, "2"),
    "2^100 parts": (
        "gal t0 { int x; }\n"
        + "".join(f"composite t{i + 1} {{ t{i} p; t{i} q; }}\n" for i in range(100))
        + "main t100;", 0, "1"),
    "all of 1,000 events are dead": (
        "gal g { int x;"
        + "".join(f"transition a{i} [x == {i + 1}] {{ x = 7; }}\n" for i in range(1000))
        + "}", 0, "1"),
    "a diameter of 10^6": (
        "gal g { int x; transition a [x < 1000000] { x += 1; } }", 0, "1,000,001"),
}  # fmt: skip


@pytest.mark.parametrize("what", HUGE)
def test_what_is_only_large_is_answered_or_refused(what: str, tmp_path: Path) -> None:
    text, status, expected = HUGE[what]
    model = tmp_path / "model.gal"
    model.write_text(text)
    result = run(["states", model])
    honest(result)
    assert result.status == status
    if status == 0:
        assert result.out.splitlines()[0].split() == ["states", expected]
    else:
        assert expected in result.out + result.err
    assert result.peak < 512 * 2**20


def test_a_deadlock_without_any_event_says_so(plait: Command, tmp_path: Path) -> None:
    model = tmp_path / "model.gal"
    model.write_text("gal g { }")
    result = plait("check", model)
    assert result.status == 1
    assert "there is no event that could be executed" in result.out
