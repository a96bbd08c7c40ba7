"""The first pass over a network: declarations, templates, instances, the system.

A template's body is read once for each of its instances, since parameters are constants or other
names there; this pass keeps where it stands.
"""

from __future__ import annotations

from itertools import product

from plait.errors import Span, error
from plait.lang.lexer import END, NAME, Tokens
from plait.lang.scope import Scope
from plait.lang.xta.declarations import Declarations
from plait.lang.xta.expressions import XtaExpressions
from plait.lang.xta.network import Instance, Network, Template
from plait.lang.xta.program import Whole
from plait.lang.xta.symbols import (
    Constant,
    Number,
    Parameter,
    Place,
    Symbol,
    alike,
)
from plait.model.expr import Const
from plait.model.findings import did_you_mean
from plait.records import replace

FREE_LIMIT = 1000
"""The most instances that a template with free parameters makes."""


def read_network(tokens: Tokens) -> Network:
    """The whole text, up to its end."""
    return _Reader(tokens).read()


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._network = Network()
        self._declarations = Declarations(tokens, self._network)

    def read(self) -> Network:
        tokens, scope = self._tokens, self._network.scope
        while tokens.next != "system":
            if tokens.next == "process":
                self._template()
            elif self._declarations.declares(scope):
                self._declarations.declaration(scope)
            elif tokens.kind() == NAME:
                self._instance()
            elif not tokens.accept(";"):
                raise tokens.expected("a declaration, a process or 'system'")
        self._system()
        return self._network

    # --- templates --------------------------------------------------------------------------------

    def _template(self) -> None:
        tokens, network = self._tokens, self._network
        tokens.at += 1
        span = tokens.span()
        name = self._declarations.word("the name of a process")
        if name in network.templates or name in network.scope.names:
            raise error(f"'{name}' is declared twice", span)
        parameters = self._declarations.parameters(network.scope)
        opening = tokens.expect("{", f"after 'process {name}'")
        self._pass("{", "}", opening, f"process '{name}'")
        network.templates[name] = Template(name, parameters, opening + 1, span)

    def _pass(self, open_: str, close: str, opening: int, what: str) -> None:
        """Step behind the bracket that closes the one before the cursor."""
        tokens = self._tokens
        depth = 1
        while depth:
            if tokens.kind() == END:
                raise tokens.fail(f"{what} is not closed", opening)
            depth += (tokens.next == open_) - (tokens.next == close)
            tokens.at += 1

    def _named_template(self) -> Template:
        span = self._tokens.span()
        name = self._declarations.word("the name of a process")
        if name not in self._network.templates:
            raise error(
                f"no process named '{name}'", span, did_you_mean(name, self._network.templates)
            )
        return self._network.templates[name]

    # --- instances --------------------------------------------------------------------------------

    def _instance(self) -> None:
        """`P1 = P(1, x);`, or `Q(int i) = P(i, x);`, which has parameters of its own."""
        tokens, network = self._tokens, self._network
        span = tokens.span()
        name = self._declarations.word("the name of an instance")
        parameters = self._declarations.parameters(network.scope)
        if not tokens.accept(":="):
            tokens.expect("=", f"after '{name}'")
        template = self._named_template()
        opening = tokens.expect("(", "after the name of the template")
        if name in network.instances or name in network.templates:
            raise error(f"'{name}' is declared twice", span)
        if parameters:
            self._pass("(", ")", opening, "this bracket")
            made = Template(name, parameters, template.body, span, template, opening + 1)
            network.templates[name] = made
        else:
            arguments = self._arguments(template, network.scope, span)
            network.instances[name] = self._made(name, template, arguments, span)
        tokens.expect(";", "after the instance")

    def _arguments(self, template: Template, scope: Scope[Symbol], span: Span) -> dict[str, Symbol]:
        """What stands for the parameters of a template, up to the `)`."""
        tokens = self._tokens
        arguments: dict[str, Symbol] = {}
        while not tokens.accept(")"):
            if arguments:
                tokens.expect(",", "or ')'")
            if len(arguments) == len(template.parameters):
                raise tokens.fail(f"'{template.name}' has {len(arguments)} parameters")
            parameter = template.parameters[len(arguments)]
            arguments[parameter.name] = self._argument(parameter, scope)
        if len(arguments) < len(template.parameters):
            missing = template.parameters[len(arguments)].name
            raise error(f"'{missing}' of '{template.name}' is not given", span)
        return arguments

    def _made(
        self, name: str, template: Template, arguments: dict[str, Symbol], span: Span
    ) -> Instance:
        """An instance of the template that this one is made from, however far away."""
        tokens = self._tokens
        behind = tokens.at
        while template.base is not None:
            tokens.at = template.given
            scope = Scope(self._network.scope, arguments)
            arguments = self._arguments(template.base, scope, template.span)
            template = template.base
        tokens.at = behind
        return Instance(name, template, arguments, span)

    def _argument(self, parameter: Parameter, scope: Scope[Symbol]) -> Symbol:
        tokens = self._tokens
        first = tokens.at
        expressions = XtaExpressions(tokens, self._network, scope)
        if isinstance(parameter.type, Number) and not parameter.reference:
            value, domain = expressions.constant(), parameter.type.domain
            if not domain.low <= value <= domain.high:
                raise tokens.fail(f"{value} is not in {domain.low} .. {domain.high}", first)
            return Constant(value)
        place = self._place(expressions, first)
        if place is None or not alike(parameter.type, place.type):
            raise tokens.fail(f"'{tokens.texts[first]}' cannot stand for '{parameter.name}'", first)
        if not parameter.reference and place.values is None:
            raise tokens.fail("a constant is needed here", first)
        return place

    def _place(self, expressions: XtaExpressions, first: int) -> Place | None:
        """The variable, array, structure, clock or channel that is named at the cursor."""
        symbol = expressions.symbol(first)
        expressions.alone = True
        expressions.places = True
        node = expressions.parse().node
        if not isinstance(node, Whole) or not isinstance(symbol, Place):
            return None
        from plait.lang.xta.execute import evaluated

        cells = tuple(evaluated(self._network, place) for place in node.place.places)
        if not all(isinstance(cell, Const) for cell in cells):
            raise self._tokens.fail("a constant is needed here", first)
        return replace(node.place, places=cells)

    # --- the system -------------------------------------------------------------------------------

    def _system(self) -> None:
        tokens, network = self._tokens, self._network
        tokens.at += 1
        rank = 0
        while True:
            span = tokens.span()
            name = tokens.next
            if name in network.instances:
                tokens.at += 1
                made = [network.instances[name]]
            else:
                made = self._free(self._named_template(), span)
            network.system += made
            network.ranks |= {instance.name: rank for instance in made}
            if tokens.accept("<"):
                rank += 1
            elif not tokens.accept(","):
                break
        tokens.expect(";", "after the system")
        while tokens.next in ("progress", "gantt"):  # which help the search, and show runs
            opening = tokens.at + 1
            tokens.at += 1
            tokens.expect("{", "before the expressions")
            self._pass("{", "}", opening, "this bracket")
        if tokens.kind() != END:
            raise tokens.expected("the end of the text")

    def _free(self, template: Template, span: Span) -> list[Instance]:
        """A template in the system: an instance for each choice of its parameters."""
        ranges: list[range] = []
        total = 1
        for parameter in template.parameters:
            if parameter.reference or not isinstance(parameter.type, Number):
                raise error(f"'{parameter.name}' of '{template.name}' is not given", span)
            domain = parameter.type.domain
            ranges.append(range(domain.low, domain.high + 1))
            total *= len(ranges[-1])
            if total > FREE_LIMIT:
                raise error(f"'{template.name}' has too many instances", span)
        made: list[Instance] = []
        for values in product(*ranges):
            name = template.name + (f"({','.join(map(str, values))})" if values else "")
            given: dict[str, Symbol] = {
                p.name: Constant(v) for p, v in zip(template.parameters, values, strict=True)
            }
            made.append(self._made(name, template, given, span))
        return made


__all__ = ["read_network"]
