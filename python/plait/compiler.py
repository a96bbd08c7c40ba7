"""The compiler from flat models to the native core's `Program`.

The program is built call by call through the small builder interface of `plait._core`; expressions
are hash-consed there, so equal guards of many events are stored and evaluated once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plait._core import Program
from plait.errors import Span, error
from plait.hints import cast
from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Enabled,
    Iff,
    Implies,
    Not,
    Or,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node
from plait.model.rewritten import flat_type
from plait.model.shape import Shape, Slot, shape_of
from plait.model.stmt import Abort, Assign, Body, Call, Fixpoint, If, Settle, Statement
from plait.model.types import Event, Model
from plait.model.watch import look


def compiled(flat: Model) -> tuple[Program, Compiler]:
    """The program of a flat model, and what compiles further expressions over it."""
    shape, events = shape_of(flat), flat_type(flat).events
    program = Program()
    for name, value, domain in zip(shape.cells(), shape.initial(), shape.domains(), strict=True):
        low, high = (INT_MIN, INT_MAX) if domain is None else (domain.low, domain.high)
        program.cell(name, value, low, high)
    compiler = Compiler(program, shape)
    compiler.declare_labels(events)
    for number, event in enumerate(events):
        look()
        compiler.event(number, event)
    return program, compiler


class Compiler:
    """Events and expressions over the variables of a shape, as those of a program."""

    def __init__(self, program: Program, shape: Shape) -> None:
        self.program = program
        self.slots: dict[str, Slot] = dict(shape.variables)
        self.labels: dict[str, int] = {}
        self.spans: dict[int, Span] = {}
        self.owners: dict[int, int] = {}
        self.owner = 0
        self.titles: dict[str, list[int]] = {}
        self.queues: dict[str, int] = {}
        self.leaves: dict[object, int] = {}

    # --- events and statements --------------------------------------------------------------------

    def declare_labels(self, events: Iterable[Event]) -> None:
        """Numbers for all labels, so that a call may come before the event that answers it."""
        for event in events:
            if event.label is not None and event.label.name not in self.labels:
                self.labels[event.label.name] = self.program.new_label()

    def event(self, number: int, event: Event) -> None:
        """Add an event, which will have that number."""
        guard = [self.expression(g) for g in event.guard]
        self.owner = number
        body = self.body(event.body)
        label = None if event.label is None else self.labels[event.label.name]
        number = self.program.event(event.title, guard, body, label)
        for use in event.queues:
            queue = self.queues.setdefault(use.queue, len(self.queues))
            cells = [self.slots[name].offset for name in use.slots if name in self.slots]
            self.program.queue_use(number, queue, use.sends, cells)
        if event.idle:
            self.program.idle(number)
        if event.last:
            self.program.last(number)
        if event.inert:
            self.program.inert(number)
        if label is None:
            self.declare_title(event.title, number)

    def declare_title(self, title: str, number: int) -> None:
        """The free event of that number is known by that title."""
        for known in _known_as(title):
            self.titles.setdefault(known, []).append(number)

    def body(self, body: Body) -> list[int]:
        """The native ids of the statements."""
        ids = []
        for statement in body:
            number = self.statement(statement)
            if statement.span is not None:
                self.spans.setdefault(number, statement.span)
            self.owners.setdefault(number, self.owner)
            ids.append(number)
        return ids

    def statement(self, statement: Statement) -> int:
        """The native id of a statement."""
        program = self.program
        match statement:
            case Assign(target=target, value=value):
                slot = self.slots[target.name]
                compiled = self.expression(value)
                if target.index is None:
                    return program.assign(slot.offset, compiled)
                size = cast(int, slot.size)
                if isinstance(target.index, Const) and 0 <= target.index.value < size:
                    return program.assign(slot.offset + target.index.value, compiled)
                index = self.expression(target.index)
                return program.assign_indexed(slot.offset, size, index, compiled)
            case Call(label=label):
                return program.call(self.label(label))
            case If(condition=condition, then=then, otherwise=otherwise):
                chosen = self.expression(condition)
                return program.choose(chosen, self.body(then), self.body(otherwise))
            case Fixpoint(body=block):
                return program.fixpoint(self.body(block))
            case Settle(condition=condition, label=label):
                return program.settle(self.expression(condition), self.label(label))
            case Abort():
                return program.abort()
            case _:
                raise ValueError(f"no statement of a flat model: {type(statement).__name__}")

    def label(self, name: str) -> int:
        """The number of a label; one that no event has gets a number that nobody answers to."""
        if name not in self.labels:
            self.labels[name] = self.program.new_label()
        return self.labels[name]

    def titled(self, title: str) -> tuple[int, ...]:
        """The free events of that title, with any arguments, or with that half of a rendezvous."""
        return tuple(self.titles.get(title, ()))

    # --- expressions ------------------------------------------------------------------------------

    def expression(self, root: Node) -> int:
        """The native id of an expression or state formula."""
        below = root.children()
        if not below:
            return self._leaf(root)
        if all(not c.children() for c in below):
            return self._inner(root, [self._leaf(c) for c in below])
        done: dict[int, int] = {}
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in done:
                continue
            below = node.children()
            if not below:
                done[id(node)] = self._leaf(node)
            elif expanded:
                done[id(node)] = self._inner(node, [done[id(c)] for c in below])
            else:
                stack.append((node, True))
                stack.extend((c, False) for c in reversed(below))
        return done[id(root)]

    def _leaf(self, node: Node) -> int:
        key = (type(node), node.key())
        known = self.leaves.get(key)
        if known is None:
            known = self._new_leaf(node)
            self.leaves[key] = known
        return known

    def _new_leaf(self, node: Node) -> int:
        match node:
            case Const(value=value):
                return self.program.const(value)
            case Var(name=name):
                return self.program.load(self._slot(node, name).offset)
            case Truth(value=value):
                return self.program.truth(value)
            case And():
                return self.program.truth(True)
            case Or():
                return self.program.truth(False)
            case Deadlock():
                return self.program.deadlock()
            case Enabled(events=titles):
                numbers = sorted({n for title in titles for n in self.titled(title)})
                return self.program.enabled(numbers)
            case _:
                raise error("this cannot be evaluated in a single state", node.span)

    def _inner(self, node: Node, below: Sequence[int]) -> int:
        program = self.program
        match node:
            case Var(name=name, index=index):
                slot = self._slot(node, name)
                size = cast(int, slot.size)
                if isinstance(index, Const) and 0 <= index.value < size:
                    return program.load(slot.offset + index.value)
                return program.load_indexed(slot.offset, size, below[0])
            case Unary(op=op):
                return program.unary(op, below[0])
            case Binary(op=op):
                return program.binary(op, below[0], below[1])
            case AsInt():
                return program.as_int(below[0])
            case Compare(op=op):
                return program.compare(op, below[0], below[1])
            case Not():
                return program.negate(below[0])
            case And():
                return program.conjunction(below)
            case Or():
                return program.disjunction(below)
            case Implies():
                return program.disjunction([program.negate(below[0]), below[1]])
            case Iff():
                return program.iff(below[0], below[1])
            case _:
                raise error("this cannot be evaluated in a single state", node.span)

    def _slot(self, node: Node, name: str) -> Slot:
        slot = self.slots.get(name)
        if slot is None or cast(Var, node).path:
            raise error(f"no variable '{name}' here", node.span)
        return slot


def _known_as(title: str) -> set[str]:
    """The names under which `Enabled` knows an event: with and without arguments, either half."""
    if "(" not in title and " & " not in title:
        return {title}
    found: set[str] = set()
    for half in {title, *title.split(" & ")}:
        found.add(half)
        found.update(half[:i] for i, c in enumerate(half) if c == "(")
    return found
