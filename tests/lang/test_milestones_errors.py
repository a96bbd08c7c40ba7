"""Wrong texts of the language Milestones: each is refused where it is wrong, and told why."""

import random
import re

import pytest

from plait.errors import Diagnostic, InputError
from plait.lang.milestones import parse

START = (
    "ACTION a; b; END VARIABLE g:2:=0; END\n"
    "LOCAL P ACTION t; END VARIABLE pc:2:=0; x:2:=0; END CASE\n"
    "{local}\n"
    "END SYNC a; END END GLOBAL PROC p : P[2]; q : P[1]; END CASE\n"
    "{command}\n"
    "END END CTL\n"
    "{formula}\n"
    "END"
)
LOCAL = [
    ("[0][t] y == 1 :", 8, "no variable named 'y'"),
    ("[0][t] true : y := 1;", 15, "no variable named 'y'"),
    ("[0][u] true :", 5, "no action named 'u' here"),
    ("[0][b] true :", 1, "'P' has a command on 'b' but does not list it"),
    ("[4][t] true :", 2, "a value of 'pc' must be in 0 .. 3, not 4"),
    ("[x][t] true :", 2, "expected a value of 'pc', found 'x'"),
    (
        "[0][a] g == 0 :",
        8,
        "'a' is global, so this command knows only the variables of its process",
    ),
    (
        "[0][a] true : g := 1;",
        15,
        "'a' is global, so this command knows only the variables of its process",
    ),
    (
        "[0][a] true : x := g;",
        20,
        "'a' is global, so this command knows only the variables of its process",
    ),
    ("[0][t] true : x := 1; x := 2;", 23, "'x' is assigned twice in one command"),
    ("[0][t] p[0].x == 1 :", 8, "no variable named 'p'"),
    ("[0][t] q.x == 1 :", 8, "a local command knows no variables of other processes"),
    ("[0][t] true : q.x := 1;", 15, "a local command assigns no variables of other processes"),
    ("[0][t] x :", 8, "a condition is needed here, but this is a number"),
    ("[0][t] true : x := x == 1;", 20, "a number is needed here, but this is a condition"),
    ("[0][t] true : x := (x == 1) + 1;", 21, "a number is needed here, but this is a condition"),
    ("[0][t] true : x := -1;", 20, "expected an expression, found '-'"),
    ("[0][t] true : x :== 1;", 19, "expected an expression, found '='"),
    ("[0][t] true : x 1;", 17, "expected ':=' after the variable, found '1'"),
    ("[0][t] true : x := 1 g := 1;", 22, "expected ';' after the assignment, found 'g'"),
    ("[0][t] true x := 1;", 13, "expected ':' after the guard, found 'x'"),
    ("[0][t] F x == 1 :", 8, "a guard speaks of one state, not of paths"),
    ("[0][t] len(x) == 1 :", 12, "there is no channel 'x', nor any other"),
    ("[0] true :", 5, "expected '[' before the action of a command, found 'true'"),
    ("[0][t] (x == 1 :", 16, "expected an operator or ')', found ':'"),
    ("[0][t] x == 3000000000 :", 13, "the constant 3000000000 does not fit in 32 bits"),
    ("[0][t] x == 1 == 1 :", 8, "comparisons cannot be chained"),
    ("[0][t] true : CASE := 1;", 15, "expected a variable, but 'CASE' is a keyword"),
]
COMMAND = [
    ("[t] true :", 2, "no action named 't' here"),
    ("[a] x == 1 :", 5, "no variable named 'x'"),
    ("[a] p[2].x == 1 :", 7, "there is no process 2 of 'p', only 0 to 1"),
    ("[a] p[g].x == 1 :", 7, "a constant is needed here"),
    ("[a] p[1].y == 1 :", 5, "a process of type 'P' has no variable 'y'"),
    ("[a] p.x == 1 :", 5, "there are 2 processes 'p': which one?"),
    ("[a] p[0] == 1 :", 10, "expected '.' and a variable of the process, found '=='"),
    ("[a] p == 1 :", 5, "'p' is a process, not a variable"),
    ("[a] r[0].x == 1 :", 5, "no variable named 'r'"),
    ("[a] r.x == 1 :", 5, "no process named 'r'"),
    ("[a] true : p[0].x := 1;", 12, "a global command assigns global variables only"),
    ("[a] true : q.x := 1;", 12, "a global command assigns global variables only"),
    ("[a] true : x := 1;", 12, "no variable named 'x'"),
    ("[a] true : g := 1; g := 2;", 20, "'g' is assigned twice in one command"),
]
FORMULA = [
    ("AG y == 1;", 4, "no variable named 'y'"),
    ("AG g;", 4, "a condition is needed here, but 'g' is a number"),
    ("AG g == 1 g == 0;", 11, "expected ';' after the formula, found 'g'"),
    ("E[g == 0 U g == 1;", 18, "expected an operator or ']', found ';'"),
    ("AG p[7].x == 1;", 6, "there is no process 7 of 'p', only 0 to 1"),
    ("F g == 1;", 1, "'F' has no path quantifier; CTL needs A or E directly before it"),
]
WHOLE = [
    ("", "1:1", "expected 'LOCAL', 'MAIN' or 'GLOBAL', found the end of the text"),
    ("ACTION a; a; END", "1:11", "the action 'a' is declared twice"),
    ("ACTION a", "1:9", "expected 'END', found the end of the text"),
    ("ACTION CASE END", "1:8", "expected the name of an action, but 'CASE' is a keyword"),
    ("VARIABLE x:0; END", "1:12", "the number of bits must be in 1 .. 31, not 0"),
    ("VARIABLE x:32; END", "1:12", "the number of bits must be in 1 .. 31, not 32"),
    ("VARIABLE x:y; END", "1:12", "expected the number of bits, found 'y'"),
    ("VARIABLE x; END", "1:11", "expected ':' and the number of bits, found ';'"),
    ("VARIABLE x:1:=2; END", "1:15", "'x' has 1 bits, and 2 is not one of its values"),
    ("VARIABLE x:1:=0-1; END", "1:15", "'x' has 1 bits, and -1 is not one of its values"),
    ("VARIABLE x:1:=1/0; END", "1:15", "this constant is undefined"),
    ("VARIABLE x:1; y:1:=x; END", "1:20", "a constant is needed here"),
    ("VARIABLE x:1; x:1; END", "1:15", "the variable 'x' is declared twice"),
    ("VARIABLE x.y:1; END", "1:10", "expected the name of a variable, and names have no dots"),
    (
        "LOCAL P VARIABLE x:1; END CASE END END",
        "1:7",
        "the process type 'P' has no variable 'pc', its program counter",
    ),
    ("LOCAL P END", "1:7", "the process type 'P' has no variable 'pc', its program counter"),
    ("LOCAL P VARIABLE pc:1; END END", "1:28", "expected 'CASE', found 'END'"),
    ("ACTION a END LOCAL P ACTION a END", "1:29", "'a' is a global action already"),
    ("LOCAL P VARIABLE pc:1; END CASE END SYNC z END END", "1:42", "no action named 'z' here"),
    (
        "ACTION z END LOCAL P VARIABLE pc:1; END CASE END SYNC z z END END",
        "1:57",
        "'z' is listed twice",
    ),
    (
        "LOCAL P VARIABLE pc:1; END CASE END END LOCAL P",
        "1:47",
        "the process type 'P' is declared twice",
    ),
    (
        "LOCAL P VARIABLE pc:1; END CASE END MAIN",
        "1:37",
        "expected 'END' of the process type 'P', found 'MAIN'",
    ),
    ("MAIN CASE END END", "1:6", "expected 'PROC', found 'CASE'"),
    ("MAIN PROC END END", "1:15", "expected 'CASE', found 'END'"),
    ("MAIN PROC p : Q[1]; END", "1:15", "no process type named 'Q'"),
    ("MAIN PROC p Q[1]; END", "1:13", "expected ':' or ':=', found 'Q'"),
    (
        "LOCAL P VARIABLE pc:1; END CASE END END MAIN PROC p : P; END",
        "1:56",
        "expected '[' and the number of processes, found ';'",
    ),
    (
        "LOCAL P VARIABLE pc:1; END CASE END END MAIN PROC p : P[0]; END",
        "1:57",
        "the number of processes must be in 1 .. 65536, not 0",
    ),
    (
        "VARIABLE p:1; END LOCAL P VARIABLE pc:1; END CASE END END MAIN PROC p : P[1]; END",
        "1:69",
        "'p' is declared twice",
    ),
    (
        "MAIN PROC END CASE END END x",
        "1:28",
        "expected 'CTL', 'LTL' or the end of the text, found 'x'",
    ),
    (
        "MAIN PROC END CASE END END LTL AG true; END",
        "1:32",
        "'A' quantifies over paths; an LTL formula has none",
    ),
    ("MAIN # END", "1:6", "unexpected character '#' (U+0023)"),
]


