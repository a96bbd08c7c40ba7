"""Expressions of timed automata: C's operators on numbers, `and`, `or`, `not`, `imply`.

Names of constants and parameters stand for their values. Where a clock occurs it must be compared
with a constant; that is looked at when the whole condition is there (`plait.lang.xta.automata`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.errors import Span, error
from plait.lang.c_operators import (
    CONJUNCTION,
    DISJUNCTION,
    INFIX,
    NEGATION,
    OR,
    PREFIX,
    condition,
    number,
)
from plait.lang.expressions import literal
from plait.lang.lexer import NAME, NUMBER, Tokens
from plait.lang.pratt import ExpressionParser, Infix, Open, Operand, Prefix
from plait.lang.xta.symbols import Chan, Clock, Constant, Data, Scope, Symbol
from plait.model.expr import Const, Formula, Implies, IntExpr, Truth, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node
from plait.model.shape import evaluate_constant


def _imply(operands: Sequence[Operand], span: Span) -> Node:
    return Implies(condition(operands[0]), condition(operands[1]), span=span)


_PREFIX: Mapping[str, Prefix] = {**PREFIX, "!": NEGATION, "not": NEGATION}
_INFIX: Mapping[str, Infix] = {
    **INFIX,
    "imply": Infix(OR - 1, _imply),
    "or": DISJUNCTION,
    "and": CONJUNCTION,
}
_NO_NAMES = frozenset(("true", "false", "and", "or", "not", "imply"))


class XtaExpressions(ExpressionParser):
    """Expressions in a scope."""

    prefix = _PREFIX
    infix = _INFIX

    def __init__(self, tokens: Tokens, scope: Scope) -> None:
        super().__init__(tokens)
        self.scope = scope

    def number(self) -> IntExpr:
        """A number at the cursor."""
        return number(self.parse())

    def condition(self) -> Formula:
        """A condition at the cursor."""
        return condition(self.parse())

    def constant(self) -> int:
        """The value of an expression over constants at the cursor."""
        return evaluate_constant(self.number(), {})

    def symbol(self, index: int) -> Symbol:
        """What the name at a token means."""
        name = self.tokens.texts[index]
        if self.tokens.kinds[index] != NAME or name in _NO_NAMES:
            raise self.tokens.expected("a name")
        found = self.scope.find(name)
        if found is None:
            known = did_you_mean(name, self.scope.known())
            raise error(f"'{name}' is not declared", self.tokens.span(index), known)
        return found

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, a constant, a variable, a clock, or the cell of an array."""
        tokens = self.tokens
        kind, text = tokens.kinds[index], tokens.texts[index]
        if kind == NUMBER:
            return literal(tokens, index, after)
        if text in ("true", "false"):
            tokens.at += 1
            return Truth(text == "true", span=tokens.span(index))
        if kind != NAME:
            raise tokens.expected("an expression")
        found = self.symbol(index)
        tokens.at = index + 1
        span = tokens.span(index)
        if tokens.next == "(":
            raise error("functions are not read", span)
        if not isinstance(found, Constant | Data | Clock):
            what = "a channel" if isinstance(found, Chan) else "a type"
            raise error(f"'{text}' is {what}, not a variable", span)
        size = None if isinstance(found, Clock) else found.size
        if size is None:
            if tokens.next == "[":
                raise error(f"'{text}' is not an array", span)
            if isinstance(found, Constant):
                return Const(found.values[0], span=span)
            return Var(found.full, span=span)
        if tokens.next != "[":
            raise error(f"'{text}' is an array; one of its cells is meant", span)
        tokens.at += 1
        assert not isinstance(found, Clock)
        return Open("]", lambda contents: self._cell(found, number(contents[0]), index))

    def _cell(self, array: Constant | Data, place: IntExpr, index: int) -> Node:
        span = self.tokens.span(index, self.tokens.at - 1)
        if isinstance(array, Data):
            return Var(array.full, place, span=span)
        number = evaluate_constant(place, {})
        if not 0 <= number < len(array.values):
            raise error(f"the array has no cell {number}", span)
        return Const(array.values[number], span=span)


__all__ = ["XtaExpressions"]
