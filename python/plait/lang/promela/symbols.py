"""What names mean in Promela: types and their ranges, variables, channels, structures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plait.errors import Span
from plait.hints import cast
from plait.model.expr import And, AsInt, Binary, Compare, Const, Formula, IntExpr
from plait.model.node import Node
from plait.model.types import Domain
from plait.records import dataclass, field

DOMAINS = {
    "bit": Domain(0, 1),
    "bool": Domain(0, 1),
    "byte": Domain(0, 255),
    "pid": Domain(0, 255),
    "mtype": Domain(0, 255),
    "chan": Domain(0, 255),
    "short": Domain(-(2**15), 2**15 - 1),
    "int": Domain(-(2**31), 2**31 - 1),
}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type of numbers; `chan` values are the numbers of channels."""

    name: str
    domain: Domain
    kind: str = ""
    """Which symbolic constants an `mtype` has: the name behind its colon."""


@dataclass(frozen=True, slots=True)
class ChannelShape:
    """What `[2] of { byte }` says: how many messages there can be, and their fields."""

    capacity: int
    types: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a structure."""

    name: str
    type: Scalar | Structure
    size: int | None
    initial: IntExpr | None = None
    channel: ChannelShape | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """A `typedef`."""

    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class ChannelText:
    """One channel: its number, and what it carries."""

    number: int
    name: str
    capacity: int
    types: tuple[Scalar, ...]
    span: Span

    @property
    def fields(self) -> tuple[Domain, ...]:
        """The ranges of the fields of a message."""
        return tuple(t.domain for t in self.types)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable as declared; `full` is the prefix of its cells in the model."""

    name: str
    full: str
    type: Scalar | Structure
    size: int | None
    span: Span
    channels: tuple[ChannelText, ...] = ()
    """The channels that were declared with it, or with its fields."""
    constants: Mapping[str, range] = field(default_factory=dict)
    """Its `chan` cells that nobody assigns to, with the numbers of their channels."""


Path = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A variable of the model: a scalar, or all cells of one field of nested arrays."""

    path: Path
    """The names on the way to it from the declared variable, with the sizes of arrays."""
    type: Scalar
    initial: IntExpr | None
    span: Span
    more: tuple[IntExpr, ...] = ()
    """The values behind the first, when there is a list of them."""
    channel: ChannelShape | None = None
    """What the channels are like that its cells are declared with."""

    @property
    def full(self) -> str:
        """The name of the variable of the model."""
        return ".".join(name for name, _ in self.path)

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The sizes of the arrays on the way, the outermost first."""
        return tuple(size for _, size in self.path if size is not None)

    def value(self, cell: int) -> IntExpr | None:
        """The initial value of a cell; the last of a list goes on to the end."""
        if cell == 0 or not self.more:
            return self.initial
        return self.more[min(cell, len(self.more)) - 1]

    @property
    def nested(self) -> Path:
        """The path, if it leads through an array of structures."""
        within = any(size is not None for _, size in self.path[:-1])
        return self.path if within else ()

    @property
    def cells(self) -> int:
        """How many cells it has; 1 also for an array of one."""
        total = 1
        for d in self.dimensions:
            total *= d
        return total


def leaves(
    symbol: Symbol, initial: IntExpr | None, channel: ChannelShape | None = None
) -> list[Leaf]:
    """The variables of the model that a declared variable becomes."""
    found: list[Leaf] = []
    first: Path = ((symbol.full, symbol.size),)
    todo = [(first, symbol.type, initial, channel)]
    while todo:
        path, type_, value, shape = todo.pop()
        if isinstance(type_, Scalar):
            found.append(Leaf(path, type_, value, symbol.span, channel=shape))
            continue
        todo += [
            ((*path, (f.name, f.size)), f.type, f.initial, f.channel)
            for f in reversed(type_.fields)
        ]
    return found


Cell = tuple[str, Scalar, tuple[tuple[IntExpr, int], ...]]
"""The variable of the model, its type, and the indices of one cell with the sizes of arrays."""


def cells_of(
    full: str, type_: Scalar | Structure, at: Sequence[tuple[IntExpr, int]]
) -> Iterator[Cell]:
    """The cells of a variable or of a whole structure, field by field, as messages carry them."""
    todo = [(full, type_, tuple(at))]
    while todo:
        name, kind, indices = todo.pop()
        if isinstance(kind, Scalar):
            yield name, kind, indices
            continue
        for f in reversed(kind.fields):
            below = f"{name}.{f.name}"
            if f.size is None:
                todo.append((below, f.type, indices))
                continue
            places = (((*indices, (Const(k), f.size))) for k in range(f.size - 1, -1, -1))
            todo.extend((below, f.type, place) for place in places)


