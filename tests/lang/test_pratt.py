"""The operator-precedence parser and the lexer under it, by way of GAL's expressions."""

import pytest

from plait.errors import InputError, Source
from plait.lang.expressions import LEXICON, GalExpressions, condition, integer
from plait.lang.lexer import END, Lexicon, tokenize
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
    Param,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node, nodes
from plait.model.text import show

DEEP = 20_000
a, b, c, x = Var("a"), Var("b"), Var("c"), Var("x")
ONE, TWO = Const(1), Const(2)


def read(text: str) -> Node:
    tokens = tokenize(Source("text", text), text, LEXICON)
    operand = GalExpressions(tokens, lambda name, span: None).parse()
    assert tokens.kind() == END
    return operand.node


def number(text: str) -> IntExpr:
    tokens = tokenize(Source("text", text), text, LEXICON)
    return integer(GalExpressions(tokens, lambda name, span: None).parse())


def formula(text: str) -> Formula:
    tokens = tokenize(Source("text", text), text, LEXICON)
    return condition(GalExpressions(tokens, lambda name, span: None).parse())


def is_one(name: str) -> Compare:
    return Compare("==", Var(name), ONE)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b * c", Binary("+", a, Binary("*", b, c))),
        ("a - b - c", Binary("-", Binary("-", a, b), c)),
        ("a - (b - c)", Binary("-", a, Binary("-", b, c))),
        ("a | b ^ c & x", Binary("|", a, Binary("^", b, Binary("&", c, x)))),
        ("a << b + c", Binary("<<", a, Binary("+", b, c))),
        ("a / b % c", Binary("%", Binary("/", a, b), c)),
        ("a ** b ** c", Binary("**", Binary("**", a, b), c)),
        ("-a ** 2", Unary("-", Binary("**", a, TWO))),
        ("-a * b", Binary("*", Unary("-", a), b)),
        ("a * -b", Binary("*", a, Unary("-", b))),
        ("~-a", Unary("~", Unary("-", a))),
        ("-1", Const(-1)),
        ("-(1)", Unary("-", ONE)),
        ("a - -1", Binary("-", a, Const(-1))),
        ("-2147483648", Const(-(2**31))),
        ("007", Const(7)),
        ("$n + 1", Binary("+", Param("n"), ONE)),
        ("a[b[1] + 1]", Var("a", Binary("+", Var("b", ONE), ONE))),
        ("P.0 + leave.clock", Binary("+", Var("P.0"), Var("leave.clock"))),
        ("^if + ^true", Binary("+", Var("if"), Var("true"))),
        ("a ^ b", Binary("^", a, b)),
        ("a ^b", Binary("^", a, b)),
        ("\"p-1\" + 'q r'", Binary("+", Var("p-1"), Var("q r"))),
        ("(a == 1) + 1", Binary("+", AsInt(is_one("a")), ONE)),
        ("((a == 1))", is_one("a")),
    ],
)
def test_integer_operators_have_their_precedence_and_associativity(text: str, tree: Node) -> None:
    """covers: I93"""
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a & 1 == 0", Compare("==", Binary("&", a, ONE), Const(0))),
        ("a | 1 == 0", Compare("==", Binary("|", a, ONE), Const(0))),
        ("! x >= 1", Not(Compare(">=", x, ONE))),
        ("!!x == 1", Not(Not(is_one("x")))),
        ("!a == 1 && b == 1", And((Not(is_one("a")), is_one("b")))),
        ("a == 1 && b == 1 && c == 1", And((is_one("a"), is_one("b"), is_one("c")))),
        ("(a == 1 && b == 1) && c == 1", And((And((is_one("a"), is_one("b"))), is_one("c")))),
        ("a == 1 && b == 1 || c == 1", Or((And((is_one("a"), is_one("b"))), is_one("c")))),
        ("a == 1 || b == 1 && c == 1", Or((is_one("a"), And((is_one("b"), is_one("c")))))),
        ("a == 1 -> b == 1 -> c == 1", Implies(is_one("a"), Implies(is_one("b"), is_one("c")))),
        ("a == 1 <-> b == 1 <-> c == 1", Iff(Iff(is_one("a"), is_one("b")), is_one("c"))),
        ("a == 1 <-> b == 1 -> c == 1", Implies(Iff(is_one("a"), is_one("b")), is_one("c"))),
        ("true || False", Or((Truth(True), Truth(False)))),
        ("(a) == (1)", is_one("a")),
        ("(a == 1) == (b == 1)", Compare("==", AsInt(is_one("a")), AsInt(is_one("b")))),
        ("(a + 1) * 2 > (b)", Compare(">", Binary("*", Binary("+", a, ONE), TWO), b)),
    ],
)
def test_conditions_have_their_precedence_and_associativity(text: str, tree: Node) -> None:
    """covers: I93"""
    assert read(text) == tree


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("a < b < c", "comparisons cannot be chained", 1),
        ("a == 1 && b", "a condition is needed here, but 'b' is a number", 11),
        ("!a", "a condition is needed here, but 'a' is a number", 2),
        ("a + !b == 1", "a number is needed here, but this is a condition", 5),
        ("a + true", "a number is needed here, but this is a condition", 5),
        ("a +", "expected an expression, found the end of the text", 4),
        ("a + )", "expected an expression, found ')'", 5),
        ("(a + 1", "expected an operator or ')', found the end of the text", 7),
        ("(a 1)", "expected an operator or ')', found '1'", 4),
        ("a[1", "expected an operator or ']', found the end of the text", 4),
        ("a[b == 1]", "a number is needed here, but this is a condition", 3),
        ("1" + "0" * 30, f"the constant 1{'0' * 30} does not fit in 32 bits", 1),
        ("9" * 5000, f"the constant {'9' * 20}... does not fit in 32 bits", 1),
        ("2147483648", "the constant 2147483648 does not fit in 32 bits", 1),
        ("a - 2147483648", "the constant 2147483648 does not fit in 32 bits", 5),
        ("-2147483648 ** 1", "the constant 2147483648 does not fit in 32 bits", 2),
        ("-2147483649", "the constant 2147483649 does not fit in 32 bits", 2),
        ("12ab", "'12ab' is neither a number nor a name", 1),
        ("a + é", "unexpected character 'é' (U+00E9)", 5),
        ("a + \0", "unexpected character U+0000; is this a text file?", 5),
        ("a + #", "unexpected character '#' (U+0023)", 5),
        ("$ + 1", "'$' must be followed by the name of a parameter", 1),
        ('a + "b', "this string is not closed on its line", 5),
        ("a + /* b", "this comment is not closed", 5),
    ],
)
def test_a_wrong_expression_is_refused_with_its_place(text: str, message: str, column: int) -> None:
    with pytest.raises(InputError) as failure:
        number(text)
    (found,) = failure.value.diagnostics
    assert found.span is not None
    assert (found.message, found.span.line, found.span.column) == (message, 1, column)


