"""What an event does, as a choice of simultaneous assignments with their conditions.

For languages that know no bodies, only what holds before a step and after it. A body is executed on
expressions: what a variable has become is an expression over the state before. Calls multiply, one
alternative for each event that answers; an `if` becomes two alternatives, and a cell whose index
is computed one for each cell that it can be. An index outside its array is undefined: there a step
does not exist, and of a condition the comparisons with that cell are not true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.errors import LimitReached, error
from plait.hints import cast
from plait.logic.nnf import nnf
from plait.model.expr import FALSE, And, AsInt, Compare, Const, Formula, IntExpr, Not, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.shape import evaluate_constant
from plait.model.stmt import Abort, Assign, Call, If, Statement
from plait.model.types import ElementaryType, Event
from plait.model.watch import look
from plait.records import dataclass, field, replace

MOST = 100_000
"""The most alternatives of all events together."""
MOST_NODES = 200_000
"""The largest expression that executing a body may lead to."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Where `guard` holds, the variables of `values` get these values, all at once."""

    guard: tuple[Formula, ...]
    values: dict[str, IntExpr]


@dataclass(frozen=True, slots=True)
class _Path:
    """What has been asked on the way through a body, and what the variables have become."""

    guard: tuple[Formula, ...] = ()
    values: dict[str, IntExpr] = field(default_factory=dict)


