"""The terms of a symmetric net: colours, bags of colours, conditions; with their sorts checked.

A term is understood bottom up, so its sort follows from its parts: a bag from colours, a condition
from comparisons. Where a bag is needed, a colour is a bag of one token, and a part of a partition
has one token of each of its colours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import product
from math import prod

from plait.colour.net import (
    DOT,
    Bag,
    Every,
    Fixed,
    Shifted,
    Sort,
    Summand,
    Term,
    show_sort,
    term_number,
)
from plait.lang.pnml.sorts import SORTS, Declarations, Partition, integer
from plait.lang.pnml.structure import Element, fold_elements
from plait.model.arithmetic import INT_MAX
from plait.model.expr import (
    FALSE,
    TRUE,
    And,
    AsInt,
    Binary,
    Compare,
    CompareOp,
    Const,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
)
from plait.records import dataclass

SUMMAND_LIMIT = 1_000_000
"""The most summands of a bag."""


@dataclass(frozen=True, slots=True)
class _Number:
    value: int


@dataclass(frozen=True, slots=True)
class _SortName:
    sort: Sort


@dataclass(frozen=True, slots=True)
class _Colour:
    sort: Sort
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class _Bag:
    sort: Sort
    summands: tuple[Summand, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a partition, by its number."""

    partition: Partition
    number: IntExpr


@dataclass(frozen=True, slots=True)
class _Condition:
    formula: Formula


_Value = _Number | _SortName | _Colour | _Bag | _Part | _Condition
_KINDS: dict[type, str] = {
    _Number: "a number",
    _SortName: "a sort",
    _Colour: "a colour",
    _Bag: "a bag of colours",
    _Part: "a part of a partition",
    _Condition: "a condition",
}
_ORDERS: dict[str, CompareOp] = {
    "lessthan": "<",
    "lt": "<",
    "ltp": "<",
    "lessthanorequal": "<=",
    "leq": "<=",
    "greaterthan": ">",
    "gt": ">",
    "gtp": ">",
    "greaterthanorequal": ">=",
    "geq": ">=",
}
_NUMBER_SORTS = ("positive", "natural", "integer")


