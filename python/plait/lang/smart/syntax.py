"""The statements and expressions of SMART's language, and how they are read.

Blocks nest on a list, and expressions are read by operator precedence, so the depth of a program is
limited by memory only. `:` builds aggregates, `..` ranges inside the braces of a set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from plait.errors import Span
from plait.lang.lexer import END, NAME, NUMBER, STRING, Lexicon, Tokens
from plait.lang.pratt import ExpressionParser, Infix, Open, Operand, Prefix
from plait.model.node import Node
from plait.records import dataclass, field
from plait.records import dataclass as record

LEXICON = Lexicon(
    punctuation=(
        *(":=", "..", "==", "!=", "<=", ">=", "->"),
        *"{}()[];,:.<>+-*/%&|!#\\",
    ),
    quotes='"',
    reals=True,
)
NATURES = ("const", "ph", "rand")
NETS = ("spn", "pn")
"""What nets are called: `pn` in version 3."""
FORMALISMS = (*NETS, "ctmc", "dtmc")
TYPES = ("bool", "int", "bigint", "real", "string", "stateset", "void", "model", *FORMALISMS)
PARTS = ("place", "trans")
LONGEST_NUMBER = 4000
"""The most digits of a number in a text."""


# --- expressions ----------------------------------------------------------------------------------


@record(frozen=True, slots=True, eq=False, repr=False)
class Literal(Node):
    """A number, a truth value or a string."""

    value: bool | int | float | str


@record(frozen=True, slots=True, eq=False, repr=False)
class Apply(Node):
    """A name with arguments (none where it has no parentheses) and indices."""

    name: str
    arguments: tuple[Node, ...] | None = None
    indices: tuple[Node, ...] = ()


@record(frozen=True, slots=True, eq=False, repr=False)
class Member(Node):
    """`model.measure`."""

    model: Node
    name: str


@record(frozen=True, slots=True, eq=False, repr=False)
class Operator(Node):
    """An operator, `..` and `:` among them, with its operands."""

    sign: str
    operands: tuple[Node, ...]


@record(frozen=True, slots=True, eq=False, repr=False)
class SetOf(Node):
    """`{...}`."""

    elements: tuple[Node, ...]


def _operator(sign: str, power: int, *, chain: bool = False) -> Infix:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return Operator(sign, tuple(o.node for o in operands), span=span)

    return Infix(power, build, chain=chain)


def _prefix(sign: str) -> Prefix:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return Operator(sign, (operands[0].node,), span=span)

    return Prefix(14, build)


class SmartExpressions(ExpressionParser):
    """Expressions at the cursor."""

    prefix: Mapping[str, Prefix] = {"-": _prefix("negate"), "!": _prefix("!")}
    infix: Mapping[str, Infix] = {
        ":": _operator(":", 2, chain=True),
        "..": _operator("..", 3, chain=True),
        **{sign: _operator(sign, 4) for sign in ("->", "\\")},
        "|": _operator("|", 5),
        "&": _operator("&", 6),
        **{sign: _operator(sign, 8) for sign in ("==", "!=", "<", "<=", ">", ">=")},
        **{sign: _operator(sign, 10) for sign in ("+", "-")},
        "%": _operator("%", 11),
        **{sign: _operator(sign, 12) for sign in ("*", "/")},
    }

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, a set, or a name with what follows it."""
        tokens = self.tokens
        kind, text = tokens.kinds[index], tokens.texts[index]
        span = tokens.span(index)
        if kind == NUMBER:
            if len(text) > LONGEST_NUMBER:
                raise tokens.fail("a number with too many digits", index)
            tokens.at += 1
            return Literal(int(text) if text.isdecimal() else float(text), span=span)
        if kind == STRING:
            tokens.at += 1
            return Literal(_unescaped(text[1:-1]), span=span)
        if text == "{":
            tokens.at += 1
            return Open("}", lambda parts: SetOf(_nodes(parts), span=span), separator=",")
        if kind != NAME:
            raise tokens.expected("an expression")
        tokens.at += 1
        if text in ("true", "false"):
            return Literal(text == "true", span=span)
        return self._after(Apply(text, span=span))

    def _after(self, node: Apply | Member) -> Node | Open:
        """Arguments, indices and a member behind a name."""
        tokens = self.tokens
        if isinstance(node, Apply):
            name, indices, span = node.name, node.indices, node.span
            if tokens.next == "(" and node.arguments is None and not indices:
                tokens.at += 1
                return Open(
                    ")",
                    lambda parts: self._after(Apply(name, _nodes(parts), span=span)),
                    separator=",",
                    may_be_empty=True,
                )
            if tokens.next == "[":
                tokens.at += 1
                given = node.arguments
                return Open(
                    "]",
                    lambda parts: self._after(
                        Apply(name, given, (*indices, parts[0].node), span=span)
                    ),
                )
        if tokens.next == "." and tokens.kind(1) == NAME:
            tokens.at += 2
            return self._after(Member(node, tokens.texts[tokens.at - 1], span=node.span))
        return node


