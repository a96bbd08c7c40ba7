"""What variables stand for while updates and functions are executed.

The variables of functions are no variables of the model: each of them stands for an expression over
the state that the model is in at that point. A variable of the model changes by a statement. What
would not be meant any more behind that is saved before in a *scratch variable* of the model, which
is reset at the end of the update, so that it tells no states apart.

Invariant: every expression in the values, aliases and what is held is meant in the state right
behind the statements so far.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from plait.errors import Span, error
from plait.hints import TYPE_CHECKING, cast
from plait.lang.xta.cases import both, cases
from plait.lang.xta.network import Network
from plait.lang.xta.program import Choice
from plait.lang.xta.symbols import WIDE, Data, Number, cells
from plait.model.expr import TRUE, AsInt, Binary, Compare, Const, Formula, IntExpr, Truth, Var
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, If, Statement
from plait.model.types import Domain
from plait.passes.folding import UNDEFINED
from plait.records import dataclass, field, replace

if TYPE_CHECKING:
    from plait.passes.intervals import Intervals

Cell = tuple[str, int]
"""A variable of a function, and which of its cells."""


@dataclass(frozen=True, slots=True)
class Alias:
    """What a parameter by reference stands for: a variable, or cells of it behind the `first`."""

    name: str
    first: IntExpr | None = None
    size: int = 1


@dataclass(slots=True)
class Way:
    """One of the ways to go on, and what has come about on it."""

    values: dict[Cell, IntExpr]
    aliases: dict[str, Alias]
    spilled: set[str]
    """The arrays of functions that are kept in scratch variables."""
    bounds: dict[str, tuple[int, int]] = field(default_factory=dict)
    """What scratch variables hold here, where that is known to be less than their ranges."""
    body: list[Statement] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    dead: bool = False

    def copy(self) -> Way:
        """Where this way forks."""
        known = (dict(self.values), dict(self.aliases), set(self.spilled), dict(self.bounds))
        return Way(*known, dead=self.dead)


class Store(ABC):
    """The variables on the way that is being executed."""

    def __init__(self, network: Network, *, writing: bool) -> None:
        self._network = network
        self._writing = writing
        self._way = Way({}, {}, set())
        self._held: list[Node] = []
        """Values of expressions that are being evaluated."""
        self._trying = False
        """An update is trying what a condition would do: to have one expression."""
        self._used: dict[str, Data] = {}

    @property
    def _silent(self) -> bool:
        """No statements are made here."""
        return self._trying or not self._writing

    @abstractmethod
    def _live(self) -> set[str]:
        """The variables that what is still to be done may look at."""

    @abstractmethod
    def _die(self) -> None:
        """No step survives what happens here."""

    def resets(self) -> Iterator[Statement]:
        """Scratch variables as they were."""
        for data in self._used.values():
            start = Const(data.initial[0])
            if not data.dimensions:
                yield Assign(Var(data.full), start)
            else:
                for i in range(cells(data.dimensions)):
                    yield Assign(Var(data.full, Const(i)), start)

    # --- variables --------------------------------------------------------------------------------

    def _known(self, node: Node) -> Node:
        """A variable as the value that it has, a choice as a side that is known to be chosen."""
        if isinstance(node, Var):
            return self._look(node.name, node.index, node.span)
        if isinstance(node, Choice):
            test = self._network.folder.formula(node.condition)
            if isinstance(test, Truth):
                return node.left if test.value else node.right
        return node

    def _resolved(self, name: str, index: IntExpr | None) -> tuple[str, IntExpr | None]:
        """What a name stands for in the end."""
        while name in self._way.aliases:
            alias = self._way.aliases[name]
            name = alias.name
            if alias.first is not None:
                inner = index or Const(0)
                index = Binary("+", Binary("*", alias.first, Const(alias.size)), inner)
        return name, None if index is None else self._network.folder.integer(index)

    def _look(self, name: str, index: IntExpr | None, span: Span | None) -> IntExpr:
        """The value of a variable."""
        name, index = self._resolved(name, index)
        data = self._network.own.get(name)
        timers = self._network.timers.get(name)
        if timers and index is not None and not isinstance(index, Const):
            return _one_of(index, [Var(name, Const(n), span=span) for n in range(len(timers))])
        if data is None or name in self._way.spilled:
            return Var(name if data is None else _kept(name), index, span=span)
        if index is None or isinstance(index, Const):
            return self._way.values.get((name, index.value if index else 0), UNDEFINED)
        if not self._silent and index is not UNDEFINED:
            self._spill(name)
            return Var(_kept(name), index, span=span)
        numbers = range(cells(data.dimensions))
        return _one_of(index, [self._way.values.get((name, n), UNDEFINED) for n in numbers])

    def _assign(self, name: str, index: IntExpr | None, value: IntExpr, span: Span | None) -> None:
        name, index = self._resolved(name, index)
        value = self._network.folder.integer(value)
        data = self._network.own.get(name)
        if index is UNDEFINED or value is UNDEFINED or self._is_outside(name, index):
            self._die()
        elif data is None or name in self._way.spilled:
            self._write(Var(name if data is None else _kept(name), index), value, span)
        elif index is None or isinstance(index, Const):
            number = index.value if index else 0
            if 0 <= number < max(cells(data.dimensions), 1):
                self._set((name, number), value)
            else:
                self._die()
        elif self._silent:
            for number in range(cells(data.dimensions)):
                old = self._way.values.get((name, number), UNDEFINED)
                chosen = Choice(Compare("==", index, Const(number)), value, old)
                self._way.values[name, number] = chosen
        else:
            self._spill(name)
            self._write(Var(_kept(name), index), value, span)

    def _is_outside(self, name: str, index: IntExpr | None) -> bool:
        """Whether a variable of the model is an array that has no such cell."""
        size = self._network.sizes.get(name)
        return size is not None and isinstance(index, Const) and not 0 <= index.value < size

    def _set(self, cell: Cell, value: IntExpr) -> None:
        """A variable of a function gets a value; where it may not fit, the model looks at that."""
        value = self._network.folder.integer(value)
        if value is UNDEFINED:
            self._die()
            return
        if cell[0] in self._way.spilled:
            self._write(Var(_kept(cell[0]), Const(cell[1])), value, None)
            return
        self._way.values[cell] = value
        if not self._silent and not self._fits(cell[0], value):
            self._save(cell)

    @property
    def _intervals(self) -> Intervals:
        """What is known of values here."""
        return self._network.intervals(self._way.bounds)

    def _fits(self, name: str, value: IntExpr) -> bool:
        domain, found = self._network.own[name].domain, self._between(value)
        return found is None or (domain.low <= found[0] and found[1] <= domain.high)

    def _between(self, value: IntExpr) -> tuple[int, int] | None:
        """The least and the greatest value that an expression may have; None where it has none."""
        if isinstance(value, Const):
            return value.value, value.value
        intervals = self._intervals
        found = [i for _, case in cases(value) if (i := intervals.integer(case)) is not None]
        return (min(i[0] for i in found), max(i[1] for i in found)) if found else None

    def _bound(self, home: Var, value: IntExpr) -> None:
        """Note what a scratch variable holds; a value outside its range ends the step."""
        domain, found = self._used[home.name].domain, self._between(value)
        low, high = (domain.low, domain.high) if found is None else found
        low, high = max(low, domain.low), min(high, domain.high)
        self._way.bounds.pop(home.name, None)
        if low <= high:
            self._way.bounds[home.name] = (low, high)

    # --- statements -------------------------------------------------------------------------------

    def _write(self, target: Var, value: IntExpr, span: Span | None) -> None:
        """A variable of the model gets a value."""
        if self._silent:
            raise error(f"a condition cannot change '{target.name}'", span)
        self._protect(target)
        self._way.written.add(target.name)
        if target.index is None and target.name in self._used:
            self._bound(target, value)
        statement: Statement | None = None
        place, timers = target.index, self._network.timers.get(target.name)
        if timers and place is not None and not isinstance(place, Const):
            place = _one_of(place, [Const(n) for n in range(len(timers))])
        ways = [
            (both(c, d), index, new)
            for c, index in (cases(place) if place is not None else [(TRUE, None)])
            for d, new in cases(value)
        ]
        for test, index, new in reversed(ways):
            one: Statement = Abort()
            if UNDEFINED not in (new, index) and not self._is_outside(target.name, index):
                variable = cast(Var, self._settled(Var(target.name, index)))
                if variable.name not in self._network.clocks:
                    self._look_only_at_data(new)
                one = Assign(variable, cast(IntExpr, self._settled(new)), span=span)
            self._look_only_at_data(test)
            statement = one if statement is None else If(test, (one,), (statement,))
        assert statement is not None
        self._way.body.append(statement)

    def _look_only_at_data(self, node: Node) -> None:
        """Refuse a clock where its value would matter beyond comparisons that are accounted for."""
        for n in nodes(node):
            if isinstance(n, Var) and (
                n.name in self._network.clocks or n.name in self._network.timers
            ):
                raise error("the value of a clock cannot be assigned", n.span)

    def _settled(self, root: Node) -> Node:
        """Clocks of arrays by their names."""
        timers = self._network.timers
        if not timers:
            return root

        def settle(node: Node) -> Node:
            if not isinstance(node, Var) or node.name not in timers:
                return node
            index = node.index
            if not isinstance(index, Const):
                raise error("which clock of an array is meant must be known", node.span)
            if not 0 <= index.value < len(timers[node.name]):
                raise error(f"the array has no clock {index.value}", node.span)
            return Var(timers[node.name][index.value], span=node.span)

        return rewrite(root, settle)

    def _protect(self, target: Var) -> None:
        """Save what would not be meant any more once a variable of the model has changed."""
        touched = [c for c, value in self._way.values.items() if mentions(value, target)]
        live = self._live() if touched else set()
        for cell in touched:
            if cell[0] in live or cell[0] not in self._network.own:
                self._save(cell)
            else:
                del self._way.values[cell]
        for parameter, alias in list(self._way.aliases.items()):
            if alias.first is not None and mentions(alias.first, target):
                home = self._scratch(parameter, WIDE, None)
                self._write(home, alias.first, None)
                self._way.aliases[parameter] = replace(alias, first=home)
        for i, held in enumerate(self._held):
            if mentions(held, target):
                self._held[i] = self._saved(held)

    def _keep_held(self) -> None:
        """Save what is held before two ways might treat it differently."""
        if self._silent:
            return
        for i, held in enumerate(self._held):
            if any(isinstance(n, Var) and n.name not in self._used for n in nodes(held)):
                self._held[i] = self._saved(held)

    def _saved(self, value: Node) -> Node:
        home = self._scratch("value", WIDE, None)
        if isinstance(value, Formula):
            self._write(home, AsInt(value), None)
            return Compare("!=", home, Const(0))
        self._write(home, cast(IntExpr, value), None)
        return home

    def _save(self, cell: Cell) -> None:
        """Keep the variable of a function in a scratch variable."""
        data = self._network.own.get(cell[0])
        domain, span = (data.domain, data.span) if data else (WIDE, None)
        home = self._scratch(cell[0], domain, span)
        self._write(home, self._way.values[cell], span)
        self._way.values[cell] = home

    def _spill(self, name: str) -> None:
        """Keep an array of a function in a scratch variable: which cell is meant is not known."""
        data = replace(self._network.own[name], full=_kept(name))
        self._network.remember(data)
        self._used[data.full] = data
        self._way.spilled.add(name)
        for number in range(cells(data.dimensions)):
            value = self._way.values.pop((name, number), Const(data.initial[0]))
            self._write(Var(data.full, Const(number)), value, data.span)

    def _scratch(
        self, name: str, domain: Domain, span: Span | None, ways: tuple[Way, ...] = ()
    ) -> Var:
        """A scratch variable that nobody looks at here."""
        taken = {
            n.name
            for way in (self._way, *ways)
            for value in (*way.values.values(), *(a.first for a in way.aliases.values()))
            if value is not None
            for n in nodes(value)
            if isinstance(n, Var)
        }
        taken |= {n.name for held in self._held for n in nodes(held) if isinstance(n, Var)}
        number = 1
        full = f"scratch {name} {number}"
        while full in taken:
            number += 1
            full = f"scratch {name} {number}"
        data = Data(full, domain, (), (Number(domain).start,), span)
        self._network.remember(data)
        self._used[full] = data
        return Var(full)


def _kept(name: str) -> str:
    """The name of the scratch variable for an array of a function."""
    return f"scratch {name}"


def _one_of(index: IntExpr, values: Sequence[IntExpr]) -> IntExpr:
    """The value with this number, from 0; none where there is no such number."""
    found = UNDEFINED
    for number in reversed(range(len(values))):
        found = Choice(Compare("==", index, Const(number)), values[number], found)
    return found


def mentions(node: Node, target: Var) -> bool:
    """Whether an expression may look at a variable."""
    for n in nodes(node):
        if isinstance(n, Var) and n.name == target.name:
            both_known = isinstance(n.index, Const) and isinstance(target.index, Const)
            if not both_known or n.index == target.index:
                return True
    return False


__all__ = ["Alias", "Cell", "Store", "Way", "mentions"]
