"""Updates of one cell that cancel or add up: `x = x - 1; ...; x = x + 1` is a mere test of x.

Two increments of a cell are merged at the place of the later one when nothing between them looks at
the cell. Without a declared domain that is always right, since wrapping addition is associative.
With one, the first increment may be what finds a value outside the domain, so it may only go when

- the value in between is inside the domain, by the domain itself and the guard, or
- it lies between the value before and the value after (then they are inside only if it is), and
  what stands between the two always goes on, so that the second is reached.
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.model.arithmetic import INT_MAX, INT_MIN, wrap32
from plait.model.expr import Binary, Compare, Const, Formula, Var
from plait.model.stmt import Assign, Body, If, Statement
from plait.model.types import Domain
from plait.passes.folding import Folder
from plait.passes.usage import Cell, cell_of, cells_of
from plait.passes.walk import reads, statements
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The domain of each variable that has one and starts inside it in all its cells.

    A variable that starts outside is in `unruly`: of its values nothing is known.
    """

    domains: Mapping[str, Domain]
    unruly: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Pending:
    """An increment that may still be merged into a later one."""

    position: int
    offset: int
    first: bool
    """No earlier statement can have changed the cell, so the guard speaks of its value."""


def merge_updates(body: Body, guard: tuple[Formula, ...], limits: Limits, folder: Folder) -> Body:
    """The body with increments of one cell merged; the body itself when there are none."""
    cells = [cell_of(update[0]) for update in map(_increment, body) if update is not None]
    if len(set(cells)) == len(cells):
        return body
    return _Merger(guard, limits, folder).merge(body)


class _Merger:
    def __init__(self, guard: tuple[Formula, ...], limits: Limits, folder: Folder) -> None:
        self.guard = guard
        self.limits = limits
        self.folder = folder
        self.pending: dict[str, dict[Cell, _Pending]] = {}
        """By the name of the variable."""
        self.touched: set[str] = set()
        self.opaque = False
        self.doubtful = -1
        """The position of the last statement that may not go on."""

    def merge(self, body: Body) -> Body:
        """The body with increments merged."""
        new: list[Statement | None] = []
        for position, statement in enumerate(body):
            update = _increment(statement)
            if update is None:
                new.append(statement)
                self._pass_by(position, statement)
            else:
                self._increment(position, *update, statement, new)
        kept = tuple(s for s in new if s is not None)
        return kept if len(kept) < len(body) else body

    def _increment(
        self,
        position: int,
        target: Var,
        offset: int,
        statement: Statement,
        new: list[Statement | None],
    ) -> None:
        cell = cell_of(target)
        assert cell is not None
        cells = self.pending.setdefault(target.name, {})
        earlier = cells.get(cell)
        if earlier is not None and self._may_merge(cell, earlier, offset):
            new[earlier.position] = None
            total = wrap32(earlier.offset + offset)
            new.append(_update(target, total, statement))
            cells[cell] = _Pending(position, total, earlier.first)
        else:
            new.append(statement)
            first = not self.opaque and target.name not in self.touched
            cells[cell] = _Pending(position, offset, first)
        self.touched.add(target.name)
        if target.name in self.limits.domains or target.name in self.limits.unruly:
            self.doubtful = position

    def _pass_by(self, position: int, statement: Statement) -> None:
        """Forget the increments of cells that the statement looks at or changes."""
        inside = list(statements((statement,)))
        if not all(isinstance(s, Assign | If) for s in inside):
            self.pending.clear()
            self.opaque = True
            return
        looked_at, somewhere = cells_of(e for s in inside for e in reads(s))
        changed, elsewhere = cells_of(s.target for s in inside if isinstance(s, Assign))
        self.touched.update(name for name, _ in changed)
        self.touched |= elsewhere
        for name in somewhere | elsewhere:
            self.pending.pop(name, None)
        for cell in looked_at | changed:
            self.pending.get(cell[0], {}).pop(cell, None)
        if not self._always_goes_on(statement):
            self.doubtful = position

    def _always_goes_on(self, statement: Statement) -> bool:
        return (
            isinstance(statement, Assign)
            and self.folder.total(statement.target)
            and self.folder.total(statement.value)
            and statement.target.name not in self.limits.domains
            and statement.target.name not in self.limits.unruly
        )

    def _may_merge(self, cell: Cell, earlier: _Pending, offset: int) -> bool:
        if cell[0] in self.limits.unruly:
            return False
        domain = self.limits.domains.get(cell[0])
        if domain is None:
            return True
        total = earlier.offset + offset
        if not -INT_MAX <= total <= INT_MAX:
            return False
        low, high = domain.low, domain.high
        if earlier.first:
            low, high = _narrow(cell, low, high, self.guard)
        if domain.low <= low + earlier.offset and high + earlier.offset <= domain.high:
            return True
        between = min(0, total) <= earlier.offset <= max(0, total)
        fits = domain.high - domain.low + 1 + abs(total) <= 2**32
        return between and fits and self.doubtful <= earlier.position


def _increment(statement: Statement) -> tuple[Var, int] | None:
    """The target and offset of `x = x + c` for a cell with a fixed place."""
    if not isinstance(statement, Assign) or cell_of(statement.target) is None:
        return None
    match statement.value:
        case Binary(op="+" | "-" as op, left=Var() as left, right=Const(value=value)):
            if left == statement.target:
                return statement.target, value if op == "+" else -value
        case _:
            pass
    return None


def _update(target: Var, offset: int, statement: Statement) -> Statement | None:
    if offset == 0:
        return None
    if INT_MIN < offset < 0:
        return Assign(target, Binary("-", target, Const(-offset)), span=statement.span)
    return Assign(target, Binary("+", target, Const(offset)), span=statement.span)


def _narrow(cell: Cell, low: int, high: int, guard: tuple[Formula, ...]) -> tuple[int, int]:
    """What the guard says about the value of the cell."""
    for conjunct in guard:
        match conjunct:
            case Compare(op=op, left=Var() as var, right=Const(value=value)):
                if cell_of(var) != cell:
                    continue
                if op in (">=", "==", ">"):
                    low = max(low, value + (op == ">"))
                if op in ("<=", "==", "<"):
                    high = min(high, value - (op == "<"))
            case _:
                pass
    return low, high
