"""Wrong and hostile texts in GAL: refused with their place, and never anything else."""

import random
from pathlib import Path

import pytest
from gal_texts import TEMPLATE, rejected

from plait.errors import InputError
from plait.lang.gal import load, parse, print_model
from plait.model.expr import (
    Const,
    Var,
)

ONE, TWO = Const(1), Const(2)
x, y = Var("x"), Var("y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: expected a type such as 'gal Name { ... }', found the end of the text"),
        (
            "// nothing",
            "1:1: expected a type such as 'gal Name { ... }', found the end of the text",
        ),
        (
            "hello",
            "1:1: expected 'gal', 'composite', 'main', 'property' or another declaration, "
            "found 'hello'",
        ),
        ("gal", "1:4: expected the name of the type, found the end of the text"),
        ("gal T", "1:6: expected '{', found the end of the text"),
        ("gal T {", "1:8: expected a declaration or '}', found the end of the text"),
        ("gal T { x = 1; }", "1:9: expected a declaration or '}', found 'x'"),
        ("gal T { $N = 1; }", "1:9: expected a declaration or '}', found '$N'"),
        ("gal T { int x }", "1:15: expected ';' after the declaration, found '}'"),
        ("gal T { int 3; }", "1:13: expected the name of a variable, found '3'"),
        ("gal T { list q = (1); }", "1:9: the list type of early GAL is not supported"),
        ("gal T { array a; }", "1:15: expected '[', found 'a'"),
        ("gal T { transition t [true { } }", "1:28: expected ']' or an operator, found '{'"),
        (
            "gal T { transition t x { } }",
            "1:22: expected a guard '[...]', '{' or 'label', found 'x'",
        ),
        ("gal T { transition t { x 1; } }", "1:26: expected '=', '+=' or '-=', found '1'"),
        ("gal T { transition t { x = 1 } }", "1:30: expected ';' after the assignment, found '}'"),
        ("gal T { transition t { $x = 1; } }", "1:24: cannot assign to the parameter '$x'"),
        ('gal T { transition t { p."l"; } }', "1:24: only 'self' can be called here, not 'p'"),
        ("gal T { transition t { if (true) x = 1; } }", "1:34: expected '{', found 'x'"),
        (
            "gal T { transition t { x = 1; ",
            "1:30: expected a statement or '}', found the end of the text",
        ),
        ("gal T { TRANSIENT = true; TRANSIENT = true; }", "1:27: TRANSIENT is given twice"),
        ("gal T { hotbit(r) x; }", "1:19: expected 'int' or 'array', found 'x'"),
        ("gal T { } main T; main T;", "1:19: 'main' is given twice"),
        (
            "gal T { } main T",
            "1:17: expected ';' after the name of the main type, found the end of the text",
        ),
        ('gal T { } import "x";', "1:11: imports come before everything else"),
        (
            "gal T { } property p [foo] : true;",
            "1:23: expected a kind of property (reachable, "
            "invariant, never, deadlock, bounds, ctl, ltl, atom), found 'foo'",
        ),
        ("gal T { } property p [ctl] true;", "1:28: expected ':', found 'true'"),
        (
            "gal T { } property p [ctl] : true",
            "1:34: expected an operator or ';', found the end of the text",
        ),
        ("composite C { 5 }", "1:15: expected an instance, a synchronization or '}', found '5'"),
        ("composite C { T; }", "1:16: expected the name of the instance, found ';'"),
        (
            "composite C { synchronization s { x = 1; } }",
            "1:35: a synchronization has no variables to assign",
        ),
        ("composite C<T extends> { }", "1:22: expected the name of an interface, found '>'"),
        ("scalar S of T { }", "1:10: expected '[' and the number of instances, found 'of'"),
        ("scalar S [2] of T { T t; }", "1:21: expected a synchronization or '}', found 'T'"),
        (
            'scalar S [2] of T { synchronization s { p."l"; } }',
            "1:41: only 'any', 'all', 'next' and 'self' can be called here, not 'p'",
        ),
        (
            'scalar S [2] of T { synchronization s { next."l"; } }',
            "1:49: expected ',' and the label of the next instance, found ';'",
        ),
        ("$N = x;", "1:6: expected a number, found 'x'"),
        (
            "$N = 10000000000000000000000000000000;",
            "1:6: the constant 10000000000000000000000000000000 does not fit in 32 bits",
        ),
        (
            "gal T { int x = 10000000000000000000000000000000; }",
            "1:17: the constant 10000000000000000000000000000000 does not fit in 32 bits",
        ),
        ("gal T { int é; }", "1:13: unexpected character 'é' (U+00E9)"),
        ("\x00\x01\x02", "1:1: unexpected character U+0000; is this a text file?"),
        ("gal T { /* int x; }", "1:9: this comment is not closed"),
        ('gal T { } property "p', "1:20: this string is not closed on its line"),
    ],
)
def test_a_wrong_text_is_refused_with_its_place(text: str, message: str) -> None:
    assert rejected(text) == message


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("gal T { transiton t { } }", "transition"),
        ("compsite T { }", "composite"),
        ("gal T { int x; } property p [deadlok];", "deadlock"),
    ],
)
def test_a_misspelt_word_is_guessed(text: str, meant: str) -> None:
    with pytest.raises(InputError) as wrong:
        parse(text, "t.gal")
    assert wrong.value.diagnostics[0].hint == f"did you mean '{meant}'?"


