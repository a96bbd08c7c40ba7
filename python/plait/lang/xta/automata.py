"""The second pass over a network: the locations and edges of each instance.

Names are resolved, constants and choices of `select` are numbers, functions are executed
(`plait.lang.xta.execute`), and every clock is compared with a number only: what else clocks may be
compared with has no place in capped clocks. A branch point is gone, too: an edge to it and one of
those that leave it are one edge, and which one is open; weights are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import product

from plait.errors import Span, error
from plait.hints import cast
from plait.lang.lexer import Tokens
from plait.lang.scope import Scope
from plait.lang.xta.cases import cases
from plait.lang.xta.declarations import Declarations
from plait.lang.xta.execute import condition, number, updates
from plait.lang.xta.expressions import XtaExpressions, row_by_row
from plait.lang.xta.functions import read_updates
from plait.lang.xta.network import Instance, Network
from plait.lang.xta.program import Rate, Whole
from plait.lang.xta.symbols import Channel, Constant, Symbol, cells
from plait.model.expr import Compare, Const, Formula, IntExpr, Var, conjuncts
from plait.model.findings import did_you_mean
from plait.model.fresh import FreshNames
from plait.model.node import nodes
from plait.model.stmt import Body
from plait.records import dataclass, field, replace

SELECT_LIMIT = 10_000
"""The most edges that one `select` makes."""


@dataclass(frozen=True, slots=True)
class Location:
    """A location; time cannot pass in an urgent or committed one, and the latter is left first."""

    name: str
    number: int
    """The value of its process's `pc` there."""
    invariant: tuple[Formula, ...]
    rates: tuple[tuple[str, Formula], ...]
    """Clocks of which it says when they run: only then."""
    span: Span


