"""A flat model as guarded commands: each event a condition and a list of assignments, no more.

Calls, branches and computed indices are written out (`plait.lang.alternatives`), for languages
whose steps know none of them. Assignments that happen at once are put in an order in which each
value is taken before it is overwritten; where there is none, a variable keeps it that is 0 between
steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plait.lang.alternatives import Alternatives
from plait.lang.exported import action_of
from plait.model.expr import TRUE, Const, IntExpr, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.shape import cells_of
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Variable
from plait.records import replace


def written_out(flat: ElementaryType, language: str) -> ElementaryType:
    """The type with one event for each way in which something can happen."""
    ways = Alternatives(flat, language)
    made = FreshNames(v.name for v in flat.variables)
    cells = {
        name: Var(v.name, None if v.size is None else Const(k))
        for v in flat.variables
        for k, (name, _) in enumerate(cells_of(v))
    }
    kept: list[str] = []
    """The variables that keep values, one for each that is needed at the same time."""
    events: list[Event] = []
    for event in flat.events:
        if event.label is not None:
            continue
        for way in ways.of(event):
            body = list(_in_order(way.values, cells, kept, made))
            guard = tuple(g for g in way.guard if g != TRUE)
            name = f"{action_of(event)}#{len(events) + 1}"
            events.append(replace(event, name=name, display="", guard=guard, body=tuple(body)))
    extra = tuple(Variable(name, (Const(0),), domain=_common(flat)) for name in kept)
    return replace(flat, variables=(*flat.variables, *extra), events=tuple(events))


def _common(flat: ElementaryType) -> Domain | None:
    """A domain with every value that a variable can have, and 0."""
    domains = [v.domain for v in flat.variables]
    known = [d for d in domains if d is not None]
    if len(known) < len(domains):
        return None
    return Domain(min(0, *(d.low for d in known)), max(0, *(d.high for d in known)))


def _in_order(
    values: Mapping[str, IntExpr], cells: Mapping[str, Var], kept: list[str], made: FreshNames
) -> Iterator[Assign]:
    """Assignments one after the other that do what these do at once."""
    rest = {name: value for name, value in values.items() if value != cells[name]}
    used = 0
    while rest:
        read = {n: {cell_name(v) for v in nodes(e) if isinstance(v, Var)} for n, e in rest.items()}
        free = [n for n in rest if not any(n in read[m] for m in rest if m != n)]
        if free:
            yield Assign(cells[free[0]], rest.pop(free[0]))
            continue
        if used == len(kept):
            kept.append(made.fresh("kept"))
        name, store = next(iter(rest)), Var(kept[used])
        used += 1
        yield Assign(store, cells[name])
        rest = {n: _put(e, name, store) for n, e in rest.items()}
    yield from (Assign(Var(name), Const(0)) for name in kept[:used])


def _put(expression: IntExpr, name: str, value: Var) -> IntExpr:
    def change(node: Node) -> Node:
        return value if isinstance(node, Var) and cell_name(node) == name else node

    found = rewrite(expression, change)
    assert isinstance(found, IntExpr)
    return found


def cell_name(var: Var) -> str:
    """The name of a cell whose index is known."""
    return var.name if not isinstance(var.index, Const) else f"{var.name}[{var.index.value}]"


__all__ = ["cell_name", "written_out"]
