"""The tokens of Promela and the expansion of macros, with a place in the source for each token.

A token that comes out of a macro stands where the macro was used; one of an inline where the inline
was written. Expansion is bounded: a text that grows beyond `EXPANSION_LIMIT` tokens is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

from plait.errors import InputError, Source, Span, error
from plait.lang.lexer import END, NAME, NUMBER, Lexicon, Tokens, tokenize
from plait.model.findings import count
from plait.records import dataclass, replace

COUNTED_SELECT = "select "
"""How `select` is spelt in an inline, where it counts and is never one choice, as in SPIN."""
EXPANSION_LIMIT = 2_000_000
"""The most tokens that macros and inlines may produce."""

LEXICON = Lexicon(
    punctuation=(
        *("<->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "::", "++", "--", "!!"),
        *("??", "[]", "<>", "..", "##", "-->"),
        *"{}()[];,:.=<>+-*/%&|^~!?@#",
    ),
    line_comments=(),
    block_comments=False,
)

_TIGHT_BEHIND = frozenset({"(", "[", ".", "!", "?", "!!", "??", "~", "@"})
_TIGHT_BEFORE = frozenset({*")[].,;:!?@(", "++", "--", "!!", "??"})
"""Around which a statement has no space; what may be a sign or an operator has some."""

_ARROWS = {"-->": "->"}
"""SPIN takes a longer arrow for the usual one."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its place, and the macros that must not be expanded in it."""

    kind: str
    text: str
    span: Span
    hidden: frozenset[str] = frozenset()
    within: str = ""
    """The uses of inlines that it comes from, as a suffix for labels: `~2`, inside of it `~2~5`."""
    parameter: Span | None = None
    """In an argument of an inline: where the parameter stands in its body."""


@dataclass(frozen=True, slots=True)
class Macro:
    """`#define name body`, or with parameters (also none) `#define name(a, b) body`."""

    name: str
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


class PlacedTokens(Tokens):
    """Tokens that come from several places."""

    def __init__(self, source: Source, found: Sequence[Token]) -> None:
        super().__init__(source, source.text or "", LEXICON)
        self.spans = [t.span for t in found]
        self.parameters = [t.parameter for t in found]
        self.kinds = [t.kind for t in found] + [END] * 3
        self.texts = [t.text for t in found] + [""] * 3
        last = found[-1].span if found else Span(source, 1, 1)
        self.spans.extend([last] * 3)
        self.starts = list(range(0, 2 * len(self.kinds), 2))

    def span(self, first: int | None = None, last: int | None = None) -> Span:
        """The place of a token, or of `first` to `last` as far as they are on one line."""
        first = self.at if first is None else first
        start = self.spans[first]
        if last is None or last == first:
            return start
        end = self.spans[last]
        if end.source is not start.source or end.line != start.line or end.column < start.column:
            return start
        length = end.column + end.length - start.column
        return Span(start.source, start.line, start.column, length)

    def statement(self, first: int) -> Span:
        """The place of the tokens from `first` to the one before the cursor, and what they say.

        Where macros or inlines put them together, no line says it: `inc(x)` is `x = x + 1`. One
        with arguments of an inline in it stands where the inline was written, as its others do.
        """
        run = range(first, self.at)
        if self._is_written(run):
            return self.span(first, self.at - 1)
        own = any(self.parameters[at] is None for at in run)
        place = (self.parameters[first] if own else None) or self.spans[first]
        return replace(place, said=_joined([self.texts[at] for at in run]))

    def _is_written(self, run: range) -> bool:
        """Whether the tokens stand there one after the other, in one line."""
        found = [self.spans[at] for at in run]
        for before, span in pairwise(found):
            if span == before:
                continue  # the same use of a macro
            end = before.column + before.length
            if span.source is not before.source or span.line != before.line or span.column < end:
                return False
            if (span.source.line(span.line) or "")[end - 1 : span.column - 1].strip():
                return False
        return True


def _joined(texts: Sequence[str]) -> str:
    """A statement of these tokens, as a person would write it."""
    said = ""
    texts = [text.strip() for text in texts]  # some are marked by a space
    for before, text in zip(["", *texts[:-1]], texts, strict=True):
        tight = before in _TIGHT_BEHIND or text in _TIGHT_BEFORE
        said += text if tight or not said else f" {text}"
    return said


