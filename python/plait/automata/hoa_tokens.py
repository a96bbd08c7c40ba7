"""The tokens of the Hanoi format: headers, marks, aliases, strings, and comments that may nest."""

from __future__ import annotations

import re
from typing import NoReturn

from plait.errors import Source, Span, error
from plait.lang.expressions import LEXICON
from plait.lang.lexer import Tokens
from plait.records import dataclass

MOST_NUMBER = 2**31
"""Numbers of states and sets are less."""
_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+")|(?P<mark>--[A-Z]+--)|(?P<header>[A-Za-z_][\w-]*+:)'
    r"|(?P<word>[A-Za-z_][\w-]*+)|(?P<alias>@[\w-]++)|(?P<number>[0-9]++)"
    r"|(?P<sign>[][(){}!&|])|(?P<open>/\*)|(?P<bad>\S)",
    re.DOTALL | re.ASCII,
)
_SPACE = re.compile(r"\s*+")


@dataclass(slots=True)
class HoaTokens:
    """The tokens of a text, and a cursor."""

    places: Tokens
    kinds: list[str]
    texts: list[str]
    starts: list[int]
    at: int = 0

    @property
    def kind(self) -> str:
        """What the next token is."""
        return self.kinds[self.at]

    @property
    def next(self) -> str:
        """The next token."""
        return self.texts[self.at]

    def span(self, index: int | None = None) -> Span:
        """Where the next token stands, or another."""
        i = self.at if index is None else index
        return self.places.place(self.starts[i], self.starts[i] + len(self.texts[i]))

    def fail(self, message: str, index: int | None = None, hint: str | None = None) -> NoReturn:
        """Say what is wrong there."""
        raise error(message, self.span(index), hint)

    def expected(self, what: str) -> NoReturn:
        """Say what should stand next."""
        found = "the end of the text" if self.kind == "end" else f"'{self.next[:40]}'"
        self.fail(f"expected {what}, found {found}")

    def take(self, kind: str, what: str) -> str:
        """The next token, which must be of a kind."""
        if self.kind != kind:
            self.expected(what)
        self.at += 1
        return self.texts[self.at - 1]

    def accept(self, text: str) -> bool:
        """Go past a sign or mark, if it is next."""
        if self.next == text and self.kind in ("sign", "mark"):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Go past a sign or mark, which must be next."""
        if not self.accept(text):
            self.expected(f"'{text}'")

    def number(self, what: str) -> int:
        """The next token as a number, one that may count states or sets."""
        digits = self.take("number", what)
        if len(digits) > 12 or int(digits) >= MOST_NUMBER:
            self.fail(f"{digits[:20]} is too large a number here", self.at - 1)
        return int(digits)


def tokens_of(text: str, name: str) -> HoaTokens:
    """The tokens of a text; `name` is where it came from."""
    places = Tokens(Source(name, text), text, LEXICON)
    found = HoaTokens(places, [], [], [])
    at = 0
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        match = _TOKEN.match(text, at)
        if match is None:
            break
        kind = match.lastgroup or ""
        if kind == "open":
            at = _after_comment(text, at, places)
            continue
        if kind == "bad":
            what = "this string is not closed" if match[0] == '"' else f"unexpected {match[0]!r}"
            raise error(what, places.place(at, at + 1))
        found.kinds.append(kind)
        found.texts.append(match[0])
        found.starts.append(at)
        at = match.end()
    found.kinds.append("end")
    found.texts.append("")
    found.starts.append(len(text))
    return found


def _after_comment(text: str, start: int, places: Tokens) -> int:
    """The place after a comment; comments may be nested."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    raise error("this comment is not closed", places.place(start, start + 2))


__all__ = ["MOST_NUMBER", "HoaTokens", "tokens_of"]
