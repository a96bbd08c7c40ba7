"""The shape of a state: its cells, where each component's cells are, what they start with.

A state of a model is a tuple of integers, one per *cell*, in declaration order, depth first through
the instances. `Shape` describes one instantiated type (a type and the values of its constants) with
offsets relative to its first cell; equal instances share one shape, so the shape of 2^1000
philosophers is as small as its text. A scalar variable takes one cell, an array `size` cells. A
channel takes, for each of its queues, one cell for the length and then `capacity` messages, first
message first; slots that hold no message are 0, so that equal queues are equal states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plait.errors import error
from plait.model.arithmetic import INT_MAX, INT_MIN, apply_binary, apply_unary
from plait.model.expr import Binary, Const, IntExpr, Param, Unary
from plait.model.node import Node, fold
from plait.model.types import (
    ComponentType,
    CompositeType,
    Constant,
    Domain,
    ElementaryType,
    Instance,
    Model,
    Range,
    SetType,
    Variable,
)
from plait.records import dataclass, field, replace

State = tuple[int, ...]
Trace = list[tuple[int | None, State]]
"""The states of a run, each with the number of the event that led to it; the first has none."""
ARRAY_LIMIT = 2**24
"""The most cells an array may have."""
INSTANCE_LIMIT = 2**20
"""The most instances an array of instances may have."""
HIERARCHY_LIMIT = 10_000
"""The deepest nesting of types."""
COUNTER = Domain(0, INT_MAX)
"""The domain of a place."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a variable lives: `size` is None for a scalar."""

    offset: int
    size: int | None
    domain: Domain | None
    nested: tuple[tuple[str, int | None], ...] = ()

    def title(self, name: str, index: int) -> str:
        """What a person calls a cell of the array of that name (`Variable.nested`)."""
        if not self.nested:
            return f"{name}[{index}]"
        parts: list[str] = []
        for part, size in reversed(self.nested):
            if size is None:
                parts.append(part)
            else:
                index, at = divmod(index, size)
                parts.append(f"{part}[{at}]")
        return ".".join(reversed(parts))

    @property
    def cells(self) -> range:
        """Its cells in a state; an array may have none."""
        return range(self.offset, self.offset + (1 if self.size is None else self.size))


@dataclass(frozen=True, slots=True)
class ChannelSlot:
    """Where a channel (or array of channels) lives."""

    offset: int
    size: int | None
    capacity: int
    fields: tuple[Domain | None, ...]

    @property
    def stride(self) -> int:
        """Cells of one queue."""
        return 0 if self.capacity == 0 else 1 + self.capacity * len(self.fields)


@dataclass(frozen=True, slots=True)
class Part:
    """An instance inside a composite or set; `index` is None unless it stands in an array."""

    name: str
    index: int | None
    shape: Shape
    offset: int

    @property
    def title(self) -> str:
        """`name` or `name[index]`."""
        return self.name if self.index is None else f"{self.name}[{self.index}]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shape:
    """An instantiated type."""

    type: ComponentType
    constants: Mapping[str, int]
    ranges: Mapping[str, range]
    width: int
    variables: Mapping[str, Slot] = field(default_factory=dict)
    channels: Mapping[str, ChannelSlot] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    part: Mapping[tuple[str, int | None], Part] = field(default_factory=dict)
    """The parts by name and index."""

    def __repr__(self) -> str:
        return f"<Shape {self.type.name}: {self.width} cell{'' if self.width == 1 else 's'}>"

    def cells(self, *, titled: bool = False) -> Iterator[str]:
        """The name of every cell in order: `p[0]:fork`, `queue[3]`, `ch.length`.

        With `titled` those of nested arrays are called as people call them (`Slot.title`).
        """
        stack: list[tuple[str, Shape]] = [("", self)]
        while stack:
            prefix, shape = stack.pop()
            for name, slot in shape.variables.items():
                if slot.size is None:
                    yield prefix + name
                else:
                    title = slot.title if titled else "{}[{}]".format
                    yield from (prefix + title(name, i) for i in range(slot.size))
            for name, channel in shape.channels.items():
                for queue in (
                    [name]
                    if channel.size is None
                    else [f"{name}[{i}]" for i in range(channel.size)]
                ):
                    if channel.capacity:
                        yield f"{prefix}{queue}.length"
                        yield from (
                            f"{prefix}{queue}.{i}.{f}"
                            for i in range(channel.capacity)
                            for f in range(len(channel.fields))
                        )
            stack.extend((f"{prefix}{p.title}:", p.shape) for p in reversed(shape.parts))

    def domains(self) -> Iterator[Domain | None]:
        """The declared domain of every cell, in order."""
        stack = [self]
        while stack:
            shape = stack.pop()
            for slot in shape.variables.values():
                yield from [slot.domain] * (1 if slot.size is None else slot.size)
            for c in shape.channels.values():
                if c.capacity:
                    queue = [Domain(0, c.capacity), *list(c.fields) * c.capacity]
                    yield from queue * (1 if c.size is None else c.size)
            stack.extend(p.shape for p in reversed(shape.parts))

    def initial(self) -> State:
        """The initial state."""
        cells: list[int] = []
        stack = [self]
        while stack:
            shape = stack.pop()
            if isinstance(shape.type, ElementaryType) and shape.type.plain is not None:
                cells.extend(shape.type.plain.initial)
            elif isinstance(shape.type, ElementaryType):
                for v in shape.type.variables:
                    size = shape.variables[v.name].size
                    values = [evaluate_constant(e, shape.constants) for e in v.initial]
                    cells.extend(values or [0] * (1 if size is None else size))
                for c in shape.channels.values():
                    cells.extend([0] * c.stride * (1 if c.size is None else c.size))
            stack.extend(p.shape for p in reversed(shape.parts))
        return tuple(cells)


