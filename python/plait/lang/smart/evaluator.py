"""Programs of SMART's language, evaluated on demand.

A definition is kept and computed when it is first asked for, then remembered; so nothing of a net
is explored before one of its measures is printed. Expressions are generators that yield what they
need and are driven by a loop with a stack of its own: recursion in a program costs memory, not
Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt

from plait.engines.budget import Budget
from plait.errors import LimitReached, Span, error
from plait.lang.smart.measures import Measures
from plait.lang.smart.options import Options
from plait.lang.smart.spn import NetBody, Part
from plait.lang.smart.syntax import (
    Apply,
    Converge,
    Declare,
    Define,
    Do,
    ForLoop,
    Guess,
    Literal,
    Member,
    Operator,
    SetOf,
    SetOption,
    Statement,
)
from plait.lang.smart.values import (
    Aggregate,
    RandomVariable,
    Value,
    chosen,
    convert,
    divided,
    operate,
    promotion,
    shown,
    type_of,
    whole,
)
from plait.logic.set_queries import ARITY, CONSTANTS
from plait.model.expr import Formula, IntExpr, Truth, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node
from plait.model.types import Model

Step = Generator["Step", Value, Value]
DEEPEST = 200_000
"""The deepest recursion of a program."""
LONGEST = 1_000_000
"""The most elements of a set."""
SWEEPS = 100_000
"""The most sweeps of a fixed point."""
RANDOM = ("expo", "geom", "equilikely", "erlang", "choose", "const_rv")
BUILT_IN = ("print", "tk", "num_states", "num_arcs", "abs", "sqrt", "div", "mod", "max", "min")
BODY = ("arcs", "inhibit", "guard", "firing", "weight", "init", "partition")


@dataclass(eq=False)
class Definition:
    """A definition and where it was made."""

    statement: Define
    scope: Scope
    values: dict[tuple[Value, ...], Value] = field(default_factory=dict)
    busy: bool = False


@dataclass(eq=False)
class Scope:
    """Names: values, definitions that may be overloaded, or arrays of either."""

    outer: Scope | None = None
    values: dict[str, Value] = field(default_factory=dict)
    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    arrays: dict[str, dict[tuple[Value, ...], Definition | Part]] = field(default_factory=dict)
    net: NetInstance | None = None

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    @property
    def home(self) -> Scope:
        """Where definitions go: loops have no names of their own but the iterator."""
        return next(s for s in self.chain() if s.outer is None or s.net is not None)


@dataclass(eq=False)
class NetInstance:
    """A net with its parameters, its parts and what is asked of it."""

    kind = "model"
    body: NetBody
    scope: Scope
    measures: Measures | None = None


class Program:
    """A program; `run` gives what it prints."""

    def __init__(self, statements: list[Statement], budget: Budget) -> None:
        self._statements = statements
        self._globals = Scope()
        self._options = Options()
        self._budget = budget
        self._write: Callable[[str], None] = lambda _: None
        self._ran = False

    def run(self, write: Callable[[str], None]) -> None:
        """Execute the program; what it prints is written."""
        self._write = write
        self._execute(self._statements, self._globals)
        self._ran = True

    def model(self, name: str, *arguments: Value) -> Model:
        """The model of a net that the program defines, with values for its parameters."""
        return self._instance(name, arguments).body.model()

    def levels(self, name: str, *arguments: Value) -> dict[int, list[str]]:
        """The places of each level of a net."""
        return self._instance(name, arguments).body.levels

    def value(self, name: str, *arguments: Value) -> Value:
        """The value of something that the program defines."""
        if not self._ran:
            self.run(lambda _: None)
        return self._drive(self._called(name, list(arguments), self._globals, None))

    def _instance(self, name: str, arguments: Sequence[Value]) -> NetInstance:
        found = self.value(name, *arguments)
        if not isinstance(found, NetInstance):
            raise error(f"'{name}' is not a net")
        return found

    # --- statements -------------------------------------------------------------------------------

    def _execute(self, statements: Sequence[Statement], scope: Scope) -> None:
        """Execute statements; loops inside wait on a list."""
        stack: list[Iterator[tuple[Statement, Scope]]] = [iter([(s, scope) for s in statements])]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
                continue
            statement, at = following
            if self._budget.remaining() == 0:
                raise LimitReached("timeout")
            if isinstance(statement, ForLoop):
                stack.append(self._looped(statement, at))
            else:
                self._one(statement, at)

    def _looped(self, loop: ForLoop, scope: Scope) -> Iterator[tuple[Statement, Scope]]:
        """The statements of a loop, for all values of its iterators."""
        for inner in self._bindings(loop, 0, scope):
            for statement in loop.body:
                yield statement, inner

    def _bindings(self, loop: ForLoop, at: int, scope: Scope) -> Iterator[Scope]:
        if at == len(loop.iterators):
            yield scope
            return
        type_, name, over = loop.iterators[at]
        for element in self._elements(over, scope):
            inner = Scope(scope, {name: convert(element, type_, over.span)})
            yield from self._bindings(loop, at + 1, inner)

    def _elements(self, over: Node, scope: Scope) -> list[Value]:
        found = self._drive(self._eval(over, scope))
        if not isinstance(found, list):
            raise error(f"a set was expected, not a {type_of(found)}", over.span)
        return found

    def _one(self, statement: Statement, scope: Scope) -> None:
        match statement:
            case SetOption(name=name, value=value, span=span):
                self._options.set(name, value, span)
            case Define():
                self._define(statement, scope)
            case Declare(kind=kind, parts=parts):
                for part in parts:
                    self._declare(kind, part, scope)
            case Do(value=value):
                self._drive(self._eval(value, scope))
            case Converge():
                self._converge(statement, scope)
            case Guess(span=span):
                raise error("a guess stands inside converge", span)
            case _:
                raise AssertionError(statement)

    def _define(self, statement: Define, scope: Scope) -> None:
        home = scope.home
        definition = Definition(statement, scope)
        if statement.name in home.values:
            raise error(f"'{statement.name}' is defined twice", statement.span)
        if statement.indices:
            key = self._key(statement.indices, scope)
            cells = home.arrays.setdefault(statement.name, {})
            if key in cells or statement.name in home.definitions:
                raise error(f"'{statement.name}' is defined twice", statement.span)
            cells[key] = definition
            return
        known = home.definitions.setdefault(statement.name, [])
        if any(_signature(d.statement) == _signature(statement) for d in known):
            raise error(f"'{statement.name}' is defined twice", statement.span)
        if statement.name in home.arrays:
            raise error(f"'{statement.name}' is an array already", statement.span)
        known.append(definition)

    def _key(self, indices: Sequence[Node], scope: Scope) -> tuple[Value, ...]:
        return tuple(_index(self._drive(self._eval(i, scope))) for i in indices)

    def _declare(self, kind: str, part: Apply, scope: Scope) -> None:
        home = scope.home
        if home.net is None:
            raise error(f"a {kind} stands in the body of a net", part.span)
        key = self._key(part.indices, scope)
        title = part.name + "".join(f"[{shown(k)}]" for k in key)
        found = Part(kind, title, part.span)
        home.net.body.declare(found)
        if key:
            home.arrays.setdefault(part.name, {})[key] = found
        else:
            home.values[part.name] = found

    # --- fixed points -----------------------------------------------------------------------------

    def _converge(self, statement: Converge, scope: Scope) -> None:
        """Compute the definitions again and again, until nothing changes any more."""
        home = scope.home
        for inner in statement.body:
            if isinstance(inner, Guess):
                value = self._drive(self._eval(inner.value, scope))
                home.values[inner.name] = convert(value, inner.type, inner.span)
            elif isinstance(inner, Define) and not inner.formals and not inner.indices:
                home.values.setdefault(inner.name, 0.0 if inner.type == "real" else 0)
            elif not isinstance(inner, ForLoop | Converge):
                raise error("converge has guesses and definitions of numbers", inner.span)
        for _ in range(SWEEPS):
            if self._sweep(statement, scope):
                return
            if self._budget.remaining() == 0:
                raise LimitReached("timeout")
        raise error(f"no fixed point after {SWEEPS} sweeps", statement.span)

    def _sweep(self, statement: Converge, scope: Scope) -> bool:
        """One computation of all; whether none of them changed by much."""
        home = scope.home
        later: dict[str, Value] = {}
        settled = True
        for inner in statement.body:
            match inner:
                case Define(name=name, type=type_, value=value, span=span) if value is not None:
                    new = convert(self._drive(self._eval(value, scope)), type_, span)
                    settled &= self._options.near(home.values[name], new, span)
                    (home.values if self._options.immediate else later)[name] = new
                case ForLoop():
                    for definition, at in self._looped(inner, scope):
                        self._execute([definition], at)
                case Converge():
                    self._converge(inner, scope)
                case _:
                    pass
        home.values.update(later)
        return settled

    # --- expressions ------------------------------------------------------------------------------

    def _drive(self, step: Step) -> Value:
        """The value of an expression: what it asks for is computed first."""
        stack: list[Step] = [step]
        value: Value = None
        count = 0
        while stack:
            count += 1
            if count % 1024 == 0 and self._budget.remaining() == 0:
                raise LimitReached("timeout")
            if len(stack) > 4 * DEEPEST:
                raise error(f"the program recurs more than {DEEPEST} times")
            try:
                asked = stack[-1].send(value)
            except StopIteration as end:
                stack.pop()
                value = end.value
            else:
                stack.append(asked)
                value = None
        return value

    def _eval(self, node: Node, scope: Scope) -> Step:
        match node:
            case Literal(value=value):
                return value
            case Operator(sign=".."):
                raise error("a range stands in the braces of a set", node.span)
            case Operator(sign=sign, operands=operands):
                values = yield self._all(operands, scope)
                assert isinstance(values, list)
                return Aggregate(tuple(values)) if sign == ":" else operate(sign, values, node.span)
            case SetOf(elements=elements):
                found: list[Value] = []
                for element in elements:
                    if isinstance(element, Operator) and element.sign == "..":
                        ends = yield self._all(element.operands, scope)
                        assert isinstance(ends, list)
                        found += _range(ends, element.span)
                    else:
                        found.append((yield self._eval(element, scope)))
                return found
            case Member(model=inner, name=name, span=span):
                model = yield self._eval(inner, scope)
                if not isinstance(model, NetInstance):
                    raise error(f"only a model has measures, not a {type_of(model)}", span)
                return (yield self._called(name, None, model.scope, span))
            case Apply(name="cond", arguments=arguments) if arguments is not None:
                return (yield self._cond(arguments, scope, node.span))
            case Apply(name=name, arguments=arguments, indices=indices, span=span):
                if indices:
                    keys = yield self._all(indices, scope)
                    assert isinstance(keys, list)
                    return (yield self._cell(name, tuple(map(_index, keys)), scope, span))
                if arguments is None:
                    return (yield self._called(name, None, scope, span))
                given = yield self._all(arguments, scope)
                assert isinstance(given, list)
                return (yield self._called(name, given, scope, span))
        raise AssertionError(node)

    def _all(self, expressions: Sequence[Node], scope: Scope) -> Step:
        """The list of the values of several expressions."""
        found: list[Value] = []
        for expression in expressions:
            value = yield self._eval(expression, scope)
            found.append(value)
        return found

    def _cond(self, arguments: Sequence[Node], scope: Scope, span: Span | None) -> Step:
        """Only the part that is chosen is computed, unless the marking chooses."""
        if len(arguments) != 3:
            raise error("cond has a condition and two values", span)
        condition = yield self._eval(arguments[0], scope)
        if isinstance(condition, Formula):
            one = yield self._eval(arguments[1], scope)
            other = yield self._eval(arguments[2], scope)
            return chosen(condition, one, other, span)
        if not isinstance(condition, bool):
            raise error(f"a bool was expected, not a {type_of(condition)}", span)
        return (yield self._eval(arguments[1 if condition else 2], scope))

    def _cell(self, name: str, key: tuple[Value, ...], scope: Scope, span: Span | None) -> Step:
        for at in scope.chain():
            cells = at.arrays.get(name)
            if cells is None:
                continue
            found = cells.get(key)
            if found is None:
                index = "".join(f"[{shown(k)}]" for k in key)
                raise error(f"there is no {name}{index}", span)
            return found if isinstance(found, Part) else (yield self._defined(found, [], span))
        raise error(f"there is no array '{name}'", span)

    def _called(
        self, name: str, given: list[Value] | None, scope: Scope, span: Span | None
    ) -> Step:
        """A name, with the values of its arguments if there are any."""
        for at in scope.chain():
            if name in at.values and given is None:
                return at.values[name]
            if name in at.definitions:
                best = _overload(at.definitions[name], given or [])
                if best is not None:
                    return (yield self._defined(best, given or [], span))
                types = ", ".join(type_of(v) for v in given or [])
                raise error(f"there is no '{name}' for ({types})", span)
        home = scope.home
        if home.net is not None and (name in ARITY or name in CONSTANTS or name == "potential"):
            return self._measures(home.net).set_function(name, given or [], span)
        if name in BODY:
            if home.net is None:
                raise error(f"'{name}' stands in the body of a net", span)
            return self._body(home.net, name, given or [], span)
        return self._built_in(name, given or [], scope, span)

    def _defined(self, definition: Definition, given: list[Value], span: Span | None) -> Step:
        statement = definition.statement
        formals = statement.formals or []
        converted = tuple(convert(v, t, span) for v, (t, _) in zip(given, formals, strict=True))
        key = tuple((type(v), v) for v in converted if not isinstance(v, list | NetInstance))
        if len(key) == len(converted) and key in definition.values:
            return definition.values[key]
        if not converted and definition.busy:
            raise error(f"'{statement.name}' is defined by itself", span or statement.span)
        names = {name: v for v, (_, name) in zip(converted, formals, strict=True)}
        if statement.value is None:
            value: Value = self._net(statement, definition.scope, names, span)
        else:
            definition.busy = not converted
            inner = Scope(definition.scope, dict(names)) if names else definition.scope
            value = yield self._eval(statement.value, inner)
            definition.busy = False
            if not isinstance(value, RandomVariable):
                value = convert(value, statement.type, statement.span)
        if len(key) == len(converted):
            definition.values[key] = value
        return value

    # --- nets -------------------------------------------------------------------------------------

    def _net(
        self, statement: Define, scope: Scope, names: dict[str, Value], span: Span | None
    ) -> NetInstance:
        if statement.type != "spn":
            raise error(f"models of type {statement.type} are not read", statement.span)
        title = statement.name
        if names:
            title += "(" + ", ".join(map(shown, names.values())) + ")"
        inner = Scope(scope, names)
        instance = NetInstance(NetBody(title), inner)
        inner.net = instance
        self._execute(statement.body, inner)
        return instance

    def _measures(self, net: NetInstance) -> Measures:
        if net.measures is None:
            net.measures = Measures(net.body, self._options, self._budget, self._write)
        return net.measures

    def _body(self, net: NetInstance, name: str, given: list[Value], span: Span | None) -> Value:
        if name == "partition":
            self._partition(net.body, given, span)
            return True
        for value in given:
            parts = value.parts if isinstance(value, Aggregate) else (value,)
            self._specify(net.body, name, parts, span)
        return True

    def _specify(
        self, body: NetBody, name: str, parts: tuple[Value, ...], span: Span | None
    ) -> None:
        """One argument of a statement about the net."""
        match name, parts:
            case "arcs" | "inhibit", (Part() as one, Part() as other, *rest) if len(rest) < 2:
                weight = rest[0] if rest else 1
                amount = weight if isinstance(weight, IntExpr) else whole(weight, span)
                if isinstance(amount, int) and amount < 0:
                    raise error("the weight of an arc is not negative", span)
                (body.arc if name == "arcs" else body.inhibit)(one, other, amount, span)
            case "guard", (Part() as event, bool() | Formula() as condition):
                body.guard(event, Truth(condition) if isinstance(condition, bool) else condition)
            case "firing", (Part() as event, timing):
                body.fire(event, immediate=isinstance(timing, int | float) and timing == 0)
            case "weight", (Part(), _):
                pass
            case "init", (Part() as place, tokens):
                count = whole(tokens, span)
                if count < 0:
                    raise error("there are no fewer than 0 tokens", span)
                body.start(place, count, span)
            case _:
                types = ":".join(type_of(p) for p in parts)
                raise error(f"{name} cannot be said of {types}", span)

    def _partition(self, body: NetBody, given: list[Value], span: Span | None) -> None:
        """Numbered levels as they say; others upward from the lowest free one, or downward."""
        groups = [v.parts if isinstance(v, Aggregate) else (v,) for v in given]
        numbered = [g for g in groups if not isinstance(g[0], Part)]
        free = [g for g in groups if isinstance(g[0], Part)]
        for level, *named in numbered:
            if whole(level, span) < 1:
                raise error("levels are numbered from 1", span)
            self._level(body, whole(level, span), named, span)
        for places in reversed(free) if self._options.downward else free:
            self._level(body, body.free_level, places, span)

    def _level(self, body: NetBody, level: int, places: Sequence[Value], span: Span | None) -> None:
        for place in places:
            if not isinstance(place, Part):
                raise error(f"a place was expected, not a {type_of(place)}", span)
            body.put_in_level(level, place, span)

    # --- functions that are there -----------------------------------------------------------------

    def _built_in(self, name: str, given: list[Value], scope: Scope, span: Span | None) -> Value:
        net = scope.home.net
        match name, given:
            case "print", _:
                self._print(given, span)
                return True
            case "tk", [Part(kind="place") as place] if net is not None:
                return Var(place.name)
            case "num_states" | "num_arcs", [bool() as show] if net is not None:
                return self._measures(net).count(name, show, span)
            case "abs", [int() | float() as value]:
                return abs(value)
            case "sqrt", [int() | float() as value] if value >= 0:
                return sqrt(value)
            case "div" | "mod", [left, right]:
                return divided(left, right, name, span)
            case "max" | "min", [_, *_] if all(
                isinstance(v, int | float) and not isinstance(v, bool) for v in given
            ):
                return (max if name == "max" else min)(given)  # type: ignore[type-var]
            case _ if name in RANDOM:
                return RandomVariable(f"{name}({', '.join(map(shown, given))})")
        known = [n for s in scope.chain() for n in (*s.values, *s.definitions, *s.arrays)]
        if name in BUILT_IN:
            types = ", ".join(type_of(v) for v in given)
            raise error(f"there is no '{name}' for ({types}) here", span)
        if name in ("avg_ss", "rate"):
            raise error("measures of stochastic nets are not computed", span)
        raise error(f"'{name}' is not defined", span, did_you_mean(name, [*known, *ARITY]))

    def _print(self, given: list[Value], span: Span | None) -> None:
        for value in given:
            width: Value = 0
            if isinstance(value, Aggregate):
                if len(value.parts) != 2:
                    raise error("what is printed has at most a width", span)
                value, width = value.parts
            self._write(shown(value).rjust(whole(width, span)))


def _signature(statement: Define) -> tuple[str, ...]:
    return tuple(type_ for type_, _ in statement.formals or ())


def _overload(definitions: Sequence[Definition], given: list[Value]) -> Definition | None:
    """The definition whose parameters are nearest to the values."""
    best: tuple[int, Definition] | None = None
    for definition in definitions:
        formals = definition.statement.formals or []
        if len(formals) != len(given):
            continue
        costs = [promotion(v, t) for v, (t, _) in zip(given, formals, strict=True)]
        if None in costs:
            continue
        cost = sum(c for c in costs if c is not None)
        if best is None or cost < best[0]:
            best = cost, definition
    return None if best is None else best[1]


def _index(value: Value) -> Value:
    """An index as a key: reals that differ by rounding only are the same."""
    return float(f"{value:.9g}") if isinstance(value, float) else value


def _range(ends: list[Value], span: Span | None) -> list[Value]:
    """`a..b` or `a..b..step`."""
    if any(isinstance(e, bool) or not isinstance(e, int | float) for e in ends):
        raise error("the ends of a range are numbers", span)
    low, high, step = [*ends, 1][:3]
    assert isinstance(low, int | float)
    assert isinstance(high, int | float)
    assert isinstance(step, int | float)
    if step == 0:
        raise error("the step of a range is not 0", span)
    size = int((high - low) / step + 1e-9) + 1 if (high - low) / step >= -1e-9 else 0
    if size > LONGEST:
        raise error(f"a set has at most {LONGEST} elements", span)
    return [low + i * step for i in range(size)]


__all__ = ["Program"]