def test_a_number_is_no_condition_and_an_unparenthesised_condition_no_number() -> None:
    with pytest.raises(InputError, match="'a' is a number"):
        formula("a")
    with pytest.raises(InputError, match="this is a condition"):
        number("a == 1")
    assert number("(a == 1)") == AsInt(is_one("a"))


def deep(shape: str, n: int) -> str:
    return {
        "parentheses": "(" * n + "x" + ")" * n + " == 1",
        "not": "!" * n + "(x == 1)",
        "sum": "+".join(["x"] * n) + " == 1",
        "and": " && ".join(["x == 1"] * n),
        "index": "a[" * n + "0" + "]" * n + " == 1",
        "minus": "-" * n + "x == 1",
        "implies": " -> ".join(["x == 1"] * n),
        "counted": "(" * n + "x == 1" + ") + 1 == 1" * n,
    }[shape]


@pytest.mark.parametrize("shape", ["parentheses", "not", "sum", "and", "index"])
def test_a_great_depth_or_length_is_read_and_printed(shape: str) -> None:
    assert len(show(read(deep(shape, DEEP)))) > 5


@pytest.mark.parametrize("shape", ["not", "sum", "and", "index", "minus", "implies", "counted"])
def test_a_deep_tree_reads_back_from_its_text(shape: str) -> None:
    tree = read(deep(shape, 10_000))
    assert read(show(tree)) == tree


def test_a_chain_of_conjunctions_is_one_node() -> None:
    tree = read(" && ".join(["x == 1"] * 1000))
    assert isinstance(tree, And)
    assert len(tree.operands) == 1000


def test_every_node_knows_its_place() -> None:
    text = "a + b ==\n  -(c * 2)"
    tree = read(text)
    lines = text.split("\n")
    places = {}
    for node in nodes(tree):
        assert node.span is not None
        start = node.span.column - 1
        places[lines[node.span.line - 1][start : start + node.span.length]] = type(node).__name__
    assert places == {
        "a + b ==": "Compare",
        "a + b": "Binary",
        "a": "Var",
        "b": "Var",
        "-(c * 2)": "Unary",
        "c * 2": "Binary",
        "c": "Var",
        "2": "Const",
    }


def test_dots_between_numbers_belong_to_ranges() -> None:
    text = "0..3 a.b..c 1 .. $n"
    tokens = tokenize(Source("text", text), text, LEXICON)
    assert tokens.texts[:-3] == ["0", "..", "3", "a.b", "..", "c", "1", "..", "$n"]


def test_comments_are_skipped_and_documentation_is_kept_for_the_next_token() -> None:
    text = "/* one */ a // two\n/** three\n */ b /**/ c"
    tokens = tokenize(Source("text", text), text, LEXICON)
    assert tokens.texts[:-3] == ["a", "b", "c"]
    assert tokens.docs == {1: "three"}


def test_a_lexicon_says_what_a_language_is_made_of() -> None:
    lexicon = Lexicon(punctuation=("::", ":"), line_comments=("#",), block_comments=False)
    text = "a::b:c.d"
    with pytest.raises(InputError, match=r"unexpected character '\.'"):
        tokenize(Source("text", text), text, lexicon)
    text = "a::b:c # rest"
    assert tokenize(Source("t", text), text, lexicon).texts[:-3] == ["a", "::", "b", ":", "c"]
