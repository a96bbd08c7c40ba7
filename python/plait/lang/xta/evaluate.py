"""Expressions and calls, evaluated while updates and functions are executed.

Values come from left to right. What stands behind `&&`, `||`, `imply` or in a choice is evaluated
only where it matters. A function that changes nothing gives an expression, in an update too while
that is small; otherwise its statements are those of the update.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator

from plait.errors import InputError, error
from plait.hints import cast
from plait.lang.xta.expressions import row_by_row, value_of
from plait.lang.xta.network import Network
from plait.lang.xta.program import Apply, Choice, Command, Increment, has_effects
from plait.lang.xta.store import Alias, Cell, Store, Way
from plait.lang.xta.symbols import Function, Number, Place, cells, leaves
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Implies,
    IntExpr,
    Or,
    Truth,
    Var,
)
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort
from plait.passes.folding import UNDEFINED

SMALL = 40
"""The most nodes of a choice that an update keeps as one."""


class TooMuchError(Exception):
    """What a function gives is too large for a single expression."""


class Evaluation(Store):
    """Evaluates expressions."""

    def __init__(self, network: Network, *, writing: bool) -> None:
        super().__init__(network, writing=writing)
        self._calls: list[Function] = []
        self._rest: list[list[Command]] = []
        """What is still to be done, the last first, for each block that is being executed."""
        self._depth = 0
        self._questions = 0

    @abstractmethod
    def run(self, commands: tuple[Command, ...]) -> None:
        """Execute commands one after the other."""

    @abstractmethod
    def _decide(self, formula: Formula) -> Formula:
        """The condition; true or false where that is known."""

    @abstractmethod
    def _inside(self, way: Way, go: Callable[[], None]) -> Way:
        """The way, gone on."""

    @abstractmethod
    def _join(self, test: Formula, one: Way, other: Way) -> None:
        """Go on where both ways end."""

    # --- expressions ------------------------------------------------------------------------------

    def _number(self, expression: IntExpr) -> IntExpr:
        return cast(IntExpr, self._evaluate(expression))

    def _evaluate(self, root: Node) -> Node:
        """The value of an expression here, after doing what it does."""
        start = len(self._held)
        if calls(root):
            try:
                found = self._ordered(root, {})
            except RecursionError:
                raise error("this is nested too deeply", root.span) from None
        elif any(isinstance(n, Var) and self._is_own(n.name) for n in nodes(root)):
            found = rewrite(root, self._known)
        else:
            return root
        del self._held[start:]
        return self._network.folder.simplify(found)

    def _is_own(self, name: str) -> bool:
        network = self._network
        return name in network.own or name in network.timers or name in self._way.aliases

    def _hold(self, value: Node) -> int:
        self._held.append(value)
        return len(self._held) - 1

    def _ordered(self, node: Node, done: dict[int, int]) -> Node:
        """The value, from left to right; what stands at several places is evaluated once."""
        if id(node) in done:
            return self._held[done[id(node)]]
        if not calls(node):
            return self._network.folder.simplify(rewrite(node, self._known))
        found: Node
        match node:
            case Apply():
                found = self._call(node, done)
            case Increment():
                found = self._increment(node, done)
            case Choice(condition=test, left=left, right=right):
                found = self._question(test, left, right, done)
            case And() | Or() | Implies():
                found = self._logical(node, done)
            case Var(index=index) if index is not None:
                found = self._known(node.with_children([self._ordered(index, done)]))
            case _:
                held = [self._hold(self._ordered(c, done)) for c in node.children()]
                found = node.with_children([self._held[i] for i in held])
        done[id(node)] = self._hold(found)
        return found

    def _increment(self, node: Increment, done: dict[int, int]) -> IntExpr:
        index = node.target.index
        held = None if index is None else self._hold(self._ordered(index, done))

        def place() -> IntExpr | None:
            return None if held is None else cast(IntExpr, self._held[held])

        old = self._look(node.target.name, place(), node.span)
        self._assign(node.target.name, place(), Binary("+", old, Const(node.by)), node.span)
        new = self._look(node.target.name, place(), node.span)
        return Binary("-", new, Const(node.by)) if node.late else new

    def _question(
        self, test: Formula, left: IntExpr, right: IntExpr, done: dict[int, int]
    ) -> IntExpr:
        """`test ? left : right`, where calls are inside."""
        if not has_effects(left) and not has_effects(right):
            held = self._hold(self._ordered(test, done))
            sides = self._tried(lambda: [self._ordered(e, done) for e in (left, right)])
            if sides is not None:
                chosen = Choice(cast(Formula, self._held[held]), *cast("list[IntExpr]", sides))
                return cast(IntExpr, self._known(chosen))
            test = cast(Formula, self._held[held])
        decided = self._decide(test) if not calls(test) else self._decide_ordered(test, done)
        if isinstance(decided, Truth):
            return cast(IntExpr, self._ordered(left if decided.value else right, done))
        self._questions += 1
        cell = (f"question {self._questions}", 0)

        def way(side: IntExpr) -> Way:
            def go() -> None:
                value = cast(IntExpr, self._ordered(side, dict(done)))
                self._way.values[cell] = value

            return self._inside(self._way.copy(), go)

        self._keep_held()
        self._join(decided, way(left), way(right))
        return self._way.values.pop(cell, UNDEFINED)

    def _decide_ordered(self, test: Formula, done: dict[int, int]) -> Formula:
        return self._decide(cast(Formula, self._ordered(test, done)))

    def _logical(self, node: And | Or | Implies, done: dict[int, int]) -> Formula:
        """Connectives: what is behind is evaluated only if it matters."""
        first, *rest = (cast(Formula, c) for c in node.children())
        if not any(map(has_effects, rest)):
            held = self._hold(self._ordered(first, done))
            tried = self._tried(lambda: [self._ordered(c, done) for c in rest])
            if tried is not None:
                return node.with_children([self._held[held], *tried])
            first = cast(Formula, self._held[held])
        found = first
        for part in rest:
            sides: tuple[IntExpr, IntExpr] = (AsInt(part), Const(int(not isinstance(node, And))))
            if isinstance(node, Or):
                sides = (sides[1], sides[0])
            value = self._question(found, *sides, done)
            found = Compare("!=", value, Const(0))
        return found

    def _tried(self, go: Callable[[], list[Node]]) -> list[Node] | None:
        """What comes about without statements; None where that is too large."""
        if self._silent:
            return go()
        way, self._way = self._way, self._way.copy()
        rest, calls, depth = list(self._rest), list(self._calls), self._depth
        held = len(self._held)
        self._trying = True
        try:
            found = go()
        except (TooMuchError, InputError):
            self._rest, self._calls, self._depth = rest, calls, depth
            del self._held[held:]
            return None
        finally:
            self._trying = False
            self._way = way
        return found

    # --- calls ------------------------------------------------------------------------------------

    def _call(self, call: Apply, done: dict[int, int]) -> IntExpr:
        """What a function gives; a structure stays in the variable of its result."""
        function = call.function
        before = len(self._held)
        bound = self._arguments(call, dict(done))
        for cell, index in bound:
            new, self._held[index] = self._held[index], Const(0)
            self._set(cell, cast(IntExpr, new))
        del self._held[before:]
        self._way.values[function.ended, 0] = Const(0)
        if function.result is not None:
            for path, dimensions, one in leaves(function.result):
                name = ".".join((function.given.name, *path))
                start = Const(cast(Number, one).start)
                self._way.values |= {(name, i): start for i in range(cells(dimensions))}
        if not self._way.dead:
            self._calls.append(function)
            self._through(function)
            self._calls.pop()
        result: IntExpr = Const(0)
        if isinstance(function.result, Number):
            result = self._way.values.pop((function.given.name, 0), UNDEFINED)
        self._forget(function)
        return result

    def _forget(self, function: Function) -> None:
        """The variables of a function that has returned are gone, but for what it gives."""
        way = self._way
        del way.values[function.ended, 0]
        for name in function.variables:
            way.aliases.pop(name, None)
        way.spilled -= function.variables
        way.values = {c: v for c, v in way.values.items() if c[0] not in function.variables}

    def _through(self, function: Function) -> None:
        """The body of a function; one that changes nothing gives an expression, if it is small."""
        if not self._silent and not function.changes:
            kept: list[dict[Cell, IntExpr]] = []

            def go() -> list[Node]:
                self.run(function.body)
                kept.append(self._way.values)
                given = (v for (name, _), v in kept[0].items() if name == function.given.name)
                return list(given) if function.result is not None else []

            found = self._tried(go)
            if found is not None and all(sum(1 for _ in nodes(v)) <= SMALL for v in found):
                self._way.values = kept[0]
                return
        self.run(function.body)

    def _arguments(self, call: Apply, done: dict[int, int]) -> list[tuple[Cell, int]]:
        """What the parameters get, among what is held; references stand for what is given."""
        values, places = iter(call.values), iter(call.places)
        found: list[tuple[Cell, int]] = []
        given: dict[str, Alias] = {}
        for parameter in call.function.parameters:
            own = call.function.own[parameter.name]
            if isinstance(own.type, Number) and not parameter.reference:
                value = self._hold(self._ordered(next(values), done))
                found.append(((own.name, 0), value))
                continue
            place = next(places)
            if isinstance(place, Apply):
                self._ordered(place, done)
                place = place.function.given
            if parameter.reference:
                given.update(self._references(own, place, done))
                continue
            assert isinstance(place, Place)
            for mine, one in zip(own.singles(), place.singles(), strict=True):
                variable = cast(Var, value_of(mine, None))
                number = variable.index.value if isinstance(variable.index, Const) else 0
                value = self._hold(self._ordered(value_of(one, call.span), done))
                found.append(((variable.name, number), value))
        self._way.aliases.update(given)
        return found

    def _references(
        self, own: Place, given: Place | Var, done: dict[int, int]
    ) -> Iterator[tuple[str, Alias]]:
        if isinstance(given, Var):
            index = given.index
            first = None if index is None else cast(IntExpr, self._ordered(index, done))
            yield own.name, Alias(given.name, first)
            return
        first = None
        if given.dimensions:
            place = row_by_row(given.dimensions, given.places, None, lenient=True)
            first = cast(IntExpr, self._ordered(place, done))
        for path, dimensions, _ in leaves(own.type):
            behind = ".".join(("", *path))
            yield own.name + behind, Alias(given.name + behind, first, cells(dimensions))

    def _die(self) -> None:
        """No step survives what happens here: an index is outside its array, or there is no value.

        A condition is undefined then.
        """
        if not self._silent:
            self._way.body.append(Abort())
            self._way.dead = True
            return
        function = self._calls[-1]
        for one in () if function.result is None else function.given.singles():
            variable = cast(Var, value_of(one, None))
            number = variable.index.value if isinstance(variable.index, Const) else 0
            self._way.values[variable.name, number] = UNDEFINED
        self._way.values[function.ended, 0] = Const(1)


def calls(node: Node) -> bool:
    return any(isinstance(n, Apply | Increment) for n in nodes(node))


__all__ = ["SMALL", "Evaluation", "TooMuchError"]
