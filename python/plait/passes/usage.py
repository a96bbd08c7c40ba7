"""What an event reads, writes and calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.model.expr import Const, Formula, Var
from plait.model.node import Node, nodes
from plait.model.stmt import Assign, Body, Call, Settle
from plait.model.types import Event
from plait.model.watch import look
from plait.passes.walk import reads, statements
from plait.records import dataclass

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
    constants: frozenset[int] = frozenset()
    """The numbers in what is read."""

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
    return Usages().of(event)


class Usages:
    """The usages of events; what they share in their guards is looked at once."""

    def __init__(self) -> None:
        self._shared: dict[int, tuple[Formula, _Found]] = {}

    def of(self, event: Event) -> Usage:
        """The usage of an event of a flat model."""
        look()
        read, written = _Found(), _Found()
        called: set[str] = set()
        for part in event.guard:
            if _is_small(part):
                read.note((part,))
            else:
                read.add(self._found(part))
        for statement in statements(event.body):
            read.note(reads(statement))
            if isinstance(statement, Assign):
                written.note_one(statement.target)
            elif isinstance(statement, Call | Settle):
                called.add(statement.label)
        return Usage(
            frozenset(read.cells),
            frozenset(written.cells),
            frozenset(read.somewhere),
            frozenset(written.somewhere),
            frozenset(called),
            frozenset(read.constants),
        )

    def _found(self, part: Formula) -> _Found:
        known = self._shared.get(id(part))
        if known is None:
            found = _Found()
            found.note((part,))
            known = self._shared[id(part)] = part, found
        return known[1]


def _is_small(expression: Node) -> bool:
    """A comparison of a variable with a number, and the like."""
    return all(not c.children() for c in expression.children())


def cells_of(expressions: Iterable[Node]) -> tuple[set[Cell], set[str]]:
    """The cells that expressions read, and the arrays they read with a computed index."""
    found = _Found()
    found.note(expressions)
    return found.cells, found.somewhere


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


class _Found:
    """What occurs in expressions."""

    def __init__(self) -> None:
        self.cells: set[Cell] = set()
        self.somewhere: set[str] = set()
        self.constants: set[int] = set()

    def note(self, expressions: Iterable[Node]) -> None:
        """Add what occurs in the expressions."""
        for expression in expressions:
            if isinstance(expression, Const):
                self.constants.add(expression.value)
                continue
            small = _is_small(expression)
            for node in (expression, *expression.children()) if small else nodes(expression):
                if isinstance(node, Var):
                    self.note_one(node)
                elif isinstance(node, Const):
                    self.constants.add(node.value)

    def add(self, other: _Found) -> None:
        """Add what was found elsewhere."""
        self.cells |= other.cells
        self.somewhere |= other.somewhere
        self.constants |= other.constants

    def note_one(self, var: Var) -> None:
        """Add one variable reference, without its index."""
        cell = cell_of(var)
        if cell is None:
            self.somewhere.add(var.name)
        else:
            self.cells.add(cell)
