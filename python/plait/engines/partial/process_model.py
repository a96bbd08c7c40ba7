"""Process models: the events that a process may execute before anybody else moves.

After Vander Meulen (*Combining Partial Order Reduction with Symbolic Model Checking*, 2012,
sections 2.4 and 6.3.4), for every language with processes that have a location. All events of a
process at one location are *safe* when nothing that others can do meanwhile meets them: then the
enabled ones are a persistent set (C1), and if none of them writes what is observed, they may go
first. They are *linear* when no two of them are ever enabled together; then the reduced system is
not only stutter equivalent but visibly bisimilar, which branching time needs.

Why this is sound. Let some event of the process be enabled at its location, and others move. Up to
the first move that writes what one of the events here reads or writes, all of them stay as they
were; so that move is enabled together with an enabled one, which is refuted event by event. A move
that reads what an event here writes must not be enabled together with that event either.

Two rules decide what is looked at. `local`, the thesis's: an event is safe only if it touches
variables of its own process alone; whatever shares a location or the name of an action with an
event that is not safe is not safe either, to the end. `exact`: any variables, each location for
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from plait.engines.partial.joint_guards import JointGuards, equalities
from plait.model.expr import Formula
from plait.model.shape import Shape
from plait.model.stmt import Assign, Call, Fixpoint, Settle
from plait.model.types import ElementaryType, Event, Process
from plait.passes.usage import Cell, cells_of, usage_of
from plait.passes.walk import statements
from plait.records import dataclass

Rule = Literal["local", "exact"]
RULES: tuple[Rule, ...] = get_args(Rule)


@dataclass(frozen=True, slots=True)
class SafeProcess:
    """The safe events of a process, by their numbers in the flat model; at least one."""

    name: str
    events: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Touch:
    """Cells, and arrays of which any cell may be meant."""

    cells: frozenset[Cell]
    arrays: frozenset[str] = frozenset()

    def meets(self, other: _Touch) -> bool:
        """Whether one cell may be in both."""
        if self.cells & other.cells or self.arrays & other.arrays:
            return True
        return any(n in other.arrays for n, _ in self.cells) or any(
            n in self.arrays for n, _ in other.cells
        )

    def joined(self, other: _Touch) -> _Touch:
        """Both together."""
        return _Touch(self.cells | other.cells, self.arrays | other.arrays)

    @property
    def names(self) -> set[str]:
        """The variables."""
        return {n for n, _ in self.cells} | self.arrays


@dataclass(frozen=True, slots=True)
class _Part:
    """What an event may do, where its guard holds: it reads and writes so much."""

    guard: tuple[Formula, ...]
    reads: _Touch
    writes: _Touch


class ProcessModels:
    """The process models of one flat model."""

    def __init__(self, flat: ElementaryType, shape: Shape) -> None:
        self.flat = flat
        self.jointly = JointGuards(shape)
        self.answers: dict[str, list[Event]] = {}
        for event in flat.events:
            if event.label is not None:
                self.answers.setdefault(event.label.name, []).append(event)
        free = [(i, e) for i, e in enumerate(flat.events) if e.label is None]
        self.parts = {i: self._parts(e) for i, e in free}
        self.readers: dict[str, set[int]] = {}
        self.writers: dict[str, set[int]] = {}
        for i, parts in self.parts.items():
            for part in parts:
                for found, names in ((self.readers, part.reads), (self.writers, part.writes)):
                    for name in names.names:
                        found.setdefault(name, set()).add(i)

    def safe(
        self,
        observed: Iterable[str] = (),
        *,
        linear: bool,
        rule: Rule = "local",
        assume_linear: bool = False,
    ) -> list[SafeProcess]:
        """The safe events of each process that has some, in the order of the processes.

        `observed` are the variables that may not be changed. With `linear` only events of which at
        most one is enabled; `assume_linear` takes that for granted.
        """
        seen, found = frozenset(observed), []
        for process in self.flat.processes:
            places = self._places(process)
            good = {
                c for c, group in places.items() if self._is_safe(process, c, group, seen, rule)
            }
            if linear and not assume_linear:
                good = {c for c in good if self._is_linear(places[c])}
            if rule == "local":
                good = self._closed(places, good)
            events = sorted(i for c in good for i in places[c])
            if events:
                found.append(SafeProcess(process.name, tuple(events)))
        return found

    def conflicts(self) -> frozenset[tuple[int, int]]:
        """The pairs of events one of which touches what the other writes, the lesser first."""
        found = set()
        for a, mine in self.parts.items():
            names = {n for part in mine for n in part.writes.names}
            near = {d for n in names for d in (*self.readers.get(n, ()), *self.writers.get(n, ()))}
            for b in near - {a}:
                pairs = ((p, q) for p in mine for q in self.parts[b])
                if any(p.writes.meets(q.reads.joined(q.writes)) for p, q in pairs):
                    found.add((min(a, b), max(a, b)))
        return frozenset(found)

    # --- locations --------------------------------------------------------------------------------

    def _places(self, process: Process) -> dict[int, list[int]]:
        """The events of a process by their location; none when one has no location."""
        found: dict[int, list[int]] = {}
        for i, event in enumerate(self.flat.events):
            if event.process != process.name or event.label is not None:
                continue
            if process.pc is None:
                return {}
            location = equalities(event.guard).get((process.pc, None))
            if location is None:
                return {}
            found.setdefault(location, []).append(i)
        return found

    def _closed(self, places: dict[int, list[int]], good: set[int]) -> set[int]:
        """Without the locations that share an action with one that is not good, to the end."""
        while True:
            bad = {_action(self.flat.events[i]) for c in places if c not in good for i in places[c]}
            kept = {
                c for c in good if not any(_action(self.flat.events[i]) in bad for i in places[c])
            }
            if kept == good:
                return good
            good = kept

    def _is_linear(self, group: Sequence[int]) -> bool:
        """Whether no two events of a location are ever enabled together."""
        guards = [self.flat.events[i].guard for i in group]
        return not any(
            self.jointly.satisfiable((*a, *b)) for k, a in enumerate(guards) for b in guards[:k]
        )

    def _is_safe(
        self,
        process: Process,
        location: int,
        group: Sequence[int],
        seen: frozenset[str],
        rule: Rule,
    ) -> bool:
        """Whether the enabled events of a location are persistent, and not observed."""
        own = set(group)
        for i in group:
            event = self.flat.events[i]
            if event.idle or any(not isinstance(s, Assign) for s in statements(event.body)):
                return False
            (part,) = self.parts[i]
            if part.writes.names & seen:
                return False
            if rule == "local" and not self._is_local(process, event, part):
                return False
        if rule == "local" and self._is_shared(process, location, own):
            return False
        return not any(self._is_met(i, group, own) for i in group)

    def _is_met(self, i: int, group: Sequence[int], own: set[int]) -> bool:
        """Whether another event that may happen meanwhile meets one of a location."""
        (part,) = self.parts[i]
        touched = part.reads.joined(part.writes)
        near = {d for n in touched.names for d in self.writers.get(n, ())}
        near |= {d for n in part.writes.names for d in self.readers.get(n, ())}
        for d in near - own:
            for other in self.parts[d]:
                if other.writes.meets(touched):
                    # It may change whether and what this one does, while another one is enabled.
                    if any(self._together(other, self.parts[k][0]) for k in group):
                        return True
                elif other.reads.meets(part.writes) and self._together(other, part):
                    return True
        return False

    def _together(self, a: _Part, b: _Part) -> bool:
        return self.jointly.satisfiable((*a.guard, *b.guard))

    # --- the rule of the thesis -------------------------------------------------------------------

    def _is_local(self, process: Process, event: Event, part: _Part) -> bool:
        """Whether an event touches variables of its own process only.

        It may also ask a variable that nobody changes any more once it has the value asked for.
        """

        def is_own(name: str) -> bool:
            return name == process.pc or name.startswith(f"{process.name}.")

        if not all(map(is_own, part.writes.names)):
            return False
        asked = equalities(event.guard)
        foreign = [n for n in part.reads.names if not is_own(n)]
        return all(self._is_latched(n, asked.get((n, None))) for n in foreign)

    def _is_latched(self, name: str, value: int | None) -> bool:
        """Whether whoever writes a variable needs another value of it."""
        if value is None:
            return False
        for d in self.writers.get(name, ()):
            for part in self.parts[d]:
                if name in part.writes.names:
                    needed = equalities(part.guard).get((name, None))
                    if needed is None or needed == value:
                        return False
        return True

    def _is_shared(self, process: Process, location: int, own: set[int]) -> bool:
        """Whether an event of others takes the process along from a location."""
        if process.pc is None:
            return True
        for d in self.readers.get(process.pc, set()) - own:
            for part in self.parts[d]:
                if equalities(part.guard).get((process.pc, None)) == location:
                    return True
        return False

    # --- what events do ---------------------------------------------------------------------------

    def _parts(self, event: Event) -> tuple[_Part, ...]:
        """What an event itself does, and what each event does that it calls.

        A called event happens where its guard holds at that moment; that is a condition on the
        state before if nothing that the guard reads is written on the way.
        """
        body = list(statements(event.body))
        calls = [s.label for s in body if isinstance(s, Call)]
        answers = [a for label in dict.fromkeys(calls) for a in self.answers.get(label, ())]
        repeats = any(isinstance(s, Fixpoint | Settle) for s in body)
        if repeats or any(usage_of(a).called for a in answers):
            return (_Part(event.guard, *self._everything(event)),)
        own = _Part(event.guard, *_touched(event))
        found = [own]
        for a in answers:
            reads, writes = _touched(a)
            label = None if a.label is None else a.label.name
            before = own.writes
            for other in answers:
                same = other.label is not None and other.label.name == label
                if not same or calls.count(label or "") > 1:
                    before = before.joined(_touched(other)[1])
            cells, arrays = cells_of(a.guard)
            asked = _Touch(frozenset(cells), frozenset(arrays))
            guard = event.guard if asked.meets(before) else (*event.guard, *a.guard)
            found.append(_Part(guard, reads, writes))
        return tuple(found)

    def _everything(self, event: Event) -> tuple[_Touch, _Touch]:
        """All that an event and those it calls, and those they call, read and write."""
        reads = writes = _Touch(frozenset())
        waiting, seen = [event], {id(event)}
        while waiting:
            current = waiting.pop()
            read, written = _touched(current)
            reads, writes = reads.joined(read), writes.joined(written)
            for label in usage_of(current).called:
                for a in self.answers.get(label, ()):
                    if id(a) not in seen:
                        seen.add(id(a))
                        waiting.append(a)
        return reads, writes


def _touched(event: Event) -> tuple[_Touch, _Touch]:
    """What an event itself reads and writes."""
    usage = usage_of(event)
    return _Touch(usage.read, usage.read_somewhere), _Touch(usage.written, usage.written_somewhere)


def _action(event: Event) -> str:
    """The action of an event: several commands of one are numbered."""
    return event.title.partition("#")[0]


__all__ = ["RULES", "ProcessModels", "Rule", "SafeProcess"]
