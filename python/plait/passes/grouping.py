"""Sets as trees of groups: equivalent encodings of scalar and circular sets.

A set of n equal parts has a rigid pattern, so its parts may be grouped at will (ITS specification,
5.3). A group is a composite of parts or of smaller groups; groups of equal size share one type. It
offers what the set asks of its parts:

| of the set | label of a group | meaning |
|---|---|---|
| `any l` | `any l` | one of its parts moves by `l` |
| `all l` | `all l` | all of its parts move by `l`, in order |
| `next l, m` | `next l m` | a part and its right neighbour in the same group move |
| | `last l`, `first m` | the ends of the group, where neighbouring groups meet |

Only the outermost group closes a ring. The states are those of the set, cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from plait.model.expr import Hop
from plait.model.fresh import FreshNames
from plait.model.grouping import STYLES, Grouping, Style
from plait.model.shape import evaluate_constant
from plait.model.stmt import AllCall, AnyCall, Body, Call, InstanceCall, NextCall, Statement
from plait.model.types import (
    ComponentType,
    CompositeType,
    Event,
    Instance,
    Label,
    Model,
    SetType,
)
from plait.passes.rewritten import Rewritten
from plait.passes.walk import map_body, statements
from plait.records import replace


def group(model: Model, grouping: Grouping) -> Rewritten:
    """The model with its sets as trees of composites; it must be instantiated."""
    if grouping.style == "declared":
        return Rewritten(model)
    names = FreshNames(t.name for t in model.types)
    types: list[ComponentType] = []
    for type_ in model.types:
        if isinstance(type_, SetType):
            types.extend(_Grouper(type_, grouping, names).types())
        else:
            types.append(type_)
    return Rewritten(replace(model, types=tuple(types)))


_Key = tuple[str, ...]
"""What is asked of a group: ("any", l), ("all", l), ("next", l, m), ("first", m), ("last", l)."""


class _Grouper:
    """One set as a tree of groups."""

    def __init__(self, type_: SetType, grouping: Grouping, names: FreshNames) -> None:
        self.type = type_
        self.grouping = grouping
        self.names = names
        self.element = type_.element
        assert type_.element.size is not None
        self.size = evaluate_constant(type_.element.size, {})
        own = FreshNames(e.label.name for e in type_.events if e.label is not None)
        keys = dict.fromkeys(self._keys())
        self.labels = {key: own.fresh(" ".join(key)) for key in keys}

    def _keys(self) -> Iterator[_Key]:
        for event in self.type.events:
            for s in statements(event.body):
                match s:
                    case AnyCall(label=label):
                        yield ("any", label)
                    case AllCall(label=label):
                        yield ("all", label)
                    case NextCall(label=label, next_label=other):
                        yield from (("next", label, other), ("last", label), ("first", other))

    def types(self) -> list[ComponentType]:
        """The groups, smaller ones first, and the set itself."""
        made: dict[int, CompositeType] = {}
        stack = [s for s in self.grouping.split(self.size, True) if s > 1]
        while stack:
            size = stack[-1]
            inner = self.grouping.split(size, False)
            missing = {s for s in inner if s > 1 and s not in made}
            if size in made or not missing:
                stack.pop()
                if size not in made:
                    name = self.names.fresh(f"{self.type.name}_of_{size}")
                    made[size] = self._group(name, inner, made)
            else:
                stack.extend(missing)
        return [*made.values(), self._outermost(made)]

    def _group(
        self, name: str, inner: tuple[int, ...], made: dict[int, CompositeType]
    ) -> CompositeType:
        instances = tuple(self._instance(i, size, made) for i, size in enumerate(inner))
        events = [e for key in self.labels for e in self._events(key, inner)]
        return CompositeType(name, events=tuple(events), instances=instances, span=self.type.span)

    def _instance(self, index: int, size: int, made: dict[int, CompositeType]) -> Instance:
        type_ = self.element.type if size == 1 else made[size].name
        return Instance(f"g{index}", type_)

    def _call(self, index: int, key: _Key, inner: tuple[int, ...]) -> Statement:
        """What a key asks of one member: of a part its label, of a group the key again."""
        label = key[1] if inner[index] == 1 else self.labels[key]
        return InstanceCall(Hop(f"g{index}"), label)

    def _events(
        self, key: _Key, inner: tuple[int, ...], *, closed: bool = False
    ) -> Iterator[Event]:
        """The events of a group that answer a key."""
        last = len(inner) - 1
        bodies: list[Body] = []
        match key:
            case ("any", _):
                bodies = [(self._call(i, key, inner),) for i in range(last + 1)]
            case ("all", _):
                bodies = [tuple(self._call(i, key, inner) for i in range(last + 1))]
            case ("first", _):
                bodies = [(self._call(0, key, inner),)]
            case ("last", _):
                bodies = [(self._call(last, key, inner),)]
            case (_, label, other):
                bodies = [(self._call(i, key, inner),) for i in range(last + 1) if inner[i] > 1]
                pairs = [(i, i + 1) for i in range(last)] + ([(last, 0)] if closed else [])
                ends = ("last", label), ("first", other)
                bodies += [
                    (self._call(i, ends[0], inner), self._call(j, ends[1], inner)) for i, j in pairs
                ]
        own = Label(self.labels[key])
        for number, body in enumerate(bodies):
            yield Event(f"{own.name} {number}", body=body, label=own, span=self.type.span)

    def _outermost(self, made: dict[int, CompositeType]) -> CompositeType:
        """The set: its own events call what the groups offer."""
        inner = self.grouping.split(self.size, True)
        wanted = [key for key in self.labels if key[0] in ("any", "all", "next")]
        offered = [e for key in wanted for e in self._events(key, inner, closed=True)]
        replaced = [replace(e, body=self._body(e.body)) for e in self.type.events]
        instances = tuple(self._instance(i, size, made) for i, size in enumerate(inner))
        return CompositeType(
            self.type.name,
            events=(*replaced, *offered),
            instances=instances,
            span=self.type.span,
        )

    def _body(self, body: Body) -> Body:
        def call(s: Statement) -> tuple[Statement, ...]:
            key = _asked(s)
            return (s if key is None else Call(self.labels[key], span=s.span),)

        return map_body(body, call)


def _asked(statement: Statement) -> _Key | None:
    match statement:
        case AnyCall(label=label):
            return ("any", label)
        case AllCall(label=label):
            return ("all", label)
        case NextCall(label=label, next_label=other):
            return ("next", label, other)
    return None


__all__ = ["STYLES", "Grouping", "Style", "group"]
