"""Diagnostics as a user sees them: the line of the source, and a caret under what is meant."""

import pytest

from plait.errors import Diagnostic, Source, Span, columns


def excerpt(line: str, word: str, length: int | None = None) -> tuple[str, str]:
    """The line and the carets below it, for a diagnostic about a word in it."""
    span = Span(Source("m", line), 1, line.index(word) + 1, length or len(word))
    _, shown, carets = Diagnostic("wrong", span).render().split("\n")
    return shown, carets


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("x = y;", "y"),
        ("\t\tx = y;", "y"),
        ('"變數" = y;', "y"),
        ('"🚦🚦" = yes;', "yes"),
        ('"ｗｉｄｅ" = y;', "y"),
        ('"e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}" = y;', "y"),
        ('"naïve" = y;', "y"),
        ("y = 變數;", "變數"),
        ("變" * 200 + "y" + "變" * 200, "y"),
    ],
)
def test_carets_stand_under_what_is_meant_however_wide_the_characters_are(
    line: str, word: str
) -> None:
    shown, carets = excerpt(line, word)
    before, _, _ = shown.partition(word)
    assert carets == " " * columns(before) + "^" * columns(word)


def test_characters_take_the_columns_that_a_terminal_gives_them() -> None:
    assert [columns(c) for c in "aäｱ"] == [1, 1, 1]
    assert [columns(c) for c in "變🚦Ａ"] == [2, 2, 2]
    assert columns("\N{COMBINING ACUTE ACCENT}") == 0


def test_a_caret_may_stand_behind_the_end_of_a_line() -> None:
    span = Span(Source("m", "變 ="), 1, 5)
    assert Diagnostic("something is missing", span).render().split("\n")[2] == "         ^"


def test_a_span_longer_than_its_line_ends_with_the_line() -> None:
    assert excerpt("x = y", "y", 40)[1] == "        ^"
