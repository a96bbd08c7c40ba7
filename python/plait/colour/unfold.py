"""Unfolding: a coloured net as a place/transition net with one place for each colour.

Only what may matter is unfolded. The colours that a place may ever hold are over-approximated by a
least fixpoint that ignores how many tokens there are and never takes one away: a colour is possible
when it is marked initially or put by a possible binding, and a binding is possible when its guard
holds and all that it takes is possible. A place that no event changes is decided beforehand: a
binding that asks it for more than it holds never happens, and otherwise need not ask.
(Compare Bilgram, Jensen, Pedersen, Srba, Taankvist: "Methods for Efficient Unfolding of Colored
Petri Nets", 2022.)

Each colour enters the fixpoint once and looks for the bindings that need it, so every binding is
found a constant number of times.

The result has exactly the reachable markings of the coloured net; places that can never be marked
are left out. Place `p` with colour (a, b) is called `p_a_b`, event `t` with that binding is
displayed as `t(a, b)`, and `Folded` tells property files which of them belong together.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from math import prod

from plait.colour.bindings import Join, Relation
from plait.colour.net import (
    DOT,
    Bag,
    Colour,
    ColouredArc,
    ColouredEvent,
    ColouredNet,
    ColouredPlace,
    Every,
)
from plait.errors import Diagnostic, InputError, Span, error
from plait.model.arithmetic import INT_MAX
from plait.model.fresh import READABLE, FreshNames
from plait.model.net import Effect, EventComposer
from plait.model.rewritten import without_collection
from plait.model.shape import COUNTER
from plait.model.types import ElementaryType, Event, Folded, Folding, Model, Variable

BINDING_LIMIT = 200_000
"""The most events."""
ARC_LIMIT = 3_000_000
"""The most arcs of all events."""
PLACE_LIMIT = 1_000_000
"""The most places."""
TRIAL_LIMIT = 10_000_000
"""The most candidates that are tried in the search for bindings."""


class TooLarge(InputError):  # noqa: N818 - a limit, no mistake
    """What a coloured net would become exceeds a limit."""


@dataclass(slots=True)
class _Counts:
    """What has been spent of the limits."""

    trials: int = 0
    bindings: int = 0
    arcs: int = 0
    colours: int = 0


@dataclass(slots=True)
class Unfolding:
    """The possible colours of the places and the possible bindings of the events."""

    net: ColouredNet
    relations: list[Relation] = field(init=False)
    bindings: list[set[tuple[int, ...]]] = field(init=False)
    constant: frozenset[int] = field(init=False)
    _counts: _Counts = field(default_factory=_Counts)
    _names: list[list[str]] = field(init=False)
    _waiting: deque[tuple[int, Colour]] = field(default_factory=deque)
    _seen: list[set[Colour]] = field(init=False)

    def __post_init__(self) -> None:
        net = self.net
        self.relations = [Relation() for _ in net.places]
        self.bindings = [set() for _ in net.events]
        self._names = [[v for v, _ in e.variables] for e in net.events]
        self._seen = [set() for _ in net.places]
        self.constant = net.constant_places()
        self._close()

    # --- the fixpoint -----------------------------------------------------------------------------

    def _close(self) -> None:
        joins = [Join(e, self.relations, self._trial) for e in self.net.events]
        users: list[list[tuple[int, int]]] = [[] for _ in self.net.places]
        for number, join in enumerate(joins):
            for position, pattern in enumerate(join.patterns):
                users[pattern.place].append((number, position))
        # Constant places are complete from the start: they start no search, they only answer.
        for p, place in enumerate(self.net.places):
            for colour in place.initial:
                if p in self.constant:
                    self._seen[p].add(colour)
                    self.relations[p].add(colour)
                else:
                    self._possible(p, colour)
        for number, join in enumerate(joins):
            if all(p.place in self.constant for p in join.patterns):
                for values in join.bindings():
                    self._found(number, values)
        while self._waiting:
            p, colour = self._waiting.popleft()
            self.relations[p].add(colour)
            for number, position in users[p]:
                for values in joins[number].bindings(position, colour):
                    self._found(number, values)

    def _possible(self, place: int, colour: Colour) -> None:
        if colour not in self._seen[place]:
            self._counts.colours += 1
            if self._counts.colours > PLACE_LIMIT:
                raise too_large(f"more than {PLACE_LIMIT} places", self.net.places[place].span)
            self._seen[place].add(colour)
            self._waiting.append((place, colour))

    def _trial(self) -> None:
        self._counts.trials += 1
        if self._counts.trials > TRIAL_LIMIT:
            raise too_large(f"more than {TRIAL_LIMIT} candidates for bindings", self.net.span)

    def _found(self, number: int, values: dict[str, int]) -> None:
        event = self.net.events[number]
        binding = tuple(values[v] for v in self._names[number])
        if binding in self.bindings[number]:
            return
        self.bindings[number].add(binding)
        self._counts.bindings += 1
        if self._counts.bindings > BINDING_LIMIT:
            raise too_large(f"more than {BINDING_LIMIT} events", event.span)
        self._counts.arcs += sum(_width(a.bag) for a in event.arcs)
        if self._counts.arcs > ARC_LIMIT:
            raise too_large(f"more than {ARC_LIMIT} arcs", event.span)
        for arc in event.arcs:
            if arc.kind == "out" and arc.place not in self.constant:
                for colour in arc.bag.colours(values, self.net.places[arc.place].sort):
                    self._possible(arc.place, colour)

    def colours(self, place: int) -> set[Colour]:
        """The possible colours of a place."""
        return self._seen[place]

    # --- the net ----------------------------------------------------------------------------------

    def model(self) -> Model:
        """The unfolded net."""
        net = self.net
        index: dict[tuple[int, Colour], int] = {}
        names = FreshNames(numbered=READABLE)
        folded: list[Folded] = []
        for p, place in enumerate(net.places):
            own = []
            for colour in sorted(self._seen[p]):
                index[p, colour] = len(index)
                own.append(names.fresh("_".join((place.name, *_shown(place, colour)))))
            folded.append(Folded(place.name, tuple(own), span=place.span, comment=place.comment))
        cells = [name for f in folded for name in f.parts]
        compose = EventComposer(cells)
        variables = tuple(
            Variable(
                name,
                (compose.constant(net.places[p].initial.get(colour, 0)),),
                domain=COUNTER,
                span=net.places[p].span,
            )
            for name, (p, colour) in zip(cells, index, strict=True)
        )
        events, transitions = self._events(index, compose)
        system = ElementaryType(
            net.name,
            events=events,
            variables=variables,
            folding=Folding(tuple(folded), transitions),
            span=net.span,
        )
        return Model(net.name, (system,), net.name)

    def _events(
        self, index: dict[tuple[int, Colour], int], compose: EventComposer
    ) -> tuple[tuple[Event, ...], tuple[Folded, ...]]:
        names = FreshNames(numbered=READABLE)
        events: list[Event] = []
        folded: list[Folded] = []
        for number, coloured in enumerate(self.net.events):
            before = len(events)
            sorts = [sort for _, sort in coloured.variables]
            for binding in sorted(self.bindings[number]):
                effects = self._effects(coloured, number, binding, index)
                if effects is None:
                    continue
                shown = [s.colour(v) for s, v in zip(sorts, binding, strict=True)]
                event = compose.event(
                    names.fresh("_".join((coloured.name, *shown))),
                    sorted(effects.items()),
                    coloured.span,
                )
                display = f"{coloured.name}({', '.join(shown)})" if shown else coloured.name
                events.append(replace(event, display=display))
            alive = (coloured.name,) if len(events) > before else ()
            folded.append(
                Folded(coloured.name, alive, span=coloured.span, comment=coloured.comment)
            )
        return tuple(events), tuple(folded)

    def _effects(
        self,
        event: ColouredEvent,
        number: int,
        binding: tuple[int, ...],
        index: dict[tuple[int, Colour], int],
    ) -> dict[int, Effect] | None:
        """What one binding does to the places; None when it can never happen."""
        values = dict(zip(self._names[number], binding, strict=True))
        effects: dict[int, Effect] = {}
        asked: dict[tuple[int, Colour], int] = {}
        for arc in event.arcs:
            constant = arc.place in self.constant
            place = self.net.places[arc.place]
            for colour, count in arc.bag.colours(values, place.sort).items():
                key = (arc.place, colour)
                if constant:
                    asked[key] = asked.get(key, 0) + (count if arc.kind == "in" else 0)
                    if arc.kind == "inhibitor" and place.initial.get(colour, 0) >= count:
                        return None
                elif key in index:
                    _add(effects.setdefault(index[key], Effect(arc.span)), arc, count)
                elif arc.kind == "in":
                    return None
        for (p, colour), count in asked.items():
            if self.net.places[p].initial.get(colour, 0) < count:
                return None
        return effects


def unfold(net: ColouredNet) -> Model:
    """The net without colours; `TooLarge` when a limit is exceeded."""
    with without_collection():
        return Unfolding(net).model()


def _add(effect: Effect, arc: ColouredArc, count: int) -> None:
    match arc.kind:
        case "in":
            effect.taken += count
        case "out":
            effect.put += count
        case "inhibitor":
            effect.below = count if effect.below is None else min(effect.below, count)
    if effect.taken > INT_MAX or effect.put > INT_MAX:
        raise error(f"parallel arcs add up to more than {INT_MAX}", arc.span)


def _shown(place: ColouredPlace, colour: Colour) -> list[str]:
    """The names of the components of a colour, without dots."""
    return [s.colour(c) for s, c in zip(place.sort, colour, strict=True) if s is not DOT]


def _width(bag: Bag) -> int:
    """How many colours the bag has at most."""
    width = 0
    for summand in bag:
        width += prod(t.size for t in summand.terms if isinstance(t, Every))
    return width


def too_large(what: str, span: Span | None) -> TooLarge:
    """The error that ends a translation."""
    return TooLarge(Diagnostic(f"the coloured net is too large here: {what}", span))
