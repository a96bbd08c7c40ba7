"""The expressions of GAL: operators, sorts, and how names become variables.

Integers and conditions are read by one grammar and told apart by sort afterwards, because `(` may
start either. From loose to tight: `->`, `<->`, `||`, `&&`, `!`, comparisons, `|`, `^`, `&`, shifts,
`+ -`, `* / %`, unary `- ~`, `**`. Comparisons bind looser than the bitwise operators (unlike C);
the operand of `!` is a whole comparison. All infix operators associate to the left but `->`.

A condition in parentheses may be used as a number (`AsInt`); a number is never a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.errors import InputError, Span, error
from plait.hints import cast
from plait.lang.formula_words import PREFIX_WORDS, refuse_infix, refuse_prefix
from plait.lang.lexer import NAME, NUMBER, PARAMETER, STRING, Lexicon, Tokens
from plait.lang.operators import Sorts
from plait.lang.pratt import Build, ExpressionParser, Frame, Infix, Open, Operand, Prefix
from plait.model.arithmetic import INT_MAX
from plait.model.expr import (
    ArithmeticOp,
    AsInt,
    Compare,
    CompareOp,
    Const,
    Formula,
    Iff,
    Implies,
    IntExpr,
    Param,
    Truth,
    Var,
)
from plait.model.node import Node
from plait.model.text import AND, ARITHMETIC_POWER, COMPARE, IFF, IMPLIES, NEGATE, NOT, OR, show

LEXICON = Lexicon(
    punctuation=(
        *("<->", "<=>", "..", "**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-="),
        *("->", "=>", "[]", "<>", "/\\", "\\/"),
        *"{}()[];,:.=<>+-*/%&|^~!",
    ),
    dotted_names=True,
    parameters=True,
)
"""GAL's tokens, and those of formulas on the command line."""

TRUTH = {"true": True, "false": False, "True": True, "False": False}


# --- sorts ----------------------------------------------------------------------------------------


def integer(operand: Operand) -> IntExpr:
    """The operand as a number."""
    node = operand.node
    if isinstance(node, IntExpr):
        return node
    formula = cast(Formula, node)
    if operand.grouped:
        return AsInt(formula, span=node.span)
    hint = "a condition in parentheses counts as 1 when it is true and as 0 when it is false"
    raise error("a number is needed here, but this is a condition", node.span, hint)


def condition(operand: Operand) -> Formula:
    """The operand as a condition."""
    node = operand.node
    if isinstance(node, Formula):
        return node
    raise not_a_condition(node)


def not_a_condition(node: Node) -> InputError:
    """The error that a number stands where a condition is needed."""
    message = f"a condition is needed here, but '{show(node, limit=40)}' is a number"
    return error(message, node.span, "compare it with another number, for example with '!= 0'")


# --- operators ------------------------------------------------------------------------------------


SORTS = Sorts(integer, condition)


def _compare(op: CompareOp) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        for side in operands:
            if isinstance(side.node, Compare) and not side.grouped:
                hint = "join them by '&&', or put one in parentheses to count it as 0 or 1"
                raise error("comparisons cannot be chained", side.node.span, hint)
        return compare(operands, span)

    compare = SORTS.compare(op)
    return build


def _implies(operands: Sequence[Operand], span: Span) -> Node:
    return Implies(condition(operands[0]), condition(operands[1]), span=span)


def _iff(operands: Sequence[Operand], span: Span) -> Node:
    return Iff(condition(operands[0]), condition(operands[1]), span=span)


