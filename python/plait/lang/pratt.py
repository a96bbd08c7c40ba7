"""Operator-precedence parsing without recursion, driven by tables.

A language gives its operators with their binding powers (`Prefix`, `Infix`) and, by overriding
`ExpressionParser.operand`, its operands. The parser keeps two explicit stacks, of operators and of
operands, and a third one of open brackets; so the depth of an expression is limited by memory only,
and the work is linear in the number of tokens.

Brackets inside operands (`a[i]`, `f(x, y)`) do not recurse either: `operand` returns an `Open`,
which says how the bracket closes and what to make of its contents.

Binding powers grow from loose to tight. `chain` operators collect `a && b && c` into one node with
three operands. A `quantifier` is a prefix operator that governs everything to its right up to the
end of its bracket, and that changes the power of the first `path` operator it meets to the loosest
of all: `A p && q U r` is `A ((p && q) U r)`, though `p && q U r` is `p && (q U r)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

from plait.errors import Span
from plait.lang.lexer import END, Tokens
from plait.model.node import Node
from plait.records import dataclass

LOOSEST = 1
"""The power of a path operator under a quantifier; all powers in tables are greater."""


@dataclass(slots=True)
class Operand:
    """A finished operand: its node, whether it stood in parentheses, its first and last token."""

    node: Node
    grouped: bool
    first: int
    last: int


Build = Callable[[Sequence[Operand], Span], Node]


@dataclass(frozen=True, slots=True)
class Prefix:
    """A prefix operator; `power` is what its operand must bind with at least."""

    power: int
    build: Build
    quantifier: bool = False


@dataclass(frozen=True, slots=True)
class Infix:
    """An infix operator."""

    power: int
    build: Build
    right: bool = False
    chain: bool = False
    path: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """An opened bracket: `finish` gets its contents and gives a node, or opens the next bracket."""

    close: str
    finish: Callable[[Sequence[Operand]], Node | Operand | Open]
    separator: str | None = None
    may_be_empty: bool = False
    loose: bool = False
    """Path operators directly inside have the loosest power."""


def _inside(contents: Sequence[Operand]) -> Node:
    return contents[0].node


GROUP = Open(")", _inside)
QUANTIFIED_GROUP = Open(")", _inside, loose=True)


@dataclass(slots=True)
class _Pending:
    """An operator on the stack; `count` operators of one chain share an entry."""

    operator: Prefix | Infix
    power: int
    token: int
    count: int = 1


@dataclass(slots=True)
class Frame:
    """An open bracket: where its operators start, its first token, the items read so far."""

    open: Open
    base: int
    first: int
    items: list[Operand]


class ExpressionParser(ABC):
    """Reads one expression from the cursor of `tokens`; subclass it for a language."""

    prefix: Mapping[str, Prefix] = {}
    infix: Mapping[str, Infix] = {}
    alone = False
    """One operand is read, and no infix operator but those inside its brackets."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._operators: list[_Pending] = []
        self._operands: list[Operand] = []
        self._frames: list[Frame] = []
        self._quantifiers: list[int] = []

    # --- what a language provides -----------------------------------------------------------------

    def prefix_at(self, index: int, found: Prefix) -> tuple[Prefix, int] | None:
        """The operator at a token that is listed as `found`, and how many tokens it takes."""
        return found, 1

    @abstractmethod
    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """The operand at a token; moves the cursor behind it. `after` is the prefix before it.

        An `Operand` instead of a node says whether it counts as parenthesised.
        """

    def satisfies_quantifier(self, node: Node) -> bool:
        """Whether a parenthesised operand is all that a quantifier right before it governs."""
        return False

    def unclosed(self, frame: Frame) -> Exception:
        """The error that a bracket does not close here."""
        tokens = self.tokens
        what = f"an operator or '{frame.open.close}'"
        if tokens.kinds[tokens.at] == END:
            return tokens.fail(
                f"expected {what}, found {tokens.describe(tokens.at)}",
                hint=f"the bracket opened at line {tokens.span(frame.first).line} is not closed",
            )
        compares = tokens.next == "=" and "==" in self.infix
        return tokens.expected(what, "'==' compares" if compares else None)

    # --- the machine ------------------------------------------------------------------------------

    def parse(self) -> Operand:
        """The longest expression at the cursor, which ends up behind it."""
        operators, operands, frames = self._operators, self._operands, self._frames
        operators.clear()
        operands.clear()
        frames.clear()
        self._quantifiers.clear()
        while True:
            self._read_operand()
            if not self._read_operator():
                return operands.pop()

    def _read_operand(self) -> None:
        """Prefix operators and opening brackets, then one operand."""
        tokens = self.tokens
        texts, prefix = tokens.texts, self.prefix
        after = ""
        while True:
            index = tokens.at
            text = texts[index]
            if text in prefix:
                found = self.prefix_at(index, prefix[text])
                if found is not None:
                    operator, width = found
                    if operator.quantifier:
                        self._quantifiers.append(len(self._operators))
                    self._operators.append(_Pending(operator, operator.power, index))
                    after = text
                    tokens.at += width
                    continue
            if text == "(":
                tokens.at += 1
                self._frames.append(Frame(self._group(index), len(self._operators), index, []))
                after = ""
                continue
            result = self.operand(index, after)
            if isinstance(result, Open):
                if self._open(result, index):
                    after = ""
                    continue
                return
            self._complete(result, False, index)
            return

    def _group(self, index: int) -> Open:
        """The parenthesis at a token; right after a quantifier it is a path formula's place."""
        operators = self._operators
        if operators and operators[-1].token == index - 1:
            operator = operators[-1].operator
            if isinstance(operator, Prefix) and operator.quantifier:
                return QUANTIFIED_GROUP
        return GROUP

    def _open(self, result: Open, first: int) -> bool:
        """Enter a bracket of an operand; False when it was empty and the operand is complete."""
        tokens = self.tokens
        while result.may_be_empty and tokens.next == result.close:
            tokens.at += 1
            inner = result.finish([])
            if not isinstance(inner, Open):
                self._complete(inner, False, first)
                return False
            result = inner
        self._frames.append(Frame(result, len(self._operators), first, []))
        return True

    def _read_operator(self) -> bool:
        """Closing brackets, then one infix operator or separator; False at the end."""
        tokens, frames = self.tokens, self._frames
        texts = tokens.texts
        while True:
            text = texts[tokens.at]
            frame = frames[-1] if frames else None
            infix = None if self.alone and frame is None else self.infix.get(text)
            if frame is not None and text == frame.open.separator:
                self._reduce(frame.base, 0)
                frame.items.append(self._operands.pop())
                tokens.at += 1
                return True
            if infix is not None:
                self._push(infix, tokens.at)
                tokens.at += 1
                return True
            if frame is None:
                self._reduce(0, 0)
                return False
            if text != frame.open.close:
                raise self.unclosed(frame)
            if self._close(frame):
                return True

    def _push(self, infix: Infix, token: int) -> None:
        """Put an infix operator on the stack after everything that binds tighter."""
        base = self._frames[-1].base if self._frames else 0
        power = infix.power
        if infix.path:
            quantified = bool(self._quantifiers) and self._quantifiers[-1] >= base
            if quantified or (self._frames and self._frames[-1].open.loose):
                power = LOOSEST
            if quantified:
                base = self._quantifiers.pop() + 1
        operators = self._operators
        least = power + 1 if infix.right else power
        if len(operators) > base and operators[-1].power >= least:
            self._reduce(base, least, infix if infix.chain else None)
        top = operators[-1] if len(operators) > base else None
        if infix.chain and top is not None and top.operator is infix:
            top.count += 1
        else:
            operators.append(_Pending(infix, power, token))

    def _reduce(self, base: int, power: int, chain: Infix | None = None) -> None:
        """Apply the operators above `base` that bind at least with `power`."""
        operators, operands = self._operators, self._operands
        span = self.tokens.span
        while len(operators) > base:
            top = operators[-1]
            if top.power < power or top.operator is chain:
                return
            operators.pop()
            operator = top.operator
            if isinstance(operator, Infix):
                taken = operands[-top.count - 1 :]
                del operands[-top.count - 1 :]
                first = taken[0].first
            else:
                taken = [operands.pop()]
                first = top.token
                if operator.quantifier and self._quantifiers[-1:] == [len(operators)]:
                    self._quantifiers.pop()
            last = taken[-1].last
            node = operator.build(taken, span(first, last))
            operands.append(Operand(node, False, first, last))

    def _close(self, frame: Frame) -> bool:
        """Leave a bracket; True when another one was opened behind it."""
        self._reduce(frame.base, 0)
        frame.items.append(self._operands.pop())
        self._frames.pop()
        self.tokens.at += 1
        result = frame.open.finish(frame.items)
        if isinstance(result, Open):
            return self._open(result, frame.first)
        grouped = frame.open is GROUP or frame.open is QUANTIFIED_GROUP
        self._complete(result, grouped, frame.first)
        if frame.open is QUANTIFIED_GROUP and self.satisfies_quantifier(self._operands[-1].node):
            self._reduce(len(self._operators) - 1, 0)
        return False

    def _complete(self, result: Node | Operand, grouped: bool, first: int) -> None:
        """Put a finished operand on the stack."""
        if not isinstance(result, Operand):
            result = Operand(result, grouped, first, self.tokens.at - 1)
        self._operands.append(result)
