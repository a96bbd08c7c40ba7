"""The properties of a GAL file, and of the companion files that hold properties only."""

from __future__ import annotations

from plait.errors import Diagnostic, InputError, Source
from plait.lang.expressions import LEXICON
from plait.lang.lexer import NAME, NUMBER, STRING, Tokens, tokenize
from plait.logic.grammar import Formulas
from plait.logic.names import Names
from plait.logic.parse import KINDS, named_atoms, sorted_body
from plait.model.expr import Formula
from plait.model.types import Model, Property, PropertyKind
from plait.model.validate import check_properties
from plait.records import dataclass


@dataclass(frozen=True, slots=True)
class Header:
    """A property whose body is still to be read, at the token `body`."""

    name: str
    kind: PropertyKind
    token: int
    body: int
    comment: str | None


def parse_properties(text: str, name: str, model: Model) -> tuple[Property, ...]:
    """The properties of a `.prop` file: an import (already done), then one property a line."""
    tokens = tokenize(Source(name, text), text, LEXICON)
    headers: list[Header] = []
    while tokens.next:
        if tokens.next == "import":
            tokens.at += 1
            tokens.string("the name of a file in quotes")
            tokens.accept(";")
        elif tokens.next == "property":
            headers.append(read_header(tokens))
        else:
            raise tokens.expected("'property'")
    properties = read_bodies(tokens, headers, model, strict=False)
    check_properties(model, properties)
    return properties


def read_header(tokens: Tokens) -> Header:
    """`property name [kind] :`; the cursor ends up behind the whole property."""
    doc = tokens.docs.get(tokens.at)
    tokens.at += 1
    first = tokens.at
    name = _name(tokens)
    tokens.expect("[")
    kind = _kind(tokens)
    tokens.expect("]")
    body = tokens.at
    _skip(tokens)
    return Header(name, kind, first, body, doc)


def _name(tokens: Tokens) -> str:
    """A name, a string, or leniently any text up to the bracket, such as `Philo-5-ctl`."""
    first = tokens.at
    if tokens.kind() in (STRING, NUMBER) or tokens.peek() == "[":
        if tokens.kind() == NUMBER:
            tokens.at += 1
            return tokens.texts[first]
        return tokens.name("the name of the property")
    while tokens.next not in ("[", "", ";", ":", "{"):
        tokens.at += 1
    if tokens.next != "[" or tokens.at == first:
        tokens.at = first
        return tokens.name("the name of the property")
    return tokens.text[tokens.starts[first] : tokens.starts[tokens.at]].strip().replace("^", "")


def _kind(tokens: Tokens) -> PropertyKind:
    word = tokens.next
    for kind in KINDS:
        if kind == word:
            tokens.at += 1
            return kind
    raise tokens.expected(f"a kind of property ({', '.join(KINDS)})", words=KINDS)


def _skip(tokens: Tokens) -> None:
    """Move behind the `;` of a property, or before the next one when it has none."""
    texts = tokens.texts
    while True:
        text = texts[tokens.at]
        if text == ";":
            tokens.at += 1
            return
        if not text or (
            text == "property" and tokens.kinds[tokens.at] == NAME and texts[tokens.at - 1] != "^"
        ):
            return
        tokens.at += 1


def read_bodies(
    tokens: Tokens, headers: list[Header], model: Model, strict: bool
) -> tuple[Property, ...]:
    """The properties with their bodies: atoms first, since the others may use their names.

    What a model has read already is known by name, too, unless it is defined anew. All bodies are
    tried before the errors are raised. `strict` asks for the `;`.
    """
    known = named_atoms(model.properties)
    atoms = {name: f for name, f in known.items() if name not in {h.name for h in headers}}
    names = Names(model, atoms)
    found: dict[int, Property] = {}
    wrong: list[Diagnostic] = []
    end = tokens.at
    for header in sorted(headers, key=lambda h: h.kind != "atom"):
        try:
            property_ = _read_body(tokens, header, names, strict)
        except InputError as failure:
            wrong.extend(failure.diagnostics)
            continue
        found[header.token] = property_
        if isinstance(property_.body, Formula) and header.kind == "atom":
            atoms.setdefault(header.name, property_.body)
    tokens.at = end
    if wrong:
        raise InputError(*wrong)
    return tuple(found[h.token] for h in headers)


def _read_body(tokens: Tokens, header: Header, names: Names, strict: bool) -> Property:
    tokens.at = header.body
    body, text = None, ""
    if header.kind == "deadlock":
        if tokens.accept(":"):
            tokens.accept("deadlock")
    else:
        first = tokens.expect(":") + 1
        body = sorted_body(Formulas(tokens, names).parse(), header.kind)
        text = tokens.wording(first, tokens.at)
    if not tokens.accept(";") and (strict or not _at_end(tokens)):
        raise tokens.expected("an operator or ';'")
    span = tokens.span(header.token)
    return Property(header.name, header.kind, body, text=text, span=span, comment=header.comment)


def _at_end(tokens: Tokens) -> bool:
    return tokens.next in ("property", "")
