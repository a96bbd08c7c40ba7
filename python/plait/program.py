"""Compilation of a flat model to the native core's `Program`.

Nets in native form have theirs; what `plait.compiler` makes of all other models is built call by
call through the small builder interface of `plait._core`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from plait.hints import TYPE_CHECKING
from plait.model.plain import Plain, plain_of
from plait.model.rewritten import flat_type, without_collection

if TYPE_CHECKING:
    from plait._core import Program
    from plait.compiler import Compiler
    from plait.errors import Span
    from plait.model.expr import Formula, IntExpr
    from plait.model.shape import Shape, State, Trace
    from plait.model.types import Event, Model


class Compiled:
    """A flat model in native form; its events are in the order of the native event numbers."""

    def __init__(self, flat: Model, program: Program, compiler: Compiler | None = None) -> None:
        """Without a `compiler` the program is that of a plain net."""
        self.program = program
        self._flat = flat
        self._used = compiler

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events of the flat model."""
        return flat_type(self._flat).events

    @property
    def titles(self) -> Sequence[str]:
        """The titles of the events."""
        plain = plain_of(self._flat)
        return [event.title for event in self.events] if plain is None else plain.titles

    @cached_property
    def shape(self) -> Shape:
        """The shape of the flat model."""
        from plait.model.shape import shape_of

        return shape_of(self._flat)

    @cached_property
    def _compiler(self) -> Compiler:
        if self._used is not None:
            return self._used
        plain = plain_of(self._flat)
        assert plain is not None
        from plait.compiler import Compiler  # counting the states of a net needs none

        compiler = Compiler(self.program, self.shape)
        for number, title in enumerate(plain.titles):
            compiler.declare_title(title, number)
        return compiler

    def formula(self, formula: Formula) -> int:
        """A state formula over the flat model, as the id of a native Boolean expression."""
        return self._compiler.expression(formula)

    def integer(self, expression: IntExpr) -> int:
        """An integer expression over the flat model, as the id of a native expression."""
        return self._compiler.expression(expression)

    def statement_span(self, statement: int) -> Span | None:
        """Where the statement with that native id stands in the source."""
        if self._used is not None:
            return self._used.spans.get(statement)
        plain, found = self._assignment(statement)
        return None if found is None else plain.span(found[1])

    def statement_event(self, statement: int) -> int | None:
        """The first event whose body holds the statement with that native id."""
        if self._used is not None:
            return self._used.owners.get(statement)
        _, found = self._assignment(statement)
        return None if found is None else found[0]

    def titled(self, title: str) -> tuple[int, ...]:
        """The numbers of the free events that `Enabled` with this title speaks of."""
        return self._compiler.titled(title)

    def _assignment(self, statement: int) -> tuple[Plain, tuple[int, tuple[int, int]] | None]:
        plain = plain_of(self._flat)
        assert plain is not None
        return plain, plain.core.assignment(statement)


def compile_model(flat: Model) -> Compiled:
    """The native form of a model that the passes have flattened."""
    plain = plain_of(flat)
    if plain is not None:
        return Compiled(flat, plain.core.program())
    from plait.compiler import compiled  # a net in native form is compiled there

    with without_collection():
        return Compiled(flat, *compiled(flat))


def with_events(program: Program, states: Sequence[State]) -> Trace:
    """The states of a run, and an event that leads to each."""
    trace: Trace = [(None, states[0])]
    for state in states[1:]:
        follow(program, trace, state)
    return trace


def follow(program: Program, trace: Trace, state: State) -> None:
    """Append a step to a state that follows."""
    steps = program.successors(trace[-1][1])
    trace.append(next((e, s) for e, s in steps if tuple(s) == state))
