"""Interval arithmetic for the 32-bit integers of the models, with three-valued conditions.

An integer expression gets an interval that holds every value it may have where it is defined, or
None when it is undefined everywhere. Whatever might wrap gets the whole range. A condition gets the
set of truth values it may have; being undefined is not among them, since nothing is executed then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plait.hints import cast
from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary
from plait.model.expr import (
    NEGATED,
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
    Truth,
    Unary,
    Var,
    conjuncts,
)
from plait.model.node import Node, fold, nodes

Interval = tuple[int, int]
Environment = dict[str, Interval]
WHOLE: Interval = (INT_MIN, INT_MAX)
Truths = tuple[bool, bool]
"""May it be false, may it be true."""
_Abstract = tuple[int, int] | None
"""An interval or truth values: a Boolean is an integer, as in Python."""


def hull(a: Interval, b: Interval) -> Interval:
    """The least interval that holds both."""
    return min(a[0], b[0]), max(a[1], b[1])


class Evaluated:
    """What conditions were evaluated to, by the intervals of their variables.

    Events may share a condition, such as that no process can do anything; and an event is executed
    again and again while the ranges of a few variables grow.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Formula, list[str], dict[object, Truths]]] = {}

    def truths(self, formula: Formula, within: Intervals) -> Truths:
        """The same as `fold` finds, which is done once for the same intervals."""
        known = self._known.get(id(formula))
        if known is None:
            names = dict.fromkeys(n.name for n in nodes(formula) if isinstance(n, Var))
            known = self._known[id(formula)] = formula, list(names), {}
        _, read, results = known
        key = tuple(map(within.variable, read))
        found = results.get(key)
        if found is None:
            found = results[key] = cast(Truths, fold(formula, within.visit))
        return found


class Intervals:
    """Evaluates expressions over intervals: `local` knows more than `ranges` about some names."""

    def __init__(
        self,
        ranges: Mapping[str, Interval],
        sizes: Mapping[str, int | None],
        local: Mapping[str, Interval] | None = None,
        evaluated: Evaluated | None = None,
    ) -> None:
        self.ranges = ranges
        self.sizes = sizes
        self.local: Mapping[str, Interval] = {} if local is None else local
        self.evaluated = Evaluated() if evaluated is None else evaluated

    def integer(self, expression: IntExpr) -> Interval | None:
        """The values that the expression may have; None when it is never defined."""
        if isinstance(expression, Const):
            return expression.value, expression.value
        if isinstance(expression, Var) and expression.index is None:
            return self.variable(expression.name)
        return fold(expression, self.visit)

    def truths(self, formula: Formula) -> Truths:
        """Whether the formula may be false, and whether it may be true."""
        if isinstance(formula, Compare):
            return _compare(formula.op, self.integer(formula.left), self.integer(formula.right))
        return self.evaluated.truths(formula, self)

    def may_hold(self, formula: Formula) -> bool:
        """The formula may be true."""
        return self.truths(formula)[1]

    def in_range(self, target: Var) -> bool:
        """The index of an array cell may lie inside the array."""
        if self.sizes[target.name] is None or target.index is None:
            return True
        return self._may_index(target.name, self.integer(target.index))

    def assume(self, formulas: Iterable[Formula]) -> Environment | None:
        """What is known locally once the formulas are true; None when they cannot be."""
        known: Environment = dict(self.local)
        narrowed = Intervals(self.ranges, self.sizes, known, self.evaluated)
        for formula in formulas:
            for conjunct in (formula,) if isinstance(formula, Compare) else conjuncts(formula):
                if not narrowed._learn(conjunct, known):
                    return None
        return known

    def deny(self, formula: Formula) -> Environment | None:
        """What is known locally once the formula is false; None when it cannot be."""
        if not self.truths(formula)[0]:
            return None
        if isinstance(formula, Compare):
            return self.assume((Compare(NEGATED[formula.op], formula.left, formula.right),))
        return dict(self.local)

    def _may_index(self, name: str, index: Interval | None) -> bool:
        size = self.sizes[name]
        return index is not None and (size is None or (index[1] >= 0 and index[0] < size))

    def variable(self, name: str) -> Interval | None:
        """The values that the scalar, or a cell of the array, may have; None without a cell."""
        known = self.local.get(name)
        return self.ranges.get(name) if known is None else known

    def _learn(self, conjunct: Formula, known: Environment) -> bool:
        """Narrow the scalars of a comparison in `known`; False when the conjunct cannot hold."""
        if not isinstance(conjunct, Compare):
            return self.may_hold(conjunct)
        left, right = self.integer(conjunct.left), self.integer(conjunct.right)
        if left is None or right is None or not _compare(conjunct.op, left, right)[1]:
            return False
        for side, own, other, op in (
            (conjunct.left, left, right, conjunct.op),
            (conjunct.right, right, left, _MIRROR[conjunct.op]),
        ):
            if isinstance(side, Var) and side.index is None:
                narrow = _narrow(own, op, other)
                if narrow[0] > narrow[1]:
                    return False
                known[side.name] = narrow
        return True

    def visit(self, node: Node, below: list[_Abstract]) -> _Abstract:
        """The value of a node over those of its children."""
        match node:
            case Const(value=value):
                return value, value
            case Var(name=name, index=index):
                if index is not None and not self._may_index(name, below[0]):
                    return None
                return self.variable(name)
            case Unary(op=op):
                return _unary(op, below[0])
            case Binary(op=op):
                left, right = below
                return None if left is None or right is None else _binary(op, left, right)
            case AsInt():
                false, true = cast(Truths, below[0])
                return (0 if false else 1, 1 if true else 0) if false or true else None
            case Truth(value=value):
                return not value, value
            case Compare(op=op):
                left, right = below
                return _compare(op, left, right)
            case _:
                return _connective(node, cast(list[Truths], below))


