"""One-hot encoding: a variable with m values becomes m bits, of which one is 1.

Section 7.5 of the specification of ITS-tools. Where events test and set single values of a
variable, each of them touches one or two bits, not the whole variable: the events become more
local. `x` with values 0 to m-1 becomes the array `x_is`. An event that reads x gets a parameter p
and the guard `x_is[p] == 1`, and reads p; an assignment after a read is `x_is[p] = 0; x_is[e] = 1`;
without one, a label clears the bit that is set, whichever it is. Properties see `x_is[1] +
2*x_is[2] + ...`.

The parameter is what x was when the event began. So an event that reads x after writing it, or
writes it twice, is refused, and so are writes in loops. A value outside the range has no bit: an
event that assigns one has no successor.

The states are the same, one for one; the titles of events show the values that they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from plait.errors import InputError, Span, error
from plait.hints import cast
from plait.model.expr import Binary, Compare, Const, Enabled, Formula, Hop, IntExpr, Or, Param, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.shape import Shape, State, evaluate_constant, shape_of
from plait.model.stmt import Abort, Assign, Bind, Body, Call, Fixpoint, For, If, Receive, Statement
from plait.model.types import ElementaryType, Event, Label, Model, Parameter, Range, Variable
from plait.passes.rewritten import Rewritten
from plait.passes.walk import called, map_expressions, reads, statements
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Hot:
    """A variable to encode: its bits, its values, and with `size` how many variables it is."""

    variable: Variable
    bits: str
    range: str
    values: int
    size: int | None
    initial: tuple[int, ...]

    def bit(self, index: IntExpr | None, value: IntExpr) -> Var:
        """The bit that says whether it has that value."""
        if index is None:
            return Var(self.bits, value)
        if isinstance(index, Const) and isinstance(value, Const):
            return Var(self.bits, Const(index.value * self.values + value.value))
        return Var(self.bits, Binary("+", Binary("*", index, Const(self.values)), value))

    def sum(self, index: IntExpr | None, path: tuple[Hop, ...] = ()) -> IntExpr:
        """Its value, said with all its bits."""
        total: IntExpr | None = None
        for value in range(1, self.values):
            bit = replace(self.bit(index, Const(value)), path=path)
            term = bit if value == 1 else Binary("*", Const(value), bit)
            total = term if total is None else Binary("+", total, term)
        return total or Const(0)

    def encoded(self) -> Variable:
        """The bits as a variable."""
        bits = [Const(int(value == k)) for value in self.initial for k in range(self.values)]
        return Variable(self.bits, tuple(bits), Const(len(bits)), span=self.variable.span)


def one_hot(model: Model, threshold: int | None = None) -> Rewritten:
    """The model with its `hotbit` variables encoded; an error where that cannot be done.

    With a `threshold`, also the variables that only get constants, 0 to at least that many, where
    it can be done.
    """
    shape = shape_of(model)
    shapes = _shapes(shape)
    hot = {
        t.name: _hot(t, model.ranges, shapes.get(t.name, []), threshold)
        for t in model.types
        if isinstance(t, ElementaryType)
    }
    types = tuple(
        _Encoder(t, hot[t.name]).encoded() if isinstance(t, ElementaryType) else t
        for t in model.types
    )
    properties = tuple(
        replace(p, body=_in_terms_of_bits(p.body, shape, hot)) if p.body is not None else p
        for p in model.properties
    )
    encoded = replace(model, types=types, properties=properties)
    return Rewritten(encoded, _Lift(shape, encoded, hot))


# --- what to encode -------------------------------------------------------------------------------


def _shapes(root: Shape) -> dict[str, list[Shape]]:
    """The instantiations of each elementary type."""
    found: dict[str, list[Shape]] = {}
    seen: set[int] = set()
    stack = [root]
    while stack:
        shape = stack.pop()
        if id(shape) in seen:
            continue
        seen.add(id(shape))
        found.setdefault(shape.type.name, []).append(shape)
        stack.extend(part.shape for part in shape.parts)
    return found


def _hot(
    type_: ElementaryType, ranges: tuple[Range, ...], shapes: list[Shape], threshold: int | None
) -> dict[str, Hot]:
    names = FreshNames(d.name for d in (*type_.variables, *type_.ranges, *ranges))
    found = {
        v.name: _tagged(v, v.hotbit, shapes, names)
        for v in type_.variables
        if v.hotbit is not None and shapes
    }
    if threshold is None:
        return found
    for v in type_.variables:
        if v.name not in found and (new := _automatic(type_, v, threshold, names)):
            try:
                _Encoder(type_, {v.name: new}).encoded()
            except InputError:
                continue
            found[v.name] = new
    return found


def _tagged(v: Variable, name: str, shapes: list[Shape], names: FreshNames) -> Hot:
    facts = {_facts(v, name, shape) for shape in shapes}
    if len(facts) > 1:
        raise error(f"'{v.name}' differs between instances, so it has no one-hot encoding", v.span)
    range_, size, initial = facts.pop()
    if range_.start != 0 or not range_:
        message = f"the range '{name}' of '{v.name}' must start at 0 to be encoded one-hot"
        raise error(message, v.span)
    return Hot(v, names.fresh(f"{v.name}_is"), name, len(range_), size, initial)


def _facts(v: Variable, name: str, shape: Shape) -> tuple[range, int | None, tuple[int, ...]]:
    size = shape.variables[v.name].size
    initial = tuple(evaluate_constant(e, shape.constants) for e in v.initial)
    return shape.ranges[name], size, initial or (0,) * (1 if size is None else size)


def _automatic(type_: ElementaryType, v: Variable, threshold: int, names: FreshNames) -> Hot | None:
    """The encoding of a variable that only gets constants, 0 to some number."""
    if v.size is not None or any(p.pc == v.name for p in type_.processes):
        return None
    given: list[IntExpr] = list(v.initial) or [Const(0)]
    given.extend(
        s.value
        for event in type_.events
        for s in statements(event.body)
        if isinstance(s, Assign) and s.target.name == v.name
    )
    if not all(isinstance(e, Const) for e in given):
        return None
    values = sorted({cast(Const, e).value for e in given})
    if values != list(range(len(values))) or len(values) < threshold:
        return None
    initial = (cast(Const, given[0]).value,)
    bits = names.fresh(f"{v.name}_is")
    return Hot(v, bits, names.fresh(f"{v.name}_values"), len(values), None, initial)


# --- the events -----------------------------------------------------------------------------------


class _Encoder:
    """One type with some of its variables encoded."""

    def __init__(self, type_: ElementaryType, hot: Mapping[str, Hot]) -> None:
        self.type = type_
        self.hot = hot
        self.names = FreshNames(e.name for e in type_.events)
        self.labels = FreshNames(e.label.name for e in type_.events if e.label is not None)
        self.clears: dict[str, str] = {}
        """The labels that clear the bit that is set."""
        self.writes = self._writes()

    def encoded(self) -> ElementaryType:
        if not self.hot:
            return self.type
        events = tuple(_EventEncoder(self, event).encoded() for event in self.type.events)
        clearing = tuple(self._clearing(self.hot[name]) for name in self.clears)
        return replace(
            self.type,
            ranges=(*self.type.ranges, *self._ranges()),
            variables=tuple(
                self.hot[v.name].encoded() if v.name in self.hot else v for v in self.type.variables
            ),
            events=(*events, *clearing),
            predicates=tuple(
                replace(p, condition=cast(Formula, self.in_sums(p.condition)))
                for p in self.type.predicates
            ),
            transient=self.type.transient and cast(Formula, self.in_sums(self.type.transient)),
        )

    def in_sums(self, node: Node) -> Node:
        """A condition on states, where no event has begun."""

        def change(node: Node) -> Node:
            if isinstance(node, Var) and node.name in self.hot:
                return self.hot[node.name].sum(node.index)
            return node

        return rewrite(node, change)

    def clear(self, hot: Hot) -> str:
        """The label that clears the bit of a variable."""
        name = hot.variable.name
        if name not in self.clears:
            self.clears[name] = self.labels.fresh(f"clear_{name}")
        return self.clears[name]

    def _clearing(self, hot: Hot) -> Event:
        name = self.clears[hot.variable.name]
        value, index = Param("value"), None if hot.size is None else Param("index")
        bit = hot.bit(index, value)
        parameters = [Parameter("value", hot.range)]
        if index is not None:
            parameters.append(Parameter("index", _indices(hot)))
        return Event(
            self.names.fresh(name),
            (Compare("==", bit, Const(1)),),
            (Assign(bit, Const(0)),),
            tuple(parameters),
            Label(name, () if index is None else (index,)),
        )

    def _ranges(self) -> Iterator[Range]:
        for hot in self.hot.values():
            if hot.variable.hotbit is None:
                yield Range(hot.range, Const(0), Const(hot.values - 1))
            if hot.size is not None and hot.variable.name in self.clears:
                yield Range(_indices(hot), Const(0), Const(hot.size - 1))

    def _writes(self) -> dict[str, set[str]]:
        """The encoded variables that an event of each label may write, by calls too."""
        calls: dict[str, set[str]] = {}
        writes: dict[str, set[str]] = {}
        for event in self.type.events:
            if event.label is not None:
                name = event.label.name
                calls.setdefault(name, set()).update(called(event.body))
                writes.setdefault(name, set()).update(
                    s.target.name
                    for s in statements(event.body)
                    if isinstance(s, Assign) and s.target.name in self.hot
                )
        changed = True
        while changed:
            changed = False
            for name, own in writes.items():
                more = set().union(*(writes.get(c, set()) for c in calls[name])) - own
                own |= more
                changed = changed or bool(more)
        return writes


def _indices(hot: Hot) -> str:
    return f"{hot.bits}_indices"


Written = frozenset[tuple[str, IntExpr | None]]
"""Encoded variables that may have been written, with the index; (name, None): any of that name."""


class _EventEncoder:
    """One event: reads become parameters, writes become two bits."""

    def __init__(self, type_: _Encoder, event: Event) -> None:
        self.type, self.hot, self.event = type_, type_.hot, event
        self.names = FreshNames(p.name for p in event.parameters)
        self.names.taken.update(
            node.name for e in _expressions(event) for node in nodes(e) if isinstance(node, Param)
        )
        self.read: dict[tuple[str, IntExpr | None], str] = {}
        self.loops: list[str] = []

    def encoded(self) -> Event:
        guard = tuple(cast(Formula, self.reading(c, frozenset())) for c in self.event.guard)
        body, _ = self.body(self.event.body, frozenset())
        if not self.read and body == self.event.body and guard == self.event.guard:
            return self.event
        known, parameters = [], []
        for (name, index), parameter in self.read.items():
            hot = self.hot[name]
            parameters.append(Parameter(parameter, hot.range))
            known.append(Compare("==", hot.bit(index, Param(parameter)), Const(1)))
        return replace(
            self.event,
            guard=(*known, *guard),
            body=body,
            parameters=(*self.event.parameters, *parameters),
        )

    def body(self, body: Body, written: Written) -> tuple[Body, Written]:
        """The encoded body after those variables were written, and what is written after it."""
        new: list[Statement] = []
        for statement in body:
            statements_, written = self.statement(statement, written)
            new.extend(statements_)
        return tuple(new), written

    def statement(self, statement: Statement, written: Written) -> tuple[Body, Written]:
        match statement:
            case Assign(target=target) if target.name in self.hot:
                return self.assignment(statement, written)
            case If(condition=condition, then=then, otherwise=otherwise):
                asked = cast(Formula, self.reading(condition, written))
                a, after_a = self.body(then, written)
                b, after_b = self.body(otherwise, written)
                return (If(asked, a, b, span=statement.span),), after_a | after_b
            case For(parameter=parameter, body=block):
                self.loops.append(parameter)
                new, after = self.body(block, written)
                self.loops.pop()
                return (replace(statement, body=new),), self.unwritten(statement, written, after)
            case Fixpoint(body=block):
                new, after = self.body(block, written)
                return (replace(statement, body=new),), self.unwritten(statement, written, after)
            case _:
                return self.other(statement, written)

    def assignment(self, statement: Assign, written: Written) -> tuple[Body, Written]:
        hot = self.hot[statement.target.name]
        value = cast(IntExpr, self.reading(statement.value, written))
        index = self.index(statement.target, written)
        key = (hot.variable.name, index)
        self.unchanged(key, written, statement.span, "written twice")
        if isinstance(value, Const) and not 0 <= value.value < hot.values:
            message = f"{value.value} is not in the range '{hot.range}' of '{key[0]}'"
            raise error(message, statement.span)
        new: list[Statement] = []
        if index is not None and not isinstance(value, Const):
            # The bits beside its own are those of other cells.
            outside = Or((Compare("<", value, Const(0)), Compare(">=", value, Const(hot.values))))
            new.append(If(outside, (Abort(),), span=statement.span))
        if key in self.read:
            cleared: Statement = Assign(hot.bit(index, Param(self.read[key])), Const(0))
        else:
            cleared = Call(self.type.clear(hot), () if index is None else (index,))
        new += [cleared, Assign(hot.bit(index, value), Const(1), span=statement.span)]
        return tuple(new), written | {key}

    def other(self, statement: Statement, written: Written) -> tuple[Body, Written]:
        if isinstance(statement, Receive):
            for pattern in statement.patterns:
                if isinstance(pattern, Bind) and pattern.target.name in self.hot:
                    raise error(f"'{pattern.target.name}' is received, so it stays", statement.span)
        new = map_expressions(
            statement, lambda e: self.reading(e, written), lambda t: self.place(t, written)
        )
        if isinstance(statement, Call):
            written |= {(name, None) for name in self.type.writes.get(statement.label, ())}
        return (new,), written

    def place(self, target: Node, written: Written) -> Node:
        """What an assignment to another variable assigns to; its index may read encoded ones."""
        assert isinstance(target, Var)
        if target.index is None:
            return target
        return replace(target, index=cast(IntExpr, self.reading(target.index, written)))

    def reading(self, node: Node, written: Written) -> Node:
        """The expression with a parameter for each encoded variable in it."""

        def change(node: Node) -> Node:
            if not isinstance(node, Var) or node.name not in self.hot:
                return node
            key = (node.name, self.closed(node, node.index))
            self.unchanged(key, written, node.span, "read after it is written")
            if key not in self.read:
                self.read[key] = self.names.fresh(node.name)
            return Param(self.read[key], span=node.span)

        return rewrite(node, change)

    def index(self, target: Var, written: Written) -> IntExpr | None:
        if target.index is None:
            return None
        return self.closed(target, cast(IntExpr, self.reading(target.index, written)))

    def closed(self, variable: Var, index: IntExpr | None) -> IntExpr | None:
        """The index, if it is known before the event begins."""
        if index is None:
            return None
        for node in nodes(index):
            if isinstance(node, Var) or (isinstance(node, Param) and node.name in self.loops):
                message = f"the index of '{variable.name}' is computed, which one-hot cannot encode"
                raise error(message, variable.span)
        return index

    def unchanged(
        self, key: tuple[str, IntExpr | None], written: Written, span: Span | None, what: str
    ) -> None:
        name, index = key
        for other, at in written:
            apart = isinstance(index, Const) and isinstance(at, Const) and index != at
            if other == name and not apart:
                message = f"'{name}' is {what} in '{self.event.name}', which one-hot cannot encode"
                raise error(message, span or self.event.span)

    def unwritten(self, loop: Statement, before: Written, after: Written) -> Written:
        for name, _ in after - before:
            message = f"'{name}' is written in a loop, which one-hot cannot encode"
            raise error(message, loop.span or self.event.span)
        return before


def _expressions(event: Event) -> Iterable[Node]:
    yield from event.guard
    for statement in statements(event.body):
        yield from reads(statement)


# --- properties and states ------------------------------------------------------------------------


def _in_terms_of_bits(
    body: Formula | IntExpr, shape: Shape, hot: Mapping[str, Mapping[str, Hot]]
) -> Formula | IntExpr:
    def change(node: Node) -> Node:
        if isinstance(node, Enabled) and any("(" in title for title in node.events):
            raise error("one-hot changes the arguments of the events asked for here", node.span)
        if isinstance(node, Var):
            at = shape
            for hop in node.path:
                at = next(p.shape for p in at.parts if p.name == hop.name)
            if (found := hot.get(at.type.name, {}).get(node.name)) is not None:
                return found.sum(node.index, node.path)
        return node

    return cast("Formula | IntExpr", rewrite(body, change))


class _Lift:
    """From a state with bits to the state before."""

    def __init__(self, shape: Shape, encoded: Model, hot: Mapping[str, Mapping[str, Hot]]) -> None:
        self._sources: list[tuple[int, int]] = []
        """For each cell, the first cell that tells, and how many bits it has; 0: it is the same."""
        at = 0
        stack = [shape]
        while stack:
            one = stack.pop()
            for name, slot in one.variables.items():
                found = hot.get(one.type.name, {}).get(name)
                width = 1 if found is None else found.values
                for _ in range(1 if slot.size is None else slot.size):
                    self._sources.append((at, 0 if found is None else width))
                    at += width
            for c in one.channels.values():
                for _ in range(c.stride * (1 if c.size is None else c.size)):
                    self._sources.append((at, 0))
                    at += 1
            stack.extend(p.shape for p in reversed(one.parts))
        assert at == shape_of(encoded).width

    def __call__(self, state: State) -> State:
        return tuple(
            state[first : first + bits].index(1) if bits else state[first]
            for first, bits in self._sources
        )
