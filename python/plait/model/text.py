"""Expressions and formulas as text, the way GAL writes them.

`show` puts parentheses only where the grammar needs them (and around comparisons under a prefix
operator, where a reader needs them), so that the text reads back as the same tree. It works with an
explicit stack and appends to one list: linear in the size of the text, whatever the depth.

The binding powers here are those of the parser (`plait.lang.expressions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from plait.logic import formula as temporal
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Empty,
    Enabled,
    Full,
    Hop,
    Iff,
    Implies,
    Length,
    Not,
    Or,
    Param,
    Poll,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node

QUANTIFIED, IMPLIES, IFF, OR, AND, UNTIL, NOT, COMPARE = 1, 2, 3, 4, 5, 6, 7, 8
BIT_OR, BIT_XOR, BIT_AND, SHIFT, ADD, MULTIPLY, NEGATE, POWER, ATOM = range(9, 18)
"""Binding powers, from loose to tight."""

ARITHMETIC_POWER = {
    "|": BIT_OR,
    "^": BIT_XOR,
    "&": BIT_AND,
    "<<": SHIFT,
    ">>": SHIFT,
    "+": ADD,
    "-": ADD,
    "*": MULTIPLY,
    "/": MULTIPLY,
    "%": MULTIPLY,
    "**": POWER,
}
ATOMS = frozenset({"true", "false", "True", "False", "deadlock"})
"""Words that stand for conditions: variables of these names are escaped."""

Piece = str | tuple[Node, int]
"""Text, or a node with the least power that needs no parentheses there."""


FEW = 4
"""Events of a list that a text with a limit names."""


def show(node: Node, limit: int | None = None, reserved: frozenset[str] = ATOMS) -> str:
    """The text of a node, cut with `...` after `limit` characters, long lists of events before.

    Names in `reserved` are escaped by `^`.
    """
    out: list[str] = []
    length = 0
    stack: list[Piece] = [(node, 0)]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
            length += len(piece)
            if limit is not None and length > limit:
                return "".join(out)[: max(0, limit - 3)] + "..."
        else:
            node, least = piece
            if limit is not None and isinstance(node, Enabled) and len(node.events) > FEW:
                some = ", ".join(quote(e) for e in node.events[:FEW])
                stack.append(f"enabled({some}, ... {len(node.events)} events)")
                continue
            power, pieces = _pieces(node, reserved)
            if power < least:
                stack.append(")")
                stack.extend(reversed(pieces))
                stack.append("(")
            else:
                stack.extend(reversed(pieces))
    return "".join(out)


# --- names ----------------------------------------------------------------------------------------

QUALIFIED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+))*")


def spell(name: str, reserved: frozenset[str] = ATOMS) -> str:
    """A name as it is written: plain, escaped by `^` when it is a reserved word, else in quotes."""
    if QUALIFIED.fullmatch(name):
        return "^" + name if name in reserved else name
    return quote(name)


def quote(text: str) -> str:
    """A string literal with these contents."""
    return '"' + "".join(_escaped(text)) + '"'


def unquote(text: str) -> str:
    """The contents of a string literal: quotes off, backslash escapes replaced."""
    body = text[1:-1]
    return _ESCAPE.sub(_unescape, body) if "\\" in body else body


_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_SPECIAL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _SPECIAL.get(code, code)


def _escaped(text: str) -> Iterator[str]:
    for c in text:
        if c in '"\\':
            yield "\\" + c
        elif c.isprintable() or ord(c) > 0xFFFF:
            yield c
        else:
            yield f"\\u{ord(c):04x}"


# --- nodes ----------------------------------------------------------------------------------------


def _pieces(node: Node, reserved: frozenset[str]) -> tuple[int, list[Piece]]:
    """The power of a node and the pieces of its text."""
    match node:
        case Const(value=value):
            return (ATOM if value >= 0 else NEGATE), [str(value)]
        case Var():
            return ATOM, _reference(node, reserved)
        case Binary(op=op, left=left, right=right):
            power = ARITHMETIC_POWER[op]
            return power, [(left, power), f" {op} ", (right, power + 1)]
        case Compare(op=op, left=left, right=right):
            return COMPARE, [(left, COMPARE + 1), f" {op} ", (right, COMPARE + 1)]
        case Unary(op=op, operand=operand):
            literal = op == "-" and isinstance(operand, Const)
            return NEGATE, [op, (operand, ATOM + 1 if literal else NEGATE)]
        case Param(name=name):
            return ATOM, [f"${name}"]
        case AsInt(condition=condition):
            return ATOM, ["(", (condition, 0), ")"]
        case Hop(name=name, index=index):
            return ATOM, _indexed(spell(name, reserved), index)
        case And() | Or() | Not() | Implies() | Iff() | Truth():
            return _connective(node)
        case temporal.Temporal():
            return _temporal(node)
        case _:
            return _atom(node)


def _reference(node: Var, reserved: frozenset[str]) -> list[Piece]:
    """`a[0]:b:x[1]`."""
    pieces: list[Piece] = []
    for hop in node.path:
        pieces += [*_indexed(spell(hop.name, reserved), hop.index), ":"]
    return [*pieces, *_indexed(spell(node.name, reserved), node.index)]


def _indexed(name: str, index: Node | None) -> list[Piece]:
    return [name] if index is None else [name, "[", (index, 0), "]"]


def _connective(node: Node) -> tuple[int, list[Piece]]:
    match node:
        case Truth(value=value):
            return ATOM, ["true" if value else "false"]
        case And(operands=operands):
            return _chain(" && ", operands, AND, "true")
        case Or(operands=operands):
            return _chain(" || ", operands, OR, "false")
        case Not(operand=operand):
            return NOT, ["!", _under_prefix(operand)]
        case Implies(left=left, right=right):
            return IMPLIES, [(left, IMPLIES + 1), " -> ", (right, IMPLIES)]
        case Iff(left=left, right=right):
            return IFF, [(left, IFF), " <-> ", (right, IFF + 1)]
    raise AssertionError(node)


def _chain(op: str, parts: Iterable[Node], power: int, empty: str) -> tuple[int, list[Piece]]:
    """A conjunction or disjunction; with fewer than two parts there is no operator to write."""
    pieces: list[Piece] = []
    for part in parts:
        pieces += [op, (part, power + 1)]
    if not pieces:
        return ATOM, [empty]
    # A single part stands in parentheses, whatever it is: its own power is not known here.
    return (ATOM, ["(", pieces[1], ")"]) if len(pieces) == 2 else (power, pieces[1:])


def _under_prefix(operand: Node) -> Piece:
    """The operand of a prefix operator: `!(x == 1)`, although `!x == 1` would mean the same."""
    return (operand, COMPARE + 1 if isinstance(operand, Compare) else NOT)


# --- temporal operators ---------------------------------------------------------------------------

_LETTER: dict[type, str] = {
    temporal.Next: "X",
    temporal.Finally: "F",
    temporal.Globally: "G",
    temporal.Until: "U",
    temporal.WeakUntil: "W",
    temporal.Release: "R",
    temporal.StrongRelease: "M",
    temporal.Forall: "A",
    temporal.Exists: "E",
}


def _temporal(node: temporal.Temporal) -> tuple[int, list[Piece]]:
    if isinstance(node, temporal.NeverClaim):
        return _claim(node)
    letter = _LETTER[type(node)]
    if isinstance(node, temporal.QUANTIFIERS):
        return _quantified(letter, node.operand)
    if isinstance(node, temporal.UnaryTemporal):
        return NOT, [letter + " ", _under_prefix(node.operand)]
    assert isinstance(node, temporal.BinaryTemporal)
    return UNTIL, [(node.left, UNTIL + 1), f" {letter} ", (node.right, UNTIL)]


def _claim(node: temporal.NeverClaim) -> tuple[int, list[Piece]]:
    """`never { 0 -> 1: g; accept 1 -> 1: h }`."""
    pieces: list[Piece] = ["never {"]
    for (source, target), guard in zip(node.arcs, node.guards, strict=True):
        accept = "accept " if source in node.accepting else ""
        pieces += [f" {accept}{source} -> {target}: ", (guard, 0), ";"]
    return ATOM, [*pieces, " }"]


def _quantified(quantifier: str, path: Node) -> tuple[int, list[Piece]]:
    """`AG f`, `A f U g`; what is not CTL goes into brackets of its own."""
    letter = _LETTER.get(type(path), "")
    if isinstance(path, temporal.UnaryTemporal) and not isinstance(path, temporal.QUANTIFIERS):
        return NOT, [quantifier + letter + " ", _under_prefix(path.operand)]
    if isinstance(path, temporal.BinaryTemporal) and not isinstance(path.left, temporal.PATH):
        least = COMPARE + 1 if _opens_as_operator(path.left) else NOT
        sides: list[Piece] = [(path.left, least), f" {letter} ", (path.right, NOT)]
        return QUANTIFIED, [quantifier + " ", *sides]
    return ATOM, [quantifier + "[(", (path, 0), ")]"]


INFIX_WORDS = frozenset({"U", "W", "R", "M", "and", "or"})
"""Operators between formulas that are words; a variable may have such a name."""


def _opens_as_operator(node: Node) -> bool:
    """Whether a comparison begins with what could go on after a variable `A`, or name one."""
    if not isinstance(node, Compare):
        return False
    first: Node = node.left
    while isinstance(first, Binary):
        first = first.left
    if isinstance(first, Var):
        name = first.path[0].name if first.path else first.name
        return name in INFIX_WORDS
    return isinstance(first, Unary) or (isinstance(first, Const) and first.value < 0)


# --- other atoms ----------------------------------------------------------------------------------


def _atom(node: Node) -> tuple[int, list[Piece]]:
    match node:
        case Deadlock():
            return ATOM, ["deadlock"]
        case Enabled(events=events):
            return ATOM, ["enabled(", ", ".join(quote(e) for e in events), ")"]
        case Length(channel=channel):
            return ATOM, ["len(", (channel, 0), ")"]
        case Full(channel=channel):
            return ATOM, ["full(", (channel, 0), ")"]
        case Empty(channel=channel):
            return ATOM, ["empty(", (channel, 0), ")"]
        case Poll(channel=channel, patterns=patterns, anywhere=anywhere):
            pieces: list[Piece] = [(channel, 0), "??[" if anywhere else "?["]
            for i, pattern in enumerate(patterns):
                pieces += [", "] if i else []
                pieces.append("_" if pattern is None else (pattern, 0))
            return ATOM, [*pieces, "]"]
    raise AssertionError(type(node))
