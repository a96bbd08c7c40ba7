"""Expressions and formulas as text."""

import pytest

from plait.logic.formula import Exists, Finally, Forall, Globally, Next, Release, Until, WeakUntil
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Empty,
    Enabled,
    Full,
    Hop,
    Iff,
    Implies,
    Length,
    Not,
    Or,
    Param,
    Poll,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node
from plait.model.text import quote, show, spell, unquote

x, y = Var("x"), Var("y")
p, q, r = (Compare("==", Var(n), Const(1)) for n in "pqr")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Const(-5), "-5"),
        (Unary("-", Const(5)), "-(5)"),
        (Unary("-", Const(-5)), "-(-5)"),
        (Unary("-", x), "-x"),
        (Unary("~", Unary("-", x)), "~-x"),
        (Binary("**", Const(-2), x), "(-2) ** x"),
        (Binary("**", x, Binary("**", x, y)), "x ** (x ** y)"),
        (Binary("**", Binary("**", x, y), x), "x ** y ** x"),
        (Unary("-", Binary("**", x, y)), "-x ** y"),
        (Binary("-", x, Binary("-", y, x)), "x - (y - x)"),
        (Binary("-", Binary("-", x, y), x), "x - y - x"),
        (Binary("*", Binary("+", x, y), x), "(x + y) * x"),
        (Binary("|", x, Binary("&", y, x)), "x | y & x"),
        (Binary("+", x, Const(-1)), "x + -1"),
        (AsInt(And((p, q))), "(p == 1 && q == 1)"),
        (Binary("+", AsInt(p), AsInt(q)), "(p == 1) + (q == 1)"),
        (Param("n"), "$n"),
        (Var("a", Binary("+", x, Const(1))), "a[x + 1]"),
        (Var("v", Const(2), (Hop("i", Const(0)), Hop("j"))), "i[0]:j:v[2]"),
        (Var("true"), "^true"),
        (Var("p-1"), '"p-1"'),
        (Not(p), "!(p == 1)"),
        (Not(Not(Truth(True))), "!!true"),
        (Not(And((p, q))), "!(p == 1 && q == 1)"),
        (And((Or((p, q)), r)), "(p == 1 || q == 1) && r == 1"),
        (Or((And((p, q)), r)), "p == 1 && q == 1 || r == 1"),
        (And((And((p, q)), r)), "(p == 1 && q == 1) && r == 1"),
        (And(()), "true"),
        (Or(()), "false"),
        (Not(And((p,))), "!(p == 1)"),
        (Implies(p, Implies(q, r)), "p == 1 -> q == 1 -> r == 1"),
        (Implies(Implies(p, q), r), "(p == 1 -> q == 1) -> r == 1"),
        (Iff(p, Iff(q, r)), "p == 1 <-> (q == 1 <-> r == 1)"),
        (Deadlock(), "deadlock"),
        (Enabled(("t", "p[0].u(1, 2)")), 'enabled("t", "p[0].u(1, 2)")'),
        (Length(Hop("c", Const(1))), "len(c[1])"),
        (Full(Hop("c")), "full(c)"),
        (Empty(Hop("c")), "empty(c)"),
        (Poll(Hop("c"), (None, x), True), "c??[_, x]"),
        (Forall(Globally(p)), "AG (p == 1)"),
        (Exists(Finally(And((p, q)))), "EF (p == 1 && q == 1)"),
        (Forall(Globally(Exists(Finally(Not(p))))), "AG EF !(p == 1)"),
        (Forall(Until(p, q)), "A p == 1 U q == 1"),
        (Exists(Until(And((p, q)), Or((q, r)))), "E (p == 1 && q == 1) U (q == 1 || r == 1)"),
        (And((Exists(Until(p, q)), r)), "(E p == 1 U q == 1) && r == 1"),
        (Forall(Until(Until(p, q), r)), "A[((p == 1 U q == 1) U r == 1)]"),
        (Until(p, Until(q, r)), "p == 1 U q == 1 U r == 1"),
        (Until(Until(p, q), r), "(p == 1 U q == 1) U r == 1"),
        (And((Until(p, q), r)), "p == 1 U q == 1 && r == 1"),
        (WeakUntil(Finally(p), Next(Next(q))), "F (p == 1) W X X (q == 1)"),
        (Globally(Release(p, q)), "G (p == 1 R q == 1)"),
    ],
)
def test_a_node_prints_with_the_fewest_parentheses(node: Node, text: str) -> None:
    assert show(node) == text


def test_a_long_sum_and_a_deep_negation_print() -> None:
    total: Binary | Var = x
    negation: Not | Compare = p
    for _ in range(100_000):
        total = Binary("+", total, x)
        negation = Not(negation)
    assert len(show(total)) == 4 * 100_000 + 1
    assert show(negation) == "!" * 100_000 + "(p == 1)"


def test_a_limit_cuts_the_text_and_the_work() -> None:
    total: Binary | Var = x
    for _ in range(100):
        total = Binary("+", total, x)
    assert show(total, limit=10) == "x + x +..."
    assert show(x, limit=10) == "x"
    assert repr(p) == "<Compare p == 1>"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x", "x"),
        ("P.0", "P.0"),
        ("false", "^false"),
        ("0x", '"0x"'),
        ("a b", '"a b"'),
        ("été", '"été"'),
        ('say "hi"\\', r'"say \"hi\"\\"'),
        ("a\nb\x00", r'"a\u000ab\u0000"'),
        ("", '""'),
    ],
)
def test_a_name_that_is_no_identifier_is_quoted(name: str, text: str) -> None:
    assert spell(name) == text
    assert unquote(quote(name)) == name


def test_a_string_may_hold_the_usual_escapes() -> None:
    assert unquote(r"'a\tb\n\u0041\x'") == "a\tb\nAx"
