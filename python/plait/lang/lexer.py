"""A lexer for the languages read by hand-written parsers: one regular expression, one pass.

A `Lexicon` says what a language's tokens look like; `tokenize` gives a `Tokens`, three parallel
lists (kind, text, offset) and a cursor. The kind of a punctuation mark is the mark itself; words
are all of kind `name`, so that a language decides by position which of them are keywords. The text
of a string token keeps its quotes: comparing texts never confuses `"if"` with `if`.

Lines and columns are worked out when a span is asked for, by bisection over the line ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cache

from plait.errors import InputError, Source, Span, error
from plait.model.arithmetic import INT_MAX
from plait.model.findings import did_you_mean
from plait.model.text import unquote
from plait.records import dataclass

NAME, NUMBER, STRING, PARAMETER, END = "name", "number", "string", "parameter", "end"


@dataclass(frozen=True, slots=True)
class Woven:
    """Where the pieces of a text that was put together stand in the file that they are from.

    `starts` are the places of the pieces in the text, ascending; `origins` those in `original`.
    """

    original: str
    starts: list[int]
    origins: list[int]

    def origin(self, start: int) -> int:
        """The place in the file of a place in the text."""
        piece = bisect_right(self.starts, start) - 1
        return self.origins[piece] + start - self.starts[piece]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What the tokens of a language look like."""

    punctuation: tuple[str, ...]
    line_comments: tuple[str, ...] = ("//",)
    block_comments: bool = True
    """`/* ... */`, not nested; one that opens with `/**` is kept for the token that follows."""
    quotes: str = "\"'"
    dotted_names: bool = False
    """`a.b.0` is one name; a dot that is not followed by a letter or digit ends it."""
    parameters: bool = False
    """`$name` is a token."""
    reals: bool = False
    """`0.5` and `1e-5` are numbers."""
    word: str = r"[A-Za-z_][A-Za-z0-9_]*+"
    """The words, as a regular expression."""
    sized_numbers: bool = False
    """`0ud8_255` is a number, too; the language says which are."""
    continued: bool = False
    """A backslash at the end of a line is space."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """One alternative per kind of token; every character belongs to exactly one match."""
        return _pattern(self)


@cache
def _pattern(lexicon: Lexicon) -> re.Pattern[str]:
    word = lexicon.word
    name = word + rf"(?:\.(?:\^?{word}|[0-9]++))*+" if lexicon.dotted_names else word
    marks = "|".join(re.escape(p) for p in sorted(lexicon.punctuation, key=len, reverse=True))
    quotes = "|".join(rf"{q}(?:[^{q}\\\n]|\\[^\n])*+{q}" for q in lexicon.quotes)
    comments = [rf"{re.escape(c)}[^\n]*+" for c in lexicon.line_comments]
    if lexicon.block_comments:
        comments.insert(0, r"/\*.*?\*/")
    if lexicon.continued:
        comments.append(r"\\[ \t\r]*+\n")
    alternatives = [
        rf"(?P<name>{name})",
        rf"(?P<comment>{'|'.join(comments) or '(?!)'})",
        r"(?P<open>/\*)" if lexicon.block_comments else r"(?P<open>(?!))",
        rf"(?P<mark>{marks})",
        r"(?P<number>[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+)"
        if lexicon.reals
        else r"(?P<number>[0-9][0-9A-Za-z_]*+)",
        rf"(?P<string>{quotes})" if quotes else r"(?P<string>(?!))",
        r"(?P<parameter>\$[A-Za-z_][A-Za-z0-9_]*+)"
        if lexicon.parameters
        else r"(?P<parameter>(?!))",
        r"(?P<bad>.)",
    ]
    return re.compile(r"[ \t\r\n\f\v]*+(?:" + "|".join(alternatives) + ")", re.DOTALL)


class Tokens:
    """The tokens of a text and a cursor over them; `at` is the index of the next one."""

    def __init__(
        self, source: Source, text: str, lexicon: Lexicon, woven: Woven | None = None
    ) -> None:
        self.source = source
        self.text = text
        self.woven = woven
        self.lexicon = lexicon
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.docs: dict[int, str] = {}
        """The documentation comment right before a token, by the token's index."""
        self.at = 0
        original = text if woven is None else woven.original
        self._line_ends = [m.start() for m in re.finditer("\n", original)]

    # --- looking ----------------------------------------------------------------------------------

    @property
    def next(self) -> str:
        """The text of the next token, `""` at the end."""
        return self.texts[self.at]

    def peek(self, ahead: int = 1) -> str:
        """The text of a later token."""
        index = self.at + ahead
        return self.texts[index] if index < len(self.texts) else ""

    def kind(self, ahead: int = 0) -> str:
        """The kind of the next token or of a later one."""
        index = self.at + ahead
        return self.kinds[index] if index < len(self.kinds) else END

    def adjacent(self, index: int) -> bool:
        """Whether token `index + 1` follows without a space."""
        return self.starts[index] + len(self.texts[index]) == self.starts[index + 1]

    def describe(self, index: int) -> str:
        """How a message calls a token."""
        if self.kinds[index] == END:
            return "the end of the text"
        text = self.texts[index]
        text = text if len(text) <= 40 else text[:37] + "..."
        text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
        return f"the string {text}" if self.kinds[index] == STRING else f"'{text}'"

    def span(self, first: int | None = None, last: int | None = None) -> Span:
        """The place of a token, or of `first` to `last` as far as they are on one line."""
        first = self.at if first is None else first
        last = first if last is None else last
        start = self.starts[first]
        end = self.starts[last] + len(self.texts[last])
        return self.place(start, end)

    def statement(self, first: int) -> Span:
        """The place of what was read since the token `first`."""
        return self.span(first, self.at - 1)

    def place(self, start: int, end: int) -> Span:
        """The span of a stretch of the text, cut at the end of its first line."""
        if self.woven is not None:
            start, end = self.woven.origin(start), self.woven.origin(end - 1) + 1
        ends = self._line_ends
        line = bisect_left(ends, start)
        begin = ends[line - 1] + 1 if line else 0
        if line < len(ends) and end > ends[line]:
            end = ends[line]
        return Span(self.source, line + 1, start - begin + 1, end - start if end > start else 1)

    def wording(self, first: int, end: int) -> str:
        """The text from a token up to another as it was written, but on one line and uncommented.

        Whatever stands between two tokens becomes one space, so that they stay what they are.
        """
        pieces = [
            self.texts[i] if self.adjacent(i) else self.texts[i] + " " for i in range(first, end)
        ]
        return "".join(pieces).rstrip()

    # --- moving -----------------------------------------------------------------------------------

    def accept(self, text: str) -> bool:
        """Step over the next token if it is this one."""
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def expect(self, text: str, where: str = "") -> int:
        """Step over the next token, which must be this one; its index."""
        if self.texts[self.at] != text:
            raise self.expected(f"'{text}'{' ' if where else ''}{where}")
        self.at += 1
        return self.at - 1

    def expected(self, what: str, hint: str | None = None, words: Iterable[str] = ()) -> InputError:
        """The error that something else than the next token was expected.

        What was expected in quotes, and the `words` that it stands for, may have been misspelt.
        """
        if hint is None and self.kinds[self.at] == NAME:
            hint = did_you_mean(self.next, [*re.findall(r"'(\w+)'", what), *words])
        return self.fail(f"expected {what}, found {self.describe(self.at)}", hint=hint)

    def refuse_assignment(self) -> None:
        """Refuse a single '=' behind a condition, where it was meant to compare."""
        if self.next == "=":
            raise self.fail("a condition cannot assign", hint="'==' compares")

    def fail(self, message: str, index: int | None = None, hint: str | None = None) -> InputError:
        """An error at a token, the next one unless told otherwise."""
        return error(message, self.span(index), hint)

    # --- reading values ---------------------------------------------------------------------------

    def name(self, what: str) -> str:
        """A name: a word, a word escaped by `^`, or any text in quotes."""
        kind = self.kinds[self.at]
        if kind == NAME:
            self.at += 1
            return self.texts[self.at - 1].replace("^", "")
        if kind == STRING:
            return self.string(what)
        if self.escapes(self.at):
            self.at += 2
            return self.texts[self.at - 1].replace("^", "")
        raise self.expected(what)

    def named(self, what: str) -> tuple[str, Span]:
        """A name, and its place."""
        first = self.at
        name = self.name(what)
        return name, self.span(first, self.at - 1)

    def escapes(self, index: int) -> bool:
        """Whether `^` stands right before a word: the word is a name, whatever it is elsewhere."""
        return self.texts[index] == "^" and self.kinds[index + 1] == NAME and self.adjacent(index)

    def string(self, what: str) -> str:
        """The contents of a quoted string."""
        if self.kinds[self.at] != STRING:
            raise self.expected(what)
        self.at += 1
        return unquote(self.texts[self.at - 1])

    def parameter(self, what: str = "a parameter such as '$x'") -> str:
        """The name of a parameter, without its `$`."""
        if self.kinds[self.at] != PARAMETER:
            raise self.expected(what)
        self.at += 1
        return self.texts[self.at - 1][1:]

    def number(self, index: int, limit: int = INT_MAX) -> int:
        """The value of the number token at `index`, at most `limit`."""
        digits = self.texts[index]
        if len(digits) < 10:
            return int(digits)
        digits = digits.lstrip("0")
        if len(digits) > 10 or int(digits or "0") > limit:
            shown = digits if len(digits) <= 40 else digits[:20] + "..."
            raise self.fail(f"the constant {shown} does not fit in 32 bits", index)
        return int(digits or "0")

    def signed_number(self, what: str = "a number") -> int:
        """`-? INT`."""
        negative = self.accept("-")
        if self.kinds[self.at] != NUMBER:
            raise self.expected(what)
        self.at += 1
        value = self.number(self.at - 1, INT_MAX + 1 if negative else INT_MAX)
        return -value if negative else value


