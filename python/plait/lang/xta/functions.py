"""Functions and updates, read into commands (`plait.lang.xta.program`).

A function's body is read once for each scope that it is declared in: parameters of a template are
constants there. Its parameters and variables get names of their own, so that a block in a block may
use a name again. A function is known behind its end only, so none calls itself.
"""

from __future__ import annotations

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.lexer import NAME, Tokens
from plait.lang.scope import Scope
from plait.lang.xta.declarations import Declarations, refuse_empty
from plait.lang.xta.expressions import XtaExpressions, changeable, value_of
from plait.lang.xta.network import Network
from plait.lang.xta.program import (
    Apply,
    Branch,
    Choice,
    Command,
    Copy,
    Each,
    Evaluate,
    Loop,
    Return,
    Set,
    Whole,
    changes,
    has_effects,
    names,
)
from plait.lang.xta.symbols import (
    Constant,
    Data,
    Function,
    Number,
    Place,
    Symbol,
    Type,
    alike,
    arrayed,
    cells,
    leaves,
    width,
)
from plait.model.expr import TRUE, ArithmeticOp, AsInt, Binary, Const, Formula, IntExpr, Var
from plait.model.node import Node, fold
from plait.records import replace

CHANGES = {f"{op}=": op for op in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")}
"""`x += e` and the like, with their operators."""
MOST = 10_000
"""The most cells of a variable of a function, and of what is copied at once."""
NESTING = 100
"""The most statements inside one another."""


def read_updates(tokens: Tokens, network: Network, scope: Scope[Symbol]) -> tuple[Command, ...]:
    """The updates of an edge at the cursor, with commas between them."""
    return tuple(_Reader(tokens, network, "").expressions(scope))


def read_function(
    tokens: Tokens,
    network: Network,
    scope: Scope[Symbol],
    result: Type | None,
    owner: str | None,
) -> None:
    """A function, whose name is at the cursor, into the scope."""
    span = tokens.span()
    name = tokens.name("the name of a function")
    full = name if owner is None else f"{owner}.{name}"
    reader = _Reader(tokens, network, full)
    parameters = Declarations(tokens, network).parameters(scope)
    inner = Scope(scope)
    own = {p.name: reader.declare(p.name, p.type, inner, p.span) for p in parameters}
    function = Function(name, full, parameters, result, span, own=own)
    if result is not None:
        reader.result = function.given
        reader.own(reader.result, span)
    opening = tokens.expect("{", "before the body of the function")
    body = tuple(reader.block(inner, opening))
    foreign = {n for p in parameters if p.reference for n in names(own[p.name])}
    changed = any(n not in network.own or n in foreign for n in changes(body))
    variables = frozenset(reader.variables)
    function = replace(function, body=body, changes=changed, variables=variables)
    scope.declare(name, function, span)


class _Reader:
    """Reads the statements of a function; `full` is its name."""

    def __init__(self, tokens: Tokens, network: Network, full: str) -> None:
        self._tokens = tokens
        self._network = network
        self._full = full
        self._declarations = Declarations(tokens, network)
        self._depth = 0
        self._used: set[str] = set()
        self.variables: set[str] = set()
        self.result: Place | None = None

    def declare(self, name: str, type_: Type, scope: Scope[Symbol], span: Span) -> Place:
        """A variable of the function."""
        full = f"{self._full}.{name}"
        while full in self._used:
            full += "'"
        self._used.add(full)
        place = Place(full, type_)
        self.own(place, span)
        self.variables.update(names(place))
        scope.declare(name, place, span)
        return place

    def own(self, place: Place, span: Span) -> None:
        """Let the variables of a place be those of a function."""
        _refuse_many(place.type, span)
        for path, dimensions, one in leaves(place.type):
            if isinstance(one, Number):
                refuse_empty(one, span)
                name = ".".join((place.full, *path))
                start = (one.start,) * cells(dimensions)
                self._network.own[name] = Data(name, one.domain, dimensions, start, span)

    def _expressions(self, scope: Scope[Symbol]) -> XtaExpressions:
        """A reader of expressions, which may change variables."""
        found = XtaExpressions(self._tokens, self._network, scope, effects=True)
        found.lenient = bool(self._full)
        return found

    # --- statements -------------------------------------------------------------------------------

    def block(self, scope: Scope[Symbol], opening: int) -> list[Command]:
        """The statements up to a `}`, whose `{` is behind the cursor."""
        tokens = self._tokens
        found: list[Command] = []
        while not tokens.accept("}"):
            if not tokens.next:
                raise tokens.fail("this bracket is not closed", opening)
            if self._declarations.declares(scope):
                found += self._local(scope)
            else:
                found += self._statement(scope)
        return found

    def _local(self, scope: Scope[Symbol]) -> list[Command]:
        """A declaration of variables."""
        tokens = self._tokens
        if tokens.next == "typedef":
            self._declarations.declaration(scope)
            return []
        const = tokens.next == "const"
        type_ = self._declarations.type(scope)
        found: list[Command] = []
        while True:
            span = tokens.span()
            name = self._declarations.word("the name of a variable")
            whole = arrayed(type_, self._declarations.dimensions(scope))
            if any(not isinstance(one, Number) for _, _, one in leaves(whole)):
                raise error("a function has no clocks and channels of its own", span)
            found += self._initial(name, whole, const, scope, span)
            if not tokens.accept(","):
                break
        tokens.expect(";", "after the declaration")
        return found

    def _initial(
        self, name: str, type_: Type, const: bool, scope: Scope[Symbol], span: Span
    ) -> list[Command]:
        """A variable and what it begins with."""
        tokens = self._tokens
        found: list[Command] = []
        if tokens.accept("=") or tokens.accept(":="):
            if isinstance(type_, Number):
                before, value = self._value(scope)
                if const and isinstance(value, Const):
                    scope.declare(name, Constant(value.value), span)
                    return before
                place = self.declare(name, type_, scope, span)
                return [*before, Set(_variable(place), value, span=span)]
            if tokens.next != "{":
                node = self._expressions(scope).parse().node
                place = self.declare(name, type_, scope, span)
                return [self._copy(place, node, span)]
            values = self._declarations.initial(
                type_,
                scope,
                lambda: self._expressions(scope).number(),
            )
            place = self.declare(name, type_, scope, span)
            for path, _, _ in leaves(type_):
                singles = [s for s in place.singles() if s.path == path]
                pairs = zip(singles, values[path], strict=True)
                found += [Set(_variable(single), value, span=span) for single, value in pairs]
            return found
        place = self.declare(name, type_, scope, span)
        for single in place.singles():
            found.append(Set(_variable(single), Const(cast(Number, single.type).start), span=span))
        return found

    def _statement(self, scope: Scope[Symbol]) -> list[Command]:
        """A statement; what it needs to do before comes before it."""
        tokens = self._tokens
        if self._depth == NESTING:
            raise tokens.fail(f"more than {NESTING} statements, one inside the other")
        self._depth += 1
        found = self._one(scope)
        self._depth -= 1
        return found

    def _one(self, scope: Scope[Symbol]) -> list[Command]:
        tokens = self._tokens
        first = tokens.at
        span = tokens.span()
        match tokens.next:
            case ";":
                tokens.at += 1
                return []
            case "{":
                tokens.at += 1
                return self.block(Scope(scope), first)
            case "if":
                tokens.at += 1
                condition = self._condition(scope)
                then = tuple(self._statement(scope))
                otherwise = tuple(self._statement(scope)) if tokens.accept("else") else ()
                return [Branch(condition, then, otherwise, span=span)]
            case "while":
                tokens.at += 1
                condition = self._condition(scope)
                return [Loop(condition, tuple(self._statement(scope)), span=span)]
            case "do":
                tokens.at += 1
                body = tuple(self._statement(scope))
                tokens.expect("while", "after the statement")
                condition = self._condition(scope)
                tokens.expect(";", "after the condition")
                return [*body, Loop(condition, body, span=span)]
            case "for":
                tokens.at += 1
                return self._for(scope, span)
            case "return":
                tokens.at += 1
                return self._return(scope, span)
            case "break" | "continue" | "switch":
                raise tokens.fail(f"'{tokens.next}' is no statement of this language")
        found = self.expressions(scope)
        tokens.expect(";", "after the statement")
        return found

    def _condition(self, scope: Scope[Symbol]) -> Formula:
        tokens = self._tokens
        tokens.expect("(", "before the condition")
        found = self._expressions(scope).condition()
        tokens.expect(")", "after the condition")
        return found

    def _for(self, scope: Scope[Symbol], span: Span) -> list[Command]:
        tokens = self._tokens
        tokens.expect("(", "after 'for'")
        if tokens.kind() == NAME and tokens.peek() == ":":
            name = self._declarations.word("a name")
            tokens.at += 1
            domain = self._declarations.range(scope)
            tokens.expect(")", "after the range")
            if domain.low > domain.high:
                self._statement(Scope(scope, {name: Constant(domain.low)}))
                return []
            inner = Scope(scope)
            variable = _variable(self.declare(name, Number(domain), inner, span))
            return [Each(variable, domain, tuple(self._statement(inner)), span=span)]
        begin = [] if tokens.next == ";" else self.expressions(scope)
        tokens.expect(";", "after the first part of 'for'")
        condition: Formula = TRUE
        if tokens.next != ";":
            condition = self._expressions(scope).condition()
        tokens.expect(";", "after the condition")
        step = [] if tokens.next == ")" else self.expressions(scope)
        tokens.expect(")", "after the last part of 'for'")
        body = self._statement(scope)
        return [*begin, Loop(condition, (*body, *step), span=span)]

    def _return(self, scope: Scope[Symbol], span: Span) -> list[Command]:
        tokens = self._tokens
        if tokens.accept(";"):
            return [Return(span=span)]
        if self.result is None:
            raise tokens.fail("this function has no result")
        found: list[Command]
        if isinstance(self.result.type, Number):
            before, value = self._value(scope)
            found = [*before, Return(value, span=span)]
        else:
            node = self._expressions(scope).parse().node
            found = [self._copy(self.result, node, span), Return(span=span)]
        tokens.expect(";", "after the value")
        return found

    # --- expressions as statements ----------------------------------------------------------------

    def expressions(self, scope: Scope[Symbol]) -> list[Command]:
        """Expressions that do something, with commas between them."""
        found = self._expression(scope)
        while self._tokens.accept(","):
            found += self._expression(scope)
        return found

    def _expression(self, scope: Scope[Symbol]) -> list[Command]:
        tokens = self._tokens
        first = tokens.at
        assigned = self._assignment(scope)
        if assigned is not None:
            return assigned
        tokens.at = first
        node = self._expressions(scope).parse().node
        if tokens.next in ("=", ":=") or tokens.next in CHANGES:
            raise tokens.fail("only a variable or a clock can be assigned", first)
        if not has_effects(node):
            return []  # `true`, or a function that only looks
        if isinstance(node, Formula):
            node = AsInt(node, span=node.span)
        assert isinstance(node, IntExpr)
        return [Evaluate(node, span=tokens.span(first, tokens.at - 1))]

    def _assignment(self, scope: Scope[Symbol]) -> list[Command] | None:
        """`place = value`; None where the cursor, which is anywhere then, is at something else."""
        tokens = self._tokens
        first = tokens.at
        symbol = scope.find(tokens.next)
        if not isinstance(symbol, Place | Constant):
            return None
        target = self._expressions(scope)
        target.alone = True
        node = target.parse().node
        sign = tokens.next
        if sign in ("++", "--"):
            tokens.at += 1
            step = Binary("+" if sign == "++" else "-", changeable(node), Const(1))
            return [Set(changeable(node), step, span=tokens.span(first, tokens.at - 1))]
        if sign not in (":=", "=") and sign not in CHANGES:
            return None
        if isinstance(symbol, Constant) or (isinstance(symbol, Place) and symbol.values):
            raise tokens.fail("only a variable or a clock can be assigned", first)
        tokens.at += 1
        if isinstance(node, Whole) and sign not in CHANGES:
            value = self._expressions(scope).parse().node
            return [self._copy(node.place, value, tokens.span(first, tokens.at - 1))]
        variable = changeable(node)
        before, number = self._value(scope)
        span = tokens.span(first, tokens.at - 1)
        if sign in CHANGES:
            if variable.index is not None and has_effects(variable.index):
                raise error("the index of what is changed cannot change anything itself", span)
            number = Binary(cast(ArithmeticOp, CHANGES[sign]), variable, number, span=span)
        return [*before, Set(variable, number, span=span)]

    def _value(self, scope: Scope[Symbol]) -> tuple[list[Command], IntExpr]:
        """A number; where it is an assignment itself, as in `a = b = 0`, what that does before."""
        tokens = self._tokens
        first = tokens.at
        before = self._assignment(scope)
        if before:
            last = before[-1]
            if isinstance(last, Set) and tokens.texts[tokens.at - 1] not in ("++", "--"):
                return before, last.target
        tokens.at = first
        return [], self._expressions(scope).number()

    def _copy(self, target: Place, node: object, span: Span) -> Command:
        """A whole array or structure is copied; which one, a condition may say."""

        def copied(value: Node, below: list[Command | None]) -> Command | None:
            match value:
                case Choice(condition=test):
                    _, one, other = below
                    return one and other and Branch(test, (one,), (other,), span=span)
                case Whole(place=place) if alike(place.type, target.type):
                    return Copy(target, place, span=span)
                case Apply(function=function) if function.result is not None and alike(
                    function.result, target.type
                ):
                    return Copy(target, value, span=span)
            return None

        found = fold(node, copied) if isinstance(node, Node) else None
        if found is None:
            raise error("what is assigned here is not of the same type", span)
        _refuse_many(target.type, span)
        return found


def _refuse_many(type_: Type, span: Span) -> None:
    if width(type_) > MOST:
        raise error(f"this has more than {MOST} cells", span)


def _variable(place: Place) -> Var:
    return cast(Var, value_of(place, None))


__all__ = ["read_function", "read_updates"]
