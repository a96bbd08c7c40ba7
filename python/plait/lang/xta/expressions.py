"""Expressions of timed automata: C's operators on numbers, `and`, `or`, `not`, `imply`.

Names of constants and parameters stand for their values. Where a clock occurs it must be compared
with a constant; that is looked at when the whole condition is there (`plait.lang.xta.automata`).
"""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import Span, error
from plait.lang.c_expressions import WordedExpressions
from plait.lang.c_operators import NEGATION
from plait.lang.lexer import NAME, Tokens
from plait.lang.pratt import Open, Prefix
from plait.lang.scope import Scope
from plait.lang.xta.symbols import Chan, Clock, Constant, Data, Range, Symbol
from plait.model.expr import Const, IntExpr, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node, nodes
from plait.model.shape import evaluate_constant


class XtaExpressions(WordedExpressions):
    """Expressions in a scope."""

    prefix: Mapping[str, Prefix] = {**WordedExpressions.prefix, "!": NEGATION}

    def __init__(self, tokens: Tokens, scope: Scope[Symbol]) -> None:
        super().__init__(tokens)
        self.scope = scope

    def constant(self) -> int:
        """The value of an expression over constants at the cursor."""
        return evaluate_constant(self.number(), {})

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
        if isinstance(found, Clock) or found.size is None:
            if tokens.next == "[":
                raise error(f"'{text}' is not an array", span)
            if isinstance(found, Constant):
                return Const(found.values[0], span=span)
            return Var(found.full, span=span)
        if tokens.next != "[":
            raise error(f"'{text}' is an array; one of its cells is meant", span)
        return self.cell(index, lambda place, at: _cell(found, place, at))


def _cell(array: Constant | Data, place: IntExpr, span: Span) -> Node:
    """The cell of an array; that of a constant one is its value, where it is known which."""
    if isinstance(array, Constant) and not any(isinstance(n, Var) for n in nodes(place)):
        number = evaluate_constant(place, {})
        if not 0 <= number < len(array.values):
            raise error(f"the array has no cell {number}", span)
        return Const(array.values[number], span=span)
    return Var(array.full, place, span=span)


__all__ = ["XtaExpressions"]
