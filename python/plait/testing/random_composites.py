"""Random composites and sets: instances that move alone and together.

A `Written` type carries what the outside may use of it: the labels it answers to, the places that
properties may look at, and the titles of its events.
"""

from __future__ import annotations

from plait.model.expr import Compare, Const, Formula, Hop, IntExpr, Param
from plait.model.stmt import (
    Abort,
    AllCall,
    AnyCall,
    Body,
    Call,
    For,
    If,
    InstanceCall,
    NextCall,
    Statement,
)
from plait.model.types import (
    ComponentType,
    CompositeType,
    Constant,
    Event,
    Instance,
    Label,
    Parameter,
    SetType,
)
from plait.records import dataclass, field, replace
from plait.testing.choices import Choices
from plait.testing.mix import Mix
from plait.testing.random_elementary import Draft, Offer, RangeInfo, call_arguments
from plait.testing.random_expressions import Expressions, Named, Place, Queue, Scope


@dataclass(frozen=True, slots=True)
class Written:
    """A finished type with what the outside may use of it."""

    type: ComponentType
    offers: tuple[Offer, ...] = ()
    places: tuple[Place, ...] = ()
    titles: tuple[str, ...] = ()
    queues: tuple[Queue, ...] = ()
    cells: int = 0


@dataclass(frozen=True, slots=True)
class Member:
    """An instance of a composite, with the written type it instantiates."""

    instance: Instance
    written: Written
    size: int | None = None


