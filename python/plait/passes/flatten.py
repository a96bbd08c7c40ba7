"""Flattening: a hierarchy of instances becomes one elementary type.

Nothing is multiplied out. The label `l` of the instance at path p becomes the label `p.l` of the
flat type, and a synchronisation an event that calls such labels, so k calls with n answers each
stay n*k events instead of n^k. `any` and `next` of a set become fresh labels with one event for
each instance (or pair of neighbours), `all` a sequence.

The cells keep their order, so a state of the flat model is a state of the original one. Events
without a label keep the title under which the original model knows them: `path.event`.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.errors import LimitReached, error
from plait.hints import cast
from plait.model.expr import Const, Formula, IntExpr, Var
from plait.model.fresh import FreshNames
from plait.model.node import Node, rewrite
from plait.model.shape import Part, Shape, evaluate_constant, shape_of
from plait.model.stmt import (
    AllCall,
    AnyCall,
    Body,
    Call,
    InstanceCall,
    NextCall,
    Settle,
    Statement,
)
from plait.model.types import (
    ELAPSE,
    ElementaryType,
    Event,
    Label,
    Model,
    Process,
    Property,
    Variable,
)
from plait.passes.folding import UNDEFINED, Folder
from plait.passes.rewritten import Rewritten
from plait.passes.walk import called, map_body, map_expressions
from plait.records import dataclass, replace

CELL_LIMIT = 2**24
"""The most cells of a flat model."""
EVENT_LIMIT = 2**22
"""The most events and calls, and the most instances, of a flat model."""
_LONG_PATH = 200
"""A path longer than this is abbreviated in names, so that deep hierarchies stay linear."""


def flatten(model: Model) -> Rewritten:
    """The model as one elementary type; it must be instantiated and without channels."""
    root = shape_of(model)
    _check_size(root)
    system = root.type
    if isinstance(system, ElementaryType) and not any(_is_elapse(e) for e in system.events):
        flat = replace(system, predicates=())
        return Rewritten(replace(model, types=(flat,)))
    flattener = _Flattener(root)
    type_ = flattener.type(system.name)
    properties = tuple(flattener.property(p) for p in model.properties)
    return Rewritten(Model(model.name, (type_,), type_.name, properties=properties))


def _is_elapse(event: Event) -> bool:
    return event.label is not None and event.label.name == ELAPSE


def _check_size(root: Shape) -> None:
    """Refuse what does not fit in memory: sharing makes shapes small whose states are not."""
    if root.width > CELL_LIMIT:
        raise LimitReached(
            f"the flat model has {_count(root.width)} cells, more than the limit of {CELL_LIMIT}"
        )
    weights: dict[int, int] = {}
    stack: list[tuple[Shape, bool]] = [(root, False)]
    while stack:
        shape, expanded = stack.pop()
        if id(shape) in weights:
            continue
        if expanded:
            own = 1 + len(shape.type.events) + _set_calls(shape)
            weights[id(shape)] = own + sum(weights[id(p.shape)] for p in shape.parts)
        else:
            stack.append((shape, True))
            stack.extend({id(p.shape): (p.shape, False) for p in shape.parts}.values())
    if weights[id(root)] > EVENT_LIMIT:
        raise LimitReached(
            f"the flat model has {_count(weights[id(root)])} instances and events, more than the "
            f"limit of {EVENT_LIMIT}"
        )


def _set_calls(shape: Shape) -> int:
    """How many calls the set-wide statements of a set stand for."""
    return len(shape.parts) * sum(
        isinstance(s, AnyCall | AllCall | NextCall) for e in shape.type.events for s in e.body
    )


def _count(number: int) -> str:
    return str(number) if number < 10**15 else f"about 2^{number.bit_length() - 1}"


@dataclass(frozen=True, slots=True)
class _Instance:
    """One instance of the hierarchy. `title` is its path in traces, `name` that of its names."""

    number: int
    title: str
    name: str
    shape: Shape
    offset: int
    parts: int
    """The number of its first part; the others follow."""


class _Flattener:
    def __init__(self, root: Shape) -> None:
        self.root = root
        self.variables: list[Variable] = []
        self.processes: list[Process] = []
        self.events: list[Event] = []
        self.names = FreshNames()
        self.event_names = FreshNames()
        self.labels: dict[tuple[object, ...], str] = {}
        # The environment calls `elapse`; nothing in the flat type may answer to it by accident.
        self.label_names = FreshNames((ELAPSE,))
        self.flat_name: dict[tuple[int, str], str] = {}
        self.folder = Folder()
        for instance in self._instances():
            if isinstance(instance.shape.type, ElementaryType):
                self._elementary(instance, instance.shape.type)
            else:
                self._compose(instance)

    def type(self, name: str) -> ElementaryType:
        """The flat type."""
        return ElementaryType(
            name,
            events=tuple(self.events),
            variables=tuple(self.variables),
            processes=tuple(self.processes),
            units=self.root.type.units if isinstance(self.root.type, ElementaryType) else None,
            span=self.root.type.span,
        )

    def _instances(self) -> Iterator[_Instance]:
        """All instances, depth first: the order of the cells."""
        numbered = 1
        stack: list[tuple[int, str, str, Shape, int]] = [(0, "", "", self.root, 0)]
        while stack:
            number, title, name, shape, offset = stack.pop()
            yield _Instance(number, title, name, shape, offset, numbered)
            prefix = f"i{number}" if len(name) > _LONG_PATH else name
            for index in range(len(shape.parts) - 1, -1, -1):
                part = shape.parts[index]
                stack.append(
                    (
                        numbered + index,
                        _join(title, part.title),
                        _join(prefix, _part_name(part)),
                        part.shape,
                        offset + part.offset,
                    )
                )
            numbered += len(shape.parts)

    def _label(self, number: int, name: str, *rest: str) -> tuple[str, bool]:
        """The flat label of a key, and whether it is new."""
        key = (number, *rest)
        known = self.labels.get(key)
        if known is not None:
            return known, False
        fresh = self.label_names.fresh(_join(name, ".".join(rest)))
        self.labels[key] = fresh
        return fresh, True

    def _emit(
        self, instance: _Instance, event: Event, guard: tuple[Formula, ...], body: Body
    ) -> None:
        """Add the event with a guard and body that have already been moved to flat names."""
        of_main = _is_elapse(event) and instance.number == 0
        if event.label is None or of_main:
            self._append(instance, event, None, guard, body)
        if event.label is not None and (not of_main or self._calls_elapse()):
            label = self._label(instance.number, instance.name, event.label.name)[0]
            self._append(instance, event, label, guard, body)

    def _calls_elapse(self) -> bool:
        return any(ELAPSE in called(e.body) for e in self.root.type.events)

    def _append(
        self,
        instance: _Instance,
        event: Event,
        label: str | None,
        guard: tuple[Formula, ...],
        body: Body,
    ) -> None:
        path = instance.title if label is None else instance.name
        name = self.event_names.fresh(_join(instance.name, event.name))
        # Both halves of a rendezvous have the path in front of them.
        title = " & ".join(_join(path, half) for half in event.title.split(" & "))
        self.events.append(
            Event(
                name,
                guard,
                body,
                (),
                None if label is None else Label(label),
                None if event.process is None else _join(instance.title, event.process),
                "" if title == name else title,
                tuple(_join(path, source) for source in event.origin),
                span=event.span,
                comment=event.comment,
            )
        )

    # --- elementary instances ---------------------------------------------------------------------

    def _elementary(self, instance: _Instance, type_: ElementaryType) -> None:
        renamed: dict[str, str] = {}
        for v in type_.variables:
            flat = self.names.fresh(_join(instance.name, v.name))
            renamed[v.name] = flat
            self.flat_name[instance.offset, _local(instance, v.name)] = flat
            self.variables.append(replace(v, name=flat, nested=()) if flat != v.name else v)
        for p in type_.processes:
            pc = None if p.pc is None else renamed[p.pc]
            self.processes.append(replace(p, name=_join(instance.title, p.name), pc=pc))

        def change(node: Node) -> Node:
            if not isinstance(node, Var):
                return node
            return Var(renamed[node.name], node.index, span=node.span)

        def rename(node: Node) -> Node:
            below = node.children()
            if all(not c.children() for c in below):
                return change(node.with_children([change(c) for c in below]) if below else node)
            return rewrite(node, change)

        def statement(old: Statement) -> tuple[Statement, ...]:
            new = map_expressions(old, rename, rename)
            if isinstance(new, Call | Settle):
                label = self._label(instance.number, instance.name, new.label)[0]
                new = replace(new, label=label)
            return (new,)

        for event in type_.events:
            guard = tuple(cast(Formula, rename(g)) for g in event.guard)
            body = map_body(event.body, statement)
            self._emit(instance, event, guard, body)

    # --- composites and sets ----------------------------------------------------------------------

    def _compose(self, instance: _Instance) -> None:
        numbers = {(p.name, p.index): i for i, p in enumerate(instance.shape.parts)}

        def part(index: int, label: str) -> str:
            p = instance.shape.parts[index]
            prefix = f"i{instance.number}" if len(instance.name) > _LONG_PATH else instance.name
            name = _join(prefix, _part_name(p))
            return self._label(instance.parts + index, name, label)[0]

        def statement(old: Statement) -> Iterator[Statement]:
            match old:
                case Call(label=label):
                    own = self._label(instance.number, instance.name, label)[0]
                    yield Call(own, span=old.span)
                case InstanceCall(instance=hop, label=label):
                    index = None if hop.index is None else evaluate_constant(hop.index, {})
                    yield Call(part(numbers[hop.name, index], label), span=old.span)
                case AllCall(label=label):
                    for index in range(len(numbers)):
                        yield Call(part(index, label), span=old.span)
                case AnyCall(label=label):
                    fresh, new = self._label(instance.number, instance.name, "any", label)
                    if new:
                        for index in range(len(numbers)):
                            alternatives(fresh, (Call(part(index, label), span=old.span),))
                    yield Call(fresh, span=old.span)
                case NextCall(label=label, next_label=other):
                    fresh, new = self._label(instance.number, instance.name, "next", label, other)
                    if new:
                        for index in range(len(numbers)):
                            after = (index + 1) % len(numbers)
                            first = Call(part(index, label), span=old.span)
                            second = Call(part(after, other), span=old.span)
                            alternatives(fresh, (first, second))
                    yield Call(fresh, span=old.span)
                case _:
                    yield old

        def alternatives(label: str, body: Body) -> None:
            name = self.event_names.fresh(label)
            self.events.append(Event(name, body=body, label=Label(label), span=body[0].span))

        for event in instance.shape.type.events:
            self._emit(instance, event, event.guard, map_body(event.body, statement))

    # --- properties -------------------------------------------------------------------------------

    def property(self, property: Property) -> Property:
        """The property over the flat variables."""
        if property.body is None:
            return property
        body = rewrite(property.body, self._flat_variable)
        return replace(property, body=cast(Formula | IntExpr, body))

    def _flat_variable(self, node: Node) -> Node:
        if not isinstance(node, Var):
            return node
        shape, offset = self.root, 0
        for hop in node.path:
            index = None if hop.index is None else self.folder.integer(hop.index)
            key = (hop.name, index.value if isinstance(index, Const) else None)
            inner = shape.part.get(key)
            if inner is None:
                if any(p.name == hop.name for p in shape.parts):
                    return UNDEFINED  # an index out of range
                raise error(f"no instance named '{hop.name}'", hop.span or node.span)
            shape, offset = inner.shape, offset + inner.offset
        flat = self.flat_name.get((offset, f"{shape.type.name}:{node.name}"))
        if flat is None:
            raise error(f"no variable named '{node.name}'", node.span)
        return Var(flat, node.index, span=node.span)


def _local(instance: _Instance, variable: str) -> str:
    """With its type, since instances without cells share an offset with the next one."""
    return f"{instance.shape.type.name}:{variable}"


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _part_name(part: Part) -> str:
    return part.name if part.index is None else f"{part.name}.{part.index}"