def _nodes(parts: Sequence[Operand]) -> tuple[Node, ...]:
    return tuple(part.node for part in parts)


def _unescaped(text: str) -> str:
    known = {"n": "\n", "t": "\t", "f": ""}  # \f says that what is printed is shown now
    return re.sub(r"\\(.)", lambda m: known.get(m[1], m[1]), text)


# --- statements -----------------------------------------------------------------------------------


@dataclass
class Statement:
    """Base of all statements."""

    span: Span


@dataclass
class SetOption(Statement):
    """`# Name value`."""

    name: str
    value: str


@dataclass
class ForLoop(Statement):
    """`for (int i in {1..n}, ...) { ... }`."""

    iterators: list[tuple[str, str, Node]]
    body: list[Statement] = field(default_factory=list)


@dataclass
class Converge(Statement):
    """`converge { ... }`."""

    body: list[Statement] = field(default_factory=list)


@dataclass
class Guess(Statement):
    """`real x guess 1.0;`, inside `converge`."""

    type: str
    name: str
    value: Node


@dataclass
class Define(Statement):
    """`nature type name(formals)[indices] := value;`, or with a block in the place of the value."""

    nature: str
    type: str
    name: str
    formals: list[tuple[str, str]] | None
    indices: tuple[Node, ...]
    value: Node | None = None
    body: list[Statement] = field(default_factory=list)


@dataclass
class Declare(Statement):
    """`place p, q[i];`."""

    kind: str
    parts: list[Apply]


@dataclass
class Do(Statement):
    """An expression that does something."""

    value: Node


Block = ForLoop | Converge | Define