def tokenize(source: Source, text: str, lexicon: Lexicon, woven: Woven | None = None) -> Tokens:
    """The tokens of a text; a located error for the first character that belongs to none.

    The pieces of a `woven` text are shown where they stand in the file.
    """
    tokens = Tokens(source, text, lexicon, woven)
    kinds, texts, starts = tokens.kinds, tokens.texts, tokens.starts
    end = len(text.rstrip(" \t\r\n\f\v"))
    for match in lexicon.pattern.finditer(text, 0, end):
        kind = match.lastgroup or ""
        found = match[kind]
        if kind == "comment":
            if found.startswith("/**") and len(found) > 4:
                tokens.docs[len(texts)] = found[3:-2].strip()
            continue
        start = match.end() - len(found)
        if kind == "mark":
            kind = found
        elif kind in ("open", "bad") or (
            kind == NUMBER
            and not (lexicon.reals or lexicon.sized_numbers)
            and not found.isdecimal()
        ):
            raise _bad_token(tokens, kind, found, start)
        kinds.append(kind)
        texts.append(found)
        starts.append(start)
    # Three of them, so that a look ahead needs no test; they stand right after the last token.
    last = starts[-1] + len(texts[-1]) if texts else 0
    kinds.extend([END] * 3)
    texts.extend([""] * 3)
    starts.extend([last] * 3)
    return tokens


