"""A time Petri net as a model: clocks are variables, and a step of time is an event.

Each place becomes a variable, and each transition whose interval asks for one a clock: how long it
has been enabled, as far as that matters. Its event fires where the clock has come to the
interval's beginning; the event `elapse` lets one unit of time pass, where no enabled transition
is at the end of its interval. A transition `[0, 0]` needs no clock, it stops time; one without
beginning and end needs none either. (Thierry-Mieg: "From symbolic verification to domain specific
languages", 2016, section VI.2; discrete time reaches the markings that dense time reaches: Popova,
"On time Petri nets", 1991.)

The clock of a transition that is not enabled is 0: an event that may have disabled others looks
at them, and only at them, so that events stay local. A transition that fires starts anew. Which of
the others go on is what `Timing.clocks` says.

With essential states an event first lets time pass, as much as there may be, then fires: a fixpoint
of steps of time on sets of states (Popova).

Invariant: in every reachable state a clock is at most the last value that matters, and 0 where its
transition is not enabled.
"""

from __future__ import annotations

from collections.abc import Iterable

from plait.model.expr import Binary, Compare, Const, Formula, Not, Or, Var, conjunction
from plait.model.fresh import READABLE, FreshNames
from plait.model.shape import COUNTER
from plait.model.stmt import Abort, Assign, Body, Call, Fixpoint, If, Statement
from plait.model.types import (
    ELAPSE,
    Domain,
    ElementaryType,
    Event,
    Label,
    Model,
    Predicate,
    Variable,
)
from plait.time.net import TimedEvent, TimedNet, Way
from plait.time.timing import Timing

TIMELOCK = "timelock"
"""The predicate that only time passes, and for ever."""
LATER = "later"
"""The label of a step of time, or of none, where essential states are looked at."""


def as_model(net: TimedNet, timing: Timing | None = None) -> Model:
    """The closed model of a net: transitions with labels fire freely, too."""
    return Model(net.name, (as_type(net, timing, closed=True),), net.name)


def as_type(net: TimedNet, timing: Timing | None = None, *, closed: bool = False) -> ElementaryType:
    """The type of a net; its labels are those of transitions, unless it is `closed`, and
    `elapse`, which a composite calls on all of its parts at once (`Composite.timed`)."""
    return _Encoding(net, timing or Timing()).type(closed)


