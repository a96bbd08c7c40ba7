"""Parameter separation: an event with n independent parameters costs a sum instead of a product.

Thierry-Mieg: "Symbolic Model-Checking using ITS-tools" and the dissertation behind it (section
7.4 of the specification). The parameters of an event are the nodes of a hypergraph, its conjuncts
and statements (here: *items*) the edges. A parameter without neighbour moves with its items to a
labelled event of its own, which the rest calls; a parameter with one neighbour moves to an event
over both, whose label carries the neighbour. Repeated until nothing moves; `$x == $y` in the guard
first makes one parameter of two.

**Soundness.** The items of a moved parameter are executed after all that stay. So an item may
only move when it commutes with every later one that stays: neither writes what the other reads or
writes, or both only add constants. Otherwise the parameter stays where it is.

**Net semantics.** In a net `coins[$a] > 0 && coins[$b] > 0` means two coins even when $a equals $b.
With `net` a conjunct and the subtraction that it protects become one item, a *take*, which tests
and subtracts at one go. Takes commute with each other: in any order they succeed just when all the
tokens are there. This changes the meaning of a model that was not meant as a net.

The parameters that move away are missing from the titles of events, and bindings with the same
effect are one arc; everything else stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait.hints import cast
from plait.model.expr import Binary, Compare, Const, Formula, IntExpr, Not, Param, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, nodes, rewrite
from plait.model.shape import COUNTER
from plait.model.stmt import Abort, Assign, Body, Call, For, If, Statement
from plait.model.types import ElementaryType, Event, Label, Model, Parameter
from plait.passes.rewritten import Rewritten
from plait.passes.usage import cells_of
from plait.passes.walk import map_body, map_expressions, reads, statements
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A conjunct, a statement, or both at one go: what moves as a whole."""

    conditions: tuple[Formula, ...] = ()
    body: Body = ()
    parameters: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    adds: bool = False
    """Whether it only adds numbers to variables that do not depend on any."""
    takes: bool = False
    """Whether it tests and subtracts at one go, in the sense of nets."""
    barrier: bool = False
    """Whether nothing may pass it."""
    parts: tuple[Item, ...] = ()
    """Of a call: the items that it stands for."""

    def commutes(self, other: Item) -> bool:
        """Whether the two may change places."""
        return all(a._passes(b) for a in self.parts or (self,) for b in other.parts or (other,))

    def _passes(self, other: Item) -> bool:
        if self.barrier or other.barrier:
            return False
        if (self.adds and other.adds) or (self.takes and other.takes):
            return True
        return (
            self.written.isdisjoint(other.read)
            and self.written.isdisjoint(other.written)
            and self.read.isdisjoint(other.written)
        )


def separate(model: Model, *, net: bool = False) -> Rewritten:
    """The model with the parameters of its elementary events separated where that is sound.

    `net` reads guarded subtractions as the arcs of a net (see above).
    """
    types = tuple(
        _separated_type(t, net) if isinstance(t, ElementaryType) else t for t in model.types
    )
    return Rewritten(replace(model, types=types))


def _separated_type(type_: ElementaryType, net: bool) -> ElementaryType:
    names = FreshNames(e.label.name for e in type_.events if e.label is not None)
    limited = {
        v.name
        for v in type_.variables
        if v.domain is not None and not (net and v.domain == COUNTER)
    }
    events: list[Event] = []
    for event in type_.events:
        if len(event.parameters) < 2 and not net:
            events.append(event)
        else:
            merged = merge_equal(event)
            events.extend(_separated(merged, items_of(merged, limited, net=net), names.fresh))
    return replace(type_, events=tuple(events))


# --- items ----------------------------------------------------------------------------------------


def items_of(event: Event, limited: Iterable[str] = (), *, net: bool = False) -> list[Item]:
    """The items of an event in the order in which they count: the guard, then the body.

    An assignment to a variable of a limited domain may be an error of the model, which must not
    happen before a condition has excluded it: nothing passes it.
    """
    guard = list(event.guard)
    takes: list[Item] = []
    rest: list[Item] = []
    barred = frozenset(limited)
    for statement in event.body:
        step = _addition(statement)
        protected = None
        if net and step is not None:
            protected = next((i for i, g in enumerate(guard) if _protects(g, step)), None)
        if protected is not None:
            takes.append(replace(_item((guard.pop(protected),), (statement,)), takes=True))
            continue
        item = _item((), (statement,))
        if item.written & barred:
            item = replace(item, barrier=True)
        rest.append(replace(item, adds=step is not None))
    return [*(_item((g,), ()) for g in guard), *takes, *rest]


def _item(conditions: tuple[Formula, ...], body: Body) -> Item:
    expressions: list[Node] = list(conditions)
    written: set[str] = set()
    bound: set[str] = set()
    barrier = False
    for statement in statements(body):
        expressions.extend(reads(statement))
        match statement:
            case Assign(target=target):
                written.add(target.name)
            case For(parameter=name):
                bound.add(name)
            case If() | Abort():
                pass
            case _:
                barrier = True
    cells, somewhere = cells_of(expressions)
    parameters = {n.name for e in expressions for n in nodes(e) if isinstance(n, Param)}
    return Item(
        conditions,
        body,
        frozenset(parameters - bound),
        frozenset({name for name, _ in cells} | somewhere),
        frozenset(written),
        barrier=barrier,
    )


