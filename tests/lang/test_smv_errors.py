"""Wrong SMV texts: each is refused where it is wrong, and told why."""

from collections.abc import Collection, Mapping

import pytest

from plait.errors import Diagnostic, InputError
from plait.lang.smv import parse
from plait.model.expr import Formula
from plait.smt import satisfy

START = "MODULE main VAR x : 0..3; b : boolean; s : {red, green}; p : part(b); {}\n"
PART = "MODULE part(b) VAR on : boolean;\n"
WRONG = [
    (
        "ASSIGN next(x) := x + 1;",
        "x + 1",
        "'x' cannot have the value that is assigned here",
        "x = 3",
    ),
    ("ASSIGN next(x) := 4;", "4", "'x' cannot have the value 4 that is assigned here", None),
    ("ASSIGN next(s) := blue;", "blue", "'blue' is not declared in the module 'main'", None),
    ("ASSIGN next(s) := gren;", "gren", "'gren' is not declared", "did you mean 'green'?"),
    (
        "ASSIGN next(x) := case b : 0; esac;",
        "case",
        "the conditions of this case do not",
        "b = FALSE",
    ),
    (
        "SPEC AG (b -> EX case b : TRUE; esac)",
        "case",
        "the conditions of this case do not",
        "b = FALSE",
    ),
    ("ASSIGN next(x) := 2 / x;", "2 / x", "this divides by zero", "x = 0"),
    ("ASSIGN next(x) := b;", "next", "'x' is no Boolean, and a condition is assigned", None),
    ("ASSIGN next(b) := x;", "x;", "a condition is needed here, but this is a number", None),
    ("ASSIGN next(b) := b + 1;", "b + 1", "a number is needed here, but this is a condition", None),
    ("ASSIGN next(x) := 1; next(x) := 2;", "next(x) := 2", "'x' is assigned twice", None),
    ("ASSIGN x := 1; init(x) := 2;", "init", "'x' has a current value", None),
    (
        "ASSIGN x := y; y := x; VAR y : 0..3;",
        "x := y",
        "this value depends on itself: x -> y -> x",
        None,
    ),
    ("ASSIGN next(q) := 1;", "q)", "'q' is not declared in the module 'main'", None),
    ("DEFINE d := e; e := d; INVAR d = 1", "e;", "'d' leads back to itself", None),
    ("INVAR x = b", "x = b", "these cannot be compared: a number, and a condition", None),
    ("INVAR s = 1", "s = 1", "these cannot be compared: one of {red, green}, and a number", None),
    ("INVAR s < green", "s", "a number is needed here, but this is one of {red, green}", None),
    ("INVAR {b, TRUE}", "{b", "a single value is needed here, but this is a set", None),
    ("INVAR next(b)", "next", "'next' cannot stand here", None),
    ("TRANS next(next(b))", "next(b)", "'next' cannot stand inside 'next'", None),
    ("INVAR p", "p", "'p' is an instance of a module, not a value", None),
    ("INVAR p.off", "p.off", "'off' is not declared in the module 'part'", None),
    ("INVAR x + 2147483647 > 0", "x + 2147483647", "this may leave 32 bits", None),
    ("SPEC G b", "G b", "'G' belongs into an LTL formula", None),
    ("LTLSPEC AG b", "AG b", "'AG' belongs into a CTL formula", None),
    ("SPEC A [b & b]", "b & b", "expected 'f U g' in the brackets after 'A'", None),
    ("VAR y : 3..1;", "3..1", "the range 3..1 is empty", None),
    ("VAR y : integer;", "integer", "variables of type 'integer' are not supported", None),
    ("VAR y : word[40];", "word", "words have 1 to 31 bits here, not 40", None),
    ("VAR y : array 0..1 of part(b);", "part(b);", "arrays of modules are not supported", None),
    ("VAR q : part;", "part;", "'part' has 1 parameters, not 0", None),
    ("VAR q : prt(b);", "prt", "there is no module 'prt'", "did you mean 'part'?"),
    ("VAR x : boolean;", "x : boolean", "'x' is declared twice", None),
    (
        "VAR next : boolean;",
        "next",
        "expected the name of a variable, but 'next' is a keyword",
        None,
    ),
    ("VAR y : 0..1", "", "expected ';' after the type, found 'MODULE'", None),
    ("IVAR i : boolean; INVAR i", "i", "the input 'i' has a value during a step only", None),
    (
        "IVAR i : boolean; ASSIGN next(i) := b;",
        "next",
        "'i' is an input, and cannot be assigned",
        None,
    ),
    ("FROZENVAR f : boolean; ASSIGN next(f) := b;", "next", "'f' is frozen", None),
    ("VAR a : array 0..2 of 0..1; INVAR a[x] = 1", "a[x]", "the index may be outside 'a'", "x = 3"),
    ("VAR a : array 0..2 of 0..1; INVAR a[5] = 1", "a[5]", "'a' has no element 5", None),
    (
        "VAR a : array 0..2 of 0..1; INVAR a = 1",
        "a = 1",
        "'a' is an array: an index is needed",
        None,
    ),
    (
        "ASSIGN next(s) := 1;",
        "next",
        "these are of different types: a number, and a symbol",
        None,
    ),
    (
        "ASSIGN next(x) := green;",
        "next",
        "these are of different types: a number, and a symbol",
        None,
    ),
    (
        "VAR m : {3, green}; ASSIGN next(m) := x * x;",
        "next",
        "these are of different types: a number, and a symbol",
        "a number beside symbols may be at most 3 here",
    ),
    (
        "VAR m : {3, green}; INVAR 1 < m",
        "m",
        "a number is needed here, but this is one of {3, green}",
        None,
    ),
    ("VAR a : array 0..2 of 0..1; INVAR a[-1] = 1", "a[-1]", "the index is outside 'a'", None),
    ("VAR w : word[4]; INVAR extend(w) = w", "extend", "'extend' has 2 operands, not 1", None),
    ("VAR w : word[4]; INVAR resize(w) = w", "resize", "'resize' has 2 operands, not 1", None),
    ("VAR w : word[4]; INVAR signed(w, w) = w", "signed", "'signed' has 1 operands, not 2", None),
    ("INVAR case FALSE : b; esac", "case", "the conditions of this case do not cover", None),
    ("FAIRNESS next(b)", "next", "'next' cannot stand here", None),
    ("MDEFINE", "MDEFINE", "definitions of arrays: not supported", None),
    ("INVAR (b", "", "expected an operator or ')', found 'MODULE'", None),
    ("INVAR b ? b", "", "expected an operator or ':', found 'MODULE'", None),
    (
        "INVAR b FOO",
        "FOO",
        "expected a section such as 'VAR', 'ASSIGN' or 'SPEC', found 'FOO'",
        None,
    ),
]