CONJUNCTION = Infix(AND, SORTS.conjunction, chain=True)
DISJUNCTION = Infix(OR, SORTS.disjunction, chain=True)
IMPLICATION = Infix(IMPLIES, _implies, right=True)
EQUIVALENCE = Infix(IFF, _iff)
EQUAL = Infix(COMPARE, _compare("=="))
COMPARISONS: tuple[CompareOp, ...] = ("==", "!=", "<", "<=", ">", ">=")
GAL_PREFIX: Mapping[str, Prefix] = {
    "!": Prefix(NOT, SORTS.negation),
    "-": Prefix(NEGATE, SORTS.minus),
    "~": Prefix(NEGATE, SORTS.complement),
}
GAL_INFIX: Mapping[str, Infix] = {
    "->": IMPLICATION,
    "<->": EQUIVALENCE,
    "||": DISJUNCTION,
    "&&": CONJUNCTION,
    **{op: Infix(COMPARE, _compare(op)) for op in COMPARISONS},
    **{
        op: Infix(power, SORTS.arithmetic(cast(ArithmeticOp, op)))
        for op, power in ARITHMETIC_POWER.items()
    },
}


# --- operands -------------------------------------------------------------------------------------


class GalExpressions(ExpressionParser):
    """Expressions in the bodies of types.

    `names` gives the meaning of names that stand for whole expressions (aliases, predicates).
    """

    prefix = GAL_PREFIX
    infix = GAL_INFIX

    def __init__(self, tokens: Tokens, names: Callable[[str, Span], Node | None]) -> None:
        super().__init__(tokens)
        self.names = names

    def number(self) -> IntExpr:
        """An integer expression at the cursor."""
        tokens = self.tokens
        index = tokens.at
        # Most of them are literals: `x = 1;`, `a[0]`, the values of an array.
        if tokens.kinds[index] == NUMBER and tokens.kinds[index + 1] in _ENDS:
            return literal(tokens, index, "")
        return integer(self.parse())

    def condition(self) -> Formula:
        """A condition at the cursor."""
        found = self.parse()
        self.tokens.refuse_assignment()
        refuse_infix(self.tokens)
        return condition(found)

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, a parameter, a variable, an array cell, or an expanded name."""
        tokens = self.tokens
        kind = tokens.kinds[index]
        if kind == NAME:
            text = tokens.texts[index]
            tokens.at += 1
            if text in TRUTH:
                return Truth(TRUTH[text], span=tokens.span(index))
            if text in PREFIX_WORDS:
                refuse_prefix(tokens, index)
            return self._reference(text.replace("^", "") if "^" in text else text, index)
        if kind == NUMBER:
            return literal(tokens, index, after)
        if kind == PARAMETER:
            tokens.at += 1
            return Param(tokens.texts[index][1:], span=tokens.span(index))
        if kind == STRING or tokens.escapes(index):
            return self._reference(tokens.name("a name"), index)
        if tokens.texts[index] in PREFIX_WORDS:
            refuse_prefix(tokens, index)
        raise tokens.expected("an expression")

    def unclosed(self, frame: Frame) -> Exception:
        """The error that a bracket does not close here, where an operator may be meant."""
        refuse_infix(self.tokens)
        return super().unclosed(frame)

    def _reference(self, name: str, index: int) -> Node | Operand | Open:
        """A name that was just read: a variable, an array cell, or what the name stands for."""
        tokens = self.tokens
        if tokens.texts[tokens.at] == "[":
            tokens.at += 1

            def cell(contents: Sequence[Operand]) -> Node:
                span = tokens.span(index, tokens.at - 1)
                return Var(name, integer(contents[0]), span=span)

            return Open("]", cell)
        span = tokens.span(index, tokens.at - 1)
        node = self.names(name, span)
        if node is not None:
            return Operand(node, True, index, tokens.at - 1)
        return Var(name, span=span)


_ENDS = frozenset({";", ",", ")", "]", ".."})
"""What ends an expression wherever one may stand."""


def literal(tokens: Tokens, index: int, after: str) -> Const:
    """The number at a token; 2147483648 is allowed directly under a minus sign only."""
    tokens.at = index + 1
    lowest = after == "-" and tokens.texts[index + 1] != "**"
    value = tokens.number(index, INT_MAX + 1 if lowest else INT_MAX)
    return Const(value, span=tokens.span(index))
