"""Settling, place by place: what follows an event inside an atomic block is known beforehand.

`Settle` repeats a label while a state is transient, and may thus execute any event of the label.
But where an event stores constants (the program counter of its process, who has the control), the
events that can come next are those whose guards agree with these constants: mostly one. So each
`Settle` at the end of an event becomes a call of a label of its own with just these events, their
guards partly evaluated, each followed by what follows it in turn; a single event that is surely
possible is written out instead. A block is one event for each of its ends: an error, to wait in its
middle, the partners that it has moved. What was a search over a set of states is then a straight
line for the native core, and reductions see what an atomic block touches instead of the whole
system.

Where a block repeats itself the `Settle` stays, as it does where the constants do not decide.
Between events no state is transient, so the places inside a block where no process can stay need no
events of their own: the values that the constants take between events are collected, and an event
that asks for another one goes.

Invariant: an event has the successors that it had. The successors of `Settle` are found one by one
from the state at hand, as those of a call are; an event whose guard the constants contradict has
none; and `Settle` and the call of a label that nobody answers agree in having none.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from plait.model.expr import FALSE, Const, Formula, Or, Var
from plait.model.fresh import FreshNames
from plait.model.stmt import Assign, Body, Call, Settle, Statement
from plait.model.types import ElementaryType, Event, Label, Model
from plait.model.watch import look
from plait.passes.places import Blocks, Follower, Next, Place, allows, equalities, evaluating, last
from plait.passes.rewritten import Rewritten
from plait.passes.walk import called, reads, statements, variables_of
from plait.records import dataclass, replace

LONGEST_BODY = 400
"""Statements up to which what follows is written out, and not called."""

MOST_ENDS = 64
"""Where a block may end in more ways than this, only errors and waiting are put apart."""

Ends = frozenset["End"]
"""Ways to end that belong to one event."""


@dataclass(frozen=True, slots=True)
class End:
    """How a block ends, with what is known of the control and of the locations then."""

    kind: str
    """`passes` the control back, `waits` in its middle, `fails`, or `settles`: not known here."""
    values: tuple[int | None, ...] = ()


def settle_by_place(model: Model) -> Rewritten:
    """The model in which events say by themselves what follows them in their atomic blocks."""
    types = tuple(_settled(t) if isinstance(t, ElementaryType) else t for t in model.types)
    if all(map(_same, types, model.types)):
        return Rewritten(model)
    return Rewritten(replace(model, types=types))


def _same(a: object, b: object) -> bool:
    return a is b


def _settled(type_: ElementaryType) -> ElementaryType:
    settle = next((s for e in type_.events if (s := last(e)) is not None), None)
    if settle is None:
        return type_
    # With all that is known, loops with constant bounds unroll; with less, there are fewer places.
    for everything in (True, False):
        blocks = Blocks(type_, settle, everything=everything)
        if blocks.collect():
            return _lowered(blocks)
    return type_


def _lowered(blocks: Blocks) -> ElementaryType:
    """The component with a label for each place that has several ways to go on."""
    seen, allowed = blocks.between()
    written = _Written(blocks, seen)
    events: list[Event] = []
    for event in blocks.type_.events:
        if blocks.is_inner(event):
            events.append(event)
        elif event.name in allowed:
            events.extend(written.event(event, blocks.after[event.name]))
    events.extend(written.called())
    used = {label for e in events for label in called(e.body)}
    kept = (e for e in events if not blocks.is_inner(e) or (e.label and e.label.name in used))
    return replace(blocks.type_, events=tuple(kept))


class _Written:
    """Events with what follows them written into their bodies."""

    def __init__(self, blocks: Blocks, seen: Mapping[str, set[int]]) -> None:
        self.blocks = blocks
        self.seen = seen
        self.settle = blocks.settle
        self.hidden = _control(blocks.type_, blocks.settle) & set(blocks.stored)
        same = {v: min(k) for v, k in seen.items() if v in self.hidden and len(k) == 1}
        self.unchanged = frozenset(same)
        """What says who has the control says the same between all events."""
        self.folder = evaluating(same)
        self.names = FreshNames(e.name for e in blocks.type_.events)
        self.labels = FreshNames(e.label.name for e in blocks.type_.events if e.label is not None)
        self.told = sorted(self.hidden)
        located = {v for e in blocks.raw for v, _ in equalities(e.guard)} & set(blocks.stored)
        self.located = sorted(located - self.hidden)
        self.usual = tuple(blocks.initial.get(v) for v in self.told)
        self.label: dict[tuple[Place, Ends], str] = {}
        self.apart = True
        self.ended: dict[Follower, set[End]] = {}
        """How the block ends with an event after which nothing follows."""
        self.ends = self._ends()
        if any(len(ends) > MOST_ENDS for ends in self.ends.values()):
            self.apart = False
            self.ends = self._ends()

    def event(self, event: Event, following: Next) -> Iterator[Event]:
        """The event as it is executed between others: one for each end of its block.

        A block that may end with an error takes the control from everybody. Apart from it, the same
        block without error depends only on what it touches. So it is with a block that may have to
        wait in its middle: that it waits depends on what nobody else is ready for, and moves nobody
        else; that it does not wait depends on the one who is ready, and moves both. A state that
        two of these events lead to is one successor still, since they have one title.
        """
        stable = self.folder.guard(_narrowed(part, self.seen) for part in event.guard)
        known = self.blocks.begins(event)
        if stable is None or self.blocks.guards.at(stable, known) is None:
            yield replace(event, guard=(FALSE,), body=())
            return
        for number, ends in enumerate(self._alike(self._ends_after(following), known)):
            changes: dict[str, object] = {"guard": stable}
            if number:
                changes |= {"name": self.names.fresh(event.name), "display": event.title}
            yield self._continued(event, dict(known), following, ends, **changes)

    def _alike(self, ends: set[End], known: Mapping[str, int]) -> list[Ends]:
        """The ends of a block by the partners that it moves, wherever its own process gets to."""
        found: dict[tuple[object, ...], set[End]] = {}
        names = (*self.told, *self.located)
        for end in sorted(ends, key=repr):
            key: tuple[object, ...] = (end.kind, end.values)
            if end.kind == "passes":
                pairs = zip(names, end.values, strict=False)
                key = (end.kind, tuple(value for name, value in pairs if name not in known))
            found.setdefault(key, set()).add(end)
        return [frozenset(group) for group in found.values()]

    def _ends_after(self, following: Next) -> set[End]:
        if following.settle:
            return {End("settles")}
        if following.place is not None:
            return self.ends[following.place]
        control = tuple(following.values.get(v) for v in self.told)
        if control != self.usual:
            return {self._located("fails", following)}
        return {self._located("passes", following) if self.apart else End("passes")}

    def _ends_of(self, follower: Follower) -> set[End]:
        """How the block may end if this event follows."""
        following = follower.next
        if following.place is not None and not following.settle:
            return self.ends[following.place]
        found = self.ended.get(follower)
        if found is None:
            waits = not following.settle and self._only_waits(follower)
            end = {self._located("waits", following)} if waits else self._ends_after(following)
            found = self.ended[follower] = end
        return found

    def _only_waits(self, follower: Follower) -> bool:
        """The event does nothing but give the control back."""
        return all(_assigns(s, self.hidden) for s in follower.event.body)

    def _located(self, kind: str, following: Next) -> End:
        """The end with the locations, so that which one it is can be told."""
        known = (following.values.get(v) for v in (*self.told, *self.located))
        return End(kind, tuple(known))

    def _ends(self) -> dict[Place, set[End]]:
        """How the block may end from each place; the places that lead to an end come before it."""
        self.ends = {place: set() for place in self.blocks.followers}
        self.ended = {}
        growing = True
        while growing:
            growing = False
            for place, followers in reversed(self.blocks.followers.items()):
                size = len(self.ends[place])
                for follower in followers:
                    self.ends[place] |= self._ends_of(follower)
                growing = growing or len(self.ends[place]) > size
        return self.ends

    def _followers(self, place: Place, ends: Ends) -> list[Follower]:
        """The events that may follow at a place where the block is to end so."""
        return [f for f in self.blocks.followers[place] if not ends.isdisjoint(self._ends_of(f))]

    def called(self) -> Iterator[Event]:
        """The events of all labels that were needed, and of those that these need in turn."""
        done: set[tuple[Place, Ends]] = set()
        while left := [key for key in self.label if key not in done]:
            for key in left:
                done.add(key)
                place, ends = key
                for follower in self._followers(place, ends):
                    yield self._continued(
                        follower.event,
                        {**dict(place), **dict(equalities(follower.guard))},
                        follower.next,
                        ends,
                        name=self.names.fresh(follower.event.name),
                        label=Label(self.label[key]),
                        guard=follower.guard,
                        origin=follower.event.sources,
                    )

    def _continued(
        self,
        event: Event,
        known: dict[str, int],
        following: Next,
        ends: Ends,
        **changes: object,
    ) -> Event:
        """The event with what follows it in a block that ends so."""
        look()
        body = list(event.body[:-1] if last(event) else event.body)
        sources = list(event.sources)
        while following.place is not None and not following.settle:
            followers = self._followers(following.place, ends)
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
            key = following.place, ends
            if key not in self.label:
                self.label[key] = self.labels.fresh(self.settle.label)
            kept.append(Call(self.label[key], span=self.settle.span))
        if len(sources) > len(event.sources):
            changes["origin"] = tuple(dict.fromkeys(sources))
        changes["body"] = _last_values(kept, self.blocks.stored)
        return replace(event, **changes)  # type: ignore[arg-type]


def _control(type_: ElementaryType, settle: Settle) -> frozenset[str]:
    """What the condition looks at and nothing inside an event does: there the places know it."""
    bodies = (s for e in type_.events for s in statements(e.body) if not isinstance(s, Settle))
    read = {v.name for s in bodies for v in variables_of(reads(s))}
    # The guards of events that bodies call are evaluated there too, but for those that settle.
    for event in type_.events:
        if event.label is not None and event.label.name != settle.label:
            read |= {v.name for v in variables_of(event.guard)}
    return frozenset({v.name for v in variables_of([settle.condition])} - read)


def _narrowed(part: Formula, seen: Mapping[str, set[int]]) -> Formula:
    """The conjunct without the alternatives that these values rule out."""
    if not isinstance(part, Or):
        return part
    left = tuple(o for o in part.operands if allows(o, seen))
    if len(left) == len(part.operands):
        return part
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
