"""A synchronous step as statements one after the other.

All variables get their new values at once, and each new value may depend on old values and on new
ones of other variables. A statement that overwrites a variable must come after all that read its
old value. Where no order allows this, and where a constraint speaks of the old value and of new
ones, the new value is kept aside in `next(x)`, a variable that is 0 in every state, and stored when
the last of them has been read. An input is chosen when it is first asked for, and is 0 again as
soon as nobody does. Constraints are asked as soon as the values that they speak of are known; what
speaks of the old state alone is the guard. So few values are remembered at a time, which is what
sets of states want.

Free choices are calls: one event for each alternative, so that the alternatives of many variables
are never multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plait.errors import Span
from plait.hints import cast
from plait.lang.smv.evaluate import after
from plait.lang.smv.types import Type
from plait.lang.smv.values import (
    Between,
    Cases,
    Either,
    Leaf,
    Tree,
    either,
    negation,
    rewritten,
    stored,
)
from plait.model.expr import Binary, Const, Formula, Truth, Var, conjuncts
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, Body, Call, If, Statement
from plait.model.types import Event, Label
from plait.records import dataclass

MANY = 63
"""A range up to here has an event for each of its values."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The new value of a variable, or the value of an input."""

    target: str
    tree: Tree
    span: Span | None
    is_input: bool = False

    @property
    def result(self) -> str:
        """What others call the value."""
        return self.target if self.is_input else after(self.target)


@dataclass(frozen=True, slots=True)
class Step:
    """A guard, a body, and the variables that are kept aside in it.

    `total` says that it is possible in every state.
    """

    guard: tuple[Formula, ...]
    body: Body
    aside: tuple[str, ...]
    total: bool


class Steps:
    """Builds steps, and the events that their choices call."""

    def __init__(self, is_boolean: Callable[[str], bool]) -> None:
        self.is_boolean = is_boolean
        self.choices: list[Event] = []
        self._labels: dict[tuple[str, Tree], str] = {}
        self._fresh = FreshNames()

    def step(self, units: Sequence[Unit], filters: Sequence[Formula]) -> Step:
        """The step that gives the variables of the units their values and keeps to the filters.

        Whatever is called `next(x)` belongs to one of the units.
        """
        parts = [p for f in filters for p in conjuncts(f)]
        results = {u.result for u in units}
        guard = tuple(p for p in parts if not _read(p) & results)
        late = [p for p in parts if _read(p) & results]
        ordered, aside = _order(units, late)
        places = {u.result: u.target for u in units if not u.is_input and u.target not in aside}

        def place(node: Node) -> Node:
            if isinstance(node, Var) and node.name in places:
                return Var(places[node.name], span=node.span)
            return node

        body: list[Statement] = []
        waiting = late
        known: set[str] = set()
        kept: list[Unit] = []
        readers = _Readers(ordered, late)
        for unit in ordered:
            cell = unit.target if unit.result in places else unit.result
            body += self._assigned(cell, rewritten(unit.tree, place), unit.span)
            known.add(unit.result)
            readers.done(unit.tree)
            if unit.is_input or unit.target in aside:
                kept.append(unit)
            ready = [p for p in waiting if _read(p) & results <= known]
            waiting = [p for p in waiting if not _read(p) & results <= known]
            for part in ready:
                body.append(_required(cast(Formula, rewrite(part, place))))
                readers.done(Leaf(part))
            for one in [u for u in kept if not readers.left(u.target)]:
                kept.remove(one)
                if not one.is_input:
                    body.append(Assign(Var(one.target), Var(one.result), span=one.span))
                    places[one.result] = one.target
                body.append(Assign(Var(one.result), Const(0), span=one.span))
        assert not kept, "nobody reads a value when all have been given"
        return Step(guard, tuple(body), tuple(sorted(aside)), total=not parts)

    # --- statements -------------------------------------------------------------------------------

    def _assigned(self, cell: str, tree: Tree, span: Span | None) -> tuple[Statement, ...]:
        match tree:
            case Leaf(node=node):
                value = stored(node, self.is_boolean)
                if isinstance(value, Var) and value.name == cell:
                    return ()
                return (Assign(Var(cell, span=span), value, span=span),)
            case Cases(arms=arms):
                return self._decided(cell, arms, span)
            case Between(low=low, high=high) if high - low >= MANY:
                return self._bitwise(cell, low, high, span)
        return (Call(self._label(cell, tree, span), span=span),)

    def _decided(
        self, cell: str, arms: Sequence[tuple[Formula, Tree]], span: Span | None
    ) -> tuple[Statement, ...]:
        """The first arm whose condition holds, found by halves: bodies stay shallow."""
        if len(arms) == 1:
            # Some condition holds (see `failures`): the last one does when the others do not.
            return self._assigned(cell, arms[0][1], span)
        half = len(arms) // 2
        first = arms[:half]
        condition = either(*(c for c, _ in first))
        then = self._decided(cell, first, span)
        otherwise = self._decided(cell, arms[half:], span)
        if not then and not otherwise:
            return ()
        if not then:
            return (If(negation(condition), otherwise, span=span),)
        return (If(condition, then, otherwise, span=span),)

    def _bitwise(self, cell: str, low: int, high: int, span: Span | None) -> tuple[Statement, ...]:
        """Any number of a range, chosen bit by bit: two events for each instead of one a number.

        The bits count from the least number, or so that they end with the greatest one: with as
        many bits as fit, the two cover the range.
        """
        bits = (high - low + 1).bit_length() - 1
        last = high - (1 << bits) + 1
        body: list[Statement] = []
        if last == low:
            body.append(Assign(Var(cell), Const(low), span=span))
        else:
            body += self._assigned(cell, Either((Leaf(Const(low)), Leaf(Const(last)))), span)
        for bit in range(bits):
            more = Leaf(Binary("+", Var(cell), Const(1 << bit)))
            body += self._assigned(cell, Either((Leaf(Var(cell)), more)), span)
        return tuple(body)

    def _label(self, cell: str, tree: Tree, span: Span | None) -> str:
        """The label of the events among which a value is chosen."""
        key = cell, tree
        if key not in self._labels:
            label = self._fresh.fresh(f"choose {cell}")
            self._labels[key] = label
            for option in _options(tree):
                body = self._assigned(cell, option, span)
                name = self._fresh.fresh(f"{label}.")
                self.choices.append(Event(name, body=body, label=Label(label), span=span))
        return self._labels[key]


