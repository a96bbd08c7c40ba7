"""What a model declares, where, and in words: what outlines, definitions and hovers are made of.

A front end makes several variables of one declaration (a copy in each process) and some that nobody
wrote (where a process is). So a symbol is a place in a text whose words are the name, or the last
part of the name, of what is declared there; all that is declared at the same place is one symbol.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sized

from plait.errors import Span
from plait.lsp.documents import span_range, units
from plait.lsp.protocol import Message
from plait.model.expr import IntExpr
from plait.model.text import show
from plait.model.types import (
    Channel,
    ComponentType,
    CompositeType,
    Constant,
    Declaration,
    ElementaryType,
    Event,
    Instance,
    Model,
    Predicate,
    Process,
    Property,
    Range,
    SetType,
    Variable,
)
from plait.report.text import question_text

MOST = 5_000
"""Symbols of a text: an outline with more helps nobody."""
NAMES = 8
"""How many of the names that a declaration stands for are listed."""
LONGEST = 300
"""Characters of a formula."""
_INDEX = re.compile(r"(?:\[[0-9]+\]|#[0-9]+)+$")


class Symbols:
    """Gathers the symbols of a model."""

    def __init__(self, model: Model, here: str) -> None:
        """Of a model whose text is called `here`; what comes from other texts says from where."""
        self._model = model
        self._here = here
        self._found: dict[tuple[str, str, int, int], Message] = {}
        self._owners: dict[str, str] = {}
        """The symbols of processes, by their names."""

    def all(self) -> list[Message]:
        """All symbols, in the order of their places."""
        model = self._model
        self._add("property", model.properties, "")
        self._add("constant", model.constants, "")
        self._add("range", model.ranges, "")
        for t in model.types:
            self._type(t)
        return sorted(self._found.values(), key=_place)

    def _type(self, t: ComponentType) -> None:
        self._add("type", [t], "")
        if isinstance(t, ElementaryType):
            self._add("process", t.processes, "")
        for kind, declared in _parts(t):
            self._add(kind, declared, t.name)

    def _add(self, kind: str, declared: Iterable[Declaration], owner: str) -> None:
        for d in declared:
            if len(self._found) >= MOST:
                return
            if d.span is not None:
                self._one(kind, d, d.span, owner)

    def _one(self, kind: str, d: Declaration, span: Span, owner: str) -> None:
        written = span.text
        name = _written(d, written)
        if kind == "property":
            name = d.name
        elif isinstance(d, Process):
            name = self._owners[d.name] = _said(written)
        elif name is None:
            return
        else:
            owner = self._owner(d.name, owner)
        assert name is not None
        file = span.source.name
        symbol = self._found.setdefault(
            (kind, file, span.line, span.column),
            {
                "kind": kind,
                "name": name,
                "range": range_of(span),
                "file": None if file == self._here else str(span.source.path or file),
                "owner": owner,
                "names": [],
                "more": 0,
                "text": "",
            },
        )
        symbol["text"] = symbol["text"] or describe(d, name, self._model)
        if len(symbol["names"]) < NAMES:
            symbol["names"].append(d.name)
        else:
            symbol["more"] += 1

    def _owner(self, name: str, owner: str) -> str:
        """The process whose name a name begins with, else the type."""
        end = name.rfind(".")
        while end > 0:
            if name[:end] in self._owners:
                return self._owners[name[:end]]
            end = name.rfind(".", 0, end)
        return owner


def _parts(t: ComponentType) -> Iterator[tuple[str, Iterable[Declaration]]]:
    """What a type declares, by its kind."""
    yield "constant", t.constants
    yield "range", t.ranges
    if isinstance(t, ElementaryType):
        yield "variable", (v for v in t.variables if not v.hidden)
        yield "channel", t.channels
        yield "condition", t.predicates
    elif isinstance(t, CompositeType):
        yield "part", t.instances
    elif isinstance(t, SetType):
        yield "part", [t.element]
    yield "event", t.events


def _place(symbol: Message) -> tuple[bool, int, int]:
    start = symbol["range"]["start"]
    return symbol["file"] is not None, start["line"], start["character"]


def _said(text: str) -> str:
    """The words of a place without what only marks them."""
    return "".join(text.split()).strip('"').lstrip("$")


def _written(d: Declaration, text: str) -> str | None:
    """The name of what is declared where it is what stands there, or the last part of it is."""
    said = _said(text)
    whole = _INDEX.sub("", d.title if isinstance(d, Event) else d.name).lstrip("$")
    if isinstance(d, Event):
        whole = whole if said in whole else d.name.partition("(")[0]
    if not said or not whole.endswith(said):
        return None
    before = whole.removesuffix(said)
    return said if not before or before[-1] in ".:" else None


def range_of(span: Span) -> Message:
    """A span as the protocol has it, in lines from 0 and code units of UTF-16."""
    line = span.source.line(span.line) or ""
    first = units(line[: span.column - 1])
    return span_range(
        max(0, span.line - 1),
        first,
        first + max(1, units(line[span.column - 1 : span.column - 1 + span.length])),
    )


# --- in words -------------------------------------------------------------------------------------


def describe(d: Declaration, name: str, model: Model) -> str:
    """What is declared, in a line or two."""
    lines = [_head(d, name)]
    if isinstance(d, Variable):
        lines.append(_values(d))
    elif isinstance(d, Event) and d.guard:
        lines.append(f"when {_cut(' && '.join(show(g, LONGEST) for g in d.guard))}")
    elif isinstance(d, Process) and len(d.locations) > 1:
        lines.append(f"{len(d.locations)} locations")
    if d.comment:
        lines.append(_cut(d.comment))
    return "\n".join(lines)


def _head(d: Declaration, name: str) -> str:
    match d:
        case Variable(size=None):
            return f"variable {name}"
        case Variable(size=IntExpr() as size):
            return f"array {name}[{show(size, LONGEST)}]"
        case Constant(value=value):
            return f"constant {name} = {value}"
        case Range(low=low, high=high):
            return f"range {name} = {show(low, LONGEST)} .. {show(high, LONGEST)}"
        case Channel(capacity=capacity):
            what = f"channel {name} with room for {capacity}" if capacity else f"rendezvous {name}"
            return f"{what}, {_count(d.fields, 'field')} a message"
        case Predicate(condition=condition):
            return f"condition {name}: {show(condition, LONGEST)}"
        case Property():
            return _cut(f"property {name}: {question_text(d)}")
        case Event(parameters=parameters):
            given = ", ".join(f"{p.range} ${p.name}" for p in parameters)
            return f"event {name}({given})" if given else f"event {name}"
        case Instance(type=kind):
            return f"part {name}: {kind}"
        case Process(program=program):
            known = not program or program.rpartition(" ")[2] == name
            return f"process {name}" if known else f"process {name}: {program}"
        case CompositeType() | SetType():
            return f"type {name}: {_count(d.events, 'event')} of its parts"
        case ElementaryType():
            return f"type {name}: {_count(d.variables, 'variable')}, {_count(d.events, 'event')}"
    return name


def _values(v: Variable) -> str:
    """What a variable may be and what it is first."""
    words = dict(v.words)
    first = [_value(e, words) for e in v.initial[:NAMES]] or ["0"]
    more = ", ..." if len(v.initial) > NAMES else ""
    text = f"initially {', '.join(first)}{more}"
    if words:
        names = list(words.values())
        more = ", ..." if len(names) > NAMES else ""
        return f"{text}; one of {', '.join(names[:NAMES])}{more}"
    domain = v.domain
    if domain is None or domain.guessed or domain.high - domain.low >= 2**31 - 1:
        return text
    return f"{text}; values {domain.low} .. {domain.high}"


def _value(value: IntExpr, words: dict[int, str]) -> str:
    text = show(value, LONGEST)
    return words.get(int(text), text) if text.lstrip("-").isdecimal() else text


def _count(of: Sized, what: str) -> str:
    return f"{len(of)} {what}{'' if len(of) == 1 else 's'}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


__all__ = ["Symbols", "range_of"]
