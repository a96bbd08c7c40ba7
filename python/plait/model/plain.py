"""Nets in native form, and the types that are made of them on demand.

The native reader keeps a net in flat arrays (`plait._core.PlainNet`). A command that counts its
states needs no more: the program, the structure for variable orders, and what no pass would change
are all made there. Variables, events and rows are made here when they are first used, and are the
same as if the file had been read in Python (`plait.lang.pnml.assemble`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from plait.errors import Source, Span
from plait.hints import TYPE_CHECKING
from plait.model.types import PLAIN_PARTS, ElementaryType, Event, Model, Units, Variable

if TYPE_CHECKING:
    from plait._core import PlainNet
    from plait.model.expr import Const, Formula
    from plait.model.net import Net
    from plait.model.stmt import Statement


class Plain:
    """A place/transition net in native form, its name and units, and where it was read."""

    def __init__(
        self, core: PlainNet, source: Source, name: str, units: Callable[[], Units | None]
    ) -> None:
        self.core = core
        self.source = source
        self.name = name
        self.units = units
        """Makes the units of the net."""

    def type(self) -> ElementaryType:
        """The type of the net, whose parts are made when they are looked at."""
        made = ElementaryType(self.name, span=self.span(self.core.position))
        for part in PLAIN_PARTS:
            object.__delattr__(made, part)
        object.__setattr__(made, "plain", self)
        return made

    @cached_property
    def left(self) -> tuple[Plain, tuple[int, ...]] | None:
        """The net without impossible events and constant places, and the places that are left.

        None when that is all of it. It is made once: whoever asks about other properties of the net
        gets the same, with all that is known of it.
        """
        found = self.core.settled()
        if found is None:
            return None
        core, kept = found

        def units() -> Units | None:
            before = self.units()
            return None if before is None else before.of(set(core.place_names()))

        return Plain(core, self.source, self.name, units), tuple(kept)

    @cached_property
    def names(self) -> Sequence[str]:
        """The names of the places."""
        return self.core.place_names()

    @cached_property
    def titles(self) -> Sequence[str]:
        """The names of the events."""
        return self.core.event_names()

    @cached_property
    def initial(self) -> tuple[int, ...]:
        """The initial tokens of the places."""
        return self.core.tokens()

    def span(self, position: tuple[int, int]) -> Span:
        """A place in the file."""
        return Span(self.source, *position)

    @cached_property
    def net(self) -> Net:
        """The rows of the net."""
        from plait.model.net import Net, NetEvent, Place  # which knows plain nets

        core, source = self.core, self.source
        marked = zip(
            self.names, self.initial, core.place_positions(), core.place_comments(), strict=True
        )
        places = tuple(
            Place(name, tokens, Span(source, *position), comment)
            for name, tokens, position, comment in marked
        )
        moves = zip(
            self.titles, core.rows(), core.event_positions(), core.event_comments(), strict=True
        )
        events = tuple(
            NetEvent(name, pre, post, (), (), "", Span(source, *position), comment)
            for name, (pre, post), position, comment in moves
        )
        return Net(self.name, places, events, self.units())

    def variables(self) -> tuple[Variable, ...]:
        """A variable for each place."""
        from plait.model.expr import Const
        from plait.model.shape import COUNTER

        constants = {value: (Const(value),) for value in set(self.initial)}
        parts = zip(
            self.names,
            self.initial,
            self.core.place_positions(),
            self.core.place_comments(),
            strict=True,
        )
        return tuple(
            Variable(
                name, constants[tokens], domain=COUNTER, span=self.span(position), comment=comment
            )
            for name, tokens, position, comment in parts
        )

    def events(self) -> tuple[Event, ...]:
        """An event for each transition; equal `Var` and `Const` nodes are shared."""
        from plait.model.expr import Binary, Compare, Const, Var
        from plait.model.stmt import Assign

        places = [Var(name) for name in self.names]
        constants: dict[int, Const] = {}

        def constant(value: int) -> Const:
            node = constants.get(value)
            if node is None:
                node = constants[value] = Const(value)
            return node

        source = self.source
        events = []
        parts = zip(
            self.titles,
            self.core.effects(),
            self.core.event_positions(),
            self.core.event_comments(),
            strict=True,
        )
        for name, effects, position, comment in parts:
            guard: list[Formula] = []
            body: list[Statement] = []
            for place, needed, change, line, column in effects:
                var, where = places[place], Span(source, line, column)
                if needed:
                    guard.append(Compare(">=", var, constant(needed), span=where))
                if change > 0:
                    body.append(Assign(var, Binary("+", var, constant(change)), span=where))
                elif change < 0:
                    body.append(Assign(var, Binary("-", var, constant(-change)), span=where))
            span = Span(source, *position)
            events.append(Event(name, tuple(guard), tuple(body), span=span, comment=comment))
        return tuple(events)


def plain_of(model: Model) -> Plain | None:
    """The native form of a model that is nothing but such a net, its properties apart."""
    system = model.system
    if not isinstance(system, ElementaryType) or system.plain is None:
        return None
    alone = len(model.types) == 1 and not (model.constants or model.ranges or model.interfaces)
    return system.plain if alone else None
