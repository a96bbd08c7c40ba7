"""The preprocessor: comments, directives, includes, conditional text.

Only files below the folder of the model can be included. Nothing of the machine's C compiler is
used, and there are no predefined macros.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from plait.errors import Source, Span, error
from plait.lang.files import read_text
from plait.lang.promela.expressions import constant_of
from plait.lang.promela.macros import (
    Expander,
    Macro,
    PlacedTokens,
    Token,
    character,
    expand_inlines,
    tokens_of,
)
from plait.model.types import no_parameter

INCLUDE_DEPTH = 20
_COMMENT = re.compile(
    r"""/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|/\*|\*/(?![*/])""", re.S
)
"""Comments, and what looks like one and is none; the end of one that never began is passed over, as
in SPIN, but `2 */* c */ 3` is a product."""
_IGNORED = frozenset({"pragma", "ident", "line"})


def preprocess(source: Source, values: Mapping[str, int] | None = None) -> PlacedTokens:
    """The tokens of a file, all macros and inlines expanded.

    `values` are those of macros without parameters, whatever the file defines them to be.
    """
    return _Preprocessor(source, values or {}).run()


class _Preprocessor:
    def __init__(self, source: Source, values: Mapping[str, int]) -> None:
        self.main = source
        self.values = values
        self.parameters: dict[str, bool] = {}
        """The macros without parameters that are defined somewhere: whether as a number."""
        self.root = Path(source.path).resolve().parent if source.path is not None else None
        self.expander = Expander()
        self.output: list[Token] = []
        self.pending: list[Token] = []

    def run(self) -> PlacedTokens:
        """Everything, from the main file on."""
        for name, value in self.values.items():
            text = str(value) if value >= 0 else f"({value})"
            self.expander.macros[name] = Macro(name, None, (*tokens_of(self.main, text, 1),))
        self._file(self.main, 0)
        for name in self.values:
            if name not in self.parameters:
                raise no_parameter(name, [n for n, number in self.parameters.items() if number])
        self._flush()
        found = expand_inlines(self.output, self.expander)
        return PlacedTokens(self.main, [character(t) for t in found])

    def _flush(self) -> None:
        self.output.extend(self.expander.expand(self.pending))
        self.pending = []

    def _file(self, source: Source, depth: int) -> None:
        text = _without_comments(source)
        lines = text.split("\n")
        conditions: list[tuple[bool, bool, Span]] = []
        """Whether this part is read, whether an earlier part was, and where it began."""
        number = 0
        start = 0
        block: list[str] = []

        def emit() -> None:
            if block:
                self.pending.extend(tokens_of(source, "\n".join(block), start + 1))
                block.clear()

        while number < len(lines):
            line = lines[number]
            active = all(c[0] for c in conditions)
            if not line.lstrip().startswith("#"):
                if active:
                    if not block:
                        start = number
                    block.append(line.removesuffix("\\"))
                else:
                    emit()
                number += 1
                continue
            emit()
            first = number
            while line.endswith("\\") and number + 1 < len(lines):
                number += 1
                line = line[:-1] + " " + lines[number]
            number += 1
            self._directive(source, line, first + 1, conditions, depth)
        emit()
        if conditions:
            raise error("this condition has no '#endif'", conditions[-1][2])

    def _directive(
        self,
        source: Source,
        line: str,
        number: int,
        conditions: list[tuple[bool, bool, Span]],
        depth: int,
    ) -> None:
        column = len(line) - len(line.lstrip()) + 1
        match = re.match(r"\s*#\s*([A-Za-z]*)(.*)", line, re.S)
        assert match is not None
        word, rest, start = match[1], match[2], match.start(2) + 1
        span = Span(source, number, column, len(word) + 1)
        active = all(c[0] for c in conditions)
        if word in ("if", "ifdef", "ifndef"):
            holds = active and self._condition(word, rest, span, start)
            conditions.append((holds, holds or not active, span))
        elif word in ("else", "elif", "endif"):
            if not conditions:
                raise error(f"'#{word}' without '#if'", span)
            _, done, begin = conditions.pop()
            if word == "else":
                conditions.append((not done, True, begin))
            elif word == "elif":
                holds = not done and self._condition("if", rest, span, start)
                conditions.append((holds, done or holds, begin))
        elif not active:
            if word == "define":
                self._note(rest)
        else:
            self._flush()
            self._command(word, rest, span, start, depth)

    def _command(self, word: str, rest: str, span: Span, start: int, depth: int) -> None:
        if word == "define":
            self._define(rest, span, start)
        elif word == "undef":
            if rest.strip() not in self.values:
                self.expander.macros.pop(rest.strip(), None)
        elif word == "include":
            self._include(rest, span, depth)
        elif word == "error":
            raise error(f"#error{rest}", span)
        elif word and word not in _IGNORED:
            raise error(f"the directive '#{word}' is not supported", span)

    def _condition(self, word: str, rest: str, span: Span, start: int) -> bool:
        if word != "if":
            name = rest.split()
            if not name:
                raise error(f"expected a name after '#{word}'", span)
            return (name[0] in self.expander.macros) == (word == "ifdef")

        def defined(match: re.Match[str]) -> str:
            return "1" if (match[1] or match[2]) in self.expander.macros else "0"

        rest = re.sub(r"\bdefined\b\s*(?:\(\s*(\w+)\s*\)|(\w+))", defined, rest)
        found = self.expander.expand(tokens_of(span.source, rest, span.line, start))
        return constant_of(PlacedTokens(span.source, found), span) != 0

    def _define(self, rest: str, span: Span, start: int) -> None:
        match = re.match(r"\s*([A-Za-z_]\w*)(\(([^)]*)\))?", rest)
        if match is None:
            raise error("expected a name after '#define'", span)
        parameters: tuple[str, ...] | None = None
        if match[2] is not None:
            parts = [p.strip() for p in match[3].split(",")] if match[3].strip() else []
            if not all(p.isidentifier() for p in parts) or len(set(parts)) < len(parts):
                raise error(f"the parameters of macro '{match[1]}' must be names", span)
            parameters = tuple(parts)
        self._note(rest)
        if parameters is None and match[1] in self.values:
            return
        body = (*tokens_of(span.source, rest[match.end() :], span.line, start + match.end()),)
        self.expander.macros[match[1]] = Macro(match[1], parameters, body)

    def _note(self, rest: str) -> None:
        """A macro without parameters is a parameter of the model."""
        match = re.match(r"\s*([A-Za-z_]\w*)(?!\()(\s+\(?-?[0-9]+\)?\s*$)?", rest)
        if match is not None:
            self.parameters[match[1]] = match[2] is not None or self.parameters.get(match[1], False)

    def _include(self, rest: str, span: Span, depth: int) -> None:
        match = re.fullmatch(r'\s*"([^"]+)"\s*', rest)
        if match is None:
            raise error("expected a file name in quotes after '#include'", span)
        if self.root is None:
            raise error("a text that is no file cannot include files", span)
        if depth >= INCLUDE_DEPTH:
            raise error(f"includes are nested more than {INCLUDE_DEPTH} deep", span)
        path = (self.root / match[1]).resolve()
        if not path.is_relative_to(self.root):
            message = f"'{match[1]}' is outside the folder of the model"
            raise error(message, span, "only files below that folder can be included")
        text = _lines(read_text(path, span))
        self._file(Source(match[1], text, path), depth + 1)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without_comments(source: Source) -> str:
    """The text with comments blanked out, every line still in its place."""
    text = source.text or ""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if found == "/*":
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - (text.rfind("\n", 0, match.start()) + 1) + 1
            raise error("this comment is not closed", Span(source, line, column, 2))
        if found.startswith(("/", "*")):
            return re.sub(r"[^\n]", " ", found)
        return found

    return _COMMENT.sub(blank, text)


def written_between(before: Span, after: Span) -> str:
    """What stands between two places of a file, macros and all, on one line without comments.

    Nothing, where a macro gave both ends, or the text is spread over files.
    """
    if before.source is not after.source or before.line > after.line:
        return ""
    lines = _without_comments(before.source).split("\n")[before.line - 1 : after.line]
    lines[-1] = lines[-1][: after.column - 1]
    lines[0] = lines[0][before.column + before.length - 1 :]
    return " ".join(" ".join(lines).split())


__all__ = ["preprocess", "written_between"]
