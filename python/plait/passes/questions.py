"""What the lowering of channels shares: where a queue's cells are, what questions about it mean,
and scratch variables.

A question about a queue (`Length`, `Full`, `Empty`, `Poll`) becomes an expression over its cells.
When the index of the queue is computed, the expression chooses among the queues, and is undefined
when the index is out of range, as the question is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.hints import cast
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Empty,
    Formula,
    Full,
    Hop,
    Iff,
    IntExpr,
    Length,
    Or,
    Poll,
    Truth,
    Var,
    conjunction,
)
from plait.model.fresh import FreshNames
from plait.model.node import Node, rewrite
from plait.model.shape import Shape, State, shape_of
from plait.model.stmt import Assign, Statement
from plait.model.types import (
    ComponentType,
    Domain,
    ElementaryType,
    Event,
    Model,
    Property,
    Variable,
)
from plait.passes.folding import UNDEFINED, UNKNOWN, Folder
from plait.passes.rewritten import Lift, Rewritten, same_state
from plait.passes.walk import map_body, map_expressions
from plait.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Queue:
    """The cells of one queue, as variables; capacity 0 has none."""

    capacity: int
    length: Var | None
    slots: tuple[tuple[Var, ...], ...]
    """The fields of each message, first message first."""

    def size(self) -> IntExpr:
        """How many messages it holds."""
        return Const(0) if self.length is None else self.length

    def holds(self, place: int) -> Formula:
        """There is a message at that place."""
        return Compare(">", self.size(), Const(place))


@dataclass(frozen=True, slots=True)
class Queues:
    """The queues of a channel; `size` is None when it is not an array."""

    size: int | None
    queues: tuple[Queue, ...]
    fields: tuple[Domain | None, ...]

    def choices(self, index: IntExpr | None) -> list[tuple[Formula | None, Queue]]:
        """The queues that the index may mean, each with the condition that it does."""
        if self.size is None or index is None:
            return [(None, self.queues[0])]
        if isinstance(index, Const):
            return [(None, self.queues[index.value])] if 0 <= index.value < self.size else []
        return [(Compare("==", index, Const(k)), q) for k, q in enumerate(self.queues)]


class Questions:
    """Lowers the questions about some channels inside expressions."""

    def __init__(self, channels: Mapping[str, Queues]) -> None:
        self.channels = channels
        self.known: dict[int, tuple[Node, Node]] = {}
        """Expressions that were lowered, by identity: many events may share a large condition."""

    def lower(self, root: Node) -> Node:
        """The expression without questions about these channels."""
        known = self.known.get(id(root))
        if known is None:
            known = self.known[id(root)] = root, rewrite(root, self._change)
        return known[1]

    def formula(self, formula: Formula) -> Formula:
        """The formula without questions about these channels."""
        return cast(Formula, self.lower(formula))

    def _change(self, node: Node) -> Node:
        if isinstance(node, Length):
            return self._integer(node.channel, node, lambda q: q.size())
        if isinstance(node, Full):
            return self._formula(
                node.channel, node, lambda q: Compare("==", q.size(), Const(q.capacity))
            )
        if isinstance(node, Empty):
            return self._formula(node.channel, node, lambda q: Compare("==", q.size(), Const(0)))
        if isinstance(node, Poll):
            return self._formula(node.channel, node, lambda q: _poll(q, node))
        return node

    def _integer(self, hop: Hop, node: IntExpr, answer: Callable[[Queue], IntExpr]) -> IntExpr:
        queues = self.channels.get(hop.name)
        if queues is None:
            return node
        choices = queues.choices(hop.index)
        if not choices:
            return UNDEFINED
        if choices[0][0] is None:
            return answer(choices[0][1])
        chosen: IntExpr = Binary(
            "*", Const(0), Binary("/", Const(1), AsInt(_in_range(hop, queues)))
        )
        for condition, queue in choices:
            assert condition is not None
            chosen = Binary("+", chosen, Binary("*", AsInt(condition), answer(queue)))
        return chosen

    def _formula(self, hop: Hop, node: Formula, answer: Callable[[Queue], Formula]) -> Formula:
        queues = self.channels.get(hop.name)
        if queues is None:
            return node
        choices = queues.choices(hop.index)
        if not choices:
            return UNKNOWN
        if choices[0][0] is None:
            return answer(choices[0][1])
        chosen = Or(tuple(And((c, answer(q))) for c, q in choices if c is not None))
        defined = Compare("==", Binary("/", Const(1), AsInt(_in_range(hop, queues))), Const(1))
        return Iff(chosen, defined)


def _in_range(hop: Hop, queues: Queues) -> Formula:
    assert hop.index is not None
    assert queues.size is not None
    low = Compare(">=", hop.index, Const(0))
    return And((low, Compare("<", hop.index, Const(queues.size))))


def in_range(hop: Hop, queues: Queues) -> tuple[Formula, ...]:
    """The conditions under which the index of the channel means one of its queues."""
    if queues.size is None:
        return ()
    if isinstance(hop.index, Const):
        return () if 0 <= hop.index.value < queues.size else (Truth(False),)
    return (_in_range(hop, queues),)


def _poll(queue: Queue, poll: Poll) -> Formula:
    places = queue.slots if poll.anywhere else queue.slots[:1]
    return Or(
        tuple(
            conjunction(
                [
                    queue.holds(i),
                    *(
                        Compare("==", field, pattern)
                        for field, pattern in zip(fields, poll.patterns, strict=True)
                        if pattern is not None
                    ),
                ]
            )
            for i, fields in enumerate(places)
        )
    )


class Scratch:
    """Variables that exist during an event only; between events they have their initial value."""

    def __init__(self, names: FreshNames) -> None:
        self.names = names
        self.variables: list[Variable] = []
        self._temporaries: list[Var] = []
        self._checked: dict[Domain, Var] = {}

    def temporary(self, number: int) -> Var:
        """The temporary variable of that number."""
        while len(self._temporaries) <= number:
            self._temporaries.append(self._new("scratch", 0, None))
        return self._temporaries[number]

    def check(self, value: IntExpr, domain: Domain, statement: Statement) -> list[Statement]:
        """Statements that do nothing but find a value outside the domain."""
        if domain not in self._checked:
            self._checked[domain] = self._new("checked", domain.low, domain)
        cell = self._checked[domain]
        return [
            Assign(cell, value, span=statement.span),
            Assign(cell, Const(domain.low), span=statement.span),
        ]

    def _new(self, wish: str, initial: int, domain: Domain | None) -> Var:
        name = self.names.fresh(wish)
        self.variables.append(Variable(name, (Const(initial),), domain=domain))
        return Var(name)


def defined(values: Sequence[IntExpr], folder: Folder) -> list[Formula]:
    """Conditions that hold where all the values are defined."""
    return [Compare("==", v, v) for v in values if not folder.total(folder.integer(v))]


def folder_of(type_: ElementaryType) -> Folder:
    """A folder that knows the variables of the (instantiated) type."""
    return Folder(
        sizes={v.name: v.size.value if isinstance(v.size, Const) else None for v in type_.variables}
    )


def lower_questions(type_: ElementaryType, questions: Questions) -> ElementaryType:
    """The type with the questions in its guards, bodies and predicates lowered."""

    def statement(old: Statement) -> tuple[Statement, ...]:
        return (map_expressions(old, questions.lower, questions.lower),)

    def event(old: Event) -> Event:
        guard = tuple(questions.formula(g) for g in old.guard)
        return replace(old, guard=guard, body=map_body(old.body, statement))

    return replace(
        type_,
        events=tuple(event(e) for e in type_.events),
        predicates=tuple(
            replace(p, condition=questions.formula(p.condition)) for p in type_.predicates
        ),
        transient=None if type_.transient is None else questions.formula(type_.transient),
    )


Lowered = tuple[ElementaryType, Scratch, Questions]
"""A type with fewer channels, its scratch variables, and what questions about it mean."""


def rewrite_types(model: Model, lower: Callable[[ElementaryType], Lowered | None]) -> Rewritten:
    """The model with some elementary types lowered, and its properties with them."""
    types: list[ComponentType] = []
    scratch: dict[str, Scratch] = {}
    questions: dict[str, Questions] = {}
    for type_ in model.types:
        found = lower(type_) if isinstance(type_, ElementaryType) else None
        if found is not None:
            types.append(found[0])
            _, scratch[type_.name], questions[type_.name] = found
        else:
            types.append(type_)
    if not questions:
        return Rewritten(model)
    properties = _lower_properties(model, questions)
    lowered = replace(model, types=tuple(types), properties=properties)
    return Rewritten(lowered, _without_scratch(lowered, scratch))


def _lower_properties(model: Model, questions: Mapping[str, Questions]) -> tuple[Property, ...]:
    """The properties of the model; they see the channels of an elementary main type only."""
    asked = questions.get(model.main)
    if asked is None:
        return model.properties
    return tuple(
        p if p.body is None else replace(p, body=cast(Formula | IntExpr, asked.lower(p.body)))
        for p in model.properties
    )


def _without_scratch(model: Model, scratch: Mapping[str, Scratch]) -> Lift:
    """The lift that drops the scratch variables of each type from the states of the model."""
    hidden = {n: {v.name for v in s.variables} for n, s in scratch.items() if s.variables}
    if not hidden:
        return same_state
    kept: list[int] = []

    def lift(state: State) -> State:
        if not kept:
            kept.extend(_visible(shape_of(model), hidden))
        return tuple(state[i] for i in kept)

    return lift


def _visible(root: Shape, hidden: Mapping[str, set[str]]) -> list[int]:
    """The cells of the variables that are not hidden."""
    found: list[int] = []
    stack = [(root, 0)]
    while stack:
        shape, offset = stack.pop()
        skip = hidden.get(shape.type.name, ())
        for name, slot in shape.variables.items():
            if name not in skip:
                first = offset + slot.offset
                found.extend(range(first, first + (1 if slot.size is None else slot.size)))
        for channel in shape.channels.values():
            first = offset + channel.offset
            count = 1 if channel.size is None else channel.size
            found.extend(range(first, first + channel.stride * count))
        stack.extend((p.shape, offset + p.offset) for p in reversed(shape.parts))
    return found
