"""A time Petri net put together piece by piece, as its descriptions come in a file.

Places and transitions are made when they are first named, and described when their own description
comes; arcs are added to those that are there. Strict ends of intervals are moved to the next
integer, with a warning: time is discrete here, and there is no instant between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait.errors import Diagnostic, Span, error
from plait.model.arithmetic import INT_MAX
from plait.records import dataclass, field, replace
from plait.time.net import ArcKind, Interval, TimedArc, TimedEvent, TimedNet, TimedPlace


@dataclass
class _Transition:
    name: str
    interval: Interval | None = None
    label: str | None = None
    arcs: list[TimedArc] = field(default_factory=list)
    span: Span | None = None


class Gather:
    """The pieces of a net."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.warnings: list[Diagnostic] = []
        self._places: dict[str, TimedPlace] = {}
        self._numbers: dict[str, int] = {}
        self._events: dict[str, _Transition] = {}
        self._order: dict[str, int] = {}
        self._priorities: list[tuple[str, str]] = []

    def place(
        self, key: str, span: Span | None, initial: int | None = None, name: str | None = None
    ) -> int:
        """The number of a place; with `initial` it is described."""
        known = self._places.get(key)
        if key in self._events:
            raise error(f"'{key}' is a transition already", span)
        if known is None:
            self._numbers[key] = len(self._places)
            self._places[key] = TimedPlace(name or key, initial or 0, span)
        elif initial is not None:
            self._places[key] = TimedPlace(name or known.name, initial, span, known.label)
        return self._numbers[key]

    def label_place(self, key: str, label: str) -> None:
        """Give a place that is there a label."""
        self._places[key] = replace(self._places[key], label=label)

    def relabel(self, labels: Mapping[str, str | None]) -> None:
        """Change labels of places and transitions, all at once; None takes one away."""
        for key, place in self._places.items():
            if place.label is not None and place.label in labels:
                self._places[key] = replace(place, label=labels[place.label])
        for event in self._events.values():
            if event.label is not None and event.label in labels:
                event.label = labels[event.label]

    def event(self, key: str, span: Span | None) -> None:
        """Make a transition, if there is none of that key yet."""
        if key in self._places:
            raise error(f"'{key}' is a place already", span)
        if key not in self._events:
            self._order[key] = len(self._events)
            self._events[key] = _Transition(key, span=span)

    def is_place(self, key: str) -> bool:
        """Whether a place of that key is there."""
        return key in self._places

    def is_event(self, key: str) -> bool:
        """Whether a transition of that key is there."""
        return key in self._events

    def describe(
        self,
        key: str,
        interval: Interval | None = None,
        label: str | None = None,
        name: str | None = None,
    ) -> None:
        """What is said of a transition that is there."""
        event = self._events[key]
        event.name = name or event.name
        event.interval = interval or event.interval
        event.label = label or event.label

    def arc(self, key: str, kind: ArcKind, place: int, weight: int, span: Span | None) -> None:
        """An arc of a transition that is there; one of weight 0 does nothing."""
        if not 0 <= weight <= INT_MAX:
            raise error(f"{weight} is not the weight of an arc", span)
        if kind == "inhibitor" and weight == 0:
            raise error("an inhibitor arc of weight 0 never lets anything happen", span)
        if weight or kind == "reset":
            self._events[key].arcs.append(TimedArc(kind, (place,), weight))

    def priority(self, high: str, low: str) -> None:
        """The second does not fire where the first can."""
        self._priorities.append((high, low))

    def interval(
        self, earliest: int, latest: int | None, strict: tuple[bool, bool], span: Span | None
    ) -> Interval:
        """An interval whose ends may be strict."""
        first = earliest + strict[0]
        last = latest if latest is None else latest - strict[1]
        if last is not None and last < first:
            raise error("nothing lies in this interval of discrete time", span)
        if max(first, last or 0) > INT_MAX:
            raise error(f"times end at {INT_MAX}", span)
        found = Interval(first, last)
        if strict[0] or (strict[1] and latest is not None):
            told = f"time is discrete: the strict bounds are read as {found}"
            self.warnings.append(Diagnostic(told, span, severity="warning"))
        return found

    def net(self, span: Span | None = None) -> TimedNet:
        """The net."""
        events = tuple(
            TimedEvent(e.name, e.interval or Interval(), tuple(e.arcs), e.label, e.span)
            for e in self._events.values()
        )
        order = self._order
        priorities = tuple((order[high], order[low]) for high, low in self._priorities)
        return TimedNet(
            self.name,
            tuple(self._places.values()),
            events,
            _closed(priorities, events),
            tuple(self.warnings),
            span,
        )


def _closed(
    pairs: tuple[tuple[int, int], ...], events: Sequence[TimedEvent]
) -> tuple[tuple[int, int], ...]:
    """Priorities with all that follow from them: the relation is transitive, and without cycles."""
    below: dict[int, set[int]] = {}
    for high, low in pairs:
        below.setdefault(high, set()).add(low)
    found: set[tuple[int, int]] = set()
    for high, direct in below.items():
        stack = list(direct)
        while stack:
            low = stack.pop()
            if low == high:
                event = events[high]
                raise error(f"'{event.name}' has priority over itself", event.span)
            if (high, low) not in found:
                found.add((high, low))
                stack.extend(below.get(low, ()))
    return tuple(sorted(found))


__all__ = ["Gather"]
