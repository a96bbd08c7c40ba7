"""ETF, the enumerated table format of LTSmin: a transition relation as tables of small steps.

(Blom, van de Pol, Weber: "LTSmin: distributed and symbolic reachability", CAV 2010.) A file is a
sequence of sections: the variables of a state, the labels of an edge, the initial state, and any
number of tables and value lists. A table of the relation (`trans`) has one row for each small step:
for each variable `2/3` when it goes from 2 to 3, or `*` when the step has nothing to do with it;
then the labels of the edge. A table of a state label (`map`) has the values of some variables, and
the value of the label there. Values are numbers; a list of values (`sort`) gives them names.

Rows of a table that change the same values to the same ones are one event, so that a table stays as
local as it is written. What its rows read besides becomes its guard: a decision diagram over these
variables, in which equal parts are shared. Variables named `x[0]`, `x[1]`, ... of
which none is missing are an array. A label of states becomes a predicate for each of its values,
`label_value`; where several rows of a map fit a state, the first one counts.

The format is line based: every section begins and ends with a line, every row is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from plait.errors import InputError, Source, Span, error
from plait.lang.files import read_text
from plait.model.arithmetic import INT_MAX
from plait.model.expr import And, Compare, Const, Formula, Not, Or, Truth, Var
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Model, Predicate, Variable
from plait.model.validate import check
from plait.model.watch import look
from plait.records import dataclass, field

WORD = re.compile(r'"[^"]*"|\S+')
STEP = re.compile(r"([0-9]+)/([0-9]+)")
ELEMENT = re.compile(r"(.+)\[([0-9]+)\]")
STAR = "*"
_Changes = tuple[tuple[int, int, int], ...]
"""Columns that change, each with the value before and after."""


def load(path: Path) -> Model:
    """The model in a file, named after the file."""
    return parse(read_text(path), path.stem, Source(str(path), path=path))


def parse(text: str, name: str = "etf", source: Source | None = None) -> Model:
    """The model that a text describes; a located `InputError` when it does not."""
    reader = _Reader(source or Source(name, text), text)
    reader.read()
    model = reader.model(name)
    check(model)
    return model


@dataclass(frozen=True, slots=True)
class _Row:
    """The words of a line, and where they are."""

    source: Source
    line: int
    words: tuple[str, ...]
    columns: tuple[int, ...]

    def span(self, place: int = 0) -> Span:
        """Where a word is; behind the last one, the line."""
        if place >= len(self.words):
            return Span(self.source, self.line, 1)
        return Span(self.source, self.line, self.columns[place], len(self.words[place]))

    def error(self, message: str, place: int = 0) -> InputError:
        """What is wrong with a word."""
        return error(message, self.span(place))

    def number(self, place: int, what: str) -> int:
        """A word as a number."""
        return self._number(self.words[place], place, what)

    def step(self, place: int) -> tuple[int, int] | None:
        """What becomes of a variable; None when the step has nothing to do with it."""
        word = self.words[place]
        if word == STAR:
            return None
        found = STEP.fullmatch(word)
        if found is None:
            raise self.error(f"expected '*' or a step like 2/3, found '{word}'", place)
        before, after = (self._number(found[i], place, "a step") for i in (1, 2))
        return before, after

    def _number(self, word: str, place: int, what: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 12 and int(word) <= INT_MAX):
            raise self.error(f"expected a number for {what}, found '{word}'", place)
        return int(word)


@dataclass(slots=True)
class _Map:
    """A label of states: its name and sort, and its table."""

    name: str
    sort: str
    rows: list[_Row] = field(default_factory=list)


class _Reader:
    def __init__(self, source: Source, text: str) -> None:
        self._rows = _rows(source, text)
        self._source = source
        self._state: list[tuple[str, str]] | None = None
        self._edge: list[tuple[str, str]] | None = None
        self._initial: list[int] | None = None
        self._tables: list[list[_Row]] = []
        self._maps: list[_Map] = []
        self._sorts: dict[str, list[str]] = {}

    # --- sections ---------------------------------------------------------------------------------

    def read(self) -> None:
        """Read all sections."""
        for row in self._rows:
            if row.words[0] != "begin" or len(row.words) < 2:
                raise row.error(f"expected a section that begins, found '{row.words[0]}'")
            self._section(row.words[1], row)
        for what, found in (("state", self._state), ("edge", self._edge), ("init", self._initial)):
            if found is None:
                raise error(f"the section '{what}' is missing", Span(self._source, 1, 1))

    def _section(self, kind: str, row: _Row) -> None:
        if kind == "state" and self._state is None:
            self._state = self._declarations(kind)
        elif kind == "edge" and self._state is not None and self._edge is None:
            self._edge = self._declarations(kind)
        elif self._edge is None or kind not in ("init", "trans", "map", "sort"):
            expected = "state" if self._state is None else "edge"
            wanted = expected if self._edge is None else "init, trans, map or sort"
            raise row.error(f"expected the section {wanted}, found '{kind}'", 1)
        elif kind == "init":
            self._init(row)
        elif kind == "trans":
            self._tables.append([self._complete(r, len(self._edge)) for r in self._body(kind)])
        elif kind == "map":
            name, sort = _declared(row, 2)
            rows = [self._complete(r, 1) for r in self._body(kind)]
            self._maps.append(_Map(name, sort, rows))
        else:
            if len(row.words) != 3:
                raise row.error("expected 'begin sort' and a name")
            values = self._sorts.setdefault(_plain(row.words[2]), [])
            values += [_value(r) for r in self._body(kind)]

    def _body(self, kind: str) -> Iterator[_Row]:
        """The rows of a section, to its end."""
        row = None
        for row in self._rows:
            if row.words[0] == "end" and len(row.words) <= 2:
                return
            yield row
        place = Span(self._source, 1, 1) if row is None else row.span()
        raise error(f"the section '{kind}' does not end", place)

    def _declarations(self, kind: str) -> list[tuple[str, str]]:
        return [_declared(row, i) for row in self._body(kind) for i in range(len(row.words))]

    def _init(self, first: _Row) -> None:
        if self._initial is not None:
            raise first.error("a second initial state")
        values = [(r, i) for r in self._body("init") for i in range(len(r.words))]
        self._initial = [r.number(i, "an initial value") for r, i in values]
        if len(self._initial) != len(self._variables):
            count = f"{len(self._variables)} variables, {len(self._initial)} initial values"
            raise first.error(f"one initial state is expected: {count}")

    def _complete(self, row: _Row, more: int) -> _Row:
        """A row that has a word for each variable, and so many more."""
        expected = len(self._variables) + more
        if len(row.words) != expected:
            raise row.error(f"expected {expected} columns, found {len(row.words)}")
        return row

    @property
    def _variables(self) -> list[tuple[str, str]]:
        return self._state or []

    # --- the model --------------------------------------------------------------------------------

    def model(self, name: str) -> Model:
        """What was read as a model."""
        cells, variables = self._cells()
        events = tuple(self._events(cells))
        predicates = tuple(self._predicates(cells))
        type_ = ElementaryType(name, events=events, variables=variables, predicates=predicates)
        return Model(name, (type_,), name)

    def _cells(self) -> tuple[list[Var], tuple[Variable, ...]]:
        """The variable of each column, and all variables: those that are elements as arrays."""
        names = [n if n != "_" else f"s{i}" for i, (n, _) in enumerate(self._variables)]
        if len(set(names)) != len(names):
            twice = next(n for i, n in enumerate(names) if n in names[:i])
            raise error(f"two variables are named '{twice}'", Span(self._source, 1, 1))
        initial = dict(zip(names, self._initial or [], strict=True))
        sizes = _arrays(names)
        cells: list[Var] = []
        variables: dict[str, Variable] = {}
        for name, (_, sort) in zip(names, self._variables, strict=True):
            found = ELEMENT.fullmatch(name)
            if found is None or found[1] not in sizes:
                cells.append(Var(name))
                domain = self._domain(sort)
                variables[name] = Variable(name, (Const(initial[name]),), domain=domain)
                continue
            base, size = found[1], sizes[found[1]]
            cells.append(Var(base, Const(int(found[2]))))
            values = tuple(Const(initial[f"{base}[{i}]"]) for i in range(size))
            variables.setdefault(base, Variable(base, values, size=Const(size)))
        return cells, tuple(variables.values())

    def _domain(self, sort: str) -> Domain | None:
        """The numbers of a sort, when its values are listed."""
        values = self._sorts.get(sort)
        return Domain(0, len(values) - 1) if values else None

    def _events(self, cells: Sequence[Var]) -> Iterator[Event]:
        used: dict[str, int] = {}
        for number, table in enumerate(self._tables):
            for (label, changes, columns), rows in self._alike(table, number, len(cells)).items():
                used[label] = used.get(label, 0) + 1
                title = label if used[label] == 1 else f"{label}#{used[label]}"
                guard: list[Formula] = [Compare("==", cells[c], Const(a)) for c, a, _ in changes]
                if columns:
                    read = [cells[c] for c in columns]
                    guard.append(_allowed(read, list(rows)))
                body = tuple(Assign(cells[c], Const(b)) for c, _, b in changes)
                first = next(iter(rows.values()))
                yield Event(title, span=first.span(), guard=tuple(guard), body=body)

    def _alike(
        self, table: Sequence[_Row], number: int, width: int
    ) -> dict[tuple[str, _Changes, tuple[int, ...]], dict[tuple[int, ...], _Row]]:
        """The rows by label, changes and columns read; each by the values that it reads."""
        found: dict[tuple[str, _Changes, tuple[int, ...]], dict[tuple[int, ...], _Row]] = {}
        for row in table:
            look()
            changes, columns, values = [], [], []
            for place in range(width):
                step = row.step(place)
                if step is not None and step[0] != step[1]:
                    changes.append((place, *step))
                elif step is not None:
                    columns.append(place)
                    values.append(step[0])
            key = self._label(row, number, width), tuple(changes), tuple(columns)
            found.setdefault(key, {}).setdefault(tuple(values), row)
        return found

    def _label(self, row: _Row, number: int, width: int) -> str:
        """The labels of an edge as text; without any, the number of its table."""
        shown = []
        for place, (_, sort) in enumerate(self._edge or [], start=width):
            word = row.words[place]
            values = self._sorts.get(sort, [])
            if word.isdigit() and int(word) < len(values):
                shown.append(values[int(word)])
            else:
                shown.append(_plain(word))
        return " ".join(shown) or f"t{number}"

    def _predicates(self, cells: Sequence[Var]) -> Iterator[Predicate]:
        for table in self._maps:
            earlier: list[Formula] = []
            found: dict[str, list[Formula]] = {}
            for row in table.rows:
                here: list[Formula] = []
                for place, cell in enumerate(cells):
                    if row.words[place] != STAR:
                        value = Const(row.number(place, "a variable"))
                        here.append(Compare("==", cell, value, span=row.span(place)))
                fits: Formula = And(tuple(here)) if here else Truth(True)
                first = And((fits, *(Not(e) for e in earlier))) if earlier else fits
                found.setdefault(self._shown(row, table.sort), []).append(first)
                earlier.append(fits)
            for shown, cases in found.items():
                yield Predicate(f"{table.name}_{shown}", _any(cases))

    def _shown(self, row: _Row, sort: str) -> str:
        """The value that a row of a map gives."""
        word = row.words[-1]
        values = self._sorts.get(sort, [])
        if word.isdigit() and int(word) < len(values):
            return re.sub(r"\W", "_", values[int(word)])
        return re.sub(r"\W", "_", _plain(word))


def _allowed(cells: Sequence[Var], rows: Sequence[tuple[int, ...]]) -> Formula:
    """The condition that the cells have the values of some row: a diagram, made from below."""
    formulas: list[Formula] = [Truth(True)]
    known: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}
    below: dict[tuple[int, ...], int] = dict.fromkeys(rows, 0)
    for place in range(len(cells) - 1, -1, -1):
        look()
        children: dict[tuple[int, ...], dict[int, list[int]]] = {}
        for values, node in below.items():
            children.setdefault(values[:place], {}).setdefault(node, []).append(values[place])
        below = {}
        for prefix, arcs in children.items():
            key = tuple(sorted((node, tuple(sorted(values))) for node, values in arcs.items()))
            if key not in known:
                cases = []
                for node, values in key:
                    here = _any([Compare("==", cells[place], Const(v)) for v in values])
                    cases.append(here if node == 0 else And((here, formulas[node])))
                known[key] = len(formulas)
                formulas.append(_any(cases))
            below[prefix] = known[key]
    return formulas[below[()]]


def _any(cases: Sequence[Formula]) -> Formula:
    return cases[0] if len(cases) == 1 else Or(tuple(cases))


def _rows(source: Source, text: str) -> Iterator[_Row]:
    """The lines that are not empty, in words."""
    for number, line in enumerate(text.split("\n"), start=1):
        found = list(WORD.finditer(line.rstrip("\r")))
        if found:
            words = tuple(m[0] for m in found)
            yield _Row(source, number, words, tuple(m.start() + 1 for m in found))


def _declared(row: _Row, place: int) -> tuple[str, str]:
    """A word `name:sort`; a colon that belongs to the name has a backslash before it."""
    word = row.words[place] if place < len(row.words) else ""
    found = re.fullmatch(r"((?:[^:\\]|\\.)+):((?:[^:\\]|\\.)+)", word)
    if found is None:
        raise row.error(f"expected a name and a sort like x:int, found '{word}'", place)
    return _plain(found[1]), _plain(found[2])


def _plain(word: str) -> str:
    """A name or value without quotes, backslashes and hexadecimal digits."""
    if len(word) > 1 and word[0] == word[-1] == '"':
        return word[1:-1]
    if len(word) > 2 and word[0] == word[-1] == "#":
        try:
            return bytes.fromhex(word[1:-1]).decode("latin-1")
        except ValueError:
            return word
    return re.sub(r"\\(.)", r"\1", word)


def _value(row: _Row) -> str:
    """The one value on a line."""
    if len(row.words) != 1:
        raise row.error("expected one value on the line", 1)
    return _plain(row.words[0])


def _arrays(names: Sequence[str]) -> dict[str, int]:
    """The arrays among the names, with their sizes: no element is missing, none is odd."""
    elements: dict[str, set[str]] = {}
    for name in names:
        if found := ELEMENT.fullmatch(name):
            elements.setdefault(found[1], set()).add(found[2])
    known = set(names)
    return {
        base: len(indices)
        for base, indices in elements.items()
        if indices == {str(i) for i in range(len(indices))} and base not in known
    }


__all__ = ["load", "parse"]
