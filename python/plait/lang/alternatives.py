"""What an event does, as a choice of simultaneous assignments with their conditions.

For languages that know no bodies, only what holds before a step and after it. A body is executed on
expressions: what a variable has become is an expression over the state before. Calls multiply, one
alternative for each event that answers; an `if` becomes two alternatives.
"""

from __future__ import annotations

from plait.errors import LimitReached, error
from plait.hints import cast
from plait.model.expr import Const, Formula, IntExpr, Not, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, Call, If, Statement
from plait.model.types import ElementaryType, Event
from plait.records import dataclass

MOST = 100_000
"""The most alternatives of all events together."""
MOST_NODES = 200_000
"""The largest expression that executing a body may lead to."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Where `guard` holds, the variables of `values` get these values, all at once."""

    guard: tuple[Formula, ...]
    values: dict[str, IntExpr]


class Alternatives:
    """Executes the events of a flat model on expressions."""

    def __init__(self, flat: ElementaryType, language: str) -> None:
        self.language = language
        self.answers: dict[str, list[Event]] = {}
        for event in flat.events:
            if event.label is not None:
                self.answers.setdefault(event.label.name, []).append(event)
        self.made = 0

    def of(self, event: Event) -> list[Alternative]:
        """The alternatives of an event."""
        found: list[Alternative] = []
        waiting: list[tuple[tuple[Formula, ...], dict[str, IntExpr], tuple[Statement, ...]]]
        waiting = [(event.guard, {}, event.body)]
        while waiting:
            guard, values, rest = waiting.pop()
            if not rest:
                self._count()
                found.append(Alternative(guard, values))
                continue
            statement, rest = rest[0], rest[1:]
            match statement:
                case Assign(target=target, value=value):
                    name = plain(target, self.language)
                    new = cast(IntExpr, self._after(value, values))
                    waiting.append((guard, {**values, name: new}, rest))
                case If(condition=condition, then=then, otherwise=otherwise):
                    holds = cast(Formula, self._after(condition, values))
                    fails = Not(holds, span=holds.span)
                    waiting.append(((*guard, fails), values, (*otherwise, *rest)))
                    waiting.append(((*guard, holds), values, (*then, *rest)))
                case Call(label=label):
                    for answer in reversed(self.answers.get(label, [])):
                        asked = (cast(Formula, self._after(g, values)) for g in answer.guard)
                        waiting.append(((*guard, *asked), values, (*answer.body, *rest)))
                case Abort():
                    pass
                case _:
                    raise unsupported(statement, self.language)
        return found

    def _count(self) -> None:
        self.made += 1
        if self.made > MOST:
            raise LimitReached(f"the events have more than {MOST} alternatives")

    def _after(self, expression: Node, values: dict[str, IntExpr]) -> Node:
        """An expression over the state before, where some variables have been assigned."""
        if not values:
            return expression

        def change(node: Node) -> Node:
            if not isinstance(node, Var):
                return node
            return values.get(plain(node, self.language), node)

        changed = rewrite(expression, change)
        if sum(1 for _ in nodes(changed)) > MOST_NODES:
            raise LimitReached("a body leads to expressions that are too large")
        return changed


def plain(var: Var, language: str) -> str:
    """The name of a variable, which may be a cell of an array if its index is a constant."""
    if var.index is None:
        return var.name
    if isinstance(var.index, Const):
        return f"{var.name}[{var.index.value}]"
    raise error(f"a computed index cannot be written in {language}", var.span)


def unsupported(statement: Statement, language: str) -> Exception:
    """The error for a statement that a language has no words for."""
    what = type(statement).__name__.lower()
    return error(f"'{what}' cannot be written in {language}", statement.span)
