"""The types of GAL: elementary ones (`elementary` has their bodies), composites and sets."""

from __future__ import annotations

from plait.errors import Span
from plait.lang.expressions import GalExpressions
from plait.lang.gal.elementary import ElementaryBody
from plait.lang.gal.scope import Scope
from plait.lang.gal.statements import Flavour, Statements
from plait.lang.lexer import NAME, STRING, Tokens
from plait.model.expr import And, Formula, IntExpr, Truth
from plait.model.node import Node
from plait.model.types import (
    CompositeType,
    Constant,
    ElementaryType,
    Event,
    Instance,
    Interface,
    Label,
    Parameter,
    Range,
    SetType,
    TypeParameter,
)

ELEMENT = "item"
"""The name under which a set holds its instances."""


class Declarations:
    """Reads declarations; one object per file."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.scope = Scope()
        self.expressions = GalExpressions(tokens, self._expand)
        self.has_predicates = "predicate" in tokens.texts

    def _expand(self, name: str, span: Span) -> Node | None:
        """What a name stands for in the type that is being read."""
        return self.scope.expand(name, span)

    # --- shared pieces ----------------------------------------------------------------------------

    def constant(self) -> Constant:
        """`$N = 3`."""
        tokens = self.tokens
        first = tokens.at
        name = tokens.parameter("a constant such as '$N = 3'")
        tokens.expect("=")
        value = tokens.signed_number()
        return Constant(name, value, span=tokens.span(first), comment=tokens.docs.get(first))

    def _constants(self) -> tuple[Constant, ...]:
        """`($N = 3, $M = 4)`, or nothing."""
        tokens = self.tokens
        if not tokens.accept("("):
            return ()
        found = [self.constant()]
        while tokens.accept(","):
            found.append(self.constant())
        tokens.expect(")", "or ','")
        return tuple(found)

    def range(self) -> Range:
        """`typedef r = 0 .. 3;`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.expect("typedef")
        name, span = tokens.named("the name of the range")
        tokens.expect("=")
        low = self.expressions.number()
        tokens.expect("..")
        high = self.expressions.number()
        tokens.expect(";")
        return Range(name, low, high, span=span, comment=doc)

    def _parameters(self) -> tuple[Parameter, ...]:
        """`(r $x, r $y)`, or nothing."""
        tokens = self.tokens
        found: list[Parameter] = []
        if not tokens.accept("("):
            return ()
        while not tokens.accept(")"):
            if found:
                tokens.expect(",", "or ')'")
            range_ = tokens.name("the range of a parameter")
            first = tokens.at
            name = tokens.parameter()
            found.append(Parameter(name, range_, span=tokens.span(first)))
        return tuple(found)

    def _guard(self) -> tuple[Formula, ...]:
        """`[ condition ]` as a list of conjuncts; nothing is `true`.

        A leading `true &&` is dropped: it lets a guard be written whose first part is itself
        `true` or whose only part is a conjunction.
        """
        tokens = self.tokens
        if not tokens.accept("["):
            return ()
        guard = self.expressions.condition()
        tokens.expect("]", "or an operator")
        parts = guard.operands if isinstance(guard, And) else (guard,)
        return parts[1:] if isinstance(parts[0], Truth) and parts[0].value else parts

    def _label(self, statements: Statements) -> Label | None:
        """`label "name"(arguments)`; the empty label is none."""
        tokens = self.tokens
        if not (tokens.next == "label" and tokens.kind(1) == STRING):
            return None
        tokens.at += 1
        first = tokens.at
        name = tokens.string("a label in quotes")
        arguments = statements.arguments()
        if not name and arguments:
            raise tokens.fail("the empty label takes no arguments", first)
        return Label(name, arguments) if name else None

    def event(self, keyword: str, flavour: Flavour) -> Event:
        """A transition or synchronization."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.expect(keyword)
        name, span = tokens.named(f"the name of the {keyword}")
        parameters = self._parameters()
        guard = self._guard()
        statements = Statements(tokens, self.expressions, self.scope, flavour)
        label = self._label(statements)
        if tokens.next != "{":
            what = "'{'" if label else "'{' or 'label'"
            raise tokens.expected(what if guard or label else f"a guard '[...]', {what}")
        body = statements.block()
        return Event(name, guard, body, parameters, label, span=span, comment=doc)

    # --- elementary types -------------------------------------------------------------------------

    def elementary(self) -> ElementaryType:
        """`gal T { ... }`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.at += 1
        name, span = tokens.named("the name of the type")
        self.scope = Scope()
        reader = ElementaryBody(self, self._constants())
        tokens.expect("{")
        reader.read()
        return ElementaryType(
            name,
            constants=reader.constants,
            ranges=tuple(reader.ranges),
            events=tuple(reader.events),
            variables=tuple(reader.variables),
            predicates=tuple(reader.predicates),
            transient=reader.transient,
            span=span,
            comment=doc,
        )

    # --- composites and sets ----------------------------------------------------------------------

    def composite(self) -> CompositeType:
        """`composite C { ... }`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.expect("composite")
        name, span = tokens.named("the name of the type")
        type_parameters = self._type_parameters()
        constants = self._constants()
        tokens.expect("{")
        self.scope = Scope()
        ranges: list[Range] = []
        instances: list[Instance] = []
        events: list[Event] = []
        while not tokens.accept("}"):
            if tokens.next == "typedef":
                ranges.append(self.range())
            elif tokens.next == "synchronization":
                events.append(self.event("synchronization", "composite"))
            elif tokens.kind() == NAME or tokens.kind() == STRING or tokens.escapes(tokens.at):
                instances.extend(self._instances())
            else:
                raise tokens.expected("an instance, a synchronization or '}'")
        return CompositeType(
            name,
            constants=constants,
            ranges=tuple(ranges),
            events=tuple(events),
            instances=tuple(instances),
            type_parameters=type_parameters,
            span=span,
            comment=doc,
        )

    def _type_parameters(self) -> tuple[TypeParameter, ...]:
        """`<T extends I, J, U extends K>`: a name before `extends` starts a new parameter."""
        tokens = self.tokens
        if not tokens.accept("<"):
            return ()
        found: list[TypeParameter] = []
        while True:
            first = tokens.at
            name = tokens.name("the name of a type parameter")
            extends: list[str] = []
            if tokens.accept("extends"):
                extends.append(tokens.name("the name of an interface"))
                while tokens.next == "," and "extends" not in (tokens.peek(2), tokens.peek(3)):
                    tokens.at += 1
                    extends.append(tokens.name("the name of an interface"))
            found.append(TypeParameter(name, tuple(extends), span=tokens.span(first)))
            if not tokens.accept(","):
                tokens.expect(">", "or ','")
                return tuple(found)

    def _instances(self) -> list[Instance]:
        """`T t1($N = 2), t2;` or `T[3] t;`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        type_ = tokens.name("the name of a type")
        arguments: list[str] = []
        if tokens.accept("<"):
            arguments.append(tokens.name("the name of a type"))
            while tokens.accept(","):
                arguments.append(tokens.name("the name of a type"))
            tokens.expect(">", "or ','")
        size = self._size()
        found: list[Instance] = []
        while True:
            name, span = tokens.named("the name of the instance")
            bindings = self._bindings()
            found.append(
                Instance(name, type_, size, bindings, tuple(arguments), span=span, comment=doc)
            )
            if not tokens.accept(","):
                tokens.expect(";", "after the instance")
                return found

    def _size(self) -> IntExpr | None:
        if not self.tokens.accept("["):
            return None
        size = self.expressions.number()
        self.tokens.expect("]")
        return size

    def _bindings(self) -> tuple[tuple[str, int], ...]:
        return tuple((c.name, c.value) for c in self._constants())

    def set(self) -> SetType:
        """`scalar S [size] of T { ... }` and `circular S [size] of T { ... }`."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        circular = tokens.next == "circular"
        tokens.at += 1
        name, span = tokens.named("the name of the type")
        constants = self._constants()
        self.scope = Scope()
        size = self._size()
        if size is None:
            raise tokens.expected("'[' and the number of instances")
        tokens.expect("of")
        type_, of = tokens.named("the name of a type")
        element = Instance(ELEMENT, type_, size, self._bindings(), span=of)
        tokens.expect("{")
        ranges: list[Range] = []
        events: list[Event] = []
        while not tokens.accept("}"):
            if tokens.next == "typedef":
                ranges.append(self.range())
            elif tokens.next == "synchronization":
                events.append(self.event("synchronization", "set"))
            else:
                raise tokens.expected("a synchronization or '}'")
        return SetType(
            name,
            constants=constants,
            ranges=tuple(ranges),
            events=tuple(events),
            element=element,
            circular=circular,
            span=span,
            comment=doc,
        )

    def interface(self) -> Interface:
        """`interface I { "label"($x, $y); }`; only the number of arguments matters."""
        tokens = self.tokens
        doc = tokens.docs.get(tokens.at)
        tokens.expect("interface")
        name, span = tokens.named("the name of the interface")
        statements = Statements(tokens, self.expressions, self.scope, "gal")
        labels: list[tuple[str, int]] = []
        tokens.expect("{")
        while not tokens.accept("}"):
            label = tokens.string("a label in quotes")
            labels.append((label, len(statements.arguments())))
            tokens.expect(";", "after the label")
        return Interface(name, tuple(labels), span=span, comment=doc)


__all__ = ["ELEMENT", "Declarations"]
