"""The first pass over a network of timed automata: declarations, templates, instances, the system.

A template's body is read once for each of its instances, since parameters are constants or other
names there; this pass keeps where it stands.
"""

from __future__ import annotations

from itertools import product

from plait.errors import Span, error
from plait.lang.lexer import END, NAME, Lexicon, Tokens
from plait.lang.scope import Scope
from plait.lang.xta.expressions import XtaExpressions
from plait.lang.xta.symbols import (
    BOOL,
    INT,
    WIDE,
    Chan,
    Clock,
    Clocks,
    Constant,
    Data,
    Dimensions,
    Range,
    Symbol,
    cells,
)
from plait.model.expr import IntExpr, Var
from plait.model.findings import did_you_mean
from plait.model.node import nodes
from plait.model.shape import ARRAY_LIMIT, evaluate_constant
from plait.model.types import Domain
from plait.records import dataclass, field

LEXICON = Lexicon(
    punctuation=(
        *("->", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", ":=", "+=", "-=", "++", "--"),
        *"{}()[];,:.=<>+-*/%&|^~!?'",
    ),
    quotes='"',
)
KINDS = frozenset(
    ("int", "bool", "clock", "chan", "const", "urgent", "broadcast", "typedef", "meta")
)
"""Words with which a declaration begins."""
UNREAD = {
    "struct": "structures",
    "void": "functions",
    "double": "floating-point numbers",
    "string": "strings",
    "hybrid": "hybrid clocks",
    "progress": "progress measures",
    "before_update": "global updates",
    "after_update": "global updates",
}
FREE_LIMIT = 1000
"""The most instances that a template with free parameters makes."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: a value of a range, or with `reference` another name of what is given."""

    name: str
    domain: Domain | None
    """None for clocks and channels, which are given by reference."""
    reference: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Template:
    """A process with parameters; `body` is the index of the token after its `{`.

    One that is made from another, as `Q(int i) = P(i, 2);`, has it as its `base`; `given` is the
    index of the token where the arguments for that one begin.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: int
    span: Span
    base: Template | None = None
    given: int = 0


@dataclass(frozen=True, slots=True)
class Instance:
    """A template and what its parameters stand for."""

    name: str
    template: Template
    arguments: dict[str, Symbol]
    span: Span


@dataclass(slots=True)
class Network:
    """A whole text."""

    scope: Scope[Symbol] = field(default_factory=Scope)
    data: list[Data] = field(default_factory=list)
    clocks: dict[str, Clock] = field(default_factory=dict)
    """By their full names."""
    templates: dict[str, Template] = field(default_factory=dict)
    instances: dict[str, Instance] = field(default_factory=dict)
    system: list[Instance] = field(default_factory=list)

    def greatest(self, expression: IntExpr) -> int | None:
        """The greatest value that an expression over data may have; none where it has clocks."""
        names = {n.name for n in nodes(expression) if isinstance(n, Var)}
        if not names:
            return evaluate_constant(expression, {})
        if not names.isdisjoint(self.clocks):
            return None
        from plait.passes.intervals import Intervals  # constants need none

        ranges = {d.full: (d.domain.low, d.domain.high) for d in self.data}
        sizes = {d.full: cells(d.dimensions) if d.dimensions else None for d in self.data}
        found = Intervals(ranges, sizes).integer(expression)
        return 0 if found is None else found[1]


class Declarations:
    """Reads declarations, at the cursor of `tokens`, into a network."""

    def __init__(self, tokens: Tokens, network: Network | None = None) -> None:
        self.tokens = tokens
        self.network = network or Network()

    def read(self) -> Network:
        """The whole text, up to its end."""
        tokens, scope = self.tokens, self.network.scope
        while tokens.next != "system":
            if tokens.next == "process":
                self._template()
            elif self.declares(scope):
                self.declaration(scope)
            elif tokens.kind() == NAME:
                self._instance()
            else:
                raise tokens.expected("a declaration, a process or 'system'")
        self._system()
        return self.network

    def word(self, what: str) -> str:
        """A name."""
        if self.tokens.kind() != NAME:
            raise self.tokens.expected(what)
        self.tokens.at += 1
        return self.tokens.texts[self.tokens.at - 1]

    # --- variables --------------------------------------------------------------------------------

    def declares(self, scope: Scope[Symbol]) -> bool:
        """Whether a declaration begins here."""
        text = self.tokens.next
        if text in UNREAD:
            raise self.tokens.fail(f"{UNREAD[text]} are not read")
        return text in KINDS or isinstance(scope.find(text), Range)

    def declaration(self, scope: Scope[Symbol], owner: str | None = None) -> None:
        """`int[0,5] a, b = 2;`, of a process if there is an owner."""
        tokens = self.tokens
        words = set(iter(self._modifier, ""))
        if tokens.accept("typedef"):
            domain = self.range(scope)
            span = tokens.span()
            scope.declare(self.word("the name of a type"), Range(domain), span)
        elif tokens.next in ("clock", "chan"):
            kind = tokens.next
            tokens.at += 1
            while True:
                self._special(kind, words, scope, owner)
                if not tokens.accept(","):
                    break
        else:
            # The old language has constants without a type.
            typeless = "const" in words and not self._has_type(scope)
            domain = INT if typeless else self.range(scope)
            while True:
                self._data(domain, "const" in words, scope, owner)
                if not tokens.accept(","):
                    break
        tokens.expect(";", "after the declaration")

    def _modifier(self) -> str:
        for word in ("const", "urgent", "broadcast", "meta"):
            if self.tokens.accept(word):
                return word
        return ""

    def _has_type(self, scope: Scope[Symbol]) -> bool:
        return self.tokens.next in ("int", "bool") or isinstance(
            scope.find(self.tokens.next), Range
        )

    def range(self, scope: Scope[Symbol]) -> Domain:
        """A type of data."""
        tokens = self.tokens
        tokens.accept("const")
        if tokens.next in UNREAD:
            raise tokens.fail(f"{UNREAD[tokens.next]} are not read")
        if tokens.accept("bool"):
            return BOOL
        if tokens.accept("int"):
            if not tokens.accept("["):
                return INT
            first = tokens.at
            low = XtaExpressions(tokens, scope).constant()
            tokens.expect(",", "between the ends of the range")
            high = XtaExpressions(tokens, scope).constant()
            tokens.expect("]", "after the range")
            if low > high:
                raise tokens.fail("this range is empty", first)
            return Domain(low, high)
        if tokens.accept("scalar"):
            tokens.expect("[", "after 'scalar'")
            size = XtaExpressions(tokens, scope).constant()
            tokens.expect("]", "after the size")
            return Domain(0, max(size - 1, 0))
        found = scope.find(tokens.next)
        if isinstance(found, Range):
            tokens.at += 1
            return found.domain
        raise tokens.expected("a type")

    def _dimensions(self, scope: Scope[Symbol]) -> Dimensions:
        """The brackets behind the name of an array: so many cells, or a type of indices."""
        tokens = self.tokens
        first = tokens.at
        found: list[range] = []
        while tokens.accept("["):
            at = tokens.at
            if self._has_type(scope):
                domain = self.range(scope)
                found.append(range(domain.low, domain.high + 1))
            else:
                found.append(range(XtaExpressions(tokens, scope).constant()))
            tokens.expect("]", "after the size")
            size = cells(tuple(found))
            if not 1 <= size <= ARRAY_LIMIT:
                message = f"the size of an array is in 1 .. {ARRAY_LIMIT}, not {size}"
                raise tokens.fail(message, at)
        if tokens.next == "(":
            raise tokens.fail("functions are not read", first - 1)
        return tuple(found)

    def _special(self, kind: str, words: set[str], scope: Scope[Symbol], owner: str | None) -> None:
        span = self.tokens.span()
        name = self.word(f"the name of a {kind}")
        full = name if owner is None else f"{owner}.{name}"
        if name == "priority" and self.tokens.next not in (",", ";", "["):
            raise error("priorities of channels are not read", span)
        dimensions = self._dimensions(scope)
        if kind == "chan":
            chan = Chan(full, dimensions, "urgent" in words, "broadcast" in words)
            scope.declare(name, chan, span)
            return
        if not dimensions:
            clock = Clock(full, owner, span)
            scope.declare(name, clock, span)
            self.network.clocks[full] = clock
            return
        places = product(*dimensions)
        names = [full + "".join(f"[{i}]" for i in place) for place in places]
        made = tuple(Clock(one, owner, span) for one in names)
        scope.declare(name, Clocks(made, dimensions), span)
        self.network.clocks.update({clock.full: clock for clock in made})

    def _data(self, domain: Domain, const: bool, scope: Scope[Symbol], owner: str | None) -> None:
        tokens = self.tokens
        span = tokens.span()
        name = self.word("the name of a variable")
        dimensions = self._dimensions(scope)
        initial: tuple[int, ...] = ()
        if tokens.accept("=") or tokens.accept(":="):
            initial = self._values(scope, dimensions)
        elif const and tokens.kind() != NAME and tokens.next not in (",", ";"):
            initial = self._values(scope, dimensions)  # `const N 3` of the old language
        elif const:
            raise error(f"the constant '{name}' has no value", span)
        if const and domain is INT:
            domain = WIDE  # constants are numbers of the reader, not variables of 16 bits
        for value in initial:
            if not domain.low <= value <= domain.high:
                raise error(f"{value} is not in {domain.low} .. {domain.high}", span)
        full = name if owner is None else f"{owner}.{name}"
        start = max(domain.low, min(0, domain.high))
        values = (*initial, *[start] * (cells(dimensions) - len(initial)))
        data = Data(full, domain, dimensions, values, span)
        scope.declare(name, Constant(initial, dimensions, full) if const else data, span)
        # Which cell of a constant array is meant may depend on the state.
        if not const or dimensions:
            self.network.data.append(data)

    def _values(self, scope: Scope[Symbol], dimensions: Dimensions) -> tuple[int, ...]:
        tokens = self.tokens
        if not dimensions:
            return (self._value(scope),)
        opening = tokens.expect("{", "before the values of the array")
        rows = [self._values(scope, dimensions[1:])]
        while tokens.accept(","):
            rows.append(self._values(scope, dimensions[1:]))
        tokens.expect("}", "after the values")
        if len(rows) != len(dimensions[0]):
            raise tokens.fail(f"{len(rows)} values for {len(dimensions[0])} cells", opening)
        return tuple(value for row in rows for value in row)

    def _value(self, scope: Scope[Symbol]) -> int:
        tokens = self.tokens
        if tokens.next in ("true", "false"):
            tokens.at += 1
            return int(tokens.texts[tokens.at - 1] == "true")
        return XtaExpressions(tokens, scope).constant()

    # --- templates and instances ------------------------------------------------------------------

    def _template(self) -> None:
        tokens = self.tokens
        tokens.at += 1
        span = tokens.span()
        name = self.word("the name of a process")
        if name in self.network.templates or name in self.network.scope.names:
            raise error(f"'{name}' is declared twice", span)
        parameters = self._parameters()
        opening = tokens.expect("{", f"after 'process {name}'")
        self._pass("{", "}", opening, f"process '{name}'")
        self.network.templates[name] = Template(name, parameters, opening + 1, span)

    def _pass(self, open_: str, close: str, opening: int, what: str) -> None:
        """Step behind the bracket that closes the one before the cursor."""
        tokens = self.tokens
        depth = 1
        while depth:
            if tokens.kind() == END:
                raise tokens.fail(f"{what} is not closed", opening)
            depth += (tokens.next == open_) - (tokens.next == close)
            tokens.at += 1

    def _parameters(self) -> tuple[Parameter, ...]:
        """The parameters in parentheses, if there are any."""
        tokens = self.tokens
        parameters: list[Parameter] = []
        if tokens.accept("("):
            while not tokens.accept(")"):
                # `;` in the old language, where a type may stand for several names.
                if parameters and not tokens.accept(";"):
                    tokens.expect(",", "or ')'")
                parameters.append(self._parameter(parameters[-1] if parameters else None))
        return tuple(parameters)

    def _parameter(self, before: Parameter | None) -> Parameter:
        tokens, scope = self.tokens, self.network.scope
        words = set(iter(self._modifier, ""))
        domain: Domain | None = None
        if tokens.next in ("clock", "chan"):
            tokens.at += 1
        elif self._has_type(scope):
            domain = self.range(scope)
        elif "const" in words:
            domain = INT
        elif before is not None:
            span = tokens.span()
            return Parameter(self.word("a parameter"), before.domain, before.reference, span)
        else:
            raise tokens.expected("the type of a parameter")
        reference = tokens.accept("&") or domain is None
        span = tokens.span()
        name = self.word("the name of a parameter")
        if tokens.next == "[":
            raise tokens.fail("arrays as parameters are not read")
        return Parameter(name, domain, reference, span)

    def _instance(self) -> None:
        """`P1 = P(1, x);`, or `Q(int i) = P(i, x);`, which has parameters of its own."""
        tokens, network = self.tokens, self.network
        span = tokens.span()
        name = self.word("the name of an instance")
        parameters = self._parameters()
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
        tokens = self.tokens
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
        tokens = self.tokens
        behind = tokens.at
        while template.base is not None:
            tokens.at = template.given
            scope = Scope(self.network.scope, arguments)
            arguments = self._arguments(template.base, scope, template.span)
            template = template.base
        tokens.at = behind
        return Instance(name, template, arguments, span)

    def _argument(self, parameter: Parameter, scope: Scope[Symbol]) -> Symbol:
        tokens = self.tokens
        expressions = XtaExpressions(tokens, scope)
        if parameter.reference:
            found = expressions.symbol(tokens.at)
            if isinstance(found, Clocks) and tokens.peek() == "[":
                return self._clock(expressions)
            if isinstance(found, Constant | Range | Clocks) or (
                isinstance(found, Data) != (parameter.domain is not None)
            ):
                raise tokens.fail(f"'{tokens.next}' cannot stand for '{parameter.name}'")
            tokens.at += 1
            return found
        first = tokens.at
        value = self._value(scope)
        domain = parameter.domain or INT
        if not domain.low <= value <= domain.high:
            raise tokens.fail(f"{value} is not in {domain.low} .. {domain.high}", first)
        return Constant((value,))

    def _clock(self, expressions: XtaExpressions) -> Symbol:
        """One of an array of clocks."""
        expressions.alone = True
        chosen = expressions.parse().node
        assert isinstance(chosen, Var)
        return self.network.clocks[chosen.name]

    def _named_template(self) -> Template:
        span = self.tokens.span()
        name = self.word("the name of a process")
        if name not in self.network.templates:
            raise error(
                f"no process named '{name}'", span, did_you_mean(name, self.network.templates)
            )
        return self.network.templates[name]

    def _system(self) -> None:
        tokens, network = self.tokens, self.network
        tokens.at += 1
        while True:
            span = tokens.span()
            name = tokens.next
            if name in network.instances:
                tokens.at += 1
                network.system.append(network.instances[name])
            else:
                network.system += self._free(self._named_template(), span)
            if tokens.next == "<":
                raise tokens.fail("priorities of processes are not read")
            if not tokens.accept(","):
                break
        tokens.expect(";", "after the system")
        if tokens.kind() != END:
            raise tokens.expected("the end of the text")

    def _free(self, template: Template, span: Span) -> list[Instance]:
        """A template in the system: an instance for each choice of its parameters."""
        found: list[tuple[tuple[int, ...], dict[str, Symbol]]] = [((), {})]
        for parameter in template.parameters:
            domain = parameter.domain
            if parameter.reference or domain is None:
                raise error(f"'{parameter.name}' of '{template.name}' is not given", span)
            if len(found) * (domain.high - domain.low + 1) > FREE_LIMIT:
                raise error(f"'{template.name}' has too many instances", span)
            found = [
                ((*values, v), {**arguments, parameter.name: Constant((v,))})
                for values, arguments in found
                for v in range(domain.low, domain.high + 1)
            ]
        return [
            self._made(
                template.name + (f"({','.join(map(str, values))})" if values else ""),
                template,
                arguments,
                span,
            )
            for values, arguments in found
        ]


__all__ = ["LEXICON", "Declarations", "Instance", "Network", "Template"]
