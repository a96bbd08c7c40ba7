"""Terms for the solver on corner values: arithmetic, indices and Kleene's tables, exactly."""

from itertools import product

import pytest
import z3

from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary, apply_unary, compare
from plait.model.expr import (
    And,
    ArithmeticOp,
    AsInt,
    Binary,
    Compare,
    CompareOp,
    Const,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Unary,
    Var,
)
from plait.model.shape import Slot
from plait.smt.make import Term, constant
from plait.smt.terms import Condition, Number, Terms

CORNERS = (INT_MIN, INT_MIN + 1, -7, -2, -1, 0, 1, 2, 3, 31, 32, INT_MAX - 1, INT_MAX)
STATE = [constant(v) for v in (10, 11, 12, 5)]
SLOTS = {"a": Slot(0, 3, None), "x": Slot(3, None, None)}


def holds(term: Term | None) -> bool:
    if term is None:
        return True
    value = z3.simplify(term)
    assert z3.is_true(value) or z3.is_false(value)
    return z3.is_true(value)


def number(found: Number) -> int | None:
    value: int = z3.simplify(found.value).as_signed_long()
    return value if holds(found.defined) else None


def truth(found: Condition) -> bool | None:
    true, false = holds(found.true), holds(found.refuted)
    assert not (true and false)
    return True if true else False if false else None


def terms() -> Terms:
    return Terms(SLOTS, lambda: None)


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "**"])
def test_arithmetic_is_that_of_the_models(op: ArithmeticOp) -> None:
    for a, b in product(CORNERS[::2] if op == "**" else CORNERS, repeat=2):
        found = number(terms().integer(Binary(op, Const(a), Const(b)), STATE))
        assert found == apply_binary(op, a, b), (a, op, b)


@pytest.mark.parametrize("op", ["-", "~"])
def test_unary_operations_are_those_of_the_models(op: str) -> None:
    for a in CORNERS:
        made = Unary("-" if op == "-" else "~", Const(a))
        assert number(terms().integer(made, STATE)) == apply_unary(op, a)


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_comparisons_are_signed(op: CompareOp) -> None:
    for a, b in product(CORNERS, CORNERS):
        found = truth(terms().condition(Compare(op, Const(a), Const(b)), STATE))
        assert found == compare(op, a, b), (a, op, b)


@pytest.mark.parametrize("index", [INT_MIN, -1, 0, 1, 2, 3, 4, INT_MAX])
def test_an_index_outside_its_array_is_undefined(index: int) -> None:
    expression = Binary("+", Var("a", Binary("+", Const(index), Const(0))), Const(1))
    expected = 11 + index if 0 <= index < 3 else None
    assert number(terms().integer(expression, STATE)) == expected


UNKNOWN = Compare("==", Binary("/", Const(1), Const(0)), Const(1))
ATOMS: dict[bool | None, Formula] = {
    True: Compare("==", Var("x"), Const(5)),
    False: Compare("<", Var("x"), Const(5)),
    None: UNKNOWN,
}


def test_connectives_are_kleenes() -> None:
    for a, b in product(ATOMS, ATOMS):
        left, right = ATOMS[a], ATOMS[b]
        conjunction = False if False in (a, b) else None if None in (a, b) else True
        disjunction = True if True in (a, b) else None if None in (a, b) else False
        implied = True if a is False or b is True else None if None in (a, b) else False
        same = None if None in (a, b) else a == b
        found = terms()
        for formula, expected in (
            (And((left, right)), conjunction),
            (Or((left, right)), disjunction),
            (Implies(left, right), implied),
            (Iff(left, right), same),
            (Not(And((left, right))), None if conjunction is None else not conjunction),
            (Not(Or((left, right))), None if disjunction is None else not disjunction),
        ):
            assert truth(found.condition(formula, STATE)) is expected, (a, b, formula)


def test_a_condition_as_a_number_is_undefined_where_it_is() -> None:
    for value, atom in ATOMS.items():
        expected = None if value is None else int(value)
        assert number(terms().integer(AsInt(atom), STATE)) == expected