_MIRROR: dict[CompareOp, CompareOp] = {
    "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=",
}  # fmt: skip


def _connective(node: Node, below: list[Truths]) -> Truths:
    match node:
        case Not():
            return below[0][1], below[0][0]
        case And():
            return any(f for f, _ in below), all(t for _, t in below)
        case Or():
            return all(f for f, _ in below), any(t for _, t in below)
        case Implies():
            (false, true), (other_false, other_true) = below
            return true and other_false, false or other_true
        case Iff():
            (false, true), (other_false, other_true) = below
            differ = (true and other_false) or (false and other_true)
            return differ, (true and other_true) or (false and other_false)
        case _:
            return True, True


def _narrow(own: Interval, op: CompareOp, other: Interval) -> Interval:
    """The part of `own` for which `own op other` may be true."""
    low, high = own
    if op in ("==", ">=", ">"):
        low = max(low, other[0] + (op == ">"))
    if op in ("==", "<=", "<"):
        high = min(high, other[1] - (op == "<"))
    if op == "!=" and other[0] == other[1]:
        low += low == other[0]
        high -= high == other[0]
    return low, high


def _compare(op: CompareOp, a: Interval | None, b: Interval | None) -> Truths:
    if a is None or b is None:
        return False, False
    match op:
        case "<":
            return a[1] >= b[0], a[0] < b[1]
        case "<=":
            return a[1] > b[0], a[0] <= b[1]
        case ">":
            return a[0] <= b[1], a[1] > b[0]
        case ">=":
            return a[0] < b[1], a[1] >= b[0]
        case _:
            equal = max(a[0], b[0]) <= min(a[1], b[1])
            differ = not (a[0] == a[1] == b[0] == b[1])
            return (differ, equal) if op == "==" else (equal, differ)


def _unary(op: str, a: Interval | None) -> Interval | None:
    if a is None:
        return None
    return _fit(-a[1], -a[0]) if op == "-" else (~a[1], ~a[0])


def _binary(op: str, a: Interval, b: Interval) -> Interval | None:
    match op:
        case "+":
            return _fit(a[0] + b[0], a[1] + b[1])
        case "-":
            return _fit(a[0] - b[1], a[1] - b[0])
        case "*":
            corners = [x * y for x in a for y in b]
            return _fit(min(corners), max(corners))
        case "/":
            return _divide(a, b)
        case "%":
            return _remainder(a, b)
        case "&" if a[0] >= 0 or b[0] >= 0:
            return 0, min(i[1] for i in (a, b) if i[0] >= 0)
        case "|" | "^" if a[0] >= 0 and b[0] >= 0:
            return 0, (1 << max(a[1], b[1]).bit_length()) - 1
        case _ if a[0] == a[1] and b[0] == b[1]:
            value = apply_binary(op, a[0], b[0])
            return None if value is None else (value, value)
        case ">>":
            return _shift_right(a, b)
        case _:
            return WHOLE


def _divide(a: Interval, b: Interval) -> Interval | None:
    """By the divisors of each sign nearest to 0 and farthest from it."""
    divisors = [d for d in (b[0], b[1], -1, 1) if d != 0 and b[0] <= d <= b[1]]
    if not divisors:
        return None
    quotients = [abs(x) // abs(d) * (1 if (x < 0) == (d < 0) else -1) for x in a for d in divisors]
    low, high = min(quotients), max(quotients)
    if a[0] <= 0 <= a[1]:
        low, high = min(low, 0), max(high, 0)
    return _fit(low, high)


def _remainder(a: Interval, b: Interval) -> Interval | None:
    """It has the sign of the dividend and is smaller than the divisor."""
    largest = max(abs(b[0]), abs(b[1]))
    if largest == 0:
        return None
    low = max(a[0], 1 - largest) if a[0] < 0 else 0
    high = min(a[1], largest - 1) if a[1] > 0 else 0
    return low, high


def _shift_right(a: Interval, b: Interval) -> Interval | None:
    low, high = max(b[0], 0), min(b[1], 31)
    if low > high:
        return None
    corners = [x >> s for x in a for s in (low, high)]
    return min(corners), max(corners)


def _fit(low: int, high: int) -> Interval:
    """The interval, or everything when part of it would wrap."""
    return (low, high) if low >= INT_MIN and high <= INT_MAX else WHOLE
