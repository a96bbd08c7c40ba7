"""Expressions and conditions as bit-vector terms, with their undefined cases.

An integer expression becomes a 32-bit term and the condition under which it is defined; SMT-LIB's
operations on bit-vectors wrap around as ours do, and give some value where ours are undefined,
which nobody looks at. A condition becomes a pair: when it is true, and when it is false. Where
neither holds it is undefined; strong Kleene logic is then ordinary logic on the pairs (as in
`plait.model.expr`: negations at the comparisons, undefined comparisons false).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import z3

from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Not,
    Or,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node, fold
from plait.model.shape import Slot
from plait.smt.make import (
    BITS,
    FALSE,
    TRUE,
    Term,
    all_of,
    choice,
    constant,
    equal,
    negation,
    some_of,
)

MOST_TERMS = 400_000
"""Operations of a transition relation; what is larger would be unrolled for too long."""
MOST_FACTORS = 16
"""The greatest constant exponent."""


class Unsupported(Exception):  # noqa: N818 - a way out, not a failure
    """What stands in the model cannot be put to the solver; the text says what."""


class Number(NamedTuple):
    """An integer: its term, and when it is defined (None: always)."""

    value: Term
    defined: Term | None = None


class Condition(NamedTuple):
    """When a condition is true, and when it is false (None: whenever it is not true)."""

    true: Term
    false: Term | None = None

    @property
    def refuted(self) -> Term:
        """When it is false."""
        return negation(self.true) if self.false is None else self.false

    @property
    def defined(self) -> Term | None:
        """When it is true or false; None when it always is."""
        return None if self.false is None else some_of([self.true, self.false])


def both(*parts: Term | None) -> Term | None:
    """The conjunction of conditions of which None holds always."""
    given = [p for p in parts if p is not None]
    return all_of(given) if given else None


class Terms:
    """Translates expressions over a given state: one 32-bit term for each cell."""

    def __init__(self, slots: Mapping[str, Slot], tick: Callable[[], None]) -> None:
        """`tick` is called now and then, and may raise to end the translation."""
        self.slots = slots
        self.tick = tick
        self.size = 0
        """Operations so far."""

    def integer(self, expression: IntExpr, state: Sequence[Term]) -> Number:
        """The value of an expression in a state."""
        return cast(Number, fold(expression, lambda n, below: self._visit(n, below, state)))

    def condition(
        self,
        formula: Formula,
        state: Sequence[Term],
        enabled: Callable[[tuple[str, ...] | None], Term] | None = None,
    ) -> Condition:
        """The truth of a formula in a state.

        `enabled` gives the condition under which an event of these titles is enabled there, for
        None that one is at all; only properties may ask that.
        """
        return cast(Condition, fold(formula, lambda n, b: self._visit(n, b, state, enabled)))

    def count(self, operations: int = 1) -> None:
        """So many operations more; too many are given up."""
        before = self.size
        self.size += operations
        if self.size > MOST_TERMS:
            raise Unsupported("the model is too large to be unrolled")
        if self.size >> 10 != before >> 10:
            self.tick()

    def _visit(
        self,
        node: Node,
        below: list[Any],
        state: Sequence[Term],
        enabled: Callable[[tuple[str, ...] | None], Term] | None = None,
    ) -> Number | Condition:
        self.count(max(1, len(below)))
        match node:
            case Const(value=value):
                return Number(constant(value))
            case Var():
                return self._load(node, below, state)
            case Unary(op=op):
                (operand,) = below
                return Number(-operand.value if op == "-" else ~operand.value, operand.defined)
            case Binary(op=op):
                return self._binary(op, below[0], below[1])
            case AsInt():
                (held,) = below
                return Number(choice(held.true, constant(1), constant(0)), held.defined)
            case Truth(value=value):
                return Condition(TRUE if value else FALSE)
            case Compare(op=op):
                return self._compare(op, below[0], below[1])
            case Deadlock() if enabled is not None:
                return Condition(z3.Not(enabled(None)))
            case Enabled(events=titles) if enabled is not None:
                return Condition(enabled(titles))
            case Not() | And() | Or() | Implies() | Iff():
                return _connective(node, below)
        raise Unsupported("a condition asks which events are possible")

    def _load(self, var: Var, below: list[Number], state: Sequence[Term]) -> Number:
        slot = self.slots[var.name]
        if slot.size is None or var.index is None:
            return Number(state[slot.offset])
        if isinstance(var.index, Const) and 0 <= var.index.value < slot.size:
            return Number(state[slot.offset + var.index.value])
        index = below[-1]
        self.count(3 * slot.size)
        value = constant(0)
        for i in reversed(range(slot.size)):
            value = choice(equal(index.value, constant(i)), state[slot.offset + i], value)
        return Number(value, both(index.defined, inside(index.value, slot.size)))

    def _binary(self, op: str, a: Number, b: Number) -> Number:
        defined = both(a.defined, b.defined)
        x, y = a.value, b.value
        match op:
            case "+":
                return Number(x + y, defined)
            case "-":
                return Number(x - y, defined)
            case "*":
                return Number(x * y, defined)
            case "&":
                return Number(x & y, defined)
            case "|":
                return Number(x | y, defined)
            case "^":
                return Number(x ^ y, defined)
            case "/":
                return Number(x / y, both(defined, negation(equal(y, constant(0)))))
            case "%":
                return Number(z3.SRem(x, y), both(defined, negation(equal(y, constant(0)))))
            case "<<":
                return Number(x << y, both(defined, inside(y, BITS)))
            case ">>":
                return Number(x >> y, both(defined, inside(y, BITS)))
            case "**":
                return Number(self._power(x, y), both(defined, y >= constant(0)))
        raise AssertionError(op)

    def _power(self, base: Term, exponent: Term) -> Term:
        """A product of the base, or of its squares, one for each bit of the exponent.

        The squares must be numbers: the solver writes a square of a square of ... out as a product
        of 2^31 factors.
        """
        self.count(3 * BITS)
        if z3.is_bv_value(exponent) and exponent.as_long() <= MOST_FACTORS:
            return _product([base] * exponent.as_long())
        if not z3.is_bv_value(base):
            raise Unsupported("a power of a variable by a variable is not for this engine")
        factors = []
        square = base.as_long()
        for bit in range(BITS - 1):
            chosen = z3.Extract(bit, bit, exponent) == z3.BitVecVal(1, 1)
            factors.append(z3.If(chosen, constant(square), constant(1)))
            square = square * square % 2**BITS
        return _product(factors)

    def _compare(self, op: str, a: Number, b: Number) -> Condition:
        defined = both(a.defined, b.defined)
        x, y = a.value, b.value
        match op:
            case "==":
                holds = equal(x, y)
            case "!=":
                holds = negation(equal(x, y))
            case "<":
                holds = x < y
            case "<=":
                holds = x <= y
            case ">":
                holds = x > y
            case _:
                holds = x >= y
        if defined is None:
            return Condition(holds)
        return Condition(all_of([defined, holds]), all_of([defined, negation(holds)]))


def _product(factors: Sequence[Term]) -> Term:
    result = constant(1)
    for factor in factors:
        result = result * factor
    return result


def inside(index: Term, size: int) -> Term:
    """That 0 <= index < size; a negative index is a large one without its sign."""
    return z3.ULT(index, constant(size))


def _connective(node: Node, below: list[Condition]) -> Condition:
    total = all(c.false is None for c in below)
    match node:
        case Not():
            return Condition(below[0].refuted, None if total else below[0].true)
        case And():
            return Condition(
                all_of([c.true for c in below]),
                None if total else some_of([c.refuted for c in below]),
            )
        case Or():
            return Condition(
                some_of([c.true for c in below]),
                None if total else all_of([c.refuted for c in below]),
            )
        case Implies():
            left, right = below
            return Condition(
                some_of([left.refuted, right.true]),
                None if total else all_of([left.true, right.refuted]),
            )
        case _:
            left, right = below
            if total:
                return Condition(left.true == right.true)
            return Condition(
                z3.Or(z3.And(left.true, right.true), z3.And(left.refuted, right.refuted)),
                z3.Or(z3.And(left.true, right.refuted), z3.And(left.refuted, right.true)),
            )
