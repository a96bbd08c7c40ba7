"""32-bit arithmetic against the definition by remainders, and every undefined case."""

from itertools import product

import pytest

from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary, apply_unary, wrap32

CORNERS = (INT_MIN, INT_MIN + 1, -65537, -33, -2, -1, 0, 1, 2, 31, 32, 65536, INT_MAX - 1, INT_MAX)


@pytest.mark.parametrize("op", ["+", "-", "*"])
def test_ring_operations_wrap(op: str) -> None:
    """covers: I35"""
    for a, b in product(CORNERS, repeat=2):
        exact = {"+": a + b, "-": a - b, "*": a * b}[op]
        result = apply_binary(op, a, b)
        assert result is not None
        assert INT_MIN <= result <= INT_MAX
        assert (result - exact) % 2**32 == 0


def test_division_truncates_and_the_remainder_has_the_sign_of_the_dividend() -> None:
    for a, b in product(CORNERS, repeat=2):
        quotient, rest = apply_binary("/", a, b), apply_binary("%", a, b)
        if b == 0:
            assert quotient is None
            assert rest is None
        else:
            assert quotient is not None
            assert rest is not None
            assert wrap32(quotient * b + rest) == a
            assert abs(rest) < abs(b)
            assert rest == 0 or (rest < 0) == (a < 0)


def test_the_least_integer_divided_by_minus_one_is_itself() -> None:
    assert apply_binary("/", INT_MIN, -1) == INT_MIN
    assert apply_binary("%", INT_MIN, -1) == 0


@pytest.mark.parametrize("op", ["<<", ">>"])
def test_shifts_beyond_the_word_are_undefined(op: str) -> None:
    for amount in (-1, 32, INT_MIN, INT_MAX):
        assert apply_binary(op, 1, amount) is None
    assert apply_binary("<<", 1, 31) == INT_MIN
    assert apply_binary(">>", INT_MIN, 31) == -1


def test_powers_wrap_and_a_negative_exponent_is_undefined() -> None:
    assert apply_binary("**", 3, 4) == 81
    assert apply_binary("**", 2, 31) == INT_MIN
    assert apply_binary("**", 2, 32) == 0
    assert apply_binary("**", 0, 0) == 1
    assert apply_binary("**", -3, 3) == -27
    assert apply_binary("**", 2, -1) is None
    assert apply_binary("**", 3, INT_MAX) == wrap32(pow(3, INT_MAX, 2**32))


def test_negation_and_complement_wrap() -> None:
    assert apply_unary("-", INT_MIN) == INT_MIN
    assert apply_unary("~", INT_MAX) == INT_MIN