def read(tokens: Tokens) -> list[Statement]:
    """The statements of a whole text."""
    return _Reader(tokens).read()


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._expressions = SmartExpressions(tokens)
        self._program: list[Statement] = []
        self._blocks: list[tuple[Block, int]] = []

    def read(self) -> list[Statement]:
        tokens = self._tokens
        while tokens.kind() != END:
            if tokens.accept(";"):
                continue
            if tokens.next == "}" and self._blocks:
                tokens.at += 1
                self._blocks.pop()
                continue
            self._statement()
        if self._blocks:
            raise tokens.fail("this block is not closed", self._blocks[-1][1])
        return self._program

    def _add(self, statement: Statement) -> None:
        (self._blocks[-1][0].body if self._blocks else self._program).append(statement)

    def _enter(self, block: Block) -> None:
        self._add(block)
        opening = self._tokens.expect("{", "before the block")
        self._blocks.append((block, opening))

    def _statement(self) -> None:
        tokens = self._tokens
        span = tokens.span()
        text = tokens.next
        if text == "#":
            self._option(span)
        elif text == "for":
            tokens.at += 1
            self._enter(ForLoop(span, self._iterators()))
        elif text == "converge":
            tokens.at += 1
            self._enter(Converge(span))
        elif text in PARTS:
            tokens.at += 1
            parts = [self._part()]
            while tokens.accept(","):
                parts.append(self._part())
            self._end()
            self._add(Declare(span, text, parts))
        elif text in TYPES or text in NATURES:
            self._definition(span)
        else:
            self._add(Do(span, self._expression()))
            self._end()

    def _end(self) -> None:
        self._tokens.expect(";", "after the statement")

    def _expression(self) -> Node:
        return self._expressions.parse().node

    def _word(self, what: str) -> str:
        if self._tokens.kind() != NAME:
            raise self._tokens.expected(what)
        self._tokens.at += 1
        return self._tokens.texts[self._tokens.at - 1]

    def _option(self, span: Span) -> None:
        """The rest of the line is the value."""
        tokens = self._tokens
        tokens.at += 1
        name = self._word("the name of an option")
        line = span.line
        first = tokens.starts[tokens.at - 1] + len(name)
        end = tokens.text.find("\n", first)
        value = tokens.text[first : end if end >= 0 else len(tokens.text)].strip()
        while tokens.kind() != END and tokens.span().line == line:
            tokens.at += 1
        if value.endswith("{"):  # options of the option, which are about numbers
            while tokens.kind() != END and tokens.next != "}":
                tokens.at += 1
            tokens.expect("}", "behind the options")
        self._add(SetOption(span, name, value))

    def _iterators(self) -> list[tuple[str, str, Node]]:
        tokens = self._tokens
        tokens.expect("(", "after 'for'")
        found: list[tuple[str, str, Node]] = []
        while True:
            type_ = self._type()
            name = self._word("the name of the iterator")
            tokens.expect("in", "after the iterator")
            found.append((type_, name, self._expression()))
            if not tokens.accept(","):
                break
        tokens.expect(")", "after the iterators")
        return found

    def _type(self) -> str:
        if self._tokens.next not in TYPES:
            raise self._tokens.expected("a type")
        self._tokens.at += 1
        return self._tokens.texts[self._tokens.at - 1]

    def _part(self) -> Apply:
        """The name of a place or transition, with indices."""
        tokens = self._tokens
        span = tokens.span()
        name = self._word("a name")
        indices: list[Node] = []
        while tokens.accept("["):
            indices.append(self._expression())
            tokens.expect("]", "after the index")
        return Apply(name, None, tuple(indices), span=span)

    def _definition(self, span: Span) -> None:
        tokens = self._tokens
        nature = "const"
        if tokens.next in NATURES:
            nature = tokens.next
            tokens.at += 1
        type_ = self._type()
        name = self._word("a name")
        if tokens.accept("guess"):
            self._add(Guess(span, type_, name, self._expression()))
            self._end()
            return
        formals: list[tuple[str, str]] | None = None
        if tokens.accept("("):
            formals = []
            while not tokens.accept(")"):
                if formals:
                    tokens.expect(",", "or ')'")
                if tokens.next in NATURES:
                    tokens.at += 1
                formals.append((self._type(), self._word("a parameter")))
        indices: list[Node] = []
        while tokens.accept("["):
            indices.append(self._expression())
            tokens.expect("]", "after the index")
        tokens.expect(":=", "in a definition")
        defined = Define(span, nature, type_, name, formals, tuple(indices))
        if type_ in FORMALISMS or (type_ == "void" and tokens.next == "{"):
            self._enter(defined)
            return
        defined.value = self._expression()
        self._end()
        self._add(defined)


__all__ = [
    "FORMALISMS",
    "LEXICON",
    "NETS",
    "Apply",
    "Converge",
    "Declare",
    "Define",
    "Do",
    "ForLoop",
    "Guess",
    "Literal",
    "Member",
    "Operator",
    "SetOf",
    "SetOption",
    "Statement",
    "read",
]
