"""The operations of NuSMV's language, with its rules about types.

Numbers are not Booleans, but a literal 0 or 1 may stand for FALSE or TRUE, as in texts for older
versions. Integers have no bounds in NuSMV; what could leave 32 bits is refused. Division rounds
toward zero, and `mod` has the sign of the dividend. Words wrap around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.errors import InputError, Span, error
from plait.hints import cast
from plait.lang.smv import words
from plait.lang.smv.temporal import temporal
from plait.lang.smv.types import (
    BOOLEAN,
    Type,
    comparable,
    describe,
    integer,
    joined,
)
from plait.lang.smv.values import (
    Between,
    Either,
    Failure,
    Leaf,
    Tree,
    Value,
    both,
    cases,
    combined,
    contains,
    deterministic,
    either,
    formula_of,
    mapped,
    negation,
)
from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary, compare
from plait.model.expr import (
    FALSE,
    TRUE,
    ArithmeticOp,
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
    Truth,
    Unary,
)
from plait.model.node import Node
from plait.records import replace

NOT_EXHAUSTIVE = "the conditions of this case do not cover all values"
ARITHMETIC: dict[str, ArithmeticOp] = {"+": "+", "-": "-", "*": "*", "/": "/", "mod": "%"}
COMPARISONS: dict[str, CompareOp] = {
    "=": "==",
    "!=": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}


class Operators:
    """Applies operators to values; `names` are those of the symbols."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names
        self.first_symbol = min(names, default=0)

    def applied(
        self, operator: str, below: Sequence[Value], span: Span | None, logic: str
    ) -> Value:
        """An operator with its operands."""
        found = self._applied(operator, below, span, logic)
        if any(v.elsewhere for v in below):
            return replace(found, elsewhere=True)
        return found

    def _applied(
        self, operator: str, below: Sequence[Value], span: Span | None, logic: str
    ) -> Value:
        if operator in COMPARISONS:
            return self._compared(COMPARISONS[operator], below, span)
        if operator in words.FUNCTIONS or any(v.type.kind == "word" for v in below):
            found = words.applied(operator, below, span)
            if found is not None:
                return found
        if operator in ARITHMETIC:
            return self._arithmetic(ARITHMETIC[operator], below, span)
        match operator:
            case "&" | "|" | "!" | "->" | "<->" | "xor" | "xnor":
                return self._connective(operator, below, span)
            case "case":
                return self._case(below, span)
            case "?:":
                return self._case([below[0], below[1], _truth(span), below[2]], span)
            case "{}":
                return self._set(below, span)
            case "union":
                return self._set(below, span)
            case "..":
                return self._range(below, span)
            case "in":
                return self._member(below, span)
            case "neg":
                zero = Value(integer(0, 0), Leaf(Const(0)), span=span)
                return self._negative(below[0], zero, span)
            case "abs" | "max" | "min" | "bool" | "toint" | "count":
                return self._function(operator, below, span)
        path = temporal(operator, [self.condition(v) for v in below], span, logic)
        if path is None:
            raise error(f"'{operator}' is not supported", span)
        return Value(BOOLEAN, Leaf(path), _all(below), span=span, elsewhere=True)

    # --- conditions -------------------------------------------------------------------------------

    def condition(self, value: Value) -> Formula:
        """A value as a condition; a located error when it is none."""
        deterministic(value)
        if value.type.kind == "boolean":
            return formula_of(value.tree)
        match value.tree:
            case Leaf(node=Const(value=0 | 1 as bit)):
                return TRUE if bit else FALSE
        raise self._wrong("a condition", value)

    def boolean(self, value: Value) -> Value:
        """The value, where a literal 0 or 1 stands for a condition."""
        if value.type.kind == "boolean":
            return value
        match value.tree:
            case Leaf(node=Const(value=0 | 1 as bit)) if value.type.kind == "integer":
                return Value(BOOLEAN, Leaf(TRUE if bit else FALSE), span=value.span)
        if value.several and value.type.kind == "integer" and integer(0, 1).holds(value.type):
            tree = mapped(value.tree, lambda n: Leaf(_comparison("==", cast(IntExpr, n), Const(1))))
            return Value(BOOLEAN, tree, value.failures, True, value.span)
        raise self._wrong("a condition", value)

    def _connective(self, operator: str, below: Sequence[Value], span: Span | None) -> Value:
        parts = [self.condition(v) for v in below]
        found: Formula
        match operator:
            case "&":
                found = both(*parts)
            case "|":
                found = either(*parts)
            case "!":
                found = negation(parts[0])
            case "->":
                found = Implies(parts[0], parts[1], span=span)
            case "xor":
                found = Not(Iff(parts[0], parts[1], span=span), span=span)
            case _:
                found = Iff(parts[0], parts[1], span=span)
        return Value(BOOLEAN, Leaf(found), _decided(operator, below, parts), span=span)

    # --- comparisons ------------------------------------------------------------------------------

    def equal(self, a: Node, b: Node) -> Formula:
        """The condition that two leaves are the same."""
        if isinstance(a, Formula):
            other = cast(Formula, b)
            for one, two in ((a, other), (other, a)):
                if isinstance(one, Truth):
                    return two if one.value else negation(two)
            return Iff(a, other)
        return _comparison("==", cast(IntExpr, a), cast(IntExpr, b))

    def _compared(self, op: CompareOp, below: Sequence[Value], span: Span | None) -> Value:
        a, b = (deterministic(v) for v in below)
        a, b = self._alike(a, b)
        if not comparable(a.type, b.type):
            here, there = describe(a.type, self.names), describe(b.type, self.names)
            raise error(f"these cannot be compared: {here}, and {there}", span)
        for value in (a, b):
            if op not in ("==", "!=") and value.type.kind not in ("integer", "word"):
                raise self._wrong("a number", value)

        def build(x: Node, y: Node) -> Node:
            if op in ("==", "!="):
                same = both(self.equal(x, y), self._no_symbol(x, a.type, b.type))
                return same if op == "==" else negation(same)
            return _comparison(op, cast(IntExpr, x), cast(IntExpr, y))

        found = formula_of(combined(a.tree, b.tree, build))
        return Value(BOOLEAN, Leaf(found), _all(below), span=span)

    def _alike(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Both as conditions, where one is and the other is a literal 0 or 1."""
        if (a.type.kind == "boolean") != (b.type.kind == "boolean"):
            try:
                return self.boolean(a), self.boolean(b)
            except InputError:
                pass
        return a, b

    def _member(self, below: Sequence[Value], span: Span | None) -> Value:
        value, among = below
        value, among = self._alike(deterministic(value), among)
        if not comparable(value.type, among.type):
            here, there = describe(value.type, self.names), describe(among.type, self.names)
            raise error(f"these cannot be compared: {here}, and {there}", span)

        def inside(node: Node) -> Tree:
            found = contains(among.tree, node, self.equal)
            return Leaf(both(found, self._no_symbol(node, value.type, among.type)))

        found = formula_of(mapped(value.tree, inside))
        return Value(BOOLEAN, Leaf(found), _all(below), span=span)

    def _no_symbol(self, node: Node, a: Type, b: Type) -> Formula:
        """What else must hold of one of two equal numbers that stand for values of these types.

        An integer that is as great as the number of a symbol is not that symbol.
        """
        if {a.kind, b.kind} != {"integer", "mixed"}:
            return TRUE
        integers = a if a.kind == "integer" else b
        if integers.high < self.first_symbol:
            return TRUE
        return _comparison("<", cast(IntExpr, node), Const(self.first_symbol))

    def check_beside_symbols(self, types: Sequence[Type], span: Span | None) -> None:
        """Raise a located error when an integer could be taken for a symbol that stands beside."""
        if not any(t.kind in ("symbol", "mixed") for t in types):
            return
        greatest = max((t.high for t in types if t.kind == "integer"), default=-1)
        if greatest >= self.first_symbol:
            least = self.first_symbol - 1
            hint = f"a number beside symbols may be at most {least} here" if least >= 0 else None
            raise error("these are of different types: a number, and a symbol", span, hint)

    # --- numbers ----------------------------------------------------------------------------------

    def number(self, value: Value) -> Value:
        """The value, which must be a single integer."""
        deterministic(value)
        if value.type.kind != "integer":
            raise self._wrong("a number", value)
        return value

    def _arithmetic(self, op: ArithmeticOp, below: Sequence[Value], span: Span | None) -> Value:
        a, b = (self.number(v) for v in below)
        low, high = _bounds(op, a.type, b.type)
        if low < INT_MIN or high > INT_MAX:
            raise error("this may leave 32 bits", span, f"it may be from {low} to {high}")
        failures = list(_all(below))
        if op in ("/", "%") and 0 in b.type.values:
            zero = formula_of(
                mapped(b.tree, lambda n: Leaf(_comparison("==", cast(IntExpr, n), Const(0))))
            )
            failures.append(Failure(zero, "this divides by zero", span))
        tree = combined(a.tree, b.tree, lambda x, y: _binary(op, x, y, span))
        return Value(integer(low, high), tree, tuple(failures), span=span)

    def _negative(self, value: Value, zero: Value, span: Span | None) -> Value:
        if value.type.kind == "integer" and isinstance(value.tree, Leaf):
            node = value.tree.node
            if isinstance(node, Const):
                negative = -node.value
                return Value(
                    integer(negative, negative), Leaf(Const(negative, span=span)), span=span
                )
            deterministic(value)
            type_ = integer(-value.type.high, -value.type.low)
            return Value(
                type_, Leaf(Unary("-", cast(IntExpr, node), span=span)), value.failures, span=span
            )
        return self._arithmetic("-", [zero, value], span)

    def _function(self, operator: str, below: Sequence[Value], span: Span | None) -> Value:
        expected = {"max": 2, "min": 2, "count": len(below)}.get(operator, 1)
        if len(below) != expected:
            raise error(f"'{operator}' has {expected} operands, not {len(below)}", span)
        match operator:
            case "bool":
                if below[0].type.kind == "boolean":
                    return below[0]
                value = self.number(below[0])
                nonzero = mapped(
                    value.tree, lambda n: Leaf(_comparison("!=", cast(IntExpr, n), Const(0)))
                )
                return Value(BOOLEAN, nonzero, value.failures, span=span)
            case "toint":
                if below[0].type.kind != "boolean":
                    return self.number(below[0])
                return self._count(below, span)
            case "count":
                return self._count(below, span)
            case "abs":
                zero = Value(integer(0, 0), Leaf(Const(0)), span=span)
                less = self._compared("<", [below[0], zero], span)
                negative = self._arithmetic("-", [zero, below[0]], span)
                return self._case([less, negative, _truth(span), below[0]], span)
        less = self._compared("<", below, span)
        first, second = below if operator == "min" else reversed(below)
        return self._case([less, first, _truth(span), second], span)

    def _count(self, below: Sequence[Value], span: Span | None) -> Value:
        total: IntExpr | None = None
        for value in below:
            one = AsInt(self.condition(value), span=span)
            total = one if total is None else Binary("+", total, one, span=span)
        return Value(integer(0, len(below)), Leaf(total or Const(0)), _all(below), span=span)

    # --- sets and cases ---------------------------------------------------------------------------

    def _set(self, below: Sequence[Value], span: Span | None) -> Value:
        type_, parts = self._common(below, span)
        options: list[Tree] = []
        for part in parts:
            options += part.tree.options if isinstance(part.tree, Either) else [part.tree]
        if len(options) == 1:
            return Value(type_, options[0], _all(below), parts[0].several, span)
        return Value(type_, Either(tuple(options)), _all(below), True, span)

    def _range(self, below: Sequence[Value], span: Span | None) -> Value:
        a, b = (self.number(v) for v in below)
        match a.tree, b.tree:
            case Leaf(node=Const(value=low)), Leaf(node=Const(value=high)):
                if high < low:
                    raise error(f"the range {low}..{high} is empty", span)
                return Value(integer(low, high), Between(low, high), (), True, span)
        raise error("the bounds of a range are constants", span)

    def _case(self, below: Sequence[Value], span: Span | None) -> Value:
        conditions = [self.condition(v) for v in below[::2]]
        if all(isinstance(c, Truth) and not c.value for c in conditions):
            raise error(NOT_EXHAUSTIVE, span)
        type_, parts = self._common(below[1::2], span)
        failures: list[Failure] = []
        path: Formula = TRUE
        for place, (condition, part) in enumerate(zip(conditions, parts, strict=True)):
            failures += _under(path, below[2 * place].failures)
            failures += _under(both(path, condition), part.failures)
            path = both(path, negation(condition))
        if path is not FALSE and not _complementary(conditions):
            failures.append(Failure(path, NOT_EXHAUSTIVE, span))
        tree = cases([(c, p.tree) for c, p in zip(conditions, parts, strict=True)])
        several = any(p.several for p in parts)
        return Value(type_, tree, tuple(failures), several, span)

    def _common(self, values: Sequence[Value], span: Span | None) -> tuple[Type, Sequence[Value]]:
        """The type of what may be any of some values."""
        if any(v.type.kind == "boolean" for v in values):
            values = [self.boolean(v) for v in values]
        self.check_beside_symbols([v.type for v in values], span)
        type_ = values[0].type
        for value in values[1:]:
            both_types = joined(type_, value.type)
            if both_types is None:
                here, there = describe(type_, self.names), describe(value.type, self.names)
                raise error(f"these are of different types: {here}, and {there}", span)
            type_ = both_types
        return type_, values

    def element(
        self, name: str, elements: Mapping[int, Value], index: Value, span: Span | None
    ) -> Value:
        """The element of an array whose index is computed."""
        index = self.number(index)
        if not any(place in index.type.values for place in elements):
            raise error(f"the index is outside '{name}'", span)
        arms: list[Value] = []
        for place, value in elements.items():
            here = Value(integer(place, place), Leaf(Const(place)), span=span)
            arms += [self._compared("==", [index, here], span), value]
        found = self._case(arms, span)
        outside = f"the index may be outside '{name}'"
        failures = [
            Failure(f.condition, outside, span)
            if f.message == NOT_EXHAUSTIVE and f.span == span
            else f
            for f in found.failures
        ]
        if all(v in elements for v in index.type.values):
            failures = list(index.failures)
        return Value(found.type, found.tree, tuple(failures), found.several, span)

    def _wrong(self, needed: str, value: Value) -> InputError:
        found = describe(value.type, self.names)
        return error(f"{needed} is needed here, but this is {found}", value.span)


def _truth(span: Span | None) -> Value:
    return Value(BOOLEAN, Leaf(TRUE), span=span)


def _all(below: Sequence[Value]) -> tuple[Failure, ...]:
    return tuple(f for v in below for f in v.failures)


def _decided(
    operator: str, below: Sequence[Value], parts: Sequence[Formula]
) -> tuple[Failure, ...]:
    """The failures of operands, where the other operands do not decide without them.

    That is so in one state: what a temporal operator speaks of is in others.
    """
    if not any(v.failures for v in below):
        return ()
    if operator == "->":
        parts = [negation(parts[0]), parts[1]]
    found: list[Failure] = []
    for place, value in enumerate(below):
        if value.elsewhere:
            found += value.failures
            continue
        others = [p for i, p in enumerate(parts) if i != place and not below[i].elsewhere]
        open_ = both(*others) if operator == "&" else TRUE
        if operator in ("|", "->"):
            open_ = both(*map(negation, others))
        found += _under(open_, value.failures)
    return tuple(found)


def _under(path: Formula, failures: Sequence[Failure]) -> list[Failure]:
    return [Failure(both(path, f.condition), f.message, f.span) for f in failures]


def _complementary(conditions: Sequence[Formula]) -> bool:
    """Whether the last condition is the negation of one before it."""
    return any(negation(conditions[-1]) == c for c in conditions[:-1])


def _comparison(op: CompareOp, a: IntExpr, b: IntExpr) -> Formula:
    if isinstance(a, Const) and isinstance(b, Const):
        return TRUE if compare(op, a.value, b.value) else FALSE
    return Compare(op, a, b, span=a.span)


def _binary(op: ArithmeticOp, x: Node, y: Node, span: Span | None) -> Node:
    a, b = cast(IntExpr, x), cast(IntExpr, y)
    if isinstance(a, Const) and isinstance(b, Const):
        value = apply_binary(op, a.value, b.value)
        if value is not None:
            return Const(value, span=span)
    return Binary(op, a, b, span=span)


def _bounds(op: ArithmeticOp, a: Type, b: Type) -> tuple[int, int]:
    """The least and the greatest that an operation on numbers may give."""
    if op == "+":
        return a.low + b.low, a.high + b.high
    if op == "-":
        return a.low - b.high, a.high - b.low
    if op == "*":
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return min(corners), max(corners)
    largest = max(abs(a.low), abs(a.high))
    if op == "/":
        if a.low >= 0 and b.low > 0:
            return a.low // b.high, a.high // b.low
        return -largest, largest
    most = min(largest, max(abs(b.low), abs(b.high), 1) - 1)
    return (-most if a.low < 0 else 0), (most if a.high > 0 else 0)
