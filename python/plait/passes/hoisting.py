"""Conditions in the middle of a body, asked before it.

A straight line that goes on under a condition, as `x = q; if (x == 5) {} else { abort }; y = 1`,
can ask it at its beginning, in terms of the values there: `q == 5`. In the guard it is seen by all
that lives on guards: tests that fail early, enabling sets of reductions, intervals.

Each assignment so far is remembered as an expression over the values at the beginning. Assigning to
a cell of an array whose index is computed makes the whole array unknown, and what has grown too
large is forgotten; a condition on such a variable stays where it is.

Invariant: the event has the same successors and the same errors. So nothing moves before an
assignment that may leave the domain of its variable, by the intervals of what is assigned under the
guard. An undefined value before a condition ends the event just as the condition would.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.model.expr import Const, Formula, IntExpr, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, Body, If, Statement
from plait.passes.intervals import Intervals
from plait.passes.updates import Limits
from plait.records import dataclass, field

LARGEST = 64
"""Nodes of an expression up to which it is written instead of a variable."""
Cell = tuple[str, int | None]


def is_condition(statement: Statement) -> bool:
    """`if (c) {} else { abort }`."""
    if not isinstance(statement, If) or statement.then or len(statement.otherwise) != 1:
        return False
    return isinstance(statement.otherwise[0], Abort)


def hoist(
    body: Body, guard: Sequence[Formula], limits: Limits, everywhere: Intervals
) -> tuple[list[Formula], Body]:
    """Conditions of the body that can be decided before it, and the body without them.

    `everywhere` has the domains of all variables. A body that surely ends without a successor and
    without an error is nothing but `abort`.
    """
    line = _Line(guard, limits, everywhere)
    hoisted: list[Formula] = []
    kept: list[Statement] = []
    for position, statement in enumerate(body):
        if isinstance(statement, If) and is_condition(statement):
            condition = line.at_first(statement.condition)
            if isinstance(condition, Formula):
                hoisted.append(condition)
                line.assume(condition)
            else:
                kept.append(statement)
        elif isinstance(statement, Assign) and line.assign(statement):
            kept.append(statement)
        elif isinstance(statement, Abort):
            return hoisted, (statement,)
        else:
            kept.extend(body[position:])
            break
    return hoisted, tuple(kept) if hoisted else body


@dataclass(slots=True)
class _Line:
    """What a straight line has assigned so far, in terms of the values at its beginning."""

    guard: Sequence[Formula]
    limits: Limits
    everywhere: Intervals
    values: dict[Cell, IntExpr] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    known: Intervals | None = None
    assumed: list[Formula] = field(default_factory=list)

    def assume(self, condition: Formula) -> None:
        """The condition holds at the beginning."""
        self.assumed.append(condition)
        self.known = None

    def assign(self, statement: Assign) -> bool:
        """Follow an assignment; False when it may be an error of the model."""
        target = statement.target
        value = self.at_first(statement.value)
        if not self._is_admitted(target.name, value):
            return False
        if target.index is not None and not isinstance(target.index, Const):
            self.unknown.add(target.name)
        else:
            cell = (target.name, None if target.index is None else target.index.value)
            if isinstance(value, IntExpr):
                self.values[cell] = value
            else:
                self.unknown.add(target.name)
        return True

    def _is_admitted(self, name: str, value: Node | None) -> bool:
        domain = self.limits.domains.get(name)
        if domain is None:
            return name not in self.limits.unruly
        if isinstance(value, Const):
            return domain.low <= value.value <= domain.high
        if not isinstance(value, IntExpr):
            return False
        bounds = self._intervals().integer(value)
        return bounds is None or (domain.low <= bounds[0] and bounds[1] <= domain.high)

    def _intervals(self) -> Intervals:
        """What is known of the values at the beginning."""
        if self.known is None:
            found = self.everywhere.assume((*self.guard, *self.assumed))
            self.known = Intervals(self.everywhere.ranges, self.everywhere.sizes, found)
        return self.known

    def at_first(self, node: Node) -> Node | None:
        """The expression in terms of the values at the beginning; None when they do not tell it."""
        if not self.values and not self.unknown:
            return node
        lost = False
        arrays = {name for name, index in self.values if index is not None}

        def change(part: Node) -> Node:
            nonlocal lost
            if not isinstance(part, Var):
                return part
            if part.name in self.unknown:
                lost = True
            elif part.index is None:
                return self.values.get((part.name, None), part)
            elif isinstance(part.index, Const):
                return self.values.get((part.name, part.index.value), part)
            elif part.name in arrays:
                lost = True
            return part

        found = rewrite(node, change)
        if lost or sum(1 for _ in nodes(found)) > LARGEST:
            return None
        return found
