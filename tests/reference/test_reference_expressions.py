"""What expressions mean in a state, and what happens where they mean nothing."""

from __future__ import annotations

import itertools

import pytest
from reference_models import (
    Number,
    array,
    cmp,
    eq,
    event,
    gal,
    integer,
    interval,
    num,
    op,
    param,
    put,
    system,
    var,
)

from plait.errors import InputError
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    AsInt,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
    Unary,
)
from plait.model.stmt import For, If
from plait.model.types import Constant
from plait.reference import Semantics

UNDEFINED = {
    "a division by zero": op(7, "/", var("zero")),
    "a remainder by zero": op(7, "%", var("zero")),
    "an index below the array": var("t", op(var("zero"), "-", 1)),
    "an index beyond the array": var("t", op(var("zero"), "+", 2)),
    "an undefined index": var("t", op(1, "/", var("zero"))),
    "a shift to the left by -1": op(1, "<<", op(var("zero"), "-", 1)),
    "a shift to the left by 32": op(1, "<<", op(var("zero"), "+", 32)),
    "a shift to the right by -1": op(1, ">>", op(var("zero"), "-", 1)),
    "a shift to the right by 32": op(1, ">>", op(var("zero"), "+", 32)),
    "a negative exponent": op(2, "**", op(var("zero"), "-", 1)),
    "a sum with an undefined term": op(op(1, "%", var("zero")), "+", 1),
    "the negative of an undefined number": Unary("-", op(1, "%", var("zero"))),
    "an undefined condition as a number": AsInt(cmp(op(1, "/", var("zero")), "==", 0)),
}


def small() -> Semantics:
    return system(gal("g", [integer("x"), integer("zero"), array("t", 5, 6)]))


def value(expr: IntExpr) -> int | None:
    semantics = small()
    return semantics.value(expr, semantics.initial)


@pytest.mark.parametrize("expr", UNDEFINED.values(), ids=UNDEFINED.keys())
def test_an_undefined_operation_has_no_value(expr: IntExpr) -> None:
    assert value(expr) is None


@pytest.mark.parametrize("expr", UNDEFINED.values(), ids=UNDEFINED.keys())
def test_an_undefined_guard_disables_its_event_negated_or_not(expr: IntExpr) -> None:
    """covers: I34"""
    guard = cmp(expr, "==", 0)
    semantics = system(
        gal(
            "g",
            [integer("x"), integer("zero"), array("t", 5, 6)],
            event("plain", guard, put("x", 1)),
            event("negated", Not(guard), put("x", 1)),
            event("implied", Implies(guard, FALSE), put("x", 1)),
            event("either", Or((guard, Not(guard))), put("x", 1)),
            event("saved", Or((guard, eq("x", 0))), put("x", 1)),
        )
    )
    assert semantics.enabled(semantics.initial) == {"saved"}
    assert not semantics.undefined


@pytest.mark.parametrize("expr", UNDEFINED.values(), ids=UNDEFINED.keys())
def test_an_undefined_operation_in_a_body_drops_the_path_and_is_counted(expr: IntExpr) -> None:
    """covers: I34"""
    semantics = system(
        gal(
            "g",
            [integer("x"), integer("zero"), array("t", 5, 6)],
            event("value", (), put("x", expr)),
            event("index", (), put(var("t", expr), 1)),
            event("branch", (), If(cmp(expr, "==", 0), (put("x", 1),), (put("x", 2),))),
            event("later", (), put("x", 3), put("x", expr)),
            event("fine", (), put("x", 4)),
        )
    )
    assert semantics.enabled(semantics.initial) == {"fine"}
    assert semantics.undefined == {"value": 1, "index": 1, "branch": 1, "later": 1}


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (op(INT_MAX, "+", 1), INT_MIN),
        (op(INT_MIN, "-", 1), INT_MAX),
        (op(65536, "*", 65536), 0),
        (op(46341, "*", 46341), -2147479015),
        (op(1, "<<", 31), INT_MIN),
        (op(3, "<<", 31), INT_MIN),
        (op(2, "**", 31), INT_MIN),
        (op(3, "**", 21), 1870418611),
        (op(0, "**", 0), 1),
        (op(INT_MIN, "/", -1), INT_MIN),
        (op(INT_MIN, "%", -1), 0),
        (Unary("-", num(INT_MIN)), INT_MIN),
        (Unary("~", num(0)), -1),
        (op(-7, "/", 2), -3),
        (op(-7, "%", 2), -1),
        (op(7, "%", -2), 1),
        (op(-8, ">>", 1), -4),
        (op(12, "&", 10), 8),
        (op(12, "|", 10), 14),
        (op(12, "^", 10), 6),
        (var("t", var("zero")), 5),
        (var("t", op(var("t", 1), "-", 5)), 6),
    ],
)
def test_arithmetic_is_that_of_32_bit_integers(expr: IntExpr, expected: int) -> None:
    """covers: I35"""
    assert value(expr) == expected