@pytest.mark.parametrize(("text", "place", "message"), WHOLE)
def test_a_wrong_text_is_refused_where_it_is_wrong(text: str, place: str, message: str) -> None:
    """covers: M15, M18"""
    (found,) = complaints(text)
    assert (str(found.span), found.message) == (f"m.mil:{place}", message)


@pytest.mark.parametrize(("part", "column", "message"), LOCAL)
def test_a_wrong_local_command_is_refused(part: str, column: int, message: str) -> None:
    """covers: M15, M16, M17, M18"""
    (found,) = complaints(filled(local=part))
    assert (str(found.span), found.message) == (f"m.mil:3:{column}", message)


@pytest.mark.parametrize(("part", "column", "message"), COMMAND)
def test_a_wrong_global_command_is_refused(part: str, column: int, message: str) -> None:
    """covers: M15, M17"""
    (found,) = complaints(filled(command=part))
    assert (str(found.span), found.message) == (f"m.mil:5:{column}", message)


@pytest.mark.parametrize(("part", "column", "message"), FORMULA)
def test_a_wrong_formula_is_refused(part: str, column: int, message: str) -> None:
    (found,) = complaints(filled(formula=part))
    assert (str(found.span), found.message) == (f"m.mil:7:{column}", message)


def test_the_text_around_the_wrong_parts_is_right() -> None:
    assert complaints(filled()) == ()


