"""What a property file means by a place and a transition, also of a net that was coloured.

A place is the number of its tokens, whatever their colour: the sum of the variables that it was
unfolded to, or of the cells of its array. A transition is fireable when one of its bindings is. For
a net without colours both are what they look like.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce

from plait.errors import Span, error
from plait.model.expr import FALSE, Binary, Const, Enabled, Formula, IntExpr, Var
from plait.model.shape import Shape, shape_of
from plait.model.types import ElementaryType, Folded, Folding, Model


class Vocabulary:
    """The places and transitions of a net as expressions; the variables are shared."""

    def __init__(self, model: Model) -> None:
        system = model.system
        if not isinstance(system, ElementaryType):
            raise error(f"only a net has places and transitions; '{system.name}' is none")
        folding = system.folding or _unfolded(system)
        self.places = folding.places
        self.events = folding.events
        self._model = model
        self._places = {p.name: p.parts for p in folding.places}
        self._events = {e.name: e.parts for e in folding.events}
        self._cells: dict[str, list[Var]] = {}

    @cached_property
    def _shape(self) -> Shape:
        return shape_of(self._model)

    @cached_property
    def _initial(self) -> Sequence[int]:
        return self._shape.initial()

    def tokens(self, places: Sequence[str], span: Span | None = None) -> IntExpr:
        """The tokens of these places together."""
        cells: list[IntExpr] = [cell for name in places for cell in self._cells_of(name)]
        return reduce(lambda a, b: Binary("+", a, b, span=span), cells or [Const(0)])

    def fireable(self, transitions: Sequence[str], span: Span | None = None) -> Formula:
        """One of the transitions can be executed."""
        titles = tuple(title for name in transitions for title in self._events[name])
        return Enabled(titles, span=span) if titles else FALSE

    def initially(self, place: str) -> int:
        """The tokens of a place in the initial state."""
        total = 0
        for name in self._places[place]:
            total += sum(self._initial[cell] for cell in self._shape.variables[name].cells)
        return total

    def _cells_of(self, place: str) -> Sequence[Var]:
        found = self._cells.get(place)
        if found is None:
            found = self._cells[place] = []
            for name in self._places[place]:
                size = self._shape.variables[name].size
                if size is None:
                    found.append(Var(name))
                else:
                    found.extend(Var(name, Const(i)) for i in range(size))
        return found


def _unfolded(system: ElementaryType) -> Folding:
    """A net without colours: every place and transition is itself."""
    if system.plain is not None:
        # Not made of variables and events, which nobody may want to see.
        plain, core = system.plain, system.plain.core
        places = zip(plain.names, core.place_comments(), strict=True)
        events = zip(plain.titles, core.event_comments(), strict=True)
        return Folding(
            tuple(Folded(name, (name,), comment=comment) for name, comment in places),
            tuple(Folded(name, (name,), comment=comment) for name, comment in events),
        )
    return Folding(
        tuple(Folded(v.name, (v.name,), comment=v.comment) for v in system.variables),
        tuple(Folded(e.name, (e.title,), comment=e.comment) for e in system.events),
    )
