"""A coloured net as a parametric model: arrays for places, parameters for variables.

A basic sort becomes a range, a place an array with a cell for each of its colours (mixed radix), a
transition an event with a parameter for each of its variables; the guard stays a condition. Its
size is that of the coloured net, however many bindings there are.

Where several tokens are taken from one place their colours may be the same. So each must find as
many tokens there as all of that colour together: `p[$x] >= 1 + ($x == $y)`.

The *separated* form reads the same arcs as takes, one after the other, and gives independent
variables events of their own (`plait.passes.separation`). It has the same states and enables the
same transitions, but bindings with the same effect are one arc in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from itertools import product
from math import prod

from plait.colour.bindings import Condition
from plait.colour.net import (
    Bag,
    Basic,
    Colour,
    ColouredArc,
    ColouredEvent,
    ColouredNet,
    Every,
    Fixed,
    Shifted,
    Sort,
    Term,
    size_of,
    term_number,
)
from plait.colour.unfold import too_large
from plait.model.expr import And, AsInt, Binary, Compare, Const, Formula, IntExpr, Or, Param, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, rewrite
from plait.model.shape import COUNTER
from plait.model.stmt import Assign
from plait.model.types import (
    ElementaryType,
    Event,
    Folded,
    Folding,
    Model,
    Parameter,
    Range,
    Variable,
)
from plait.passes.separation import separate
from plait.records import dataclass, field

CELL_LIMIT = 1_000_000
"""The most cells of all arrays."""
TOKEN_LIMIT = 100_000
"""The most guards and statements of one event."""
CHECK_LIMIT = 100_000
"""The most bindings for which a subtraction is tried."""


def parametric(net: ColouredNet) -> Model:
    """One parametric event for each transition."""
    return _Translation(net, summed=True).model()


def separated(net: ColouredNet) -> Model:
    """The same with independent variables moved to events of their own."""
    return separate(_Translation(net, summed=False).model(), net=True).model


def copies(model: Model) -> int:
    """How many events a parametric model has at most when it is instantiated."""
    system = model.system
    assert isinstance(system, ElementaryType)
    sizes = {r.name: r.high.value + 1 for r in system.ranges if isinstance(r.high, Const)}
    return sum(prod(sizes[p.range] for p in e.parameters) for e in system.events)


@dataclass(frozen=True, slots=True)
class _Cell:
    """So many tokens of one colour of a place."""

    index: IntExpr | None
    weight: IntExpr


@dataclass(slots=True)
class _Translation:
    net: ColouredNet
    summed: bool
    _ranges: dict[Basic, str] = field(default_factory=dict)
    _used: FreshNames = field(default_factory=FreshNames)

    def model(self) -> Model:
        net = self.net
        cells = sum(size_of(p.sort) for p in net.places)
        if cells > CELL_LIMIT:
            raise too_large(f"more than {CELL_LIMIT} cells in arrays", net.span)
        constant = net.constant_places()
        events = tuple(self._event(e, constant) for e in net.events)
        system = ElementaryType(
            net.name,
            ranges=tuple(
                Range(name, Const(0), Const(basic.size - 1)) for basic, name in self._ranges.items()
            ),
            events=events,
            variables=tuple(self._variable(p) for p in range(len(net.places))),
            folding=Folding(
                tuple(Folded(p.name, (p.name,), comment=p.comment) for p in net.places),
                tuple(Folded(e.name, (e.name,), comment=e.comment) for e in net.events),
            ),
            span=net.span,
        )
        return Model(net.name, (system,), net.name)

    def _variable(self, number: int) -> Variable:
        place = self.net.places[number]
        size = size_of(place.sort)
        initial = [0] * size
        for colour, count in place.initial.items():
            initial[_radix(colour, place.sort)] = count
        return Variable(
            place.name,
            tuple(Const(n) for n in initial),
            Const(size) if size > 1 else None,
            COUNTER,
            span=place.span,
            comment=place.comment,
        )

    # --- events -----------------------------------------------------------------------------------

    def _event(self, event: ColouredEvent, constant: frozenset[int]) -> Event:
        names = FreshNames()
        renamed = {v: names.fresh(re.sub(r"\W", "_", v)) for v, _ in event.variables}
        parameters = tuple(
            Parameter(renamed[v], self._range(basic)) for v, basic in event.variables
        )
        guard: list[Formula] = list(event.guard)
        taken: dict[int, list[_Cell]] = {}
        put: dict[int, list[_Cell]] = {}
        for arc in event.arcs:
            cells = self._cells(event, arc)
            match arc.kind:
                case "in":
                    taken.setdefault(arc.place, []).extend(cells)
                case "out":
                    put.setdefault(arc.place, []).extend(cells)
                case "inhibitor":
                    guard.extend(self._forbids(arc.place, cells))
        for place, cells in taken.items():
            guard.extend(self._needs(place, cells))
        body = [
            *self._changes("-", taken, constant),
            *self._changes("+", put, constant),
        ]
        rename = _Renaming(renamed)
        return Event(
            event.name,
            tuple(rename.formula(g) for g in guard),
            tuple(Assign(rename.variable(s.target), rename.integer(s.value)) for s in body),
            parameters,
            span=event.span,
            comment=event.comment,
        )

    def _range(self, basic: Basic) -> str:
        if basic not in self._ranges:
            wish = re.sub(r"\W", "_", basic.name)
            wish = wish if re.match(r"[A-Za-z]", wish) else f"r{wish}"
            self._ranges[basic] = self._used.fresh(wish)
        return self._ranges[basic]

    def _forbids(self, place: int, cells: list[_Cell]) -> list[Formula]:
        """What must not be there: of each colour of the bag as many tokens as the bag holds."""
        name = self.net.places[place].name
        found: list[Formula] = []
        for cell in cells:
            weight = _together(cell, cells)
            fewer = Compare("<", Var(name, cell.index), weight)
            if isinstance(cell.weight, Const):
                found.append(fewer)
            else:
                found.append(Or((Compare("==", weight, Const(0)), fewer)))
        return found

    def _needs(self, place: int, cells: list[_Cell]) -> list[Formula]:
        """What must be there; colours that may be the same are added up."""
        name = self.net.places[place].name
        found: list[Formula] = []
        for cell in cells:
            weight = _together(cell, cells) if self.summed else cell.weight
            found.append(Compare(">=", Var(name, cell.index), weight))
        return found

    def _changes(
        self, op: str, cells: Mapping[int, list[_Cell]], constant: frozenset[int]
    ) -> list[Assign]:
        found = []
        for place, several in cells.items():
            if place in constant and (self.summed or len(several) == 1):
                continue
            name = self.net.places[place].name
            for cell in several:
                var = Var(name, cell.index)
                value = Binary("-" if op == "-" else "+", var, cell.weight)
                found.append(Assign(var, value))
        return found

    # --- bags -------------------------------------------------------------------------------------

    def _cells(self, event: ColouredEvent, arc: ColouredArc) -> list[_Cell]:
        sort = self.net.places[arc.place].sort
        bag = arc.bag
        width = sum(prod(t.size for t in s.terms if isinstance(t, Every)) for s in bag)
        if width > TOKEN_LIMIT:
            raise too_large(f"more than {TOKEN_LIMIT} tokens on an arc", arc.span)
        if any(s.times < 0 for s in bag):
            return self._difference(event, bag, sort)
        found: dict[tuple[Term, ...], int] = {}
        for times, terms in bag:
            for one in _without_every(terms):
                found[one] = found.get(one, 0) + times
        return [_Cell(_index(terms, sort), Const(times)) for terms, times in found.items()]

    def _difference(self, event: ColouredEvent, bag: Bag, sort: Sort) -> list[_Cell]:
        """A bag from which something is subtracted: for each colour, how often it is there."""
        sorts = dict(event.variables)
        terms = [t for s in bag for t in s.terms]
        names = sorted({t.variable for t in terms if isinstance(t, Shifted)})
        if prod(sorts[n].size for n in names) > CHECK_LIMIT or size_of(sort) > TOKEN_LIMIT:
            raise too_large("a subtraction with too many bindings", bag.span)
        # More may be subtracted than there is where the guard rules the binding out.
        told = [c for c in map(Condition, event.guard) if {*c.variables} <= {*names}]
        possible: set[Colour] = set()
        for numbers in product(*(range(sorts[n].size) for n in names)):
            values = dict(zip(names, numbers, strict=True))
            if all(c.holds(values) for c in told):
                possible.update(bag.colours(values, sort))
        cells = []
        for colour in sorted(possible):
            weight: IntExpr = Const(0)
            for times, some in bag:
                weight = _plus(weight, _often(times, some, colour, sort))
            fixed = tuple(Fixed(c) for c in colour)
            cells.append(_Cell(_index(fixed, sort), weight))
        return cells


def _without_every(terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    choices: list[list[Term]] = [
        [Fixed(v) for v in range(t.size)] if isinstance(t, Every) else [t] for t in terms
    ]
    return list(product(*choices))


def _radix(colour: Colour, sort: Sort) -> int:
    number = 0
    for value, basic in zip(colour, sort, strict=True):
        number = number * basic.size + value
    return number


def _index(terms: tuple[Term, ...], sort: Sort) -> IntExpr | None:
    """The cell of a colour in the array of its place; none where there is only one colour."""
    if size_of(sort) == 1:
        return None
    if all(isinstance(t, Fixed) for t in terms):
        return Const(_radix(tuple(t.value for t in terms if isinstance(t, Fixed)), sort))
    parts: list[IntExpr] = []
    weight = size_of(sort)
    for term, basic in zip(terms, sort, strict=True):
        weight //= basic.size
        value = term_number(term, basic.size)
        if basic.size == 1 or (isinstance(value, Const) and value.value == 0):
            continue
        parts.append(value if weight == 1 else Binary("*", Const(weight), value))
    return reduce(lambda a, b: Binary("+", a, b), parts or [Const(0)])


def _plus(a: IntExpr, b: IntExpr) -> IntExpr:
    match a, b:
        case Const(value=x), Const(value=y):
            return Const(x + y)
        case Const(value=0), _:
            return b
        case _, Const(value=0):
            return a
    return Binary("+", a, b)


def _together(cell: _Cell, cells: list[_Cell]) -> IntExpr:
    """The weight of a cell with those of the others that may be the same cell."""
    weight = cell.weight
    for other in cells:
        if other is not cell:
            weight = _plus(weight, _when_equal(cell.index, other))
    return weight


def _when_equal(index: IntExpr | None, other: _Cell) -> IntExpr:
    """The weight of the other cell, if it is the same one."""
    if index is None or other.index is None or index == other.index:
        return other.weight
    if isinstance(index, Const) and isinstance(other.index, Const):
        return Const(0)
    same = AsInt(Compare("==", index, other.index))
    if other.weight == Const(1):
        return same
    return Binary("*", other.weight, same)


def _often(times: int, terms: tuple[Term, ...], colour: Colour, sort: Sort) -> IntExpr:
    """How often a summand holds a colour, depending on the variables."""
    equal: list[Formula] = []
    for term, value, basic in zip(terms, colour, sort, strict=True):
        if isinstance(term, Every):
            continue
        if isinstance(term, Fixed):
            if term.value != value:
                return Const(0)
            continue
        equal.append(Compare("==", term_number(term, basic.size), Const(value)))
    if not equal:
        return Const(times)
    same = AsInt(equal[0] if len(equal) == 1 else And(tuple(equal)))
    return same if times == 1 else Binary("*", Const(times), same)


class _Renaming:
    """Variables of the file as parameters, whose names must be identifiers."""

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = renamed
        self._same = all(a == b for a, b in renamed.items())

    def _change(self, node: Node) -> Node:
        if isinstance(node, Param) and node.name in self._renamed:
            return Param(self._renamed[node.name], span=node.span)
        return node

    def formula(self, formula: Formula) -> Formula:
        """A condition in the new names."""
        found = formula if self._same else rewrite(formula, self._change)
        assert isinstance(found, Formula)
        return found

    def integer(self, expression: IntExpr) -> IntExpr:
        """A number in the new names."""
        found = expression if self._same else rewrite(expression, self._change)
        assert isinstance(found, IntExpr)
        return found

    def variable(self, variable: Var) -> Var:
        """A cell in the new names."""
        found = variable if self._same else rewrite(variable, self._change)
        assert isinstance(found, Var)
        return found
