"""The places inside atomic blocks: what is known there, and which events can follow.

A *place* is what is known of the variables in the middle of a block, where the state is transient:
constants that the events of the block have stored, first of all the program counter. The events of
the settling label whose guards agree with a place *follow* there, and each leads to another place,
to the end of the block, or to where the constants do not tell whether it ends.

The values of the constants between events are collected too, by the same walk; and the events that
are executed in the initial state only, about which everything is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from plait.model.expr import FALSE, TRUE, Compare, Const, Formula, Or, Var
from plait.model.stmt import Assign, Bind, Call, Receive, Settle, Statement
from plait.model.types import ElementaryType, Event, Variable
from plait.model.watch import look
from plait.passes.folding import Folder
from plait.passes.junctions import together
from plait.passes.walk import called, map_expressions, reads, statements, variables_of
from plait.records import dataclass

Values = Mapping[str, int]
Place = tuple[tuple[str, int], ...]
"""What is known of the variables in the middle of a block."""

MOST_PLACES = 8
"""With more places than this for each event of the label, the component is left as it is."""


def last(event: Event) -> Settle | None:
    """The statement with which an event ends."""
    last = event.body[-1] if event.body else None
    return last if isinstance(last, Settle) else None


@dataclass(slots=True)
class Next:
    """What comes after a body: another place of the block, the rest of it, or its end."""

    values: Values
    place: Place | None = None
    settle: bool = False
    """The statement stays: the place is not known, or the block has been there before."""


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """An event of the label as it is executed at a place."""

    event: Event
    guard: tuple[Formula, ...]
    next: Next


class Blocks:
    """The places of all atomic blocks of a component, and how its events lead through them."""

    def __init__(self, type_: ElementaryType, settle: Settle, *, everything: bool = True) -> None:
        self.type_ = type_
        self.settle = settle
        self.raw = [e for e in type_.events if e.label and e.label.name == settle.label]
        self.inner = {label for e in type_.events for label in called(e.body)}
        self.outer = [e for e in type_.events if not self.is_inner(e)]
        self.stored = _stored_constants(type_, [*self.outer, *self.raw])
        self.assigned = _assigned_by_label(type_)
        scalars = {v.name for v in type_.variables if v.size is None}
        self.tracked = scalars if everything else set(self.stored)
        self.initial = {
            v.name: v.initial[0].value if v.initial and isinstance(v.initial[0], Const) else 0
            for v in type_.variables
            if v.size is None
        }
        self.first = self._first_events()
        self.followers: dict[Place, list[Follower]] = {}
        self.after: dict[str, Next] = {}
        """What comes after each event that others, or nobody, call."""
        self.touched: dict[str, dict[str, None]] = {}
        """Those that matter to its body and to what comes after it, or that it assigns."""
        self.guards = Guards()
        self._effects: dict[tuple[object, ...], tuple[Values, Formula]] = {}

    def is_inner(self, event: Event) -> bool:
        """Only this component calls the event."""
        return event.label is not None and event.label.name in self.inner

    def _first_events(self) -> dict[str, Values]:
        """The events that are executed in the initial state only, with what is known there.

        When each event that is possible at first leaves the initial value of some variable for
        good, so do all that require this value.
        """
        initial = self.initial
        folder = evaluating(initial)
        possible = [e for e in self.outer if folder.guard(e.guard) is not None]
        if not possible or any(e.label is not None for e in self.outer):
            return {}
        left = {
            v
            for v, values in self.stored.items()
            if initial[v] not in values
            and all(_requires(e, v, initial[v]) and _stores(e, v) for e in possible)
        }
        known = {v: value for v, value in initial.items() if v in self.tracked}
        return {e.name: known for e in self.outer if any(_requires(e, v, initial[v]) for v in left)}

    def begins(self, event: Event) -> dict[str, int]:
        """What is known where the event is executed between others."""
        known = {v: k for v, k in equalities(event.guard) if v in self.tracked}
        return {**known, **self.first.get(event.name, {})}

    def collect(self) -> bool:
        """Find all places; False when there are too many."""
        pending: list[Place] = []

        def visit(following: Next) -> Next:
            if following.place is not None and following.place not in self.followers:
                self.followers[following.place] = []
                pending.append(following.place)
            return following

        for event in self.outer:
            self.after[event.name] = visit(self._after(event, self.begins(event)))
        index = EventsByValue(self.raw)
        while pending:
            if len(self.followers) > MOST_PLACES * len(self.raw):
                return False
            place = pending.pop()
            here = dict(place)
            # Most events are of other places or processes; the others are looked at closely.
            for event in index.candidates(here):
                look()
                guard = self.guards.at(event.guard, here)
                if guard is not None:
                    known = {v: k for v, k in equalities(guard) if v in self.tracked}
                    following = visit(self._after(event, {**here, **known}))
                    self.followers[place].append(Follower(event, guard, following))
        self._cut_cycles()
        return True

    def _after(self, event: Event, known: dict[str, int]) -> Next:
        """What comes after an event, executed where the variables have these values."""
        touched = self.touched.get(event.name)
        if touched is None:
            looked_at = (e for s in statements(event.body) for e in reads(s))
            names = _names(variables_of((*looked_at, self.settle.condition)))
            touched = names | dict.fromkeys(_assigned(event.body, self.assigned))
            self.touched[event.name] = touched
        before = {v: known[v] for v in touched if v in known}
        key = (event.name, *before.items())
        if key not in self._effects:
            self._effects[key] = self._effect(event, dict(before))
        after, transient = self._effects[key]
        for name in before.keys() - after.keys():
            del known[name]
        known |= after
        if transient is FALSE or (last(event) is None and not self.is_inner(event)):
            return Next(known)
        if transient is not TRUE:
            return Next(known, settle=True)
        return Next(known, tuple(sorted(known.items())))

    def _effect(self, event: Event, values: dict[str, int]) -> tuple[Values, Formula]:
        """What an event makes of these values, and whether the state is transient then."""
        for statement in event.body:
            self.execute(statement, values)
        return values, evaluating(values).formula(self.settle.condition)

    def execute(self, statement: Statement, known: dict[str, int]) -> Statement:
        """The statement where these values are known, which it brings up to date."""
        match statement:
            case Assign(target=Var(name=name, index=None), value=Const(value=value)):
                # Most statements of a block, and nothing in them can be known better.
                if name in self.tracked:
                    known[name] = value
                return statement
        folder = evaluating(known)
        changed = map_expressions(statement, folder.simplify, folder.target)
        match changed:
            case Assign(target=Var(name=name, index=None), value=Const(value=value)):
                if name in self.tracked:
                    known[name] = value
            case Settle():
                return statement
            case _:
                for name in _assigned([changed], self.assigned):
                    known.pop(name, None)
        return changed

    def _cut_cycles(self) -> None:
        """No label may call itself: where a block comes back to a place, it settles there."""
        done: set[Place] = set()
        for root in self.followers:
            path: set[Place] = set()
            stack: list[tuple[Place, int]] = [(root, 0)]
            while stack:
                place, number = stack.pop()
                if number == 0 and place in done:
                    continue
                if number == len(self.followers[place]):
                    path.discard(place)
                    done.add(place)
                    continue
                path.add(place)
                stack.append((place, number + 1))
                following = self.followers[place][number].next
                if following.place in path:
                    following.settle = True
                elif following.place is not None:
                    stack.append((following.place, 0))

    def between(self) -> tuple[dict[str, set[int]], set[str]]:
        """The values of the constants between events, and the events that they allow."""
        seen: dict[str, set[int]] = {
            v.name: {i.value for i in v.initial if isinstance(i, Const)} or {0}
            for v in self.type_.variables
            if v.name in self.stored
        }
        reached: set[Place] = set()

        def leave(following: Next) -> None:
            pending = [following]
            while pending:
                now = pending.pop()
                if now.place is not None:
                    if now.place not in reached:
                        reached.add(now.place)
                        pending.extend(f.next for f in self.followers[now.place])
                    continue
                for variable, values in seen.items():
                    if variable in now.values:
                        values.add(now.values[variable])
                    elif now.settle:
                        values |= self.stored[variable]

        allowed: set[str] = set()
        growing = True
        while growing:
            growing = False
            for event in self.outer:
                look()
                if event.name not in allowed and all(allows(g, seen) for g in event.guard):
                    allowed.add(event.name)
                    leave(self.after[event.name])
                    growing = True
        return seen, allowed


def _stored_constants(type_: ElementaryType, direct: Iterable[Event]) -> dict[str, set[int]]:
    """The scalars to which nothing but constants is stored, and by these events only, in order."""
    scalars = {v.name: v for v in type_.variables if v.size is None}
    found: dict[str, set[int]] = {v: set() for v in scalars}
    known = {id(s) for e in direct for s in e.body}
    for event in type_.events:
        for statement in statements(event.body):
            match statement:
                case Assign(target=Var(name=name, index=None), value=Const(value=value)):
                    if id(statement) in known and name in found:
                        found[name].add(value)
                    else:
                        found.pop(name, None)
                case Assign(target=Var(name=name)):
                    found.pop(name, None)
                case Receive(patterns=patterns):
                    for pattern in patterns:
                        if isinstance(pattern, Bind):
                            found.pop(pattern.target.name, None)
    return {
        v: values
        for v, values in found.items()
        if values and all(_admits(scalars[v], value) for value in values)
    }


def _admits(variable: Variable, value: int) -> bool:
    """Storing the value is no error."""
    domain = variable.domain
    return domain is None or domain.low <= value <= domain.high


def _assigned_by_label(type_: ElementaryType) -> dict[str, set[str]]:
    """What the events of each label may assign, and those that they call."""
    found: dict[str, set[str]] = {}
    calls: dict[str, set[str]] = {}
    for event in type_.events:
        if event.label is not None:
            found.setdefault(event.label.name, set()).update(_assigned(event.body, {}))
            calls.setdefault(event.label.name, set()).update(called(event.body))
    growing = True
    while growing:
        growing = False
        for label, others in calls.items():
            size = len(found[label])
            for other in others:
                found[label] |= found.get(other, set())
            growing = growing or len(found[label]) > size
    return found


def _assigned(body: Iterable[Statement], by_label: Mapping[str, set[str]]) -> Iterator[str]:
    """The variables that a body may assign."""
    for statement in statements(tuple(body)):
        match statement:
            case Assign(target=target):
                yield target.name
            case Receive(patterns=patterns):
                yield from (p.target.name for p in patterns if isinstance(p, Bind))
            case Call(label=label) | Settle(label=label):
                yield from by_label.get(label, ())


class Guards:
    """What is left of guards at places.

    Places differ in much that a condition does not ask, and events share conditions, such as that
    no process can do anything; so each is evaluated once for the values that it asks.
    """

    def __init__(self) -> None:
        self._asked: dict[int, tuple[Formula, dict[str, None]]] = {}
        self._left: dict[tuple[object, ...], tuple[Formula, ...] | None] = {}

    def at(self, guard: Sequence[Formula], here: Values) -> tuple[Formula, ...] | None:
        """What is left of the guard where these values are known; None when it cannot hold."""
        found: list[Formula] = []
        for part in guard:
            asked = self._asked.get(id(part))
            if asked is None:
                asked = self._asked[id(part)] = part, _names(variables_of((part,)))
            values = {v: here[v] for v in asked[1] if v in here}
            key = (id(part), *values.items())
            if key not in self._left:
                self._left[key] = evaluating(values).guard((part,), choices=True)
            left = self._left[key]
            if left is None:
                return None
            found.extend(left)
        return together(found)


class EventsByValue:
    """Events by the values that their guards require.

    For each variable and each of its values: the events that go with it, those that do not ask the
    variable among them. A set of events is a number, with a bit for each; so what all the values
    that are known at a place leave is found by a few conjunctions of numbers.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        everything = (1 << len(events)) - 1
        self.indifferent: dict[str, int] = {}
        self.asking: dict[str, dict[int, int]] = {}
        for number, event in enumerate(events):
            for name, values in dict(filter(None, map(_choice, event.guard))).items():
                asking = self.asking.setdefault(name, {})
                bit = 1 << number
                self.indifferent[name] = self.indifferent.get(name, everything) & ~bit
                for value in values:
                    asking[value] = asking.get(value, 0) | bit

    def candidates(self, here: Values) -> list[Event]:
        """The events that these values do not rule out at a glance, in their order."""
        left = (1 << len(self.events)) - 1
        for name, value in here.items():
            if name in self.asking:
                left &= self.asking[name].get(value, 0) | self.indifferent[name]
        found = []
        while left:
            bit = left & -left
            found.append(self.events[bit.bit_length() - 1])
            left ^= bit
        return found


