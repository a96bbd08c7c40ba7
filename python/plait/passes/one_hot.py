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

from collections.abc import Iterator, Mapping

from plait.errors import InputError, error
from plait.hints import cast
from plait.model.expr import Compare, Const, Enabled, Formula, IntExpr, Param, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, rewrite
from plait.model.shape import Shape, State, evaluate_constant, shape_of
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Label, Model, Parameter, Range, Variable
from plait.passes.one_hot_events import EventEncoder, Hot
from plait.passes.rewritten import Rewritten
from plait.passes.walk import called, statements
from plait.records import replace


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
        events = tuple(
            EventEncoder(event, self.hot, self.clear, self.writes).encoded()
            for event in self.type.events
        )
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
