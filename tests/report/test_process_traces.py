"""Traces of processes: statements of the text, who waits where; and where conditions are true."""

import re

import pytest

import plait
from plait.lang import promela
from plait.lang.gal import parse as parse_gal
from plait.report.text import check_lines

PHILOSOPHERS = """\
#define N 2
chan fork[N] = [1] of { bit };

proctype philosopher(byte i) {
  do
  :: fork[i]?1;
     fork[(i + 1) % N]?1;
     fork[i]!1; fork[(i + 1) % N]!1
  od
}

init {
  fork[0]!1; fork[1]!1;
  run philosopher(0); run philosopher(1)
}
"""


def answer_to(text: str, question: str) -> plait.Answer:
    return plait.System(promela.parse(text, "m")).check(question)


def test_a_step_of_a_process_is_its_statement() -> None:
    stuck = answer_to(PHILOSOPHERS, "invalid end state")
    assert stuck.verdict == "false"
    assert stuck.witness is not None
    lines = stuck.witness.show().splitlines()
    assert lines[1].split("  ")[1:3] == ["1", "init_0"]
    assert "line 13  fork[0]!1  " in lines[1]
    assert lines[1].endswith("fork[0]: [] → [1]")
    assert any("run philosopher(0)" in line and "philosopher_1 starts" in line for line in lines)
    assert any("fork[i]?1" in line and "fork[0]: [1] → []" in line for line in lines)
    assert not any("_pc" in line or "_nr_pr" in line for line in lines)


def test_a_deadlock_is_told_process_by_process() -> None:
    stuck = answer_to(PHILOSOPHERS, "invalid end state")
    first, *rest = stuck.explanation
    assert first == "no process can go on:"
    assert rest == [
        "  philosopher_1  line 7  fork[(i + 1) % N]?1  needs fork[1]?[1], but fork[1] = []",
        "  philosopher_2  line 7  fork[(i + 1) % N]?1  needs fork[0]?[1], but fork[0] = []",
        "  init_0         end",
    ]


def test_a_process_that_may_stay_comes_last_and_waits_for_nothing() -> None:
    text = """
    bit x;
    active proctype P() {
    end: x == 1 }
    active proctype Q() { x == 1 }
    """
    assert answer_to(text, "invalid end state").explanation[1:] == (
        "  Q_1  line 5  x == 1         needs x == 1, but x = 0",
        "  P_0  line 4  may stay here",
    )


def test_a_rendezvous_is_a_step_of_both_who_meet() -> None:
    text = """
    chan c = [0] of { byte };
    byte x;
    active proctype P() { c!7; assert(x == 0) }
    active proctype Q() { c?x }
    """
    answer = answer_to(text, "assertion at line 4 of P")
    assert answer.witness is not None
    assert answer.witness.show().splitlines()[1].endswith("P_0 & Q_1  line 4  c!7  x: 0 → 7")
    assert answer.explanation == ("in the last state this is not true:", "  x == 0   (x = 7)")


def test_what_nobody_wrote_is_asked_in_words() -> None:
    text = "byte x; active proctype P() { x = 1; assert(x == 1); x = x / x }"
    answers = plait.System(promela.parse(text, "m")).check_all()
    assert check_lines(answers)[:3] == [
        "assertion at line 1 of P  assert(x == 1)                            holds",
        "run-time error            no statement goes wrong                   holds",
        "invalid end state         no process waits for ever before its end  holds",
    ]


def test_the_number_of_processes_is_shown_where_the_text_asks_for_it() -> None:
    text = "byte x; proctype Q() { skip } init { run Q(); x = %s }"
    for value, shown in (("1", False), ("_nr_pr", True)):
        answer = answer_to(text % value, "reachable: x > 0")
        assert answer.witness is not None
        assert ("_nr_pr: 1 → 2" in answer.witness.show()) == shown


def test_a_long_statement_is_cut() -> None:
    long = " + ".join(["x"] * 40)
    answer = answer_to(f"byte x = 1; active proctype P() {{ x = {long} }}", "reachable: x == 40")
    assert answer.witness is not None
    assert " x = x + x + x + x + x + x + x + x +…  x: 1 → 40" in answer.witness.show()


def test_a_statement_of_a_macro_or_an_inline_is_shown_with_its_arguments() -> None:
    text = """\
#define LIMIT 5
#define inc(x) x = x + 1
inline swap_if(c, to, from) {
  c;
  if :: to == from -> skip :: else -> to =
    from
  fi
}
byte a, b = 3;
active proctype P() {
  inc(a);
  a < LIMIT;
  swap_if(a > 0 && b > 1, a, b + 1);
  assert(false)
}
"""
    failed = answer_to(text, "assertion at line 14 of P")
    assert failed.witness is not None
    shown = [line.split("  ")[3:5] for line in failed.witness.show().splitlines()[1:]]
    assert [[cell.strip() for cell in cells] for cells in shown] == [
        ["line 11", "a = a + 1"],
        ["line 12", "a < LIMIT"],
        ["line 13", "a > 0 && b > 1"],
        ["line 5", "else"],
        ["line 5", "a = b + 1"],
    ]


def test_a_run_tells_where_its_conditions_are_true() -> None:
    text = """gal g { int x = 0;
      transition up [x < 3] { x = x + 1; }
      transition round [x == 3] { x = 2; }
    }"""
    system = plait.System(parse_gal(text, "g"))
    answer = system.check("G (x == 1 -> F (x == 0 || x > 5)) && (x == 7 || F G x >= 0)")
    assert answer.verdict == "false"
    assert answer.explanation == (
        "along the run:",
        "  x == 1           true in 1",
        "  x == 0 || x > 5  true in 0",
        "  x == 7           never true",
        "  x >= 0           always true",
    )