def tokens_of(source: Source, text: str, line: int, column: int = 1) -> list[Token]:
    """The tokens of a stretch of a file without comments, which starts at that place."""

    def place(span: Span) -> Span:
        start = span.column if span.line > 1 else span.column + column - 1
        return replace(span, line=span.line + line - 1, column=start)

    try:
        found = tokenize(source, text, LEXICON)
    except InputError as wrong:
        told = (replace(d, span=d.span and place(d.span)) for d in wrong.diagnostics)
        raise InputError(*told) from None
    result = []
    begin, end = 1 - column, text.find("\n")
    for kind, word, start in zip(found.kinds, found.texts, found.starts, strict=True):
        if kind == END:
            break
        while -1 < end < start:
            line += 1
            begin, end = end + 1, text.find("\n", end + 1)
        span = Span(source, line, start - begin + 1, len(word))
        result.append(Token(kind, _ARROWS.get(word, word), span))
    return result


class Expander:
    """Macros and inlines, as known so far."""

    def __init__(self) -> None:
        self.macros: dict[str, Macro] = {}
        self.produced = 0

    def expand(self, found: Sequence[Token]) -> list[Token]:
        """The tokens with all macros expanded."""
        stack = list(reversed(found))
        result: list[Token] = []
        while stack:
            token = stack.pop()
            if token.kind == NAME and token.text == "__LINE__":
                token = replace(token, kind=NUMBER, text=str(token.span.line))
            macro = self.macros.get(token.text) if token.kind == NAME else None
            if macro is None or token.text in token.hidden:
                result.append(token)
                continue
            arguments: list[list[Token]] = []
            if macro.parameters is not None:
                if not stack or stack[-1].text != "(":
                    result.append(token)
                    continue
                stack.pop()
                arguments = take_arguments(stack, token)
                check_count(token, macro.parameters, arguments)
            body = self._substitute(macro, token, arguments)
            self.count(len(body), token.span)
            stack.extend(reversed(body))
        return result

    def count(self, tokens: int, span: Span) -> None:
        """Take note of produced tokens; an error when they are too many."""
        self.produced += tokens + 1
        if self.produced > EXPANSION_LIMIT:
            message = f"macros expand to more than {EXPANSION_LIMIT} tokens"
            raise error(message, span, "does a macro use itself?")

    def _substitute(self, macro: Macro, use: Token, arguments: list[list[Token]]) -> list[Token]:
        hidden = use.hidden | {macro.name}
        place = dict(zip(macro.parameters or (), arguments, strict=True))
        body: list[Token] = []
        quoted = False
        pasted: list[int] = []
        empty = {name for name, argument in place.items() if not argument}
        texts = ["", *(t.text for t in macro.body)]
        for before, token, after in zip_longest(texts[:-1], macro.body, macro.body[1:]):
            if quoted:  # `#x`: the text of the argument as a string
                text = " ".join(t.text for t in place[token.text]).replace('"', "'")
                body.append(Token("string", f'"{text}"', use.span))
                quoted = False
            elif token.kind == NAME and token.text in place:
                body.extend(place[token.text])
            elif token.text == "#" and after is not None and after.text in place:
                quoted = True
            elif token.text == "##" and before and after is not None:
                if not {before, after.text} & empty:
                    pasted.append(len(body))
            elif token.text in ("#", "##"):
                message = f"the operator '{token.text}' of the C preprocessor is not supported"
                raise error(message, token.span)
            else:
                body.append(replace(token, span=use.span, hidden=token.hidden | hidden))
        for at in reversed(pasted):
            body[at - 1 : at + 1] = [_pasted(body[at - 1], body[at])]
        return body


def _pasted(left: Token, right: Token) -> Token:
    """`a##b`, which makes one token of two."""
    text = left.text + right.text
    found = tokenize(left.span.source, text, LEXICON)
    if found.texts[0] != text:
        raise error(f"'##' makes no token of '{left.text}' and '{right.text}'", left.span)
    return replace(left, kind=found.kinds[0], text=text)


