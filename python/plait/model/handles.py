"""Handles: variables and conditions of a model that carry Python's operators.

An `Int` or a `Bool` stands for an expression of `plait.model.expr` and builds larger ones: `x + 1`,
`(x < 3) & ~done`. A `Cell` can be assigned besides; arrays and channels give cells and statements.
"""

from __future__ import annotations

from plait.model import expr as e
from plait.model import stmt as s
from plait.records import dataclass


class Int:
    """An integer expression with Python's operators."""

    def __init__(self, node: e.IntExpr) -> None:
        self.node = node

    def __add__(self, other: Int | int) -> Int:
        return _binary("+", self, other)

    def __radd__(self, other: int) -> Int:
        return _binary("+", other, self)

    def __sub__(self, other: Int | int) -> Int:
        return _binary("-", self, other)

    def __rsub__(self, other: int) -> Int:
        return _binary("-", other, self)

    def __mul__(self, other: Int | int) -> Int:
        return _binary("*", self, other)

    def __rmul__(self, other: int) -> Int:
        return _binary("*", other, self)

    def __floordiv__(self, other: Int | int) -> Int:
        """Division as the models define it: it truncates toward zero."""
        return _binary("/", self, other)

    def __mod__(self, other: Int | int) -> Int:
        """Remainder as the models define it: it has the sign of the dividend."""
        return _binary("%", self, other)

    def __pow__(self, other: Int | int) -> Int:
        return _binary("**", self, other)

    def __lshift__(self, other: Int | int) -> Int:
        return _binary("<<", self, other)

    def __rshift__(self, other: Int | int) -> Int:
        return _binary(">>", self, other)

    def __and__(self, other: Int | int) -> Int:
        return _binary("&", self, other)

    def __or__(self, other: Int | int) -> Int:
        return _binary("|", self, other)

    def __xor__(self, other: Int | int) -> Int:
        return _binary("^", self, other)

    def __neg__(self) -> Int:
        return Int(e.Unary("-", self.node))

    def __invert__(self) -> Int:
        return Int(e.Unary("~", self.node))

    def __eq__(self, other: object) -> Bool:  # type: ignore[override]
        return _compare("==", self, other)

    def __ne__(self, other: object) -> Bool:  # type: ignore[override]
        return _compare("!=", self, other)

    def __lt__(self, other: Int | int) -> Bool:
        return _compare("<", self, other)

    def __le__(self, other: Int | int) -> Bool:
        return _compare("<=", self, other)

    def __gt__(self, other: Int | int) -> Bool:
        return _compare(">", self, other)

    def __ge__(self, other: Int | int) -> Bool:
        return _compare(">=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.node)


class Bool:
    """A condition: `&`, `|`, `~`, and `>>` for implication."""

    def __init__(self, node: e.Formula) -> None:
        self.node = node

    def __and__(self, other: Bool) -> Bool:
        return Bool(e.And((self.node, other.node)))

    def __or__(self, other: Bool) -> Bool:
        return Bool(e.Or((self.node, other.node)))

    def __invert__(self) -> Bool:
        return Bool(e.Not(self.node))

    def __rshift__(self, other: Bool) -> Bool:
        return Bool(e.Implies(self.node, other.node))

    def __bool__(self) -> bool:
        raise TypeError("a condition of a model has no Python truth value; use &, |, ~ and >>")

    def as_int(self) -> Int:
        """1 when true, 0 when false."""
        return Int(e.AsInt(self.node))

    def __repr__(self) -> str:
        return repr(self.node)


class Cell(Int):
    """A variable or an array cell: an integer expression that can be assigned."""

    def __init__(self, node: e.Var) -> None:
        super().__init__(node)
        self.variable = node

    def set(self, value: Int | int) -> s.Assign:
        """`cell = value`."""
        return s.Assign(self.variable, int_expr(value))

    def add(self, value: Int | int) -> s.Assign:
        """`cell = cell + value`."""
        return self.set(self + value)


@dataclass(frozen=True, slots=True)
class Array:
    """An array; `array[i]` is a cell."""

    name: str

    def __getitem__(self, index: Int | int) -> Cell:
        return Cell(e.Var(self.name, int_expr(index)))


@dataclass(frozen=True, slots=True)
class ChannelHandle:
    """A channel, or one of an array of channels."""

    name: str
    index: Int | None = None

    def __getitem__(self, index: Int | int) -> ChannelHandle:
        return ChannelHandle(self.name, Int(int_expr(index)))

    @property
    def _hop(self) -> e.Hop:
        return e.Hop(self.name, None if self.index is None else self.index.node)

    @property
    def length(self) -> Int:
        """How many messages it holds."""
        return Int(e.Length(self._hop))

    @property
    def full(self) -> Bool:
        """It can take no more."""
        return Bool(e.Full(self._hop))

    @property
    def empty(self) -> Bool:
        """It holds nothing."""
        return Bool(e.Empty(self._hop))

    def poll(self, *patterns: Int | int | None, anywhere: bool = False) -> Bool:
        """A receive with these values (None: any) could be executed."""
        values = tuple(None if p is None else int_expr(p) for p in patterns)
        return Bool(e.Poll(self._hop, values, anywhere))

    def send(self, *values: Int | int, ordered: bool = False) -> s.Send:
        """Append a message, or insert it in order."""
        return s.Send(self._hop, tuple(map(int_expr, values)), ordered)

    def receive(
        self, *patterns: Int | int | None, anywhere: bool = False, keep: bool = False
    ) -> s.Receive:
        """Take a message: a `Cell` is bound, a number or expression must match, None is ignored."""
        return s.Receive(self._hop, tuple(map(_pattern, patterns)), anywhere, keep)


def parameter(name: str) -> Int:
    """A parameter of an event or loop, or a constant of the model."""
    return Int(e.Param(name))


def int_expr(value: Int | int) -> e.IntExpr:
    """The expression of a handle or a number."""
    if isinstance(value, Int):
        return value.node
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"an integer or an expression is needed, not {value!r}")
    return e.Const(value)


def _binary(op: e.ArithmeticOp, left: Int | int, right: Int | int) -> Int:
    return Int(e.Binary(op, int_expr(left), int_expr(right)))


def _compare(op: e.CompareOp, left: Int, right: object) -> Bool:
    return Bool(e.Compare(op, left.node, int_expr(right)))  # type: ignore[arg-type]


def _pattern(pattern: Int | int | None) -> s.Pattern:
    if pattern is None:
        return s.Skip()
    return s.Bind(pattern.variable) if isinstance(pattern, Cell) else s.Match(int_expr(pattern))


__all__ = ["Array", "Bool", "Cell", "ChannelHandle", "Int", "int_expr", "parameter"]
