"""Wrong DVE texts: each is refused where it is wrong, with a message that says what is."""

import random
import re

import pytest

from plait.errors import Diagnostic, InputError
from plait.lang.dve import parse

WRONG = [
    ("system sync;", "1:8", "synchronous systems are not supported"),
    ("system async;", "1:13", "the system has no process"),
    ("byte x", "1:7", "expected ';' after the declaration, found the end of the text"),
    ("byte x; byte x; system async;", "1:14", "'x' is declared twice"),
    ("byte x; process x { state s; init s; } system async;", "1:17", "'x' is declared twice"),
    ("byte guard;", "1:6", "expected the name of a variable, but 'guard' is a keyword"),
    ("byte x[0];", "1:8", "the size of an array must be in 1 .. 16777216, not 0"),
    ("byte x[9", "1:9", "expected ']' after the size, found the end of the text"),
    ("byte y; byte x[y];", "1:16", "a constant is needed here"),
    ("byte x = 1 / 0;", "1:10", "this constant is undefined"),
    ("byte x = 3000000000;", "1:10", "the constant 3000000000 does not fit in 32 bits"),
    ("byte a[2] = 3;", "1:13", "expected '{' before the values of the array, found '3'"),
    ("byte a[2] = {1 2};", "1:16", "expected ',' or '}', found '2'"),
    ("const byte k;", "1:12", "the constant 'k' has no value"),
    ("const bit k;", "1:7", "expected 'byte' or 'int', found 'bit'"),
    ("channel c[1];", "1:11", "a channel with a buffer needs types"),
    ("channel {byte} c[-1];", "1:18", "the capacity of a channel must be in 0 .. 65536, not -1"),
    ("channel {bit} c;", "1:10", "expected 'byte' or 'int', found 'bit'"),
    ("proces P {}", "1:1", "expected a variable, a channel, a process or 'system', found 'proces'"),
    ("property ltl x;", "1:1", "properties are given as a process: 'system async property P;'"),
    ("process P(byte x) {}", "1:10", "processes with parameters are not supported"),
    ("process P {", "1:12", "expected '}', found the end of the text"),
    (
        "process P { start s; }",
        "1:13",
        "expected 'state', 'init', 'trans' or another part of the process, found 'start'",
    ),
    ("process P { } system async;", "1:9", "process 'P' has no states"),
    ("process P { state s; } system async;", "1:9", "process 'P' has no initial state"),
    ("process P { state s; init s; init s; }", "1:35", "process 'P' has two initial states"),
    ("process P { state s; init t; }", "1:27", "process 'P' has no state 't'"),
    ("process P { state s, s; }", "1:22", "'s' is declared twice"),
    ("process P { byte s; state s; }", "1:27", "'s' is declared twice"),
    ("process P { state s; init s; commit t; }", "1:37", "process 'P' has no state 't'"),
    (
        "process P { state s; init s; accept s t; }",
        "1:39",
        "expected ';' after 'accept', found 't'",
    ),
    ("process P { state s; init s; trans s -> t {}; }", "1:41", "process 'P' has no state 't'"),
    (
        "process P { state s; init s; trans -> s {}; }",
        "1:36",
        "the first transition needs a source state",
    ),
    (
        "process P { state s; init s; trans s -> s; }",
        "1:42",
        "expected '{' after the target state, found ';'",
    ),
    (
        "process P { state s; init s; trans s -> s {",
        "1:44",
        "expected '}', found the end of the text",
    ),
    (
        "process P { state s; init s; trans s -> s {} }",
        "1:46",
        "expected ';' or ',' after the transition, found '}'",
    ),
    ("process P { state s; init s; assert s: 1 }", "1:42", "expected ';', found '}'"),
    ("process P { state s; init s; } system async property Q;", "1:54", "no process named 'Q'"),
    (
        "process P { state s; init s; } system async; byte x;",
        "1:46",
        "expected the end of the text, found 'byte'",
    ),
    (
        "process P { state s; init s; } system;",
        "1:38",
        "expected 'async' after 'system', found ';'",
    ),
    ('byte x = "1;', "1:10", "this string is not closed on its line"),
    ("/* no end", "1:1", "this comment is not closed"),
]
INSIDE = [
    # The place counts from the body of a transition.
    ("guard y;", 7, "'y' is not declared"),
    ("guard xs;", 7, "'xs' is not declared"),
    ("guard P;", 7, "'P' is a process"),
    ("guard s;", 7, "'s' is a state, not a variable"),
    ("guard P.u;", 7, "process 'P' has no state 'u'"),
    ("guard P->u;", 7, "process 'P' has no variable 'u'"),
    ("guard c;", 7, "'c' is a channel, not a variable"),
    ("guard x[1];", 7, "'x' is not an array"),
    ("guard x ==;", 11, "expected an expression, found ';'"),
    ("guard (x;", 9, "expected an operator or ')', found ';'"),
    ("guard x effect x = 1;", 9, "expected ';' after the guard, found 'effect'"),
    ("effect x = 1; guard x;", 15, "expected '}', found 'guard'"),
    ("effect k = 1;", 8, "cannot assign to the constant 'k'"),
    ("effect t[0] = 1;", 8, "cannot assign to the constant 't'"),
    ("effect 1 = 1;", 8, "only a variable can be assigned"),
    ("effect x + 1 = 1;", 8, "only a variable can be assigned"),
    ("effect x := 1;", 10, "expected '=' after the variable, found ':'"),
    ("effect x++;", 9, "expected '=', found '++'"),
    ("effect x = 1", 13, "expected ';' after the effect, found '}'"),
    ("sync x!1;", 6, "'x' is not a channel"),
    ("sync P.s!1;", 6, "'P' is not a channel"),
    ("sync c;", 7, "expected '?' or '!' after the channel, found ';'"),
    ("sync c!;", 6, "channel 'c' carries 2 values, not 0"),
    ("sync c!{1, 2, 3};", 6, "channel 'c' carries 2 values, not 3"),
    ("sync c?{x, 2};", 12, "only a variable can be assigned"),
    ("sync c!{1 2};", 11, "expected '}' or ',' after the value, found '2'"),
    ("sync c!{1, 2;", 13, "expected '}', found ';'"),
]


