"""Section "Formulas" of the list of hostile inputs: size, names, models with next to nothing."""

from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.hostile.child import honest, run

from plait import engines
from plait.lang.gal import parse
from plait.logic.parse import parse_formula

BASE = "gal g { int x; transition t [x < 2] { x += 1; } }\n"
MANY = 100_000
TOWER = 2_000
"""The tableau of a nest of untils is quadratic; 10,000 would need gigabytes."""

HUGE = {
    "! x 100,000": f"[invariant] : {'!' * MANY}(x < 5)",
    "!( x 100,000": f"[invariant] : {'!(' * MANY}x < 5{')' * MANY}",
    "( x 100,000": f"[invariant] : {'(' * MANY}x < 5{')' * MANY}",
    "- x 100,000": f"[invariant] : {'- ' * MANY}x >= 0",
    "X x 100,000": f"[ltl] : {'X ' * MANY}(x == 2)",
    "AX x 20,000": f"[ctl] : {'AX (' * 20_000}x == 2{')' * 20_000}",
    "a conjunction of 10^5 terms": f"[invariant] : {' && '.join(['x < 5'] * MANY)}",
    "a sum of 10^5 terms": f"[invariant] : {' + '.join(['x'] * MANY)} < 500000",
    "U nested to the right": f"[ltl] : {'(x < 5) U (' * TOWER}x == 2{')' * TOWER}",
    "U nested to the left": f"[ltl] : {'(' * TOWER}x < 5{') U (x < 5)' * TOWER}",
    "A U nested 2,000 deep": f"[ctl] : {'A (x < 5) U (' * TOWER}x == 2{')' * TOWER}",
}


@pytest.mark.parametrize("what", HUGE)
def test_a_huge_formula_is_answered(what: str, tmp_path: Path) -> None:
    """T20: every one of them holds."""
    model = tmp_path / "model.gal"
    model.write_text(f"{BASE}property p {HUGE[what]};\n")
    result = run(["check", model])
    honest(result)
    assert result.status == 0
    assert result.peak < 512 * 2**20


# Formula, then what it is where nothing ever happens, and where one event loops.
TRIVIAL: dict[str, tuple[bool, bool]] = {
    "deadlock": (False, True),
    "x == 0": (True, True),
    "reachable: x == 0": (True, True),
    "reachable: deadlock": (True, False),
    "never: x == 1": (True, True),
    "EX true": (False, True),
    "AX false": (True, False),
    "EG true": (True, True),
    "AF x == 1": (False, False),
    "AF x == 0": (True, True),
    "EF x == 0": (True, True),
    "A[x == 1 U x == 0]": (True, True),
    "E[x == 0 U x == 1]": (False, False),
    "A[true W x == 1]": (True, True),
    "AG EX true": (False, True),
    "EG EX true": (False, True),
    "AG AX true": (True, True),
    "E[true U deadlock]": (True, False),
    "EX E[true U x == 0]": (False, True),
    "E[EX x == 0 U x == 1]": (False, False),
    "AX E[x == 1 U x == 1]": (True, False),
    "X x == 0": (True, True),
    "X X X deadlock": (True, False),
    "G F x == 0": (True, True),
    "F x == 1": (False, False),
    "x == 0 U x == 1": (False, False),
    "x == 0 W x == 1": (True, True),
    "x == 1 R x == 0": (True, True),
    "x == 1 M x == 0": (False, False),
    "x == 0 M x == 0": (True, True),
    "G !deadlock": (False, True),
}


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("formula", TRIVIAL)
def test_a_model_without_events_and_one_that_only_loops(formula: str, engine: str) -> None:
    still, looping = TRIVIAL[formula]
    for text, expected in [
        ("gal g { int x; }", still),
        ("gal g { int x; transition t [false] { x = 1; } }", still),
        ("gal g { int x; transition t [1 / x == 1] { x = 1; } }", still),
        ("gal g { int x; transition t [x == 0] { } }", looping),
        ("composite c { p q; } gal p { int x; transition t [true] { x = x; } } main p;", looping),
    ]:
        model = parse(text, "model.gal")
        (answer,) = engines.check(model, [parse_formula(formula, model)], engine=engine)
        assert answer.verdict == ("true" if expected else "false"), text


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        # x counts 0, 1, 2; from 1 there is also a dead end with y = 1.
        ("AF deadlock", True),
        ("AG (deadlock -> x == 2)", False),
        ("EF (deadlock && y == 1)", True),
        ("AX AX deadlock", True),
        ("EX EX EX true", False),
        ("AX AX AX false", True),
        ("EG x <= 2", True),
        ("EG EX true", False),
        ("E[x < 2 U deadlock]", True),
        ("A[x < 2 U deadlock]", True),
        ("A[x < 2 U x == 2]", False),
        ("A[x < 2 W x == 2]", True),
        ("F G deadlock", True),
        ("G F x == 2", False),
        ("F (x == 2 || y == 1)", True),
        ("X X G deadlock", True),
        ("X X X X x == 1", False),
        ("G (x == 1 -> X (x == 2 || G y == 1))", True),
        ("(y == 0) U (deadlock)", True),
        ("(y == 0) U (deadlock && y == 0)", False),
    ],
)
def test_paths_that_end_are_maximal_and_runs_repeat_their_last_state(
    formula: str, expected: bool, engine: str
) -> None:
    model = parse(
        "gal g { int x; int y; transition t [x < 2 && y == 0] { x += 1; }"
        " transition d [x == 1 && y == 0] { y = 1; } }",
        "model.gal",
    )
    (answer,) = engines.check(model, [parse_formula(formula, model)], engine=engine)
    assert answer.verdict == ("true" if expected else "false")


@pytest.mark.parametrize(
    "name",
    [
        "true",
        "U",
        "G",
        "E",
        "deadlock",
        'with "quotes"',
        "a b",
        "\N{SNOWMAN}",
        "\u202eleft",
        "",
        "&&",
    ],
)
def test_a_place_may_have_any_name(plait: Command, tmp_path: Path, name: str) -> None:
    """Names reach formulas quoted; the ids of a net may be whatever XML allows."""
    from xml.sax.saxutils import quoteattr

    path = tmp_path / "net.pnml"
    path.write_text(
        '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n"'
        ' type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
        f"<place id={quoteattr(name)}><initialMarking><text>1</text></initialMarking></place>"
        "</page></net></pnml>",
        encoding="utf-8",
    )
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    result = plait("check", path, "-f", f'"{quoted}" == 1', "-f", f'AF "{quoted}" == 1')
    if name == "":
        assert result.status == 2
        assert "error: " in result.err
    else:
        assert (result.status, result.err) == (0, "")
        assert plait("states", path).status == 0
        copy = tmp_path / "copy.gal"
        assert plait("convert", path, "--to", "gal", "-o", copy).status in {0, 2}


HALVES = ["", " ", "(", ")", "!", "U", "G", "AG", "x ==", "x = = 1", "1", "x", "x == 1 ==", "E"]
HALVES += ["A[x == 1]", "A[x U]", "x == \x00", "\ud800", "x == 99999999999", "[] <>"]


@pytest.mark.parametrize("text", HALVES)
def test_half_a_formula_is_refused_at_its_place(plait: Command, tmp_path: Path, text: str) -> None:
    model = tmp_path / "model.gal"
    model.write_text(BASE)
    result = plait("check", model, "-f", text)
    assert result.status == 2
    assert "<formula>:1:" in result.err
