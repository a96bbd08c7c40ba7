"""Write a model in a Python script.

    from plait.model.builder import Elementary, system

    counter = Elementary("counter")
    x = counter.variable("x", 0)
    counter.event("up", when=x < 3, do=x.set(x + 1))
    counter.event("reset", when=x == 3, do=x.set(0))
    model = system(counter)

Handles (`plait.model.handles`) carry Python's operators and build expressions; `system` closes the
model and runs the same static checks as a model read from a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from plait.model import expr as e
from plait.model import stmt as s
from plait.model import types as t
from plait.model.handles import Array, Bool, Cell, ChannelHandle, Int, int_expr, parameter
from plait.model.types import PropertyKind
from plait.records import dataclass, field


@dataclass
class Component(ABC):
    """What the three kinds of component share: a name, constants, ranges and events."""

    name: str
    constants: list[t.Constant] = field(default_factory=list)
    ranges: list[t.Range] = field(default_factory=list)
    events: list[t.Event] = field(default_factory=list)

    def constant(self, name: str, value: int) -> Int:
        """A constant that an instance may override."""
        self.constants.append(t.Constant(name, value))
        return parameter(name)

    def range(self, name: str, low: Int | int, high: Int | int) -> str:
        """A named range for parameters and loops, both ends included."""
        self.ranges.append(t.Range(name, int_expr(low), int_expr(high)))
        return name

    def event(
        self,
        name: str,
        *,
        when: Bool | Iterable[Bool] = (),
        do: s.Statement | Iterable[s.Statement] = (),
        label: str | tuple[Any, ...] | None = None,
        parameters: dict[str, str] | None = None,
        process: str | None = None,
    ) -> None:
        """An event; `label` is a name, or a tuple of a name and argument values.

        `parameters` maps parameter names to range names.
        """
        guard = _conditions(when)
        if isinstance(label, str):
            label = (label,)
        self.events.append(
            t.Event(
                name,
                guard=tuple(c for g in guard for c in e.conjuncts(g.node)),
                body=_body(do),
                parameters=tuple(t.Parameter(p, r) for p, r in (parameters or {}).items()),
                label=None if label is None else t.Label(label[0], tuple(map(int_expr, label[1:]))),
                process=process,
            )
        )

    @abstractmethod
    def build(self) -> t.ComponentType:
        """The component type."""


@dataclass
class Elementary(Component):
    """A component with variables of its own."""

    variables: list[t.Variable] = field(default_factory=list)
    channels: list[t.Channel] = field(default_factory=list)
    processes: list[t.Process] = field(default_factory=list)
    transient: Bool | None = None

    def variable(
        self, name: str, initial: Int | int = 0, domain: tuple[int, int] | None = None
    ) -> Cell:
        """An integer variable."""
        bounds = None if domain is None else t.Domain(*domain)
        self.variables.append(t.Variable(name, (int_expr(initial),), domain=bounds))
        return Cell(e.Var(name))

    def array(
        self,
        name: str,
        size: Int | int,
        initial: Sequence[Int | int] = (),
        domain: tuple[int, int] | None = None,
    ) -> Array:
        """An array; all 0 without initial values."""
        bounds = None if domain is None else t.Domain(*domain)
        values = tuple(map(int_expr, initial))
        self.variables.append(t.Variable(name, values, size=int_expr(size), domain=bounds))
        return Array(name)

    def channel(
        self, name: str, capacity: int, fields: int = 1, size: Int | int | None = None
    ) -> ChannelHandle:
        """A channel of messages with that many fields; capacity 0 is a rendezvous."""
        count = None if size is None else int_expr(size)
        self.channels.append(t.Channel(name, capacity, (None,) * fields, count))
        return ChannelHandle(name)

    def process(self, name: str, pc: Cell | None = None, locations: Sequence[str] = ()) -> str:
        """A process: its events name it, and `pc` holds the number of its location."""
        counter = None if pc is None else pc.variable.name
        self.processes.append(t.Process(name, counter, tuple(locations)))
        return name

    def build(self) -> t.ElementaryType:
        """The component type."""
        return t.ElementaryType(
            self.name,
            tuple(self.constants),
            tuple(self.ranges),
            tuple(self.events),
            tuple(self.variables),
            tuple(self.channels),
            tuple(self.processes),
            transient=None if self.transient is None else self.transient.node,
        )


@dataclass(frozen=True, slots=True)
class Part:
    """An instance in a composite, or with an index one of an array of them."""

    name: str
    index: Int | None = None

    def __getitem__(self, index: Int | int) -> Part:
        return Part(self.name, Int(int_expr(index)))

    def call(self, label: str, *arguments: Int | int) -> s.InstanceCall:
        """The instance executes an event with that label."""
        hop = e.Hop(self.name, None if self.index is None else self.index.node)
        return s.InstanceCall(hop, label, tuple(map(int_expr, arguments)))

    def __getattr__(self, variable: str) -> Cell:
        """A variable of the instance, for properties: `p[0].idle == 1`."""
        if variable.startswith("_"):
            raise AttributeError(variable)
        hop = e.Hop(self.name, None if self.index is None else self.index.node)
        return Cell(e.Var(variable, None, (hop,)))


@dataclass
class Composite(Component):
    """A component made of instances."""

    instances: list[t.Instance] = field(default_factory=list)

    def instance(
        self, name: str, type: Component | str, size: Int | int | None = None, **bindings: int
    ) -> Part:
        """An instance (or with `size` an array of them) of a type, constants overridden by name."""
        self.instances.append(
            t.Instance(
                name,
                type=type if isinstance(type, str) else type.name,
                size=None if size is None else int_expr(size),
                bindings=tuple(sorted(bindings.items())),
            )
        )
        return Part(name)

    def timed(self) -> None:
        """Time passes in all instances at once: an event `elapse` that calls `elapse` on each."""
        calls: list[s.Statement] = []
        for instance in self.instances:
            if instance.size is not None:
                raise TypeError("time is shared by single instances, not by arrays of them")
            calls.append(Part(instance.name).call(t.ELAPSE))
        self.event(t.ELAPSE, do=calls, label=t.ELAPSE)

    def build(self) -> t.CompositeType:
        """The component type."""
        return t.CompositeType(
            self.name,
            tuple(self.constants),
            tuple(self.ranges),
            tuple(self.events),
            tuple(self.instances),
        )


@dataclass
class ScalarSet(Component):
    """`size` instances of one type; with `circular` a ring."""

    element: Component | str = ""
    size: Int | int = 0
    circular: bool = False

    def build(self) -> t.SetType:
        """The component type."""
        type_ = self.element if isinstance(self.element, str) else self.element.name
        return t.SetType(
            self.name,
            tuple(self.constants),
            tuple(self.ranges),
            tuple(self.events),
            element=t.Instance("item", type=type_, size=int_expr(self.size)),
            circular=self.circular,
        )


def call(label: str, *arguments: Int | int) -> s.Call:
    """Execute some event of this component with that label."""
    return s.Call(label, tuple(map(int_expr, arguments)))


def any_call(label: str, *arguments: Int | int) -> s.AnyCall:
    """In a set: any one instance moves."""
    return s.AnyCall(label, tuple(map(int_expr, arguments)))


def all_call(label: str, *arguments: Int | int) -> s.AllCall:
    """In a set: every instance moves."""
    return s.AllCall(label, tuple(map(int_expr, arguments)))


def next_call(label: str, next_label: str) -> s.NextCall:
    """In a ring: some instance moves by `label` and its neighbour by `next_label`."""
    return s.NextCall(label, (), next_label, ())


def when(
    condition: Bool,
    then: s.Statement | Iterable[s.Statement],
    otherwise: s.Statement | Iterable[s.Statement] = (),
) -> s.If:
    """`if` as a statement."""
    return s.If(condition.node, _body(then), _body(otherwise))


def loop(name: str, over: str, body: s.Statement | Iterable[s.Statement]) -> s.For:
    """Execute the body once for each value of a range, in ascending order."""
    return s.For(name, over, _body(body))


def fixpoint(body: s.Statement | Iterable[s.Statement]) -> s.Fixpoint:
    """Apply the body until the set of states no longer changes."""
    return s.Fixpoint(_body(body))


def abort() -> s.Abort:
    """A statement without a successor."""
    return s.Abort()


def ask(name: str, kind: PropertyKind, body: Bool | Int | e.Formula | None = None) -> t.Property:
    """A property; for `ctl` and `ltl` pass a formula, for `bounds` an integer expression."""
    node = body.node if isinstance(body, Bool | Int) else body
    return t.Property(name, kind, node)


def system(
    main: Component,
    *others: Component | t.ComponentType,
    properties: Iterable[t.Property] = (),
    name: str = "",
) -> t.Model:
    """The complete, checked model whose system is `main`; `others` are further types."""
    from plait.model.validate import check

    if not isinstance(main, Component):
        raise TypeError(f"a component is needed, such as Elementary('p'), not {main!r}")
    model = t.Model(
        name or main.name,
        tuple(c.build() if isinstance(c, Component) else c for c in (*others, main)),
        main.name,
        properties=tuple(properties),
    )
    check(model)
    return model


def _conditions(when: Bool | Iterable[Bool]) -> list[Bool]:
    found = list(when) if isinstance(when, Iterable) and not isinstance(when, str) else [when]
    for condition in found:
        if not isinstance(condition, Bool):
            raise TypeError(f"a condition of the model is needed, such as x < 3, not {condition!r}")
    return found


def _body(statements: s.Statement | Iterable[s.Statement]) -> s.Body:
    found = tuple(statements) if isinstance(statements, Iterable) else (statements,)
    for statement in found:
        if not isinstance(statement, s.Statement):
            raise TypeError(f"a statement is needed, such as x.set(3), not {statement!r}")
    return found


__all__ = [
    "Array",
    "Bool",
    "Cell",
    "ChannelHandle",
    "Component",
    "Composite",
    "Elementary",
    "Int",
    "Part",
    "ScalarSet",
    "abort",
    "all_call",
    "any_call",
    "ask",
    "call",
    "fixpoint",
    "loop",
    "next_call",
    "parameter",
    "system",
    "when",
]
