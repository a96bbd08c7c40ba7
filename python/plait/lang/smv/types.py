"""The types of variables and expressions: the values that they may have, as numbers.

A symbol is a number, the same one everywhere. Where an enumeration has integers beside symbols, the
numbers of symbols are greater than all integers that are written in the text; greater ones are kept
away from symbols (`plait.lang.smv.operators`). TRUE is 1 and FALSE 0. A word is its value, signed
or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plait.hints import Literal
from plait.records import dataclass

Kind = Literal["boolean", "integer", "symbol", "mixed", "word"]
Values = range | frozenset[int]
MOST_BITS = 31
"""The widest word: its values, and those of an unsigned one, are 32-bit integers."""


@dataclass(frozen=True, slots=True)
class Type:
    """What an expression may be; `values` has all of them, and perhaps more."""

    kind: Kind
    values: Values
    bits: int = 0
    signed: bool = False

    @property
    def low(self) -> int:
        """The least value."""
        return self.values[0] if isinstance(self.values, range) else min(self.values)

    @property
    def high(self) -> int:
        """The greatest value."""
        return self.values[-1] if isinstance(self.values, range) else max(self.values)

    @property
    def is_dense(self) -> bool:
        """Whether it has all values between its least and its greatest."""
        return len(self.values) == self.high - self.low + 1

    def holds(self, other: Type) -> bool:
        """Whether each value of another type is a value of this one."""
        if isinstance(other.values, range):
            dense = self.is_dense
            if dense:
                return self.low <= other.low and other.high <= self.high
            if len(other.values) > len(self.values):
                return False
        return all(v in self.values for v in other.values)


BOOLEAN = Type("boolean", range(2))


def integer(low: int, high: int) -> Type:
    """The integers of a range."""
    return Type("integer", range(low, high + 1))


def word(bits: int, signed: bool) -> Type:
    """The words of so many bits."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1)) if signed else (0, 2**bits)
    return Type("word", range(low, high), bits, signed)


def enumeration(numbers: Iterable[int], symbols: Iterable[int]) -> Type:
    """Some integers and some symbols."""
    integers, names = frozenset(numbers), frozenset(symbols)
    kind: Kind = "mixed" if integers and names else "symbol" if names else "integer"
    return Type(kind, integers | names)


def joined(a: Type, b: Type) -> Type | None:
    """The type of what may be either; None when nothing may."""
    if a.kind == b.kind and (a.bits, a.signed) == (b.bits, b.signed):
        kind: Kind = a.kind
    elif {a.kind, b.kind} <= {"integer", "symbol", "mixed"}:
        kind = "mixed"
    else:
        return None
    if a.values == b.values:
        return Type(kind, a.values, a.bits, a.signed)
    if isinstance(a.values, range) and isinstance(b.values, range):
        return Type(kind, range(min(a.low, b.low), max(a.high, b.high) + 1), a.bits, a.signed)
    if isinstance(a.values, range) and a.holds(b):
        return Type(kind, a.values, a.bits, a.signed)
    if isinstance(b.values, range) and b.holds(a):
        return Type(kind, b.values, a.bits, a.signed)
    if len(a.values) + len(b.values) > 10_000:
        return Type(kind, range(min(a.low, b.low), max(a.high, b.high) + 1), a.bits, a.signed)
    return Type(kind, frozenset(a.values) | frozenset(b.values), a.bits, a.signed)


def comparable(a: Type, b: Type) -> bool:
    """Whether two expressions may be equal or not: they are of one kind."""
    enumerated = ("integer", "symbol", "mixed")
    if a.kind in enumerated and b.kind in enumerated:
        return "mixed" in (a.kind, b.kind) or a.kind == b.kind
    return a.kind == b.kind and (a.bits, a.signed) == (b.bits, b.signed)


def describe(type_: Type, symbols: Mapping[int, str]) -> str:
    """A type in words, for messages."""
    if type_.kind == "boolean":
        return "a condition"
    if type_.kind == "word":
        return f"{'a signed' if type_.signed else 'an unsigned'} word of {type_.bits} bits"
    if type_.kind == "integer":
        return "a number"
    names = [symbols.get(v, str(v)) for v in sorted(type_.values)[:4]]
    more = ", ..." if len(type_.values) > len(names) else ""
    return f"one of {{{', '.join(names)}{more}}}"
