"""The expressions of NuSMV's language as trees, as they are written: no name has a meaning yet.

One grammar serves constraints, assignments and temporal formulas, as in NuSMV's own parser. From
loose to tight: `->` (to the right), `<->`, `? :`, `| xor xnor`, `&`, the binary operators of LTL,
the unary operators of LTL and CTL, comparisons, `in`, `union`, `..`, shifts, `+ -`, `* / mod`,
`::`, and `!` and `-` before an operand: `!a = b` compares `!a`, but `! G a` negates all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.lexer import NAME, NUMBER, Lexicon, Tokens
from plait.lang.pratt import GROUP, Build, ExpressionParser, Infix, Open, Operand, Prefix
from plait.model.node import Node
from plait.records import dataclass

LEXICON = Lexicon(
    punctuation=(
        *(":=", "<->", "->", "..", "::", "<<", ">>", "<=", ">=", "!=", "==", "&&", "||"),
        *"{}()[];,:.=<>+-*/&|!?",
    ),
    line_comments=("--",),
    block_comments=False,
    quotes="",
    word=r"[A-Za-z_][A-Za-z0-9_$#-]*+",
    sized_numbers=True,
)
SECTIONS = frozenset(
    (
        *("MODULE", "VAR", "IVAR", "FROZENVAR", "FUN", "DEFINE", "MDEFINE", "CONSTANTS", "ASSIGN"),
        *("INIT", "TRANS", "INVAR", "ISA", "FAIRNESS", "JUSTICE", "COMPASSION", "SPEC", "CTLSPEC"),
        *("LTLSPEC", "PSLSPEC", "INVARSPEC", "COMPUTE", "PRED", "MIRROR", "PARSYNTH"),
    )
)
"""The words that begin a section of a module."""
UNARY_CTL = ("EX", "AX", "EF", "AF", "EG", "AG")
UNARY_LTL = ("X", "F", "G")
UNARY_PAST = ("Y", "Z", "H", "O")
BINARY_LTL = ("U", "V")
BINARY_PAST = ("S", "T")
BOUNDED_CTL = ("EBF", "ABF", "EBG", "ABG")
FUNCTIONS = frozenset(
    (
        *("next", "bool", "toint", "count", "abs", "max", "min", "word1", "signed", "unsigned"),
        *("extend", "resize", "sizeof", "swconst", "uwconst"),
    )
)
"""What is applied to arguments in parentheses."""
KEYWORDS = frozenset(
    {
        *SECTIONS,
        *FUNCTIONS,
        *UNARY_CTL,
        *UNARY_LTL,
        *UNARY_PAST,
        *BINARY_LTL,
        *BINARY_PAST,
        *BOUNDED_CTL,
        *("A", "E", "BU", "TRUE", "FALSE", "array", "of", "boolean", "integer", "real", "word"),
        *("Word", "process", "init", "self", "case", "esac", "mod", "union", "in", "xor", "xnor"),
        *("NAME", "IN", "MIN", "MAX", "READ", "WRITE", "CONSTARRAY", "typeof"),
    }
)

IMPLIES, IFF, CHOICE, OR, AND, TEMPORAL_BINARY, TEMPORAL = range(10, 80, 10)
COMPARE, IN, UNION, RANGE, SHIFT, SUM, PRODUCT, CONCAT, SIGN = range(80, 170, 10)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Expression(Node):
    """What stands in the text."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Word(Expression):
    """A name, also `self`."""

    text: str

    def key(self) -> object:
        return self.text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number(Expression):
    """A decimal number, or with `bits` a word of so many."""

    value: int
    bits: int = 0
    signed: bool = False

    def key(self) -> object:
        return (self.value, self.bits, self.signed)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Boolean(Expression):
    """`TRUE` or `FALSE`."""

    value: bool

    def key(self) -> object:
        return self.value


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Member(Expression):
    """`base.name`; after a dot may stand a number."""

    base: Expression
    name: str

    def key(self) -> object:
        return self.name

    def children(self) -> tuple[Node, ...]:
        return (self.base,)

    def with_children(self, children: Sequence[Node]) -> Member:
        return Member(cast(Expression, children[0]), self.name, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Apply(Expression):
    """An operator, function or bracket with its operands.

    `case` has conditions and values in turns, `{}` the members of a set, `[]` an array and an
    index, `[:]` a word and two bits, `AU` and `EU` the two sides of an until in brackets.
    """

    operator: str
    operands: tuple[Expression, ...]

    def key(self) -> object:
        return self.operator

    def children(self) -> tuple[Node, ...]:
        return self.operands

    def with_children(self, children: Sequence[Node]) -> Apply:
        return Apply(self.operator, tuple(cast(Expression, c) for c in children), span=self.span)


def _build(operator: str) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return Apply(operator, tuple(cast(Expression, o.node) for o in operands), span=span)

    return build


def _left(power: int, *operators: str) -> dict[str, Infix]:
    return {o: Infix(power, _build(o)) for o in operators}


_TERNARY = Infix(CHOICE, _build("?:"), right=True)
_MIDDLE = Open(":", lambda contents: contents[0])
Finish = Callable[[Sequence[Operand]], Node | Open]


class SmvExpressions(ExpressionParser):
    """Expressions of a text."""

    prefix: Mapping[str, Prefix] = {
        "!": Prefix(SIGN, _build("!")),
        "-": Prefix(SIGN, _build("neg")),
        "+": Prefix(SIGN, lambda operands, _span: operands[0].node),
        **{o: Prefix(TEMPORAL, _build(o)) for o in (*UNARY_CTL, *UNARY_LTL, *UNARY_PAST)},
    }
    infix: Mapping[str, Infix] = {
        "->": Infix(IMPLIES, _build("->"), right=True),
        "<->": Infix(IFF, _build("<->")),
        "?": _TERNARY,
        "|": Infix(OR, _build("|"), chain=True),
        "||": Infix(OR, _build("|"), chain=True),
        **_left(OR, "xor", "xnor"),
        "&": Infix(AND, _build("&"), chain=True),
        "&&": Infix(AND, _build("&"), chain=True),
        **{o: Infix(TEMPORAL_BINARY, _build(o), path=True) for o in (*BINARY_LTL, *BINARY_PAST)},
        **_left(COMPARE, "=", "!=", "<", "<=", ">", ">="),
        "==": Infix(COMPARE, _build("=")),
        **_left(IN, "in"),
        **_left(UNION, "union"),
        **_left(RANGE, ".."),
        **_left(SHIFT, "<<", ">>"),
        **_left(SUM, "+", "-"),
        **_left(PRODUCT, "*", "/", "mod"),
        **_left(CONCAT, "::"),
    }

    def expression(self) -> Expression:
        """The expression at the cursor."""
        return cast(Expression, self.parse().node)

    # --- operands ---------------------------------------------------------------------------------

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A constant, a name with what hangs on it, a set, a `case`, a function, an until."""
        tokens = self.tokens
        text, kind = tokens.texts[index], tokens.kinds[index]
        if kind == NUMBER:
            tokens.at += 1
            found = number(tokens, index)
            return self._hanging(found, index) if tokens.next == "[" else found
        if text == "{":
            tokens.at += 1
            return Open("}", self._closed("{}", index), separator=",")
        if kind != NAME:
            raise tokens.expected("an expression")
        if text in ("TRUE", "FALSE"):
            tokens.at += 1
            return Boolean(text == "TRUE", span=tokens.span(index))
        if text == "case":
            tokens.at += 1
            return self._case(index, ())
        if text in ("A", "E") and tokens.texts[index + 1] == "[":
            tokens.at += 2
            return Open("]", self._until(text, index), loose=True)
        if text in FUNCTIONS and tokens.texts[index + 1] == "(":
            tokens.at += 2
            return Open(")", self._closed(text, index), separator=",")
        if text in BOUNDED_CTL or (text in ("A", "E", "MIN", "MAX")):
            raise tokens.fail(f"the operator '{text}' is not supported here")
        if text in KEYWORDS and text != "self":
            raise tokens.expected("an expression")
        tokens.at += 1
        return self._hanging(Word(text, span=tokens.span(index)), index)

    def _closed(self, operator: str, index: int) -> Finish:
        def finish(contents: Sequence[Operand]) -> Node | Open:
            span = self.tokens.span(index, self.tokens.at - 1)
            made = cast(Expression, _build(operator)(contents, span))
            return self._hanging(made, index) if self.tokens.next == "[" else made

        return finish

    def _case(self, index: int, done: tuple[Expression, ...]) -> Open:
        """`condition : value;` again and again, to `esac`."""
        tokens = self.tokens

        def valued(condition: Expression) -> Open:
            def finish(contents: Sequence[Operand]) -> Node | Open:
                found = (*done, condition, cast(Expression, contents[0].node))
                if tokens.accept("esac"):
                    return Apply("case", found, span=tokens.span(index, tokens.at - 1))
                return self._case(index, found)

            return Open(";", finish)

        return Open(":", lambda contents: valued(cast(Expression, contents[0].node)))

    def _until(self, quantifier: str, index: int) -> Finish:
        def finish(contents: Sequence[Operand]) -> Node:
            tokens = self.tokens
            inner = contents[0].node
            if not isinstance(inner, Apply) or inner.operator != "U" or contents[0].grouped:
                raise error(f"expected 'f U g' in the brackets after '{quantifier}'", inner.span)
            span = tokens.span(index, tokens.at - 1)
            return Apply(f"{quantifier}U", inner.operands, span=span)

        return finish

    def _hanging(self, base: Expression, index: int) -> Node | Open:
        """What follows a name or a value: members behind dots, an index or bits in brackets."""
        tokens = self.tokens
        while tokens.next == "." and tokens.kind(1) in (NAME, NUMBER):
            tokens.at += 2
            base = Member(base, tokens.texts[tokens.at - 1], span=tokens.span(index, tokens.at - 1))
        if not tokens.accept("["):
            return base

        def finish(contents: Sequence[Operand]) -> Node | Open:
            operands = (base, *(cast(Expression, c.node) for c in contents))
            operator = "[]" if len(operands) == 2 else "[:]"
            span = tokens.span(index, tokens.at - 1)
            return self._hanging(Apply(operator, operands, span=span), index)

        return Open("]", finish, separator=":")

    # --- c ? a : b --------------------------------------------------------------------------------

    def _push(self, infix: Infix, token: int) -> None:
        super()._push(infix, token)
        if infix is _TERNARY:
            # What stands between the marks is in a bracket of its own; then the operator waits for
            # its third operand.
            self._operators[-1].count = 2
            self._open(_MIDDLE, token)

    def _close(self, frame: Any) -> bool:
        if super()._close(frame) or frame.open is _MIDDLE:
            return True
        if frame.open is not GROUP or self.tokens.next != "[":
            return False
        return self._select(frame.first)

    # --- bits of an expression in parentheses -----------------------------------------------------

    def _select(self, first: int) -> bool:
        """Read the bracket behind a parenthesis, whose value is on the stack."""
        base = cast(Expression, self._operands.pop().node)
        return self._open(cast(Open, self._hanging(base, first)), first)


def number(tokens: Tokens, index: int) -> Number:
    """The number at a token: decimal, or a word such as `0ud8_255`."""
    text, span = tokens.texts[index], tokens.span(index)
    if text.isdecimal():
        return Number(tokens.number(index), span=span)
    wrong = error(f"'{text[:40]}' is neither a number nor a word constant", span)
    rest = text[1:]
    if text[0] != "0":
        raise wrong
    signed = rest[:1] == "s"
    rest = rest[1:] if rest[:1] in ("s", "u") else rest
    base = {"b": 2, "o": 8, "d": 10, "h": 16}.get(rest[:1].lower())
    size, bar, digits = rest[1:].partition("_")
    digits = digits.replace("_", "")
    if base is None or not bar or not digits or (size and not size.isdecimal()):
        raise wrong
    if len(digits) > 64 or len(size) > 3:
        raise error("words have at most 31 bits here", span)
    if not size and base == 10:
        raise error("a decimal word constant needs its width, as in 0ud8_255", span)
    try:
        value = int(digits, base)
    except ValueError:
        raise wrong from None
    bits = int(size) if size else len(digits) * {2: 1, 8: 3, 16: 4}[base]
    if not value < 2**bits:
        raise error(f"{value} does not fit in a word of {bits} bits", span)
    if signed and value >= 2 ** (bits - 1):
        value -= 2**bits
    return Number(value, bits, signed, span=span)
