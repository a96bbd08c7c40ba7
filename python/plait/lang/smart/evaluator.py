"""Programs of SMART's language, evaluated on demand.

A definition is kept and computed when it is first asked for, then remembered; so nothing of a net
is explored before one of its measures is printed. Expressions are generators that yield what they
need and are driven by a loop with a stack of its own: recursion in a program costs memory, not
Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from plait.engines.budget import Budget
from plait.errors import LimitReached, Span, error
from plait.lang.smart import functions, net_statements
from plait.lang.smart import measures as of_sets
from plait.lang.smart.measures import Measures
from plait.lang.smart.options import Options
from plait.lang.smart.scope import Definition, Key, NetInstance, Scope, overload
from plait.lang.smart.spn import NetBody, Part
from plait.lang.smart.syntax import (
    NETS,
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
    StateSet,
    Value,
    chosen,
    convert,
    operate,
    shown,
    type_of,
    whole,
)
from plait.model.expr import Formula, Var
from plait.model.findings import did_you_mean
from plait.model.node import Node
from plait.model.types import Model

Step = Generator["Step", Value, Value]
Cells = dict[Any, Value]
"""Values by their names, or those of an array by their indices."""
DEEPEST = 200_000
"""The deepest recursion of a program."""
NESTED = 50
"""The deepest nesting of fixed points, and of nets whose bodies need others."""
SWEEPS = 100_000
"""The most sweeps of a fixed point."""
BUILT_IN = ("print", "compute", "tk", "num_states", "num_arcs", *functions.READS)
WIDEST = 1_000
"""The most characters to which what is printed is filled up."""


class Program:
    """A program; `run` gives what it prints."""

    def __init__(self, statements: list[Statement], budget: Budget) -> None:
        self._statements = statements
        self._globals = Scope(values={"null": None})
        self._options = Options()
        self._budget = budget
        self._write: Callable[[str], None] = lambda _: None
        self._read: Callable[[str], str | None] = lambda _: None
        self._ran = False
        self._nested = 0

    def run(
        self, write: Callable[[str], None], read: Callable[[str], str | None] | None = None
    ) -> None:
        """Execute the program; what it prints is written.

        `read` gives the next word for what the program asks for, none at the end.
        """
        self._write = write
        self._read = read or self._read
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
        for statement, at in self._unrolled(statements, scope):
            self._one(statement, at)

    def _unrolled(
        self, statements: Sequence[Statement], scope: Scope
    ) -> Iterator[tuple[Statement, Scope]]:
        """The statements with their scopes, those of a loop for all values of its iterators."""
        stack: list[Iterator[tuple[Statement, Scope]]] = [iter([(s, scope) for s in statements])]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
                continue
            self._keep_time()
            statement, at = following
            if isinstance(statement, ForLoop):
                stack.append(self._looped(statement, at))
            else:
                yield statement, at

    def _looped(self, loop: ForLoop, scope: Scope) -> Iterator[tuple[Statement, Scope]]:
        """What a loop executes; the set of an iterator may depend on those before it."""
        stack: list[Iterator[Scope]] = [iter([scope])]
        while stack:
            inner = next(stack[-1], None)
            if inner is None:
                stack.pop()
            elif len(stack) > len(loop.iterators):
                yield from ((statement, inner) for statement in loop.body)
            else:
                stack.append(self._bound(loop.iterators[len(stack) - 1], inner))

    def _bound(self, iterator: tuple[str, str, Node], scope: Scope) -> Iterator[Scope]:
        type_, name, over = iterator
        for element in self._elements(over, scope):
            yield Scope(scope, {name: convert(element, type_, over.span)})

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
        if any(d.signature == definition.signature for d in known):
            raise error(f"'{statement.name}' is defined twice", statement.span)
        if statement.name in home.arrays:
            raise error(f"'{statement.name}' is an array already", statement.span)
        known.append(definition)

    def _key(self, indices: Sequence[Node], scope: Scope) -> Key:
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
        for inner in statement.body:
            if isinstance(inner, Guess):
                value = self._drive(self._eval(inner.value, scope))
                scope.home.values[inner.name] = convert(value, inner.type, inner.span)
        for inner, at in self._unrolled(statement.body, scope):
            match inner:
                case Define(formals=None | [], value=Node()):
                    cells, key = self._unknown(inner, at)
                    cells.setdefault(key, 0.0 if inner.type == "real" else 0)
                case Converge():
                    pass
                case Guess() if at is scope:
                    pass
                case _:
                    raise error("converge has guesses and definitions of numbers", inner.span)
        with self._nesting(statement.span):
            for _ in range(SWEEPS):
                if self._sweep(statement, scope):
                    return
                self._keep_time()
        raise error(f"no fixed point after {SWEEPS} sweeps", statement.span)

    def _sweep(self, statement: Converge, scope: Scope) -> bool:
        """One computation of all; whether none of them changed by much."""
        later: list[tuple[Cells, Any, Value]] = []
        settled = True
        for inner, at in self._unrolled(statement.body, scope):
            if isinstance(inner, Converge):
                self._converge(inner, at)
            elif isinstance(inner, Define):
                assert inner.value is not None
                found = self._drive(self._eval(inner.value, at))
                new = convert(found, inner.type, inner.span)
                cells, key = self._unknown(inner, at)
                settled &= self._options.near(cells[key], new, inner.span)
                if self._options.immediate:
                    cells[key] = new
                else:
                    later.append((cells, key, new))
        for cells, key, new in later:
            cells[key] = new
        return settled

    def _unknown(self, statement: Define, scope: Scope) -> tuple[Cells, Any]:
        """Where the value of a number of a fixed point is kept."""
        home = scope.home
        if not statement.indices:
            return home.values, statement.name
        return home.arrays.setdefault(statement.name, {}), self._key(statement.indices, scope)

    # --- expressions ------------------------------------------------------------------------------

    def _drive(self, step: Step) -> Value:
        """The value of an expression: what it asks for is computed first."""
        stack: list[Step] = [step]
        value: Value = None
        count = 0
        while stack:
            count += 1
            if count % 1024 == 0:
                self._keep_time()
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
                        found += functions.numbers(ends, element.span)
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

    def _cell(self, name: str, key: Key, scope: Scope, span: Span | None) -> Step:
        for at in scope.chain():
            cells = at.arrays.get(name)
            if cells is None:
                continue
            if key not in cells:
                index = "".join(f"[{shown(k)}]" for k in key)
                raise error(f"there is no {name}{index}", span)
            found = cells[key]
            if isinstance(found, Definition):
                return (yield self._defined(found, [], span))
            return found
        raise error(f"there is no array '{name}'", span)

    def _called(
        self, name: str, given: list[Value] | None, scope: Scope, span: Span | None
    ) -> Step:
        """A name, with the values of its arguments if there are any."""
        for at in scope.chain():
            if name in at.values and given is None:
                return at.values[name]
            if name in at.definitions:
                best = overload(at.definitions[name], given or [])
                if best is not None:
                    return (yield self._defined(best, given or [], span))
                types = ", ".join(type_of(v) for v in given or [])
                raise error(f"there is no '{name}' for ({types})", span)
        home = scope.home
        if name in of_sets.NAMES:
            net = next((v.net for v in given or [] if isinstance(v, StateSet)), None)
            if net is None and home.net is not None:
                net = self._measures(home.net)
            if net is not None:
                return net.set_function(name, given or [], span)
        if name in net_statements.NAMES:
            if home.net is None:
                raise error(f"'{name}' stands in the body of a net", span)
            downward = self._options.downward
            net_statements.say(home.net.body, name, given or [], span, downward=downward)
            return True
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
        if statement.type == "void":
            return (yield self._done(statement, Scope(definition.scope, names)))
        if statement.value is None:
            value: Value = self._net(statement, definition.scope, names, span)
        else:
            definition.busy = not converted
            inner = Scope(definition.scope, dict(names)) if names else definition.scope
            try:
                value = yield self._eval(statement.value, inner)
            finally:
                definition.busy = False
            if not isinstance(value, RandomVariable):
                value = convert(value, statement.type, statement.span)
        if len(key) == len(converted):
            definition.values[key] = value
        return value

    def _done(self, statement: Define, scope: Scope) -> Step:
        """A function that does something, each time that it is called."""
        if statement.value is not None:
            yield self._eval(statement.value, scope)
            return None
        with self._nesting(statement.span):
            self._execute(statement.body, scope)
        return None

    # --- nets -------------------------------------------------------------------------------------

    def _net(
        self, statement: Define, scope: Scope, names: dict[str, Value], span: Span | None
    ) -> NetInstance:
        if statement.type not in NETS:
            raise error(f"models of type {statement.type} are not read", statement.span)
        title = statement.name
        if names:
            title += "(" + ", ".join(map(shown, names.values())) + ")"
        inner = Scope(scope, names)
        instance = NetInstance(NetBody(title), inner)
        inner.net = instance
        with self._nesting(span or statement.span):
            self._execute(statement.body, inner)
        return instance

    def _measures(self, net: NetInstance) -> Measures:
        if net.measures is None:
            net.measures = Measures(net.body, self._options, self._budget, self._write)
        return net.measures

    # --- functions that are there -----------------------------------------------------------------

    def _built_in(self, name: str, given: list[Value], scope: Scope, span: Span | None) -> Value:
        net = scope.home.net
        match name, given:
            case "print", _:
                self._print(given, span)
                return True
            case "compute", [_, *_]:  # as all arguments are, before
                return True
            case "tk", [Part(kind="place") as place] if net is not None:
                return Var(place.name)
            case "num_states" | "num_arcs", [] | [bool()] if net is not None:
                return self._measures(net).count(name, given == [True], span)
            case _, [str() as prompt] if name in functions.READS:
                return functions.understood(name, self._read(prompt), span)
        found = functions.apply(name, given, span)
        if found is not None:
            return found
        if name in (*BUILT_IN, *functions.NAMES):
            types = ", ".join(type_of(v) for v in given)
            raise error(f"there is no '{name}' for ({types}) here", span)
        if name in functions.STOCHASTIC:
            raise error("measures of stochastic nets are not computed", span)
        raise error(
            f"'{name}' is not defined", span, did_you_mean(name, [*scope.known, *of_sets.NAMES])
        )

    def _print(self, given: list[Value], span: Span | None) -> None:
        for value in given:
            width: Value = 0
            if isinstance(value, Aggregate):
                if len(value.parts) != 2:
                    raise error("what is printed has at most a width", span)
                value, width = value.parts
            if whole(width, span) > WIDEST:
                raise error(f"a width is at most {WIDEST}", span)
            text = value.net.shown(value) if isinstance(value, StateSet) else shown(value)
            self._write(text.rjust(whole(width, span)))

    # --- limits -----------------------------------------------------------------------------------

    def _keep_time(self) -> None:
        if self._budget.remaining() == 0:
            raise LimitReached("timeout")

    @contextmanager
    def _nesting(self, span: Span) -> Iterator[None]:
        """What is executed inside is executed by Python's stack; so it does not nest deeply."""
        if self._nested == NESTED:
            raise error(f"nets and fixed points need each other more than {NESTED} deep", span)
        self._nested += 1
        try:
            yield
        finally:
            self._nested -= 1


def _index(value: Value) -> Value:
    """An index as a key: reals that differ by rounding only are the same."""
    return float(f"{value:.9g}") if isinstance(value, float) else value


__all__ = ["Program"]
