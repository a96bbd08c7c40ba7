"""Static ranges of the variables, by interval analysis.

An abstract interpretation of the flat model that keeps one interval for each variable (one for a
whole array). It starts from the initial values and executes, abstractly, only events whose guard
may hold, and labelled events only when such an event calls them; so it also finds events that no
reachable state enables. Guards narrow the intervals they are executed under. After a few growths a
bound jumps to the next constant that the model compares with or assigns (a threshold), and in the
end to that of the declared domain or of the 32-bit integers, so the analysis is fast and ends. What
was widened too far is then narrowed again: everything that can be assigned under the ranges found,
with the initial values, is again an answer, and a smaller one.

The intervals hold every value that a variable takes in a reachable state or in the middle of an
event.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable

from plait.model.arithmetic import INT_MAX, INT_MIN
from plait.model.expr import Formula
from plait.model.shape import shape_of
from plait.model.stmt import Abort, Assign, Body, Call, Fixpoint, If, Settle, Statement
from plait.model.types import ElementaryType, Model
from plait.model.watch import look
from plait.passes.intervals import Environment, Evaluated, Interval, Intervals, hull
from plait.passes.rewritten import flat_type
from plait.passes.usage import Usage, Usages, written_names
from plait.passes.walk import statements
from plait.records import dataclass

GROWTHS = 2
"""How often an interval may grow a little before its bounds jump to thresholds."""
JUMPS = 2
"""How often it may jump before its bounds go to the end."""
NARROWINGS = 3
"""How often everything is executed once more to narrow the ranges."""
CHANGE_LIMIT = 1_000_000
"""The total size up to which it is worked out what the call of each label changes."""


@dataclass(frozen=True, slots=True)
class Domains:
    """What the analysis found: a range for each variable, and which events may be executed."""

    ranges: dict[str, Interval]
    possible: frozenset[int]
    """Positions of the events that some reachable state may enable, or that may be called."""
    sizes: dict[str, int | None]
    """The size of each array, None for a scalar."""


def domains(model: Model) -> Domains:
    """Ranges for the variables of a flat model that hold in every reachable state."""
    return _Analysis(model, flat_type(model)).run()


class _Analysis:
    def __init__(self, model: Model, type_: ElementaryType) -> None:
        shape = shape_of(model)
        initial = shape.initial()
        self.sizes = {name: slot.size for name, slot in shape.variables.items()}
        self.declared = {name: slot.domain for name, slot in shape.variables.items()}
        self.ranges: Environment = {}
        for name, slot in shape.variables.items():
            cells = initial[slot.offset : slot.offset + (1 if slot.size is None else slot.size)]
            if cells:
                self.ranges[name] = (min(cells), max(cells))
        self.initial = dict(self.ranges)
        self.collected: Environment | None = None
        """While it is not None, assigned values are collected here and change nothing."""
        self.evaluated = Evaluated()
        self.events = type_.events
        usages = Usages()
        self.usages: list[Usage] = [usages.of(e) for e in self.events]
        self.readers: dict[str, list[int]] = {}
        self.answers: dict[str, list[int]] = {}
        for number, (event, usage) in enumerate(zip(self.events, self.usages, strict=True)):
            for name in usage.names:
                self.readers.setdefault(name, []).append(number)
            if event.label is not None:
                self.answers.setdefault(event.label.name, []).append(number)
        self.thresholds = _thresholds(self.usages)
        self.growths: dict[str, int] = {}
        self._start()
        self.written = _written_by_label(self.usages, self.answers)

    def run(self) -> Domains:
        """Execute abstractly until nothing changes, then narrow."""
        self._execute()
        widened = any(count > GROWTHS for count in self.growths.values())
        for _ in range(NARROWINGS if widened else 0):
            self.collected = dict(self.initial)
            self._start()
            self._execute()
            if self.collected == self.ranges:
                break
            self.ranges = self.collected
        return Domains(self.ranges, frozenset(self.possible), self.sizes)

    def _start(self) -> None:
        """Free events may be executed; others not before they are called."""
        self.wanted = {i for i, e in enumerate(self.events) if e.label is None}
        self.possible: set[int] = set()
        self.queue = deque(sorted(self.wanted))
        self.queued = set(self.queue)

    def _execute(self) -> None:
        while self.queue:
            look()
            number = self.queue.popleft()
            self.queued.discard(number)
            event = self.events[number]
            local = self._within().assume(event.guard)
            if local is not None:
                self.possible.add(number)
                self._body(event.body, local)

    def _enqueue(self, number: int) -> None:
        if number not in self.queued and number in self.wanted:
            self.queued.add(number)
            self.queue.append(number)

    def _within(self, local: Environment | None = None) -> Intervals:
        """Evaluates where this is known locally."""
        return Intervals(self.ranges, self.sizes, local, self.evaluated)

    # --- statements -------------------------------------------------------------------------------

    def _body(self, body: Body, local: Environment) -> Environment | None:
        """What is known locally afterwards, `local` itself; None when nothing can go on."""
        for statement in body:
            after = self._statement(statement, local)
            if after is None:
                return None
            local = after
        return local

    def _statement(self, statement: Statement, local: Environment) -> Environment | None:
        match statement:
            case Assign():
                return self._assign(statement, local)
            case If(condition=condition, then=then, otherwise=otherwise):
                return self._if(condition, then, otherwise, local)
            case Call(label=label):
                self._want(label)
                return self._forget(local, self.written.get(label, ()))
            case Settle(condition=condition, label=label):
                if self._within(local).may_hold(condition):
                    self._want(label)
                    return self._forget(local, self.written.get(label, ()))
                return local
            case Fixpoint(body=block):
                changed = set(written_names(block))
                for inner in statements(block):
                    if isinstance(inner, Call | Settle):
                        changed |= self.written.get(inner.label, set())
                local = self._forget(local, changed)
                self._body(block, dict(local))
                return self._forget(local, changed)
            case Abort():
                return None
            case _:
                raise ValueError(f"no statement of a flat model: {type(statement).__name__}")

    def _assign(self, statement: Assign, local: Environment) -> Environment | None:
        known = self._within(local)
        value = known.integer(statement.value)
        name = statement.target.name
        size = self.sizes[name]
        if value is None or (size is not None and not known.in_range(statement.target)):
            return None
        domain = self.declared[name]
        if domain is not None:
            value = (max(value[0], domain.low), min(value[1], domain.high))
            if value[0] > value[1]:
                return None
        self._grow(name, value)
        # What is known locally of an array is what is known of it everywhere.
        if size is not None:
            return self._forget(local, (name,))
        local[name] = value
        return local

    def _if(
        self, condition: Formula, then: Body, otherwise: Body, local: Environment
    ) -> Environment | None:
        known = self._within(local)
        chosen, refused = known.assume((condition,)), known.deny(condition)
        ends = [
            self._body(branch, assumed)
            for branch, assumed in ((then, chosen), (otherwise, refused))
            if assumed is not None
        ]
        reached = [e for e in ends if e is not None]
        if not reached:
            return None
        if len(reached) == 1:
            return reached[0]
        first, second = reached
        return {n: hull(first[n], second[n]) for n in first.keys() & second.keys()}

    def _forget(self, local: Environment, names: Iterable[str]) -> Environment:
        """What is known locally without these variables."""
        gone = set(names)
        if gone.isdisjoint(local):
            return local
        return {n: i for n, i in local.items() if n not in gone}

    def _want(self, label: str) -> None:
        """Events of the label may be executed from now on."""
        for number in self.answers.get(label, ()):
            if number not in self.wanted:
                self.wanted.add(number)
                self._enqueue(number)

    # --- growth -----------------------------------------------------------------------------------

    def _grow(self, name: str, value: Interval) -> None:
        if self.collected is not None:
            self.collected[name] = hull(self.collected[name], value)
            return
        old = self.ranges[name]
        new = hull(old, value)
        if new == old:
            return
        count = self.growths[name] = self.growths.get(name, 0) + 1
        if count > GROWTHS:
            new = self._widen(name, old, new, count)
        self.ranges[name] = new
        for number in self.readers.get(name, ()):
            self._enqueue(number)

    def _widen(self, name: str, old: Interval, new: Interval, count: int) -> Interval:
        """The bounds that grew move on to a threshold, after many growths to the end."""
        domain = self.declared[name]
        least, most = (INT_MIN, INT_MAX) if domain is None else (domain.low, domain.high)
        low, high = new
        if low < old[0]:
            jump = self.thresholds[bisect_right(self.thresholds, low) - 1]
            low = max(jump, min(least, low)) if count <= GROWTHS + JUMPS else min(least, low)
        if high > old[1]:
            jump = self.thresholds[bisect_left(self.thresholds, high)]
            high = min(jump, max(most, high)) if count <= GROWTHS + JUMPS else max(most, high)
        return low, high


def _thresholds(usages: Iterable[Usage]) -> list[int]:
    """The constants of the model and their neighbours, and the ends of the integers."""
    constants = {c for u in usages for c in u.constants}
    near = {c + d for c in constants for d in (-1, 0, 1)}
    return sorted({INT_MIN, INT_MAX, *(v for v in near if INT_MIN <= v <= INT_MAX)})


def _written_by_label(usages: list[Usage], answers: dict[str, list[int]]) -> dict[str, set[str]]:
    """The variables that a call of each label may change, further calls included.

    Where that is too much to work out, every call may change what any called event changes.
    """
    changes: dict[str, set[str]] = {}
    calls: dict[str, set[str]] = {}
    for label, numbers in answers.items():
        changes[label] = {n for i in numbers for n in usages[i].written_names}
        calls[label] = {c for i in numbers for c in usages[i].called}
    everything: set[str] = set().union(*changes.values())
    size = 0
    for label in _callees_first(calls):
        for other in calls[label]:
            changes[label] |= changes.get(other, set())
        size += len(changes[label])
        if size > CHANGE_LIMIT:
            return dict.fromkeys(answers, everything)
    return changes


def _callees_first(calls: dict[str, set[str]]) -> list[str]:
    order: list[str] = []
    done: set[str] = set()
    for root in calls:
        stack = [(root, False)]
        while stack:
            label, expanded = stack.pop()
            if expanded:
                order.append(label)
            elif label not in done and label in calls:
                done.add(label)
                stack.append((label, True))
                stack.extend((c, False) for c in calls[label] if c not in done)
    return order
