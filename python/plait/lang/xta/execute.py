"""Updates and functions, executed on expressions: the model has neither functions nor loops.

The variables of functions stand for expressions (`plait.lang.xta.store`), so loops whose bounds are
constants are gone, and what a function gives is an expression. Where a condition is not known, both
ways are executed and their ends are joined:

- in a condition, by a choice (`plait.lang.xta.cases`): nothing else changes there;
- in an update, which is a list of statements of the model, by an `if` of the model. A variable that
  has two values then is a choice, too, while that is small; otherwise it is kept in a scratch
  variable of the model.

A loop whose condition is not known is an `if` in an `if`; it ends where the ranges of variables say
that it must, or where an index leaves its array, which no step survives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.xta.cases import plain
from plait.lang.xta.evaluate import SMALL, Evaluation, TooMuchError
from plait.lang.xta.expressions import value_of
from plait.lang.xta.network import Network
from plait.lang.xta.program import (
    Apply,
    Branch,
    Choice,
    Command,
    Copy,
    Each,
    Evaluate,
    Loop,
    Return,
    Set,
    names,
    reads,
)
from plait.lang.xta.store import Cell, Way, mentions
from plait.lang.xta.symbols import WIDE, Place
from plait.model.expr import (
    Compare,
    Const,
    Formula,
    IntExpr,
    Truth,
    Var,
)
from plait.model.node import Node, nodes
from plait.model.stmt import Body, If, Statement
from plait.records import replace

STEPS = 20_000
"""The most commands that one update or condition leads to."""
ROUNDS = 104
"""The most conditions inside one another of which it is not known whether they hold."""
SOME = 2_000
"""The most nodes of what an update takes for a function that changes nothing."""


def number(network: Network, expression: IntExpr) -> IntExpr:
    """An expression without calls; it may have choices."""
    return cast(IntExpr, _Execution(network, writing=False).result(expression))


def evaluated(network: Network, expression: IntExpr) -> IntExpr:
    """An expression over constants, which should be a number then."""
    return network.folder.integer(number(network, expression))


def condition(network: Network, formula: Formula) -> Formula:
    """A condition without calls and choices."""
    return plain(cast(Formula, _Execution(network, writing=False).result(formula)))


def updates(network: Network, commands: tuple[Command, ...]) -> Body:
    """The statements that do what commands do."""
    execution = _Execution(network, writing=True)
    execution.run(commands)
    return (*execution.body, *execution.resets())


class _Execution(Evaluation):
    def __init__(self, network: Network, *, writing: bool) -> None:
        super().__init__(network, writing=writing)
        self._steps = 0
        self._reads: dict[int, frozenset[str]] = {}

    @property
    def body(self) -> list[Statement]:
        """The statements so far."""
        return self._way.body

    def result(self, root: Node) -> Node:
        """What an expression amounts to."""
        return self._settled(self._evaluate(root))

    # --- commands ---------------------------------------------------------------------------------

    def run(self, commands: tuple[Command, ...]) -> None:
        """Execute commands one after the other."""
        work = list(reversed(commands))
        self._rest.append(work)
        while work and not self._way.dead:
            ended = self._ended()
            if not isinstance(ended, Const):
                rest = tuple(reversed(work))
                work.clear()
                self._unless_ended(ended, rest)
            elif ended.value:
                work.clear()
            else:
                self._command(work.pop(), work)
        self._rest.pop()

    def _unless_ended(self, ended: IntExpr, rest: tuple[Command, ...]) -> None:
        """What is left to do where the function has not returned yet."""

        def go() -> None:
            self._way.values[self._calls[-1].ended, 0] = Const(0)
            self.run(rest)

        self._keep_held()
        left = self._inside(self._way.copy(), go)
        test = self._network.folder.formula(plain(Compare("==", ended, Const(0))))
        self._join(test, left, self._way.copy())

    def _command(self, command: Command, work: list[Command]) -> None:
        self._steps += 1
        if self._steps > STEPS:
            raise error(f"this does not end within {STEPS} steps", command.span)
        self._rest.append([command])
        match command:
            case Set(target=target, value=value):
                start = len(self._held)
                index = None if target.index is None else self._hold(self._number(target.index))
                new = self._number(value)
                place = None if index is None else cast(IntExpr, self._held[index])
                del self._held[start:]
                self._assign(target.name, place, new, command.span)
            case Copy(target=target, value=value):
                self._copy(target, value, command.span)
            case Evaluate(expression=expression):
                self._evaluate(expression)
            case Return(value=value):
                function = self._calls[-1]
                if value is not None:
                    self._set((function.given.name, 0), self._number(value))
                self._way.values[function.ended, 0] = Const(1)
            case Each(variable=variable, domain=domain, body=body):
                if domain.high - domain.low >= STEPS:
                    raise error(f"more than {STEPS} values", command.span)
                for number in range(domain.high, domain.low - 1, -1):
                    work.extend(reversed(body))
                    work.append(Set(variable, Const(number), span=command.span))
            case Branch(condition=test, then=then, otherwise=otherwise):
                decided = self._decide(test)
                self._rest[-1].clear()
                self._follow(decided, then, otherwise, work)
            case Loop(condition=test, body=body):
                decided = self._decide(test)
                self._rest[-1].clear()
                self._follow(decided, (*body, command), (), work)
        self._rest.pop()

    def _follow(
        self,
        decided: Formula,
        then: tuple[Command, ...],
        otherwise: tuple[Command, ...],
        work: list[Command],
    ) -> None:
        if isinstance(decided, Truth):
            work.extend(reversed(then if decided.value else otherwise))
        else:
            self._fork(decided, then, otherwise, work)

    def _ended(self) -> IntExpr:
        """Whether the function that is being executed has returned."""
        if not self._calls:
            return Const(0)
        return self._way.values[self._calls[-1].ended, 0]

    def _decide(self, formula: Formula) -> Formula:
        """The condition; true or false where that is known."""
        found = self._network.folder.formula(plain(cast(Formula, self._evaluate(formula))))
        if isinstance(found, Truth):
            return found
        if any(isinstance(n, Var) and n.name not in self._network.ranges for n in nodes(found)):
            return found
        may_fail, may_hold = self._intervals.truths(found)
        return found if may_fail and may_hold else Truth(may_hold)

    def _copy(self, target: Place, value: Place | Apply, span: Span | None) -> None:
        if isinstance(value, Apply):
            self._evaluate(value)
            value = value.function.given
        start = len(self._held)
        found = [self._hold(self._number(value_of(one, span))) for one in value.singles()]
        for one, index in zip(target.singles(), found, strict=True):
            variable = value_of(one, span)
            assert isinstance(variable, Var)
            place = None if variable.index is None else self._number(variable.index)
            new, self._held[index] = self._held[index], Const(0)
            self._assign(variable.name, place, cast(IntExpr, new), span)
        del self._held[start:]

    # --- two ways ---------------------------------------------------------------------------------

    def _fork(
        self,
        test: Formula,
        then: tuple[Command, ...],
        otherwise: tuple[Command, ...],
        work: list[Command],
    ) -> None:
        """Both ways; where exactly one returns, what is left to do belongs to the other."""
        self._keep_held()
        one = self._inside(self._way.copy(), lambda: self.run(then))
        other = self._inside(self._way.copy(), lambda: self.run(otherwise))
        gone = [self._is_gone(way) for way in (one, other)]
        if work and gone in ([True, False], [False, True]) and self._depth < ROUNDS // 2:
            rest = tuple(reversed(work))
            work.clear()
            if gone[0]:
                other = self._inside(other, lambda: self.run(rest))
            else:
                one = self._inside(one, lambda: self.run(rest))
        self._join(test, one, other)

    def _is_gone(self, way: Way) -> bool:
        if way.dead or not self._calls:
            return way.dead
        return way.values[self._calls[-1].ended, 0] == Const(1)

    def _inside(self, way: Way, go: Callable[[], None]) -> Way:
        """The way, gone on."""
        if self._depth == ROUNDS:
            command = next((c for c in (r[-1] for r in self._rest if r) if c.span), None)
            raise error(
                f"this goes on for more than {ROUNDS} rounds",
                command.span if command else None,
                "whether a loop ends must follow from constants and from the ranges of variables",
            )
        before, self._way = self._way, way
        self._depth += 1
        go()
        self._depth -= 1
        self._way = before
        return way

    def _join(self, test: Formula, one: Way, other: Way) -> None:
        """Go on where both ways end."""
        way = self._way
        if one.dead or other.dead:
            left = other if one.dead else one
            joined = left.values
            way.aliases, way.spilled, way.bounds = left.aliases, left.spilled, left.bounds
            way.dead = one.dead and other.dead
        else:
            joined = self._joined(test, one, other)
        if one.body or other.body:
            self._look_only_at_data(test)
            way.body.append(If(test, tuple(one.body), tuple(other.body)))
        way.written |= one.written | other.written
        way.values = joined

    def _joined(self, test: Formula, one: Way, other: Way) -> dict[Cell, IntExpr]:
        """The values behind both ways of what is looked at later."""
        live = self._live()
        for name in one.spilled ^ other.spilled:
            self._within(other if name in one.spilled else one, partial(self._spill, name))
        self._way.spilled = one.spilled
        for name in one.aliases:
            if one.aliases[name] != other.aliases[name]:
                self._joined_alias(name, one, other)
        self._way.aliases = one.aliases
        looked = {n.name for n in nodes(test) if isinstance(n, Var)}
        stable = looked.isdisjoint(one.written | other.written)
        found: dict[Cell, IntExpr] = {}
        for cell in one.values:
            if cell not in other.values or (cell[0] not in live and cell[0] in self._network.own):
                continue
            a, b = one.values[cell], other.values[cell]
            if a is b or a == b:
                found[cell] = a
                continue
            chosen = Choice(test, a, b)
            if self._trying and _has_more(chosen, SOME):
                raise TooMuchError
            if self._silent or (stable and not _has_more(chosen, SMALL)):
                found[cell] = chosen
            else:
                found[cell] = self._in_scratch(cell, one, other)
        self._way.bounds = {
            name: (min(low, other.bounds[name][0]), max(high, other.bounds[name][1]))
            for name, (low, high) in one.bounds.items()
            if name in other.bounds
        }
        return found

    def _within(self, way: Way, go: Callable[[], None]) -> None:
        """Do something at the end of a way."""
        before, self._way = self._way, way
        go()
        self._way = before

    def _joined_alias(self, name: str, one: Way, other: Way) -> None:
        """An index that one way saved and the other did not: both save it."""
        a, b = one.aliases[name], other.aliases[name]
        assert a.first is not None
        assert b.first is not None
        home = self._scratch(name, WIDE, None, (one, other))
        for way, first in ((one, a.first), (other, b.first)):
            self._within(way, partial(self._write, home, first, None))
            way.aliases[name] = replace(a, first=home)

    def _in_scratch(self, cell: Cell, one: Way, other: Way) -> IntExpr:
        """A variable that is kept in a scratch variable from here on.

        Where it was in one already, and nobody else looks there, it stays.
        """
        a, b = one.values[cell], other.values[cell]
        data = self._network.own.get(cell[0])
        home: Var | None = None
        for old in (a, b):
            if isinstance(old, Var) and old.name in self._used and old.index is None:
                others = (v for way in (one, other) for c, v in way.values.items() if c != cell)
                if self._used[old.name].domain == (data.domain if data else WIDE) and not any(
                    mentions(v, old) for v in (*others, *self._held)
                ):
                    home = old
                    break
        if home is None:
            span = data.span if data else None
            home = self._scratch(cell[0], data.domain if data else WIDE, span, (one, other))
        kept = home
        for way, value in ((one, a), (other, b)):
            if value != kept:
                self._within(way, partial(self._write, kept, value, None))
            way.values[cell] = kept
        return kept

    def _live(self) -> set[str]:
        """The variables that what is still to be done may look at."""
        found = {name for f in self._calls if f.result for name in names(f.given)}
        for work in self._rest:
            for command in work:
                known = self._reads.get(id(command))
                if known is None:
                    known = self._reads[id(command)] = frozenset(reads((command,)))
                found |= known
        for name in list(found):
            while name in self._way.aliases:
                name = self._way.aliases[name].name
                found.add(name)
        return found


def _has_more(root: Node, most: int) -> bool:
    """Whether an expression has more than so many nodes."""
    return next(islice(nodes(root), most, None), None) is not None


__all__ = ["condition", "evaluated", "number", "updates"]
