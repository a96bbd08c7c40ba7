"""The bodies of GAL events: assignments, calls, and the control statements around them.

The three kinds of type share one parser. An elementary type assigns and calls itself, a composite
calls its instances, a set calls `any`, `all` or `next` of its elements. Labels are quoted; a plain
word after the dot (`self.reset`, `t.App`) is accepted as well.
"""

from __future__ import annotations

from collections.abc import Callable

from plait.errors import Span, error
from plait.hints import Literal
from plait.lang.expressions import GalExpressions
from plait.lang.gal.scope import Scope
from plait.lang.lexer import NAME, PARAMETER, STRING, Tokens
from plait.model.check_events import BLOCK_LIMIT
from plait.model.expr import Binary, Hop, IntExpr, Var
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Assign,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    NextCall,
    Statement,
)

Flavour = Literal["gal", "composite", "set"]


class Statements:
    """Reads blocks of statements of one kind of type."""

    def __init__(
        self, tokens: Tokens, expressions: GalExpressions, scope: Scope, flavour: Flavour
    ) -> None:
        self.tokens = tokens
        self.expressions = expressions
        self.scope = scope
        self.flavour: Flavour = flavour

    def block(self, depth: int = 1) -> Body:
        """`{ statement* }`."""
        tokens = self.tokens
        opening = tokens.expect("{")
        if depth > BLOCK_LIMIT:
            raise tokens.fail(f"blocks are nested deeper than {BLOCK_LIMIT} levels", opening)
        body: list[Statement] = []
        while not tokens.accept("}"):
            if not tokens.next:
                hint = f"the block opened at line {tokens.span(opening).line} is not closed"
                raise tokens.expected("a statement or '}'", hint)
            body.append(self.statement(depth))
        return tuple(body)

    def statement(self, depth: int) -> Statement:
        """One statement; its keyword is a keyword only in front of what must follow it."""
        tokens = self.tokens
        first = tokens.at
        word, follower = tokens.next, tokens.peek()
        if word == "if" and follower == "(":
            return self._if(depth)
        if word == "for" and follower == "(":
            tokens.at += 2
            parameter = tokens.parameter()
            tokens.expect(":")
            range_ = tokens.name("the name of a range")
            tokens.expect(")")
            return For(parameter, range_, self.block(depth + 1), span=tokens.span(first))
        if word == "fixpoint" and follower == "{":
            tokens.at += 1
            return Fixpoint(self.block(depth + 1), span=tokens.span(first))
        if word == "abort" and follower == ";":
            tokens.at += 2
            return Abort(span=tokens.span(first))
        return self._call_or_assign()

    def _if(self, depth: int) -> Statement:
        tokens = self.tokens
        first = tokens.at
        tokens.at += 2
        condition = self.expressions.condition()
        tokens.expect(")")
        then = self.block(depth + 1)
        otherwise: Body = ()
        if tokens.next == "else" and tokens.peek() in ("{", "if"):
            tokens.at += 1
            if tokens.next == "if":
                if depth >= BLOCK_LIMIT:
                    raise tokens.fail(f"blocks are nested deeper than {BLOCK_LIMIT} levels")
                otherwise = (self._if(depth + 1),)
            else:
                otherwise = self.block(depth + 1)
        return If(condition, then, otherwise, span=tokens.span(first))

    # --- calls and assignments --------------------------------------------------------------------

    def _call_or_assign(self) -> Statement:
        tokens = self.tokens
        first = tokens.at
        if tokens.kind() == PARAMETER:
            raise tokens.fail(f"cannot assign to the parameter '{tokens.next}'")
        escaped = tokens.kind() != NAME
        name = tokens.name("a statement")
        index: IntExpr | None = None
        if tokens.next in (";", "(", ",") and "." in name and not escaped:
            receiver, label = name.rsplit(".", 1)
            return self._call(receiver, None, label, first, False)
        if tokens.accept("["):
            index = self.expressions.number()
            tokens.expect("]")
        if tokens.accept("."):
            return self._call(name, index, self._label(), first, escaped)
        target = Var(name, index, span=tokens.span(first, tokens.at - 1))
        return self._assign(target)

    def _label(self) -> str:
        """A label: a string, or leniently a word."""
        if self.tokens.kind() not in (STRING, NAME):
            raise self.tokens.expected("a label in quotes")
        return self.tokens.name("a label in quotes")

    def _assign(self, target: Var) -> Statement:
        tokens = self.tokens
        op = tokens.next
        if op not in ("=", "+=", "-="):
            hint = None
            if target.name in ("list", "push", "pop", "peek"):
                hint = "the list type of early GAL is not supported; use an array"
            what = "'=', '+=' or '-='" if self.flavour == "gal" else "a call such as 'p.\"label\"'"
            raise tokens.expected(what, hint)
        if self.flavour != "gal":
            what = "synchronization" if self.flavour == "composite" else "set of instances"
            message = f"a {what} has no variables to assign"
            raise error(message, target.span)
        kind = self.scope.kind(target.name)
        if kind is not None:
            raise error(f"cannot assign to the {kind} '{target.name}'", target.span)
        tokens.at += 1
        value = self.expressions.number()
        if op != "=":
            value = Binary("+" if op == "+=" else "-", target, value, span=value.span)
        tokens.expect(";", "after the assignment")
        return Assign(target, value, span=target.span)

    def _call(
        self, receiver: str, index: IntExpr | None, label: str, first: int, escaped: bool
    ) -> Statement:
        tokens = self.tokens
        span = tokens.span(first, tokens.at - 1)
        arguments = self.arguments()
        make = self._callee(receiver, index, span, escaped)
        statement: Statement
        if make is None:
            tokens.expect(",", "and the label of the next instance")
            next_label = self._label()
            statement = NextCall(label, arguments, next_label, self.arguments(), span=span)
        else:
            statement = make(label, arguments)
        tokens.expect(";", "after the call")
        return statement

    def _callee(
        self, receiver: str, index: IntExpr | None, span: Span, escaped: bool
    ) -> Callable[[str, tuple[IntExpr, ...]], Statement] | None:
        """What a call of this receiver becomes; None for `next`, which has two labels."""
        if not escaped and index is None:
            if receiver == "self":
                return lambda label, arguments: Call(label, arguments, span=span)
            if self.flavour == "set":
                if receiver == "any":
                    return lambda label, arguments: AnyCall(label, arguments, span=span)
                if receiver == "all":
                    return lambda label, arguments: AllCall(label, arguments, span=span)
                if receiver == "next":
                    return None
        if self.flavour == "gal":
            raise error(f"only 'self' can be called here, not '{receiver}'", span)
        if self.flavour == "set":
            message = f"only 'any', 'all', 'next' and 'self' can be called here, not '{receiver}'"
            raise error(message, span)
        hop = Hop(receiver, index, span=span)
        return lambda label, arguments: InstanceCall(hop, label, arguments, span=span)

    def arguments(self) -> tuple[IntExpr, ...]:
        """`( int (',' int)* )`, or nothing."""
        tokens = self.tokens
        if not tokens.accept("("):
            return ()
        found: list[IntExpr] = []
        while not tokens.accept(")"):
            if found:
                tokens.expect(",", "or ')'")
            found.append(self.expressions.number())
        return tuple(found)
