"""Weak fairness: which process moves by which event, and which ones a run starves.

A *mover* is a process, or an elementary part of a composition without processes. An event is a move
of its process; a rendezvous is one of both sides; a synchronisation is one of all parts that it
calls. In a model with atomic blocks a step also moves each process whose location it changes,
because a block may hand over the control.

A mover is *ready* in a state where one of its moves can be executed. A run is *weakly fair* when
nobody who is ready from some state on for ever is without a move from some state on for ever. A
deadlock that repeats is fair: nobody is ready there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plait.errors import Span, error
from plait.hints import TYPE_CHECKING
from plait.model.shape import State
from plait.model.stmt import (
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
from plait.model.types import ElementaryType
from plait.report.answer import Witness

if TYPE_CHECKING:
    from plait.reference.components import Component, Copy, Frame
    from plait.reference.execution import Execution

Moves = frozenset[int]
"""A set of movers."""
Called = tuple["Component", str, tuple[int | None, ...]]
"""A part, and the label by which it is called with the values of its arguments."""


class Movers:
    """The movers of one model, and whose moves its events are."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self._numbers: dict[tuple[int, str | None], int] = {}
        self._answers: dict[tuple[int, str, tuple[int | None, ...]], Moves] = {}
        names: list[str] = []
        self.places: list[tuple[int, int, str]] = []
        """In a model with atomic blocks: a mover, and the cell and name of its location."""
        for at in execution.components:
            type_ = at.shape.type
            if not isinstance(type_, ElementaryType):
                continue
            whole = [] if at is execution.main else [None]
            for name in [p.name for p in type_.processes] or whole:
                self._numbers[id(at), name] = len(names)
                names.append(".".join(n for n in (at.path, name) if n))
            for process in type_.processes if type_.transient is not None else ():
                if process.pc is not None:
                    cell = at.base + at.shape.variables[process.pc].offset
                    self.places.append((self._numbers[id(at), process.name], cell, process.pc))
        if not names:
            raise error(
                "there are no processes and no parts that fairness could speak of",
                hint="weak fairness is for processes (Promela, DVE) and the parts of composites",
            )
        self.names = tuple(names)
        self.of = {
            m.title: frozenset[int]().union(*(self._moves(c) for c in m.copies))
            for m in execution.moves
        }
        """Whose moves the event of a title is."""

    def ready(self, titles: Iterable[str]) -> Moves:
        """Who is ready in a state where these events can be executed."""
        return frozenset[int]().union(*(self.of[title] for title in titles))

    def moving(self, before: State, title: str, after: State) -> Moves:
        """Who moves in a step."""
        changed = (mover for mover, cell, _ in self.places if before[cell] != after[cell])
        return self.of[title].union(changed)

    def starved(self, run: Witness) -> tuple[str, ...]:
        """Whom the run of a lasso starves: those always ready in the loop who never move in it."""
        assert run.loop is not None
        states = run.states
        left = set(range(len(self.names)))
        if run.loop == len(run.steps):
            return ()
        for place in range(run.loop, len(run.steps)):
            step, state = run.steps[place], states[place]
            left &= self.ready(self.execution.enabled(state))
            left -= self.moving(state, step.event, step.state)
        return tuple(self.names[mover] for mover in sorted(left))

    # --- whose moves an event is ------------------------------------------------------------------

    def _moves(self, copy: Copy) -> Moves:
        """Whose moves a copy of an event is."""
        if isinstance(copy.at.shape.type, ElementaryType):
            own = self._numbers.get((id(copy.at), copy.event.process))
            return frozenset(() if own is None else (own,))
        self._answer_all(self._callees(copy))
        return self._called(copy)

    def _called(self, copy: Copy) -> Moves:
        """Whose moves a copy in a composite is, once all that it calls is known."""
        found: Moves = frozenset()
        for ways, span in _calls(copy.frame, copy.event.body):
            moves = [
                frozenset[int]().union(
                    *(self._answers.get((id(c[0]), c[1], c[2]), frozenset()) for c in way)
                )
                for way in ways
            ]
            found |= self._one_of(moves, copy.title, span)
        return found

    def _callees(self, copy: Copy) -> Iterator[Called]:
        for ways, _ in _calls(copy.frame, copy.event.body):
            for way in ways:
                yield from way

    def _answer_all(self, called: Iterable[Called]) -> None:
        """Whose moves it is when these are called: from the leaves of the composition up."""
        stack = [(c, False) for c in called]
        begun: set[tuple[int, str, tuple[int | None, ...]]] = set()
        while stack:
            (at, label, arguments), ready = stack.pop()
            key = (id(at), label, arguments)
            if key in self._answers or (key in begun and not ready):
                continue
            begun.add(key)
            copies = at.labelled.get((label, _known(arguments)), [])
            if not ready and not isinstance(at.shape.type, ElementaryType):
                stack.append(((at, label, arguments), True))
                stack.extend((c, False) for copy in copies for c in self._callees(copy))
                continue
            if isinstance(at.shape.type, ElementaryType):
                moves = [self._moves(copy) for copy in copies]
            else:
                moves = [self._called(copy) for copy in copies]
            title = f"{at.path}.{label}" if at.path else label
            span = copies[0].event.span if copies else None
            self._answers[key] = self._one_of(moves, title, span)

    def _one_of(self, moves: list[Moves], title: str, span: Span | None) -> Moves:
        """What several ways agree on."""
        if len(set(moves)) > 1:
            some, other = list(dict.fromkeys(moves))[:2]
            raise error(
                f"'{title}' may be a move of {self._named(some)} or of {self._named(other)}: "
                "weak fairness needs to know whose it is",
                span,
            )
        return moves[0] if moves else frozenset()

    def _named(self, moves: Moves) -> str:
        return " and ".join(f"'{self.names[m]}'" for m in sorted(moves)) or "nobody"


def _known(arguments: tuple[int | None, ...]) -> tuple[int, ...]:
    return tuple(a for a in arguments if a is not None)


def _calls(frame: Frame, body: Body) -> Iterator[tuple[list[list[Called]], Span | None]]:
    """The calls in the body of a composite's event: each with the ways in which it can be done."""
    for statement in body:
        match statement:
            case For():
                for value in frame.at.shape.ranges[statement.range]:
                    inner = frame.with_parameter(statement.parameter, value)
                    yield from _calls(inner, statement.body)
            case If():
                chosen = frame.truth(statement.condition, ()) is True
                yield from _calls(frame, statement.then if chosen else statement.otherwise)
            case _:
                yield _ways(frame, statement), statement.span


def _ways(frame: Frame, call: Statement) -> list[list[Called]]:
    parts = list(frame.at.parts.values())

    def called(part: Component, label: str, arguments: tuple[object, ...]) -> Called:
        return part, label, tuple(frame.value(a, ()) for a in arguments)  # type: ignore[arg-type]

    match call:
        case Call():
            return [[called(frame.at, call.label, call.arguments)]]
        case InstanceCall():
            hop = call.instance
            index = None if hop.index is None else frame.value(hop.index, ())
            part = frame.at.parts.get((hop.name, index))
            return [] if part is None else [[called(part, call.label, call.arguments)]]
        case AnyCall():
            return [[called(p, call.label, call.arguments)] for p in parts]
        case AllCall():
            return [[called(p, call.label, call.arguments) for p in parts]]
        case NextCall():
            neighbours = zip(parts, [*parts[1:], *parts[:1]], strict=True)
            return [
                [
                    called(p, call.label, call.arguments),
                    called(q, call.next_label, call.next_arguments),
                ]
                for p, q in neighbours
            ]
    return []
