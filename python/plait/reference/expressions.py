"""What expressions and conditions mean in a state.

An expression is first written as a list of instructions, operands before operators, and the list is
then run for each state: expressions may be nested 100,000 deep, and nothing here recurses. A shared
sub-expression is one instruction.

The value of an instruction is an integer or a Boolean, or None where it is undefined. Connectives
follow strong Kleene logic: false and undefined is false, true or undefined is true, every other
combination with undefined is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from plait.errors import error
from plait.hints import TYPE_CHECKING
from plait.model.arithmetic import apply_binary, apply_unary, compare
from plait.model.expr import (
    And,
    AsInt,
    Binary,
    Compare,
    Const,
    Deadlock,
    Empty,
    Enabled,
    Full,
    Hop,
    Iff,
    Implies,
    Length,
    Not,
    Or,
    Param,
    Poll,
    Truth,
    Unary,
    Var,
)
from plait.model.node import Node, fold
from plait.model.shape import ChannelSlot, State

if TYPE_CHECKING:
    from plait.reference.components import Component, Frame

Value = int | None
"""A Boolean is an integer here, as in Python."""
Environment = Mapping[str, int]
"""The values of the parameters of an event and of its loops."""
Code = list[tuple[Callable[..., Value], tuple[int, ...]]]
"""Instructions: what to apply to the state, the environment and the operands, and which earlier
instructions these operands are."""
Message = tuple[int, ...]


def linearise(root: Node, at: Component) -> Code:
    """The instructions that evaluate an expression or formula in a component."""
    code: Code = []

    def visit(node: Node, below: list[int]) -> int:
        code.append((_meaning(node, at), tuple(below)))
        return len(code) - 1

    fold(root, visit)
    return code


def run(code: Code, state: State, env: Environment) -> Value:
    """The value of the last instruction."""
    values: list[Value] = []
    value_of = values.__getitem__
    for apply, operands in code:
        if operands:
            values.append(apply(state, env, *map(value_of, operands)))
        else:
            values.append(apply(state, env))
    return values[-1]


def _meaning(node: Node, at: Component) -> Callable[..., Value]:
    match node:
        case Const(value=constant) | Truth(value=constant):
            return lambda s, e: constant
        case Param():
            return _parameter(node, at)
        case Var():
            return _variable(node, at)
        case Unary(op=op):
            return lambda s, e, a: None if a is None else apply_unary(op, a)
        case Binary(op=op):
            return lambda s, e, a, b: None if a is None or b is None else apply_binary(op, a, b)
        case Compare(op=op):
            return lambda s, e, a, b: None if a is None or b is None else compare(op, a, b)
        case Not():
            return lambda s, e, a: None if a is None else not a
        case And():
            return lambda s, e, *operands: conjunction(operands)
        case Or():
            return lambda s, e, *operands: disjunction(operands)
        case Implies():
            return lambda s, e, a, b: disjunction((None if a is None else not a, b))
        case Iff():
            return lambda s, e, a, b: None if a is None or b is None else a == b
        case AsInt():
            return lambda s, e, a: None if a is None else int(a)
        case Hop(index=index):
            return (lambda s, e: None) if index is None else (lambda s, e, i: i)
        case Length() | Full() | Empty() | Poll():
            return _channel_question(node, at)
        case Deadlock():
            return lambda s, e: not at.enabled(s)
        case Enabled(events=events):
            wanted = frozenset(events)
            return lambda s, e: at.is_enabled(wanted, s)
    raise error("this has no meaning in a single state", node.span)


def conjunction(operands: Sequence[Value]) -> bool | None:
    """Strong Kleene `and`."""
    return False if False in operands else None if None in operands else True


def disjunction(operands: Sequence[Value]) -> bool | None:
    """Strong Kleene `or`."""
    return True if True in operands else None if None in operands else False


def _parameter(node: Param, at: Component) -> Callable[..., Value]:
    """The value of the innermost declaration: of a loop or event, of the type, of the model."""
    name, constants = node.name, at.shape.constants

    def look_up(s: State, e: Environment) -> Value:
        value = e.get(name, constants.get(name))
        if value is None:
            raise error(f"undeclared parameter '${name}'", node.span)
        return value

    return look_up


# --- variables ------------------------------------------------------------------------------------


def _variable(var: Var, at: Component) -> Callable[..., Value]:
    if var.path:

        def look_up(s: State, e: Environment, *indices: Value) -> Value:
            cell = _locate(var, at, indices)
            return None if cell is None else s[cell]

        return look_up
    first, size = _slot(var, at)
    if size is None:
        return lambda s, e: s[first]
    return lambda s, e, i: None if i is None or not 0 <= i < size else s[first + i]


def _locate(var: Var, at: Component, indices: Sequence[Value]) -> int | None:
    """The cell of a variable, given the values of the indices in its path and of its own."""
    for hop, index in zip(var.path, indices, strict=False):
        part = at.parts.get((hop.name, index))
        if part is None:
            if all(name != hop.name for name, _ in at.parts):
                raise error(f"no instance named '{hop.name}'", hop.span)
            return None
        at = part
    first, size = _slot(var, at)
    if size is None:
        return first
    index = indices[-1]
    return None if index is None or not 0 <= index < size else first + index


def cell_of(var: Var, frame: Frame, state: State) -> int | None:
    """Which cell a variable denotes in a state; None when an index is out of range."""
    return _locate(var, frame.at, indices_of(var, frame, state))


def indices_of(var: Var, frame: Frame, state: State) -> list[int | None]:
    """The values of the indices of a variable; None for a part that has no index."""
    written = [hop.index for hop in var.path]
    if var.index is not None:
        written.append(var.index)
    return [None if i is None else frame.value(i, state) for i in written]


def _slot(var: Var, at: Component) -> tuple[int, int | None]:
    """The first cell of a variable, and the number of its cells if it is an array."""
    slot = at.shape.variables.get(var.name)
    if slot is None:
        raise error(f"no variable named '{var.name}'", var.span)
    if (slot.size is None) != (var.index is None):
        what = "is not an array" if slot.size is None else "is an array and needs an index"
        raise error(f"'{var.name}' {what}", var.span)
    return at.base + slot.offset, slot.size


# --- channels -------------------------------------------------------------------------------------


class Queue:
    """One queue of a channel: its number, where its cells are, and what they hold in a state."""

    def __init__(self, slot: ChannelSlot, index: int, base: int) -> None:
        self.slot = slot
        self.index = index
        self.first = base + slot.offset + index * slot.stride

    def messages(self, state: State) -> list[Message]:
        """The messages in the queue, first one first."""
        if self.slot.capacity == 0:
            return []
        width = len(self.slot.fields)
        starts = (self.first + 1 + i * width for i in range(state[self.first]))
        return [state[start : start + width] for start in starts]

    def store(self, state: State, messages: Sequence[Message]) -> State:
        """The state in which the queue holds these messages; its unused slots are 0."""
        cells = [len(messages), *(field for m in messages for field in m)]
        cells.extend([0] * (self.slot.stride - len(cells)))
        return (*state[: self.first], *cells, *state[self.first + self.slot.stride :])


def queue_of(hop: Hop, index: int | None, at: Component) -> Queue | None:
    """The queue that a channel name and the value of its index denote; None outside an array."""
    slot = at.shape.channels.get(hop.name)
    if slot is None:
        raise error(f"no channel named '{hop.name}'", hop.span)
    if slot.size is None:
        return Queue(slot, 0, at.base)
    return None if index is None or not 0 <= index < slot.size else Queue(slot, index, at.base)


def _channel_question(node: Length | Full | Empty | Poll, at: Component) -> Callable[..., Value]:
    """What a channel holds; undefined when the index of the channel is out of range."""

    def answer(s: State, e: Environment, index: Value, *wanted: Value) -> Value:
        queue = queue_of(node.channel, index, at)
        if queue is None:
            return None
        messages = queue.messages(s)
        match node:
            case Length():
                return len(messages)
            case Full():
                return len(messages) == queue.slot.capacity
            case Empty():
                return not messages
            case Poll(patterns=patterns, anywhere=anywhere):
                fields = [k for k, p in enumerate(patterns) if p is not None]
                candidates = messages if anywhere else messages[:1]
                return disjunction(
                    [
                        conjunction([_equal(m[k], v) for k, v in zip(fields, wanted, strict=True)])
                        for m in candidates
                    ]
                )

    return answer


def _equal(field: int, wanted: Value) -> bool | None:
    return None if wanted is None else field == wanted
