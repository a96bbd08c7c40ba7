"""The expressions of Promela: C's operators, questions about channels, conditional expressions.

There is one sort, as in C: a condition counts as 0 or 1, and a number is a condition that holds
when it is not 0. Inside parentheses the preprocessor's tokens `->` and `:` are those of the
conditional `(c -> a : b)`; outside they separate statements (see `mark_conditionals`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.errors import Span, error
from plait.hints import Protocol, cast
from plait.lang.c_operators import INFIX as C_INFIX
from plait.lang.c_operators import NEGATION, OR, condition, number
from plait.lang.c_operators import PREFIX as C_PREFIX
from plait.lang.expressions import literal
from plait.lang.lexer import NAME, NUMBER, Tokens
from plait.lang.pratt import ExpressionParser, Infix, Open, Operand, Prefix
from plait.lang.promela.symbols import (
    ChannelLength,
    ChannelTest,
    NonProgress,
    ProcessEnabled,
    RemoteLabel,
    RemoteVariable,
    Scalar,
    Structure,
    Symbol,
    Timeout,
    cells_of,
    channel_of,
    flat_index,
)
from plait.model.arithmetic import apply_binary
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Implies,
    IntExpr,
    Not,
    Or,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node, fold, nodes, rewrite
from plait.records import dataclass

CHOICE, BRANCHES = OR - 2, OR - 1
THEN, OTHERWISE = "-> ", ": "
"""How the marks of a conditional expression are spelt, once told from those of statements."""
QUEUE_TESTS = {"full": False, "empty": False, "nfull": True, "nempty": True}
REFUSED = {
    "pc_value": "'pc_value' speaks of the numbers that SPIN gives to states; use 'P[pid]@label'",
    "_priority": "priorities are not supported",
    "get_priority": "priorities are not supported",
    "set_priority": "priorities are not supported",
    "c_expr": "embedded C is not supported",
    "c_code": "embedded C is not supported",
}


NESTING_LIMIT = 20
"""How deep polls may stand in the values of other polls."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Branches(IntExpr):
    """`a : b`, the part of a conditional behind its arrow."""

    yes: IntExpr
    no: IntExpr


class Names(Protocol):
    """What an expression asks of the text around it."""

    pid: int | None

    def symbol(self, name: str) -> Symbol | None:
        """The variable of that name."""

    def message(self, name: str) -> int | None:
        """The value of a symbolic constant."""

    def unknown(self, name: str, span: Span) -> Exception:
        """The error for a name that means nothing."""

    def last(self) -> IntExpr:
        """The process that moved last."""

    def started(self, span: Span) -> IntExpr:
        """The process that the `run` at the cursor starts."""


def _branches(operands: Sequence[Operand], span: Span) -> Node:
    return Branches(number(operands[0]), number(operands[1]), span=span)


def _choice(operands: Sequence[Operand], span: Span) -> Node:
    holds, branches = condition(operands[0]), operands[1].node
    if not isinstance(branches, Branches):
        return Implies(holds, condition(operands[1]), span=span)
    yes = Binary("*", AsInt(holds), _only_if(branches.yes, holds), span=span)
    no = Binary("*", AsInt(Not(holds)), _only_if(branches.no, Not(holds)), span=span)
    return Binary("+", yes, no, span=span)


def _only_if(branch: IntExpr, chosen: Formula) -> IntExpr:
    """The branch, with indices, divisors and shifts that are harmless where it is not chosen."""
    if not any(_partial(n) for n in nodes(branch)):
        return branch

    def change(node: Node) -> Node:
        if isinstance(node, Var) and _partial(node):
            index = Binary("*", AsInt(chosen), cast(IntExpr, node.index), span=node.span)
            return Var(node.name, index, node.path, span=node.span)
        if isinstance(node, Binary) and _partial(node):
            right = Binary("*", AsInt(chosen), node.right, span=node.span)
            if node.op in ("/", "%"):
                right = Binary("+", right, AsInt(Not(chosen)), span=node.span)
            return Binary(node.op, node.left, right, span=node.span)
        return node

    return cast(IntExpr, rewrite(branch, change))


def _partial(node: Node) -> bool:
    """Whether a node can be undefined, which the branch that is not chosen must not be."""
    if isinstance(node, Binary):
        return node.op in ("/", "%", "<<", ">>")
    return isinstance(node, Var) and node.index is not None and not isinstance(node.index, Const)


PREFIX: Mapping[str, Prefix] = {**C_PREFIX, "!": NEGATION}
INFIX: Mapping[str, Infix] = {
    **C_INFIX,
    THEN: Infix(CHOICE, _choice, right=True),
    OTHERWISE: Infix(BRANCHES, _branches),
}


