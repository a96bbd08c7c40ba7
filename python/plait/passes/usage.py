"""What an event reads, writes and calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from plait.model.expr import Const, Var
from plait.model.node import Node, nodes
from plait.model.stmt import Assign, Body, Call, Settle
from plait.model.types import Event
from plait.passes.walk import reads, statements

Cell = tuple[str, int | None]
"""A scalar (None), or a cell of an array."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The variables and labels of an event; arrays with a computed index are kept apart."""

    read: frozenset[Cell]
    written: frozenset[Cell]
    read_somewhere: frozenset[str]
    written_somewhere: frozenset[str]
    called: frozenset[str]

    @property
    def written_names(self) -> set[str]:
        """Every variable that is assigned."""
        return {name for name, _ in self.written} | self.written_somewhere

    @property
    def names(self) -> set[str]:
        """Every variable that occurs."""
        cells = {name for name, _ in (*self.read, *self.written)}
        return cells | self.read_somewhere | self.written_somewhere


def usage_of(event: Event) -> Usage:
    """The usage of an event of a flat model."""
    read, somewhere = set[Cell](), set[str]()
    written, written_somewhere = set[Cell](), set[str]()
    called: set[str] = set()
    _note(event.guard, read, somewhere)
    for statement in statements(event.body):
        _note(reads(statement), read, somewhere)
        if isinstance(statement, Assign):
            _note_one(statement.target, written, written_somewhere)
        elif isinstance(statement, Call | Settle):
            called.add(statement.label)
    return Usage(
        frozenset(read),
        frozenset(written),
        frozenset(somewhere),
        frozenset(written_somewhere),
        frozenset(called),
    )


def cells_of(expressions: Iterable[Node]) -> tuple[set[Cell], set[str]]:
    """The cells that expressions read, and the arrays they read with a computed index."""
    cells, somewhere = set[Cell](), set[str]()
    _note(expressions, cells, somewhere)
    return cells, somewhere


def written_names(body: Body) -> Iterator[str]:
    """The variables that the statements of the body itself assign."""
    for statement in statements(body):
        if isinstance(statement, Assign):
            yield statement.target.name


def cell_of(var: Var) -> Cell | None:
    """The cell that a reference means; None when its index is computed."""
    if var.index is None:
        return (var.name, None)
    return (var.name, var.index.value) if isinstance(var.index, Const) else None


def _note(expressions: Iterable[Node], cells: set[Cell], somewhere: set[str]) -> None:
    for expression in expressions:
        for node in nodes(expression):
            if isinstance(node, Var):
                _note_one(node, cells, somewhere)


def _note_one(var: Var, cells: set[Cell], somewhere: set[str]) -> None:
    cell = cell_of(var)
    if cell is None:
        somewhere.add(var.name)
    else:
        cells.add(cell)
