"""What updates and functions consist of, as it was read: commands, and expressions with effects.

Expressions are those of the model and four more kinds of nodes, which `plait.lang.xta.execute` and
`plait.lang.xta.cases` take out again: choices, calls, increments, and whole arrays and structures.
Variables of functions are `Var`s with names that the model does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plait.errors import Span
from plait.hints import TYPE_CHECKING, cast
from plait.lang.xta.symbols import Function, Place, leaves
from plait.model.expr import Formula, IntExpr, Var
from plait.model.node import Node, nodes
from plait.records import dataclass, field

if TYPE_CHECKING:
    from plait.model.types import Domain

# --- expressions ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice(IntExpr):
    """`condition ? left : right`; the other side may well be undefined."""

    condition: Formula
    left: IntExpr
    right: IntExpr

    def children(self) -> tuple[Node, ...]:
        return (self.condition, self.left, self.right)

    def with_children(self, children: Sequence[Node]) -> Choice:
        condition, left, right = children
        return Choice(
            cast(Formula, condition), cast(IntExpr, left), cast(IntExpr, right), span=self.span
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Apply(IntExpr):
    """A call: numbers for some of the parameters, places for the others, both in order."""

    function: Function
    values: tuple[IntExpr, ...]
    places: tuple[Place | Var | Apply, ...]

    def key(self) -> object:
        return id(self.function), tuple(map(id, self.places))

    def children(self) -> tuple[Node, ...]:
        return self.values

    def with_children(self, children: Sequence[Node]) -> Apply:
        values = tuple(cast(IntExpr, c) for c in children)
        return Apply(self.function, values, self.places, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Increment(IntExpr):
    """`++x`, or with `late` `x++`, whose value is that before; `by` is 1 or -1."""

    target: Var
    by: int
    late: bool

    def key(self) -> object:
        return self.by, self.late

    def children(self) -> tuple[Node, ...]:
        return (self.target,)

    def with_children(self, children: Sequence[Node]) -> Increment:
        return Increment(cast(Var, children[0]), self.by, self.late, span=self.span)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Whole(IntExpr):
    """A whole array, structure or channel, which no operator takes."""

    place: Place

    def key(self) -> object:
        return id(self.place)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rate(IntExpr):
    """How fast a clock runs, `x'`."""

    clock: Var

    def children(self) -> tuple[Node, ...]:
        return (self.clock,)

    def with_children(self, children: Sequence[Node]) -> Rate:
        return Rate(cast(Var, children[0]), span=self.span)


def has_effects(node: Node) -> bool:
    """Whether evaluating it changes anything but variables of the functions it calls."""
    for n in nodes(node):
        if isinstance(n, Increment) or (isinstance(n, Apply) and n.function.changes):
            return True
        if isinstance(n, Apply) and any(map(has_effects, _inside(n))):
            return True
    return False


def _inside(call: Apply) -> Iterator[Node]:
    """What is evaluated for the places of a call."""
    for place in call.places:
        if isinstance(place, Place):
            yield from place.places
        elif isinstance(place, Apply):
            yield place
        elif place.index is not None:
            yield place.index


# --- commands -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """Base of all commands."""

    span: Span | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Set(Command):
    """`target = value`."""

    target: Var
    value: IntExpr


@dataclass(frozen=True, slots=True, eq=False)
class Copy(Command):
    """All cells of a place get those of another, or of what a function gives."""

    target: Place
    value: Place | Apply


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate(Command):
    """An expression for what it does."""

    expression: IntExpr


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Command):
    """`if`."""

    condition: Formula
    then: tuple[Command, ...]
    otherwise: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Loop(Command):
    """`while`: the body again and again as long as the condition holds."""

    condition: Formula
    body: tuple[Command, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Each(Command):
    """`for (i : T)`: the body for each value of a variable."""

    variable: Var
    domain: Domain
    body: tuple[Command, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Return(Command):
    """`return`; a structure is copied into the function's result before."""

    value: IntExpr | None = None


def walk(commands: Iterable[Command]) -> Iterator[Command]:
    """The commands and all inside them."""
    pending = list(commands)
    while pending:
        command = pending.pop()
        yield command
        match command:
            case Branch(then=then, otherwise=otherwise):
                pending += (*then, *otherwise)
            case Loop(body=body) | Each(body=body):
                pending += body


def evaluated(command: Command) -> Iterator[Node | Place]:
    """What a command evaluates itself."""
    match command:
        case Set(target=target, value=value):
            yield value
            yield from () if target.index is None else (target.index,)
        case Copy(target=target, value=value):
            yield from (*target.places, value)
        case Evaluate(expression=expression):
            yield expression
        case Branch(condition=condition) | Loop(condition=condition):
            yield condition
        case Return(value=value) if value is not None:
            yield value


def reads(commands: Iterable[Command]) -> Iterator[str]:
    """The variables that commands may look at, some of them perhaps several times."""
    for command in walk(commands):
        for part in evaluated(command):
            yield from _read(part)


def _read(part: Node | Place) -> Iterator[str]:
    if isinstance(part, Place):
        yield from names(part)
        for index in part.places:
            yield from _read(index)
        return
    for node in nodes(part):
        if isinstance(node, Var):
            yield node.name
        elif isinstance(node, Apply):
            for place in node.places:
                yield from _read(place)


def changes(commands: Iterable[Command]) -> Iterator[str]:
    """The variables that commands may change; what a function changes by itself has no name."""
    for command in walk(commands):
        match command:
            case Set(target=target):
                yield target.name
            case Copy(target=place):
                yield from names(place)
        for part in evaluated(command):
            if isinstance(part, Node):
                yield from _changed(part)


def _changed(root: Node) -> Iterator[str]:
    for node in nodes(root):
        if isinstance(node, Increment):
            yield node.target.name
        elif isinstance(node, Apply):
            for part in _inside(node):
                yield from _changed(part)
            if node.function.changes:
                yield ""
                for place in node.places:
                    yield from _read(place)


def names(place: Place) -> Iterator[str]:
    """The variables that a place consists of."""
    return (".".join((place.name, *path)) for path, _, _ in leaves(place.type))


__all__ = [
    "Apply",
    "Branch",
    "Choice",
    "Command",
    "Copy",
    "Each",
    "Evaluate",
    "Increment",
    "Loop",
    "Rate",
    "Return",
    "Set",
    "Whole",
    "changes",
    "has_effects",
    "names",
    "reads",
]
