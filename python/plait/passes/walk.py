"""Walking over statements: what every pass needs to change or to collect.

Blocks are nested at most a few hundred deep (the parsers see to it), so statements may be visited
by recursion; expressions may not, and are left to the functions given here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from plait.hints import TypeVar, cast
from plait.model.expr import IntExpr, Var
from plait.model.node import Node, nodes
from plait.model.stmt import (
    AllCall,
    AnyCall,
    Assign,
    Bind,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    Match,
    NextCall,
    Pattern,
    Receive,
    Send,
    Settle,
    Statement,
)
from plait.model.watch import look
from plait.records import replace

N = TypeVar("N", bound=Node)

Change = Callable[[Node], Node]


def map_expressions(statement: Statement, change: Change, target: Change) -> Statement:
    """The statement with `change` applied to its own expressions, `target` to what it assigns.

    Blocks inside are not entered. The statement itself comes back when nothing changed.
    """

    def to(node: N) -> N:
        return cast(N, change(node))

    def all_of(expressions: tuple[N, ...]) -> tuple[N, ...]:
        return tuple(to(e) for e in expressions)

    match statement:
        case Assign(target=left, value=value):
            new_left, new_value = target(left), change(value)
            if new_left is left and new_value is value:
                return statement
            return Assign(cast(Var, new_left), cast(IntExpr, new_value), span=statement.span)
        case If() | Settle():
            return replace(statement, condition=to(statement.condition))
        case Call() | AnyCall() | AllCall():
            if not statement.arguments:
                return statement
            return replace(statement, arguments=all_of(statement.arguments))
        case InstanceCall():
            return replace(
                statement,
                instance=to(statement.instance),
                arguments=all_of(statement.arguments),
            )
        case NextCall():
            return replace(
                statement,
                arguments=all_of(statement.arguments),
                next_arguments=all_of(statement.next_arguments),
            )
        case Send():
            return replace(
                statement, channel=to(statement.channel), values=all_of(statement.values)
            )
        case Receive():
            return replace(
                statement,
                channel=to(statement.channel),
                patterns=tuple(_map_pattern(p, change, target) for p in statement.patterns),
            )
        case _:
            return statement


def _map_pattern(pattern: Pattern, change: Change, target: Change) -> Pattern:
    match pattern:
        case Bind():
            return Bind(cast(Var, target(pattern.target)))
        case Match():
            return Match(cast(IntExpr, change(pattern.value)))
        case _:
            return pattern


def map_body(body: Body, change: Callable[[Statement], Iterable[Statement]]) -> Body:
    """Every statement replaced by those that `change` gives, inner blocks first.

    The body itself comes back when nothing changed.
    """
    look()
    new: list[Statement] = []
    same = True
    for statement in body:
        inner = statement
        match statement:
            case If(then=then, otherwise=otherwise):
                a, b = map_body(then, change), map_body(otherwise, change)
                if a is not then or b is not otherwise:
                    inner = If(statement.condition, a, b, span=statement.span)
            case Fixpoint(body=block) | For(body=block):
                changed = map_body(block, change)
                if changed is not block:
                    inner = replace(statement, body=changed)
            case _:
                pass
        before = len(new)
        new.extend(change(inner))
        same = same and len(new) == before + 1 and new[before] is statement
    return body if same else tuple(new)


def statements(body: Body) -> Iterator[Statement]:
    """Every statement, those inside blocks too."""
    for statement in body:
        yield statement
        match statement:
            case If(then=then, otherwise=otherwise):
                yield from statements(then)
                yield from statements(otherwise)
            case Fixpoint(body=block) | For(body=block):
                yield from statements(block)
            case _:
                pass


def reads(statement: Statement) -> Iterator[Node]:
    """The expressions that the statement itself evaluates, indexes of its targets included."""
    match statement:
        case Assign(target=target, value=value):
            yield value
            if target.index is not None:
                yield target.index
        case If(condition=condition) | Settle(condition=condition):
            yield condition
        case Call(arguments=arguments) | AnyCall(arguments=arguments):
            yield from arguments
        case AllCall(arguments=arguments):
            yield from arguments
        case InstanceCall():
            yield statement.instance
            yield from statement.arguments
        case NextCall():
            yield from statement.arguments
            yield from statement.next_arguments
        case Send():
            yield statement.channel
            yield from statement.values
        case Receive():
            yield statement.channel
            for pattern in statement.patterns:
                if isinstance(pattern, Match):
                    yield pattern.value
                elif isinstance(pattern, Bind) and pattern.target.index is not None:
                    yield pattern.target.index
        case _:
            pass


def targets(statement: Statement) -> Iterator[Var]:
    """What the statement itself assigns to."""
    match statement:
        case Assign(target=target):
            yield target
        case Receive(patterns=patterns):
            yield from (p.target for p in patterns if isinstance(p, Bind))
        case _:
            pass


def called(body: Body) -> Iterator[str]:
    """The labels of this component that the body calls."""
    for statement in statements(body):
        if isinstance(statement, Call | Settle):
            yield statement.label


def variables_of(expressions: Iterable[Node]) -> Iterator[Var]:
    """Every variable reference in the expressions."""
    for expression in expressions:
        for node in nodes(expression):
            if isinstance(node, Var):
                yield node