def test_a_variable_wraps_around_when_it_is_assigned() -> None:
    """covers: I35"""
    semantics = system(
        gal("g", [integer("x", INT_MAX)], event("up", (), put("x", op(var("x"), "+", 1))))
    )
    assert semantics.successors(semantics.initial) == [("up", (INT_MIN,))]


def test_a_condition_counts_one_or_zero_as_a_number() -> None:
    """covers: I100"""
    number = op(AsInt(eq("x", 3)), "+", op(2, "*", AsInt(Or((eq("x", 3), eq("x", 4))))))
    semantics = system(gal("g", [integer("x")], event("e", cmp(number, ">=", 2), put("x", number))))
    assert [semantics.value(number, (x,)) for x in (2, 3, 4)] == [0, 3, 2]
    assert semantics.successors((3,)) == [("e", (3,))]
    assert semantics.successors((4,)) == [("e", (2,))]
    assert semantics.successors((2,)) == []


def test_an_assignment_takes_its_value_and_index_before_it_changes_anything() -> None:
    semantics = system(
        gal(
            "g",
            [integer("i"), array("t", 1, 0)],
            event(
                "e", (), put(var("t", var("t", 0)), op(var("t", 0), "+", var("t", 1))), put("i", 1)
            ),
            event("f", (), put("i", 1), put(var("t", var("i")), var("i"))),
        )
    )
    assert semantics.successors(semantics.initial) == [("e", (1, 1, 1)), ("f", (1, 1, 1))]


KLEENE = {True: TRUE, False: FALSE, None: cmp(op(1, "/", 0), "==", 0)}


@pytest.mark.parametrize(("a", "b"), list(itertools.product(KLEENE, repeat=2)))
def test_connectives_follow_strong_kleene_logic(a: bool | None, b: bool | None) -> None:
    semantics = system(gal("g", [integer("x")]))

    def truth(formula: Formula) -> bool | None:
        return semantics.truth(formula, semantics.initial)

    known = a is not None and b is not None
    left, right = KLEENE[a], KLEENE[b]
    conjunction = False if a is False or b is False else True if known else None
    disjunction = True if a is True or b is True else False if known else None
    assert truth(And((left, right))) is conjunction
    assert truth(Or((left, right))) is disjunction
    assert truth(Implies(left, right)) is truth(Or((Not(left), right)))
    assert truth(Iff(left, right)) is ((a == b) if known else None)
    assert truth(Not(left)) is (None if a is None else not a)


def test_the_innermost_parameter_is_meant() -> None:
    """covers: I105"""
    semantics = system(
        gal(
            "g",
            [integer("x")],
            event("type", (), put("x", param("n"))),
            event("own", (), put("x", param("n")), parameters=[("r", "n")]),
            event(
                "loop", (), For("n", "s", (put("x", op(op(var("x"), "*", 10), "+", param("n"))),))
            ),
            event("global", (), put("x", param("m"))),
            constants=(Constant("n", value=7),),
            ranges=(interval("r", 3, 3), interval("s", 4, 6)),
        ),
        constants=(Constant("n", value=1), Constant("m", value=2)),
    )
    assert semantics.successors(semantics.initial) == [
        ("type", (7,)),
        ("own(3)", (3,)),
        ("loop", (456,)),
        ("global", (2,)),
    ]


def nested(depth: int) -> Number:
    expr: IntExpr = var("x")
    for _ in range(depth):
        expr = op(1, "+", expr)
    return expr


def test_an_expression_may_be_nested_a_hundred_thousand_deep() -> None:
    deep = nested(100_000)
    formula: Formula = cmp(deep, "==", 100_000)
    for _ in range(100_000):
        formula = Not(formula)
    semantics = system(gal("g", [integer("x")], event("e", formula, put("x", deep))))
    assert semantics.successors((0,)) == [("e", (100_000,))]
    assert semantics.holds(formula, (0,))


def test_a_shared_subexpression_is_evaluated_once() -> None:
    formula: Formula = eq("x", 0)
    for _ in range(200):
        formula = Iff(formula, formula)
    semantics = system(gal("g", [integer("x")]))
    assert semantics.holds(formula, (1,))


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (var("y"), "no variable named 'y'"),
        (var("t"), "'t' is an array and needs an index"),
        (var("x", 0), "'x' is not an array"),
        (param("p"), "undeclared parameter '$p'"),
    ],
)
def test_a_name_that_means_nothing_is_an_error_of_the_input(expr: IntExpr, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("$", r"\$")):
        value(expr)
