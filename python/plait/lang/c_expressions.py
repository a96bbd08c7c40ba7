"""What the expressions of DVE and of timed automata share: C's operators, some spelt as words.

From loose to tight: `imply`, `or`, `and`, `|`, `^`, `&`, `== !=`, `< <= > >=`, `<< >>`, `+ -`,
`* / %`, unary `- ~ not`. As in C the operand of `not` is the shortest possible.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

from plait.errors import Span
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
from plait.lang.lexer import NAME, NUMBER
from plait.lang.pratt import ExpressionParser, Infix, Open, Operand, Prefix
from plait.model.expr import Formula, Implies, IntExpr, Truth
from plait.model.node import Node


def _imply(operands: Sequence[Operand], span: Span) -> Node:
    return Implies(condition(operands[0]), condition(operands[1]), span=span)


class WordedExpressions(ExpressionParser):
    """Literals and operators; a language says what its names mean."""

    prefix: Mapping[str, Prefix] = {**PREFIX, "not": NEGATION}
    infix: Mapping[str, Infix] = {
        **INFIX,
        "imply": Infix(OR - 1, _imply),
        "or": DISJUNCTION,
        "and": CONJUNCTION,
    }
    keywords: frozenset[str] = frozenset(("true", "false", "and", "or", "not", "imply"))
    """Words that are no names."""

    @abstractmethod
    def named(self, index: int) -> Node | Operand | Open:
        """What the name at a token means; moves the cursor behind it."""

    def number(self) -> IntExpr:
        """A number at the cursor."""
        return number(self.parse())

    def condition(self) -> Formula:
        """A condition at the cursor."""
        found = self.parse()
        self.tokens.refuse_assignment()
        return condition(found)

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, or what a name means."""
        tokens = self.tokens
        kind, text = tokens.kinds[index], tokens.texts[index]
        if kind == NUMBER:
            return literal(tokens, index, after)
        if text in ("true", "false"):
            tokens.at += 1
            return Truth(text == "true", span=tokens.span(index))
        if kind != NAME or text in self.keywords:
            raise tokens.expected("an expression")
        return self.named(index)

    def cell(self, index: int, make: Callable[[IntExpr, Span], Node]) -> Open:
        """The bracket at the cursor, behind the array at a token; its contents tell the cell."""
        tokens = self.tokens
        tokens.at += 1

        def finish(contents: Sequence[Operand]) -> Node:
            return make(number(contents[0]), tokens.span(index, tokens.at - 1))

        return Open("]", finish)