@pytest.mark.parametrize(("text", "place", "message", "hint"), WRONG)
def test_a_wrong_text_is_refused_where_it_is_wrong(
    text: str, place: str, message: str, hint: str | None
) -> None:
    found = refused(START.replace("{}", text) + PART)
    assert message in found.message
    if place:
        assert found.span is not None
        first = START.index("{}")
        line = START.replace("{}", text)
        column = found.span.column - 1
        assert found.span.line == 1
        assert line[column:].startswith(place), line[column:]
        assert column >= first
    if hint is not None:
        assert hint in (found.hint or "")


def refused(text: str) -> Diagnostic:
    with pytest.raises(InputError) as wrong:
        parse(text)
    return wrong.value.diagnostics[0]


def test_what_a_formula_says_of_other_states_does_not_matter_to_a_case() -> None:
    # Whether a case covers all values is asked of each state by itself.
    which = "case x > 1 : TRUE; x < 2 : b; esac"
    asked = f"SPEC AG ({which} -> EF !{which}) LTLSPEC G ({which} & F {which})"
    assert len(parse(START.replace("{}", asked) + PART).properties) == 2


def test_a_text_without_main_is_refused() -> None:
    assert refused(PART).message == "there is no module 'main'"
    assert refused("").message == "there is no module 'main'"


def test_a_module_that_contains_itself_is_refused() -> None:
    text = "MODULE main VAR p : part; MODULE part VAR q : part;"
    assert refused(text).message == "the module 'part' contains itself"


def test_deep_texts_are_read_without_recursion() -> None:
    deep = 20_000
    text = "MODULE main VAR b : boolean; INVAR " + "(" * deep + "b" + ")" * deep
    assert parse(text).name == "model"
    text = "MODULE main VAR b : boolean; INVAR " + "!" * deep + "b"
    assert parse(text).name == "model"
    chain = "".join(f"d{i} := d{i - 1} & b;\n" for i in range(1, deep))
    text = f"MODULE main VAR b : boolean; DEFINE d0 := b;\n{chain}INVAR d{deep - 1}"
    assert parse(text).name == "model"


def test_a_comment_of_several_lines_keeps_places_right() -> None:
    found = refused("MODULE main\n/-- one\ntwo --/ VAR x : bool; -- /-- no comment\n")
    assert found.span is not None
    assert (found.span.line, found.span.column) == (3, 17)


def test_one_question_is_asked_about_all_that_may_fail_in_an_assignment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The failures of nested cases share their conditions; each alone took minutes to refute."""
    asked, answer = [], satisfy.example

    def example(condition: Formula, domains: Mapping[str, Collection[int]]) -> object:
        asked.append(condition)
        return answer(condition, domains)

    monkeypatch.setattr("plait.smt.satisfy.example", example)
    text = """MODULE main VAR b : boolean; x : 1..3; y : 0..6;
        ASSIGN next(y) := case x > 1 & b : 6 / (x - 1); x > 1 : 3 / (x - 1); x <= 1 : 1; esac;
    """
    parse(text, "f.smv")
    # one about divisions and the end of the case, one about the values
    assert len(asked) <= 2
    with pytest.raises(InputError, match="this divides by zero"):
        parse(text.replace("x > 1 :", "x > 0 :"), "f.smv")