class Terms:
    """Understands the terms of one net."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._steps: dict[str, Callable[[Element, list[_Value]], _Value]] = {
            "numberconstant": self._number,
            "variable": self._variable,
            "useroperator": self._operator,
            "dotconstant": self._dot,
            "finiteintrangeconstant": self._range_constant,
            "booleanconstant": self._boolean,
            "tuple": self._tuple,
            "successor": self._shift,
            "predecessor": self._shift,
            "all": self._all,
            "numberof": self._times,
            "scalarproduct": self._times,
            "add": self._add,
            "subtract": self._subtract,
            "empty": self._empty,
            "partitionelementof": self._part_of,
            "equality": self._equality,
            "inequality": self._inequality,
            "and": self._connective,
            "or": self._connective,
            "not": self._not,
            "imply": self._imply,
            **dict.fromkeys(_ORDERS, self._order),
        }
        self._variables: dict[str, None] = {}

    # --- what a net asks for ----------------------------------------------------------------------

    def bag(self, structure: Element, sort: Sort) -> tuple[Bag, list[str]]:
        """The bag over the sort that a structure denotes, and the variables in it."""
        self._variables = {}
        term = structure.only_child()
        value = _as_bag(term, fold_elements(term, self._step))
        _same_sort(term, value.sort, sort)
        return Bag(value.summands, term.span), list(self._variables)

    def condition(self, structure: Element) -> tuple[Formula, list[str]]:
        """The condition that a structure denotes, and the variables in it."""
        self._variables = {}
        term = structure.only_child()
        formula = _formula(term, fold_elements(term, self._step))
        return formula, list(self._variables)

    def _step(self, e: Element, below: list[_Value]) -> _Value:
        step = self._steps.get(e.tag)
        if step is not None:
            return step(e, below)
        if e.tag in SORTS or e.tag == "feconstant":
            sorts = []
            for child, value in zip(e.children, below, strict=True):
                if not isinstance(value, _SortName):
                    raise child.error(f"a sort is needed here, not {_KINDS[type(value)]}")
                sorts.append(value.sort)
            return _SortName(self._declarations.sort_step(e, sorts))
        if e.tag in _NUMBER_SORTS:
            return _SortName(())
        raise e.error(f"terms of kind <{e.tag}> are not supported")

    # --- constants and variables ------------------------------------------------------------------

    def _number(self, e: Element, below: list[_Value]) -> _Value:
        value = integer(e, "value")
        if value < 0:
            raise e.error("a natural number is needed here")
        return _Number(value)

    def _variable(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 0)
        id = e.attribute("refvariable")
        if id not in self._declarations.variables:
            raise e.error(f"no variable '{id}' is declared")
        _, sort = self._declarations.variables[id]
        names = component_names(id, sort)
        self._variables.update(dict.fromkeys(names))
        return _Colour(sort, tuple(Shifted(name) for name in names))

    def _operator(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 0)
        part = self._declarations.parts.get(e.attribute("declaration"))
        if part is not None:
            return _Part(part[0], Const(part[1]))
        basic, value = self._declarations.constant(e)
        return _Colour((basic,), (Fixed(value),))

    def _dot(self, e: Element, below: list[_Value]) -> _Value:
        return _Colour((DOT,), (Fixed(0),))

    def _range_constant(self, e: Element, below: list[_Value]) -> _Value:
        basic, value = self._declarations.range_constant(e)
        return _Colour((basic,), (Fixed(value),))

    def _boolean(self, e: Element, below: list[_Value]) -> _Value:
        return _Condition(TRUE if self._declarations.boolean(e) else FALSE)

    # --- colours ----------------------------------------------------------------------------------

    def _tuple(self, e: Element, below: list[_Value]) -> _Value:
        if not below:
            raise e.error("a tuple without components")
        values = list(zip(e.children, below, strict=True))
        sort = tuple(b for child, value in values for b in _sort_of(child, value))
        if all(isinstance(value, _Colour) for value in below):
            return _Colour(sort, tuple(t for v in below if isinstance(v, _Colour) for t in v.terms))
        # A tuple of bags is the bag of the tuples of what is in them.
        bags = [_as_bag(child, value).summands for child, value in values]
        if prod(map(len, bags)) > SUMMAND_LIMIT:
            raise e.error(f"a bag of more than {SUMMAND_LIMIT} summands")
        return _Bag(sort, tuple(_joined(e, row) for row in product(*bags)))

    def _shift(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 1)
        value = below[0]
        if not isinstance(value, _Colour) or len(value.sort) != 1:
            raise e.error(f"<{e.tag}> needs a colour of an enumeration")
        (basic,) = value.sort
        # The standard has it for cyclic enumerations only; tools write it for all, and mean a ring.
        step = 1 if e.tag == "successor" else -1
        (term,) = value.terms
        if isinstance(term, Shifted):
            return _Colour(value.sort, (Shifted(term.variable, (term.offset + step) % basic.size),))
        assert isinstance(term, Fixed)
        return _Colour(value.sort, (Fixed((term.value + step) % basic.size),))

    # --- bags -------------------------------------------------------------------------------------

    def _all(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 1)
        value = below[0]
        if not isinstance(value, _SortName) or not value.sort:
            raise e.error("<all> needs a sort of colours")
        terms = tuple(Every(basic.size) for basic in value.sort)
        return _Bag(value.sort, (Summand(1, terms),))

    def _times(self, e: Element, below: list[_Value]) -> _Value:
        if len(below) == 1 and e.tag == "numberof":
            return _as_bag(e.children[0], below[0])
        _expect(e, below, 2)
        number = below[0]
        if not isinstance(number, _Number):
            raise e.children[0].error(f"a number is needed here, not {_KINDS[type(number)]}")
        bag = _as_bag(e.children[1], below[1])
        summands = (Summand(_counted(e, s.times * number.value), s.terms) for s in bag.summands)
        return _Bag(bag.sort, tuple(s for s in summands if s.times))

    def _add(self, e: Element, below: list[_Value]) -> _Value:
        if not below:
            raise e.error("<add> needs an operand")
        bags = [_as_bag(c, v) for c, v in zip(e.children, below, strict=True)]
        for child, bag in zip(e.children, bags, strict=True):
            _same_sort(child, bag.sort, bags[0].sort)
        if sum(len(bag.summands) for bag in bags) > SUMMAND_LIMIT:
            raise e.error(f"a bag of more than {SUMMAND_LIMIT} summands")
        return _Bag(bags[0].sort, tuple(s for bag in bags for s in bag.summands))

    def _subtract(self, e: Element, below: list[_Value]) -> _Value:
        if len(below) < 2:
            raise e.error("<subtract> needs two operands")
        minus = [
            _Bag(b.sort, tuple(Summand(-s.times, s.terms) for s in b.summands))
            for b in (_as_bag(c, v) for c, v in zip(e.children[1:], below[1:], strict=True))
        ]
        return self._add(e, [below[0], *minus])

    def _empty(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 1)
        value = below[0]
        if not isinstance(value, _SortName) or not value.sort:
            raise e.error("<empty> needs a sort of colours")
        return _Bag(value.sort, ())

    # --- conditions -------------------------------------------------------------------------------

    def _part_of(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 1)
        id = e.attribute("refpartition")
        partition = self._declarations.partitions.get(id)
        if partition is None:
            raise e.error(f"no partition '{id}' is declared")
        value = below[0]
        if not isinstance(value, _Colour):
            raise e.error(f"a colour is needed here, not {_KINDS[type(value)]}")
        _same_sort(e, value.sort, (partition.basic,))
        return _Part(partition, _part_number(partition, _numbers(value)[0]))

    def _equality(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 2)
        left, right = below
        match left, right:
            case _Colour(), _Colour():
                _same_sort(e.children[1], right.sort, left.sort)
                pairs = zip(_numbers(left), _numbers(right), strict=True)
                parts = tuple(Compare("==", a, b, span=e.span) for a, b in pairs)
                return _Condition(parts[0] if len(parts) == 1 else And(parts, span=e.span))
            case _Part(), _Part() if left.partition is right.partition:
                return _Condition(Compare("==", left.number, right.number, span=e.span))
            case _Condition(), _Condition():
                return _Condition(Iff(left.formula, right.formula, span=e.span))
        raise e.error(f"{_KINDS[type(left)]} cannot be compared with {_KINDS[type(right)]} here")

    def _inequality(self, e: Element, below: list[_Value]) -> _Value:
        equal = self._equality(e, below)
        assert isinstance(equal, _Condition)
        formula = equal.formula
        if isinstance(formula, Compare):
            return _Condition(Compare("!=", formula.left, formula.right, span=e.span))
        return _Condition(Not(formula, span=e.span))

    def _order(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 2)
        left, right = below
        match left, right:
            case _Colour(), _Colour() if len(left.sort) == 1:
                _same_sort(e.children[1], right.sort, left.sort)
                a, b = _numbers(left)[0], _numbers(right)[0]
            case _Part(), _Part() if left.partition is right.partition:
                a, b = left.number, right.number
            case _:
                raise e.error(f"<{e.tag}> needs two colours of one enumeration or range")
        return _Condition(Compare(_ORDERS[e.tag], a, b, span=e.span))

    def _connective(self, e: Element, below: list[_Value]) -> _Value:
        if not below:
            raise e.error(f"<{e.tag}> needs an operand")
        parts = tuple(_formula(c, v) for c, v in zip(e.children, below, strict=True))
        if len(parts) == 1:
            return _Condition(parts[0])
        return _Condition((And if e.tag == "and" else Or)(parts, span=e.span))

    def _not(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 1)
        return _Condition(Not(_formula(e.children[0], below[0]), span=e.span))

    def _imply(self, e: Element, below: list[_Value]) -> _Value:
        _expect(e, below, 2)
        left, right = (_formula(c, v) for c, v in zip(e.children, below, strict=True))
        return _Condition(Implies(left, right, span=e.span))


def component_names(id: str, sort: Sort) -> list[str]:
    """The variables that one of a sort stands for: itself, or one for each component."""
    if len(sort) == 1:
        return [id]
    return [f"{id}.{number}" for number in range(1, len(sort) + 1)]


def _expect(e: Element, below: list[_Value], count: int) -> None:
    if len(below) != count:
        raise e.error(f"<{e.tag}> needs {count} operand(s) and has {len(below)}")


def _counted(e: Element, count: int) -> int:
    if abs(count) > INT_MAX:
        raise e.error(f"this makes more than {INT_MAX} tokens of one colour")
    return count


def _same_sort(e: Element, found: Sort, wanted: Sort) -> None:
    if found != wanted:
        raise e.error(f"'{show_sort(wanted)}' is needed here, not '{show_sort(found)}'")


def _as_bag(e: Element, value: _Value) -> _Bag:
    if isinstance(value, _Bag):
        return value
    if isinstance(value, _Colour):
        return _Bag(value.sort, (Summand(1, value.terms),))
    if isinstance(value, _Part) and isinstance(value.number, Const):
        inside = (c for c, n in enumerate(value.partition.part) if n == value.number.value)
        return _Bag((value.partition.basic,), tuple(Summand(1, (Fixed(c),)) for c in inside))
    raise e.error(f"colours are needed here, not {_KINDS[type(value)]}")


def _sort_of(e: Element, value: _Value) -> Sort:
    """The sort of what stands for colours in a tuple."""
    if isinstance(value, _Colour | _Bag):
        return value.sort
    if isinstance(value, _Part):
        return (value.partition.basic,)
    raise e.error(f"a colour is needed here, not {_KINDS[type(value)]}")


def _joined(e: Element, components: tuple[Summand, ...]) -> Summand:
    """The summand of a bag of tuples that has these components."""
    times = prod(s.times for s in components)
    return Summand(_counted(e, times), tuple(t for s in components for t in s.terms))


def _formula(e: Element, value: _Value) -> Formula:
    if not isinstance(value, _Condition):
        raise e.error(f"a condition is needed here, not {_KINDS[type(value)]}")
    return value.formula


def _numbers(colour: _Colour) -> list[IntExpr]:
    """The components of a colour as expressions over parameters."""
    return [term_number(t, b.size) for t, b in zip(colour.terms, colour.sort, strict=True)]


def _part_number(partition: Partition, colour: IntExpr) -> IntExpr:
    """The number of the part that holds the colour: a sum of which one summand counts."""
    if isinstance(colour, Const):
        return Const(partition.part[colour.value])
    summands: list[IntExpr] = []
    for number in range(1, max(partition.part) + 1):
        inside = [c for c, part in enumerate(partition.part) if part == number]
        member = Or(tuple(Compare("==", colour, Const(c)) for c in inside))
        summands.append(Binary("*", Const(number), AsInt(member)))
    return reduce(lambda a, b: Binary("+", a, b), summands or [Const(0)])
