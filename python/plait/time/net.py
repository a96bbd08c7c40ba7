"""A time Petri net: a net whose transitions fire no earlier and no later than an interval says.

A transition that has been enabled for a while may fire once it has been so for `earliest` units,
and time cannot go on beyond `latest` while it stays enabled (Merlin, Farber: "Recoverability of
communication protocols", 1976). `[0, 0]` is urgent; without `latest` nothing hurries it.

Arcs take and put tokens, ask for tokens without taking them, ask that there be fewer, or empty a
place. An arc may name several places: it takes from, or puts on, whichever of them (a hyper-arc),
so that a transition can fire in several ways; it has one clock all the same.

Invariant: places are numbers of `places`, weights are positive, and an interval is not empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Literal

from plait.errors import Diagnostic, Span, error
from plait.model.net import Net, NetEvent, Row
from plait.records import dataclass, field

ArcKind = Literal["in", "out", "test", "inhibitor", "reset"]


@dataclass(frozen=True, slots=True)
class TimedPlace:
    """A place and its first tokens; scripts that chain nets find it by its `label`."""

    name: str
    initial: int = 0
    span: Span | None = field(default=None, compare=False, repr=False)
    label: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Interval:
    """When a transition fires, counted from when it was enabled; both ends belong to it."""

    earliest: int = 0
    latest: int | None = None

    @property
    def clock(self) -> int | None:
        """The last value of the transition's clock that matters; none where it needs no clock."""
        most = self.earliest if self.latest is None else self.latest
        return most or None

    def __str__(self) -> str:
        return f"[{self.earliest},{'w[' if self.latest is None else f'{self.latest}]'}"


@dataclass(frozen=True, slots=True)
class TimedArc:
    """An arc of a transition; `places` are alternatives. A test asks for as many tokens as its
    weight, an inhibitor for fewer; a reset has no weight."""

    kind: ArcKind
    places: tuple[int, ...]
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a transition can fire."""

    taken: dict[int, int]
    put: dict[int, int]
    tested: dict[int, int]
    """For each place the tokens that must be there, those that are taken among them."""


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """A transition; with a `label` a composite may call it."""

    name: str
    interval: Interval
    arcs: tuple[TimedArc, ...] = ()
    label: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)

    def of(self, kind: ArcKind) -> Iterator[TimedArc]:
        """The arcs of a kind."""
        return (arc for arc in self.arcs if arc.kind == kind)

    def ways(self) -> list[Way]:
        """How it can fire, one way for each choice of its arcs' places."""
        found: list[Way] = []
        moving = [arc for arc in self.arcs if arc.kind in ("in", "out", "test")]
        for chosen in product(*(arc.places for arc in moving)):
            taken, put, asked = Counter[int](), Counter[int](), Counter[int]()
            for arc, place in zip(moving, chosen, strict=True):
                if arc.kind == "test":
                    asked[place] = max(asked[place], arc.weight)
                else:
                    (taken if arc.kind == "in" else put)[place] += arc.weight
            tested = {p: max(taken[p], asked[p]) for p in (*taken, *asked)}
            way = Way(dict(taken), dict(put), tested)
            if way not in found:
                found.append(way)
        return found

    @property
    def inhibitors(self) -> dict[int, int]:
        """For each place with an inhibitor arc the number of tokens that is too many."""
        found: dict[int, int] = {}
        for arc in self.of("inhibitor"):
            for place in arc.places:
                found[place] = min(arc.weight, found.get(place, arc.weight))
        return found

    @property
    def emptied(self) -> frozenset[int]:
        """The places that reset arcs empty."""
        return frozenset(place for arc in self.of("reset") for place in arc.places)


@dataclass(frozen=True, slots=True)
class TimedNet:
    """A time Petri net."""

    name: str
    places: tuple[TimedPlace, ...]
    events: tuple[TimedEvent, ...]
    priorities: tuple[tuple[int, int], ...] = ()
    """Pairs of transitions: the second does not fire where the first can."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for event in self.events:
            earliest, latest = event.interval.earliest, event.interval.latest
            if earliest < 0 or (latest is not None and latest < earliest):
                raise error(f"the interval of '{event.name}' is empty", event.span)


def untimed(net: Net) -> TimedNet:
    """A net without times as one whose transitions may take any time."""
    places = tuple(TimedPlace(p.name, p.initial, p.span) for p in net.places)
    return TimedNet(net.name, places, tuple(map(_untimed, net.events)))


def _untimed(event: NetEvent) -> TimedEvent:
    rows: tuple[tuple[ArcKind, Row], ...] = (
        ("in", event.pre),
        ("inhibitor", event.inhibitor),
        ("reset", tuple((p, 0) for p in event.reset)),
        ("out", event.post),
    )
    arcs = (TimedArc(kind, (p,), weight) for kind, row in rows for p, weight in row)
    return TimedEvent(event.display or event.name, Interval(), tuple(arcs), span=event.span)


__all__ = [
    "ArcKind",
    "Interval",
    "TimedArc",
    "TimedEvent",
    "TimedNet",
    "TimedPlace",
    "Way",
    "untimed",
]