class Alternatives:
    """Executes the events of a flat model on expressions."""

    def __init__(self, flat: ElementaryType, language: str) -> None:
        self.language = language
        self.answers: dict[str, list[Event]] = {}
        for event in flat.events:
            if event.label is not None:
                self.answers.setdefault(event.label.name, []).append(event)
        self.sizes = {
            v.name: evaluate_constant(v.size, {}) for v in flat.variables if v.size is not None
        }
        self.made = 0

    def of(self, event: Event) -> list[Alternative]:
        """The alternatives of an event."""
        found: list[Alternative] = []
        waiting: list[tuple[_Path, tuple[Statement, ...]]]
        waiting = [(path, event.body) for path in self._asked(event.guard, _Path())]
        while waiting:
            path, rest = waiting.pop()
            if not rest:
                self._count()
                found.append(Alternative(path.guard, path.values))
                continue
            statement, rest = rest[0], rest[1:]
            match statement:
                case Assign(target=target, value=value):
                    ways = [(w, rest) for w in self._assigned(target, value, path)]
                    waiting.extend(reversed(ways))
                case If(condition=condition, then=then, otherwise=otherwise):
                    fails = Not(condition, span=condition.span)
                    waiting += [(w, (*otherwise, *rest)) for w in self._asked((fails,), path)]
                    waiting += [(w, (*then, *rest)) for w in self._asked((condition,), path)]
                case Call(label=label):
                    for answer in reversed(self.answers.get(label, [])):
                        ways = [(w, (*answer.body, *rest)) for w in self._asked(answer.guard, path)]
                        waiting.extend(reversed(ways))
                case Abort():
                    pass
                case _:
                    raise unsupported(statement, self.language)
        return found

    # --- cells whose index is computed ------------------------------------------------------------

    def _asked(self, conditions: Sequence[Formula], path: _Path) -> list[_Path]:
        """The ways in which all the conditions are true."""
        paths = [path]
        for condition in conditions:
            paths = [
                replace(way, guard=(*way.guard, cast(Formula, asked)))
                for known in paths
                for way, asked in self._cases(condition, known)
                if asked != FALSE
            ]
        return paths

    def _assigned(self, target: Var, value: IntExpr, path: _Path) -> Iterator[_Path]:
        """The ways in which an assignment can be executed."""
        for way, new in self._cases(value, path):
            if target.index is None:
                cells = [(way, target.name)]
            else:
                cells = [
                    (at, f"{target.name}[{k}]")
                    for known, index in self._cases(target.index, way)
                    for k, at in self._places(target.name, cast(IntExpr, index), known)
                ]
            for at, name in cells:
                yield replace(at, values={**at.values, name: cast(IntExpr, new)})

    def _cases(self, expression: Node, path: _Path) -> Iterator[tuple[_Path, Node]]:
        """An expression over the state before, in each case of which cells its indices mean."""
        if isinstance(expression, Formula) and self._computed(expression) is not None:
            expression = nnf(expression)
        waiting = [(path, self._after(expression, path.values))]
        while waiting:
            path, case = waiting.pop()
            self._count(0)
            cell = self._computed(case)
            if cell is None:
                yield path, case
                continue
            assert cell.index is not None
            if any(cell in nodes(n) for n in nodes(case) if isinstance(n, AsInt)):
                # A condition may have a value without it, and so may what it counts in.
                raise computed(cell, self.language)
            cases = []
            for k, known in self._places(cell.name, cell.index, path):
                name = f"{cell.name}[{k}]"
                value = path.values.get(name, Var(cell.name, Const(k), span=cell.span))
                cases.append((known, _replaced(case, cell, value)))
            if isinstance(case, Formula):
                outside = Not(self._inside(cell.name, cell.index))
                known = replace(path, guard=(*path.guard, outside))
                cases.append((known, _without(case, cell)))
            waiting.extend(reversed(cases))

    def _computed(self, expression: Node) -> Var | None:
        """A cell that is not known, whose index has no such cell in it."""
        for node in nodes(expression):
            if isinstance(node, Var) and node.index is not None and not self._is_known(node):
                return self._computed(node.index) or node
        return None

    def _is_known(self, cell: Var) -> bool:
        """Whether it is a cell that there is."""
        if cell.index is None:
            return True
        return isinstance(cell.index, Const) and 0 <= cell.index.value < self.sizes[cell.name]

    def _places(self, array: str, index: IntExpr, path: _Path) -> Iterator[tuple[int, _Path]]:
        """Each cell that the index may mean, and the path on which it does."""
        for k in range(self.sizes[array]):
            if not isinstance(index, Const):
                here = Compare("==", index, Const(k), span=index.span)
                yield k, replace(path, guard=(*path.guard, here))
            elif index.value == k:
                yield k, path

    def _inside(self, array: str, index: IntExpr) -> Formula:
        low, high = Const(0), Const(self.sizes[array])
        return And((Compare(">=", index, low), Compare("<", index, high)))

    def _count(self, more: int = 1) -> None:
        self.made += more
        look()
        if self.made > MOST:
            raise LimitReached(f"the events have more than {MOST} alternatives")

    def _after(self, expression: Node, values: dict[str, IntExpr]) -> Node:
        """An expression over the state before, where some variables have been assigned."""
        if not values:
            return expression

        def change(node: Node) -> Node:
            if not isinstance(node, Var) or not isinstance(node.index, Const | None):
                return node
            return values.get(plain(node, self.language), node)

        changed = rewrite(expression, change)
        if sum(1 for _ in nodes(changed)) > MOST_NODES:
            raise LimitReached("a body leads to expressions that are too large")
        return changed


def _replaced(root: Node, cell: Var, value: IntExpr) -> Node:
    """The expression with one cell known."""
    return rewrite(root, lambda node: value if node == cell else node)


def _without(root: Formula, cell: Var) -> Formula:
    """A formula in negation normal form, in which comparisons with the cell are not true."""

    def change(node: Node) -> Node:
        undefined = isinstance(node, Compare) and any(n == cell for n in nodes(node))
        return FALSE if undefined else node

    return cast(Formula, rewrite(root, change))


def plain(var: Var, language: str) -> str:
    """The name of a variable, which may be a cell of an array if its index is a constant."""
    if var.index is None:
        return var.name
    if isinstance(var.index, Const):
        return f"{var.name}[{var.index.value}]"
    raise computed(var, language)


def computed(var: Var, language: str) -> Exception:
    """The error for a cell that is not known beforehand."""
    return error(f"a computed index cannot be written in {language}", var.span)


def unsupported(statement: Statement, language: str) -> Exception:
    """The error for a statement that a language has no words for."""
    what = type(statement).__name__.lower()
    return error(f"'{what}' cannot be written in {language}", statement.span)
