"""Settling, place by place: what follows an event inside an atomic block is known beforehand.

`Settle` repeats a label while a state is transient, and may thus execute any event of the label.
But where an event stores constants (the program counter of its process, who has the control), the
events that can come next are those whose guards agree with these constants: mostly one. So each
`Settle` at the end of an event becomes a call of a label of its own with just these events, their
guards partly evaluated, each followed by what follows it in turn; a single event that is surely
possible is written out instead. What was a search over a set of states is then a straight line for
the native core, and reductions see what an atomic block touches instead of the whole system.

Where a block repeats itself the `Settle` stays, as it does where the constants do not decide.
Between events no state is transient, so the places inside a block where no process can stay need no
events of their own: the values that the constants take between events are collected, and an event
that asks for another one goes.

Invariant: an event has the successors that it had. The successors of `Settle` are found one by one
from the state at hand, as those of a call are; an event whose guard the constants contradict has
none; and `Settle` and the call of a label that nobody answers agree in having none.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from plait.model.expr import FALSE, TRUE, Compare, Const, Formula, Or, Var
from plait.model.stmt import Assign, Bind, Body, Call, Receive, Settle, Statement
from plait.model.types import ElementaryType, Event, Label, Model, Variable
from plait.passes.folding import Folder
from plait.passes.rewritten import Rewritten
from plait.passes.walk import Names, called, map_expressions, reads, statements, variables_of

Values = Mapping[str, int]
Place = tuple[tuple[str, int], ...]
"""What is known of the variables in the middle of a block."""

MOST_PLACES = 8
"""With more places than this for each event of the label, the component is left as it is."""
LONGEST_BODY = 400
"""Statements up to which what follows is written out, and not called."""


def settle_by_place(model: Model) -> Rewritten:
    """The model in which events say by themselves what follows them in their atomic blocks."""
    types = tuple(_settled(t) if isinstance(t, ElementaryType) else t for t in model.types)
    if all(map(_same, types, model.types)):
        return Rewritten(model)
    return Rewritten(replace(model, types=types))


def _same(a: object, b: object) -> bool:
    return a is b


def _settled(type_: ElementaryType) -> ElementaryType:
    settle = next((s for e in type_.events if (s := _last(e)) is not None), None)
    if settle is None:
        return type_
    # With all that is known, loops with constant bounds unroll; with less, there are fewer places.
    for blocks in (_Blocks(type_, settle), _Blocks(type_, settle, everything=False)):
        if blocks.collect():
            return blocks.lowered()
    return type_


def _last(event: Event) -> Settle | None:
    """The statement with which an event ends."""
    last = event.body[-1] if event.body else None
    return last if isinstance(last, Settle) else None


@dataclass(slots=True)
class _Next:
    """What comes after a body: another place of the block, the rest of it, or its end."""

    values: Values
    place: Place | None = None
    settle: bool = False
    """The statement stays: the place is not known, or the block has been there before."""


@dataclass(frozen=True, slots=True, eq=False)
class _Follower:
    """An event of the label as it is executed at a place."""

    event: Event
    guard: tuple[Formula, ...]
    next: _Next


End = tuple[int | None, ...]
"""How a block ends: the values of what says who has the control; nothing where it settles."""


class _Blocks:
    """The places of all atomic blocks of a component, and how its events lead through them."""

    def __init__(self, type_: ElementaryType, settle: Settle, *, everything: bool = True) -> None:
        self.type_ = type_
        self.settle = settle
        self.raw = [e for e in type_.events if e.label and e.label.name == settle.label]
        self.inner = {label for e in type_.events for label in called(e.body)}
        self.outer = [e for e in type_.events if not self._is_inner(e)]
        self.stored = _stored_constants(type_, [*self.outer, *self.raw])
        self.assigned = _assigned_by_label(type_)
        scalars = {v.name for v in type_.variables if v.size is None}
        self.tracked = scalars if everything else set(self.stored)
        self.first = self._first_events()
        self.followers: dict[Place, list[_Follower]] = {}
        self.after: dict[str, _Next] = {}
        """What comes after each event that others, or nobody, call."""

    def _is_inner(self, event: Event) -> bool:
        """Only this component calls the event."""
        return event.label is not None and event.label.name in self.inner

    def _first_events(self) -> dict[str, Values]:
        """The events that are executed in the initial state only, with what is known there.

        When each event that is possible at first leaves the initial value of some variable for
        good, so do all that require this value.
        """
        initial = {
            v.name: v.initial[0].value if v.initial and isinstance(v.initial[0], Const) else 0
            for v in self.type_.variables
            if v.size is None
        }
        folder = _folder(initial)
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
        known = {v: k for v, k in _equalities(event.guard) if v in self.tracked}
        return {**known, **self.first.get(event.name, {})}

    def collect(self) -> bool:
        """Find all places; False when there are too many."""
        pending: list[Place] = []

        def visit(following: _Next) -> _Next:
            if following.place is not None and following.place not in self.followers:
                self.followers[following.place] = []
                pending.append(following.place)
            return following

        for event in self.outer:
            self.after[event.name] = visit(self._after(event, self.begins(event)))
        while pending:
            if len(self.followers) > MOST_PLACES * len(self.raw):
                return False
            place = pending.pop()
            here = dict(place)
            folder = _folder(here)
            values = {v: {k} for v, k in place}
            for event in self.raw:
                # Most events are of other places or processes; the others are looked at closely.
                if not all(_allows(part, values) for part in event.guard):
                    continue
                guard = folder.guard(event.guard)
                if guard is not None:
                    known = {v: k for v, k in _equalities(guard) if v in self.tracked}
                    following = visit(self._after(event, {**here, **known}))
                    self.followers[place].append(_Follower(event, guard, following))
        self._cut_cycles()
        return True

    def _after(self, event: Event, known: dict[str, int]) -> _Next:
        """What comes after an event, executed where the variables have these values."""
        for statement in event.body:
            self.execute(statement, known)
        if _last(event) is None and not self._is_inner(event):
            return _Next(known)
        transient = _folder(known).formula(self.settle.condition)
        if transient is FALSE:
            return _Next(known)
        if transient is not TRUE:
            return _Next(known, settle=True)
        return _Next(known, tuple(sorted(known.items())))

    def execute(self, statement: Statement, known: dict[str, int]) -> Statement:
        """The statement where these values are known, which it brings up to date."""
        folder = _folder(known)
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

    def _between(self) -> tuple[dict[str, set[int]], set[str]]:
        """The values of the constants between events, and the events that they allow."""
        seen: dict[str, set[int]] = {
            v.name: {i.value for i in v.initial if isinstance(i, Const)} or {0}
            for v in self.type_.variables
            if v.name in self.stored
        }
        reached: set[Place] = set()

        def leave(following: _Next) -> None:
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
                if event.name not in allowed and all(_allows(g, seen) for g in event.guard):
                    allowed.add(event.name)
                    leave(self.after[event.name])
                    growing = True
        return seen, allowed

    def lowered(self) -> ElementaryType:
        """The component with a label for each place that has several ways to go on."""
        seen, allowed = self._between()
        written = _Written(self, seen)
        events: list[Event] = []
        for event in self.type_.events:
            if self._is_inner(event):
                events.append(event)
            elif event.name in allowed:
                events.extend(written.event(event, self.after[event.name]))
        events.extend(written.called())
        used = {label for e in events for label in called(e.body)}
        kept = (e for e in events if not self._is_inner(e) or (e.label and e.label.name in used))
        return replace(self.type_, events=tuple(kept))


class _Written:
    """Events with what follows them written into their bodies."""

    def __init__(self, blocks: _Blocks, seen: Mapping[str, set[int]]) -> None:
        self.blocks = blocks
        self.seen = seen
        self.settle = blocks.settle
        self.hidden = _control(blocks.type_, blocks.settle) & set(blocks.stored)
        same = {v: min(k) for v, k in seen.items() if v in self.hidden and len(k) == 1}
        self.unchanged = frozenset(same)
        """What says who has the control says the same between all events."""
        self.folder = _folder(same)
        self.names = Names(e.name for e in blocks.type_.events)
        self.labels = Names(e.label.name for e in blocks.type_.events if e.label is not None)
        self.label: dict[tuple[Place, End], str] = {}
        self.ends = self._ends()

    def event(self, event: Event, following: _Next) -> Iterator[Event]:
        """The event as it is executed between others: one for each end of its block.

        A block that may end with an error takes the control from everybody. Apart from it, the same
        block without error depends only on what it touches.
        """
        stable = self.folder.guard(_narrowed(part, self.seen) for part in event.guard)
        known = self.blocks.begins(event)
        if stable is None or _folder(known).guard(stable) is None:
            yield replace(event, guard=(FALSE,), body=())
            return
        for number, end in enumerate(sorted(self._ends_after(following), key=repr)):
            changes: dict[str, object] = {"guard": stable}
            if number:
                changes |= {"name": self.names.fresh(event.name), "display": event.title}
            yield self._continued(event, dict(known), following, end, **changes)

    def _ends_after(self, following: _Next) -> set[End]:
        if following.settle:
            return {()}
        if following.place is not None:
            return self.ends[following.place]
        return {tuple(following.values.get(v) for v in sorted(self.hidden))}

    def _ends(self) -> dict[Place, set[End]]:
        """How the block may end from each place; the places that lead to an end come before it."""
        self.ends = {place: set() for place in self.blocks.followers}
        growing = True
        while growing:
            growing = False
            for place, followers in self.blocks.followers.items():
                size = len(self.ends[place])
                for follower in followers:
                    self.ends[place] |= self._ends_after(follower.next)
                growing = growing or len(self.ends[place]) > size
        return self.ends

    def _followers(self, place: Place, end: End) -> list[_Follower]:
        """The events that may follow at a place where the block is to end so."""
        return [f for f in self.blocks.followers[place] if end in self._ends_after(f.next)]

    def called(self) -> Iterator[Event]:
        """The events of all labels that were needed, and of those that these need in turn."""
        done: set[tuple[Place, End]] = set()
        while left := [key for key in self.label if key not in done]:
            for key in left:
                done.add(key)
                place, end = key
                for follower in self._followers(place, end):
                    yield self._continued(
                        follower.event,
                        {**dict(place), **dict(_equalities(follower.guard))},
                        follower.next,
                        end,
                        name=self.names.fresh(follower.event.name),
                        label=Label(self.label[key]),
                        guard=follower.guard,
                        origin=follower.event.sources,
                    )

    def _continued(
        self,
        event: Event,
        known: dict[str, int],
        following: _Next,
        end: End,
        **changes: object,
    ) -> Event:
        """The event with what follows it in a block that ends so."""
        body = list(event.body[:-1] if _last(event) else event.body)
        sources = list(event.sources)
        while following.place is not None and not following.settle:
            followers = self._followers(following.place, end)
            only = followers[0] if len(followers) == 1 else None
            if only is None or only.guard or len(body) > LONGEST_BODY:
                break
            body.extend(only.event.body)
            sources.extend(only.event.sources)
            following = only.next
        inside = following.place is not None or following.settle
        hidden = self.hidden if inside else self.unchanged
        run = [self.blocks.execute(s, known) for s in body]
        kept = [s for s in run if not _assigns(s, hidden)]
        if following.settle:
            values = following.values
            kept.extend(Assign(Var(v), Const(values[v])) for v in sorted(hidden) if v in values)
            kept.append(self.settle)
        elif following.place is not None:
            key = following.place, end
            if key not in self.label:
                self.label[key] = self.labels.fresh(self.settle.label)
            kept.append(Call(self.label[key], span=self.settle.span))
        if len(sources) > len(event.sources):
            changes["origin"] = tuple(dict.fromkeys(sources))
        changes["body"] = _last_values(kept, self.blocks.stored)
        return replace(event, **changes)  # type: ignore[arg-type]


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


def _control(type_: ElementaryType, settle: Settle) -> frozenset[str]:
    """What the condition looks at and nothing inside an event does: there the places know it."""
    bodies = (s for e in type_.events for s in statements(e.body) if not isinstance(s, Settle))
    read = {v.name for s in bodies for v in variables_of(reads(s))}
    # The guards of events that bodies call are evaluated there too, but for those that settle.
    for event in type_.events:
        if event.label is not None and event.label.name != settle.label:
            read |= {v.name for v in variables_of(event.guard)}
    return frozenset({v.name for v in variables_of([settle.condition])} - read)


def _folder(values: Values) -> Folder:
    """Evaluates what these values decide."""
    return Folder(sizes=dict.fromkeys(values), constants=values)


def _equalities(guard: Iterable[Formula]) -> Iterator[tuple[str, int]]:
    for part in guard:
        match part:
            case Compare(op="==", left=Var(name=name, index=None), right=Const(value=value)):
                yield name, value


def _requires(event: Event, variable: str, value: int) -> bool:
    return (variable, value) in _equalities(event.guard)


def _stores(event: Event, variable: str) -> bool:
    return any(isinstance(s, Assign) and s.target.name == variable for s in event.body)


def _allows(part: Formula, seen: Mapping[str, set[int]]) -> bool:
    """The conjunct may hold for variables with these values."""
    match part:
        case Compare(op="==", left=Var(name=name, index=None), right=Const(value=value)):
            return name not in seen or value in seen[name]
        case Or(operands=operands):
            return any(_allows(o, seen) for o in operands)
    return True


def _narrowed(part: Formula, seen: Mapping[str, set[int]]) -> Formula:
    """The conjunct without the alternatives that these values rule out."""
    if not isinstance(part, Or):
        return part
    left = tuple(o for o in part.operands if _allows(o, seen))
    return left[0] if len(left) == 1 else replace(part, operands=left)


def _assigns(statement: Statement, variables: frozenset[str]) -> bool:
    return isinstance(statement, Assign) and statement.target.name in variables


def _last_values(body: Sequence[Statement], stored: Container[str]) -> Body:
    """A straight line without the constants that it stores and, unread, stores over."""
    overwritten: set[str] = set()
    kept: list[Statement] = []
    for statement in reversed(body):
        if not isinstance(statement, Assign):
            overwritten.clear()
        elif statement.target.name in overwritten:
            continue
        elif statement.target.name in stored:
            overwritten.add(statement.target.name)
        else:
            overwritten -= {v.name for v in variables_of(reads(statement))}
        kept.append(statement)
    return tuple(reversed(kept))