def take_arguments(stack: list[Token], use: Token) -> list[list[Token]]:
    """The arguments on top of a stack, up to the closing parenthesis."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    while stack:
        token = stack.pop()
        if token.text == ")" and depth == 0:
            return arguments
        if token.text == "," and depth == 0:
            arguments.append([])
            continue
        depth += token.text in ("(", "[", "{")
        depth -= token.text in (")", "]", "}")
        arguments[-1].append(token)
    raise error(f"the arguments of '{use.text}' are not closed", use.span)


def check_count(use: Token, parameters: Sequence[str], arguments: list[list[Token]]) -> None:
    """There must be as many arguments as parameters; `f()` has none or one empty one."""
    if not parameters and arguments == [[]]:
        arguments.clear()
    if len(parameters) != len(arguments):
        message = f"'{use.text}' needs {count(len(parameters), 'argument')}, not {len(arguments)}"
        raise error(message, use.span)


def expand_inlines(found: Sequence[Token], expander: Expander) -> list[Token]:
    """`inline f(a) { ... }` taken out, and each `f(e)` replaced by the body as a block.

    In `x = f(e)`, each `return v` of the body assigns: `x = v`.
    """
    inlines: dict[str, Macro] = {}
    stack = list(reversed(found))
    result: list[Token] = []
    uses = 0
    while stack:
        token = stack.pop()
        if token.text == "inline" and token.kind == NAME:
            inline = _read_inline(stack, token)
            inlines[inline.name] = inline
            continue
        known = inlines.get(token.text) if token.kind == NAME else None
        if known is None or not stack or stack[-1].text != "(":
            result.append(token)
            continue
        if token.text in token.hidden:
            raise error(f"inline '{token.text}' uses itself", token.span)
        stack.pop()
        arguments = take_arguments(stack, token)
        check_count(token, known.parameters or (), arguments)
        uses += 1
        target = _take_target(result)
        body = _instance(known, token, arguments, f"{token.within}~{uses}", target)
        expander.count(len(body), token.span)
        stack.extend(reversed(body))
    return result


def _read_inline(stack: list[Token], start: Token) -> Macro:
    """`name(a, b) { body }`, right after the word `inline`."""
    if len(stack) < 4 or stack[-1].kind != NAME or stack[-2].text != "(":
        raise error("expected 'name(parameters) { ... }' after 'inline'", start.span)
    name = stack.pop()
    stack.pop()
    parameters = take_arguments(stack, name)
    if parameters == [[]]:
        parameters = []
    if any(len(p) != 1 or p[0].kind != NAME for p in parameters):
        raise error(f"the parameters of inline '{name.text}' must be names", name.span)
    if not stack or stack.pop().text != "{":
        raise error(f"expected '{{' after inline '{name.text}(...)'", name.span)
    body: list[Token] = []
    depth = 1
    while stack:
        token = stack.pop()
        depth += token.text == "{"
        depth -= token.text == "}"
        if depth == 0:
            return Macro(name.text, tuple(p[0].text for p in parameters), tuple(body))
        body.append(token)
    raise error(f"the body of inline '{name.text}' is not closed", name.span)


def _take_target(result: list[Token]) -> list[Token]:
    """The variable in front of the `=` that ends these tokens, taken off with it; or nothing."""
    if len(result) < 2 or result[-1].text != "=":
        return []
    first = len(result) - 2
    while True:
        depth = 0
        while first > 0:  # over `[i]` to the name in front
            depth += (result[first].text == "]") - (result[first].text == "[")
            if depth == 0 and result[first].text != "[":
                break
            first -= 1
        if first < 2 or result[first - 1].text != ".":
            break
        first -= 2
    target = result[first:-1]
    del result[first:]
    return target


def _instance(
    inline: Macro, use: Token, arguments: list[list[Token]], within: str, target: list[Token]
) -> list[Token]:
    """The body with the arguments put in; its labels belong to this use."""
    place = dict(zip(inline.parameters or (), arguments, strict=True))
    labels = _labels(inline.body)
    body = [Token("{", "{", use.span)]
    returns = False
    for index, token in enumerate(inline.body):
        if token.kind != NAME:
            body.append(token)
        elif index in labels:
            body.append(replace(token, text=f"{token.text}{within}"))
        elif token.text in place:
            body.extend(replace(given, parameter=token.span) for given in place[token.text])
        elif token.text == "return":
            if not target:
                message = f"'return' needs a variable: write 'x = {inline.name}(...)'"
                raise error(message, token.span)
            body.extend([*target, Token("=", "=", token.span)])
            returns = True
        elif token.text == "select":
            body.append(replace(token, text=COUNTED_SELECT))
        else:
            hidden = token.hidden | {*use.hidden, inline.name}
            body.append(replace(token, hidden=hidden, within=within))
    if target and not returns:
        raise error(f"inline '{inline.name}' returns no value", use.span)
    return [*body, Token("}", "}", use.span)]


def _labels(body: Sequence[Token]) -> set[int]:
    """Where labels stand: in `goto name`, and `name:` outside parentheses, as in no conditional."""
    found: set[int] = set()
    depth = 0
    for index, (token, after) in enumerate(pairwise(body)):
        depth += (token.text in "([") - (token.text in ")]")
        if depth == 0 and token.kind == NAME and after.text == ":":
            found.add(index)
        if token.text == "goto" and after.kind == NAME:
            found.add(index + 1)
    return found


def character(token: Token) -> Token:
    """`'a'` as a number."""
    if token.kind == "string" and token.text.startswith("'"):
        inside = token.text[1:-1]
        escapes = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\", "\\'": "'"}
        inside = escapes.get(inside, inside)
        if len(inside) == 1 and ord(inside) < 128:
            return replace(token, kind=NUMBER, text=str(ord(inside)))
        raise error(f"{token.text} is not a character", token.span)
    return token
