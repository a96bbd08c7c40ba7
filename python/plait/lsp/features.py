"""What is answered from the symbols of a text: outline, definitions, hovers, lenses.

The symbols may be those of an older version, while the newest makes no sense: what they say of
lines that were changed since is left out, and other lines are found where they are now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from plait.lsp.documents import Document, moved, span_range, units, uri_of
from plait.lsp.protocol import Message
from plait.records import dataclass, replace

CHECK = "plait.check"
"""The command that checks a property, or all of them."""
KINDS = {
    "type": 5,  # Class
    "process": 5,
    "event": 24,  # Event
    "variable": 13,  # Variable
    "channel": 13,
    "part": 13,
    "constant": 14,  # Constant
    "range": 26,  # TypeParameter
    "condition": 17,  # Boolean
    "property": 7,  # Property
}
"""Kinds of symbols as the protocol counts them."""
OWNERS = ("type", "process")
_WORD = re.compile(r"\w+")
_BEFORE = re.compile(r"(\w+)(?:\[[^\]\n]*\]|\([^)\n]*\))?(?:\.|:|->)\Z")
"""What stands before the name of a part of something."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was found in a version of a text, and where its lines are now."""

    lines: Sequence[str]
    symbols: Sequence[Message]
    asks: Sequence[Message]

    def now(self, lines: Sequence[str]) -> Known:
        """The same, with places in these lines."""
        if lines == self.lines:
            return self
        line = moved(self.lines, lines)
        return replace(
            self,
            lines=lines,
            symbols=[s for s in (_shifted(s, line) for s in self.symbols) if s is not None],
            asks=[a for a in (_shifted(a, line) for a in self.asks) if a is not None],
        )


def _shifted(found: Message, line: Callable[[int], int | None]) -> Message | None:
    if found.get("file") is not None:
        return found
    place = found["range"]
    number = line(place["start"]["line"])
    if number is None:
        return None
    ends = place["start"]["character"], place["end"]["character"]
    return {**found, "range": span_range(number, *ends)}


# --- the outline ----------------------------------------------------------------------------------


def outline(known: Known, document: Document, nested: bool) -> list[Message]:
    """The symbols of a text: as a tree, or as a list for editors that know no trees."""
    own = [s for s in known.symbols if s["file"] is None]
    if not nested:
        return [_flat(s, document.uri) for s in own]
    ends = dict(_regions(own, len(document.lines)))
    trees = [(s, _tree(s, ends.get(id(s)))) for s in own]
    owners = {s["name"]: tree for s, tree in trees if s["kind"] in OWNERS}
    roots: list[Message] = []
    for s, tree in trees:
        owner = owners.get(s["owner"])
        (roots if owner is None or owner is tree else owner["children"]).append(tree)
    return roots


def _tree(s: Message, end: int | None) -> Message:
    whole = s["range"]
    if end is not None:
        whole = {"start": whole["start"], "end": {"line": max(end, whole["end"]["line"] + 1)}}
        whole["end"]["character"] = 0
    detail = s["text"].partition("\n")[0]
    return {
        "name": s["name"],
        "kind": KINDS[s["kind"]],
        "detail": detail,
        "range": whole,
        "selectionRange": s["range"],
        "children": [],
    }


def _flat(s: Message, uri: str) -> Message:
    place = {"uri": uri, "range": s["range"]}
    return {
        "name": s["name"],
        "kind": KINDS[s["kind"]],
        "location": place,
        "containerName": s["owner"],
    }


def _regions(symbols: Sequence[Message], end: int) -> Iterator[tuple[int, int]]:
    """Where what belongs to a type or a process ends: where the next of them begins."""
    owners = sorted((s for s in symbols if s["kind"] in OWNERS), key=_line)
    for s, after in zip(owners, [*map(_line, owners[1:]), end], strict=True):
        yield id(s), after


def _line(s: Message) -> int:
    number: int = s["range"]["start"]["line"]
    return number