def test_blocks_nest_200_deep_and_no_deeper() -> None:
    def nested(depth: int) -> str:
        inside = depth - 1
        return f"gal T {{ int x; transition t {'{ if (true) ' * inside}{{ x = 1; {'}' * depth} }}"

    deep = parse(nested(200), "m")
    assert parse(print_model(deep), "m") == deep
    assert rejected(nested(201)).endswith("blocks are nested deeper than 200 levels")
    chain = "if (true) { } " + "else if (true) { } " * 300
    message = rejected(f"gal T {{ transition t {{ {chain} }} }}")
    assert message.endswith("blocks are nested deeper than 200 levels")


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone.gal", Path("/dev/zero")):
        with pytest.raises(InputError, match="cannot read"):
            load(path)


def test_a_truncated_file_is_refused_or_still_a_model(data: Path) -> None:
    text = (data / "gal" / "cgal" / "PhiloFork.gal").read_text()
    refusals = [refusal(text[: step * len(text) // 200]) for step in range(200)]
    assert all("<input>" in r for r in refusals if r is not None)
    assert sum(r is not None for r in refusals) > 150


def refusal(text: str) -> str | None:
    """How a text is refused, or None when it is a model, which must then print and read back."""
    try:
        model = parse(text, "<input>")
    except InputError as failure:
        return failure.render()
    assert parse(print_model(model), "<input>") == model
    return None


def test_mutated_files_never_raise_anything_but_input_errors(data: Path) -> None:
    """Bytes and tokens of published files changed at random, 3000 times, always the same ones."""
    rng = random.Random(7)
    names = [
        "cgal/PhiloFork.gal",
        "gal/loyd.gal",
        "cgal/fischer.mod.gal",
        "beem-flat/adding.1.flat.gal",
    ]
    sources = [(data / "gal" / n).read_bytes() for n in names] + [TEMPLATE.encode()]
    words = (
        b"{ } ( ) [ ] ; , : . .. = == -> $ $i self any \" ' /* */ // 99999999999 -1 ^ A U [] int if"
    )
    pieces = words.split(b" ")
    refused = 0
    for _ in range(3000):
        text = bytearray(rng.choice(sources))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            match rng.randrange(4):
                case 0:
                    text[at] = rng.randrange(256)
                case 1:
                    del text[at : at + rng.randint(1, 30)]
                case 2:
                    text[at:at] = b" " + rng.choice(pieces) + b" "
                case _:
                    other = rng.randrange(len(text))
                    text[at:at] = text[other : other + rng.randint(1, 60)]
        refused += refusal(bytes(text).decode("utf-8", "replace")) is not None
    assert refused > 1000
