"""A net put together piece by piece, for readers of text: places, events, arcs, and capacities.

Arcs of an event to one place add up; of inhibitor arcs the strictest counts. A place with a
capacity never holds more: an event that would put too many there is not enabled, which is an
inhibitor arc of what may be there before.
"""

from __future__ import annotations

from plait.errors import Span, error
from plait.model.arithmetic import INT_MAX
from plait.model.net import Effect, EventComposer
from plait.model.shape import COUNTER
from plait.model.types import ElementaryType, Event, Model, Unit, Units, Variable
from plait.records import dataclass, field

ROOT = "net"
"""The name of the unit that has all others below it."""


@dataclass(slots=True, eq=False)
class _Place:
    name: str
    initial: int
    capacity: int | None
    span: Span


@dataclass(slots=True, eq=False)
class _Event:
    name: str
    span: Span
    effects: dict[int, Effect] = field(default_factory=dict)


class NetPieces:
    """The pieces of a net so far; places and events are known by their numbers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: list[_Place] = []
        self._events: list[_Event] = []
        self._modules: dict[str, list[str]] = {}

    def place(self, name: str, span: Span, initial: int = 0, capacity: int | None = None) -> int:
        """A new place; its number."""
        if capacity is not None and initial > capacity:
            raise error(f"'{name}' begins with {initial} tokens and has room for {capacity}", span)
        self._places.append(_Place(name, initial, capacity, span))
        return len(self._places) - 1

    def event(self, name: str, span: Span) -> int:
        """A new event; its number."""
        self._events.append(_Event(name, span))
        return len(self._events) - 1

    def module(self, name: str, place: str) -> None:
        """Put a place into a module."""
        self._modules.setdefault(name, []).append(place)

    def take(self, event: int, place: int, weight: int, span: Span) -> None:
        """An arc from the place to the event."""
        effect = self._effect(event, place, span)
        effect.taken = _weight(effect.taken + weight, span)

    def put(self, event: int, place: int, weight: int, span: Span) -> None:
        """An arc from the event to the place."""
        effect = self._effect(event, place, span)
        effect.put = _weight(effect.put + weight, span)

    def inhibit(self, event: int, place: int, weight: int, span: Span) -> None:
        """The event needs fewer tokens than this."""
        if weight == 0:
            raise error("an inhibitor arc of weight 0 never lets anything happen", span)
        effect = self._effect(event, place, span)
        effect.below = weight if effect.below is None else min(effect.below, weight)

    def reset(self, event: int, place: int, span: Span) -> None:
        """The event empties the place."""
        self._effect(event, place, span).reset = True

    def model(self) -> Model:
        """The net as a model, its modules as units."""
        compose = EventComposer([p.name for p in self._places])
        events = tuple(self._composed(compose, e) for e in self._events)
        variables = tuple(
            Variable(p.name, (compose.constant(p.initial),), domain=COUNTER, span=p.span)
            for p in self._places
        )
        units = self._units() if self._modules else None
        system = ElementaryType(self.name, events=events, variables=variables, units=units)
        return Model(self.name, (system,), self.name)

    def _units(self) -> Units:
        """The modules below a unit that has the places without one."""
        root = ROOT
        while root in self._modules:
            root += "_"
        inside = {place for places in self._modules.values() for place in places}
        rest = tuple(p.name for p in self._places if p.name not in inside)
        parts = tuple(Unit(name, tuple(places)) for name, places in self._modules.items())
        return Units(root, (Unit(root, rest, tuple(self._modules)), *parts))

    def _effect(self, event: int, place: int, span: Span) -> Effect:
        return self._events[event].effects.setdefault(place, Effect(span))

    def _composed(self, compose: EventComposer, event: _Event) -> Event:
        for number, effect in event.effects.items():
            place = self._places[number]
            if place.capacity is not None:
                _respect(effect, place.capacity, f"'{event.name}'", f"'{place.name}'")
        return compose.event(event.name, sorted(event.effects.items()), event.span)


def _respect(effect: Effect, capacity: int, event: str, place: str) -> None:
    """Let an event wait until there is room for what it puts on a place."""
    added = effect.put if effect.reset else effect.put - effect.taken
    if added > capacity:
        told = f"{event} never happens: it puts {added} tokens on {place}, which holds {capacity}"
        raise error(told, effect.span)
    if added > 0 and not effect.reset:
        room = capacity - added + 1
        effect.below = room if effect.below is None else min(effect.below, room)


def _weight(weight: int, span: Span) -> int:
    if weight > INT_MAX:
        raise error(f"the arcs add up to {weight} tokens, which do not fit in 32 bits", span)
    return weight


__all__ = ["NetPieces"]
