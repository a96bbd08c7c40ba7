"""Numbers of any size as text."""

import sys

from plait.report.numbers import decimal, grouped, size


def test_a_count_of_thirty_thousand_digits_is_exact() -> None:
    """T21: Python alone refuses to print more than 4,300 digits."""
    n = 2**100_000
    text = decimal(n)
    assert len(text) == 30_103
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert text == str(n)
    finally:
        sys.set_int_max_str_digits(before)


def test_zeros_inside_a_large_number_are_kept() -> None:
    assert decimal(10**20_000) == "1" + "0" * 20_000
    assert decimal(-(10**5_000) - 7) == "-1" + "0" * 4_999 + "7"


def test_digits_come_in_groups_and_large_numbers_say_how_large() -> None:
    assert grouped(0) == "0"
    assert grouped(1234567) == "1,234,567"
    assert grouped(-1234) == "-1,234"
    assert grouped(10**20).endswith("(about 1.0000e20)")


def test_amounts_of_memory_are_short() -> None:
    assert size(999) == "999 B"
    assert size(412_300_000) == "412 MB"
    assert size(2_500_000_000) == "2.5 GB"
