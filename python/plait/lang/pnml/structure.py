"""The `<structure>` of a high-level label as a tree, and walks over it.

Terms may use declarations that come later in the file, so they are kept as they stand, with their
places, until everything is read. Only structures are kept; the rest of the file is a stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from plait.errors import InputError, Source, Span, error
from plait.lang.xml import Attributes, Scope, XmlReader
from plait.records import dataclass, field

T = TypeVar("T")
SIZE_LIMIT = 5_000_000
"""The most elements in the structures of a file."""


@dataclass(slots=True, eq=False)
class Element:
    """An XML element inside a structure; `<subterm>` is left out around its child."""

    tag: str
    attributes: Attributes
    source: Source
    position: tuple[int, int]
    children: list[Element] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """Where the element starts."""
        return Span(self.source, *self.position)

    def error(self, message: str, hint: str | None = None) -> InputError:
        """An error at this element."""
        return error(message, self.span, hint)

    def attribute(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise self.error(f"<{self.tag}> has no attribute '{name}'")
        return self.attributes[name]

    def only_child(self) -> Element:
        """The one child."""
        if len(self.children) != 1:
            raise self.error(f"<{self.tag}> must hold one element, and holds {len(self.children)}")
        return self.children[0]


class StructureReader:
    """Collects the elements of one `<structure>` after the other for a reader."""

    def __init__(self, reader: XmlReader) -> None:
        self._reader = reader
        self._open: list[Element] = []
        self._size = 0
        self._scope = Scope(finish=self._close, other=self._child)
        self.root: Element | None = None
        """The structure that was read last; whoever opens a label sets it to None."""

    def open(self, tag: str, attributes: Attributes) -> Scope:
        """Begin a structure."""
        if self.root is not None:
            raise self._reader.error("a second <structure>")
        return self._child(tag, attributes)

    def _child(self, tag: str, attributes: Attributes) -> Scope:
        self._size += 1
        if self._size > SIZE_LIMIT:
            raise self._reader.error(f"the net has more than {SIZE_LIMIT} elements in structures")
        reader = self._reader
        self._open.append(Element(tag, attributes, reader.source, reader.position()))
        return self._scope

    def _close(self, text: str) -> None:
        element = self._open.pop()
        if not self._open:
            self.root = element
        elif element.tag == "subterm":
            self._open[-1].children.append(element.only_child())
        else:
            self._open[-1].children.append(element)


def fold_elements(root: Element, visit: Callable[[Element, list[T]], T]) -> T:
    """`visit(element, results of its children)`, bottom up."""
    results: list[T] = []
    stack: list[tuple[Element, bool]] = [(root, False)]
    while stack:
        element, expanded = stack.pop()
        if not expanded and element.children:
            stack.append((element, True))
            stack.extend((c, False) for c in reversed(element.children))
            continue
        first = len(results) - len(element.children)
        below = results[first:]
        del results[first:]
        results.append(visit(element, below))
    return results[0]


def elements(root: Element) -> list[Element]:
    """All elements of the tree, parents before children."""
    found = [root]
    for element in found:
        found.extend(element.children)
    return found