def evaluate_constant(expr: IntExpr, constants: Mapping[str, int]) -> int:
    """The value of an expression over constants; a located error when it has none."""
    if isinstance(expr, Const):
        return expr.value

    def visit(node: Node, below: list[int]) -> int:
        match node:
            case Const(value=value):
                result: int | None = value
            case Param(name=name):
                if name not in constants:
                    raise error(f"undeclared parameter '${name}'", node.span)
                result = constants[name]
            case Unary(op=op):
                result = apply_unary(op, below[0])
            case Binary(op=op):
                result = apply_binary(op, below[0], below[1])
            case _:
                raise error("a constant is needed here", node.span)
        if result is None:
            raise error("this constant is undefined", node.span)
        return result

    return fold(expr, visit)


def cells_of(variable: Variable) -> Iterator[tuple[str, int]]:
    """The cells of a variable of a flat model, with their initial values."""
    values = [evaluate_constant(i, {}) for i in variable.initial]
    size = 1 if variable.size is None else evaluate_constant(variable.size, {})
    values += [0] * (size - len(values))
    for k in range(size):
        yield (variable.name if variable.size is None else f"{variable.name}[{k}]"), values[k]


def shape_of(model: Model) -> Shape:
    """The shape of the whole system, with located errors for sizes and types that make no sense."""
    return _Shaper(model).shape(model.system, {})


