"""XML as a stream: expat underneath, exact positions, and nothing an attacker could use.

A reader is a subclass of `XmlReader` that describes its document by `Scope` objects: which child
elements an element may have, whether its text matters, and what to do when it ends. No tree is
built, so a file of any size is read in the memory of what the reader keeps.

Refused, each with its line and column: document type declarations (and with them every entity but
the five predefined ones), encodings beyond the list below, elements nested deeper than
`DEPTH_LIMIT`, and everything that is not well-formed. Prefixes of names are dropped: tools disagree
about namespaces, and no document read here mixes vocabularies.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from xml.parsers import expat

from plait.errors import InputError, Source, Span, error
from plait.hints import TYPE_CHECKING
from plait.records import dataclass, field

if TYPE_CHECKING:
    from typing import IO

DEPTH_LIMIT = 10_000
"""The deepest nesting of elements."""
SPACE = " \t\r\n"
"""What XML calls white space; Unicode's other spaces are ordinary characters."""
_CHUNK = 1 << 20
_ENCODINGS = re.compile(r"utf-(8|16|16le|16be)|us-ascii|iso-8859-\d+|windows-125\d")
"""What expat reads itself, and 8-bit tables that Python's codecs give it."""

Attributes = dict[str, str]
Opener = Callable[[str, Attributes], "Scope"]


@dataclass(slots=True, eq=False)
class Scope:
    """What may stand inside an element.

    `children` maps the name of a child to what opens it; `other` opens the rest. `finish` is called
    at the end of the element, with its own text when `text` is set (else with an empty string).
    """

    children: Mapping[str, Opener] = field(default_factory=dict)
    finish: Callable[[str], None] | None = None
    text: bool = False
    other: Opener | None = None


def _skip(tag: str, attributes: Attributes) -> Scope:
    return SKIP


SKIP = Scope(other=_skip)
"""An element whose content does not matter."""


class XmlReader:
    """Base of the readers: feeds expat, keeps the stack of scopes, locates errors."""

    def __init__(self, source: Source, document: Scope) -> None:
        self.source = source
        self._scopes: list[Scope] = [document]
        self._tags: list[str] = []
        self._texts: list[list[str] | None] = [None]
        self._text_position: tuple[int, int] | None = None
        self._parser = self._make_parser()

    def read(self, chunks: Iterable[bytes]) -> None:
        """Read the whole document; `InputError` where it is wrong."""
        parser = self._parser
        try:
            for chunk in chunks:
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError as problem:
            raise self._malformed(problem) from None

    # --- places -----------------------------------------------------------------------------------

    def position(self) -> tuple[int, int]:
        """Line and column, from 1, of the tag being handled."""
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def span(self, position: tuple[int, int] | None = None, length: int = 1) -> Span:
        """A span at the position (of the current tag, when none is given)."""
        line, column = position or self.position()
        return Span(self.source, line, column, length)

    def text_position(self) -> tuple[int, int]:
        """Where the text that just ended began; the end of its element when it is blank."""
        return self._text_position or self.position()

    def error(
        self, message: str, position: tuple[int, int] | None = None, hint: str | None = None
    ) -> InputError:
        """An error at the position (of the current tag, when none is given)."""
        return error(message, self.span(position), hint)

    # --- expat's calls ----------------------------------------------------------------------------

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = False  # else the position of a text would be that of what follows it
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.DefaultHandler = self._prolog
        parser.XmlDeclHandler = self._declaration
        return parser

    def _start(self, tag: str, attributes: Attributes) -> None:
        if ":" in tag:
            tag = tag.rpartition(":")[2]
        scope = self._scopes[-1]
        if not self._tags:
            self._parser.DefaultHandler = None
        opener = scope.children.get(tag) or scope.other
        if opener is None:
            raise self._unexpected(tag)
        if len(self._tags) >= DEPTH_LIMIT:
            raise self.error(f"elements are nested deeper than {DEPTH_LIMIT} levels")
        scope = opener(tag, attributes)
        self._scopes.append(scope)
        self._tags.append(tag)
        if scope.text:
            self._texts.append([])
            self._text_position = None
            self._parser.CharacterDataHandler = self._characters
        else:
            if self._texts[-1] is not None:
                self._parser.CharacterDataHandler = None
            self._texts.append(None)

    def _end(self, tag: str) -> None:
        scope = self._scopes.pop()
        self._tags.pop()
        text = self._texts.pop()
        if text is not None or self._texts[-1] is not None:
            wanted = self._texts[-1] is not None
            self._parser.CharacterDataHandler = self._characters if wanted else None
        if scope.finish is not None:
            scope.finish("" if text is None else "".join(text))

    def _characters(self, data: str) -> None:
        text = self._texts[-1]
        assert text is not None
        if self._text_position is None:
            bare = data.lstrip(SPACE)
            if bare:
                line, column = self.position()
                self._text_position = (line, column + len(data) - len(bare))
        text.append(data)

    def _prolog(self, data: str) -> None:
        # A document type declaration reaches this handler as its first token, at its position and
        # before anything in it is looked at. It cannot stand behind the root's start tag.
        if data.startswith("<!"):
            if data.startswith("<!--"):
                return
            raise self.error(
                "document type declarations are refused", hint="remove the <!DOCTYPE ...>"
            )

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        try:
            known = encoding is None or bool(_ENCODINGS.fullmatch(encoding.lower()))
            codecs.lookup(encoding or "utf-8")
        except LookupError:
            known = False
        if not known:
            raise self.error(f"the encoding '{encoding}' is not supported", hint="use UTF-8")

    # --- errors -----------------------------------------------------------------------------------

    def _unexpected(self, tag: str) -> InputError:
        known = sorted(self._scopes[-1].children)
        hint = None
        if known:
            hint = "expected " + ", ".join(f"<{name}>" for name in known[:12])
        where = f"inside <{self._tags[-1]}>" if self._tags else "as the document's root"
        return self.error(f"unexpected element <{tag}> {where}", hint=hint)

    def _malformed(self, problem: expat.ExpatError) -> InputError:
        position = (problem.lineno, problem.offset + 1)
        reason = expat.errors.messages[problem.code]
        if reason == expat.errors.XML_ERROR_INVALID_TOKEN:
            reason = "invalid token"
        elif reason == expat.errors.XML_ERROR_NO_ELEMENTS:
            if self._tags:
                reason = f"the file ends inside <{self._tags[-1]}>"
            else:
                reason = "the file holds no element"
        elif reason in (expat.errors.XML_ERROR_UNCLOSED_TOKEN, expat.errors.XML_ERROR_PARTIAL_CHAR):
            reason = "the file ends in the middle of a tag, comment or character"
        return self.error(f"not well-formed XML: {reason}", position)


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The content of an open file, piece by piece."""
    while chunk := file.read(_CHUNK):
        yield chunk


def source_of_bytes(data: bytes, name: str) -> Source:
    """A `Source` for a document held in memory."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"))


def read_file(path: Path, read: Callable[[Source, Iterable[bytes]], None]) -> None:
    """Open the file and let `read` consume it; a file that cannot be read is an `InputError`."""
    try:
        with path.open("rb") as file:
            first = file.read(2)
            if first in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                data = first + file.read()
                read(source_of_bytes(data, str(path)), [data])
            else:
                source = Source(str(path), path=path)
                read(source, _prepend(first, chunks(file)))
    except OSError as problem:
        raise error(f"cannot read {path}: {problem.strerror or problem}") from None
    except ValueError as problem:  # a NUL in the name
        raise error(f"cannot read {path}: {problem}") from None


def _prepend(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