def test_a_misspelt_name_gets_a_hint() -> None:
    (found,) = complaints(filled(command="[a] q.x == 1 & p[0].pcc == 0 :"))
    assert found.hint == "did you mean 'pc'?"


def test_divisions_inside_divisors_are_limited() -> None:
    deep = "x" + " / (x" * 60 + ")" * 60
    (found,) = complaints(filled(local=f"[0][t] true : x := {deep};"))
    assert found.message == "this expression is too large: divisions inside divisors"


def test_too_many_commands_are_refused_before_they_are_made() -> None:
    commands = " ".join(f"[0][t] x == {i} : x := 1;" for i in range(40))
    text = filled(local=commands).replace("P[2]", "P[65536]")
    (found,) = complaints(text)
    assert found.message == "all processes together have 2621480 commands, too many"


HOSTILE = START.format(
    local="[0][t] x + 1 == g * 2 & !(g > 1) : pc := 1; x := g / x, g := x; [1][a] x <= 2 : x := 1",
    command="[a] p[0].x == 1 | q.pc != 0 -> g == 1 : g := p[1].x % 2; [b] true : g := 3;",
    formula="AG (g == 1 -> EF p[0].x == 1); E[g == 0 U (g == 1)];",
)


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_text_is_read_or_refused_with_a_place(seed: int) -> None:
    chance = random.Random(seed)
    words = re.findall(r"\w+|\W", HOSTILE)
    for _ in range(40):
        damaged = list(words)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(damaged))
            damaged[at] = chance.choice(["", chance.choice(words), damaged[at] * 2])
        assert all(d.span is not None for d in complaints("".join(damaged)))


def filled(
    local: str = "[0][t] true : x := 1;", command: str = "[a] true :", formula: str = "true;"
) -> str:
    return START.format(local=local, command=command, formula=formula)


def complaints(text: str) -> tuple[Diagnostic, ...]:
    try:
        parse(text, "m.mil")
    except InputError as failure:
        return failure.diagnostics
    return ()
