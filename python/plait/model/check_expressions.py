"""Static checks of expressions: names, sorts of names, constants, and what may stand where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum

from plait.errors import InputError, Span
from plait.logic.formula import Temporal
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import (
    Binary,
    Compare,
    Const,
    Deadlock,
    Empty,
    Enabled,
    Formula,
    Full,
    Hop,
    IntExpr,
    Length,
    Param,
    Poll,
    Unary,
    Var,
)
from plait.model.findings import Findings, count
from plait.model.node import Node, nodes
from plait.model.shape import evaluate_constant
from plait.model.types import Channel, Model, Range, Variable
from plait.records import dataclass, field

Constants = Mapping[str, int]


class Allowed(Enum):
    """What an expression may be made of."""

    CONSTANTS = "constants"
    PARAMETERS = "parameters"
    VARIABLES = "variables"


@dataclass(slots=True)
class Scope:
    """The names visible at some place of a type.

    `instantiations` are the values its constants take in the instances of the model.
    """

    model: Model
    type_name: str
    instantiations: list[Constants]
    constants: frozenset[str]
    ranges: Mapping[str, Range]
    variables: Mapping[str, Variable] = field(default_factory=dict)
    channels: Mapping[str, Channel] = field(default_factory=dict)
    parameters: list[str] = field(default_factory=list)
    """The parameters of the event and of the loops around the place."""

    def values(self, expr: IntExpr) -> list[int]:
        """The values of an expression over constants, one for each instantiation."""
        return [evaluate_constant(expr, constants) for constants in self.instantiations]


class ExpressionChecks:
    """Checks expressions in one scope."""

    def __init__(self, findings: Findings, scope: Scope) -> None:
        self.findings = findings
        self.scope = scope
        self.used: set[str] = set()
        """The parameters met so far."""

    def check(self, expr: Node, allowed: Allowed, fallback: Span | None) -> None:
        """Report everything wrong in an expression; nodes without a place get the fallback."""
        for node in nodes(expr):
            span = node.span or fallback
            check = _CHECKS.get(type(node))
            if check is not None:
                check(self, node, allowed, span)
            elif isinstance(node, Temporal):
                self.findings.error("temporal operators can be used in properties only", span)
            elif allowed is Allowed.CONSTANTS and not isinstance(node, (Unary, Binary)):
                self.findings.error("a constant is needed here", span)

    def constants(self, expr: IntExpr, fallback: Span | None) -> list[int] | None:
        """The values of an expression that must be constant, or None after reporting why not."""
        if isinstance(expr, Const) and INT_MIN <= expr.value <= INT_MAX:
            return [expr.value] * len(self.scope.instantiations)
        before = self.findings.failed
        self.check(expr, Allowed.CONSTANTS, fallback)
        try:
            return self.scope.values(expr)
        except InputError as failure:
            if before or not self.findings.failed:
                self.findings.absorb(failure)
            return None

    # --- one check per kind of node ---------------------------------------------------------------

    def _const(self, node: Const, allowed: Allowed, span: Span | None) -> None:
        if not INT_MIN <= node.value <= INT_MAX:
            self.findings.error(f"the constant {node.value} does not fit in 32 bits", span)

    def _param(self, node: Param, allowed: Allowed, span: Span | None) -> None:
        name = node.name
        if name in self.scope.parameters:
            self.used.add(name)
            if allowed is Allowed.CONSTANTS:
                self.findings.error(f"a constant is needed here, not the parameter '${name}'", span)
        elif name not in self.scope.constants:
            hint = self.findings.guess(name, {*self.scope.constants, *self.scope.parameters})
            self.findings.error(f"undeclared parameter '${name}'", span, hint)

    def _var(self, node: Var, allowed: Allowed, span: Span | None) -> None:
        scope, name = self.scope, node.name
        if node.path:
            message = "a variable of an instance can be used in properties only"
            self.findings.error(message, span)
            return
        if allowed is not Allowed.VARIABLES:
            what = "a constant" if allowed is Allowed.CONSTANTS else "a constant or parameter"
            self.findings.error(f"{what} is needed here, not the variable '{name}'", span)
            return
        variable = scope.variables.get(name)
        if variable is None:
            if name in scope.channels:
                self.findings.error(f"'{name}' is a channel, not a variable", span)
                return
            hint = self.findings.guess(name, scope.variables)
            self.findings.error(f"undeclared variable '{name}'", span, hint)
            return
        self.index(name, variable.size, node.index, span)

    def index(
        self,
        name: str,
        size: IntExpr | None,
        index: IntExpr | None,
        span: Span | None,
    ) -> None:
        """An array has an index, in range when it is constant; anything else has none."""
        if size is None:
            if index is not None:
                self.findings.error(f"'{name}' is not an array; it has no index", span)
            return
        if index is None:
            self.findings.error(f"'{name}' is an array; an index is needed", span)
            return
        if not self.is_constant(index):
            return
        try:
            places = list(zip(self.scope.values(index), self.scope.values(size), strict=True))
        except InputError:
            return  # reported where the size is declared, or undefined when it is executed
        # Translators declare arrays without cells, for channels without room, and use them in
        # events that are never possible; nothing follows where such a cell is asked for.
        outside = [(i, n) for i, n in places if not 0 <= i < n and n > 0]
        if outside and len(outside) == len(places):
            i, n = outside[0]
            message = f"the index {i} is out of range for '{name}': its cells are 0 .. {n - 1}"
            self.findings.error(message, index.span or span)

    def is_constant(self, expr: IntExpr) -> bool:
        """Whether an expression is made of constants only; stops at the first other node."""
        return all(
            isinstance(n, (Const, Unary, Binary))
            or (isinstance(n, Param) and n.name not in self.scope.parameters)
            for n in nodes(expr)
        )

    def _only_in_properties(self, node: Node, allowed: Allowed, span: Span | None) -> None:
        word = "deadlock" if isinstance(node, Deadlock) else "enabled"
        self.findings.error(f"'{word}' can be used in properties only", span)

    def _channel_question(
        self, node: Length | Full | Empty | Poll, allowed: Allowed, span: Span | None
    ) -> None:
        if allowed is not Allowed.VARIABLES:
            self.findings.error("a constant or parameter is needed here", span)
            return
        channel = self.channel(node.channel, span)
        if channel is not None and isinstance(node, Poll):
            self.fields(channel, len(node.patterns), span)

    def channel(self, hop: Hop, fallback: Span | None) -> Channel | None:
        """The channel that is meant, or None after reporting that there is none."""
        span = hop.span or fallback
        channel = self.scope.channels.get(hop.name)
        if channel is None:
            hint = self.findings.guess(hop.name, self.scope.channels)
            self.findings.error(f"undeclared channel '{hop.name}'", span, hint)
            return None
        self.index(hop.name, channel.size, hop.index, span)
        return channel

    def fields(self, channel: Channel, given: int, span: Span | None) -> None:
        """A message has as many fields as its channel says."""
        wanted = len(channel.fields)
        if given != wanted:
            message = f"a message of channel '{channel.name}' has {count(wanted, 'field')}"
            self.findings.error(f"{message}, not {given}", span)

    def _nothing(self, node: Node, allowed: Allowed, span: Span | None) -> None:
        """Hops are checked with what they belong to; comparisons are fine outside constants."""
        if allowed is Allowed.CONSTANTS:
            self.findings.error("a constant is needed here", span)


_CHECKS: Mapping[type, Callable[..., None]] = {
    Const: ExpressionChecks._const,
    Param: ExpressionChecks._param,
    Var: ExpressionChecks._var,
    Deadlock: ExpressionChecks._only_in_properties,
    Enabled: ExpressionChecks._only_in_properties,
    Length: ExpressionChecks._channel_question,
    Full: ExpressionChecks._channel_question,
    Empty: ExpressionChecks._channel_question,
    Poll: ExpressionChecks._channel_question,
    Compare: ExpressionChecks._nothing,
    Hop: ExpressionChecks._nothing,
}


def counted_path(body: Node) -> Temporal | None:
    """A temporal operator inside a number, such as `(AG p) + 1`, if there is one."""
    stack = [(body, False)]
    seen: set[tuple[int, bool]] = set()
    while stack:
        node, counted = stack.pop()
        if (id(node), counted) in seen:
            continue
        seen.add((id(node), counted))
        if counted and isinstance(node, Temporal):
            return node
        counted = counted or isinstance(node, IntExpr)
        stack.extend((c, counted) for c in reversed(node.children()))
    return None


def union(*sets: Iterable[str]) -> frozenset[str]:
    """All names together."""
    return frozenset(name for names in sets for name in names)


__all__ = [
    "Allowed",
    "Constants",
    "ExpressionChecks",
    "Formula",
    "Scope",
    "counted_path",
    "union",
]
