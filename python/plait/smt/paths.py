"""Events executed symbolically: each becomes a few *paths*, and each path is a function.

A path is what an event does once it is settled which events answer its calls: a condition under
which it gets through, and the new values of the cells that it writes, as terms over the state
before. `if` is not split but merged, value by value. So the transition relation is the disjunction
of its paths, without quantifiers, and an event is enabled where one of its paths gets through.

A value outside a declared domain is an error of the model, wherever on the path it happens. It is
kept as a condition of its own, and whoever wants to prove something must show that it never holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import Const
from plait.model.shape import Shape
from plait.model.stmt import Abort, Assign, Body, Call, Fixpoint, If, Settle, Statement
from plait.model.types import Domain, Event
from plait.records import dataclass, field
from plait.smt.make import FALSE, Term, all_of, choice, constant, equal, negation, some_of
from plait.smt.terms import Terms, Unsupported, inside

MOST_PATHS = 20_000
"""Paths of a model; one whose calls have more combinations is given up."""


@dataclass(frozen=True, slots=True)
class Path:
    """One way through an event."""

    event: int
    """Its number."""
    passes: Term
    """That the path gets to its end, from a state."""
    writes: dict[int, Term]
    """The cells that are assigned, with their new values."""
    fails: Term | None = None
    """That a value leaves the domain of its variable; None when none can."""


@dataclass(slots=True)
class _Run:
    """A symbolic execution: the conditions so far, the written cells, the ways to an error."""

    alive: list[Term] = field(default_factory=list)
    """Together they say that the execution got here."""
    required: int = 0
    """How many conditions were added since it began."""
    cells: dict[int, Term] = field(default_factory=dict)
    errors: list[Term] = field(default_factory=list)

    def require(self, condition: Term) -> None:
        """The execution goes on only under this condition."""
        self.alive.append(condition)
        self.required += 1

    def gather(self) -> Term:
        """The conditions so far as one, which those to come are added to."""
        self.alive = [all_of(self.alive)] if self.alive else []
        return all_of(self.alive)

    def fork(self, condition: Term) -> _Run:
        """The same cells from here on, under one more condition."""
        return _Run(alive=[condition], cells=dict(self.cells))


class _Choices:
    """Which event answers each call, in the order of the calls: all combinations one by one."""

    def __init__(self) -> None:
        self.made: list[tuple[int, int]] = []
        self._next = 0

    def choose(self, among: int) -> int:
        """The choice at the next call with so many answers."""
        if self._next == len(self.made):
            self.made.append((0, among))
        self._next += 1
        return self.made[self._next - 1][0]

    def advance(self) -> bool:
        """Go on to the next combination; whether there is one."""
        del self.made[self._next :]
        while self.made:
            choice, among = self.made.pop()
            if choice + 1 < among:
                self.made.append((choice + 1, among))
                break
        self._next = 0
        return bool(self.made)


class Executor:
    """Executes the events of a flat model on the terms of a state."""

    def __init__(
        self, events: Sequence[Event], shape: Shape, terms: Terms, state: Sequence[Term]
    ) -> None:
        self.events = events
        self.slots = shape.variables
        self.domains = list(shape.domains())
        self.terms = terms
        self.state = state
        self.answers: dict[str, list[Event]] = {}
        for event in events:
            if event.label is not None:
                self.answers.setdefault(event.label.name, []).append(event)
        self._choices = _Choices()

    def paths(self) -> Iterator[Path]:
        """The paths of all events that happen on their own."""
        count = 0
        for number, event in enumerate(self.events):
            if event.label is not None:
                continue
            self._choices = _Choices()
            more = True
            while more:
                count += 1
                if count > MOST_PATHS:
                    raise Unsupported("the calls of the model have too many combinations")
                path = self._path(number, event)
                if path is not None:
                    yield path
                more = self._choices.advance()

    def _path(self, number: int, event: Event) -> Path | None:
        run = _Run()
        self._event(event, run)
        if any(z3.is_false(a) for a in run.alive) and not run.errors:
            return None
        fails = some_of(run.errors) if run.errors else None
        written = {c: v for c, v in run.cells.items() if not v.eq(self.state[c])}
        return Path(number, all_of(run.alive), written, fails)

    def _event(self, event: Event, run: _Run) -> None:
        """The guard and the body, from where the run is."""
        now = self._now(run)
        for conjunct in event.guard:
            run.require(self.terms.condition(conjunct, now).true)
        self._body(event.body, run)

    def _now(self, run: _Run) -> Sequence[Term]:
        return self.state if not run.cells else _Overlay(self.state, run.cells)

    def _body(self, body: Body, run: _Run) -> None:
        for statement in body:
            if run.alive and z3.is_false(run.alive[-1]):
                return
            self._statement(statement, run)

    def _statement(self, statement: Statement, run: _Run) -> None:
        match statement:
            case Assign():
                self._assign(statement, run)
            case If():
                self._if(statement, run)
            case Call(label=label):
                answers = self.answers.get(label, [])
                if not answers:
                    run.require(FALSE)
                    return
                choice = self._choices.choose(len(answers)) if len(answers) > 1 else 0
                self._event(answers[choice], run)
            case Abort():
                run.require(FALSE)
            case Fixpoint():
                raise Unsupported("a fixpoint is not for this engine")
            case Settle():
                raise Unsupported("transient states and atomic blocks are not for this engine")
            case _:
                raise Unsupported(f"{type(statement).__name__} is not for this engine")

    def _if(self, statement: If, run: _Run) -> None:
        condition = self.terms.condition(statement.condition, self._now(run))
        then, otherwise = run.fork(condition.true), run.fork(condition.refuted)
        self._body(statement.then, then)
        self._body(statement.otherwise, otherwise)
        errors = [*then.errors, *otherwise.errors]
        if errors:
            run.errors.append(all_of([run.gather(), some_of(errors)]))
        if condition.false is not None or then.required or otherwise.required:
            run.require(some_of([all_of(then.alive), all_of(otherwise.alive)]))
        for cell in {*then.cells, *otherwise.cells}:
            yes: Term = then.cells.get(cell, self.state[cell])
            no: Term = otherwise.cells.get(cell, self.state[cell])
            self.terms.count()
            run.cells[cell] = yes if yes.eq(no) else choice(condition.true, yes, no)

    def _assign(self, statement: Assign, run: _Run) -> None:
        now = self._now(run)
        target = statement.target
        slot = self.slots[target.name]
        value = self.terms.integer(statement.value, now)
        if value.defined is not None:
            run.require(value.defined)
        if slot.size is None or target.index is None:
            self._store(slot.offset, value.value, run)
        elif isinstance(target.index, Const) and 0 <= target.index.value < slot.size:
            self._store(slot.offset + target.index.value, value.value, run)
        else:
            index = self.terms.integer(target.index, now)
            if index.defined is not None:
                run.require(index.defined)
            run.require(inside(index.value, slot.size))
            self.terms.count(3 * slot.size)
            self._check(self.domains[slot.offset] if slot.size else None, value.value, run)
            for i in range(slot.size):
                cell = slot.offset + i
                here = equal(index.value, constant(i))
                run.cells[cell] = choice(here, value.value, now[cell])

    def _store(self, cell: int, value: Term, run: _Run) -> None:
        self._check(self.domains[cell], value, run)
        run.cells[cell] = value

    def _check(self, domain: Domain | None, value: Term, run: _Run) -> None:
        """A value outside its domain is an error, and the end of the path."""
        if domain is None:
            return
        within: list[Term] = []
        if domain.low > INT_MIN:
            within.append(value >= constant(domain.low))
        if domain.high < INT_MAX:
            within.append(value <= constant(domain.high))
        if not within:
            return
        self.terms.count(2)
        run.errors.append(all_of([run.gather(), negation(all_of(within))]))
        for condition in within:
            run.require(condition)


class _Overlay(Sequence[Term]):
    """A state with some cells replaced."""

    def __init__(self, state: Sequence[Term], cells: dict[int, Term]) -> None:
        self.state = state
        self.cells = cells

    def __getitem__(self, cell: int) -> Term:  # type: ignore[override]
        return self.cells.get(cell, self.state[cell])

    def __len__(self) -> int:
        return len(self.state)
