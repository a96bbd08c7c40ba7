"""The second pass over a network: the locations and edges of each instance.

Names are resolved, constants and choices of `select` are numbers, and every clock is compared with
a constant only: what else clocks may be compared with has no place in capped clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import product

from plait.errors import Span, error
from plait.lang.lexer import Tokens
from plait.lang.scope import Scope
from plait.lang.xta.declarations import Declarations, Instance, Network
from plait.lang.xta.expressions import XtaExpressions, row_by_row
from plait.lang.xta.symbols import Chan, Clock, Clocks, Constant, Data, Symbol
from plait.model.expr import Binary, Compare, Const, Formula, IntExpr, Var, conjuncts
from plait.model.findings import did_you_mean
from plait.model.fresh import FreshNames
from plait.model.node import nodes
from plait.model.shape import evaluate_constant
from plait.model.stmt import Assign
from plait.records import dataclass, field

SELECT_LIMIT = 10_000
"""The most edges that one `select` makes."""


@dataclass(frozen=True, slots=True)
class Location:
    """A location; time cannot pass in an urgent or committed one, and the latter is left first."""

    name: str
    number: int
    """The value of its process's `pc` there."""
    invariant: tuple[Formula, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Sync:
    """`c[index]!` or `c[index]?`."""

    channel: Chan
    index: IntExpr | None
    sends: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of an instance."""

    source: str
    target: str
    guard: tuple[Formula, ...]
    sync: Sync | None
    updates: tuple[Assign, ...]
    span: Span


@dataclass(slots=True)
class Automaton:
    """An instance with its locations and edges."""

    instance: Instance
    pc: str = ""
    """The variable that holds its location."""
    locations: dict[str, Location] = field(default_factory=dict)
    initial: str = ""
    urgent: set[str] = field(default_factory=set)
    committed: set[str] = field(default_factory=set)
    edges: list[Edge] = field(default_factory=list)
    scope: Scope[Symbol] = field(default_factory=Scope)
    """The names that are known inside."""

    @property
    def name(self) -> str:
        """The name of the process."""
        return self.instance.name


def read_automata(tokens: Tokens, network: Network) -> list[Automaton]:
    """The instances of the system, in its order."""
    found: dict[str, Automaton] = {}
    for instance in network.system:
        if instance.name in found:
            raise error(f"'{instance.name}' is twice in the system", instance.span)
        found[instance.name] = _Reader(tokens, network, instance).read()
    return list(found.values())


class _Reader:
    def __init__(self, tokens: Tokens, network: Network, instance: Instance) -> None:
        self._tokens = tokens
        self._network = network
        arguments = Scope(network.scope, dict(instance.arguments))
        self._scope = Scope(arguments)
        self._automaton = Automaton(instance, scope=self._scope)
        self._mentioned: list[tuple[str, Span]] = []
        self._declarations = Declarations(tokens, network)

    def read(self) -> Automaton:
        tokens, automaton = self._tokens, self._automaton
        tokens.at = automaton.instance.template.body
        while not tokens.accept("}"):
            self._part()
        automaton.pc = f"{automaton.name}.{FreshNames(self._scope.names).fresh('location')}"
        template = automaton.instance.template
        if not automaton.initial:
            raise error(f"process '{template.name}' has no initial location", template.span)
        for name, span in self._mentioned:
            if name not in automaton.locations:
                known = did_you_mean(name, automaton.locations)
                raise error(f"process '{template.name}' has no location '{name}'", span, known)
        return automaton

    def _part(self) -> None:
        tokens, automaton = self._tokens, self._automaton
        declared = tokens.next == "urgent" and tokens.peek() in ("chan", "broadcast")
        match tokens.next:
            case "state":
                tokens.at += 1
                self._list(self._location)
            case "init":
                tokens.at += 1
                automaton.initial = self._mention()
                tokens.expect(";", "after 'init'")
            case "commit":
                tokens.at += 1
                self._list(lambda: automaton.committed.add(self._mention()))
            case "urgent" if not declared:
                tokens.at += 1
                self._list(lambda: automaton.urgent.add(self._mention()))
            case "trans":
                tokens.at += 1
                self._edges()
            case "branchpoint":
                raise tokens.fail("branch points are not read: probabilities mean nothing here")
            case _:
                if not self._declarations.declares(self._scope):
                    raise tokens.expected("a declaration, 'state', 'init' or 'trans'")
                self._declarations.declaration(self._scope, automaton.name)

    def _list(self, one: Callable[[], None]) -> None:
        one()
        while self._tokens.accept(","):
            one()
        self._tokens.expect(";", "or ','")

    def _mention(self) -> str:
        span = self._tokens.span()
        name = self._declarations.word("a location")
        self._mentioned.append((name, span))
        return name

    def _location(self) -> None:
        tokens = self._tokens
        span = tokens.span()
        name = self._declarations.word("a location")
        if name in self._automaton.locations:
            raise error(f"the location '{name}' is declared twice", span)
        invariant: tuple[Formula, ...] = ()
        if tokens.accept("{"):
            if tokens.next != "}":
                invariant = self._conditions(self._scope)
            tokens.expect("}", "after the invariant")
        locations = self._automaton.locations
        locations[name] = Location(name, len(locations), invariant, span)

    def _conditions(self, scope: Scope[Symbol]) -> tuple[Formula, ...]:
        """Conditions with commas between them, all of which must hold."""
        found: list[Formula] = []
        while True:
            condition = XtaExpressions(self._tokens, scope).condition()
            self._check_clocks(condition)
            found += conjuncts(condition)
            if not self._tokens.accept(","):
                return tuple(found)

    def _check_clocks(self, condition: Formula) -> None:
        """Clocks are compared with data, and with nothing else."""
        clocks, greatest = self._network.clocks, self._network.greatest
        seen = sum(isinstance(n, Var) and n.name in clocks for n in nodes(condition))
        if not seen:
            return
        compared = sum(
            isinstance(n, Compare) and clock_test(n, clocks, greatest) is not None
            for n in nodes(condition)
        )
        if seen != compared:
            raise error(
                "a clock is compared with a number, and with nothing else",
                condition.span,
                hint="differences of clocks are not read",
            )

    # --- edges ------------------------------------------------------------------------------------

    def _edges(self) -> None:
        tokens = self._tokens
        source = ""
        while tokens.next != ";":
            first = tokens.at
            if tokens.next != "->":
                source = self._mention()
            elif not source:
                raise tokens.fail("the first edge needs a source")
            tokens.expect("->", "after the source")
            target = self._mention()
            span = tokens.span(first, tokens.at - 1)
            tokens.expect("{", "after the target")
            for scope in self._choices():
                self._automaton.edges.append(self._edge(scope, source, target, span))
            if not tokens.accept(","):
                break
        tokens.expect(";", "or ',' after the edge")

    def _choices(self) -> Iterator[Scope[Symbol]]:
        """The scope of the edge, one for each choice of its `select`, with the cursor behind it."""
        tokens = self._tokens
        if not tokens.accept("select"):
            yield self._scope
            return
        names: list[str] = []
        ranges: list[range] = []
        while True:
            names.append(self._declarations.word("a name"))
            tokens.expect(":", "after the name")
            domain = self._declarations.range(self._scope)
            ranges.append(range(domain.low, domain.high + 1))
            if not tokens.accept(","):
                break
        tokens.expect(";", "after 'select'")
        behind = tokens.at
        total = 1
        for values in ranges:
            total *= len(values)
        if total > SELECT_LIMIT:
            raise tokens.fail(f"more than {SELECT_LIMIT} choices", behind - 1)
        for chosen in product(*ranges):
            tokens.at = behind
            constants = {n: Constant((v,)) for n, v in zip(names, chosen, strict=True)}
            yield Scope(self._scope, dict(constants))

    def _edge(self, scope: Scope[Symbol], source: str, target: str, span: Span) -> Edge:
        tokens = self._tokens
        guard: tuple[Formula, ...] = ()
        sync: Sync | None = None
        updates: tuple[Assign, ...] = ()
        while not tokens.accept("}"):
            if tokens.accept("guard"):
                guard += self._conditions(scope)
            elif tokens.accept("sync"):
                sync = self._sync(scope)
            elif tokens.accept("assign"):
                updates += self._updates(scope)
            else:
                raise tokens.expected("'guard', 'sync', 'assign' or '}'")
            tokens.expect(";", "after this part of the edge")
        return Edge(source, target, guard, sync, updates, span)

    def _sync(self, scope: Scope[Symbol]) -> Sync:
        tokens = self._tokens
        first = tokens.at
        channel = XtaExpressions(tokens, scope).symbol(first)
        tokens.at += 1
        if not isinstance(channel, Chan):
            raise tokens.fail(f"'{tokens.texts[first]}' is not a channel", first)
        index: IntExpr | None = None
        if channel.dimensions:
            places: list[IntExpr] = []
            for _ in channel.dimensions:
                tokens.expect("[", "after an array of channels")
                places.append(XtaExpressions(tokens, scope).number())
                tokens.expect("]", "after the number of the channel")
            index = row_by_row(channel.dimensions, places, tokens.span(first, tokens.at - 1))
        sends = tokens.accept("!")
        if not sends:
            tokens.expect("?", "or '!'")
        return Sync(channel, index, sends, tokens.span(first, tokens.at - 1))

    def _updates(self, scope: Scope[Symbol]) -> tuple[Assign, ...]:
        found = [self._update(scope)]
        while self._tokens.accept(","):
            found.append(self._update(scope))
        return tuple(found)

    def _update(self, scope: Scope[Symbol]) -> Assign:
        tokens = self._tokens
        first = tokens.at
        expressions = XtaExpressions(tokens, scope)
        symbol = expressions.symbol(first)
        expressions.alone = True
        target = expressions.parse().node
        if not isinstance(target, Var) or not isinstance(symbol, Data | Clock | Clocks):
            raise tokens.fail("only a variable or a clock can be assigned", first)
        sign = tokens.next
        tokens.at += 1
        one = Const(1)
        match sign:
            case ":=" | "=":
                value = XtaExpressions(tokens, scope).number()
            case "++" | "--":
                value = Binary("+" if sign == "++" else "-", target, one)
            case "+=" | "-=":
                value = Binary(
                    "+" if sign == "+=" else "-", target, XtaExpressions(tokens, scope).number()
                )
            case _:
                tokens.at -= 1
                raise tokens.expected("':='")
        span = tokens.span(first, tokens.at - 1)
        if not isinstance(symbol, Data):
            start = evaluate_constant(value, {})
            if start < 0:
                raise error("a clock is not negative", span)
            value = Const(start)
        elif any(isinstance(n, Var) and n.name in self._network.clocks for n in nodes(value)):
            raise error("the value of a clock cannot be assigned", span)
        return Assign(target, value, span=span)


Greatest = Callable[[IntExpr], int | None]
"""The greatest value that an expression may have; none where it is not of data alone."""


def clock_test(
    node: Compare, clocks: Collection[str], greatest: Greatest
) -> tuple[str, int] | None:
    """The clock that a comparison is about, and the greatest number with which it compares it."""
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, Var) and one.name in clocks:
            most = greatest(other)
            return None if most is None else (one.name, most)
    return None


__all__ = ["Automaton", "Edge", "Greatest", "Location", "Sync", "clock_test", "read_automata"]
