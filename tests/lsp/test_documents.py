"""Texts under edits, and places in UTF-16."""

from __future__ import annotations

import random
import re

import pytest
from tests.lsp.client import Message, edit

from plait.lsp.documents import (
    Document,
    character,
    lines_of,
    moved,
    path_of,
    units,
    uri_of,
)
from plait.lsp.protocol import WrongMessageError

LETTERS = ["a", "b", " ", "ü", "😀", "\n", "\r", "\r\n", "\u2028", "\x0c", "\ud800"]


def offset(text: str, line: int, unit: int) -> int:
    """Where a position is in a text, by definition."""
    ends = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text))]
    if line >= len(ends):
        return len(text)
    at, left = ends[line], unit
    while at < len(text) and text[at] not in "\r\n":
        left -= 2 if ord(text[at]) > 0xFFFF else 1
        if left < 0:
            break
        at += 1
    return at


def random_text(chance: random.Random, most: int) -> str:
    return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(most)))


@pytest.mark.parametrize("seed", range(300))
def test_edits_do_what_they_say(seed: int) -> None:
    chance = random.Random(seed)
    text = random_text(chance, 30)
    document = Document("file:///a.gal", "gal", 1, text)
    for _ in range(12):
        start, end = sorted((chance.randrange(8), chance.randrange(8)) for _ in "se")
        new = random_text(chance, 5)
        first, last = (offset(text, *place) for place in (start, end))
        first = min(first, last)  # a line may be shorter than both say
        text = text[:first] + new + text[last:]
        document.edit(edit(start, end, new))
        assert document.text == text
        assert document.lines == lines_of(text)
    document.edit({"text": "all\r\nnew"})
    assert document.lines == ["all\r\n", "new"]


@pytest.mark.parametrize(
    "change",
    [
        None,
        [],
        {},
        {"text": 1},
        {"text": "", "range": 1},
        {"text": "", "range": {"start": {"line": 0, "character": 0}}},
        edit((0, -1), (0, 0), ""),
        edit((2, 0), (1, 0), ""),
        {"text": "", "range": {"start": {"line": 0.5, "character": 0}, "end": {}}},
    ],
)
def test_edits_that_make_no_sense_are_refused(change: Message) -> None:
    document = Document("file:///a.gal", "gal", 1, "gal g { }\n\n\n")
    with pytest.raises(WrongMessageError):
        document.edit(change)
    assert document.text == "gal g { }\n\n\n"


def test_characters_and_code_units() -> None:
    line = "a😀ü😀b"
    assert [character(line, u) for u in range(9)] == [0, 1, 1, 2, 3, 3, 4, 5, 5]
    assert [units(line[:i]) for i in range(6)] == [0, 1, 3, 4, 6, 7]
    for i in range(6):
        assert character(line, units(line[:i])) == i


def test_lines_that_were_not_changed_are_found_again() -> None:
    old = lines_of("a\nb\nc\nd\n")
    line = moved(old, lines_of("a\nb\nx\ny\nd\n"))
    assert [line(i) for i in range(5)] == [0, 1, None, 4, 5]
    line = moved(old, lines_of("a\nd\n"))
    assert [line(i) for i in range(4)] == [0, None, None, 1]
    assert [moved(old, old)(i) for i in range(4)] == [0, 1, 2, 3]
    assert [moved(["a\n", "a\n"], ["a\n"])(i) for i in range(2)] == [0, None]


def test_addresses_and_files() -> None:
    for path in ("/a/b.gal", "/with space/ü😀.pml", "/50%/a#b?.dve"):
        assert str(path_of(uri_of(path))) == path
    for uri in ("untitled:Untitled-1", "http://host/a.gal", "file://host/a", "file:a", "file:", ""):
        assert path_of(uri) is None
    assert path_of("file:///a%00b") is None
    assert path_of("file://[/") is None


def test_the_language_is_that_of_the_command_or_as_the_editor_calls_it() -> None:
    def language(uri: str, called: str = "", text: str = "") -> str:
        return Document(uri, called, 1, text).language

    assert language("file:///a.pml", "plaintext") == "promela"
    assert language("file:///a.XTA") == "xta"
    assert language("file:///a.net", "", "#place p\n#trans t #endtr\n") == "prod"
    assert language("file:///a.net", "", "pl p (1)\n") == "tina"
    assert language("file:///a.xml", "xml", "<?xml version='1.0'?><nta></nta>") == "xta"
    assert language("file:///a.txt", "Promela") == "promela"
    assert language("untitled:1", "nusmv") == "smv"
    assert language("untitled:1", "markdown") == "markdown"
