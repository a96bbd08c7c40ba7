"""The components of a system: the tree of instances, and the copies of their events.

A *component* is one instance of a type: it owns the cells `base .. base + shape.width - 1` of a
state. A *copy* is an event of a component for one value of each of its parameters. What copies an
event has depends on its type and constants only, so it is worked out once for each shape.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import product
from math import prod

from plait.errors import LimitReached, Span, error
from plait.model.expr import Deadlock, Empty, Enabled, Formula, Full, IntExpr, Length, Poll, Var
from plait.model.node import Node, nodes
from plait.model.shape import Shape, State
from plait.model.stmt import Receive, Send
from plait.model.types import ElementaryType, Event
from plait.records import dataclass, field
from plait.reference.expressions import Code, linearise, run

COMPONENT_LIMIT = 1_000_000
"""The most components, cells or copies of one event that are executed state by state."""
LabelValue = tuple[str, tuple[int, ...]]
"""A label with the values of its arguments: what calls and events are matched by."""


class Component:
    """One instance of a type, somewhere in the tree; `path` is empty for the whole system."""

    def __init__(self, shape: Shape, base: int, path: str) -> None:
        self.shape = shape
        self.base = base
        self.path = path
        self.parts: dict[tuple[str, int | None], Component] = {}
        self.free: list[Copy] = []
        """Copies of events without a label."""
        self.moves: list[Move] = []
        """The steps that this component does on its own: its free copies, alone or in pairs."""
        self.labelled: dict[LabelValue, list[Copy]] = {}
        """Copies of events with a label: they are executed when they are called."""
        self.enabled: Callable[[State], Collection[str]] = _nothing_enabled
        """The titles of what can be executed in a state; known to the whole system only."""
        self.is_enabled: Callable[[frozenset[str], State], bool] = _none_enabled
        """Whether an event of one of these names can be executed; known to the system only."""
        self._code: dict[int, tuple[Node, Code]] = {}

    @property
    def transient(self) -> Formula | None:
        """The condition under which a state of this component is not observed."""
        return self.shape.type.transient if isinstance(self.shape.type, ElementaryType) else None

    def code(self, node: Node) -> Code:
        """The instructions of an expression or formula, made when it is first evaluated."""
        # The node is kept beside its code so that its identity is not reused.
        found = self._code.get(id(node))
        if found is None:
            found = self._code[id(node)] = (node, linearise(node, self))
        return found[1]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What names mean: the component whose variables they are, and the values of parameters."""

    at: Component
    env: Mapping[str, int] = field(default_factory=dict)

    def value(self, expr: IntExpr, state: State) -> int | None:
        """The integer that the expression denotes, None where it is undefined."""
        return run(self.at.code(expr), state, self.env)

    def truth(self, formula: Formula, state: State) -> bool | None:
        """True, false, or None where the formula is undefined."""
        result = run(self.at.code(formula), state, self.env)
        return None if result is None else bool(result)

    def with_parameter(self, name: str, value: int) -> Frame:
        """The same with the parameter of a loop."""
        return Frame(self.at, {**self.env, name: value})


def _none_enabled(names: frozenset[str], state: State) -> bool:
    return bool(_nothing_enabled(state))


def _nothing_enabled(state: State) -> Collection[str]:
    raise error("only a property may ask what is enabled")


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """One copy of an event: `p[0].take(1, 2)`."""

    event: Event
    frame: Frame
    title: str

    @property
    def at(self) -> Component:
        """The component that the event belongs to."""
        return self.frame.at

    @property
    def rendezvous(self) -> Send | Receive | None:
        """The first statement, when it sends or receives on a channel that stores nothing."""
        first = self.event.body[0] if self.event.body else None
        if not isinstance(first, Send | Receive):
            return None
        return first if self.at.shape.channels[first.channel.name].capacity == 0 else None


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """What can be executed as one step: a copy alone, or the two copies of a rendezvous."""

    title: str
    copies: tuple[Copy, ...]

    @property
    def event(self) -> Event:
        """The event as it was declared; of a rendezvous, the sender's."""
        return self.copies[0].event

    @property
    def path(self) -> str:
        """The component that moves: `p[0]`, empty for the main one."""
        return self.copies[0].at.path

    @property
    def span(self) -> Span | None:
        """Where the event stands in the source."""
        return self.event.span

    @property
    def process(self) -> str | None:
        """The processes that move, by their names in the whole system; None when none is named."""
        names = [
            f"{c.at.path}.{c.event.process}" if c.at.path else c.event.process
            for c in self.copies
            if c.event.process is not None
        ]
        return " & ".join(dict.fromkeys(names)) if names else None


