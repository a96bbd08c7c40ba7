"""Static partial-order reduction: a program with fewer states and the same formulas without X."""

from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.engines.partial.smaller_programs import asked, compare, reduced

from plait import passes
from plait.automata.propositions import is_defined, is_total
from plait.engines import check, states
from plait.engines.partial.static import static_order
from plait.lang import load
from plait.lang.dve import parse as parse_dve
from plait.logic.parse import parse_formula
from plait.model.expr import Binary, Compare, Const, Var
from plait.model.shape import shape_of
from plait.model.stmt import Assign
from plait.models import producers_consumers
from plait.reference import Semantics

CHOICE = """
byte c; byte done;
process A {
  state r, s, t1, t2, u; init r;
  trans r -> s { effect c = 1; }, s -> t1 {}, s -> t2 {},
    t1 -> u { effect done = 1; }, t2 -> u { effect done = 2; };
}
process B { state s, t; init s; trans s -> t { effect c = 2; }; }
system async;
"""
"""Once B has moved, A may still choose."""
UNDEFINED = """
byte c; byte d;
process A {
  byte a; byte z = 0; byte f[2]; state r, s, t; init r;
  trans r -> s { effect c = 1; }, s -> t { effect a = 1 / z; };
}
process B { state s, t; init s; assert t : not A.s; trans s -> t { effect d = 1; }; }
system async;
"""
"""A is stuck at s, since there is no step without a value."""
EXAMPLES = Path(__file__).parents[3] / "examples" / "milestones"


def test_the_smaller_program_satisfies_the_same_formulas() -> None:
    """covers: M100"""
    compare(static_order, range(1, 45), about=("g", "p"), nonlinear=15)


def test_producers_and_consumers_need_few_states_in_any_engine() -> None:
    model = producers_consumers(2)
    flat, less = reduced(model, "G F (buffer > 1)", static_order)
    assert states(flat, engine="symbolic").states == 51_859
    few = states(less, engine="explicit").states
    assert few < 1_000
    assert states(less, engine="symbolic").states == few
    for engine in ("explicit", "symbolic"):
        assert check(less, [asked(less, "G F (buffer > 1)")], engine=engine)[0].verdict == "false"


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


@pytest.mark.parametrize("option", ["--static", "--compress"])
def test_a_formula_of_ctl_does_not_see_choices_made_too_early(
    option: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "choice.dve", tmp_path / "less.gal"
    source.write_text(CHOICE)
    for value in (1, 2):
        text = f"EF (c == {value} && done == 0 && EF (done == 1) && EF (done == 2))"
        line = ("convert", source, "--to", "gal", "-o", target, option, text)
        assert Command(capsys)(*line).status == 0
        for model in (load(source), load(target)):
            assert Semantics(model).check(parse_formula(text, model)).verdict == "true"


@pytest.mark.parametrize("option", ["--static", "--compress"])
@pytest.mark.parametrize("effect", ["a = 1 / z", "f[z + 2] = 1"])
def test_nobody_waits_for_a_step_that_has_no_value(
    option: str, effect: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "undefined.dve", tmp_path / "less.gal"
    source.write_text(UNDEFINED.replace("a = 1 / z", effect))
    for text in ("F (c == 1)", "F (d == 1)"):
        line = ("convert", source, "--to", "gal", "-o", target, option, text)
        assert Command(capsys)(*line).status == 0
        for model in (load(source), load(target)):
            assert Semantics(model).check(asked(model, text)).verdict == "true", text


@pytest.mark.parametrize("option", ["--static", "--compress"])
def test_properties_that_the_smaller_program_was_not_made_for_are_left_out(
    option: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "both.dve", tmp_path / "less.gal"
    source.write_text(UNDEFINED.replace("a = 1 / z", "a = 1"))
    line = ("convert", source, "--to", "gal", "-o", target, option)
    written = Command(capsys)(*line, "F (d == 1)")
    assert written.status == 0
    assert "warning: property 'B.t-assert' is left out" in written.err
    assert load(target).properties == ()
    written = Command(capsys)(*line, "never: A.s && B.t")
    assert written.err == ""
    less = load(target)
    (answer,) = check(less, less.properties)
    assert (answer.property.name, answer.verdict) == ("B.t-assert", "false")


def test_what_has_a_value_where_it_is_looked_up() -> None:
    """A constant index may come from a parameter, so it need not be one of a cell."""
    flat = passes.flat(parse_dve(UNDEFINED), reduce=False).model
    shape = shape_of(flat)
    for index, defined in ((1, True), (2, False), (-1, False)):
        condition = Compare("==", Var("A.f", Const(index)), Const(0))
        assert is_defined(condition, shape=shape) is defined
        assert is_total(Assign(Var("A.f", Const(index)), Const(0)), shape) is defined
    divided = [Binary(op, Var("A.z"), Const(by)) for op in "/%" for by in (0, 2)]
    found = [is_total(Assign(Var("A.a"), e), shape) for e in divided]
    assert found == [False, True, False, True]
