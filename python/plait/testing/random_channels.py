"""Random systems of processes that talk over channels: program counters, queues, rendezvous."""

from __future__ import annotations

from plait.model.expr import Compare, Const, Formula, Var
from plait.model.stmt import Assign, Bind, Match, Pattern, Receive, Send, Skip, Statement
from plait.model.types import Channel, Domain, Event, Parameter, Process, Variable
from plait.records import replace
from plait.testing.choices import Choices
from plait.testing.mix import Mix
from plait.testing.random_composites import Written, written
from plait.testing.random_elementary import (
    Draft,
    EventWriter,
    RangeInfo,
    add_constants,
    add_variable,
    draft,
    finished,
)
from plait.testing.random_expressions import Expressions, Named, Place, Queue


def channel_system(choices: Choices, mix: Mix, name: str, ranges: list[RangeInfo]) -> Written:
    """Two or three processes, channels between them, and an event or two for each location."""
    c = choices
    made = draft(c, mix, [], ranges)
    add_constants(made)
    for _ in range(c.integer(1, 2)):
        add_variable(made, 1)
    channels = tuple(_channel(made, f"ch{i}") for i in range(c.integer(1, 2)))
    processes: list[Process] = []
    counters: list[Place] = []
    for number in range(c.integer(2, 3)):
        locations = c.integer(2, 3)
        process, pc = f"proc{number}", f"pc{number}"
        made.variables.append(Variable(pc, (Const(0),), None, Domain(0, locations - 1)))
        counters.append(Place(pc, 0, locations - 1))
        titles = tuple(f"l{i}" for i in range(locations))
        processes.append(Process(process, pc=pc, locations=titles))
        _ProcessWriter(made, process, pc, locations).write()
    type_ = replace(finished(made, name), channels=channels, processes=tuple(processes))
    # Properties look at the counters too, but only a process moves its own.
    made.places.extend(counters)
    return written(type_, made)


def _channel(made: Draft, name: str) -> Channel:
    c = made.choices
    capacity = c.weighted([(4, 0), (5, 1), (4, 2), (1, 3)])
    fields = tuple((0, c.integer(0, 2)) for _ in range(c.weighted([(1, 0), (6, 1), (2, 2)])))
    size = c.integer(1, 2) if c.chance(25) else None
    made.queues.append(Queue(name, capacity, fields, size))
    declared = tuple(Domain(b, b + s) if c.chance(made.mix.domains) else None for b, s in fields)
    return Channel(name, capacity, declared, None if size is None else Const(size))


class _ProcessWriter:
    """Writes the events of one process, each from one location to another."""

    def __init__(self, made: Draft, name: str, pc: str, locations: int) -> None:
        self.made = made
        self.choices = made.choices
        self.name = name
        self.pc = pc
        self.locations = locations

    def write(self) -> None:
        """One or two events from every location; rarely none, so that it ends there."""
        c = self.choices
        for location in range(self.locations):
            for _ in range(c.weighted([(3, 1), (6, 2), (2, 3)])):
                self.made.events.append(self._event(location))

    def _event(self, location: int) -> Event:
        c = self.choices
        parameters: tuple[Parameter, ...] = ()
        bound: list[Named] = []
        if self.made.known_ranges and c.chance(self.made.mix.parameters // 2):
            r = c.pick(self.made.known_ranges)
            parameters = (Parameter("p0", range=r.name),)
            bound = [Named("p0", r.low, r.high)]
        scope = self.made.scope(*bound)
        e = Expressions(c, scope)
        body: list[Statement] = [self._operation(e) if c.chance(55) else self._plain(e)]
        if c.chance(30):
            body.append(self._later(e))
        if c.chance(95):
            target = (location + c.integer(1, 2)) % self.locations
            body.append(Assign(Var(self.pc), Const(target)))
        here: list[Formula] = [Compare("==", Var(self.pc), Const(location))]
        if c.chance(12):
            here.append(e.atom(1))
        title = f"{self.name}_{location}_{len(self.made.events)}e"
        return Event(title, tuple(here), tuple(body), parameters, process=self.name)

    def _plain(self, e: Expressions) -> Statement:
        return EventWriter(self.made).assign(e)

    def _later(self, e: Expressions) -> Statement:
        """A second statement; a rendezvous must be the first, so only stored channels here."""
        stored = [q for q in e.scope.queues if q.capacity > 0]
        if stored and self.choices.chance(50):
            return self._operate(e, self.choices.pick(stored))
        return self._plain(e)

    def _operation(self, e: Expressions) -> Statement:
        return self._operate(e, self.choices.pick(e.scope.queues))

    def _operate(self, e: Expressions, queue: Queue) -> Statement:
        c = self.choices
        hop = e.queue_hop(queue)
        if c.chance(50):
            values = tuple(e.value(b, s, 2) for b, s in queue.fields)
            return Send(hop, values, ordered=queue.capacity > 1 and c.chance(30))
        patterns = tuple(self._pattern(e, b, s) for b, s in queue.fields)
        if queue.capacity == 0:
            return Receive(hop, patterns)
        return Receive(hop, patterns, anywhere=c.chance(25), keep=c.chance(10))

    def _pattern(self, e: Expressions, base: int, span: int) -> Pattern:
        c = self.choices
        targets = [p for p in e.scope.places if _holds(p, base, span)]
        if targets and c.chance(50):
            return Bind(e.read(c.pick(targets)))
        return Match(e.value(base, span, 1)) if c.chance(50) else Skip()


def _holds(place: Place, base: int, span: int) -> bool:
    """Whether the values base..base+span are among those the place is meant to take."""
    return place.base <= base and base + span <= place.base + place.span
