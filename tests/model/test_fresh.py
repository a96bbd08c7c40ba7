"""Names that nobody has yet."""

import pytest

from plait.model.fresh import READABLE, FreshNames


def test_a_wish_is_granted_unless_it_is_taken() -> None:
    names = FreshNames(["a", "a_2x"])
    assert [names.fresh(n) for n in ("b", "a", "a", "a_2x")] == ["b", "a_3x", "a_4x", "a_2x_2x"]


@pytest.mark.parametrize("numbered", [READABLE, "{}_{}"])
def test_no_name_is_given_twice_even_where_a_wish_looks_numbered(numbered: str) -> None:
    names = FreshNames(numbered=numbered)
    second, third = numbered.format("a", 2), numbered.format("a", 3)
    assert [names.fresh(n) for n in (second, "a", "a")] == [second, "a", third]