def anything(type_: Type) -> Tree:
    """Any value of a type."""
    if type_.kind == "boolean":
        return Either((Leaf(Truth(False)), Leaf(Truth(True))))
    if type_.is_dense:
        return Between(type_.low, type_.high)
    return Either(tuple(Leaf(Const(v)) for v in sorted(type_.values)))


def _options(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, Between):
        for value in range(tree.low, tree.high + 1):
            yield Leaf(Const(value))
    elif isinstance(tree, Either):
        for option in tree.options:
            if isinstance(option, Between) and option.high - option.low < MANY:
                yield from _options(option)
            else:
                yield option


def _required(condition: Formula) -> Statement:
    return If(negation(condition), (Abort(span=condition.span),), span=condition.span)


# --- order ----------------------------------------------------------------------------------------


def _read(node: Node) -> set[str]:
    return {n.name for n in nodes(node) if isinstance(n, Var)}


def reads(tree: Tree) -> set[str]:
    """The variables that a tree speaks of."""
    match tree:
        case Leaf(node=node):
            return _read(node)
        case Cases(arms=arms):
            return set().union(*(_read(c) | reads(t) for c, t in arms))
        case Either(options=options):
            return set().union(*map(reads, options))
    return set()


class _Readers:
    """Who still has to read the old value of a variable, or an input."""

    def __init__(self, units: Sequence[Unit], late: Sequence[Formula]) -> None:
        self._left: dict[str, int] = {}
        for tree in (*(u.tree for u in units), *map(Leaf, late)):
            self._count(tree, 1)

    def _count(self, tree: Tree, by: int) -> None:
        for name in reads(tree):
            self._left[name] = self._left.get(name, 0) + by

    def done(self, tree: Tree) -> None:
        """A tree or a constraint has been looked at."""
        self._count(tree, -1)

    def left(self, name: str) -> int:
        """How many have not."""
        return self._left.get(name, 0)


def _order(units: Sequence[Unit], late: Sequence[Formula]) -> tuple[list[Unit], set[str]]:
    """The units in an order, and the targets whose new values are kept aside."""
    targets = {u.target for u in units if not u.is_input}
    results = {u.result for u in units}
    read = {u.result: reads(u.tree) for u in units}
    aside = {name for part in late for name in _read(part) if name in targets}
    readers: dict[str, set[str]] = {t: set() for t in targets}
    for unit in units:
        for name in read[unit.result] & targets:
            if name != unit.target:
                readers[name].add(unit.result)
    # What is chosen freely, from nothing, is chosen when somebody asks for it.
    choices = [u for u in units if u.is_input and not read[u.result]]
    left = {u.result: u for u in units if not u.is_input or read[u.result]}
    needs = {u.result: (read[u.result] & results) - {u.result} for u in units}
    ordered: list[Unit] = []
    while left:
        ready = [u for u in left.values() if not needs[u.result] & left.keys()]
        assert ready, "who reads whose new value goes round in no circle"
        free = [
            u
            for u in ready
            if u.is_input or u.target in aside or not readers[u.target] & left.keys()
        ]
        if not free:
            chosen = max(ready, key=lambda u: len(readers[u.target] & left.keys()))
            aside.add(chosen.target)
            free = [chosen]
        for unit in free:
            # One that was free stays so: the others of the round only stop reading.
            ordered.append(unit)
            del left[unit.result]
    return _with_choices(ordered, choices, late), aside


def _with_choices(
    ordered: Sequence[Unit], choices: Sequence[Unit], late: Sequence[Formula]
) -> list[Unit]:
    """The units, each choice before the first that reads it.

    One that only constraints read comes as soon as all else is known that they speak of.
    """
    place = {unit.result: at for at, unit in enumerate(ordered)}
    first: dict[str, int] = {}
    for part in late:
        read = _read(part)
        known = max((place[name] + 1 for name in read & place.keys()), default=0)
        for name in read:
            first[name] = min(known, first.get(name, known))
    for at, unit in enumerate(ordered):
        for name in reads(unit.tree):
            first[name] = min(at, first.get(name, at))
    found: list[Unit] = []
    for at in range(len(ordered) + 1):
        found += [choice for choice in choices if first.get(choice.result, 0) == at]
        found += ordered[at : at + 1]
    return found


__all__ = ["Step", "Steps", "Unit", "anything", "reads"]
