"""Declarations: types, variables, clocks and channels.

What begins as a declaration may be a function (`plait.lang.xta.functions`). A variable becomes one
variable of the model, or several if it is a structure (`plait.lang.xta.symbols`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from plait.errors import Span, error
from plait.lang.lexer import NAME, Tokens
from plait.lang.scope import Scope
from plait.lang.xta.expressions import XtaExpressions, row_by_row, value_of
from plait.lang.xta.network import Network
from plait.lang.xta.program import Whole
from plait.lang.xta.symbols import (
    BOOL,
    INT,
    WIDE,
    Array,
    Channel,
    Clock,
    Constant,
    Data,
    Dimensions,
    Named,
    Number,
    Parameter,
    Path,
    Place,
    Record,
    Symbol,
    Timer,
    Type,
    arrayed,
    cells,
    leaves,
)
from plait.model.expr import Const, IntExpr
from plait.model.shape import ARRAY_LIMIT, evaluate_constant
from plait.model.types import Domain

KINDS = frozenset(
    (
        *("int", "bool", "clock", "chan", "scalar", "struct", "void"),
        *("const", "urgent", "broadcast", "typedef", "meta"),
    )
)
"""Words with which a declaration begins."""
UNREAD = {
    "double": "floating-point numbers are not read: data are integers here",
    "string": "strings are not read: data are integers here",
    "hybrid": "hybrid clocks are not read: time passes in whole units here",
    "dynamic": "dynamic templates are not read: they belong to stochastic models",
    "import": "external functions are not read",
    "before_update": "global updates are not read",
    "after_update": "global updates are not read",
}
NESTING = 50
"""The most structures inside one another."""


class Declarations:
    """Reads declarations, at the cursor of `tokens`, into a network."""

    def __init__(self, tokens: Tokens, network: Network) -> None:
        self.tokens = tokens
        self.network = network
        self._depth = 0

    def word(self, what: str) -> str:
        """A name."""
        if self.tokens.kind() != NAME:
            raise self.tokens.expected(what)
        self.tokens.at += 1
        return self.tokens.texts[self.tokens.at - 1]

    def declares(self, scope: Scope[Symbol]) -> bool:
        """Whether a declaration begins here."""
        self._refuse_unread()
        return self.tokens.next in KINDS or isinstance(scope.find(self.tokens.next), Named)

    def declaration(self, scope: Scope[Symbol], owner: str | None = None) -> None:
        """`int[0,5] a, b = 2;`, of a process if there is an owner; or a function."""
        tokens = self.tokens
        if tokens.accept("typedef"):
            type_ = self.type(scope)
            while True:
                span = tokens.span()
                name = self.word("the name of a type")
                scope.declare(name, Named(arrayed(type_, self.dimensions(scope))), span)
                if not tokens.accept(","):
                    break
            tokens.expect(";", "after the declaration")
            return
        const = "const" in self._words_ahead()
        result = None if tokens.accept("void") else self.type(scope)
        if tokens.kind() == NAME and tokens.peek() == "(":
            from plait.lang.xta.functions import read_function

            read_function(tokens, self.network, scope, result, owner)
            tokens.accept(";")
            return
        if result is None:
            raise tokens.expected("the name of a function, and its parameters")
        ordered = isinstance(result, Channel) and tokens.next == "priority"
        if ordered and tokens.peek() not in (",", ";", "["):
            self._priorities(scope)
            return
        while True:
            self._variable(result, const, scope, owner)
            if not tokens.accept(","):
                break
        tokens.expect(";", "after the declaration")

    def _priorities(self, scope: Scope[Symbol]) -> None:
        """`chan priority a, b[0] < default < c;`: those behind come first."""
        tokens, network = self.tokens, self.network
        first = tokens.at
        level = 0
        tokens.at += 1
        while True:
            if tokens.accept("default"):
                network.levels[""] = level
            else:
                at = tokens.at
                expressions = XtaExpressions(tokens, network, scope)
                expressions.alone = True
                node = expressions.parse().node
                if not isinstance(node, Whole) or not isinstance(
                    next(leaves(node.place.type))[2], Channel
                ):
                    raise tokens.fail("expected a channel or 'default'", at)
                for one in node.place.singles():
                    network.levels[channel_name(one)] = level
            if tokens.accept("<"):
                level += 1
            elif not tokens.accept(","):
                break
        tokens.expect(";", "after the channels")
        if "" not in network.levels:
            hint = "all other channels, and edges without one, have that priority"
            raise tokens.fail("'default' has no place among these channels", first, hint)

    def _words_ahead(self) -> set[str]:
        """The words before a type, which stay."""
        ahead = 0
        found: set[str] = set()
        while self.tokens.peek(ahead) in ("const", "urgent", "broadcast", "meta"):
            found.add(self.tokens.peek(ahead))
            ahead += 1
        return found

    def _refuse_unread(self) -> None:
        if self.tokens.next in UNREAD:
            raise self.tokens.fail(UNREAD[self.tokens.next])

    # --- types ------------------------------------------------------------------------------------

    def type(self, scope: Scope[Symbol]) -> Type:
        """A type, with the words before it."""
        tokens = self.tokens
        words = self._words_ahead()
        tokens.at += len(words)
        self._refuse_unread()
        if tokens.accept("clock"):
            return Timer()
        if tokens.accept("chan"):
            return Channel("urgent" in words, "broadcast" in words)
        if tokens.accept("struct"):
            return self._record(scope)
        found = scope.find(tokens.next)
        if isinstance(found, Named):
            tokens.at += 1
            return found.type
        if "const" in words and tokens.next not in ("int", "bool", "scalar"):
            return Number(INT)  # the old language has constants without a type
        return Number(self.range(scope))

    def range(self, scope: Scope[Symbol]) -> Domain:
        """A type of numbers; there may be none, so that no process of a template is made."""
        tokens = self.tokens
        tokens.accept("const")
        self._refuse_unread()
        if tokens.accept("bool"):
            return BOOL
        if tokens.accept("int"):
            if not tokens.accept("["):
                return INT
            low = self._constant(scope)
            tokens.expect(",", "between the ends of the range")
            high = self._constant(scope)
            tokens.expect("]", "after the range")
            return Domain(low, max(high, low - 1))
        if tokens.accept("scalar"):
            tokens.expect("[", "after 'scalar'")
            size = self._constant(scope)
            tokens.expect("]", "after the size")
            return Domain(0, max(size - 1, 0))
        found = scope.find(tokens.next)
        if isinstance(found, Named) and isinstance(found.type, Number):
            tokens.at += 1
            return found.type.domain
        raise tokens.expected("a type" if found is None else "a range of numbers")

    def _record(self, scope: Scope[Symbol]) -> Record:
        tokens = self.tokens
        tokens.expect("{", "after 'struct'")
        if self._depth == NESTING:
            raise tokens.fail(f"more than {NESTING} structures, one inside the other")
        self._depth += 1
        fields: dict[str, Type] = {}
        while not tokens.accept("}"):
            type_ = self.type(scope)
            while True:
                span = tokens.span()
                name = self.word("the name of a field")
                if name in fields:
                    raise error(f"the field '{name}' is declared twice", span)
                fields[name] = arrayed(type_, self.dimensions(scope))
                if isinstance(next(leaves(fields[name]))[2], Timer | Channel):
                    raise error("clocks and channels in structures are not read", span)
                if not tokens.accept(","):
                    break
            tokens.expect(";", "after the field")
        self._depth -= 1
        if not fields:
            raise tokens.fail("this structure has no fields", tokens.at - 1)
        return Record(tuple(fields.items()))

    def dimensions(self, scope: Scope[Symbol]) -> Dimensions:
        """The brackets behind the name of an array: so many cells, or a type of indices."""
        tokens = self.tokens
        found: list[range] = []
        while tokens.accept("["):
            at = tokens.at
            if self.is_range(scope):
                domain = self.range(scope)
                found.append(range(domain.low, domain.high + 1))
            else:
                found.append(range(self._constant(scope)))
            tokens.expect("]", "after the size")
            size = cells(tuple(found))
            if not 1 <= size <= ARRAY_LIMIT:
                message = f"the size of an array is in 1 .. {ARRAY_LIMIT}, not {size}"
                raise tokens.fail(message, at)
        return tuple(found)

    def is_range(self, scope: Scope[Symbol]) -> bool:
        """Whether a type of numbers is next."""
        text = self.tokens.next
        return text in ("int", "bool", "scalar") or isinstance(scope.find(text), Named)

    def _constant(self, scope: Scope[Symbol]) -> int:
        return XtaExpressions(self.tokens, self.network, scope).constant()

    # --- variables --------------------------------------------------------------------------------

    def _variable(self, type_: Type, const: bool, scope: Scope[Symbol], owner: str | None) -> None:
        span = self.tokens.span()
        name = self.word("the name of a variable")
        type_ = arrayed(type_, self.dimensions(scope))
        full = name if owner is None else f"{owner}.{name}"
        place = Place(full, type_)
        one = next(leaves(type_))[2]
        if isinstance(one, Timer):
            self._clocks(place, owner, scope, span)
        elif isinstance(one, Number):
            place = self._data(place, const, scope, span)
        symbol: Symbol = place
        if place.values is not None and isinstance(type_, Number):
            symbol = Constant(place.values[full][0])
        scope.declare(name, symbol, span)

    def _clocks(self, place: Place, owner: str | None, scope: Scope[Symbol], span: Span) -> None:
        (_, dimensions, _) = next(leaves(place.type))
        names = [place.full]
        start = 0
        if dimensions:
            places = product(*dimensions)
            names = [place.full + "".join(f"[{i}]" for i in one) for one in places]
            self.network.timers[place.full] = tuple(names)
        elif self.tokens.accept("="):
            start = self._constant(scope)
            if start < 0:
                raise error("a clock is not negative", span)
        self.network.clocks.update({one: Clock(one, owner, span, start) for one in names})

    def _data(self, place: Place, const: bool, scope: Scope[Symbol], span: Span) -> Place:
        tokens = self.tokens
        initial: dict[Path, list[IntExpr]] | None = None
        # `const N 3` of the old language has no sign between them.
        old = const and tokens.kind() != NAME and tokens.next not in (",", ";")
        if tokens.accept("=") or tokens.accept(":=") or old:
            initial = self.initial(place.type, scope, lambda: Const(self._constant(scope)))
        elif const:
            raise error(f"the constant '{place.full}' has no value", span)
        values: dict[str, tuple[int, ...]] = {}
        for path, dimensions, one in leaves(place.type):
            assert isinstance(one, Number)
            refuse_empty(one, span)
            full = ".".join((place.full, *path))
            # Constants are numbers of the reader, not variables of 16 bits.
            domain = WIDE if const and one.domain is INT else one.domain
            if initial is None:
                values[full] = (one.start,) * cells(dimensions)
            else:
                values[full] = tuple(evaluate_constant(value, {}) for value in initial[path])
            for value in values[full]:
                if not domain.low <= value <= domain.high:
                    raise error(f"{value} is not in {domain.low} .. {domain.high}", span)
            # Which cell of a constant array is meant may depend on the state.
            if not const or dimensions:
                data = Data(full, domain, dimensions, values[full], span)
                self.network.declare(data, const)
        return Place(place.full, place.type, values=values) if const else place

    def initial(
        self, type_: Type, scope: Scope[Symbol], read: Callable[[], IntExpr]
    ) -> dict[Path, list[IntExpr]]:
        """Initial values, by the variables that a variable of the type consists of."""
        tokens = self.tokens
        if isinstance(type_, Number):
            return {(): [read()]}
        if tokens.next != "{":
            return self._copied(type_, scope)
        opening = tokens.expect("{")
        found: dict[Path, list[IntExpr]] = {path: [] for path, _, _ in leaves(type_)}
        parts: list[tuple[Path, Type]]
        if isinstance(type_, Array):
            parts = [((), type_.element)] * len(type_.indices)
        else:
            assert isinstance(type_, Record)
            parts = [((name,), inner) for name, inner in type_.fields]
        count = 0
        while not tokens.accept("}"):
            if count:
                tokens.expect(",", "or '}'")
            if count < len(parts):
                before, inner = parts[count]
                if before and tokens.next == before[0] and tokens.peek() == ":":
                    tokens.at += 2
                for path, values in self.initial(inner, scope, read).items():
                    found[*before, *path] += values
            else:
                self.initial(parts[-1][1], scope, read)
            count += 1
        if count != len(parts):
            what = "cells" if isinstance(type_, Array) else "fields"
            raise tokens.fail(f"{count} values for {len(parts)} {what}", opening)
        return found

    def _copied(self, type_: Type, scope: Scope[Symbol]) -> dict[Path, list[IntExpr]]:
        """The values of another array or structure."""
        tokens = self.tokens
        first = tokens.at
        expressions = XtaExpressions(tokens, self.network, scope)
        expressions.alone = True
        node = expressions.parse().node
        if not isinstance(node, Whole) or node.place.type != type_:
            raise tokens.fail("expected '{' before the values", first)
        found: dict[Path, list[IntExpr]] = {}
        for single in node.place.singles():
            path = single.path[len(node.place.path) :]
            found.setdefault(path, []).append(value_of(single, node.span))
        return found

    # --- parameters -------------------------------------------------------------------------------

    def parameters(self, scope: Scope[Symbol]) -> tuple[Parameter, ...]:
        """The parameters of a template or function in parentheses, if there are any."""
        tokens = self.tokens
        parameters: list[Parameter] = []
        if tokens.accept("("):
            while not tokens.accept(")"):
                # `;` in the old language, where a type may stand for several names.
                if parameters and not tokens.accept(";"):
                    tokens.expect(",", "or ')'")
                parameters.append(self._parameter(scope, parameters[-1] if parameters else None))
        return tuple(parameters)

    def _parameter(self, scope: Scope[Symbol], before: Parameter | None) -> Parameter:
        tokens = self.tokens
        if before is not None and tokens.kind() == NAME and tokens.peek() in (",", ";", ")"):
            span = tokens.span()
            return Parameter(self.word("a parameter"), before.type, before.reference, span)
        if not self.declares(scope):
            raise tokens.expected("the type of a parameter")
        const = "const" in self._words_ahead()
        type_ = self.type(scope)
        if const and type_ == Number(INT):
            type_ = Number(WIDE)
        reference = tokens.accept("&")
        span = tokens.span()
        name = self.word("the name of a parameter")
        type_ = arrayed(type_, self.dimensions(scope))
        if isinstance(next(leaves(type_))[2], Timer | Channel):
            reference = True
        return Parameter(name, type_, reference, span)


def channel_name(place: Place) -> str:
    """The name of a channel, with its number if it is one of an array."""
    if not place.dimensions:
        return place.name
    index = row_by_row(place.dimensions, place.places, None)
    return f"{place.name}[{index.value}]" if isinstance(index, Const) else place.name


def refuse_empty(type_: Number, span: Span) -> None:
    """A variable has a value."""
    if type_.domain.low > type_.domain.high:
        raise error("this range is empty, and a variable has a value", span)


__all__ = ["Declarations", "channel_name"]
