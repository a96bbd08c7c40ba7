"""Automata in the formats of the field, HOA and never claims: read, written, refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from words import accepts, random_automaton, random_formula, random_word

from plait.automata import Arc, Automaton, satisfying, violating
from plait.automata.files import read_claim
from plait.automata.hoa import read_hoa, write_hoa
from plait.automata.never import read_never, write_never
from plait.automata.stutter import is_stutter_closed
from plait.automata.translate import Translation, of_claim
from plait.cli.main import run as plait
from plait.errors import InputError
from plait.lang.gal import parse
from plait.logic.formula import NeverClaim
from plait.logic.parse import parse_formula
from plait.model.expr import Formula

BITS = parse(
    "gal bits { int b0 = 0; int b1 = 0; int b2 = 0; transition t { b0 = 1; } } main bits;", "bits"
)
P = "b0 == 1"
Q = "b1 == 1"


def formula(text: str) -> Formula:
    body = parse_formula(f"ltl: {text}", BITS).body
    assert isinstance(body, Formula)
    return body


def same(claim: NeverClaim, translation: Translation, choice: random.Random, words: int) -> None:
    """A claim accepts the words that an automaton does."""
    read = of_claim(claim)
    for _ in range(words):
        word = random_word(choice, 5, 3)
        assert accepts(read, word) == accepts(translation, word), word


@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_and_read_again_accepts_the_same_words(seed: int) -> None:
    """covers: A6, I58"""
    choice = random.Random(seed)
    body = random_formula(choice, choice.randint(2, 7), 3)
    found = (violating if seed % 2 else satisfying)(body)
    hoa = write_hoa(found.automaton, found.conditions, "random")
    same(read_hoa(hoa, BITS), found, choice, 60)
    never = write_never(found.automaton, found.conditions, "random")
    same(read_never(never, BITS), found, choice, 60)


@pytest.mark.parametrize("seed", range(40))
def test_random_automata_with_several_acceptance_sets_survive_both_formats(seed: int) -> None:
    """covers: A6"""
    choice = random.Random(seed)
    automaton = random_automaton(choice, 4, 2)
    conditions = (formula(P), formula(Q))
    found = Translation(automaton, conditions, True)
    same(read_hoa(write_hoa(automaton, conditions, "a"), BITS), found, choice, 60)
    same(read_never(write_never(automaton, conditions, "a"), BITS), found, choice, 60)


EVENTUALLY_P = """
HOA: v1 /* a comment /* in a comment */ */
tool: "hand" "1.0"
name: "F p"
States: 2
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 1 "b0 == 1"
properties: deterministic
Alias: @p 0
--BODY--
State: 0 "waiting"
[!@p] 0
[@p] 1
State: [t] 1 {0}
1
--END--
"""
STATE_LABELS = """
HOA: v1 States: 3 Start: 0 Start: 1 AP: 2 "b0 == 1" "b1 == 1" Acceptance: 2 Inf(0) & Inf(1)
--BODY--
State: [0 & !1] 0 {0} 1 2
State: [!0 & 1] 1 {1} 0 2
State: [!(0 | 1)] 2 2
--END--
"""
IMPLICIT = """
HOA: v1 States: 2 Start: 0 AP: 2 "b0 == 1" "b1 == 1" Acceptance: 1 Inf(0)
--BODY--
State: 0 0 1 0 1 {0}
State: 1 {0} 0 1 0 1
--END--
"""


def test_labels_may_be_on_states_on_arcs_or_implicit_and_have_names() -> None:
    """covers: A6"""
    choice = random.Random(3)
    same(read_hoa(EVENTUALLY_P, BITS), satisfying(formula(f"F {P}")), choice, 100)
    p, q = f"({P})", f"({Q})"
    alternating = (
        f"G F {p} && G F {q} && G ({p} <-> X {q}) && G ({q} <-> X {p}) && G ({p} <-> !{q})"
    )
    same(read_hoa(STATE_LABELS, BITS), satisfying(formula(alternating)), choice, 300)
    same(read_hoa(IMPLICIT, BITS), satisfying(formula(f"G F {p}")), choice, 100)


def test_acceptance_may_be_true_or_false_and_a_start_may_be_missing() -> None:
    """covers: I71"""
    text = 'HOA: v1 {} AP: 1 "b0 == 1" Acceptance: {} --BODY-- State: 0 [0] 0 --END--'
    choice = random.Random(4)
    always = satisfying(formula(f"G {P}"))
    never = satisfying(formula("false"))
    same(read_hoa(text.format("Start: 0", "0 t"), BITS), always, choice, 50)
    same(read_hoa(text.format("Start: 0", "2 (t & t)"), BITS), always, choice, 50)
    same(read_hoa(text.format("Start: 0", "0 f"), BITS), never, choice, 50)
    same(read_hoa(text.format("", "0 t"), BITS), never, choice, 50)


NEVER_SPIN = """
#define p (b0 == 1)
#define q (b1 == 1)
never  {    /* !([] (p -> <> q)) */
T0_init:
	do
	:: (! ((q)) && (p)) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (! ((q))) -> goto accept_S4
	od;
}
"""
NEVER_SAFETY = """
never { /* ![] p */
T0_init:
  if
  :: atomic { !(b0 == 1) -> assert(!(!(b0 == 1))) }
  :: else -> goto T0_init
  fi;
accept_all:
  skip
}
"""


def test_never_claims_of_other_tools_are_read() -> None:
    """covers: A6"""
    choice = random.Random(5)
    same(read_never(NEVER_SPIN, BITS), violating(formula(f"G ({P} -> F {Q})")), choice, 200)
    same(read_never(NEVER_SAFETY, BITS), violating(formula(f"G {P}")), choice, 200)
    text = "never { b0 == 1; if :: b1 == 1; :: b2 == 1 -> goto far fi; true; far: b0 == 0 }"
    wanted = f"{P} && X (({Q} && X X (b0 == 0)) || (b2 == 1 && X (b0 == 0)))"
    same(read_never(text, BITS), satisfying(formula(wanted)), choice, 400)
    text = "never { again: do :: b0 == 1 :: b1 == 1 -> break od; goto last; last: false }"
    same(read_never(text, BITS), satisfying(formula("false")), choice, 50)
    text = "never { accept_x: do :: b0 == 1 :: b1 == 1 -> break od }"
    same(read_never(text, BITS), satisfying(formula(f"{P} W {Q}")), choice, 200)


HEAD = 'HOA: v1 Start: 0 AP: 1 "b0 == 1" Acceptance: 1 Inf(0) '
BODY = "--BODY-- State: 0 [0] 0 {0} --END--"
BAD_HOA = {
    # text: what the message says
    "HOA: v2 " + BODY: "version 'v2'",
    "HOA: 1": "expected the version 'v1', found '1'",
    "HOA: v1": "expected a header item or '--BODY--', found the end",
    "HOA: v1 " + BODY: "the header has no 'Acceptance:'",
    HEAD + "HOA: v1 " + BODY: "'HOA:' stands at the beginning only",
    HEAD + "Frobnicate: 3 " + BODY: "header item 'Frobnicate:' is not known",
    HEAD + 'AP: 1 "b1 == 1" ' + BODY: "a second 'AP:'",
    HEAD + "Acceptance: 1 Inf(0) " + BODY: "a second 'Acceptance:'",
    HEAD + "States: 1 States: 1 " + BODY: "a second 'States:'",
    HEAD + "States: 0 " + BODY: "there is no state 0; there are 0",
    HEAD + "States: many " + BODY: "expected the number of states, found 'many'",
    HEAD + "States: 99999999999999999999 " + BODY: "too large a number",
    HEAD + "Start: 0&1 " + BODY: "begins in several states at once",
    HEAD + "Start: 7 " + BODY: "there is no state 7",
    HEAD + "Start: x " + BODY: "expected the number of a state",
    HEAD + "Alias: p 0 " + BODY: "expected a name such as '@a'",
    HEAD + "Alias: @p 0 Alias: @p !0 " + BODY: "'@p' has a meaning already",
    HEAD + "Alias: @p 1 " + BODY: "there is no proposition 1; there are 1",
    HEAD + "Alias: @p 0 & " + BODY: "expected the number of a proposition",
    HEAD + "Alias: @p (0 " + BODY: "expected ')'",
    'HOA: v1 AP: 2 "b0 == 1" Acceptance: 0 t ' + BODY: "2 propositions are announced, 1 follow",
    'HOA: v1 AP: 1 "b0 == 1" "b1 == 1" Acceptance: 0 t ' + BODY: "1 propositions are announced",
    'HOA: v1 AP: 2 "b0 == 1" "b0 == 1" Acceptance: 0 t ' + BODY: "is there twice",
    'HOA: v1 AP: 1 "b9 == 1" Acceptance: 0 t ' + BODY: 'in "b9 == 1": ',
    'HOA: v1 AP: 1 "b0 ==" Acceptance: 0 t ' + BODY: 'in "b0 ==": ',
    'HOA: v1 AP: 1 "b0" Acceptance: 0 t ' + BODY: 'in "b0": ',
    'HOA: v1 AP: 1 "F b0 == 1" Acceptance: 0 t ' + BODY: 'in "F b0 == 1": ',
    'HOA: v1 AP: 1 "" Acceptance: 0 t ' + BODY: 'in "": ',
    'HOA: v1 AP: 1 "b0 == 1 Acceptance: 0 t ' + BODY: "this string is not closed",
    "HOA: v1 Acceptance: 1 Fin(0) " + BODY: "acceptance with 'Fin'",
    "HOA: v1 Acceptance: 2 Inf(0) & (Fin(1) | Inf(1)) " + BODY: "acceptance with 'Fin'",
    "HOA: v1 Acceptance: 2 Inf(0) | Inf(1) " + BODY: "acceptance with '|'",
    "HOA: v1 Acceptance: 1 Inf(!0) " + BODY: "complement of a set",
    "HOA: v1 Acceptance: 1 Inf(1) " + BODY: "there is no acceptance set 1; there are 1",
    "HOA: v1 Acceptance: 1 Inf 0 " + BODY: "expected '('",
    "HOA: v1 Acceptance: 1 (Inf(0) " + BODY: "expected ')'",
    "HOA: v1 Acceptance: 1 Inf(0) & " + BODY: "expected 'Inf(n)' or 't'",
    "HOA: v1 Acceptance: 1 " + BODY: "expected 'Inf(n)' or 't'",
    "HOA: v1 Acceptance: 2000000000 t " + BODY: "2000000000 acceptance sets; 1000 are read",
    "HOA: v1 Acceptance: Inf(0) " + BODY: "expected the number of acceptance sets",
    HEAD + "--BODY-- [0] 0 --END--": "expected 'State:' or '--END--', found '['",
    HEAD + "--BODY-- State: --END--": "expected the number of a state",
    HEAD + "--BODY-- State: 0 State: 0 --END--": "state 0 is there already",
    HEAD + "--BODY-- State: 0 [1] 0 --END--": "there is no proposition 1",
    HEAD + "--BODY-- State: 0 [0] 1 --END--": "there is no state 1",
    HEAD + "--BODY-- State: 0 [0] 0&0 --END--": "leads to several states at once",
    HEAD + "--BODY-- State: 0 [0] {0} --END--": "expected the number of a state",
    HEAD + "--BODY-- State: 0 [0 0 --END--": "expected '&', '|' or ']'",
    HEAD + "--BODY-- State: 0 [] 0 --END--": "expected the number of a proposition",
    HEAD + "--BODY-- State: 0 [0 & | 0] 0 --END--": "expected the number of a proposition",
    HEAD + "--BODY-- State: 0 [@q] 0 --END--": "the alias '@q' has no meaning",
    HEAD + "--BODY-- State: 0 [0)] 0 --END--": "expected '&', '|' or ']', found ')'",
    HEAD + "--BODY-- State: 0 [0] 0 {1} --END--": "there is no acceptance set 1",
    HEAD + "--BODY-- State: 0 [0] 0 {0 --END--": "expected an acceptance set or '}'",
    HEAD + "--BODY-- State: 0 {x} [0] 0 --END--": "expected an acceptance set or '}'",
    HEAD + "--BODY-- State: [0] 0 [0] 0 --END--": "an arc has a label although its state has one",
    HEAD + "--BODY-- State: 0 [0] 0 0 --END--": "some arcs of this state have labels",
    HEAD + "--BODY-- State: 0 0 0 0 --END--": "has 3 arcs without labels",
    HEAD + "--BODY-- State: 0 [0] 0 --ABORT--": "given up",
    HEAD + "--BODY-- State: 0 [0] 0": "expected 'State:' or '--END--', found the end",
    HEAD + BODY + " HOA: v1": "something after the automaton",
    HEAD + "/* open " + BODY: "this comment is not closed",
    HEAD + "% " + BODY: "unexpected '%'",
    HEAD + "--BODIES-- " + BODY: "expected a header item or '--BODY--'",
}
BAD_NEVER = {
    "never": "expected '{', found the end",
    "never { x: skip": "expected ';' or '}', found the end",
    "never { x: skip } never { }": "something after the claim",
    "never { x: skip; x: skip }": "a second label 'x'",
    "never { if :: b0 == 1 -> goto y fi }": "there is no label 'y'",
    "never { goto x; x: goto x }": "these jumps lead nowhere",
    "never { if fi }": "expected '::'",
    "never { if :: b0 == 1 -> goto fi }": "expected a label",
    "never { if :: goto x fi; x: skip }": "a guard is needed before this 'goto'",
    "never { if :: b0 == 1 -> b1 = 2 fi }": "expected 'goto', 'break' or 'assert'",
    "never { if :: (b0 == 1 -> goto x fi; x: skip }": "this parenthesis is not closed",
    "never { if :: b9 == 1 -> goto x fi; x: skip }": 'in "b9 == 1": ',
    "never { if :: -> goto x fi; x: skip }": "expected a condition",
    "never { if :: b0 == 1 -> skip fi }": "a second guard",
    "never { do :: b0 == 1 fi }": "expected 'od'",
    "never { b0 = }": 'in "b0 =": ',
    "never { /* }": "this comment is not closed",
    'never { "x }': "this string is not closed",
    "#include <x>\nnever { skip }": "only '#define NAME text'",
    "never { if :: atomic { b0 == 1 -> goto x fi; x: skip }": "expected '}'",
}


@pytest.mark.parametrize("text", [*BAD_HOA, *BAD_NEVER])
def test_bad_automata_are_refused_with_a_place(text: str) -> None:
    """covers: A6"""
    lines = text.replace(" --BODY--", "\n--BODY--")
    with pytest.raises(InputError) as wrong:
        read_claim(lines, BITS, "bad.hoa")
    [diagnostic] = wrong.value.diagnostics
    assert (BAD_HOA | BAD_NEVER)[text] in diagnostic.message
    assert diagnostic.span is not None
    assert 1 <= diagnostic.span.line <= 1 + lines.count("\n")
    assert "bad.hoa:" in diagnostic.render()


def test_there_are_many_bad_inputs_and_other_texts_are_no_automata() -> None:
    assert len(BAD_HOA) > 60
    for text in ("", "gal g {}", "neverland {}", "/* HOA: v1 */"):
        with pytest.raises(InputError, match="begins neither with"):
            read_claim(text, BITS, "x")


def test_long_labels_and_many_states_are_read_in_no_time() -> None:
    deep = "(" * 100_000 + "!" * 3 + "0" + ")" * 100_000
    text = f"{HEAD} --BODY-- State: 0 [{deep}] 0 {{0}} --END--"
    assert not of_claim(read_hoa(text, BITS)).has_next
    chain = "&".join(["0"] * 30_000)
    text = f"{HEAD} --BODY-- State: 0 [{chain}] 0 {{0}} --END--"
    assert len(of_claim(read_hoa(text, BITS)).automaton.arcs) == 1
    rows = " ".join(f"State: {i} [0] {(i + 1) % 20_000} {{0}}" for i in range(20_000))
    claim = read_hoa(f"{HEAD} --BODY-- {rows} --END--", BITS)
    assert len(claim.arcs) == 20_000


def test_a_condition_that_may_be_undefined_cannot_be_written_negated() -> None:
    body = formula("G (b0 / b1 == 1)")
    found = satisfying(body)
    assert "AP: 1" in write_hoa(found.automaton, found.conditions, "f")
    bad = violating(body)
    for write in (write_hoa, write_never):
        with pytest.raises(InputError, match="may be undefined"):
            write(bad.automaton, bad.conditions, "f")


def test_a_cell_of_an_array_is_written_negated_too() -> None:
    model = parse("gal g { array [2] a; transition t [a[0] == 0] { a[0] = 1; } }", "g.gal")
    body = parse_formula("ltl: G (a[0] == 1 -> F a[1] == 1)", model).body
    assert isinstance(body, Formula)
    found = violating(body)
    hoa = write_hoa(found.automaton, found.conditions, "f")
    assert "\nacc-name: Buchi\n" in hoa
    assert 'AP: 2 "a[0] == 1" "a[1] == 1"' in hoa.replace("!=", "==")
    assert "!" in hoa
    assert len(of_claim(read_hoa(hoa, model)).automaton.arcs) == len(found.automaton.arcs)


# --- repetition -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(80))
def test_an_automaton_that_is_closed_cannot_tell_a_state_from_its_repetition(seed: int) -> None:
    choice = random.Random(1000 + seed)
    automaton = random_automaton(choice, choice.randint(1, 3), 2)
    if seed % 2:
        automaton = _with_loops(automaton)
    if not is_stutter_closed(automaton):
        return
    found = Translation(automaton, (formula(P), formula(Q)), True)
    for _ in range(60):
        letters, loop = random_word(choice, 4, 3)
        place = choice.randrange(len(letters))
        longer = [*letters[: place + 1], *letters[place:]]
        after = loop + 1 if place < loop else loop
        assert accepts(found, (letters, loop)) == accepts(found, (longer, after))


def _with_loops(automaton: Automaton) -> Automaton:
    """What can be done at once can be done slowly."""
    rows = [
        (*row, *(Arc(a.positive, a.negative, q, 0) for a in row))
        for q, row in enumerate(automaton.arcs)
    ]
    return Automaton(tuple(rows), automaton.acceptances)


def test_claims_from_formulas_without_x_are_seen_to_be_closed_and_those_with_x_are_not() -> None:
    closed = 0
    for text in (f"G F {P}", f"F G {P}", f"G ({P} -> F {Q})", f"({P}) U ({Q})", f"G {P}"):
        found = violating(formula(text))
        closed += not of_claim(read_hoa(write_hoa(*_parts(found)), BITS)).has_next
        closed += not of_claim(read_never(write_never(*_parts(found)), BITS)).has_next
    assert closed == 10
    for text in (f"X {P}", f"G ({P} -> X {Q})", f"F ({P} && X {Q})", f"G ({P} <-> X !({P}))"):
        found = violating(formula(text))
        assert of_claim(read_hoa(write_hoa(*_parts(found)), BITS)).has_next
        assert of_claim(read_never(write_never(*_parts(found)), BITS)).has_next


def _parts(found: Translation) -> tuple[Automaton, tuple[Formula, ...], str]:
    return found.automaton, found.conditions, "f"


# --- the command line -----------------------------------------------------------------------------

LAMP = "gal lamp { int on = 0; transition t { on = 1 - on; } transition u { on = on; } } main lamp;"


def test_an_automaton_is_written_by_one_command_and_checked_by_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """covers: A6, A26"""
    model = tmp_path / "lamp.gal"
    model.write_text(LAMP)
    for text, status in (("G F (on == 1)", 1), ("G (on == 1 || on == 0)", 0), ("on == 1", 1)):
        assert plait(["check", str(model), "-f", f"ltl: {text}", "-q"]) == status
        for kind in ("hoa", "never"):
            file = tmp_path / f"claim.{kind}"
            command = ["automaton", str(model), "-f", text, "--to", kind, "-o", str(file)]
            assert plait(command) == 0
            assert plait(["check", str(model), "--claim", str(file), "-q"]) == status
    assert plait(["automaton", str(model), "-f", "G F (on == 1)", "--of", "runs"]) == 0
    written = capsys.readouterr().out
    assert "stutter-invariant" in written
    assert plait(["automaton", str(model), "-f", "X (on == 1)"]) == 0
    assert "stutter-invariant" not in capsys.readouterr().out
    assert plait(["automaton", str(model), "-f", "F (on == 1)", "--to", "dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")
    assert plait(["automaton", str(model), "-f", "AG (on == 1)"]) == 2
    assert "only LTL has automata" in capsys.readouterr().err
    (tmp_path / "bad.hoa").write_text("HOA: v1\nAcceptance: 1 Fin(0)\n--BODY--\n--END--\n")
    assert plait(["check", str(model), "--claim", str(tmp_path / "bad.hoa")]) == 2
    assert "bad.hoa:2:15: error: acceptance with 'Fin'" in capsys.readouterr().err