@pytest.mark.parametrize(("text", "place", "message"), WRONG)
def test_a_wrong_text_is_refused_where_it_is_wrong(text: str, place: str, message: str) -> None:
    (found,) = complaints(text)
    assert (str(found.span), found.message) == (f"m.dve:{place}", message)


@pytest.mark.parametrize(("body", "column", "message"), INSIDE)
def test_a_wrong_transition_is_refused_where_it_is_wrong(
    body: str, column: int, message: str
) -> None:
    text = (
        "byte x, a[2]; const byte k = 1, t[1] = {2}; channel {byte, int} c;\n"
        "process P { state s; init s; trans s -> s {\n"
        f"{body}\n"
        "}; } system async;"
    )
    (found,) = complaints(text)
    line = 4 if column > len(body) else 3
    place = f"m.dve:{line}:{1 if line == 4 else column}"
    assert (str(found.span), found.message) == (place, message)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("channel c;", "the property process 'N' cannot use channels"),
        ("commit q;", "the property process 'N' cannot have committed states"),
    ],
)
def test_a_property_process_only_watches(part: str, message: str) -> None:
    sync = "sync c!;" if "channel" in part else ""
    (found,) = complaints(
        f"process P {{ state s; init s; }} process N {{ {part} state q; init q; "
        f"trans q -> q {{ {sync} }}; }} system async property N;"
    )
    assert found.message == message
    assert found.span is not None


def test_a_channel_without_types_carries_as_much_as_at_its_first_use() -> None:
    (found,) = complaints(
        "channel c; process P { state s; init s;\n"
        "trans s -> s { sync c!1; }, s -> s { sync c!; }; } system async;"
    )
    assert str(found.span) == "m.dve:2:43"
    assert found.message == "channel 'c' carries 1 value, not 0"


HOSTILE = """\
const byte N = 2; byte x = 1, a[3] = {1, 2}; channel c; channel {byte, int} d[2];
process P { int v; state s, t; init s; commit t; accept s; assert s: v < 3 or x imply not a[0];
  trans s -> t { guard x + N == 3 && Q.s; sync c!v; effect a[x] = -v, v = v * 2; }, -> s {}; }
process Q { byte w; state s, t; init s; trans s -> s { sync c?w; }, s -> t { sync d!{w, ~1}; }; }
process R { state q; init q; trans q -> q { guard not (P.s) or P->v > Q->w; }; }
system async property R;
"""


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


def complaints(text: str) -> tuple[Diagnostic, ...]:
    try:
        parse(text, "m.dve")
    except InputError as failure:
        return failure.diagnostics
    return ()


def test_a_misspelt_name_gets_a_hint() -> None:
    text = (
        "byte counter; process P { state s; init s; trans s -> s { guard couter; }; } system async;"
    )
    (found,) = complaints(text)
    assert found.hint == "did you mean 'counter'?"
