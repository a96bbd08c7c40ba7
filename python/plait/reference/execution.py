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

from collections.abc import Callable, Generator
from functools import partial
from graphlib import CycleError, TopologicalSorter

from plait.errors import Diagnostic, ModelError, Span, error
from plait.hints import Any
from plait.model.expr import Formula
from plait.model.shape import State, shape_of
from plait.model.stmt import (
    FIXPOINT_LIMIT,
    Abort,
    AllCall,
    AnyCall,
    Assign,
    Body,
    Call,
    Fixpoint,
    For,
    If,
    InstanceCall,
    NextCall,
    Receive,
    Send,
    Settle,
    Statement,
)
from plait.model.types import ELAPSE, Model, names_of
from plait.model.watch import look
from plait.reference.components import Component, Copy, Frame, Move, build
from plait.reference.expressions import Message
from plait.reference.updates import Obstacle, Updates

States = list[State]
"""A set of states, in the order in which they were found."""
Job = Generator[Any, Any, States]
"""An execution that yields the executions it waits for and returns the states it leads to."""
PerState = Callable[[State], Job]


class Execution(Updates):
    """The steps of one model."""

    def __init__(self, model: Model) -> None:
        shape = shape_of(model)
        self.components = build(shape)  # which refuses what is too large to have cells
        super().__init__(shape)
        self.model = model
        self.main = self.components[0]
        self.main.enabled = self.enabled
        self.main.is_enabled = self.is_enabled
        self.moves = [m for at in self.components for m in at.moves]
        self.moves.extend(Move(c.title, (c,)) for c in self.main.labelled.get((ELAPSE, ()), []))
        self.initial: State = self.shape.initial()
        self.effort = 0
        """How many statements were executed so far, for callers who cannot wait for ever."""
        self.touched = 0
        """On how many states they were executed, each of them: one may be on very many."""
        self._by_title = {m.title: m for m in self.moves}
        self._named: dict[frozenset[str], list[Move]] = {}
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
            if not isinstance(state, tuple) or len(state) != len(self.initial):
                cells = len(self.initial)
                raise error(f"a state is a tuple with a number for each cell, {cells} in all")
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

    def _meet(self, sender: Copy, receiver: Copy, state: State) -> Job:
        """The joint step of a rendezvous, once both guards hold."""
        send, receive = sender.event.body[0], receiver.event.body[0]
        assert isinstance(send, Send)
        assert isinstance(receive, Receive)
        passed = self._pass(sender.frame, send, receiver.frame, receive, state)
        if passed is None:
            return []
        states: States = yield self._body(sender.frame, sender.event.body[1:], [passed])
        states = yield self._body(receiver.frame, receiver.event.body[1:], states)
        return states

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


def _model_error(message: str, span: Span | None) -> ModelError:
    return ModelError(Diagnostic(message, span))