def flat_index(indices: list[tuple[IntExpr, int]], span: Span) -> IntExpr | None:
    """The cell in a flattened array; undefined where one of several indices is out of range."""
    if not indices:
        return None
    if len(indices) == 1:
        index, size = indices[0]
        value = constant_index(index)
        if value is None or 0 <= value < size:
            return index
        # A statement that would fail wherever it is executed is not wrong before it is.
        return Binary("+", index, in_range(index, size, span), span=span)
    total: IntExpr = Const(0, span=span)
    for index, size in indices:
        if not isinstance(index, Const) or not 0 <= index.value < size:
            index = Binary("+", index, in_range(index, size, span), span=span)
        total = Binary("+", Binary("*", total, Const(size), span=span), index, span=span)
    return total


def constant_index(index: IntExpr) -> int | None:
    """The value of a sum or difference of constants, such as `_pid - 1`."""
    match index:
        case Const(value=value):
            return value
        case Binary(op="+", left=Const(value=a), right=Const(value=b)):
            return a + b
        case Binary(op="-", left=Const(value=a), right=Const(value=b)):
            return a - b
    return None


def in_range(index: IntExpr, size: int, span: Span) -> IntExpr:
    """0 where the index is that of a cell, undefined elsewhere."""
    inside = And((Compare(">=", index, Const(0)), Compare("<", index, Const(size))))
    return Binary("/", Const(0), AsInt(inside), span=span)


def channel_of(index: IntExpr, first: int, size: int, span: Span) -> IntExpr:
    """The number of a channel of an array of channels."""
    value = constant_index(index)
    if value is not None and 0 <= value < size:
        return Const(first + value, span=span)
    shifted = Binary("+", index, Const(first), span=span)
    return Binary("+", shifted, in_range(index, size, span), span=span)


def channel_range(number: IntExpr) -> tuple[int, int] | None:
    """The least and the greatest channel of the array, when `channel_of` gave the number."""
    match number:
        case Binary(
            op="+",
            left=Binary(op="+", right=Const(value=first)),
            right=Binary(
                op="/",
                left=Const(value=0),
                right=AsInt(condition=And(operands=(Compare(), Compare(right=Const(value=size))))),
            ),
        ):
            return first, first + size - 1
    return None


# --- what is known only when every process is read ------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChannelLength(IntExpr):
    """`len(c)`; the channel is given by its number."""

    channel: IntExpr

    def children(self) -> tuple[Node, ...]:
        """The channel or process number, and what is matched."""
        return (self.channel,)

    def with_children(self, children: Sequence[Node]) -> ChannelLength:
        """The same over other children."""
        return ChannelLength(cast(IntExpr, children[0]), span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ChannelTest(Formula):
    """`full(c)`, `empty(c)`, or with patterns `c?[...]`."""

    test: str
    channel: IntExpr
    patterns: tuple[IntExpr | None, ...] = ()

    def key(self) -> object:
        """The data apart from the children."""
        return (self.test, tuple(p is None for p in self.patterns))

    def children(self) -> tuple[Node, ...]:
        """The channel or process number, and what is matched."""
        return (self.channel, *(p for p in self.patterns if p is not None))

    def with_children(self, children: Sequence[Node]) -> ChannelTest:
        """The same over other children."""
        rest = iter(children[1:])
        patterns = tuple(None if p is None else cast(IntExpr, next(rest)) for p in self.patterns)
        return ChannelTest(self.test, cast(IntExpr, children[0]), patterns, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Started(IntExpr):
    """The number of the process that the statement runs."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Timeout(Formula):
    """Nothing else can be executed in the whole system."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RemoteLabel(Formula):
    """`P[pid]@label`; without a number, some process of that type."""

    process: str
    pid: IntExpr | None
    label: str

    def key(self) -> object:
        """The data apart from the children."""
        return (self.process, self.label, self.pid is None)

    def children(self) -> tuple[Node, ...]:
        """The channel or process number, and what is matched."""
        return () if self.pid is None else (self.pid,)

    def with_children(self, children: Sequence[Node]) -> RemoteLabel:
        """The same over other children."""
        pid = cast(IntExpr, children[0]) if children else None
        return RemoteLabel(self.process, pid, self.label, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RemoteVariable(IntExpr):
    """`P[pid]:x` or `P[pid]:x[cell]`; without a number, the only process of that type."""

    process: str
    pid: IntExpr | None
    name: str
    cell: int | None = None

    def key(self) -> object:
        """The data apart from the children."""
        return (self.process, self.name, self.cell, self.pid is None)

    def children(self) -> tuple[Node, ...]:
        """The process number."""
        return () if self.pid is None else (self.pid,)

    def with_children(self, children: Sequence[Node]) -> RemoteVariable:
        """The same over other children."""
        pid = cast(IntExpr, children[0]) if children else None
        return RemoteVariable(self.process, pid, self.name, self.cell, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NonProgress(Formula):
    """`np_`: no process is at a label `progress...`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProcessEnabled(Formula):
    """`enabled(pid)`: that process can execute something."""

    pid: IntExpr

    def children(self) -> tuple[Node, ...]:
        """The process number."""
        return (self.pid,)

    def with_children(self, children: Sequence[Node]) -> ProcessEnabled:
        """The same over other children."""
        return ProcessEnabled(cast(IntExpr, children[0]), span=self.span)
