"""A model made ready for a native engine: passed, compiled, with the way back.

What an engine finds is about the compiled model; titles, states and errors are told in terms of the
original one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property

from plait import _core
from plait.engines.budget import Budget
from plait.errors import Diagnostic, LimitReached, ModelError
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula, Not, Truth
from plait.model.net import Net, as_net
from plait.model.plain import plain_of
from plait.model.rewritten import Rewritten
from plait.model.settled import settled
from plait.model.shape import State, shape_of
from plait.model.types import Domain, Model, Property
from plait.model.watch import watched_by
from plait.program import Compiled, compile_model
from plait.records import dataclass, replace
from plait.report.answer import Step, Witness

KINDS = ("reachable", "invariant", "never", "deadlock", "bounds")
"""The kinds of property that the set of reachable states decides."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A model, what the passes made of it, and its native form."""

    model: Model
    rewritten: Rewritten
    compiled: Compiled

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that were asked, in terms of the compiled model."""
        return self.rewritten.model.properties

    @property
    def net(self) -> Net | None:
        """The net that the compiled model is, if it is one."""
        if self.rewritten.net is not None:
            return self.rewritten.net
        found = as_net(self.rewritten.model)
        return found if isinstance(found, Net) else None

    def lift(self, state: Sequence[int]) -> State:
        """A state of the compiled model as one of the original."""
        return self.rewritten.lift(tuple(state))

    def goal(self, p: Property) -> int:
        """The native condition of the states that decide one of `properties`."""
        if p.kind == "deadlock":
            return self.compiled.program.deadlock()
        assert isinstance(p.body, Formula)
        goal = self.compiled.formula(p.body)
        return self.compiled.program.fails(goal) if p.kind == "invariant" else goal

    def witness(self, trace: Iterable[tuple[int | None, Sequence[int]]]) -> Witness:
        """A native trace as one of the original model."""
        states = [(event, self.lift(state)) for event, state in trace]
        titles = self.compiled.titles
        steps = (Step(titles[e], s) for e, s in states if e is not None)
        return Witness(states[0][1], tuple(steps))

    def located(self, failure: _core.ProgramError) -> ModelError | LimitReached:
        """What went wrong when the model was executed, in its own terms."""
        kind, event, statement, cell = failure.args
        if event is None and statement is not None:
            event = self.compiled.statement_event(statement)
        title = "an event" if event is None else f"event {self.compiled.events[event].title}"
        span = None
        if event is not None and statement is not None:
            span = self.compiled.statement_span(statement) or self.compiled.events[event].span
        if kind == "domain" and cell is not None:
            name, domain = self._original(cell)
            if domain is not None and domain.high == INT_MAX:
                return LimitReached(f"{name} leaves the 32-bit integers ({title})")
            limits = "" if domain is None else f" {domain.low}..{domain.high}"
            message = f"{title} assigns to {name} a value outside its domain{limits}"
        elif kind == "domain":
            message = f"{title} assigns a value outside the domain of its variable"
        elif kind == "fixpoint":
            message = f"{title}: the fixpoint never settles"
        else:
            message = f"{title} leads into a cycle of transient states"
        return ModelError(Diagnostic(message, span))

    def undefined(self, statements: Iterable[int]) -> tuple[str, ...]:
        """Notes about statements that an undefined operation left without effect."""
        notes = []
        for statement in statements:
            event = self.compiled.statement_event(statement)
            title = "an event" if event is None else f"event {self.compiled.events[event].title}"
            notes.append(
                f"{title}: some steps left out, where an operation is undefined (division by zero, "
                "an index outside its array, a shift beyond 31)"
            )
        return tuple(dict.fromkeys(notes))

    def _original(self, cell: int) -> tuple[str, Domain | None]:
        """The name and domain, in the original model, of a cell of the compiled one.

        It is the one that differs after lifting two states that differ in that cell.
        """
        state = self.compiled.program.initial()
        other = (*state[:cell], state[cell] ^ 1, *state[cell + 1 :])
        lifted = zip(self.lift(state), self.lift(other), strict=True)
        place = next((i for i, (a, b) in enumerate(lifted) if a != b), None)
        shape = self.compiled.shape if place is None else shape_of(self.model)
        at = cell if place is None else place
        return list(shape.cells())[at], list(shape.domains())[at]


_Kept = dict[tuple[int, ...], tuple[Model, Sequence[Property], Prepared]]
_kept: ContextVar[_Kept | None] = ContextVar("kept", default=None)
"""By the identity of the model and of what is asked, which are kept too: no other can get it."""


@contextmanager
def prepared_once() -> Iterator[None]:
    """Whoever asks in this block about the same model and properties finds it ready.

    For many engines that are asked the same, one after the other. Nothing is kept outside of such a
    block, since what is ready may be large.
    """
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


class _Atoms:
    """A net made ready for all questions that are made of some conditions.

    Each atom goes through the passes as a property of its own, and a question is put together from
    what has become of its atoms. The passes keep what an atom is in each state, so it does not
    matter what is made of it; a model whose atoms may be undefined is none for this.
    """

    def __init__(self, model: Model, conditions: Iterable[Formula]) -> None:
        self.model = model
        atoms = (f for condition in conditions for f in _atoms(condition))
        self._atoms = list(dict.fromkeys(atoms))
        self._made: tuple[Prepared, dict[Formula, Formula]] | None = None

    def prepared(self, properties: Sequence[Property]) -> Prepared | None:
        """The net ready for these properties; None if they are made of something else."""
        prepared, flat = self._ready()
        if prepared.rewritten.net is None:
            return None
        asked = []
        for p in properties:
            if isinstance(p.body, Formula) and p.kind in KINDS:
                body = _put(p.body, flat)
                if body is None:
                    return None
                p = replace(p, body=body)
            elif p.kind != "deadlock":
                return None
            asked.append(p)
        model = replace(prepared.rewritten.model, properties=tuple(asked))
        return replace(prepared, rewritten=replace(prepared.rewritten, model=model))

    def _ready(self) -> tuple[Prepared, dict[Formula, Formula]]:
        if self._made is None:
            asked = [Property(f"atom {i}", "reachable", f) for i, f in enumerate(self._atoms)]
            prepared = _prepare(self.model, asked)
            rewritten = replace(prepared.rewritten, net=prepared.net)
            bodies = (p.body for p in prepared.properties)
            made = zip(self._atoms, bodies, strict=True)
            flat = {f: body for f, body in made if isinstance(body, Formula)}
            self._made = replace(prepared, rewritten=rewritten), flat
        return self._made


_shared: ContextVar[_Atoms | None] = ContextVar("shared", default=None)


@contextmanager
def prepared_for(model: Model, conditions: Iterable[Formula]) -> Iterator[None]:
    """Whoever asks in this block about these conditions, or what is made of them, finds it ready.

    For a model that takes long to be made ready, as a net does whose colours were unfolded, and
    many engines that ask about parts of the same formulas. The conditions must always be defined.
    """
    atoms = None if plain_of(model) is not None else _Atoms(model, conditions)
    token = _shared.set(atoms)
    try:
        yield
    finally:
        _shared.reset(token)


def _atoms(condition: Formula) -> Iterator[Formula]:
    """The atoms of a condition, without the negations before them."""
    from plait.logic.nnf import nnf
    from plait.logic.walk import is_atom, subformulas

    for f in subformulas(nnf(condition)):
        if is_atom(f) and not isinstance(f, Truth):
            yield f


def _put(condition: Formula, flat: dict[Formula, Formula]) -> Formula | None:
    """The condition with what has become of its atoms, or of their opposites; None without that."""
    from plait.logic.nnf import nnf
    from plait.logic.walk import fold_formula

    def visit(f: Formula, below: list[Formula | None]) -> Formula | None:
        if below:
            known = [g for g in below if g is not None]
            return f.with_children(known) if len(known) == len(below) else None
        if isinstance(f, Truth) or f in flat:
            return flat.get(f, f)
        opposite = flat.get(nnf(Not(f)))
        return None if opposite is None else nnf(Not(opposite))

    return fold_formula(nnf(condition), visit)


def prepare(
    model: Model, properties: Sequence[Property] = (), budget: Budget | None = None
) -> Prepared:
    """The model, flat and compiled, for questions about these properties.

    `LimitReached` when that takes more than the budget allows.
    """
    kept = _kept.get()
    key = (id(model), *map(id, properties))
    if kept is not None and key in kept:
        return kept[key][-1]
    shared = _shared.get()
    with watched_by(None if budget is None else budget.check):
        ready = shared.prepared(properties) if shared and shared.model is model else None
        prepared = ready or _prepare(model, properties)
    if kept is not None:
        kept[key] = model, tuple(properties), prepared
    return prepared


def _prepare(model: Model, properties: Sequence[Property]) -> Prepared:
    asked = replace(model, properties=tuple(properties))
    rewritten = settled(asked)
    if rewritten is None:
        from plait.passes import flat
        from plait.passes.last_events import mark_last

        found = flat(asked)
        rewritten = replace(found, model=mark_last(found.model))
    return Prepared(model, rewritten, compile_model(rewritten.model))


def prepare_formulas(
    model: Model, properties: Sequence[Property], fair: Sequence[Formula] = ()
) -> tuple[Prepared, dict[Formula, Formula]]:
    """The model made ready, and what has become of the state formulas in CTL properties.

    They are properties of their own, after those that were asked: so a CTL formula stays in terms
    of the original model, and only its conditions go through the passes.
    """
    from plait.logic.nnf import nnf
    from plait.logic.walk import conditions as conditions_of

    found: dict[Formula, None] = dict.fromkeys(fair)
    for p in properties:
        if p.kind == "ctl" and isinstance(p.body, Formula):
            found.update(dict.fromkeys(conditions_of(nnf(p.body))))
    leaves = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(found)]
    prepared = prepare(model, [*properties, *leaves])
    flat = [p.body for p in prepared.properties[len(properties) :]]
    made = zip(found, flat, strict=True)
    return prepared, {f: body for f, body in made if isinstance(body, Formula)}


class Formulas:
    """A model made ready for CTL formulas: once, whoever asks about them next.

    Formulas stay in terms of the original model, in negation normal form; only their conditions go
    through the passes.
    """

    def __init__(
        self, model: Model, properties: Sequence[Property], budget: Budget | None = None
    ) -> None:
        from plait.logic.nnf import nnf  # who counts states needs no logic

        self.model = model
        self.budget = budget
        self.asked = tuple(properties)
        self.bodies = {id(p): nnf(p.body) for p in properties if isinstance(p.body, Formula)}

    def body(self, p: Property) -> Formula:
        """The formula of one of the properties, in negation normal form."""
        return self.bodies[id(p)]

    def flat(self, condition: Formula) -> Formula:
        """What has become of a condition of one of the bodies."""
        found = self._by_identity.get(id(condition))
        return self.conditions.get(condition, condition) if found is None else found

    @property
    def prepared(self) -> Prepared:
        """The model, flat and compiled."""
        return self._made[0]

    @property
    def conditions(self) -> dict[Formula, Formula]:
        """What has become of the conditions."""
        return self._made[1]

    @cached_property
    def _leaves(self) -> list[Formula]:
        from plait.logic.walk import conditions as conditions_of

        return [f for body in self.bodies.values() for f in conditions_of(body)]

    @cached_property
    def _made(self) -> tuple[Prepared, dict[Formula, Formula]]:
        distinct = list(dict.fromkeys(self._leaves))
        asked = [Property(f"condition {i}", "reachable", f) for i, f in enumerate(distinct)]
        prepared = prepare(self.model, asked, self.budget)
        made = zip(distinct, (p.body for p in prepared.properties), strict=True)
        return prepared, {f: body for f, body in made if isinstance(body, Formula)}

    @cached_property
    def _by_identity(self) -> dict[int, Formula]:
        """Large sums are not hashed and compared again for every question."""
        return {id(f): self.conditions[f] for f in self._leaves}
