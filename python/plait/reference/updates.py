"""What a statement makes of one state: assignments, messages sent and received, or nothing.

Where it makes nothing of it, since a channel is full, no message matches or an operation is
undefined, this is counted, and written down for those who ask why (`plait.reference.explain`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from plait.errors import Diagnostic, LimitReached, ModelError, NoRoomError, Span
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula, IntExpr, Var
from plait.model.shape import Shape, State
from plait.model.stmt import Assign, Bind, Match, Receive, Send
from plait.model.types import Domain
from plait.records import dataclass
from plait.reference.components import Frame
from plait.reference.expressions import Message, Queue, cell_of, queue_of


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why an execution did not go on: a condition that is not true, or else a `reason`.

    `event` is what was being executed, `frame` says what the names in the condition mean.
    """

    event: str
    frame: Frame
    state: State
    reason: str
    span: Span | None
    condition: Formula | None = None


class Updates:
    """Updates of the states of one model."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.cells = tuple(shape.cells(titled=True))
        """The display name of every cell of a state."""
        self.undefined: Counter[str] = Counter()
        """How often each event came to nothing because an operation in its body was undefined."""
        self.obstacles: list[Obstacle] | None = None
        """While it is a list, why executions do not go on is written down there."""
        self._domains: tuple[Domain | None, ...] = tuple(shape.domains())
        self._running = ""
        """The title of the event that is being executed."""

    def _update(
        self, frame: Frame, statement: Assign | Send | Receive, state: State
    ) -> State | None:
        """The state after a statement that leads to one state or to none."""
        match statement:
            case Assign(target=target, value=value):
                result = frame.value(value, state)
                if result is None:
                    self._undefined(frame, state, "the value is undefined", statement.span)
                    return None
                return self._assign(frame, target, result, state, statement.span)
            case Send():
                return self._send(frame, statement, state)
            case Receive():
                return self._receive(frame, statement, state)

    def _assign(
        self, frame: Frame, target: Var, value: int, state: State, span: Span | None
    ) -> State | None:
        cell = cell_of(target, frame, state)
        if cell is None:
            reason = f"the index of '{target.name}' is out of range"
            self._undefined(frame, state, reason, span)
            return None
        _check_domain(self._domains[cell], value, self.cells[cell], span)
        return (*state[:cell], value, *state[cell + 1 :])

    def _send(self, frame: Frame, send: Send, state: State) -> State | None:
        queue = self._queue(frame, send, state)
        if queue is None:
            return None
        messages = queue.messages(state)
        if len(messages) >= queue.slot.capacity:
            self._block(frame, state, f"channel '{send.channel.name}' is full", send.span)
            return None
        message = self._values(frame, send.values, state, send.span)
        if message is None:
            return None
        for domain, value in zip(queue.slot.fields, message, strict=True):
            _check_domain(domain, value, send.channel.name, send.span)
        place = len(messages)
        if send.ordered:
            place = next((i for i, m in enumerate(messages) if m > message), place)
        return queue.store(state, [*messages[:place], message, *messages[place:]])

    def _receive(self, frame: Frame, receive: Receive, state: State) -> State | None:
        queue = self._queue(frame, receive, state)
        if queue is None:
            return None
        wanted = self._wanted(frame, receive, state)
        if wanted is None:
            return None
        messages = queue.messages(state)
        candidates = range(len(messages)) if receive.anywhere else range(min(1, len(messages)))
        place = next((i for i in candidates if _matches(messages[i], wanted)), None)
        if place is None:
            name = receive.channel.name
            reason = f"no message of '{name}' matches" if messages else f"channel '{name}' is empty"
            self._block(frame, state, reason, receive.span)
            return None
        bound = self._bind(frame, receive, messages[place], state)
        if bound is None or receive.keep:
            return bound
        return queue.store(bound, messages[:place] + messages[place + 1 :])

    def _wanted(self, frame: Frame, receive: Receive, state: State) -> dict[int, int] | None:
        """The fields that a message must have for a receive."""
        matched = {k: p.value for k, p in enumerate(receive.patterns) if isinstance(p, Match)}
        values = self._values(frame, list(matched.values()), state, receive.span)
        return None if values is None else dict(zip(matched, values, strict=True))

    def _bind(self, frame: Frame, receive: Receive, message: Message, state: State) -> State | None:
        """The fields of a message stored in the targets, left to right."""
        after: State | None = state
        for pattern, field in zip(receive.patterns, message, strict=True):
            if isinstance(pattern, Bind) and after is not None:
                after = self._assign(frame, pattern.target, field, after, receive.span)
        return after

    def _pass(
        self, sends: Frame, send: Send, receives: Frame, receive: Receive, state: State
    ) -> State | None:
        """The state after a message went from one process to another without a queue."""
        there = self._queue(sends, send, state)
        here = self._queue(receives, receive, state)
        if there is None or here is None or there.index != here.index:
            return None
        message = self._values(sends, send.values, state, send.span)
        wanted = self._wanted(receives, receive, state)
        if message is None or wanted is None or not _matches(message, wanted):
            return None
        return self._bind(receives, receive, message, state)

    def _queue(self, frame: Frame, statement: Send | Receive, state: State) -> Queue | None:
        hop = statement.channel
        index = None if hop.index is None else frame.value(hop.index, state)
        queue = queue_of(hop, index, frame.at)
        if queue is None:
            reason = f"the index of '{hop.name}' is out of range"
            self._undefined(frame, state, reason, statement.span)
        return queue

    def _values(
        self, frame: Frame, expressions: Sequence[IntExpr], state: State, span: Span | None
    ) -> Message | None:
        """The values of several expressions in one state, None when one is undefined."""
        values = [frame.value(e, state) for e in expressions]
        defined = tuple(v for v in values if v is not None)
        if len(defined) == len(values):
            return defined
        self._undefined(frame, state, "a value is undefined here", span)
        return None

    # --- why an execution does not go on ----------------------------------------------------------

    def _block(self, frame: Frame, state: State, reason: str, span: Span | None) -> None:
        if self.obstacles is not None:
            self.obstacles.append(Obstacle(self._running, frame, state, reason, span))

    def _undefined(self, frame: Frame, state: State, reason: str, span: Span | None) -> None:
        if self.obstacles is None:
            self.undefined[self._running] += 1
        self._block(frame, state, reason, span)


def _matches(message: Message, wanted: dict[int, int]) -> bool:
    return all(message[k] == value for k, value in wanted.items())


def _check_domain(domain: Domain | None, value: int, name: str, span: Span | None) -> None:
    if domain is None or domain.low <= value <= domain.high:
        return
    if domain.high == INT_MAX:
        raise LimitReached(f"'{name}' leaves the 32-bit integers")
    kind = NoRoomError if domain.guessed else ModelError
    message = f"'{name}' is assigned {value}, outside its domain {domain.low}..{domain.high}"
    raise kind(Diagnostic(message, span))


__all__ = ["Obstacle", "Updates"]
