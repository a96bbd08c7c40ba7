"""A model made ready for a native engine: passed, compiled, with the way back.

What an engine finds is about the compiled model. Titles, states and errors are reported in terms of
the original one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar

from plait.hints import TYPE_CHECKING
from plait.model.rewritten import Rewritten
from plait.model.settled import settled
from plait.model.types import Domain, Model, Property
from plait.model.watch import watched_by
from plait.program import Compiled, compile_model
from plait.records import dataclass, replace
from plait.scoped import scoped

if TYPE_CHECKING:
    from plait import _core
    from plait.engines.atoms import Atoms
    from plait.engines.budget import Budget
    from plait.errors import LimitReached, ModelError
    from plait.model.net import Net
    from plait.model.shape import State
    from plait.report.answer import Witness

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
        from plait.model.net import Net, as_net  # plain nets are counted without one

        found = as_net(self.rewritten.model)
        return found if isinstance(found, Net) else None

    def backwards(self) -> Prepared:
        """The same with its events in the opposite order."""
        flat = self.rewritten.model
        types = (replace(kind, events=kind.events[::-1]) for kind in flat.types)
        rewritten = replace(self.rewritten, model=replace(flat, types=tuple(types)))
        return Prepared(self.model, rewritten, compile_model(rewritten.model))

    def lift(self, state: Sequence[int]) -> State:
        """A state of the compiled model as one of the original."""
        return self.rewritten.lift(tuple(state))

    def goal(self, p: Property) -> int:
        """The native condition of the states that decide one of `properties`."""
        if p.kind == "deadlock":
            return self.compiled.program.deadlock()
        from plait.model.expr import Formula  # there are conditions

        assert isinstance(p.body, Formula)
        goal = self.compiled.formula(p.body)
        return self.compiled.program.fails(goal) if p.kind == "invariant" else goal

    def witness(self, trace: Iterable[tuple[int | None, Sequence[int]]]) -> Witness:
        """A native trace as one of the original model."""
        from plait.report.answer import Step, Witness

        states = [(event, self.lift(state)) for event, state in trace]
        titles = self.compiled.titles
        steps = (Step(titles[e], s) for e, s in states if e is not None)
        return Witness(states[0][1], tuple(steps))

    def located(self, failure: _core.ProgramError) -> ModelError | LimitReached:
        """What went wrong when the model was executed, in its own terms."""
        from plait.errors import Diagnostic, LimitReached, ModelError, NoRoomError
        from plait.model.arithmetic import INT_MAX

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
            if domain is not None and domain.guessed:
                message = f"{title}: the model has room for {domain.high} only"
                return NoRoomError(Diagnostic(message, span))
            limits = "" if domain is None else f" {domain.low}..{domain.high}"
            message = f"{title} assigns to {name} a value outside its domain{limits}"
        elif kind == "domain":
            message = f"{title} assigns a value outside the domain of its variable"
        elif kind == "fixpoint":
            message = f"{title}: the fixpoint never settles"
        else:
            message = f"{title} leads into a cycle of transient states"
            process = None if event is None else self.compiled.events[event].process
            if process is not None:
                message = f"process {process} never leaves the block that begins here: {message}"
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
        from plait.model.shape import shape_of

        state = self.compiled.program.initial()
        other = (*state[:cell], state[cell] ^ 1, *state[cell + 1 :])
        lifted = zip(self.lift(state), self.lift(other), strict=True)
        place = next((i for i, (a, b) in enumerate(lifted) if a != b), None)
        shape = self.compiled.shape if place is None else shape_of(self.model)
        at = cell if place is None else place
        return list(shape.cells(titled=True))[at], list(shape.domains())[at]


_Kept = dict[tuple[int, ...], tuple[Model, Sequence[Property], Prepared]]
_kept: ContextVar[_Kept | None] = ContextVar("kept", default=None)
"""By the identity of the model and of what is asked, which are kept too: no other can get it."""


def prepared_once() -> AbstractContextManager[None]:
    """Whoever asks in this block about the same model and properties finds it ready.

    For many engines that are asked the same, one after the other. Nothing is kept outside of such a
    block, since what is ready may be large.
    """
    return scoped(_kept, {})


shared: ContextVar[Atoms | None] = ContextVar("shared", default=None)
"""The net that is ready for whatever is made of some conditions; see `plait.engines.atoms`."""


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
    atoms = shared.get()
    with watched_by(None if budget is None else budget.check):
        ready = atoms.prepared(properties) if atoms and atoms.model is model else None
        prepared = ready or prepare_anew(model, properties)
    if kept is not None:
        kept[key] = model, tuple(properties), prepared
    return prepared


def prepare_anew(model: Model, properties: Sequence[Property]) -> Prepared:
    """The same, whatever is ready already."""
    asked = replace(model, properties=tuple(properties))
    rewritten = settled(asked)
    if rewritten is None:
        from plait.passes import flat
        from plait.passes.inert_events import keep_inert
        from plait.passes.last_events import mark_last

        rewritten = flat(asked)
        if rewritten.net is None:  # the events of a net add and take, and store nothing
            rewritten = replace(rewritten, model=keep_inert(mark_last(rewritten.model)))
    return Prepared(model, rewritten, compile_model(rewritten.model))