class _Encoding:
    """Makes the type of a net."""

    def __init__(self, net: TimedNet, timing: Timing) -> None:
        self._net = net
        self._timing = timing
        names = FreshNames(numbered=READABLE)
        self._places = [Var(names.fresh(p.name)) for p in net.places]
        self._names = FreshNames((ELAPSE, "wait"), numbered=READABLE)
        self._titles = [self._names.fresh(event.name) for event in net.events]
        self._clocks = [
            None if event.interval.clock is None else Var(names.fresh(f"{title}.clock"))
            for event, title in zip(net.events, self._titles, strict=True)
        ]
        self._ways = [event.ways() for event in net.events]
        self._enabled = [self._enabling(event) for event in range(len(net.events))]
        self._over: dict[int, list[int]] = {}
        """For each event those with a priority over it."""
        for high, low in net.priorities:
            self._over.setdefault(low, []).append(high)
        self._asking: dict[int, list[int]] = {}
        """For each place the events with a clock that ask for tokens there."""
        self._inhibited: dict[int, list[int]] = {}
        """For each place the events with a clock that ask for few tokens there."""
        for number, (event, ways) in enumerate(zip(net.events, self._ways, strict=True)):
            if self._clocks[number] is None:
                continue
            for place in {p for way in ways for p in way.tested}:
                self._asking.setdefault(place, []).append(number)
            for place in event.inhibitors:
                self._inhibited.setdefault(place, []).append(number)

    def type(self, closed: bool) -> ElementaryType:
        events = [e for number in range(len(self._net.events)) for e in self._fire(number, closed)]
        return ElementaryType(
            self._net.name,
            events=(*events, *self._time()),
            variables=tuple(self._variables()),
            predicates=(Predicate(TIMELOCK, condition=self._timelock()),),
            span=self._net.span,
        )

    def _variables(self) -> Iterable[Variable]:
        for place, variable in zip(self._net.places, self._places, strict=True):
            initial = (Const(place.initial),)
            yield Variable(variable.name, initial, domain=COUNTER, span=place.span)
        for event, clock in zip(self._net.events, self._clocks, strict=True):
            if clock is not None and event.interval.clock is not None:
                domain = Domain(0, event.interval.clock)
                yield Variable(clock.name, (Const(0),), domain=domain, span=event.span)

    # --- conditions -------------------------------------------------------------------------------

    def _marked(self, event: TimedEvent, way: Way) -> list[Formula]:
        """What the marking must be for the event to fire this way."""
        enough = (Compare(">=", self._places[p], Const(n)) for p, n in sorted(way.tested.items()))
        inhibitors = sorted(event.inhibitors.items())
        few = (Compare("<", self._places[p], Const(n)) for p, n in inhibitors)
        return [*enough, *few]

    def _enabling(self, number: int) -> Formula:
        event = self._net.events[number]
        return either([conjunction(self._marked(event, way)) for way in self._ways[number]])

    def _ripe(self, number: int) -> list[Formula]:
        """That an enabled event has waited long enough."""
        clock, earliest = self._clocks[number], self._net.events[number].interval.earliest
        return [] if clock is None or not earliest else [Compare(">=", clock, Const(earliest))]

    def _preferred(self, number: int) -> list[Formula]:
        """That nothing with a priority over the event can fire."""
        over = self._over.get(number, ())
        return [Not(conjunction([self._enabled[high], *self._ripe(high)])) for high in over]

    def _in_time(self) -> list[Formula]:
        """For each event with an end that it is not there yet."""
        found: list[Formula] = []
        for number, event in enumerate(self._net.events):
            latest, clock = event.interval.latest, self._clocks[number]
            if latest is None:
                continue
            enabled = self._enabled[number]
            if clock is not None:
                enabled = conjunction([enabled, Compare(">=", clock, Const(latest))])
            found.append(Not(enabled))
        return found

    def _running(self) -> list[tuple[int, Var, Formula]]:
        """Events with a clock, the clock, and when a step of time moves it."""
        return [
            (number, clock, conjunction([self._enabled[number], Compare("<", clock, Const(most))]))
            for number, (event, clock) in enumerate(
                zip(self._net.events, self._clocks, strict=True)
            )
            if clock is not None and (most := event.interval.clock) is not None
        ]

    def _timelock(self) -> Formula:
        fired = (Not(conjunction([e, *self._ripe(n)])) for n, e in enumerate(self._enabled))
        moved = (Not(moves) for _, _, moves in self._running())
        return conjunction([*fired, *self._in_time(), *moved])

    # --- events -----------------------------------------------------------------------------------

    def _fire(self, number: int, closed: bool) -> Iterable[Event]:
        event = self._net.events[number]
        label = None if closed or event.label is None else Label(event.label)
        essential = self._timing.steps == "essential"
        ways = self._ways[number]
        for i, way in enumerate(ways):
            guard = self._marked(event, way)
            due = [*self._ripe(number), *self._preferred(number)]
            body: list[Statement] = []
            if essential:
                body.append(Fixpoint((Call(LATER),)))
                body += [If(Not(condition), (Abort(),)) for condition in due]
            else:
                guard += due
            body += self._effect(number, way)
            title = self._titles[number]
            name = title if len(ways) == 1 else self._names.fresh(f"{title}.{i + 1}")
            yield Event(name, guard=tuple(guard), body=tuple(body), label=label, span=event.span)

    def _effect(self, number: int, way: Way) -> Body:
        emptied = self._net.events[number].emptied
        clock = self._clocks[number]
        start = [] if clock is None else [Assign(clock, Const(0))]
        if self._timing.clocks == "atomic":
            change = {p: way.put.get(p, 0) - way.taken.get(p, 0) for p in (*way.put, *way.taken)}
            lowered = {p for p, d in change.items() if d < 0} | emptied
            raised = {p for p, d in change.items() if d > 0}
            update = [self._emptied(p, way.put.get(p, 0)) for p in sorted(emptied)]
            update += [self._moved(p, d) for p, d in change.items() if d and p not in emptied]
            return (*update, *start, *self._checked(number, lowered, raised))
        taken = [self._moved(p, -n) for p, n in way.taken.items() if p not in emptied]
        taken += [self._emptied(p, 0) for p in sorted(emptied)]
        put = [self._moved(p, n) for p, n in way.put.items()]
        between = self._checked(number, {*way.taken, *emptied}, set())
        return (*taken, *start, *between, *put, *self._checked(number, set(), set(way.put)))

    def _moved(self, place: int, change: int) -> Assign:
        var, amount = self._places[place], Const(abs(change))
        return Assign(var, Binary("+" if change > 0 else "-", var, amount))

    def _emptied(self, place: int, left: int) -> Assign:
        return Assign(self._places[place], Const(left))

    def _checked(self, fired: int, lowered: set[int], raised: set[int]) -> list[Statement]:
        """Clocks of the other events that may have been disabled start anew."""
        others = {n for p in lowered for n in self._asking.get(p, ())}
        others |= {n for p in raised for n in self._inhibited.get(p, ())}
        return [
            If(Not(self._enabled[number]), (Assign(clock, Const(0)),))
            for number in sorted(others - {fired})
            if (clock := self._clocks[number]) is not None
        ]

    def _time(self) -> Iterable[Event]:
        """The step of time."""
        guard, running = tuple(self._in_time()), self._running()
        body = tuple(If(m, (Assign(c, Binary("+", c, Const(1))),)) for _, c, m in running)
        if self._timing.steps == "unit":
            yield Event(ELAPSE, guard=guard, body=body, label=Label(ELAPSE), span=self._net.span)
            return
        if running:
            yield Event(ELAPSE, guard=guard, body=body, label=Label(LATER), span=self._net.span)
        yield Event("wait", label=Label(LATER), span=self._net.span)


def either(conditions: list[Formula]) -> Formula:
    """Some of the conditions."""
    return conditions[0] if len(conditions) == 1 else Or(tuple(conditions))


__all__ = ["TIMELOCK", "as_model", "as_type"]
