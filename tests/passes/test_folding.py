"""Constant folding: every rule by example, and exactness on random expressions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.builder import Array, Bool, Cell, Int, parameter
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
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node, nodes
from plait.model.text import show
from plait.model.types import ElementaryType, Model, Variable
from plait.passes.folding import UNDEFINED, UNKNOWN, Folder
from plait.reference import Semantics

x, y = Cell(Var("x")), Cell(Var("y"))
t = Array("t")
SIZES = {"x": None, "y": None, "t": 3, "k": None}
FOLDER = Folder({"N": 4}, SIZES, {"k": 7}, {("t", 2): 9})


def one() -> Int:
    return Int(Const(1))


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (one() + 2, "3"),
        (Int(Const(INT_MAX)) + 1, str(INT_MIN)),
        (x + 0, "x"),
        (0 + x, "x"),
        (x - 0, "x"),
        (x * 1, "x"),
        (x // 1, "x"),
        (x * 0, "0"),
        (x & 0, "0"),
        (x % 1, "0"),
        (x**0, "1"),
        (x - x, "0"),
        (x ^ x, "0"),
        (x & x, "x"),
        (x + 1 + 2, "x + 3"),
        (x - 1 + 1, "x"),
        (x + 1 - 4, "x - 3"),
        (2 * (3 * x), "x * 6"),
        (Int(Unary("-", Unary("-", x.node))), "x"),
        (~~x, "x"),
        (Cell(Var("k")) + 1, "8"),
        (t[2] + 1, "10"),
        (Int(AsInt(Truth(True))), "1"),
        # Undefined values are never folded away.
        ((one() // x) * 0, "1 / x * 0"),
        (t[x] * 0, "t[x] * 0"),
        (t[x] - t[x], "t[x] - t[x]"),
        (0 * (one() // 0), "1 / 0"),
        (one() << 32, "1 / 0"),
        (t[3], "1 / 0"),
        (x // 0 + y, "1 / 0"),
        (x << Int(Const(40)), "1 / 0"),
    ],
)
def test_an_integer_expression_is_simplified(given_: Int, expected: str) -> None:
    assert show(FOLDER.integer(given_.node)) == expected


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (Bool(Compare("==", x.node, x.node)), "true"),
        (Bool(Compare("<", x.node, x.node)), "false"),
        (t[y] == t[y], "t[y] == t[y]"),
        (Bool(Compare("<", Const(3), x.node)), "x > 3"),
        (x + 1 == 3, "x == 2"),
        (x - y == 0, "x == y"),
        (x + 1 < 3, "x + 1 < 3"),  # wrapping: not the same as x < 2
        (x >= INT_MIN, f"x >= {INT_MIN}"),
        ((x == 1).as_int() == 1, "x == 1"),
        ((x == 1).as_int() == 0, "x != 1"),
        ((x == 1).as_int() > 1, "false"),
        ((x // 0 == 1) & Bool(Truth(False)), "false"),
        ((x // 0 == 1) | Bool(Truth(True)), "true"),
        (~(x // 0 == 1), show(UNKNOWN)),
        (~(x < 3), "x >= 3"),
        (~~((x == 1) | (y == 1)), "x == 1 || y == 1"),
        ((x == 1) & ((y == 2) & (x == 1)), "x == 1 && y == 2"),
        ((x == 1) >> Bool(Truth(False)), "x != 1"),
        (Bool(Iff((x == 1).node, Truth(False))), "x != 1"),
        (Bool(And(())), "true"),
        (Bool(Or(())), "false"),
    ],
)
def test_a_condition_is_simplified(given_: Bool, expected: str) -> None:
    assert show(FOLDER.formula(given_.node)) == expected


def test_parameters_and_unknown_names_are_told_apart() -> None:
    assert show(FOLDER.integer((parameter("N") + parameter("M")).node)) == "$M + 4"
    assert show(FOLDER.integer((Cell(Var("elsewhere")) * 0).node)) == "elsewhere * 0"


def test_a_guard_is_a_list_of_distinct_conjuncts() -> None:
    a, b = (x == 1).node, (y == 1).node
    assert FOLDER.guard([And((a, b)), a, Truth(True)]) == (a, b)
    assert FOLDER.guard([a, Truth(False)]) is None
    assert FOLDER.guard([a, (x // 0 == 1).node]) is None


DEPTH = 20_000


def test_a_guard_that_asks_for_a_comparison_and_its_opposite_never_holds() -> None:
    cell = Var("t", Var("a"))
    assert FOLDER.guard([Compare("==", cell, Const(1)), Compare("!=", cell, Const(1))]) is None
    assert FOLDER.guard([Compare("==", cell, Const(1)), Compare("!=", cell, Const(2))]) is not None


def test_a_condition_that_guards_share_is_simplified_once() -> None:
    shared = ((x + 0 == 1) | (y * 1 == 2)).node
    folder = Folder({}, SIZES)
    first, second = folder.guard((shared,)), folder.guard(((x == 3).node, shared))
    assert first is not None
    assert second is not None
    assert first[-1] is second[-1] is not shared


def test_that_none_holds_is_a_conjunct_for_each_where_choices_are_opened() -> None:
    one, two = (Compare("==", Var(name), Const(1)) for name in "ab")
    neither = Not(Or((one, two)))
    assert FOLDER.guard([neither], choices=True) == tuple(
        Compare("!=", Var(name), Const(1)) for name in "ab"
    )
    assert len(FOLDER.guard([neither]) or ()) == 1


@pytest.mark.parametrize("kind", ["sum", "minus", "and", "not", "undefined"])
def test_very_deep_expressions_are_simplified(kind: str) -> None:
    node: Node = Var("x")
    for i in range(DEPTH):
        match kind:
            case "sum":
                node = Binary("+", node, Var("y"))  # type: ignore[arg-type]
            case "minus":
                node = Unary("-" if i % 2 else "~", node)  # type: ignore[arg-type]
            case "and":
                left = Compare("==", Var("x"), Const(i))
                node = And((left, node if isinstance(node, Formula) else left))
            case "not":
                node = Not(node if isinstance(node, Formula) else (x == 1).node)
            case _:
                right = Const(0) if i else Binary("/", Const(1), Var("x"))
                node = Binary("&" if i % 2 else "*", node, right)  # type: ignore[arg-type]
    simple = FOLDER.simplify(node)
    assert sum(1 for _ in nodes(simple)) <= 3 * DEPTH + 1


# --- exactness ------------------------------------------------------------------------------------

NUMBERS = st.sampled_from([-2, -1, 0, 1, 2, 3, 31, 32, INT_MAX, INT_MIN])


def _integers() -> st.SearchStrategy[Node]:
    operator = st.sampled_from(["+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^"])
    leaves = st.one_of(st.builds(Const, NUMBERS), st.sampled_from([Var("x"), Var("y"), Var("k")]))
    return st.one_of(
        leaves,
        leaves,
        st.builds(Binary, operator, INTEGERS, INTEGERS),
        st.builds(Unary, st.sampled_from(["-", "~"]), INTEGERS),
        st.builds(Var, st.just("t"), INTEGERS),
        st.builds(AsInt, CONDITIONS),
    )


def _conditions() -> st.SearchStrategy[Formula]:
    operator = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    return st.one_of(
        st.builds(Compare, operator, INTEGERS, INTEGERS),
        st.builds(Truth, st.booleans()),
        st.builds(Not, CONDITIONS),
        st.builds(Implies, CONDITIONS, CONDITIONS),
        st.builds(Iff, CONDITIONS, CONDITIONS),
        st.builds(lambda a, b: And((a, b)), CONDITIONS, CONDITIONS),
        st.builds(lambda a, b: Or((a, b)), CONDITIONS, CONDITIONS),
    )


INTEGERS = st.deferred(_integers)
CONDITIONS = st.deferred(_conditions)
MODEL = Model(
    "m",
    (
        ElementaryType(
            "m",
            variables=(
                Variable("x"),
                Variable("y"),
                Variable("t", size=Const(3)),
                Variable("k", (Const(7),)),
            ),
        ),
    ),
    "m",
)


@settings(max_examples=120, deadline=None)
@given(INTEGERS, NUMBERS, NUMBERS, NUMBERS)
def test_folding_keeps_every_value_and_every_undefined_one(
    expression: IntExpr, a: int, b: int, c: int
) -> None:
    semantics = Semantics(MODEL)
    state = (a, b, c, a, 9, 7)
    simple = FOLDER.integer(expression)
    assert semantics.value(simple, state) == semantics.value(expression, state)
    if FOLDER.total(simple):
        assert semantics.value(expression, state) is not None
    assert (simple is UNDEFINED) <= (semantics.value(expression, state) is None)


@settings(max_examples=120, deadline=None)
@given(CONDITIONS, NUMBERS, NUMBERS, NUMBERS)
def test_folding_keeps_the_three_truth_values(condition: Formula, a: int, b: int, c: int) -> None:
    semantics = Semantics(MODEL)
    state = (a, b, c, a, 9, 7)
    simple = FOLDER.formula(condition)
    assert semantics.truth(simple, state) == semantics.truth(condition, state)
    guard = FOLDER.guard([condition])
    holds = guard is not None and all(semantics.holds(g, state) for g in guard)
    assert holds == semantics.holds(condition, state)
