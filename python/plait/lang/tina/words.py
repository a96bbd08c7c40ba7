"""The words of Tina's formats: names, names in braces, numbers, and marks.

A name is letters, digits, `_` and `'`; any other name stands in braces, with `\\` before a brace or
a `\\` of its own. A number may end with a letter for a power of a thousand (`3K`).
"""

from __future__ import annotations

import re

from plait.errors import InputError, Source, Span, error
from plait.records import dataclass

POWERS = {letter: int(1000 ** (i + 1)) for i, letter in enumerate("KMGTPE")}
_WORD = re.compile(
    r"\s*(?:(?P<quoted>\{(?:[^{}\\]|\\.)*\})|(?P<name>[\w']+)|(?P<arrow>->)|(?P<mark>\?-|!-|\S))"
)
_NUMBER = re.compile(r"([0-9]+)([KMGTPE]?)")


@dataclass
class Words:
    """The words of a description, which begins at a line of a source; `at` is the next one."""

    source: Source
    texts: list[str]
    places: list[tuple[int, int]]
    at: int = 0

    @property
    def next(self) -> str:
        """The next word, empty at the end."""
        return self.texts[self.at] if self.at < len(self.texts) else ""

    def span(self, index: int | None = None) -> Span:
        """Where a word is: the next one when none is given, the last one at the end."""
        index = min(self.at if index is None else index, len(self.texts) - 1)
        line, column = self.places[index]
        return Span(self.source, line, column, len(self.texts[index]))

    def error(self, expected: str) -> InputError:
        """What is wrong with the next word."""
        found = f"'{self.next}'" if self.next else "the end of the description"
        return error(f"expected {expected}, found {found}", self.span())

    def accept(self, text: str) -> bool:
        """Whether the next word is this one; then it is taken."""
        if self.next != text:
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        """Take this word, or it is an error."""
        if not self.accept(text):
            raise self.error(f"'{text}'")

    def name(self, what: str) -> str:
        """Take a name."""
        text = self.next
        if not text or not (text[0] == "{" or text[0] in "_'" or text[0].isalnum()):
            raise self.error(what)
        self.at += 1
        return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] == "{" else text

    def number(self, what: str) -> int:
        """Take a number."""
        found = _NUMBER.fullmatch(self.next)
        if found is None or len(found[1]) > 30:
            raise self.error(what)
        self.at += 1
        return int(found[1]) * POWERS.get(found[2], 1)


def described(source: Source, text: str, keywords: frozenset[str]) -> list[Words]:
    """The descriptions of a text: each begins with a keyword at the start of a line and goes on to
    the next one; what follows a `#` is a comment."""
    found: list[Words] = []
    for number, line in enumerate(text.split("\n"), start=1):
        words, at = Words(source, [], []), 0
        while word := _WORD.match(line, at):
            if word["mark"] == "#":
                break
            kind = word.lastgroup or "mark"
            words.texts.append(word[kind])
            words.places.append((number, word.start(kind) + 1))
            at = word.end()
        if not words.texts:
            continue
        if words.next in keywords:
            found.append(words)
        elif found:
            found[-1].texts += words.texts
            found[-1].places += words.places
        else:
            raise words.error(f"one of {', '.join(sorted(keywords))}")
    return found


__all__ = ["POWERS", "Words", "described"]