_SIGNS = ("<=", ">=", "!=", "&&", "||", "!", "->", "->", "[]", "<>", "-", "-", '"', '"')
_WRITTEN = dict(zip("≤≥≠∧∨¬→⇒□◇–−“”", _SIGNS, strict=True))
"""Signs of papers and of word processors, as texts in ASCII have them."""


def _bad_token(tokens: Tokens, kind: str, found: str, start: int) -> InputError:
    """The error for a character that starts no token."""
    if kind == "open":
        return error("this comment is not closed", tokens.place(start, start + 2))
    if kind == NUMBER:
        place = tokens.place(start, start + len(found))
        return error(f"'{found[:40]}' is neither a number nor a name", place)
    place = tokens.place(start, start + 1)
    if found in tokens.lexicon.quotes:
        return error("this string is not closed on its line", place)
    if found == "$" and tokens.lexicon.parameters:
        return error("'$' must be followed by the name of a parameter", place)
    code = f"U+{ord(found):04X}"
    if found.isprintable():
        hint = None
        written = _WRITTEN.get(found)
        if written in (*tokens.lexicon.punctuation, *tokens.lexicon.quotes):
            hint = f"it is written {written}"
        elif ord(found) > 127:
            hint = "names are made of ASCII letters, digits and '_'; put any other name in quotes"
        return error(f"unexpected character '{found}' ({code})", place, hint)
    return error(f"unexpected character {code}; is this a text file?", place)
