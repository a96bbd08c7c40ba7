"""Expressions of timed automata: C's operators on numbers, `and`, `or`, `not`, `imply`.

Names of constants and parameters stand for their values. Where a clock occurs it must be compared
with a constant; that is looked at when the whole condition is there (`plait.lang.xta.automata`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy

from plait.errors import Span, error
from plait.lang.c_expressions import WordedExpressions
from plait.lang.c_operators import NEGATION, number
from plait.lang.lexer import NAME, Tokens
from plait.lang.pratt import ExpressionParser, Open, Operand, Prefix
from plait.lang.scope import Scope
from plait.lang.xta.symbols import (
    Chan,
    Clock,
    Clocks,
    Constant,
    Data,
    Dimensions,
    Range,
    Symbol,
)
from plait.model.expr import And, AsInt, Binary, Compare, Const, Formula, IntExpr, Or, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node, nodes
from plait.model.shape import evaluate_constant

FAR = 2**30
"""Behind the last cell of every array."""
NESTING, FEW = 4, 1000
"""The most quantifiers inside one another, and the most values of each."""


class XtaExpressions(WordedExpressions):
    """Expressions in a scope."""

    prefix: Mapping[str, Prefix] = {**WordedExpressions.prefix, "!": NEGATION}

    depth = 0
    """How many quantifiers are around."""

    def __init__(self, tokens: Tokens, scope: Scope[Symbol]) -> None:
        super().__init__(tokens)
        self.scope = scope

    def constant(self) -> int:
        """The value of an expression over constants at the cursor."""
        return evaluate_constant(self.number(), {})

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, what a name means, or what holds for all values of a range or for one."""
        word = self.tokens.texts[index]
        if word in ("forall", "exists") and self.tokens.texts[index + 1] == "(":
            return self._quantified(index, word)
        return super().operand(index, after)

    def _quantified(self, index: int, word: str) -> Node:
        """`forall (i : int[0,2]) f`: `f` for each value; it goes on to the end of its bracket."""
        from plait.lang.xta.declarations import Declarations  # which reads with expressions

        tokens = self.tokens
        outer = self.scope
        if self.depth >= NESTING:
            raise tokens.fail(f"more than {NESTING} quantifiers, one inside the other", index)
        tokens.at = index + 2
        name = tokens.name("a name")
        tokens.expect(":", "after the name")
        domain = Declarations(tokens).range(outer)
        tokens.expect(")", "after the range")
        behind = tokens.at
        if domain.high - domain.low >= FEW:
            raise tokens.fail(f"more than {FEW} values", index)
        found: list[Formula] = []
        for value in range(domain.low, domain.high + 1):
            tokens.at = behind
            inner = copy(self)
            ExpressionParser.__init__(inner, tokens)
            inner.scope = Scope(outer, {name: Constant((value,))})
            inner.depth = self.depth + 1
            found.append(inner.condition())
        span = tokens.span(index, tokens.at - 1)
        kind = And if word == "forall" else Or
        return kind(tuple(found), span=span)

    def symbol(self, index: int) -> Symbol:
        """What the name at a token means."""
        name = self.tokens.texts[index]
        if self.tokens.kinds[index] != NAME or name in self.keywords:
            raise self.tokens.expected("a name")
        found = self.scope.find(name)
        if found is None:
            known = did_you_mean(name, self.scope.known())
            raise error(f"'{name}' is not declared", self.tokens.span(index), known)
        return found

    def named(self, index: int) -> Node | Open:
        """A constant, a variable, a clock, or the cell of an array."""
        tokens = self.tokens
        text = tokens.texts[index]
        found = self.symbol(index)
        tokens.at = index + 1
        span = tokens.span(index)
        if tokens.next == "(":
            raise error("functions are not read", span)
        if isinstance(found, Chan | Range):
            what = "a channel" if isinstance(found, Chan) else "a type"
            raise error(f"'{text}' is {what}, not a variable", span)
        if isinstance(found, Clock) or (not isinstance(found, Clocks) and not found.dimensions):
            if tokens.next == "[":
                raise error(f"'{text}' is not an array", span)
            if tokens.next == "'":
                raise error("rates of clocks are not read: all run as time does", span)
            if isinstance(found, Constant):
                return Const(found.values[0], span=span)
            return Var(found.full, span=span)
        return self._bracket(index, found, ())

    def _bracket(
        self, index: int, array: Constant | Data | Clocks, before: tuple[IntExpr, ...]
    ) -> Open:
        """The next bracket behind an array; `before` are the indices that were given."""
        tokens = self.tokens
        if tokens.next != "[":
            text = tokens.texts[index]
            raise error(f"'{text}' is an array; one of its cells is meant", tokens.span(index))
        tokens.at += 1

        def finish(contents: Sequence[Operand]) -> Node | Open:
            places = (*before, number(contents[0]))
            if len(places) < len(array.dimensions):
                return self._bracket(index, array, places)
            return _cell(array, places, tokens.span(index, tokens.at - 1))

        return Open("]", finish)


def _cell(array: Constant | Data | Clocks, places: Sequence[IntExpr], span: Span) -> Node:
    """The cell of an array; that of a constant one is its value, where it is known which."""
    place = row_by_row(array.dimensions, places, span)
    if isinstance(array, Clocks):
        if not isinstance(place, Const):
            raise error("which clock of an array is meant must be known", span)
        return Var(array.cells[place.value].full, span=span)
    if isinstance(array, Constant) and isinstance(place, Const):
        return Const(array.values[place.value], span=span)
    return Var(array.full, place, span=span)


def row_by_row(dimensions: Dimensions, places: Sequence[IntExpr], span: Span) -> IntExpr:
    """The number of a cell of an array of arrays, from 0, row after row.

    An index that is outside its own dimension leads outside the whole array, not into another row.
    """
    total: IntExpr = Const(0)
    outside: list[Compare] = []
    for level, (indices, place) in enumerate(zip(dimensions, places, strict=True)):
        if not any(isinstance(n, Var) for n in nodes(place)):
            value = evaluate_constant(place, {})
            if value not in indices:
                raise error(f"the array has no cell {value}", span)
            place = Const(value - indices.start)
        else:
            if indices.start:
                place = Binary("-", place, Const(indices.start))
            if level:
                high = Const(len(indices))
                outside += [Compare("<", place, Const(0)), Compare(">=", place, high)]
        if isinstance(total, Const) and isinstance(place, Const):
            total = Const(total.value * len(indices) + place.value)
        elif isinstance(total, Const) and total.value == 0:
            total = place
        else:
            total = Binary("+", Binary("*", total, Const(len(indices))), place)
    if outside:
        total = Binary("+", total, Binary("*", Const(FAR), AsInt(Or(tuple(outside)))))
    return total


__all__ = ["XtaExpressions", "row_by_row"]
