"""The queries in a file of TAPAAL, as properties of its net, and one in a file of its own (`.q`).

They are written as the contest's formulas are, by older versions as text. A place is called by its
net and its name there, `Net.place`; where the file has one net, that is `place` here. Queries that
are switched off are passed over; what belongs to games, chance and several runs at once stays
without an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from plait.errors import InputError, Source
from plait.lang.xml import SKIP, Attributes, Scope, read_file, source_of_bytes
from plait.logic.mcc import PropertyReader
from plait.logic.parse import parse_formula
from plait.model.expr import TRUE
from plait.model.types import ElementaryType, Model, Property
from plait.records import replace

READ = ("CTL", "LTL")
"""Categories of queries; without a word it is CTL."""
WORDS = {"and": "&&", "or": "||", "not": "!", "=": "=="}
_TOKEN = re.compile(r"\"[^\"]*\"|[A-Za-z_]\w*\.[A-Za-z_]\w*|[A-Za-z_]\w*|[<>!=]=|=")
_QUANTIFIED = re.compile(r"\A(\s*[AE][FG]\b)\s?((?:(?!\b[AE][FGX]?\b).)*)\Z", re.DOTALL)


def load_with_queries(path: Path, model: Model) -> Model:
    """The model of a file with the queries of the file."""
    found: list[Model] = []
    read_file(path, lambda source, chunks: found.append(_with_queries(source, chunks, model)))
    return found[0]


def with_queries(data: bytes, name: str, model: Model) -> Model:
    """The same of a document held in memory."""
    return _with_queries(source_of_bytes(data, name), [data], model)


def parse_query(text: str, model: Model, path: Path) -> tuple[Property, ...]:
    """The query in a file of its own, as TAPAAL's engine takes it beside a net."""
    asked = parse_formula(_translated(text, lambda name: name), model, path.stem, str(path))
    return (replace(asked, text=" ".join(text.split())),)


def _translated(text: str, place: Callable[[str], str]) -> str:
    """A query as text in our words; `place` gives the name here of one that has a net's before."""

    def word(found: re.Match[str]) -> str:
        it = found[0]
        return f'"{place(it)}"' if "." in it and it[0] != '"' else WORDS.get(it, it)

    # One quantifier in front of a condition speaks of all of it, without brackets too.
    return _QUANTIFIED.sub(r"\1(\2)", _TOKEN.sub(word, text))


def _with_queries(source: Source, chunks: Iterable[bytes], model: Model) -> Model:
    if not isinstance(model.system, ElementaryType):
        return model
    reader = QueryReader(source, model)
    reader.read(chunks)
    return replace(model, properties=tuple(reader.properties))


class QueryReader(PropertyReader):
    """Reads the queries, once the net is known."""

    def __init__(self, source: Source, model: Model) -> None:
        super().__init__(source, model, ltl=False)
        self._model = model
        self._nets: list[str] = []
        self._file = Scope(
            {"net": self._open_net, "query": self._open_query, "feature": self._open_feature},
            other=_skip,
        )
        self._scopes[0] = Scope({"pnml": lambda tag, attributes: self._file})
        self._query = Scope({"formula": self._open_formula}, self._close_query, other=_skip)

    def _open_net(self, tag: str, attributes: Attributes) -> Scope:
        if attributes.get("active") != "false":
            self._nets.append(attributes.get("id", "").strip())
        return SKIP

    def _open_query(self, tag: str, attributes: Attributes) -> Scope:
        if attributes.get("active") == "false":
            return SKIP
        self._open_property(tag, attributes)
        self._id = self._free(attributes.get("name", "").strip() or "query")
        kind, text = attributes.get("type", "CTL"), attributes.get("query")
        self._ltl = kind == "LTL"
        if kind not in READ:
            self._refuse(f"queries of the category {kind} are not read")
        elif text is not None:
            self.properties.append(self._stated(self._id, text))
        else:
            return self._query
        return SKIP

    def _close_formula(self, text: str) -> None:
        some = self._frames[0].tags == ["exists-path"]
        try:
            super()._close_formula(text)
        except InputError as wrong:
            self._refuse("LTL is asked of all runs" if some else wrong.diagnostics[0].message)

    def _close_query(self, text: str) -> None:
        if self._formula is not None:
            self._close_property(text)

    def _refuse(self, why: str) -> None:
        assert self._id is not None
        shown = f"query '{self._id}'"
        self.properties.append(
            Property(self._id, "ctl", TRUE, text=shown, refused=why, span=self._span)
        )

    def _open_feature(self, tag: str, attributes: Attributes) -> Scope:
        """What kind of net it was; that stands behind the queries."""
        if attributes.get("isGame") == "true":
            why = "a query about a game asks for a strategy"
            self.properties = [replace(p, refused=why) for p in self.properties]
        return SKIP

    def _free(self, name: str) -> str:
        """The name, with a number where a query before has it."""
        number, free = 1, name
        while free in self._seen:
            number += 1
            free = f"{name} {number}"
        self._seen.add(free)
        return free

    def _resolve(self, name: str) -> str:
        return super()._resolve(self._inside(name))

    def _inside(self, name: str) -> str:
        """The name in the model of a place that is called by its net."""
        net, _, node = name.partition(".")
        return node if node and self._nets == [net] else name

    def _stated(self, name: str, text: str) -> Property:
        """A query that is written as text."""
        try:
            stated = parse_formula(_translated(text, self._inside), self._model, name)
        except InputError as wrong:
            why = wrong.diagnostics[0].message
            return Property(name, "ctl", TRUE, text=text, refused=why, span=self._span)
        return replace(stated, span=self._span, text=text)


def _skip(tag: str, attributes: Attributes) -> Scope:
    return SKIP


__all__ = ["QueryReader", "load_with_queries", "parse_query", "with_queries"]