@dataclass(frozen=True, slots=True)
class _Addition:
    target: Var
    op: str
    amount: IntExpr


def _addition(statement: Statement) -> _Addition | None:
    """What a statement adds to a variable, when that depends on parameters only."""
    match statement:
        case Assign(
            target=target, value=Binary(op="+" | "-" as op, left=Var() as left, right=amount)
        ) if left == target and not any(isinstance(n, Var) for n in nodes(amount)):
            return _Addition(target, op, amount)
    return None


def _protects(guard: Formula, step: _Addition) -> bool:
    """Whether the conjunct says that as much is there as the step subtracts."""
    if step.op != "-":
        return False
    match guard, step.amount:
        case Compare(op=">=", left=Var() as left, right=least), amount if least == amount:
            return left == step.target
        case Compare(op=">" | ">=" as op, left=Var() as left, right=Const(value=least)), Const(
            value=taken
        ):
            return left == step.target and 0 <= taken <= least + (op == ">")
    return False


# --- `$x == $y` -----------------------------------------------------------------------------------


def merge_equal(event: Event) -> Event:
    """One parameter instead of two of the same range that the guard says are equal."""
    ranges = {p.name: p.range for p in event.parameters}
    bound = {s.parameter for s in statements(event.body) if isinstance(s, For)}
    instead: dict[str, str] = {}

    def meant(name: str) -> str:
        while name in instead:
            name = instead[name]
        return name

    guard = []
    for conjunct in event.guard:
        match conjunct:
            case Compare(op="==", left=Param(name=a), right=Param(name=b)):
                a, b = meant(a), meant(b)
                if a in ranges and ranges.get(b) == ranges[a] and bound.isdisjoint((a, b)):
                    if a != b:
                        instead[b] = a
                    continue
            case _:
                pass
        guard.append(conjunct)
    if not instead:
        return replace(event, guard=tuple(guard))

    def change(node: Node) -> Node:
        if isinstance(node, Param) and node.name in instead:
            return Param(meant(node.name), span=node.span)
        return node

    def renamed(node: Node) -> Node:
        return rewrite(node, change)

    label = event.label
    if label is not None:
        arguments = tuple(cast(IntExpr, renamed(a)) for a in label.arguments)
        label = Label(label.name, arguments)
    return replace(
        event,
        guard=tuple(cast(Formula, renamed(g)) for g in guard),
        body=map_body(event.body, lambda s: (map_expressions(s, renamed, renamed),)),
        parameters=tuple(p for p in event.parameters if p.name not in instead),
        label=label,
    )


# --- moving ---------------------------------------------------------------------------------------


def _separated(event: Event, items: list[Item], fresh: Callable[[str], str]) -> list[Event]:
    """The event and the labelled events that its parameters have moved to."""
    parameters = {p.name: p for p in event.parameters}
    pinned: set[str] = set()
    if event.label is not None:
        arguments = event.label.arguments
        pinned = {n.name for a in arguments for n in nodes(a) if isinstance(n, Param)}
    helpers: list[Event] = []
    moved = True
    while moved:
        moved = False
        for name in list(parameters):
            own = [i for i in items if name in i.parameters]
            around = {p for i in own for p in i.parameters} & set(parameters) - {name}
            # Two parameters that only know each other would gain nothing.
            worth = len(parameters) > 1 + len(around)
            if name in pinned or not own or len(around) > 1 or not worth:
                continue
            if not _may_move(items, own):
                continue
            label = fresh(f"{event.name}_{name}")
            neighbours = tuple(parameters[n] for n in sorted(around))
            helpers.append(_helper(event, label, (parameters.pop(name), *neighbours), own))
            items = [i for i in items if i not in own]
            items.append(_call(label, neighbours, own))
            moved = True
    rest = replace(event, parameters=tuple(parameters.values()))
    return [_written(rest, items), *helpers]


def _may_move(items: Sequence[Item], own: Sequence[Item]) -> bool:
    """Whether each of the own items commutes with all later ones that stay."""
    moving: list[Item] = []
    for item in items:
        if item in own:
            moving.append(item)
        elif not all(m.commutes(item) for m in moving):
            return False
    return True


def _helper(
    event: Event, label: str, parameters: tuple[Parameter, ...], own: Sequence[Item]
) -> Event:
    arguments = tuple(Param(p.name) for p in parameters[1:])
    helper = Event(label, parameters=parameters, label=Label(label, arguments), span=event.span)
    return _written(helper, own)


def _call(label: str, neighbours: tuple[Parameter, ...], own: Sequence[Item]) -> Item:
    return Item(
        body=(Call(label, tuple(Param(p.name) for p in neighbours)),),
        parameters=frozenset(p.name for p in neighbours),
        read=frozenset().union(*(i.read for i in own)),
        written=frozenset().union(*(i.written for i in own)),
        parts=tuple(part for i in own for part in i.parts or (i,)),
    )


def _written(event: Event, items: Sequence[Item]) -> Event:
    """The event with these items: a condition is a guard until something it reads is written."""
    guard: list[Formula] = []
    body: list[Statement] = []
    written: set[str] = set()
    for item in items:
        for condition in item.conditions:
            if written.isdisjoint(item.read):
                guard.append(condition)
            else:
                stop = (Abort(span=condition.span),)
                body.append(If(Not(condition, span=condition.span), stop, span=condition.span))
        body.extend(item.body)
        written |= item.written
    return replace(event, guard=tuple(guard), body=tuple(body))
