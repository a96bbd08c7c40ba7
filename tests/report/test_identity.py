"""The identity of a counterexample: kept by edits that change nothing, lost by those that do."""

from __future__ import annotations

from plait.engines import check
from plait.lang.dve import parse as parse_dve
from plait.lang.gal import parse as parse_gal
from plait.lang.promela import parse as parse_promela
from plait.lang.smv import parse as parse_smv
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.report.data import check_document
from plait.report.identity import identity

COUNTER = """\
gal counter {
  int x = 0;
  transition up [x < 3] { x += 1; }
  transition both [x == 3] { x = 0; }
}
property small [invariant] : x < 3;
"""
CROSSED = """\
byte x, y;
active proctype P() { x == 0 -> x = 1; y == 0 -> y = 1 }
active proctype Q() {
  y == 0 -> y = 1;
  x == 0 -> x = 1
}
"""
RENDEZVOUS = """\
chan c = [0] of { byte };
active proctype P() {
  c ! 1;
  assert(false)
}
active proctype Q() {
  c ? 1
}
"""
CHOICE = """\
MODULE main
VAR a : 0..2; b : boolean;
ASSIGN init(a) := 0; next(a) := {0, 1, 2}; init(b) := FALSE; next(b) := b | a = %s;
INVARSPEC !b
"""


def the_identity(model: Model, formula: str | None = None) -> str:
    asked = [parse_formula(formula, model)] if formula else None
    found = [a for a in check(model, asked, engine="explicit") if a.verdict == "false"]
    assert found[0].witness is not None
    return identity(found[0])


def test_the_same_counterexample_has_one_identity_wherever_it_stands() -> None:
    first = the_identity(parse_gal(COUNTER, "counter"))
    assert len(first) == 12
    moved = "// a comment\n\n" + COUNTER.replace("  transition both", "\n\n\ttransition both")
    assert the_identity(parse_gal(moved, "counter")) == first
    other = COUNTER.replace("int x = 0;", "int x = 0; int unrelated = 7;")
    assert the_identity(parse_gal(other, "counter")) == first
    sharper = COUNTER.replace(": x < 3", ": x < 3 && x >= 0")
    assert the_identity(parse_gal(sharper, "counter")) == first


def test_another_counterexample_has_another() -> None:
    first = the_identity(parse_gal(COUNTER, "counter"))
    others = [
        COUNTER.replace("x < 3;", "x < 2;"),
        COUNTER.replace("transition up", "transition more"),
        COUNTER.replace("property small", "property little"),
    ]
    found = {the_identity(parse_gal(text, "counter")) for text in others}
    assert len({first, *found}) == 4


def test_a_formula_without_a_name_is_known_by_its_text() -> None:
    model = parse_gal(COUNTER, "counter")
    assert the_identity(model, "x < 2") == the_identity(model, "x < 2")
    assert the_identity(model, "x < 2") != the_identity(model, "x != 2")


def test_a_loop_is_part_of_it() -> None:
    text = COUNTER.replace(
        "property small [invariant] : x < 3", "property again [ltl] : G F x == %s"
    )
    found = {the_identity(parse_gal(text % n, "counter")) for n in (7, 8)}
    assert len(found) == 1  # the same run violates both
    stuck = (text % 7).replace("transition both [x == 3] { x = 0; }", "")
    assert the_identity(parse_gal(stuck, "counter")) not in found


def test_statements_that_are_called_by_their_lines_may_move() -> None:
    for text in (CROSSED, RENDEZVOUS):
        first = the_identity(parse_promela(text, "m.pml"))
        assert the_identity(parse_promela("\n\n/* moved */\n" + text, "m.pml")) == first
        apart = text.replace("active proctype Q", "\n\n\nactive proctype Q")
        assert the_identity(parse_promela(apart, "m.pml")) == first
        spaced = text.replace("==", "  ==").replace("!", "  !")
        assert the_identity(parse_promela(spaced, "m.pml")) == the_identity(
            parse_promela(spaced.replace("  ", "\t "), "m.pml")
        )


def test_a_statement_that_reads_otherwise_is_another() -> None:
    first = the_identity(parse_promela(CROSSED, "m.pml"))
    assert the_identity(parse_promela(CROSSED.replace("byte x", "byte z, x"), "m.pml")) == first
    other = CROSSED.replace("-> x = 1;", "-> x = 2;")
    assert the_identity(parse_promela(other, "m.pml")) != first


def test_steps_without_titles_are_known_by_what_they_change() -> None:
    found = {the_identity(parse_smv(CHOICE % n, "m")) for n in (1, 2)}
    assert len(found) == 2
    assert the_identity(parse_smv("-- moved\n" + CHOICE % 1, "m")) in found


def test_the_document_has_it_where_there_is_a_trace() -> None:
    text = (
        "byte x; process P { state a; init a; trans a -> a { guard x < 2; effect x = x + 1; }; }\n"
    )
    model = parse_dve(text + "system async;", "m")
    asked = [parse_formula(f, model) for f in ("deadlock", "never: x == 5")]
    answers = check(model, asked)
    first, second = check_document("m", answers)["results"]
    assert first["id"] == identity(answers[0])
    assert "id" not in second
