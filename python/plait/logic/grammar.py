"""The grammar of formulas: temporal operators, and references that lead into instances.

Besides GAL's own notation it takes the common ones: `[]` and `<>`, `A[p U q]`, `E(p U q)`,
`A p U q`, `and`, `or`, `not`, `implies`, `/\\`, `\\/`, `=>`, `<=>`, `=` for `==`, and `TRUE`. Words
as `F`, `U` or `A` are operators only where an operator makes sense, so a place may be called `A`;
`^A` always is the name. Values may be compared with their names (`plait.logic.value_names`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.errors import InputError, Span, error
from plait.hints import Protocol
from plait.lang.expressions import (
    COMPARISONS,
    CONJUNCTION,
    DISJUNCTION,
    EQUAL,
    EQUIVALENCE,
    GAL_INFIX,
    GAL_PREFIX,
    IMPLICATION,
    SORTS,
    TRUTH,
    condition,
    integer,
    literal,
)
from plait.lang.lexer import NAME, NUMBER, PARAMETER, STRING, Tokens
from plait.lang.pratt import Build, ExpressionParser, Infix, Open, Operand, Prefix
from plait.logic.formula import (
    PATH,
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from plait.logic.names import Names, Segment
from plait.logic.value_names import ValueName, left_over, with_value_names
from plait.model.arithmetic import INT_MAX
from plait.model.expr import (
    Deadlock,
    Empty,
    Enabled,
    Formula,
    Full,
    Length,
    Not,
    Param,
    Truth,
)
from plait.model.node import Node, nodes
from plait.model.text import NOT, UNTIL

# --- operators ------------------------------------------------------------------------------------


class _MakeUnary(Protocol):
    def __call__(self, operand: Formula, *, span: Span | None) -> Formula: ...


class _MakeBinary(Protocol):
    def __call__(self, left: Formula, right: Formula, *, span: Span | None) -> Formula: ...


def _unary(make: _MakeUnary) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return make(condition(operands[0]), span=span)

    return build


def _binary(make: _MakeBinary) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return make(condition(operands[0]), condition(operands[1]), span=span)

    return build


def _pair(quantifier: _MakeUnary, path: _MakeUnary) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        return quantifier(path(condition(operands[0]), span=span), span=span)

    return build


def _quantify(letter: str, make: _MakeUnary) -> Build:
    def build(operands: Sequence[Operand], span: Span) -> Node:
        path = condition(operands[0])
        if not isinstance(path, PATH):
            message = f"'{letter}' needs a path formula: '{letter}G p', '{letter}[p U q]', ..."
            raise error(message, span)
        return make(path, span=span)

    return build


_QUANTIFIER: Mapping[str, _MakeUnary] = {"A": Forall, "E": Exists}
_PATH_OPERATOR: Mapping[str, _MakeUnary] = {
    "X": Next,
    "F": Finally,
    "G": Globally,
    "<>": Finally,
    "[]": Globally,
}
_PAIRS: Mapping[tuple[str, str], Prefix] = {
    (q, p): Prefix(NOT, _pair(make_q, make_p))
    for q, make_q in _QUANTIFIER.items()
    for p, make_p in _PATH_OPERATOR.items()
}
_LETTERS = [(p, make) for p, make in _PATH_OPERATOR.items() if p.isalpha()]
_PREFIX: Mapping[str, Prefix] = {
    **GAL_PREFIX,
    "not": GAL_PREFIX["!"],
    **{p: Prefix(NOT, _unary(make)) for p, make in _PATH_OPERATOR.items()},
    **{q + p: pair for (q, p), pair in _PAIRS.items() if p.isalpha()},
    # Two that stand together, as in `GF p`, are read by every tool for LTL.
    **{p + q: Prefix(NOT, _pair(one, two)) for p, one in _LETTERS for q, two in _LETTERS},
    **{q: Prefix(0, _quantify(q, make), quantifier=True) for q, make in _QUANTIFIER.items()},
}
_COMPARISONS = (*COMPARISONS, "=")
_INFIX: Mapping[str, Infix] = {
    **GAL_INFIX,
    **{op: with_value_names(GAL_INFIX[op]) for op in COMPARISONS},
    "=": with_value_names(EQUAL),
    "and": CONJUNCTION,
    "/\\": CONJUNCTION,
    "or": DISJUNCTION,
    "\\/": DISJUNCTION,
    "=>": IMPLICATION,
    "implies": IMPLICATION,
    "imply": IMPLICATION,
    "<=>": EQUIVALENCE,
    "U": Infix(UNTIL, _binary(Until), right=True, path=True),
    "W": Infix(UNTIL, _binary(WeakUntil), right=True, path=True),
    "R": Infix(UNTIL, _binary(Release), right=True, path=True),
    "M": Infix(UNTIL, _binary(StrongRelease), right=True, path=True),
}
_INFIX_WORDS = frozenset(w for w in _INFIX if w.isalpha())


# --- operands -------------------------------------------------------------------------------------


_AFTER_A_NUMBER = frozenset(
    (*_COMPARISONS, "+", "-", "*", "/", "%", "**", "<<", ">>", "&", "|", "^", "[", ":", ".")
)
QUEUES = ("len", "empty", "nempty", "full", "nfull")
"""What may be asked of a channel."""


class Formulas(ExpressionParser):
    """The bodies of properties: temporal operators, and references that lead into instances."""

    prefix = _PREFIX
    infix = _INFIX
    wanted = "a formula"
    """What a message says was expected where nothing begins."""

    def __init__(self, tokens: Tokens, names: Names) -> None:
        super().__init__(tokens)
        self.names = names
        self._values: list[ValueName] = []
        """Names that stand for no variable, but that some values have."""

    def parse(self) -> Operand:
        """The longest formula at the cursor; a name of a value stands in a comparison only."""
        try:
            found = super().parse()
        except InputError as wrong:
            for name in self._values:
                if any(d.span == name.span for d in wrong.diagnostics):
                    raise left_over(name) from None
            raise
        if self._values:
            for node in nodes(found.node):
                if isinstance(node, ValueName):
                    raise left_over(node)
        return found

    def prefix_at(self, index: int, found: Prefix) -> tuple[Prefix, int] | None:
        """Words are operators only where the next token lets them be; `A G` is one operator."""
        tokens = self.tokens
        if tokens.kinds[index] != NAME:
            return found, 1
        if not self._is_operator(index):
            return None
        if found.quantifier:
            if tokens.texts[index + 1] == "[":
                return None
            pair = _PAIRS.get((tokens.texts[index], tokens.texts[index + 1]))
            if pair is not None and (
                tokens.kinds[index + 1] != NAME or self._is_operator(index + 1)
            ):
                return pair, 2
        return found, 1

    def _is_operator(self, index: int) -> bool:
        """Whether a word that may be a prefix operator is one: an operand must follow."""
        tokens = self.tokens
        kind, text = tokens.kinds[index + 1], tokens.texts[index + 1]
        if kind == NAME and text in _INFIX_WORDS:
            return tokens.texts[index + 2] in _COMPARISONS
        if kind in (NAME, NUMBER, STRING, PARAMETER) or text in ("(", "!", "~", "[]", "<>"):
            return True
        if text == "-":
            return not self.names.declares(tokens.texts[index])
        if text == "[" and tokens.texts[index] in _QUANTIFIER:
            return not self.names.is_array(tokens.texts[index]) or self._holds_path(index + 1)
        return tokens.escapes(index + 1)

    def _holds_path(self, index: int) -> bool:
        """Whether the bracket at a token holds a path operator, so that it is no array index."""
        texts = self.tokens.texts
        depth = 0
        while texts[index]:
            text = texts[index]
            if text in _PATH_OPERATOR or (text in _INFIX and _INFIX[text].path):
                return True
            depth += (text == "[") - (text == "]")
            if not depth:
                return False
            index += 1
        return False

    def satisfies_quantifier(self, node: Node) -> bool:
        """`E (p U q) && r` is `(E (p U q)) && r`."""
        return isinstance(node, PATH)

    def operand(self, index: int, after: str) -> Node | Operand | Open:
        """A literal, an atom, `A[...]`, or a reference."""
        tokens = self.tokens
        kind, text = tokens.kinds[index], tokens.texts[index]
        if kind == NUMBER:
            return literal(tokens, index, after)
        if kind == PARAMETER:
            tokens.at += 1
            return Param(text[1:], span=tokens.span(index))
        if kind == NAME:
            truth = TRUTH.get(text if self.names.declares(text) else text.lower())
            if truth is not None:
                tokens.at += 1
                return Truth(truth, span=tokens.span(index))
            if text in _QUANTIFIER and tokens.texts[index + 1] == "[" and self._is_operator(index):
                return self._bracketed(index, _QUANTIFIER[text])
            if text == "deadlock" and not self._counts(index):
                tokens.at += 1
                return Deadlock(span=tokens.span(index))
            if tokens.texts[index + 1] == "(":
                if text == "enabled":
                    return self._enabled(index)
                if text in QUEUES:
                    return self._queue(text, index)
        elif kind != STRING and not tokens.escapes(index):
            raise tokens.expected(self.wanted)
        return self._reference([], index)

    def _counts(self, index: int) -> bool:
        """Whether `deadlock` is a variable of that name here, by what follows it.

        The atom is a condition; a variable stands in arithmetic, or is escaped: `^deadlock`.
        """
        following = self.tokens.texts[index + 1]
        return self.names.declares("deadlock") and following in _AFTER_A_NUMBER

    def _bracketed(self, index: int, make: _MakeUnary) -> Open:
        """`A[p U q]`."""
        tokens = self.tokens
        tokens.at = index + 2

        def quantified(contents: Sequence[Operand]) -> Node:
            return make(condition(contents[0]), span=tokens.span(index, tokens.at - 1))

        return Open("]", quantified, loose=True)

    def _enabled(self, index: int) -> Node:
        """`enabled("t1", "t2")`."""
        tokens = self.tokens
        tokens.at = index + 2
        events: list[str] = []
        while tokens.next != ")":
            if events:
                tokens.expect(",", "or ')'")
            events.append(tokens.name("the name of an event"))
        tokens.at += 1
        return Enabled(tuple(events), span=tokens.span(index, tokens.at - 1))

    def _queue(self, asked: str, index: int) -> Node:
        """`len(queue)`, `nempty(queue[1])`: how many messages a channel holds, and whether any."""
        tokens = self.tokens
        tokens.at = index + 2
        start = tokens.at
        name = tokens.name("the name of a channel")
        cell = None
        if tokens.accept("["):
            if tokens.kind() != NUMBER:
                raise tokens.expected("the number of a channel")
            cell = tokens.number(tokens.at, INT_MAX)
            tokens.at += 1
            tokens.expect("]")
        channel = self.names.channel(name, cell, tokens.span(start, tokens.at - 1))
        tokens.expect(")")
        span = tokens.span(index, tokens.at - 1)
        if asked == "len":
            return Length(channel, span=span)
        test = (Empty if asked.endswith("empty") else Full)(channel, span=span)
        return Not(test, span=span) if asked.startswith("n") else test

    def _reference(self, segments: list[Segment], first: int) -> Node | Operand | Open:
        """The segments from the cursor on; an index interrupts them by an `Open`."""
        tokens = self.tokens
        while True:
            start = tokens.at
            name = tokens.name("the name of a variable or instance")
            if tokens.next == "[":
                tokens.at += 1
                return Open("]", self._indexed(segments, name, start, first))
            segments.append(Segment(name, None, tokens.span(start, tokens.at - 1)))
            if not tokens.accept(":"):
                return self._resolve(segments, first)

    def _indexed(
        self, segments: list[Segment], name: str, start: int, first: int
    ) -> Callable[[Sequence[Operand]], Node | Operand | Open]:
        tokens = self.tokens

        def finish(contents: Sequence[Operand]) -> Node | Operand | Open:
            span = tokens.span(start, tokens.at - 1)
            segments.append(Segment(name, integer(contents[0]), span))
            if tokens.accept(":") or tokens.accept("."):
                return self._reference(segments, first)
            return self._resolve(segments, first)

        return finish

    def _resolve(self, segments: list[Segment], first: int) -> Operand:
        last = self.tokens.at - 1
        span = self.tokens.span(first, last)
        try:
            node = self.names.resolve(segments, span)
        except InputError as unknown:
            name = segments[0]
            known = self.names.values
            if len(segments) > 1 or name.index is not None or known.item(name.name) is None:
                raise
            node = ValueName(name.name, known=known, unknown=unknown, span=span)
            self._values.append(node)
        return Operand(node, isinstance(node, Formula), first, last)


class ItsCtlFormulas(Formulas):
    """The dialect of its-ctl: `+` is "or", `*` is "and"; so are `|` and `&`, and `~` is "not"."""

    prefix: Mapping[str, Prefix] = {**_PREFIX, "~": Prefix(NOT, SORTS.negation)}
    infix: Mapping[str, Infix] = {
        **_INFIX,
        "+": DISJUNCTION,
        "|": DISJUNCTION,
        "*": CONJUNCTION,
        "&": CONJUNCTION,
    }