# --- names ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text: where it stands, and what it is said to be a part of."""

    word: str
    line: int
    start: int
    end: int
    of: str | None

    def range(self, line: str) -> Message:
        """Its place as the protocol has it."""
        return span_range(self.line, units(line[: self.start]), units(line[: self.end]))


def name_at(document: Document, position: object) -> Name | None:
    """The name at a position, or that ends there."""
    number, at = document.place(position)
    line = document.line(number)
    for found in _WORD.finditer(line):
        if found.start() <= at <= found.end():
            before = _BEFORE.search(line[: found.start()])
            return Name(found[0], number, *found.span(), None if before is None else before[1])
    return None


def meant(name: Name, known: Known) -> list[Message]:
    """The symbols that a name may mean: those of what it is said to be a part of, else of the
    process or type in which it stands, else those that belong to none, else all of that name."""
    found = [s for s in known.symbols if s["name"] == name.word]
    inside = [s for s in found if s["owner"] == name.of] if name.of else []
    if inside:
        return inside
    owners = [s for s in known.symbols if s["file"] is None and s["kind"] in OWNERS]
    here = {s["name"] for s in _around(owners, name.line)}
    anywhere = {s["name"] for s in owners}
    return (
        [s for s in found if s["owner"] in here]
        or [s for s in found if s["owner"] not in anywhere]
        or found
    )


def _around(owners: Sequence[Message], line: int) -> list[Message]:
    """What begins last before a line."""
    before = [s for s in owners if _line(s) <= line]
    last = max(map(_line, before), default=0)
    return [s for s in before if _line(s) == last]


def definition(name: Name, known: Known, document: Document) -> list[Message]:
    """Where a name is declared."""
    return [
        {"uri": document.uri if s["file"] is None else uri_of(s["file"]), "range": s["range"]}
        for s in meant(name, known)
    ]


def hover(name: Name, known: Known, document: Document) -> Message | None:
    """What a name is."""
    texts = []
    for s in meant(name, known):
        names = [n for n in s["names"] if n != s["name"]]
        more = f", and {s['more']} more" if s["more"] else ""
        texts.append("\n".join([s["text"], *([f"here {', '.join(names)}{more}"] if names else [])]))
    if not texts:
        return None
    said = {"kind": "plaintext", "value": "\n\n".join(dict.fromkeys(texts))}
    return {"contents": said, "range": name.range(document.line(name.line))}


# --- commands -------------------------------------------------------------------------------------


def lenses(known: Known, document: Document) -> list[Message]:
    """Above each property what checks it, and above all of them what checks all."""
    top = span_range(0, 0, 0)
    placed = [a for a in known.asks if a["range"] != top]
    counts: dict[int, int] = {}
    for a in placed:
        counts[_line(a)] = counts.get(_line(a), 0) + 1
    found = [{"range": top, "command": command(document, None, _all(known))}]
    for a in known.asks:
        alone = a["range"] != top and counts[_line(a)] == 1
        title = "check" if alone else f"check {a['name']}"
        found.append({"range": a["range"], "command": command(document, a["name"], title)})
    return found if len(known.asks) != 1 else found[1:]


def _all(known: Known) -> str:
    return "check all" if known.asks else "check that there is no deadlock"


def actions(known: Known, document: Document, first: int, last: int) -> list[Message]:
    """The checks that may be asked for in these lines, for editors without lenses."""
    found = [
        command(document, a["name"], f"check {a['name']}")
        for a in known.asks
        if a["range"] != span_range(0, 0, 0) and first <= _line(a) <= last
    ]
    return [*found, command(document, None, _all(known))]


def command(document: Document, name: str | None, title: str) -> Message:
    """A command that checks a property, or all of them."""
    arguments = [document.uri] if name is None else [document.uri, name]
    return {"title": title, "command": CHECK, "arguments": arguments}


__all__ = ["CHECK", "Known", "actions", "definition", "hover", "lenses", "name_at", "outline"]