def build(shape: Shape) -> list[Component]:
    """All components, depth first, the whole system first, with the copies of their events."""
    _check_size(shape)
    copies: dict[int, list[_ShapeCopy]] = {}
    components: list[Component] = []
    stack = [Component(shape, 0, "")]
    while stack:
        at = stack.pop()
        components.append(at)
        if id(at.shape) not in copies:
            copies[id(at.shape)] = list(_copies(at))
        for c in copies[id(at.shape)]:
            title = f"{at.path}.{c.title}" if at.path else c.title
            copy = Copy(c.event, Frame(at, c.env), title)
            (at.free if c.label is None else at.labelled.setdefault(c.label, [])).append(copy)
        at.moves.extend(_moves(at.free))
        for part in at.shape.parts:
            path = f"{at.path}.{part.title}" if at.path else part.title
            at.parts[part.name, part.index] = Component(part.shape, at.base + part.offset, path)
        stack.extend(reversed(at.parts.values()))
    return components


def partners(copy: Copy, free: Iterable[Copy]) -> Iterator[Copy]:
    """The copies with which a copy that begins with a rendezvous may be executed."""
    mine = copy.rendezvous
    for other in free:
        theirs = other.rendezvous
        if (
            mine is not None
            and theirs is not None
            and isinstance(theirs, Send) != isinstance(mine, Send)
            and theirs.channel.name == mine.channel.name
            and (copy.event.process is None or copy.event.process != other.event.process)
        ):
            yield other


def _moves(free: list[Copy]) -> Iterator[Move]:
    for copy in free:
        if copy.rendezvous is None:
            yield Move(copy.title, (copy,))
        elif isinstance(copy.rendezvous, Send):
            for other in partners(copy, free):
                yield Move(f"{copy.title} & {other.title}", (copy, other))


def _check_size(root: Shape) -> None:
    """Refuse a tree that cannot be listed; shapes are shared, so it may be astronomically large."""
    size: dict[int, int] = {}
    stack = [root]
    while stack:
        shape = stack[-1]
        missing = [p.shape for p in shape.parts if id(p.shape) not in size]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        size[id(shape)] = 1 + sum(size[id(p.shape)] for p in shape.parts)
    if max(size[id(root)], root.width) > COMPONENT_LIMIT:
        raise LimitReached(
            f"the system has {size[id(root)]} components and {root.width} cells, "
            f"more than the {COMPONENT_LIMIT} that can be executed state by state"
        )


@dataclass(frozen=True, slots=True)
class _ShapeCopy:
    event: Event
    env: Mapping[str, int]
    title: str
    label: LabelValue | None = field(default=None)


def _copies(at: Component) -> Iterator[_ShapeCopy]:
    """The copies of the events of one shape.

    A copy whose guard does not hold whatever the state is, or whose label has an undefined
    argument, can never be executed and is left out.
    """
    for event in at.shape.type.events:
        fixed = [c for c in event.guard if not _speaks_of_state(c)]
        ranges = [at.shape.ranges[p.range] for p in event.parameters]
        if prod(len(r) for r in ranges) > COMPONENT_LIMIT:
            raise LimitReached(f"'{event.name}' has more than {COMPONENT_LIMIT} copies")
        for values in product(*ranges):
            env = dict(zip((p.name for p in event.parameters), values, strict=True))
            frame = Frame(at, env)
            if not all(frame.truth(c, ()) for c in fixed):
                continue
            arguments = f"({', '.join(map(str, values))})" if values else ""
            title = event.title + arguments
            if event.label is None or event.label.name == "":
                yield _ShapeCopy(event, env, title)
                continue
            given = [frame.value(a, ()) for a in event.label.arguments]
            defined = tuple(v for v in given if v is not None)
            if len(defined) == len(given):
                yield _ShapeCopy(event, env, title, (event.label.name, defined))


def _speaks_of_state(formula: Formula) -> bool:
    kinds = (Var, Length, Full, Empty, Poll, Deadlock, Enabled)
    return any(isinstance(n, kinds) for n in nodes(formula))
