"""Words: integers of so many bits, signed or not, whose operations wrap around.

A word is kept as its value, so that comparisons are those of integers. The arithmetic of the core
wraps at 32 bits; cutting its result to the bits of the word is all that is left to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.smv.types import BOOLEAN, MOST_BITS, Type, integer, word
from plait.lang.smv.values import (
    Failure,
    Leaf,
    Value,
    combined,
    deterministic,
    formula_of,
    mapped,
)
from plait.model.arithmetic import wrap32
from plait.model.expr import (
    ArithmeticOp,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    IntExpr,
    Or,
    Unary,
)
from plait.model.node import Node

FUNCTIONS = frozenset(
    ("word1", "signed", "unsigned", "extend", "resize", "sizeof", "swconst", "uwconst", "::", "[:]")
)
OPERANDS = {"swconst": 2, "uwconst": 2, "extend": 2, "resize": 2} | dict.fromkeys(
    ("word1", "signed", "unsigned", "sizeof", "bool", "toint"), 1
)
"""How many operands a function has."""
BITWISE: dict[str, ArithmeticOp] = {"&": "&", "|": "|", "xor": "^"}
ARITHMETIC: dict[str, ArithmeticOp] = {"+": "+", "-": "-", "*": "*", "/": "/", "mod": "%"}


def applied(operator: str, below: Sequence[Value], span: Span | None) -> Value | None:
    """An operator with words among its operands; None when it means nothing special there."""
    expected = OPERANDS.get(operator, len(below))
    if len(below) != expected:
        raise error(f"'{operator}' has {expected} operands, not {len(below)}", span)
    if operator in ("uwconst", "swconst"):
        return _made_of_constant(operator, below, span)
    if operator in ("case", "?:", "{}", "union", "in"):
        return None
    for value in below:
        deterministic(value)
    first = below[0]
    match operator:
        case "word1":
            tree = mapped(first.tree, lambda n: Leaf(AsInt(cast(Formula, n), span=span)))
            if first.type.kind != "boolean":
                raise error("'word1' makes a word of a condition", span)
            return Value(word(1, False), tree, first.failures, span=span)
        case "sizeof":
            bits = _word(first).bits
            return Value(integer(bits, bits), Leaf(Const(bits, span=span)), span=span)
        case "signed" | "unsigned":
            return _cut(first, first.tree, word(_word(first).bits, operator == "signed"), span)
        case "toint":
            return Value(
                integer(first.type.low, first.type.high), first.tree, first.failures, span=span
            )
        case "bool":
            if _word(first).bits != 1:
                raise error("'bool' makes a condition of a word of one bit", span)
            tree = mapped(first.tree, lambda n: Leaf(Compare("!=", cast(IntExpr, n), Const(0))))
            return Value(BOOLEAN, tree, first.failures, span=span)
        case "extend":
            bits = _word(first).bits + _constant(below[1])
            return _cut(first, first.tree, word(_width(bits, span), first.type.signed), span)
        case "resize":
            type_ = word(_width(_constant(below[1]), span), _word(first).signed)
            if type_.signed and type_.bits < first.type.bits:
                return _narrowed(first, type_, span)
            return _cut(first, first.tree, type_, span)
        case "[:]":
            return _bits(first, _constant(below[1]), _constant(below[2]), span)
        case "::":
            return _joined(first, below[1], span)
        case "!" | "neg":
            op = "~" if operator == "!" else "-"
            tree = mapped(first.tree, lambda n: Leaf(Unary(op, cast(IntExpr, n), span=span)))  # type: ignore[arg-type]
            return _cut(first, tree, _word(first), span)
        case "<<" | ">>":
            return _shifted(operator, first, below[1], span)
    if operator in ARITHMETIC or operator in (*BITWISE, "xnor"):
        found = first
        for value in below[1:]:
            found = _operation(operator, found, value, span)
        return found
    raise error(f"'{operator}' is not supported for words", span)


def _word(value: Value) -> Type:
    if value.type.kind != "word":
        raise error("a word is needed here", value.span)
    return value.type


def _constant(value: Value) -> int:
    match value.tree:
        case Leaf(node=Const(value=found)) if value.type.kind == "integer":
            return found
    raise error("a constant is needed here", value.span)


def _width(bits: int, span: Span | None) -> int:
    if not 1 <= bits <= MOST_BITS:
        raise error(f"words have 1 to {MOST_BITS} bits here, not {bits}", span)
    return bits


def _cut(value: Value, tree: object, type_: Type, span: Span | None) -> Value:
    """A tree of numbers cut to the bits of a type."""
    cut = mapped(tree, lambda n: Leaf(fitted(cast(IntExpr, n), type_)))  # type: ignore[arg-type]
    return Value(type_, cut, value.failures, span=span)


def fitted(node: IntExpr, type_: Type) -> IntExpr:
    """A number cut to the bits of a type."""
    mask = 2**type_.bits - 1
    if isinstance(node, Const):
        value = node.value & mask
        if type_.signed and value > mask // 2:
            value -= mask + 1
        return Const(value, span=node.span)
    if not type_.signed:
        return Binary("&", node, Const(mask), span=node.span)
    half = Const(wrap32(2 ** (type_.bits - 1)))
    moved = Binary("&", Binary("+", node, half), Const(mask))
    return Binary("-", moved, half, span=node.span)


def _narrowed(value: Value, type_: Type, span: Span | None) -> Value:
    """A signed word with fewer bits: the sign stays, the bits behind it are the last ones."""
    bits = 2 ** (type_.bits - 1)

    def build(node: Node) -> Leaf:
        n = cast(IntExpr, node)
        sign = Binary("*", AsInt(Compare("<", n, Const(0))), Const(bits))
        return Leaf(Binary("-", Binary("&", n, Const(bits - 1)), sign, span=span))

    return Value(type_, mapped(value.tree, build), value.failures, span=span)


def _made_of_constant(operator: str, below: Sequence[Value], span: Span | None) -> Value:
    type_ = word(_width(_constant(below[1]), span), operator == "swconst")
    value = _constant(below[0])
    if value not in type_.values:
        raise error(f"{value} does not fit in a word of {type_.bits} bits", span)
    return Value(type_, Leaf(Const(value, span=span)), span=span)


def _bits(value: Value, high: int, low: int, span: Span | None) -> Value:
    if not 0 <= low <= high < _word(value).bits:
        raise error(f"bits {high} to {low} are not in a word of {value.type.bits} bits", span)
    tree = mapped(value.tree, lambda n: Leaf(Binary(">>", cast(IntExpr, n), Const(low), span=span)))
    return _cut(value, tree, word(high - low + 1, False), span)


def _joined(a: Value, b: Value, span: Span | None) -> Value:
    bits = _width(_word(a).bits + _word(b).bits, span)
    right = word(b.type.bits, False)

    def build(x: Node, y: Node) -> Node:
        left = Binary("<<", cast(IntExpr, x), Const(right.bits))
        return Binary("|", left, fitted(cast(IntExpr, y), right), span=span)

    found = combined(a.tree, b.tree, build)
    both = Value(a.type, found, (*a.failures, *b.failures))
    return _cut(both, found, word(bits, False), span)


def _shifted(operator: str, value: Value, by: Value, span: Span | None) -> Value:
    type_ = _word(value)
    if by.type.kind not in ("integer", "word"):
        raise error("a number is needed here", by.span)
    failures = [*value.failures, *by.failures]
    if by.type.low < 0 or by.type.high > type_.bits:

        def outside(node: Node) -> Leaf:
            n = cast(IntExpr, node)
            return Leaf(Or((Compare("<", n, Const(0)), Compare(">", n, Const(type_.bits)))))

        wrong = formula_of(mapped(by.tree, outside))
        failures.append(Failure(wrong, "this shifts by more bits than there are", span))
    op: ArithmeticOp = "<<" if operator == "<<" else ">>"
    tree = combined(
        value.tree, by.tree, lambda x, y: Binary(op, cast(IntExpr, x), cast(IntExpr, y), span=span)
    )
    return _cut(Value(type_, tree, tuple(failures)), tree, type_, span)


def _operation(operator: str, a: Value, b: Value, span: Span | None) -> Value:
    type_ = _word(a)
    if (type_.bits, type_.signed) != (_word(b).bits, b.type.signed):
        raise error("words of one type are needed here", span)
    failures = [*a.failures, *b.failures]
    if operator in ("/", "mod"):
        zero = mapped(b.tree, lambda n: Leaf(Compare("==", cast(IntExpr, n), Const(0))))
        failures.append(Failure(formula_of(zero), "this divides by zero", span))
    op = ARITHMETIC.get(operator) or BITWISE.get(operator) or "^"

    def build(x: Node, y: Node) -> Node:
        found: IntExpr = Binary(op, cast(IntExpr, x), cast(IntExpr, y), span=span)
        return Unary("~", found, span=span) if operator == "xnor" else found

    tree = combined(a.tree, b.tree, build)
    return _cut(Value(type_, tree, tuple(failures)), tree, type_, span)
