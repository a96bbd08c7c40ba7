"""Formulas as text: the bodies of GAL properties and the argument of `-f`.

One grammar serves both (`plait.logic.grammar`).

In the dialect of its-ctl `+` and `*` between conditions mean "or" and "and". Such a text makes no
sense with arithmetic `+` (`a >= 1 + b >= 1` chains comparisons); only then is the dialect tried.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from plait.errors import InputError, Source, Span, error
from plait.hints import cast
from plait.lang.expressions import LEXICON, condition, integer
from plait.lang.lexer import END, Tokens, tokenize
from plait.lang.pratt import Operand
from plait.logic.formula import QUANTIFIERS, Temporal
from plait.logic.grammar import Formulas, ItsCtlFormulas
from plait.logic.names import Names
from plait.model.expr import Deadlock, Formula, IntExpr
from plait.model.findings import did_you_mean
from plait.model.node import Node, nodes
from plait.model.types import Model, Property, PropertyKind
from plait.records import replace

KINDS: tuple[PropertyKind, ...] = (
    *("reachable", "invariant", "never", "deadlock", "bounds", "ctl", "ltl", "atom"),
)


_STATEMENT = re.compile(r'(?:[^;"]|"[^"]*"?)*+;')
"""What ends with a semicolon that is in no quoted name."""


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
    A language with formulas of its own reads them itself.
    """
    from plait.model.validate import check_properties

    if model.formulas is not None:
        found = model.formulas.read(text, name, source, kind)
        check_properties(model, (found,))
        return found
    try:
        tokens = tokenize(Source(source, text), text, LEXICON)
    except InputError as wrong:
        raise _in_other_words(wrong, text) from None
    names = Names(model, named_atoms(model.properties))
    span = tokens.span(0, max(0, len(tokens.texts) - 4))
    kind = kind or _kind_prefix(tokens, names)
    first = tokens.at
    try:
        body = _read(tokens, names, kind)
    except InputError as wrong:
        raise _in_other_words(wrong, text) from None
    end = tokens.at - 1 if tokens.texts[tokens.at - 1] == ";" else tokens.at
    found = _property(name, kind, body, tokens.wording(first, end), span)
    check_properties(model, (found,))
    return found


def parse_expression(text: str, model: Model) -> Formula | IntExpr:
    """The condition or the number that a text is in a state of a model, with located errors."""
    try:
        found = parse_formula(text, model, source="<expression>", kind="reachable")
    except InputError as wrong:
        try:
            found = parse_formula(text, model, source="<expression>", kind="bounds")
        except InputError:
            raise wrong from None
    return cast(Formula | IntExpr, found.body)


def _in_other_words(wrong: InputError, text: str) -> InputError:
    """The error with a word for who writes `P[0]@label`, as texts of Promela do, or `p --> q`, as
    queries of Uppaal do."""
    diagnostic = wrong.diagnostics[0]
    span = diagnostic.span
    if span is None or diagnostic.hint is not None:
        return wrong
    line = text.split("\n")[span.line - 1]
    if line[span.column - 1 :][:1] == "@":
        hint = "here a label of a process is written P_0.label"
    elif "-->" in line[max(0, span.column - 2) :]:
        hint = "'p --> q' is written AG (p -> AF q)"
    else:
        return wrong
    return InputError(replace(diagnostic, hint=hint))


def parse_ctl(text: str, model: Model, source: str = "<formulas>") -> tuple[Property, ...]:
    """The formulas of an its-ctl file: each ends with `;`, `#property NAME` before it names it.

    They are asked of the initial state, those without a path quantifier too.
    """
    properties: list[Property] = []
    name: str | None = None
    statement = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("#"):
            named = re.match(r"#\s*property\s+(\S+)", line)
            name = named[1] if named else name
            continue
        # White space stands for what is before, so that places in the file stay right.
        statement = f"{statement}\n" if statement else "\n" * (number - 1)
        at = 0
        for found in _STATEMENT.finditer(line):
            title = name or f"ctl-{len(properties):02}"
            properties.append(parse_formula(statement + found[0], model, title, source, "ctl"))
            at = found.end()
            name, statement = None, "\n" * (number - 1) + " " * at
        statement += line[at:]
        if not statement.strip():
            statement = ""
    if statement:
        title = name or f"ctl-{len(properties):02}"
        properties.append(parse_formula(statement, model, title, source, "ctl"))
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
    hint = did_you_mean(word, KINDS) if tokens.peek() == ":" and not names.is_part(word) else None
    if hint is not None:
        raise tokens.fail(f"there is no kind of property '{word}'", hint=hint)
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