@dataclass(slots=True)
class SyncWriter:
    """Writes the events of a composite or a set."""

    choices: Choices
    mix: Mix
    ranges: list[RangeInfo]
    named: list[Named]
    members: list[Member] = field(default_factory=list)
    circular: bool | None = None
    """None in a composite, else whether the set is a ring."""
    offers: list[Offer] = field(default_factory=list)

    def events(self, most: int, labels: int) -> list[Event]:
        """Labelled events first, so that the others can call them; then the free ones."""
        c = self.choices
        written: list[Event] = []
        for number in range(labels):
            name = f"sync{number}"
            written.extend(
                replace(self.event(f"on{number}_{copy}x", simple=True), label=Label(name))
                for copy in range(c.integer(1, 2))
            )
            self.offers.append(Offer(name))
        written.extend(self.event(f"s{i}") for i in range(c.integer(1, most)))
        return written

    def event(self, name: str, *, simple: bool = False) -> Event:
        """A synchronisation, possibly parametric, with a guard over its parameters.

        Those that others call are `simple`: calls of calls multiply what one step may lead to.
        """
        c = self.choices
        chosen = []
        if self.ranges and c.chance(self.mix.parameters + 10):
            chosen = [c.pick(self.ranges) for _ in range(1 if simple else c.integer(1, 2))]
        parameters = tuple(Parameter(f"p{i}", range=r.name) for i, r in enumerate(chosen))
        bound = [Named(f"p{i}", r.low, r.high) for i, r in enumerate(chosen)]
        scope = Scope(named=(*self.named, *bound), undefined=0)
        guard: tuple[Formula, ...] = ()
        if bound and c.chance(40):
            guard = (self._condition(scope),)
        if simple:
            body = tuple(self.statement(scope, 0) for _ in range(c.integer(1, 2)))
            return Event(name, guard, body, parameters)
        return Event(name, guard, self.body(scope, 1), parameters)

    def _condition(self, scope: Scope) -> Formula:
        c = self.choices
        e = Expressions(c, scope)
        named = c.pick(scope.named)
        return Compare(c.pick(("!=", "==", "<", ">=")), Param(named.name), e.value(0, 2, 1))

    def body(self, scope: Scope, depth: int) -> Body:
        """One to three calls; several may be of one instance, which then moves several times."""
        count = self.choices.weighted([(3, 1), (6, 2), (2, 3)])
        return tuple(self.statement(scope, depth) for _ in range(count))

    def statement(self, scope: Scope, depth: int) -> Statement:
        """A call, or a loop, choice or abort around calls."""
        c = self.choices
        if depth > 0 and self.ranges and c.chance(12):
            r = c.pick(self.ranges)
            inner = scope.binding(Named(f"i{depth}", r.low, r.high))
            return For(f"i{depth}", r.name, self.body(inner, depth - 1))
        if depth > 0 and scope.named and c.chance(12):
            otherwise = self.body(scope, 0) if c.chance(60) else ()
            return If(self._condition(scope), self.body(scope, 0), otherwise)
        if self.offers and c.chance(20):
            return Call(c.pick(self.offers).name)
        if c.chance(self.mix.aborts // 2):
            return Abort()
        return self._call(scope)

    def _call(self, scope: Scope) -> Statement:
        c = self.choices
        callable_members = [m for m in self.members if m.written.offers]
        if not callable_members:
            return Abort()
        member = c.pick(callable_members)
        offer = c.pick(member.written.offers)
        e = Expressions(c, scope)
        arguments = call_arguments(c, e, offer)
        if self.circular is None:
            return InstanceCall(self._hop(member, scope), offer.name, arguments)
        how = c.weighted([(4, "any"), (3, "all"), (5 if self.circular else 0, "next")])
        if how == "any":
            return AnyCall(offer.name, arguments)
        if how == "all":
            return AllCall(offer.name, arguments)
        other = c.pick(member.written.offers)
        return NextCall(offer.name, arguments, other.name, call_arguments(c, e, other))

    def _hop(self, member: Member, scope: Scope) -> Hop:
        c = self.choices
        if member.size is None:
            return Hop(member.instance.name)
        # A constant index out of range is a static error, and an instance may bind the constant to
        # anything; that of a parameter may leave the range.
        fitting = [n for n in scope.named if not n.constant]
        if fitting and c.chance(50):
            return Hop(member.instance.name, Param(c.pick(fitting).name))
        return Hop(member.instance.name, Const(c.integer(0, max(0, member.size - 1))))


def written(made: ComponentType, draft: Draft) -> Written:
    """An elementary type with what its draft says of it."""
    titles = tuple(e.name for e in made.events if e.label is None)
    cells = sum(p.size or 1 for p in draft.places)
    return Written(
        made, tuple(draft.offers), tuple(draft.places), titles, tuple(draft.queues), cells
    )


def composite(
    choices: Choices,
    mix: Mix,
    name: str,
    available: list[Written],
    *,
    shared: list[Named],
    ranges: list[RangeInfo],
    cells: int,
    labels: int,
) -> Written:
    """A composite of some of the available types, of at most about `cells` cells."""
    c = choices
    named = list(shared)
    constants: tuple[Constant, ...] = ()
    if c.chance(mix.constants // 2):
        value = c.integer(1, 2)
        constants = (Constant("C0", value),)
        named.append(Named("C0", value, value, constant=True))
    members: list[Member] = []
    left = cells
    while left > 0 and len(members) < 4:
        written = c.pick(available)
        if members and written.cells > left:
            break
        most = max(1, min(3, left // max(1, written.cells)))
        member = _member(c, mix, f"m{len(members)}", written, most=most, named=named)
        members.append(member)
        left -= written.cells * (member.size or 1)
    writer = SyncWriter(c, mix, ranges, named, members)
    events = writer.events(4, labels)
    _add_elapse(c, mix, events)
    instances = tuple(m.instance for m in members)
    made = CompositeType(name, constants, (), tuple(events), instances)
    return _composed(made, writer, cells - left)


def _member(
    c: Choices, mix: Mix, name: str, written: Written, *, most: int, named: list[Named]
) -> Member:
    """An instance of the type, or an array of them, possibly with other constants."""
    bindings: tuple[tuple[str, int], ...] = ()
    constants = written.type.constants
    if constants and c.chance(40):
        bindings = ((constants[0].name, constants[0].value + c.pick((0, 1, 2))),)
    if not c.chance(mix.arrays):
        return Member(Instance(name, written.type.name, None, bindings), written)
    size = c.integer(1, most)
    same = [n for n in named if n.low == n.high == size]
    expr: IntExpr = Param(same[0].name) if same and c.chance(50) else Const(size)
    return Member(Instance(name, written.type.name, expr, bindings), written, size)


def component_set(
    choices: Choices, mix: Mix, name: str, element: Written, *, cells: int, labels: int
) -> Written:
    """A scalar or circular set of one of the available types."""
    c = choices
    size = c.integer(1, max(1, min(3, cells // max(1, element.cells))))
    member = Member(Instance("item", element.type.name, Const(size)), element, size)
    circular = c.chance(50)
    writer = SyncWriter(c, mix, [], [], [member], circular)
    events = writer.events(3, labels)
    _add_elapse(c, mix, events)
    made = SetType(name, (), (), tuple(events), element=member.instance, circular=circular)
    return _composed(made, writer, element.cells * size)


def _add_elapse(c: Choices, mix: Mix, events: list[Event]) -> None:
    """Let one of the free synchronisations be a step of time."""
    if c.chance(mix.elapse):
        free = [i for i, e in enumerate(events) if e.label is None]
        at = c.pick(free)
        events[at] = replace(events[at], label=Label("elapse"))


def _composed(made: ComponentType, writer: SyncWriter, cells: int) -> Written:
    places: list[Place] = []
    titles: list[str] = [e.name for e in made.events if e.label is None]
    for m in writer.members:
        for index in [None] if m.size is None else range(m.size):
            hop = Hop(m.instance.name, None if index is None else Const(index))
            title = m.instance.name if index is None else f"{m.instance.name}[{index}]"
            places.extend(replace(p, path=(hop, *p.path)) for p in m.written.places)
            titles.extend(f"{title}.{t}" for t in m.written.titles)
    return Written(made, tuple(writer.offers), tuple(places), tuple(titles), (), cells)
