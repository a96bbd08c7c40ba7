"""`ltl` blocks, never claims, and the cycles that labels speak of.

A never claim is an automaton that must not accept a run; see `plait.logic.formula.NeverClaim`. As
in SPIN it reads the first state before the system moves, and one more state for each step; it
accepts when it reaches its end, whatever follows. Labels `accept...` of the processes count, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from plait.errors import Span, error
from plait.lang.c_operators import AND, BIT_OR, OR, condition
from plait.lang.lexer import Tokens
from plait.lang.pratt import Build, Infix, Operand, Prefix
from plait.lang.promela.bodies import BodyReader
from plait.lang.promela.channels import disjunction
from plait.lang.promela.declarations import Declarer, SystemText
from plait.lang.promela.expressions import INFIX, PREFIX, THEN, PromelaExpressions
from plait.lang.promela.flow import Edge, Flow, FlowBuilder, resolve
from plait.lang.promela.preprocess import written_between
from plait.lang.promela.statements import Assertion, Condition, ElseStep
from plait.lang.promela.translate import Translation
from plait.logic.formula import (
    Finally,
    Globally,
    NeverClaim,
    Next,
    Release,
    Temporal,
    Until,
    WeakUntil,
)
from plait.model.expr import TRUE, And, Deadlock, Formula, Iff, Implies, Not, Or, conjunction
from plait.model.node import Node, nodes
from plait.model.types import Property
from plait.records import replace

_IMPLY = OR - 1
_UNTIL = AND + 1
"""SPIN's powers: `p && q U r` is `p && (q U r)`, `[] p U q` is `([] p) U q`, all from the left."""


def _unary(make: Callable[..., Formula]) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return make(condition(operands[0]), span=span)

    return build


def _binary(make: Callable[..., Formula]) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
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
    word: Infix(power, _binary(make))
    for words, power, make in (
        (("U", "until", "stronguntil"), _UNTIL, Until),
        (("W", "weakuntil"), _UNTIL, WeakUntil),
        (("V", "R", "release"), _UNTIL, Release),
        (("implies", "->", THEN), _IMPLY, Implies),
        (("<->", "equivalent"), _IMPLY, Iff),
    )
    for word in words
}


def _of_truths(usual: Infix, make: Callable[..., Formula]) -> Infix:
    """`&` or `|`, which between conditions that are formulas combine their truth values, 0 or 1."""

    def build(operands: Sequence[Operand], span: Span) -> Node:
        parts = [o.node for o in operands]
        if not any(isinstance(n, Temporal) for part in parts for n in nodes(part)):
            return usual.build(operands, span)
        if not all(isinstance(part, Formula) for part in parts):
            raise error("a formula has a truth value, which is not combined with a number", span)
        return make(tuple(parts), span=span)

    return replace(usual, build=build)


class LtlExpressions(PromelaExpressions):
    """Formulas: expressions, and the temporal operators around them."""

    prefix: Mapping[str, Prefix] = {**PREFIX, **_TEMPORAL_PREFIX}
    infix: Mapping[str, Infix] = {
        **INFIX,
        **_TEMPORAL_INFIX,
        "&": _of_truths(INFIX["&"], And),
        "|": _of_truths(INFIX["|"], Or),
    }


def ltl_properties(
    tokens: Tokens, system: SystemText, translation: Translation
) -> Iterator[Property]:
    """The `ltl` blocks of a text."""
    for name, start, span in system.claims:
        tokens.at = start
        declarer = Declarer(tokens, system, system.scope, "")
        formula = LtlExpressions(tokens, declarer).condition()
        tokens.accept(";")
        end = tokens.expect("}", "after the formula")
        text = written_between(tokens.span(start - 1), tokens.span(end))
        yield Property(name, "ltl", translation.resolved(formula), text=text, span=span)


# --- never claims ---------------------------------------------------------------------------------


def never_properties(
    tokens: Tokens, system: SystemText, translation: Translation
) -> Iterator[Property]:
    """The never claims of a text."""
    for claim in system.never:
        reader = BodyReader(tokens, system, claim, None, claim.name)
        process = reader.read()
        assert process.body is not None
        if process.variables:
            raise error("a never claim has no variables", process.variables[0].symbol.span)
        flow = FlowBuilder(process.body, tokens.span(tokens.at - 1)).build()
        body = _automaton(flow, translation)
        yield Property(claim.name, "ltl", body, span=claim.span)


def _automaton(flow: Flow, translation: Translation) -> NeverClaim:
    """Locations are numbered from the first statement on; the closing brace accepts for ever."""
    order = [flow.start, *(at for at in flow.locations if at is not flow.start)]
    number = {id(at): k for k, at in enumerate(order)}
    end = number[id(flow.end)]
    arcs: list[tuple[int, int]] = [(end, end)]
    guards: list[Formula] = [TRUE]
    for at in order:
        for edge in at.edges:
            target = number[id(resolve(edge.target)[0])]
            for guard, goal in _moves(edge, target, end, translation):
                before = [Not(_guard(e, translation)) for group in edge.before for e in group]
                arcs.append((number[id(at)], goal))
                guards.append(conjunction((*before, guard)))
    accepting = {
        number[id(at)] for at in order if any(label.startswith("accept") for label in at.labels)
    }
    also = disjunction(translation.at_labels("accept"))
    return NeverClaim(tuple(arcs), tuple(guards), frozenset({*accepting, end}), also)


def _moves(
    edge: Edge, target: int, end: int, translation: Translation
) -> Iterator[tuple[Formula, int]]:
    """The guards of a statement of a claim, each with where it leads."""
    guard = _guard(edge, translation)
    yield guard, target
    if isinstance(edge.step, Assertion):
        yield Not(translation.resolved(edge.step.holds)), end


def _guard(edge: Edge, translation: Translation) -> Formula:
    match edge.step:
        case Condition(holds=holds):
            return translation.resolved(holds)
        case Assertion():
            return TRUE
        case ElseStep():
            return Not(disjunction([_guard(e, translation) for e in edge.siblings]))
    raise error("a never claim only watches: this statement changes something", edge.step.span)


# --- labels ---------------------------------------------------------------------------------------


def cycle_properties(translation: Translation) -> Iterator[Property]:
    """What `pan -a` and `pan -l` look for; asked only by name."""
    accept = translation.at_labels("accept")
    if accept and not translation.system.never:
        seldom = Finally(Globally(Not(disjunction(accept))))
        asks = "no run passes labels accept... for ever"
        yield Property("acceptance cycle", "ltl", seldom, optional=True, asks=asks)
    progress = translation.at_labels("progress")
    if progress:
        # A run that ends is no cycle.
        often = Globally(Finally(disjunction([*progress, Deadlock()])))
        asks = "every run passes labels progress... again"
        yield Property("non-progress cycle", "ltl", often, optional=True, asks=asks)
