"""Updates of one cell that cancel or add up: `x = x - 1; ...; x = x + 1` is a mere test of x.

Two increments of a cell are merged at the place of the later one when nothing between them looks at
the cell. Without a declared domain that is always right, since wrapping addition is associative.
With one, the first increment may be what finds a value outside the domain, so it may only go when

- the value in between is inside the domain, by the domain itself and the guard, or
- it lies between the value before and the value after (then they are inside only if it is), and
  what stands between the two always goes on, so that the second is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plait.model.arithmetic import INT_MAX, INT_MIN, wrap32
from plait.model.expr import Binary, Compare, Const, Formula, Var
from plait.model.stmt import Assign, Body, If, Statement
from plait.model.types import Domain
from plait.passes.folding import Folder
from plait.passes.usage import Cell, cell_of, cells_of
from plait.passes.walk import reads, statements


@dataclass(frozen=True, slots=True)
class Limits:
    """The domain of each variable that has one and starts inside it in all its cells.

    A variable that starts outside is in `unruly`: of its values nothing is known.
    """

    domains: Mapping[str, Domain]
    unruly: frozenset[str]


@dataclass(slots=True)
class _Pending:
    """An increment that may still be merged into a later one."""

    position: int
    offset: int
    first: bool
    """No earlier statement can have changed the cell, so the guard speaks of its value."""
    certain: bool = True
    """Every statement since always goes on."""


def merge_updates(body: Body, guard: tuple[Formula, ...], limits: Limits, folder: Folder) -> Body:
    """The body with increments of one cell merged; the body itself when there are none."""
    targets = [s.target.name for s in body if isinstance(s, Assign)]
    if len(set(targets)) == len(targets):
        return body
    pending: dict[Cell, _Pending] = {}
    touched: set[str] = set()
    opaque = False
    new: list[Statement | None] = []
    for statement in body:
        update = _increment(statement)
        if update is None:
            if not _transparent(statement):
                pending.clear()
                opaque = True
            else:
                _look(statement, pending, folder)
                touched.update(_written(statement))
            new.append(statement)
            continue
        target, offset = update
        cell = cell_of(target)
        assert cell is not None
        _look_past(cell, pending, limits)
        earlier = pending.get(cell)
        merged = None
        if earlier is not None and _may_merge(cell, earlier, offset, guard, limits):
            merged = wrap32(earlier.offset + offset)
            new[earlier.position] = None
            new.append(_update(target, merged, statement))
            first = earlier.first
        else:
            new.append(statement)
            first = not opaque and target.name not in touched
        pending[cell] = _Pending(len(new) - 1, offset if merged is None else merged, first)
        touched.add(target.name)
    kept = tuple(s for s in new if s is not None)
    return kept if len(kept) < len(body) else body


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


def _transparent(statement: Statement) -> bool:
    """Assignments, and choices among them: what they look at can be seen."""
    return all(isinstance(s, Assign | If) for s in statements((statement,)))


def _written(statement: Statement) -> Iterable[str]:
    return (s.target.name for s in statements((statement,)) if isinstance(s, Assign))


def _look(statement: Statement, pending: dict[Cell, _Pending], folder: Folder) -> None:
    """Forget the increments of cells that the statement looks at or changes."""
    if not pending:
        return
    inside = list(statements((statement,)))
    cells, somewhere = cells_of(e for s in inside for e in reads(s))
    targets, targets_somewhere = cells_of(s.target for s in inside if isinstance(s, Assign))
    # The index of a target was counted with the reads; the target itself is changed.
    for cell in list(pending):
        if cell in cells or cell in targets or cell[0] in somewhere | targets_somewhere:
            del pending[cell]
    if not _always_goes_on(statement, folder):
        for p in pending.values():
            p.certain = False


def _look_past(cell: Cell, pending: dict[Cell, _Pending], limits: Limits) -> None:
    """An increment of a cell with a domain may stop the execution with an error."""
    if cell[0] in limits.domains or cell[0] in limits.unruly:
        for other, p in pending.items():
            if other != cell:
                p.certain = False


def _always_goes_on(statement: Statement, folder: Folder) -> bool:
    return (
        isinstance(statement, Assign)
        and cell_of(statement.target) is not None
        and folder.total(statement.target)
        and folder.total(statement.value)
    )


def _may_merge(
    cell: Cell,
    earlier: _Pending,
    offset: int,
    guard: tuple[Formula, ...],
    limits: Limits,
) -> bool:
    name = cell[0]
    if name in limits.unruly:
        return False
    domain = limits.domains.get(name)
    if domain is None:
        return True
    total = earlier.offset + offset
    if not -INT_MAX <= total <= INT_MAX:
        return False
    low, high = domain.low, domain.high
    if earlier.first:
        low, high = _narrow(cell, low, high, guard)
    if domain.low <= low + earlier.offset and high + earlier.offset <= domain.high:
        return True
    between = min(0, total) <= earlier.offset <= max(0, total)
    fits = domain.high - domain.low + 1 + abs(total) <= 2**32
    return between and fits and earlier.certain


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
