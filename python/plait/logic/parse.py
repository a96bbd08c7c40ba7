"""Formulas as text: the bodies of GAL properties and the argument of `-f`.

One grammar serves both. Besides GAL's own notation it takes the common ones: `[]` and `<>`,
`A[p U q]`, `E(p U q)`, `A p U q`, `and`, `or`, `not`, `/\\`, `\\/`, `=>`, `<=>`, and `=` for `==`.
Words such as `F`, `U` or `A` are operators only where an operator makes sense, so a place may be
called `A`; `^A` always is the name.

In the dialect of its-ctl `+` and `*` between conditions mean "or" and "and". Such a text makes no
sense with arithmetic `+` (`a >= 1 + b >= 1` chains comparisons); only then is the dialect tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from plait.errors import InputError, Source, Span, error
from plait.hints import Protocol, cast
from plait.lang.expressions import (
    CONJUNCTION,
    DISJUNCTION,
    EQUAL,
    EQUIVALENCE,
    GAL_INFIX,
    GAL_PREFIX,
    IMPLICATION,
    LEXICON,
    TRUTH,
    condition,
    integer,
    literal,
    negation,
)
from plait.lang.lexer import END, NAME, NUMBER, PARAMETER, STRING, Tokens, tokenize
from plait.lang.pratt import Build, ExpressionParser, Infix, Open, Operand, Prefix
from plait.logic.formula import (
    PATH,
    QUANTIFIERS,
    Exists,
    Finally,
    Forall,
    Globally,
    Next,
    Release,
    StrongRelease,
    Temporal,
    Until,
    WeakUntil,
)
from plait.logic.names import Names, Segment
from plait.model.expr import Deadlock, Enabled, Formula, IntExpr, Param, Truth
from plait.model.node import Node, nodes
from plait.model.text import NOT, UNTIL
from plait.model.types import Model, Property, PropertyKind

KINDS: tuple[PropertyKind, ...] = (
    *("reachable", "invariant", "never", "deadlock", "bounds", "ctl", "ltl", "atom"),
)


def parse_formula(
    text: str,
    model: Model,
    name: str = "formula",
    source: str = "<formula>",
    kind: PropertyKind | None = None,
) -> Property:
    """The property that a text states about a model, with located errors.

    The text may start with its kind (`reachable: x == 1`), unless it is of a given `kind`.
    Otherwise a formula with path quantifiers is CTL, one with temporal operators is LTL, `deadlock`
    alone asks for freedom from deadlocks, and a state formula must hold in every reachable state.
    """
    from plait.model.validate import check_properties

    tokens = tokenize(Source(source, text), text, LEXICON)
    names = Names(model, named_atoms(model.properties))
    span = tokens.span(0, max(0, len(tokens.texts) - 4))
    kind = kind or _kind_prefix(tokens, names)
    first = tokens.at
    body = _read(tokens, names, kind)
    end = tokens.at - 1 if tokens.texts[tokens.at - 1] == ";" else tokens.at
    found = _property(name, kind, body, tokens.wording(first, end), span)
    check_properties(model, (found,))
    return found


def parse_ctl(text: str, model: Model, source: str = "<formulas>") -> tuple[Property, ...]:
    """The formulas of an its-ctl file: each ends with `;`, `#property NAME` before it names it."""
    properties: list[Property] = []
    name: str | None = None
    statement: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("#"):
            named = re.match(r"#\s*property\s+(\S+)", line)
            name = named[1] if named else name
            continue
        # Blank lines stand for the ones before, so that places in the file stay right.
        statement = statement or [""] * (number - 1)
        statement.append(line)
        if line.rstrip().endswith(";"):
            title = name or f"ctl-{len(properties):02}"
            properties.append(parse_formula("\n".join(statement), model, title, source))
            name, statement = None, []
    if "".join(statement).strip():
        title = name or f"ctl-{len(properties):02}"
        properties.append(parse_formula("\n".join(statement), model, title, source))
    return tuple(properties)


def named_atoms(properties: Sequence[Property]) -> dict[str, Formula]:
    """The conditions that properties of kind `atom` name."""
    return {p.name: cast(Formula, p.body) for p in properties if p.kind == "atom"}


def _kind_prefix(tokens: Tokens, names: Names) -> PropertyKind | None:
    """`kind:` at the start of a text, unless it is a reference into an instance of that name."""
    word = tokens.next
    for kind in KINDS:
        if word == kind and tokens.peek() == ":" and not names.is_part(word):
            tokens.at += 2
            return kind
    return None


def _read(tokens: Tokens, names: Names, kind: PropertyKind | None) -> Formula | IntExpr | None:
    """The body of a formula on its own, in either dialect; None for the deadlock kind."""
    start = tokens.at
    if kind == "deadlock":
        if tokens.next == "deadlock":
            tokens.at += 1
        _finish(tokens)
        return None
    try:
        body = Formulas(tokens, names).parse()
        _finish(tokens)
        node = body.node if kind is None else sorted_body(body, kind)
        if kind is None and isinstance(node, IntExpr):
            hint = "'bounds: ...' asks for its least and greatest value"
            raise error("a formula is needed here, but this is a number", node.span, hint)
        _refuse_counted_paths(node)
    except InputError:
        tokens.at = start
        other = None if kind == "bounds" else _its_ctl(tokens, names)
        if other is None:
            raise
        return other
    return cast(Formula | IntExpr, node)


def _its_ctl(tokens: Tokens, names: Names) -> Formula | None:
    """The body in the dialect of its-ctl, or None when it is not a formula there either."""
    try:
        body = condition(ItsCtlFormulas(tokens, names).parse())
        _finish(tokens)
        _refuse_counted_paths(body)
    except InputError:
        return None
    return body


def _finish(tokens: Tokens) -> None:
    tokens.accept(";")
    if tokens.kind() != END:
        raise tokens.expected("an operator or the end of the formula")


def _refuse_counted_paths(body: Node) -> None:
    """A path formula cannot be counted as 0 or 1: the number would not belong to one state."""
    from plait.model.validate import counted_path

    path = counted_path(body)
    if path is not None:
        raise error("a temporal formula cannot be used as a number", path.span)


def _property(
    name: str, kind: PropertyKind | None, body: Formula | IntExpr | None, text: str, span: Span
) -> Property:
    if kind is None:
        assert isinstance(body, Formula)
        if isinstance(body, Deadlock):
            return Property(name, "deadlock", None, span=span)
        temporal = [n for n in nodes(body) if isinstance(n, Temporal)]
        if any(isinstance(n, QUANTIFIERS) for n in temporal):
            kind = "ctl"
        else:
            kind = "ltl" if temporal else "invariant"
    return Property(name, kind, body, text=text, span=span)


def sorted_body(body: Operand, kind: PropertyKind) -> Formula | IntExpr:
    """A body in the sort its kind needs."""
    return integer(body) if kind == "bounds" else condition(body)


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
_PREFIX: Mapping[str, Prefix] = {
    **GAL_PREFIX,
    "not": GAL_PREFIX["!"],
    **{p: Prefix(NOT, _unary(make)) for p, make in _PATH_OPERATOR.items()},
    **{q + p: pair for (q, p), pair in _PAIRS.items() if p.isalpha()},
    **{q: Prefix(0, _quantify(q, make), quantifier=True) for q, make in _QUANTIFIER.items()},
}
_INFIX: Mapping[str, Infix] = {
    **GAL_INFIX,
    "=": EQUAL,
    "and": CONJUNCTION,
    "/\\": CONJUNCTION,
    "or": DISJUNCTION,
    "\\/": DISJUNCTION,
    "=>": IMPLICATION,
    "<=>": EQUIVALENCE,
    "U": Infix(UNTIL, _binary(Until), right=True, path=True),
    "W": Infix(UNTIL, _binary(WeakUntil), right=True, path=True),
    "R": Infix(UNTIL, _binary(Release), right=True, path=True),
    "M": Infix(UNTIL, _binary(StrongRelease), right=True, path=True),
}
_INFIX_WORDS = frozenset(w for w in _INFIX if w.isalpha())
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "="})


# --- operands -------------------------------------------------------------------------------------


_AFTER_A_NUMBER = frozenset(
    [
        "==",
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "**",
        "<<",
        ">>",
        "&",
        "|",
        "^",
        "[",
        ":",
        ".",
    ]
)


class Formulas(ExpressionParser):
    """The bodies of properties: temporal operators, and references that lead into instances."""

    prefix = _PREFIX
    infix = _INFIX
    wanted = "a formula"
    """What a message says was expected where nothing begins."""

    def __init__(self, tokens: Tokens, names: Names) -> None:
        super().__init__(tokens)
        self.names = names

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
            if text in TRUTH:
                tokens.at += 1
                return Truth(TRUTH[text], span=tokens.span(index))
            if text in _QUANTIFIER and tokens.texts[index + 1] == "[" and self._is_operator(index):
                return self._bracketed(index, _QUANTIFIER[text])
            if text == "deadlock" and not self._counts(index):
                tokens.at += 1
                return Deadlock(span=tokens.span(index))
            if text == "enabled" and tokens.texts[index + 1] == "(":
                return self._enabled(index)
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
        node = self.names.resolve(segments, self.tokens.span(first, last))
        return Operand(node, isinstance(node, Formula), first, last)


class ItsCtlFormulas(Formulas):
    """The dialect of its-ctl: `+` is "or", `*` is "and"; so are `|` and `&`, and `~` is "not"."""

    prefix: Mapping[str, Prefix] = {**_PREFIX, "~": Prefix(NOT, negation)}
    infix: Mapping[str, Infix] = {
        **_INFIX,
        "+": DISJUNCTION,
        "|": DISJUNCTION,
        "*": CONJUNCTION,
        "&": CONJUNCTION,
    }
