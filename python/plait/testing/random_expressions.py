"""Random expressions and conditions over the variables, parameters and channels in scope.

A *place* is a variable together with the values that the generator means it to take, `base` to
`base + span` modulo 2^32. Values written to it stay there (`value`), so state spaces stay small;
what is only read may be anything: wrapped, shifted, divided by zero, out of range (`term`).
"""

from __future__ import annotations

from typing import Literal

from plait.model.arithmetic import INT_MAX, INT_MIN, wrap32
from plait.model.expr import (
    And,
    ArithmeticOp,
    AsInt,
    Binary,
    Compare,
    CompareOp,
    Const,
    Empty,
    Formula,
    Full,
    Hop,
    Iff,
    Implies,
    IntExpr,
    Length,
    Not,
    Or,
    Param,
    Poll,
    Truth,
    Unary,
    Var,
)
from plait.records import dataclass, replace
from plait.testing.choices import Choices

COMPARISONS: tuple[CompareOp, ...] = ("==", "!=", "<", "<=", ">", ">=")
OPERATORS: tuple[ArithmeticOp, ...] = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "**")
HALVINGS: tuple[tuple[ArithmeticOp, int], ...] = (("/", 2), (">>", 1), ("/", 3), (">>", 2))
EDGES = (0, 1, -1, 2, 3, 31, 32, INT_MAX, INT_MIN, INT_MAX - 1, INT_MIN + 1, 2**30, 65536, 46341)
"""Literals where 32-bit arithmetic is most often got wrong."""