@dataclass(frozen=True, slots=True)
class Sync:
    """`c[index]!` or `c[index]?`."""

    channel: Channel
    name: str
    """That of the channel, or of an array of channels, of which the one with the `index` is meant;
    the index may have choices."""
    index: IntExpr | None
    size: int
    """How many channels there are of that name."""
    sends: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of an instance."""

    source: str
    target: str
    guard: tuple[Formula, ...]
    sync: Sync | None
    updates: Body
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
        self._points: set[str] = set()
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
            if name not in automaton.locations and name not in self._points:
                known = did_you_mean(name, automaton.locations)
                raise error(f"process '{template.name}' has no location '{name}'", span, known)
        if self._points:
            automaton.edges = list(self._through_points())
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
                tokens.at += 1
                self._list(lambda: self._points.add(self._declarations.word("a branch point")))
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
        invariant: list[Formula] = []
        rates: list[tuple[str, Formula]] = []
        if tokens.accept("{"):
            for formula in () if tokens.next in ("}", ";") else self._read(self._scope):
                rate = self._rate(formula)
                if rate is not None:
                    rates.append(rate)
                else:
                    invariant += self._executed(formula)
            if tokens.accept(";") and tokens.next != "}":  # the rate of an exponential delay
                while tokens.next not in ("}", ""):
                    tokens.at += 1
            tokens.expect("}", "after the invariant")
        locations = self._automaton.locations
        locations[name] = Location(name, len(locations), tuple(invariant), tuple(rates), span)

    def _rate(self, formula: Formula) -> tuple[str, Formula] | None:
        """`x' == e` in an invariant: a clock that runs where e is 1, and stands where it is 0."""
        if not isinstance(formula, Compare) or formula.op != "==":
            return None
        for one, other in ((formula.left, formula.right), (formula.right, formula.left)):
            if isinstance(one, Rate):
                values = (value for _, value in cases(number(self._network, other)))
                found = [self._network.intervals().integer(value) for value in values]
                if any(f is None or f[0] > 1 or f[1] < 0 for f in found):
                    message = "a clock runs as time does or stands still: its rate is 0 or 1"
                    raise error(message, formula.span or one.span)
                clock = cast(Var, number(self._network, one.clock))
                runs = condition(self._network, Compare("!=", other, Const(0)))
                return clock.name, self._network.folder.formula(runs)
        return None

    def _read(self, scope: Scope[Symbol]) -> list[Formula]:
        """Conditions with commas between them, all of which must hold."""
        found: list[Formula] = []
        while True:
            read = XtaExpressions(self._tokens, self._network, scope).condition()
            found += conjuncts(read)
            if not self._tokens.accept(","):
                return found

    def _executed(self, formula: Formula) -> tuple[Formula, ...]:
        """The condition without calls and choices, as far as it is a conjunction one by one."""
        found = conjuncts(condition(self._network, formula))
        for one in found:
            check_clocks(one, self._network)
        return found

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
            constants = {n: Constant(v) for n, v in zip(names, chosen, strict=True)}
            yield Scope(self._scope, dict(constants))
        if not total:
            while tokens.next not in ("}", ""):
                tokens.at += 1
            tokens.expect("}", "after the edge")

    def _edge(self, scope: Scope[Symbol], source: str, target: str, span: Span) -> Edge:
        tokens = self._tokens
        guard: tuple[Formula, ...] = ()
        sync: Sync | None = None
        done: Body = ()
        while not tokens.accept("}"):
            if tokens.accept("guard"):
                for formula in self._read(scope):
                    guard += self._executed(formula)
            elif tokens.accept("sync"):
                sync = self._sync(scope)
            elif tokens.accept("assign"):
                done += updates(self._network, read_updates(tokens, self._network, scope))
            elif tokens.accept("probability"):  # any way that has a weight is possible
                while tokens.next not in (";", ""):
                    tokens.at += 1
            else:
                raise tokens.expected("'guard', 'sync', 'assign' or '}'")
            tokens.expect(";", "after this part of the edge")
        return Edge(source, target, guard, sync, done, span)

    def _through_points(self) -> Iterator[Edge]:
        """The edges, where those to branch points go on by those that leave them."""
        leaving: dict[str, list[Edge]] = {}
        for edge in self._automaton.edges:
            if edge.source in self._points:
                if edge.guard or edge.sync or edge.target in self._points:
                    message = (
                        "an edge from a branch point leads to a location, without guard or channel"
                    )
                    raise error(message, edge.span)
                leaving.setdefault(edge.source, []).append(edge)
        for edge in self._automaton.edges:
            if edge.target not in self._points:
                if edge.source not in self._points:
                    yield edge
                continue
            for way in leaving.get(edge.target, ()):
                yield replace(edge, target=way.target, updates=(*edge.updates, *way.updates))

    def _sync(self, scope: Scope[Symbol]) -> Sync:
        tokens = self._tokens
        first = tokens.at
        expressions = XtaExpressions(tokens, self._network, scope)
        expressions.alone = True
        node = expressions.parse().node
        span = tokens.span(first, tokens.at - 1)
        if not isinstance(node, Whole) or not isinstance(node.place.type, Channel):
            raise tokens.fail(f"'{tokens.texts[first]}' is not a channel", first)
        place, channel = node.place, node.place.type
        index: IntExpr | None = None
        if place.dimensions:
            index = number(self._network, row_by_row(place.dimensions, place.places, span))
        sends = tokens.accept("!")
        if not sends:
            tokens.expect("?", "or '!'")
        span = tokens.span(first, tokens.at - 1)
        return Sync(channel, place.full, index, cells(place.dimensions), sends, span)


def check_clocks(condition: Formula, network: Network) -> None:
    """Clocks are compared with data, and with nothing else."""
    clocks, greatest = network.clocks, network.greatest
    rate = next((n for n in nodes(condition) if isinstance(n, Rate)), None)
    if rate is not None:
        message = "the rate of a clock stands in an invariant, as in 'x' == 0'"
        raise error(message, rate.span)
    for node in nodes(condition):
        clock = next((c for c in node.children() if isinstance(c, Var) and c.name in clocks), None)
        if clock is None or (isinstance(node, Compare) and clock_test(node, clocks, greatest)):
            continue
        raise error(
            "a clock is compared with a number, and with nothing else",
            condition.span or clock.span,
            hint="differences of clocks are not read",
        )


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


__all__ = [
    "Automaton",
    "Edge",
    "Greatest",
    "Location",
    "Sync",
    "check_clocks",
    "clock_test",
    "read_automata",
]