class _Shaper:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.types = {t.name: t for t in model.types}
        self.globals = self._constants({}, model.constants, {})
        self.memo: dict[tuple[str, tuple[tuple[str, int], ...]], Shape] = {}

    def _constants(
        self, outer: Mapping[str, int], own: tuple[Constant, ...], bound: Mapping[str, int]
    ) -> dict[str, int]:
        return {**outer, **{c.name: bound.get(c.name, c.value) for c in own}}

    def shape(self, root: ComponentType, bindings: Mapping[str, int]) -> Shape:
        """The shape of a type, sub-types first, without recursion."""
        first = (root, tuple(sorted(bindings.items())))
        stack = [first]
        open_types: dict[str, None] = {}
        while stack:
            type_, bound = stack[-1]
            key = (type_.name, bound)
            if key in self.memo:
                stack.pop()
                continue
            missing = [m for m in self._needs(type_) if (m[0].name, m[1]) not in self.memo]
            if missing:
                if type_.name in open_types:
                    raise error(f"type '{type_.name}' contains itself", type_.span)
                if len(open_types) > HIERARCHY_LIMIT:
                    raise error(
                        f"types are nested deeper than {HIERARCHY_LIMIT} levels", type_.span
                    )
                open_types[type_.name] = None
                stack.extend(missing)
                continue
            open_types.pop(type_.name, None)
            self.memo[key] = self._build(type_, dict(bound))
            stack.pop()
        return self.memo[root.name, first[1]]

    def _instances(self, type_: ComponentType) -> tuple[Instance, ...]:
        if isinstance(type_, CompositeType):
            return type_.instances
        return (type_.element,) if isinstance(type_, SetType) else ()

    def _needs(
        self, type_: ComponentType
    ) -> list[tuple[ComponentType, tuple[tuple[str, int], ...]]]:
        needs = []
        for i in self._instances(type_):
            if i.type not in self.types:
                raise error(f"no type named '{i.type}'", i.span)
            needs.append((self.types[i.type], tuple(sorted(i.bindings))))
        return needs

    def _build(self, type_: ComponentType, bound: Mapping[str, int]) -> Shape:
        constants = self._constants(self.globals, type_.constants, bound)
        ranges = {r.name: self._range(r, constants) for r in (*self.model.ranges, *type_.ranges)}
        shape = Shape(type_, constants, ranges, 0)
        if isinstance(type_, ElementaryType):
            return self._build_elementary(type_, shape)
        parts: list[Part] = []
        offset = 0
        for i in self._instances(type_):
            inner = self.memo[i.type, tuple(sorted(i.bindings))]
            size = None
            if i.size is not None:
                size = self._size(i.size, constants, i.name, INSTANCE_LIMIT)
            for index in [None] if size is None else range(size):
                parts.append(Part(i.name, index, inner, offset))
                offset += inner.width
        by_name = {(p.name, p.index): p for p in parts}
        return replace(shape, width=offset, parts=tuple(parts), part=by_name)

    def _build_elementary(self, type_: ElementaryType, shape: Shape) -> Shape:
        if type_.plain is not None:
            places = {name: Slot(i, None, COUNTER) for i, name in enumerate(type_.plain.names)}
            return replace(shape, width=len(places), variables=places)
        offset = 0
        variables: dict[str, Slot] = {}
        for v in type_.variables:
            size = None if v.size is None else self._size(v.size, shape.constants, v.name)
            self._check_initial(v, size, shape.constants)
            variables[v.name] = Slot(offset, size, v.domain, v.nested)
            offset += 1 if size is None else size
        channels: dict[str, ChannelSlot] = {}
        for c in type_.channels:
            size = None if c.size is None else self._size(c.size, shape.constants, c.name)
            slot = ChannelSlot(offset, size, c.capacity, c.fields)
            channels[c.name] = slot
            offset += slot.stride * (1 if size is None else size)
        return replace(shape, width=offset, variables=variables, channels=channels)

    def _check_initial(self, v: Variable, size: int | None, constants: Mapping[str, int]) -> None:
        if v.initial and len(v.initial) != (1 if size is None else size):
            raise error(f"'{v.name}' has {size} cells but {len(v.initial)} initial values", v.span)
        if v.domain is not None:
            for value in [evaluate_constant(e, constants) for e in v.initial] or [0]:
                if not v.domain.low <= value <= v.domain.high:
                    limits = f"{v.domain.low}..{v.domain.high}"
                    message = f"the initial value {value} of '{v.name}' is outside its domain"
                    raise error(f"{message} {limits}", v.span)

    def _size(
        self, expr: IntExpr, constants: Mapping[str, int], name: str, limit: int = ARRAY_LIMIT
    ) -> int:
        size = evaluate_constant(expr, constants)
        if not 0 <= size <= limit:
            raise error(f"the size of '{name}' is {size}; it must be in 0 .. {limit}", expr.span)
        return size

    def _range(self, r: Range, constants: Mapping[str, int]) -> range:
        low = evaluate_constant(r.low, constants)
        high = evaluate_constant(r.high, constants)
        if not INT_MIN <= low <= INT_MAX or not INT_MIN <= high <= INT_MAX:
            raise error(f"the range '{r.name}' leaves the 32-bit integers", r.span)
        return range(low, high + 1)


def parts_first(root: Shape) -> list[Shape]:
    """Every shape once, parts before the whole."""
    order: list[Shape] = []
    seen: set[int] = set()
    stack: list[tuple[Shape, bool]] = [(root, False)]
    while stack:
        shape, expanded = stack.pop()
        if expanded:
            order.append(shape)
        elif id(shape) not in seen:
            seen.add(id(shape))
            stack.append((shape, True))
            inner = {id(p.shape): p.shape for p in shape.parts}
            stack.extend((s, False) for s in inner.values() if id(s) not in seen)
    return order