class PromelaExpressions(ExpressionParser):
    """Expressions in the text of one process, or outside all of them."""

    prefix = PREFIX
    infix = INFIX

    def __init__(self, tokens: Tokens, names: Names, nested: int = 0) -> None:
        super().__init__(tokens)
        self.names = names
        self.nested = nested
        self.types: dict[str, Scalar] = {}
        """The types of the variables that were read, by their full names."""
        self.whole: list[IntExpr] | None = None
        """Where a whole structure may stand, its fields once one was read."""

    def number(self) -> IntExpr:
        """A number at the cursor."""
        return number(self._checked())

    def condition(self) -> Formula:
        """A condition at the cursor."""
        return condition(self._checked())

    def fields(self) -> list[IntExpr]:
        """What one argument of a message sends: a value, or all fields of a structure."""
        first = self.tokens.at
        self.whole = []
        value = self.number()
        found, self.whole = self.whole, None
        if found and value is not found[0]:
            raise self.tokens.fail("a whole structure cannot be used here", first)
        return [*found] if found else [value]

    def _checked(self) -> Operand:
        operand = self.parse()
        if isinstance(operand.node, Branches):
            raise error("this conditional has no '->'", operand.node.span)
        return operand

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, a variable, a question about a channel, or `P[0]@label`."""
        tokens = self.tokens
        kind, text = tokens.kinds[index], tokens.texts[index]
        span = tokens.span(index)
        if kind == NUMBER:
            return literal(tokens, index, after)
        if kind != NAME:
            before = tokens.texts[index - 1] if index else ""
            sign = text == "=" and before in ("+", "-", "*", "/", "%", ":")
            hint = "an assignment is written 'x = 1', or 'x = x + 1'" if sign else None
            raise tokens.expected("an expression", hint)
        if text in REFUSED:
            raise error(REFUSED[text], span)
        if text == "enabled" and self.names.pid is not None:
            raise error("'enabled' is for claims: a process cannot ask what it could do", span)
        if text == "run":
            return self.names.started(span)
        tokens.at += 1
        if text in ("true", "false", "skip"):
            return Truth(text != "false", span=span)
        if text == "timeout":
            return Timeout(span=span)
        if text in QUEUE_TESTS or text in ("len", "enabled"):
            return self._asked(text, index)
        if text == "np_":
            return NonProgress(span=span)
        if text == "_last":
            return self.names.last()
        if text == "_pid":
            if self.names.pid is None:
                raise error("'_pid' has a meaning inside a process only", span)
            return Const(self.names.pid, span=span)
        if text == "_nr_pr":
            return Var("_nr_pr", span=span)
        return self._named(text, index)

    def _asked(self, word: str, index: int) -> Open:
        """`len(c)`, `full(c)`, `enabled(pid)`, ..."""
        tokens = self.tokens
        tokens.expect("(", f"after '{word}'")

        def finish(contents: Sequence[Operand]) -> Node:
            span = tokens.span(index, tokens.at - 1)
            channel = number(contents[0])
            if word == "len":
                return ChannelLength(channel, span=span)
            if word == "enabled":
                return ProcessEnabled(channel, span=span)
            test = ChannelTest(word.removeprefix("n"), channel, span=span)
            return Not(test, span=span) if QUEUE_TESTS[word] else test

        return Open(")", finish)

    def _named(self, name: str, index: int) -> Node | Operand | Open:
        tokens = self.tokens
        symbol = self.names.symbol(name)
        if symbol is not None:
            path = _Path(self, symbol, index)
            return path.step()
        value = self.names.message(name)
        if value is not None:
            return Const(value, span=tokens.span(index))
        if tokens.next == "@" or (tokens.next in (":", OTHERWISE) and tokens.kind(1) == NAME):
            return self._remote(name, None, index)
        if tokens.next == "[":
            tokens.at += 1

            def finish(contents: Sequence[Operand]) -> Node:
                return self._remote(name, number(contents[0]), index)

            return Open("]", finish)
        raise self.names.unknown(name, tokens.span(index))

    def patterns(self, close: str) -> list[Var | IntExpr | None]:
        """What stands behind `?`: variables, values to match, None for `_`; up to `close`."""
        tokens = self.tokens
        found = self._patterns()
        if close:
            tokens.expect(close, "after the fields")
        return found

    def _patterns(self) -> list[Var | IntExpr | None]:
        """`x, y`, `x(y, z)` or `(x, y)`: parentheses mean nothing."""
        tokens = self.tokens
        if self.nested > NESTING_LIMIT:
            raise tokens.fail("patterns are nested too deep")
        found: list[Var | IntExpr | None] = []
        while True:
            opens = tokens.next == "("
            if not opens:
                found.extend(self._pattern())
                opens = expressions_follow(tokens)
            if opens:
                tokens.at += 1
                self.nested += 1
                found.extend(self._patterns())
                self.nested -= 1
                tokens.expect(")", "after the fields")
            if not tokens.accept(","):
                return found

    def _pattern(self) -> list[Var | IntExpr | None]:
        """One pattern, or those of all fields of a structure."""
        tokens = self.tokens
        if tokens.accept("_"):
            return [None]
        inner = PromelaExpressions(tokens, self.names, self.nested + 1)
        if tokens.next == "eval":
            tokens.at += 1
            tokens.expect("(", "after 'eval'")
            value = inner.number()
            tokens.expect(")", "after the value")
            if isinstance(value, Var):  # alone it would be bound; this one is matched
                value = Binary("+", value, Const(0), span=value.span)
            return [value]
        first = tokens.at
        minus = tokens.accept("-")
        inner.whole = []
        found = inner.operand_alone()
        self.types.update(inner.types)
        if inner.whole and found is inner.whole[0] and not minus:
            if all(isinstance(f, Var) for f in inner.whole):
                return [*inner.whole]
            raise tokens.fail("a structure with channels of its own cannot be received", first)
        if isinstance(found, Truth):
            return [Const(int(found.value), span=found.span)]
        if isinstance(found, Const):
            return [Const(-found.value, span=found.span) if minus else found]
        if isinstance(found, Var) and not minus:
            return [found]
        raise tokens.fail("expected a variable, a constant or 'eval(...)'", first)

    def operand_alone(self) -> Node:
        """A literal or a variable, and no operator behind it."""
        self.alone = True
        return number(self.parse()) if self.tokens.kind() != NAME else self.parse().node

    def poll(self, channel: IntExpr, index: int) -> Node:
        """`c?[...]`, the channel just read: whether that receive could be executed."""
        tokens = self.tokens
        if self.nested > NESTING_LIMIT:
            raise tokens.fail("polls are nested too deep", index)
        test = "anywhere" if tokens.next == "??" else "first"
        tokens.at += 2
        found = self.patterns("]")
        patterns = tuple(None if isinstance(p, Var) else p for p in found)
        return ChannelTest(test, channel, patterns, span=tokens.span(index, tokens.at - 1))

    def _remote(self, name: str, pid: IntExpr | None, index: int) -> Node:
        tokens = self.tokens
        mark = tokens.next
        if mark not in ("@", ":", OTHERWISE):
            raise self.names.unknown(name, tokens.span(index))
        tokens.at += 1
        what = tokens.next
        if tokens.kind() != NAME:
            raise tokens.expected("a label" if mark == "@" else "a variable of that process")
        tokens.at += 1
        span = tokens.span(index, tokens.at - 1)
        if mark == "@":
            return RemoteLabel(name, pid, what, span=span)
        cell = None
        if tokens.accept("["):
            first = tokens.at
            cell = constant(PromelaExpressions(tokens, self.names, self.nested + 1).number())
            if cell is None:
                raise tokens.fail(
                    "the index into an array of another process must be a constant", first
                )
            tokens.expect("]", "after the index")
        return RemoteVariable(name, pid, what, cell, span=span)


def expressions_follow(tokens: Tokens) -> bool:
    """Whether a list in parentheses follows on the same line; on a new one it is a statement."""
    return tokens.next == "(" and tokens.span(tokens.at - 1).line == tokens.span().line


class _Path:
    """`a[i].b[j]`, read step by step; what it leads to is one cell."""

    def __init__(self, parser: PromelaExpressions, symbol: Symbol, index: int) -> None:
        self.parser = parser
        self.symbol = symbol
        self.index = index
        self.full = symbol.full
        self.type: Scalar | Structure = symbol.type
        self.size = symbol.size
        self.indices: list[tuple[IntExpr, int]] = []

    def step(self) -> Node | Open:
        """The index here, or where there is none, what follows."""
        tokens = self.parser.tokens
        if tokens.next != "[":
            if self.size is not None:
                self.indices.append((Const(0, span=tokens.span(self.index)), self.size))
            return self._behind()
        if self.size is None:
            raise tokens.fail(f"'{self.full}' is not an array", self.index)
        size = self.size
        tokens.at += 1

        def finish(contents: Sequence[Operand]) -> Node | Open:
            self.indices.append((number(contents[0]), size))
            return self._behind()

        return Open("]", finish)

    def _behind(self) -> Node | Open:
        """A field, or the end."""
        tokens = self.parser.tokens
        if tokens.next == "." and isinstance(self.type, Structure):
            name = tokens.peek()
            for f in self.type.fields:
                if f.name == name:
                    tokens.at += 2
                    self.full, self.type, self.size = f"{self.full}.{name}", f.type, f.size
                    return self.step()
            raise tokens.fail(f"'{self.type.name}' has no field '{name}'", tokens.at + 1)
        cell = self._cell(tokens.span(self.index, tokens.at - 1))
        if tokens.next in ("?", "??") and tokens.peek() == "[":
            return self.parser.poll(cell, self.index)
        return cell

    def _cell(self, span: Span) -> IntExpr:
        if isinstance(self.type, Structure):
            return self._whole(span)
        return self._leaf(self.full, self.type, self.indices, span)

    def _leaf(
        self, full: str, type_: Scalar, indices: Sequence[tuple[IntExpr, int]], span: Span
    ) -> IntExpr:
        """One cell: a variable, or a channel that is a constant."""
        index = flat_index(list(indices), span)
        numbers = self.symbol.constants.get(full)
        if numbers is None:
            self.parser.types[full] = type_
            return Var(full, index, span=span)
        if index is None:
            return Const(numbers.start, span=span)
        value = constant(index)
        if value is not None:
            index = Const(value, span=span)
        return channel_of(index, numbers.start, len(numbers), span)

    def _whole(self, span: Span) -> IntExpr:
        """A structure in a message stands for its fields; the first one is a mark for them."""
        if self.parser.whole is None:
            raise error("a whole structure cannot be used here", span)
        assert isinstance(self.type, Structure)
        cells = cells_of(self.full, self.type, self.indices)
        found = [self._leaf(full, type_, indices, span) for full, type_, indices in cells]
        self.parser.whole = found
        return found[0]


# --- constants ------------------------------------------------------------------------------------


def constant(expr: Node) -> int | None:
    """The value of an expression without variables; None when it has some or is undefined."""

    def visit(node: Node, below: list[int | None]) -> int | None:
        if any(b is None for b in below):
            return None
        values = cast("list[int]", below)
        match node:
            case Const(value=value):
                return value
            case Truth(value=value):
                return int(value)
            case Unary(op="-"):
                return apply_binary("-", 0, values[0])
            case Unary():
                return ~values[0]
            case Binary(op=op):
                return apply_binary(op, values[0], values[1])
            case Compare(op=op):
                return int(_COMPARE[op](values[0], values[1]))
            case AsInt():
                return values[0]
            case Not():
                return int(not values[0])
            case And():
                return int(all(values))
            case Or():
                return int(any(values))
        return None

    return fold(expr, visit)


_COMPARE = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


class _NoNames:
    """In `#if`, a name that is no macro is 0."""

    pid: int | None = None

    def symbol(self, name: str) -> Symbol | None:
        """There are none."""
        return None

    def message(self, name: str) -> int | None:
        """Zero, as in C."""
        return 0

    def unknown(self, name: str, span: Span) -> Exception:
        """Never asked."""
        return error(f"'{name}' is not declared", span)

    def last(self) -> IntExpr:
        """Zero, as every name."""
        return Const(0)

    def started(self, span: Span) -> IntExpr:
        """Nothing is run here."""
        raise error("'run' cannot be used here", span)


def constant_of(tokens: Tokens, span: Span) -> int:
    """The value of the expression behind `#if`, which is all of the tokens."""
    if not tokens.texts[0]:
        raise error("expected a condition after '#if'", span)
    value = constant(PromelaExpressions(tokens, _NoNames()).number())
    if value is None or tokens.next:
        raise error("the condition of '#if' must be a constant expression", span)
    return value


def mark_conditionals(tokens: Tokens) -> None:
    """Tell the `->` and `:` of conditional expressions from those between statements."""
    open_: list[tuple[str, bool]] = []
    for index, text in enumerate(tokens.texts):
        if text in ("(", "[", "{"):
            open_.append((text, False))
        elif text in (")", "]", "}"):
            if open_:
                open_.pop()
        elif open_ and open_[-1][0] == "(":
            if text == "->":
                tokens.texts[index] = THEN
                open_[-1] = ("(", True)
            elif text == ":" and open_[-1][1]:
                tokens.texts[index] = OTHERWISE