def _choice(part: Formula) -> tuple[str, set[int]] | None:
    """The scalar that a conjunct requires to have one of these values, if it does only that."""
    found = [list(equalities((o,))) for o in (part.operands if isinstance(part, Or) else (part,))]
    names = {name for pairs in found for name, _ in pairs}
    if len(names) != 1 or not all(found):
        return None
    return names.pop(), {value for pairs in found for _, value in pairs}


def evaluating(values: Values) -> Folder:
    """Evaluates what these values decide."""
    return Folder(sizes=dict.fromkeys(values), constants=values)


def equalities(guard: Iterable[Formula]) -> Iterator[tuple[str, int]]:
    """The scalars that a guard requires to have a certain value."""
    for part in guard:
        match part:
            case Compare(op="==", left=Var(name=name, index=None), right=Const(value=value)):
                yield name, value


def _names(variables: Iterable[Var]) -> dict[str, None]:
    """The names of variables, each once, in their order."""
    return dict.fromkeys(v.name for v in variables)


def _requires(event: Event, variable: str, value: int) -> bool:
    return (variable, value) in equalities(event.guard)


def _stores(event: Event, variable: str) -> bool:
    return any(isinstance(s, Assign) and s.target.name == variable for s in event.body)


def allows(part: Formula, seen: Mapping[str, set[int]]) -> bool:
    """The conjunct may hold for variables with these values."""
    match part:
        case Compare(op="==", left=Var(name=name, index=None), right=Const(value=value)):
            return name not in seen or value in seen[name]
        case Or(operands=operands):
            return any(allows(o, seen) for o in operands)
    return True
