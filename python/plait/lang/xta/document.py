"""Uppaal's documents (`.xml`): the textual language in pieces, one for each label of a drawing.

The pieces are put together to a text of the textual format, which is read as any other; a message
shows the place in the document (`plait.lang.lexer.Woven`). Coordinates, colours, comments and rates
of exponential delays are passed over: they change nothing that can be reached. A location without
name is called after its identifier, `_id0`.

The document type declaration that all these files begin with is passed over, too; what it names is
not fetched, and one that declares entities is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.parsers import expat

from plait.errors import InputError, Source, Span, error
from plait.lang.lexer import Tokens, Woven, tokenize
from plait.lang.xml import DEPTH_LIMIT
from plait.lang.xta.expressions import LEXICON
from plait.records import dataclass, field

Piece = tuple[str, int]
"""A stretch of characters and its place in the document."""


@dataclass(slots=True, eq=False)
class Element:
    """An element of the document; `at` is where it begins."""

    tag: str
    attributes: dict[str, str]
    at: int
    children: list[Element] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """The children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with a tag, if there is one."""
        return next(self.all(tag), None)

    def label(self, kind: str) -> Element | None:
        """The label of a kind that says something."""
        found = (c for c in self.all("label") if c.attributes.get("kind") == kind)
        return next((c for c in found if c.text.strip()), None)

    @property
    def text(self) -> str:
        """The characters directly inside."""
        return "".join(text for text, _ in self.pieces)


def read_document(source: Source, text: str) -> tuple[Tokens, list[Tokens]]:
    """The tokens of the textual format that a document stands for, and those of its queries."""
    root = _Parser(source, text).root()
    weaver = _Weaver(source, text)
    weaver.document(root)
    return weaver.tokens(), list(_queries(source, text, root))


def _queries(source: Source, text: str, root: Element) -> Iterator[Tokens]:
    for queries in root.all("queries"):
        for query in queries.all("query"):
            weaver = _Weaver(source, text)
            for formula in query.all("formula"):
                weaver.inside(formula)
            try:
                yield weaver.tokens()
            except InputError:
                yield _Weaver(source, text).tokens()  # nothing that is known here


class _Parser:
    """Expat, with the place of every piece of text."""

    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self._text = text
        self._data = text.encode()
        self._ascii = len(self._data) == len(text)
        self._known = (0, 0)
        self._stack: list[Element] = []
        self._root: Element | None = None
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = False  # each piece of text comes with its place
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity

    def root(self) -> Element:
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as problem:
            place = Span(self._source, problem.lineno, problem.offset + 1)
            raise error(expat.ErrorString(problem.code), place) from None
        assert self._root is not None
        return self._root

    def _at(self) -> int:
        """The place of what is being handled, in characters."""
        at = self._parser.CurrentByteIndex
        if self._ascii:
            return at
        byte, character = self._known
        character += len(self._data[byte:at].decode(errors="replace"))
        self._known = (at, character)
        return character

    def _fail(self, message: str) -> InputError:
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber
        return error(message, Span(self._source, line, column + 1))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._stack) >= DEPTH_LIMIT:
            raise self._fail(f"elements are nested deeper than {DEPTH_LIMIT}")
        element = Element(tag, attributes, self._at())
        if self._stack:
            self._stack[-1].children.append(element)
        else:
            self._root = element
        self._stack.append(element)

    def _end(self, tag: str) -> None:
        self._stack.pop()

    def _characters(self, text: str) -> None:
        self._stack[-1].pieces.append((text, self._at()))

    def _entity(self, *_: object) -> None:
        raise self._fail("entities of one's own are refused")


class _Weaver:
    """Puts the text together."""

    def __init__(self, source: Source, original: str) -> None:
        self._source = source
        self._texts: list[str] = []
        self._woven = Woven(original, [], [])
        self._length = 0

    def tokens(self) -> Tokens:
        text = "".join(self._texts)
        self._add("\n", self._woven.origins[-1] if self._woven.origins else 0)
        return tokenize(self._source, text, LEXICON, self._woven)

    def document(self, root: Element) -> None:
        """The whole network."""
        for part in root.children:
            if part.tag in ("declaration", "instantiation", "system"):
                self.inside(part)
            elif part.tag == "template":
                self._template(part)
        if root.first("system") is None:
            self._word("system", root)

    def _add(self, text: str, origin: int) -> None:
        self._texts.append(text)
        self._woven.starts.append(self._length)
        self._woven.origins.append(origin)
        self._length += len(text)

    def _word(self, text: str, element: Element) -> None:
        """Something that the document says by its form."""
        self._add(f"{text} ", element.at)

    def inside(self, element: Element) -> None:
        """What the element says; a comment at its end goes no further."""
        for text, origin in element.pieces:
            self._add(text, origin)
        self._word("\n", element)

    def _template(self, template: Element) -> None:
        self._word("process", template)
        name, parameter = template.first("name"), template.first("parameter")
        if name is not None:
            self.inside(name)
        self._word("(", template)
        if parameter is not None:
            self.inside(parameter)
        self._word(") {", template)
        for part in template.all("declaration"):
            self.inside(part)
        names = self._locations(template)
        start = template.first("init")
        if start is not None:
            self._word(f"init {names.get(start.attributes.get('ref', ''), '_')};", start)
        for point in template.all("branchpoint"):
            key = point.attributes.get("id", "")
            names[key] = f"_{key}"
            self._word(f"branchpoint {names[key]};", point)
        self._edges(template, names)
        self._word("}", template)

    def _locations(self, template: Element) -> dict[str, str]:
        """The locations of a template, and their names by their identifiers."""
        names: dict[str, str] = {}
        marked: dict[str, list[str]] = {"committed": [], "urgent": []}
        for number, location in enumerate(template.all("location")):
            self._word("," if number else "state", location)
            label = location.first("name")
            key = location.attributes.get("id", f"id{number}")
            names[key] = label.text.strip() if label is not None else ""
            if label is not None and names[key]:
                self.inside(label)
            else:
                names[key] = f"_{key}"
                self._word(names[key], location)
            invariant = location.label("invariant")
            if invariant is not None:
                self._word("{", invariant)
                self.inside(invariant)
                self._word("}", invariant)
            for mark, found in marked.items():
                if location.first(mark) is not None:
                    found.append(names[key])
        if names:
            self._word(";", template)
        for word, mark in (("commit", "committed"), ("urgent", "urgent")):
            if marked[mark]:
                self._word(f"{word} {', '.join(marked[mark])};", template)
        return names

    def _edges(self, template: Element, names: dict[str, str]) -> None:
        number = -1
        for number, edge in enumerate(template.all("transition")):
            self._word("," if number else "trans", edge)
            ends = []
            for tag in ("source", "target"):
                end = edge.first(tag)
                ends.append(names.get(end.attributes.get("ref", ""), "_") if end else "_")
            self._word(f"{ends[0]} -> {ends[1]} {{", edge)
            for word, kind in (
                ("select", "select"),
                ("guard", "guard"),
                ("sync", "synchronisation"),
                ("assign", "assignment"),
                ("probability", "probability"),
            ):
                label = edge.label(kind)
                if label is not None:
                    self._word(word, label)
                    self.inside(label)
                    self._word(";", label)
            self._word("}", edge)
        if number >= 0:
            self._word(";", template)


__all__ = ["Element", "read_document"]
