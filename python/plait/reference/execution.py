"""What a step of a model is: the definition of the semantics that every engine shares.

A state is a tuple of integers. Executing an event on one state gives a *set* of states: statements
are executed one after the other on the set that has arrived so far, and the set becomes empty where
nothing can go on (`abort`, a call that nobody answers, a full channel, an undefined operation).

- An event without a label is executed freely, one with a label only when it is called. A call is
  executed state by state, and its result is the union over the events that answer.
- From outside, a component moves by a label or by an event of its own, and then *settles*: states
  in which its `transient` condition holds are replaced by their successors under its events without
  a label, until none is left. A call within a component is part of a larger step and does not
  settle.
- On a channel of capacity 0 an event that begins with a send and one of another process that begins
  with a receive are executed together: both guards, the sent values, the values that are matched
  and the two indices are taken in the state before. Every sent value must be defined and the values
  must match; then the receiver's targets are bound, then the rest of the sender's body is executed
  and then the rest of the receiver's. Neither is executed alone.
- The steps of the system are the moves without a label of all its components, and the events of the
  main type that are labelled `elapse`.

Bodies are executed by generators that yield the parts they need done first and are driven by a loop
(`_complete`), so that types and calls may be nested as deeply as they like.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from functools import partial
from graphlib import CycleError, TopologicalSorter

from plait.errors import Diagnostic, LimitReached, ModelError, NoRoomError, Span
from plait.hints import Any
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula, IntExpr, Var
from plait.model.shape import State, shape_of
from plait.model.stmt import (
    FIXPOINT_LIMIT,
    Abort,
    AllCall,
    AnyCall,
    Assign,
    Bind,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    Match,
    NextCall,
    Receive,
    Send,
    Settle,
    Statement,
)
from plait.model.types import ELAPSE, Domain, Model, names_of
from plait.model.watch import look
from plait.records import dataclass
from plait.reference.components import Component, Copy, Frame, Move, build
from plait.reference.expressions import Message, Queue, cell_of, queue_of

States = list[State]
"""A set of states, in the order in which they were found."""
Job = Generator[Any, Any, States]
"""An execution that yields the executions it waits for and returns the states it leads to."""
PerState = Callable[[State], Job]


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


class Execution:
    """The steps of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.shape = shape_of(model)
        self.components = build(self.shape)
        self.main = self.components[0]
        self.main.enabled = self.enabled
        self.main.is_enabled = self.is_enabled
        self.moves = [m for at in self.components for m in at.moves]
        self.moves.extend(Move(c.title, (c,)) for c in self.main.labelled.get((ELAPSE, ()), []))
        self.cells = tuple(self.shape.cells())
        """The display name of every cell of a state."""
        self.initial: State = self.shape.initial()
        self.undefined: Counter[str] = Counter()
        """How often each event came to nothing because an operation in its body was undefined."""
        self.effort = 0
        """How many statements were executed so far, for callers who cannot wait for ever."""
        self.touched = 0
        """On how many states they were executed, each of them: one may be on very many."""
        self.obstacles: list[Obstacle] | None = None
        """While it is a list, why executions do not go on is written down there."""
        self._domains: tuple[Domain | None, ...] = tuple(self.shape.domains())
        self._by_title = {m.title: m for m in self.moves}
        self._named: dict[frozenset[str], list[Move]] = {}
        self._running = ""
        self._latest: tuple[State, list[tuple[str, State]]] | None = None
        for at in self.components:
            if at.transient is not None and Frame(at).truth(at.transient, self.initial):
                where = f" of '{at.path}'" if at.path else ""
                raise _model_error(f"the initial state{where} is transient", at.transient.span)

    # --- steps ------------------------------------------------------------------------------------

    def event(self, title: str) -> Move:
        """What a title in a trace stands for: the event, its component, process and place."""
        return self._by_title[title]

    def knows(self, title: str) -> bool:
        """Whether there is an event of that title."""
        return title in self._by_title

    def successors(self, state: State) -> list[tuple[str, State]]:
        """The arcs from a state: each event that can be executed with each state it leads to."""
        if self._latest is None or self._latest[0] != state:
            arcs = [(m.title, s) for m in self.moves for s in self.execute(m, state)]
            self._latest = (state, arcs)
        return self._latest[1]

    def enabled(self, state: State) -> set[str]:
        """The titles of the events that have a successor."""
        return {title for title, _ in self.successors(state)}

    def is_enabled(self, names: frozenset[str], state: State) -> bool:
        """Whether an event with one of these names has a successor."""
        if self._latest is not None and self._latest[0] == state:
            return any(not names.isdisjoint(names_of(t)) for t in self.enabled(state))
        if names not in self._named:
            moves = [m for m in self.moves if not names.isdisjoint(names_of(m.title))]
            self._named[names] = moves
        return any(self.execute(m, state) for m in self._named[names])

    def execute(self, move: Move, state: State) -> States:
        """The states that one move leads to."""
        self._running = move.title
        if not self.guards_hold(move, state):
            return []
        return self._complete(self._settled(move.copies[0].at, self._body_of(move, state)))

    def executed(self, frame: Frame, body: Body, states: States) -> States:
        """The states that some statements of a move lead to."""
        return self._complete(self._body(frame, body, states))

    def _complete(self, job: Job) -> States:
        """Drive an execution to its end; what waits for other executions waits on a list."""
        waiting = [job]
        result: States | None = None
        while True:
            try:
                needed = waiting[-1].send(result)
            except StopIteration as end:
                self.effort += 1
                look()  # one execution may lead to more states than there is time for
                waiting.pop()
                result = end.value
                if not waiting:
                    return result
            else:
                waiting.append(needed)
                result = None

    def guards_hold(self, move: Move, state: State) -> bool:
        """Whether all that a move begins with is true."""
        first = self._guard_holds(move.copies[0], state)
        return first and all(self._guard_holds(c, state) for c in move.copies[1:])

    def _guard_holds(self, copy: Copy, state: State) -> bool:
        holds = True
        for conjunct in copy.event.guard:
            if copy.frame.truth(conjunct, state) is not True:
                if self.obstacles is None:
                    return False
                holds = False
                self.obstacles.append(
                    Obstacle(copy.title, copy.frame, state, "", conjunct.span, conjunct)
                )
        return holds

    def _body_of(self, move: Move, state: State) -> Job:
        copy = move.copies[0]
        if len(move.copies) == 2:
            return self._meet(copy, move.copies[1], state)
        return self._body(copy.frame, copy.event.body, [state])

    # --- calls, and settling ----------------------------------------------------------------------

    def _answer(self, at: Component, label: str, arguments: Message, state: State) -> Job:
        """A call within a component: the union over its events with that label."""
        copies = at.labelled.get((label, arguments), [])
        if not copies:
            name = label + (f"({', '.join(map(str, arguments))})" if arguments else "")
            self._block(Frame(at), state, f"no event answers '{name}'", None)
        found: dict[State, None] = {}
        for copy in copies:
            if self._guard_holds(copy, state):
                states = yield self._body(copy.frame, copy.event.body, [state])
                found.update(dict.fromkeys(states))
        return list(found)

    def _move_by(self, at: Component, label: str, arguments: Message, state: State) -> Job:
        """A call from outside: the component moves by the label and settles."""
        return self._settled(at, self._answer(at, label, arguments, state))

    def _settled(self, at: Component, job: Job) -> Job:
        """The job, and then the settling of the component that did it."""
        return job if at.transient is None else self._settle_transient(at, at.transient, job)

    def _settle_transient(self, at: Component, transient: Formula, job: Job) -> Job:
        states: States = yield job
        span = transient.span or at.shape.type.span
        step = partial(self._free_moves, at)
        states = yield self._settle(Frame(at), transient, states, step, span)
        return states

    def _free_moves(self, at: Component, state: State) -> Job:
        """The union over the moves of one component, without settling."""
        found: dict[State, None] = {}
        for move in at.moves:
            if self.guards_hold(move, state):
                states = yield self._body_of(move, state)
                found.update(dict.fromkeys(states))
        return list(found)

    def _settle(
        self, frame: Frame, condition: Formula, states: States, step: PerState, span: Span | None
    ) -> Job:
        """Replace states in which the condition holds by their successors until none is left."""
        followers: dict[State, States] = {}
        settled: dict[State, None] = {}
        pending = list(reversed(states))
        while pending:
            state = pending.pop()
            if frame.truth(condition, state) is not True:
                settled[state] = None
            elif state not in followers:
                followers[state] = yield step(state)
                pending.extend(reversed(followers[state]))
        try:
            TopologicalSorter(followers).prepare()
        except CycleError:
            raise _model_error("a cycle of transient states is never left", span) from None
        return list(settled)

    # --- statements -------------------------------------------------------------------------------

    def _body(self, frame: Frame, body: Body, states: States) -> Job:
        for statement in body:
            if not states:
                break
            self.touched += len(states)
            match statement:
                case Assign() | Send() | Receive():
                    updated = [self._update(frame, statement, s) for s in states]
                    states = list(dict.fromkeys(s for s in updated if s is not None))
                case Abort():
                    self._block(frame, states[0], "abort", statement.span)
                    states = []
                case If():
                    states = yield self._if(frame, statement, states)
                case For():
                    for value in frame.at.shape.ranges[statement.range]:
                        inner = frame.with_parameter(statement.parameter, value)
                        states = yield self._body(inner, statement.body, states)
                case Fixpoint():
                    states = yield self._fixpoint(frame, statement, states)
                case _:
                    states = yield self._each(states, partial(self._call, frame, statement))
        return states

    def _each(self, states: States, step: PerState) -> Job:
        """The union over the states of what a step leads to."""
        found: dict[State, None] = {}
        for state in states:
            reached: States = yield step(state)
            found.update(dict.fromkeys(reached))
        return list(found)

    def _if(self, frame: Frame, statement: If, states: States) -> Job:
        chosen: dict[bool, States] = {True: [], False: []}
        for state in states:
            truth = frame.truth(statement.condition, state)
            if truth is None:
                reason = "the condition of this 'if' is undefined"
                self._undefined(frame, state, reason, statement.span)
            else:
                chosen[truth].append(state)
        then: States = yield self._body(frame, statement.then, chosen[True])
        otherwise: States = yield self._body(frame, statement.otherwise, chosen[False])
        return list(dict.fromkeys(then + otherwise))

    def _fixpoint(self, frame: Frame, statement: Fixpoint, states: States) -> Job:
        seen = {frozenset(states)}
        for _ in range(FIXPOINT_LIMIT):
            after: States = yield self._body(frame, statement.body, states)
            if frozenset(after) == frozenset(states):
                return states
            if frozenset(after) in seen:
                raise _model_error(
                    "this fixpoint never settles: a set of states comes back", statement.span
                )
            seen.add(frozenset(after))
            states = after
        raise _model_error(
            f"this fixpoint does not settle in {FIXPOINT_LIMIT} rounds", statement.span
        )

    def _call(self, frame: Frame, call: Statement, state: State) -> Job:
        """The statements that make this component or its parts move by a label, on one state."""
        at, parts = frame.at, list(frame.at.parts.values())
        match call:
            case Call(label=label):
                arguments = self._values(frame, call.arguments, state, call.span)
                if arguments is None:
                    return []
                states: States = yield self._answer(at, label, arguments, state)
                return states
            case Settle(condition=condition, label=label):
                step = partial(self._answer, at, label, ())
                states = yield self._settle(frame, condition, [state], step, call.span)
                return states
            case InstanceCall():
                part = self._part(frame, call, state)
                ways = [] if part is None else [[(part, call.label, call.arguments)]]
            case AnyCall():
                ways = [[(part, call.label, call.arguments)] for part in parts]
            case AllCall():
                ways = [[(part, call.label, call.arguments) for part in parts]]
            case NextCall():
                ways = [
                    [
                        (part, call.label, call.arguments),
                        (parts[(i + 1) % len(parts)], call.next_label, call.next_arguments),
                    ]
                    for i, part in enumerate(parts)
                ]
            case _:
                raise AssertionError(call)
        found: dict[State, None] = {}
        for way in ways:
            states = [state]
            for part, label, expressions in way:
                arguments = self._values(frame, expressions, state, call.span)
                if arguments is None:
                    return []
                states = yield self._each(states, partial(self._move_by, part, label, arguments))
            found.update(dict.fromkeys(states))
        return list(found)

    def _part(self, frame: Frame, call: InstanceCall, state: State) -> Component | None:
        hop = call.instance
        index = None if hop.index is None else frame.value(hop.index, state)
        part = frame.at.parts.get((hop.name, index))
        if part is None:
            self._undefined(frame, state, f"there is no such part of '{hop.name}'", call.span)
        return part

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

    # --- updates of one state ---------------------------------------------------------------------

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

    def _meet(self, sender: Copy, receiver: Copy, state: State) -> Job:
        """The joint step of a rendezvous, once both guards hold."""
        send, receive = sender.event.body[0], receiver.event.body[0]
        assert isinstance(send, Send)
        assert isinstance(receive, Receive)
        there = self._queue(sender.frame, send, state)
        here = self._queue(receiver.frame, receive, state)
        if there is None or here is None or there.index != here.index:
            return []
        message = self._values(sender.frame, send.values, state, send.span)
        wanted = self._wanted(receiver.frame, receive, state)
        if message is None or wanted is None or not _matches(message, wanted):
            return []
        bound = self._bind(receiver.frame, receive, message, state)
        states: States = [] if bound is None else [bound]
        states = yield self._body(sender.frame, sender.event.body[1:], states)
        states = yield self._body(receiver.frame, receiver.event.body[1:], states)
        return states

    def _queue(self, frame: Frame, statement: Send | Receive, state: State) -> Queue | None:
        hop = statement.channel
        index = None if hop.index is None else frame.value(hop.index, state)
        queue = queue_of(hop, index, frame.at)
        if queue is None:
            reason = f"the index of '{hop.name}' is out of range"
            self._undefined(frame, state, reason, statement.span)
        return queue

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


def _model_error(message: str, span: Span | None) -> ModelError:
    return ModelError(Diagnostic(message, span))