@dataclass(frozen=True, slots=True)
class Place:
    """A variable and the values `base .. base + span` (modulo 2^32) that it is meant to take."""

    name: str
    base: int
    span: int
    size: int | None = None
    path: tuple[Hop, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A parameter or a constant with the values it may have."""

    name: str
    low: int
    high: int
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Queue:
    """A channel and the values meant for each of its fields, as (base, span)."""

    name: str
    capacity: int
    fields: tuple[tuple[int, int], ...]
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may speak of, and how risky it may be (in per cent)."""

    places: tuple[Place, ...] = ()
    named: tuple[Named, ...] = ()
    queues: tuple[Queue, ...] = ()
    undefined: int = 8
    wrap: int = 10
    constant_index: bool = False
    """Only constant indices, as in properties."""

    def binding(self, *named: Named) -> Scope:
        """The scope inside a parametric event or a loop."""
        return replace(self, named=(*self.named, *named))


class Expressions:
    """Writes expressions over one scope."""

    def __init__(self, choices: Choices, scope: Scope) -> None:
        self.choices = choices
        self.scope = scope

    # --- values that stay where they are meant to be ---

    def value(self, base: int, span: int, depth: int = 2) -> IntExpr:
        """An expression whose value, if defined, is in base..base+span modulo 2^32."""
        c = self.choices
        if depth <= 0 or c.chance(30):
            return Const(wrap32(base + c.integer(0, span)))
        if c.chance(40):
            read = self._read_within(base, span, depth - 1)
            if read is not None:
                return read
        if base != 0:
            return Binary("+", Const(wrap32(base)), self.value(0, span, depth - 1))
        return self._small_value(span, depth)

    def _small_value(self, span: int, depth: int) -> IntExpr:
        """A value of 0..span, made in one of the many ways in which that can be done."""
        c = self.choices
        how = c.weighted(
            [(4, "mod"), (2, "mask"), (3, "bool"), (2, "minus"), (1, "wrap"), (1, "half")]
        )
        if how == "bool" and span >= 1:
            return AsInt(self.formula(depth - 1))
        if how == "mask":
            return Binary("&", self.term(depth - 1), Const((1 << (span + 1).bit_length() - 1) - 1))
        if how == "minus":
            return Binary("-", Const(span), self.value(0, span, depth - 1))
        if how == "half":
            op, by = c.pick(HALVINGS)
            return Binary(op, self.value(0, 2 * span, depth - 1), Const(by))
        if how == "wrap" and c.chance(3 * self.scope.wrap):
            # INT_MAX + (1..span+1) wraps around to INT_MIN + (0..span)
            over = Binary("+", Const(INT_MAX), self.value(1, span, depth - 1))
            return Binary("-", over, Const(INT_MIN))
        modulus = Const(span + 1)
        once = Binary("%", self.term(depth - 1), modulus)
        return Binary("%", Binary("+", once, modulus), modulus)

    def _read_within(self, base: int, span: int, depth: int) -> IntExpr | None:
        """Something in scope whose values are meant to lie in base..base+span."""
        named = [n for n in self.scope.named if base <= n.low and n.high <= base + span]
        top = base + span
        places = [p for p in self.scope.places if base <= p.base and p.base + p.span <= top]
        if not named and not places:
            return None
        options: list[Place | Named] = [*places, *named]
        chosen = self.choices.pick(options)
        return Param(chosen.name) if isinstance(chosen, Named) else self.read(chosen, depth)

    # --- anything ---

    def term(self, depth: int = 2) -> IntExpr:
        """Any integer expression: it may wrap around or be undefined."""
        c = self.choices
        if depth <= 0 or c.chance(35):
            return self._leaf()
        how = c.weighted([(6, "plain"), (1, "unary"), (1, "bool"), (2, "risky")])
        if how == "unary":
            operand = self.term(depth - 1)
            op: Literal["-", "~"] = c.pick(("~", "-"))
            # The languages read `-5` as a literal, so it is written as one.
            if op == "-" and isinstance(operand, Const):
                return Const(wrap32(-operand.value))
            return Unary(op, operand)
        if how == "bool":
            return AsInt(self.formula(depth - 1))
        if how == "risky" and c.chance(10 * self.scope.undefined):
            operator = c.pick(OPERATORS)
            return Binary(operator, self.term(depth - 1), self.term(depth - 1))
        return Binary(c.pick(("+", "-", "*")), self.term(depth - 1), self.term(depth - 1))

    def _leaf(self) -> IntExpr:
        c = self.choices
        if self.scope.named and c.chance(25):
            return Param(c.pick(self.scope.named).name)
        if c.chance(self.scope.wrap):
            return Const(c.pick(EDGES))
        if self.scope.queues and c.chance(15):
            return Length(self.queue_hop(c.pick(self.scope.queues)))
        if self.scope.places and c.chance(70):
            return self.read(c.pick(self.scope.places))
        return Const(c.integer(0, 4) - c.integer(0, 1))

    def read(self, place: Place, depth: int = 1) -> Var:
        """A reference to the place, with an index when it is an array."""
        if place.size is None:
            return Var(place.name, None, place.path)
        return Var(place.name, self.index(place.size, depth), place.path)

    def index(self, size: int, depth: int = 1) -> IntExpr:
        """An index for an array: mostly in range, sometimes computed, sometimes out of range."""
        c = self.choices
        if self.scope.constant_index or depth <= 0:
            return Const(c.integer(0, size - 1))
        if c.chance(self.scope.undefined):
            scalars = [p for p in self.scope.places if p.size is None]
            if scalars:
                return Binary(c.pick(("+", "-")), Var(c.pick(scalars).name), Const(1))
        if c.chance(10):
            arrays = [p for p in self.scope.places if p.size]
            if arrays:
                return self.read(c.pick(arrays), depth - 1)
        made = self.value(0, size - 1, depth)
        if isinstance(made, Param) and any(
            n.constant and n.name == made.name for n in self.scope.named
        ):
            # An instance may bind the constant to a value for which this would be a static error.
            return Const(self.choices.integer(0, size - 1))
        return made

    def queue_hop(self, queue: Queue) -> Hop:
        """A reference to a channel, with an index when it is one of an array."""
        return Hop(queue.name, None if queue.size is None else self.index(queue.size))

    # --- conditions ---

    def formula(self, depth: int = 2) -> Formula:
        """Any condition."""
        c = self.choices
        if depth <= 0 or c.chance(45):
            return self.atom(depth)
        how = c.weighted([(4, "and"), (4, "or"), (3, "not"), (1, "implies"), (1, "iff")])
        if how == "not":
            return Not(self.formula(depth - 1))
        left, right = self.formula(depth - 1), self.formula(depth - 1)
        if how in ("implies", "iff"):
            return Implies(left, right) if how == "implies" else Iff(left, right)
        more = (self.atom(depth),) if c.chance(15) else ()
        operands = (left, right, *more)
        return And(operands) if how == "and" else Or(operands)

    def atom(self, depth: int = 1) -> Formula:
        """A comparison, a question to a channel, or rarely a constant."""
        c = self.choices
        if c.chance(3):
            return Truth(c.chance(50))
        if self.scope.queues and c.chance(20):
            return self._queue_atom(c.pick(self.scope.queues))
        if self.scope.places and c.chance(70):
            return self.comparison(c.pick(self.scope.places))
        return Compare(c.pick(COMPARISONS), self.term(depth), self.term(depth))

    def comparison(self, place: Place) -> Compare:
        """A place against one of its values, or against one just outside."""
        c = self.choices
        literal = Const(wrap32(place.base + c.integer(-1 if c.chance(10) else 0, place.span)))
        return Compare(c.pick(COMPARISONS), self.read(place), literal)

    def _queue_atom(self, queue: Queue) -> Formula:
        c = self.choices
        hop = self.queue_hop(queue)
        how = c.pick(("empty", "full", "poll"))
        if how == "empty":
            return Empty(hop)
        if how == "full":
            return Full(hop)
        patterns = tuple(self.value(b, s, 1) if c.chance(60) else None for b, s in queue.fields)
        return Poll(hop, patterns, anywhere=c.chance(40))