CHOSEN = """
chan q[3] = [1] of { byte };
byte i = 1;
bool busy = true;

active proctype P() {
  do
  :: q[i]?3
  :: q[i]?[4] -> skip
  :: !busy && len(q[i]) == 1 -> skip
  od
}

init { q[0]!4; q[2]!3 }
"""


def test_of_a_channel_that_is_chosen_by_a_number_only_the_chosen_one_is_told() -> None:
    assert answer_to(CHOSEN, "invalid end state").explanation == (
        "no process can go on:",
        "  P_0  line 7  q[i]?3                   needs q[1]?[3], but q[1] = []",
        "               q[i]?[4]                 needs q[1]?[4], but q[1] = []",
        "               !busy && len(q[i]) == 1  needs busy == 0, but busy = 1; "
        "needs len(q[1]) == 1, but q[1] = []",
    )


def test_an_assertion_tells_which_of_its_parts_are_false() -> None:
    text = CHOSEN.replace("q[2]!3", "q[i]!3; assert(len(q[i]) == 0 && busy || i == 2)")
    failed = answer_to(text, "assertion at line 14 of init")
    assert failed.explanation == (
        "in the last state this is not true:",
        "  len(q[1]) == 0   (q[1] = [3])",
        "  i == 2   (i = 1)",
    )


def test_a_condition_and_its_negation_are_one_condition_along_a_run() -> None:
    text = "bool x; active proctype P() { do :: x = !x :: break od } ltl p { [] (x -> <> !x) }"
    first, *conditions = answer_to(text, "p").explanation[:3]
    assert first == "along the run:"
    assert [c.startswith("  x != 0  true in ") for c in conditions] == [True, False]


TABLES = """
typedef point { byte x; byte y[2] };
typedef row { bool used; point at[2] };
mtype = { red, green };
mtype light[2] = red;
row r[3];

active proctype P() {
  row own[2];
  own[1].at[0].x = 4;
  r[2].at[1].y[0] = 7; r[1].used = true; light[1] = green;
  do :: r[2].used -> skip od
}
"""


def test_cells_of_structures_in_arrays_are_called_as_in_the_text() -> None:
    system = plait.System(promela.parse(TABLES, "m"))
    stuck = system.check("invalid end state")
    assert stuck.witness is not None
    steps = stuck.witness.show().splitlines()[1:]
    assert [line.rpartition("  ")[2] for line in steps] == [
        "P_0.own[1].at[0].x: 0 → 4",
        "r[2].at[1].y[0]: 0 → 7",
        "r[1].used: 0 → 1",
        "light[1]: red → green",
    ]
    assert stuck.explanation[1].endswith("needs r[2].used != 0, but r[2].used = 0")


def test_formulas_ask_for_cells_of_structures_in_arrays_as_the_text_does() -> None:
    system = plait.System(promela.parse(TABLES, "m"))
    for formula, verdict in [
        ("EF (r[2].at[1].y[0] == 7 && r[1].used == 0)", "true"),
        ("EF r[2].at[1].y[1] == 7", "false"),
        ("EF (P_0.own[1].at[0].x == 4 && r[0].used == 0)", "true"),
        ("AG r.used[2] == 0", "true"),
    ]:
        assert system.check(formula).verdict == verdict, formula
    for formula, message in [
        ("EF r[3].used == 0", "'r' has no cell 3"),
        ("EF r[1].at.x == 0", "'at' is an array and needs an index"),
        ("EF r[1].used[0] == 0", "'used' is no array"),
    ]:
        with pytest.raises(plait.InputError, match=re.escape(message)):
            system.check(formula)


def test_what_does_not_fit_beside_a_step_stands_below_it() -> None:
    text = """
    int a, b, c, d, e, f;
    active proctype P() { d_step { a = 12345678; b = a; c = a; d = a; e = a; f = 9 } }
    """
    answer = answer_to(text, "reachable: f == 9")
    assert answer.witness is not None
    assert answer.witness.show().splitlines()[1:] == [
        "  1  P_0  line 3  a = 12345678  "
        "a: 0 → 12345678, b: 0 → 12345678, c: 0 → 12345678, d: 0 → 12345678,",
        "                                e: 0 → 12345678, f: 0 → 9",
    ]
    long = answer_to(
        text.replace("a = 12345678", "a = 12340000 + 00000005678"), "reachable: f == 9"
    )
    assert long.witness is not None
    assert long.witness.show().splitlines()[1:] == [
        "  1  P_0  line 3  a = 12340000 + 00000005678",
        "                  a: 0 → 12345678, b: 0 → 12345678, c: 0 → 12345678, d: 0 → 12345678,",
        "                  e: 0 → 12345678, f: 0 → 9",
    ]


def test_a_trace_that_was_shown_is_not_shown_again() -> None:
    text = "byte x; active proctype P() { x = 1; assert(x == 0); x = 2 }"
    system = plait.System(promela.parse(text, "m"))
    names = ["assertion at line 1 of P", "reachable: x == 1", "never: x == 2"]
    lines = check_lines([system.check(name) for name in names])
    assert len([line for line in lines if "initial state" in line]) == 2
    assert "formula holds: the same trace as for assertion at line 1 of P" in lines


def test_who_waits_inside_an_atomic_block_is_not_told_of_what_nobody_wrote() -> None:
    text = """
    chan c = [0] of { byte };
    active proctype P() { atomic { skip; c!1 } }
    active proctype Q() { false -> c?_ }
    """
    told = answer_to(text, "invalid end state").explanation
    assert len(told) == 3
    assert told[1].split("  ")[3] == "c!1"
    assert told[1].endswith("nobody is ready for the rendezvous on 'c'")
    assert not any("_exclusive" in line or "waits" in line for line in told)
