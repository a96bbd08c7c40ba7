"""`ltl` blocks: formulas over the variables and labels of the processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from plait.errors import Span, error
from plait.lang.dve.expressions import condition
from plait.lang.lexer import Tokens
from plait.lang.pratt import Build, Infix, Operand, Prefix
from plait.lang.promela.declarations import Declarer, SystemText
from plait.lang.promela.expressions import BIT_OR, INFIX, PREFIX, THEN, PromelaExpressions
from plait.lang.promela.translate import Translation
from plait.logic.formula import Finally, Globally, Next, Release, Until, WeakUntil
from plait.model.expr import And, Formula, Iff, Implies, Or
from plait.model.node import Node
from plait.model.types import Property

_IMPLY = 2
_UNTIL = 3
_MIXED = {
    True: (Implies, Iff),
    False: (And, Or, Implies, Iff, Until, WeakUntil, Release, Globally, Finally, Next),
}
"""What must not stand beside an implication, or an until, without parentheses: readers differ."""


def _unary(make: Callable[..., Formula]) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return make(condition(operands[0]), span=span)

    return build


def _binary(make: Callable[..., Formula]) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        for operand in operands:
            if not operand.grouped and isinstance(operand.node, _MIXED[make is Implies]):
                raise error("parentheses are needed around this formula", operand.node.span)
        return make(condition(operands[0]), condition(operands[1]), span=span)

    return build


_TEMPORAL_PREFIX: dict[str, Prefix] = {
    word: Prefix(BIT_OR, _unary(make))
    for words, make in (
        (("[]", "always"), Globally),
        (("<>", "eventually"), Finally),
        (("X", "next"), Next),
    )
    for word in words
}
_TEMPORAL_INFIX: dict[str, Infix] = {
    word: Infix(power, _binary(make), right=True)
    for words, power, make in (
        (("U", "until", "stronguntil"), _UNTIL, Until),
        (("W", "weakuntil"), _UNTIL, WeakUntil),
        (("V", "R", "release"), _UNTIL, Release),
        (("implies", "->", THEN), _IMPLY, Implies),
        (("<->", "equivalent"), _IMPLY, Iff),
    )
    for word in words
}


class LtlExpressions(PromelaExpressions):
    """Formulas: expressions, and the temporal operators around them."""

    prefix: Mapping[str, Prefix] = {**PREFIX, **_TEMPORAL_PREFIX}
    infix: Mapping[str, Infix] = {**INFIX, **_TEMPORAL_INFIX}


def ltl_properties(
    tokens: Tokens, system: SystemText, translation: Translation
) -> Iterator[Property]:
    """The `ltl` blocks of a text."""
    for name, start, span in system.claims:
        tokens.at = start
        declarer = Declarer(tokens, system, system.scope, "")
        formula = LtlExpressions(tokens, declarer).condition()
        tokens.expect("}", "after the formula")
        yield Property(name, "ltl", translation.resolved(formula), span=span)
