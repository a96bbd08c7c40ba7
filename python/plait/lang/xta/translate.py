"""From timed automata to a model: locations and clocks are variables, a unit of time is an event.

An edge without channel is an event; over a channel every sender meets every receiver of another
process, over a broadcast all processes that can receive. What an event may do is decided before it,
updates come one after the other, the sender's first. While a process is in a committed location,
only events that leave one are possible.

A clock stands still once no test can tell its values apart (`plait.lang.xta.caps`). Time cannot
pass in urgent and committed locations, beyond invariants, and while an urgent channel could be
used.

Invariant: in every reachable state all invariants hold, and each clock is at most its cap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import cast

from plait.errors import error
from plait.lang.xta.automata import Automaton, Edge, Sync
from plait.lang.xta.caps import Caps
from plait.lang.xta.cases import plain
from plait.lang.xta.network import Network
from plait.lang.xta.preconditions import precondition
from plait.lang.xta.symbols import cells
from plait.model.expr import (
    FALSE,
    TRUE,
    AsInt,
    Binary,
    Compare,
    Const,
    Formula,
    Not,
    Or,
    Var,
    conjunction,
)
from plait.model.node import Node, nodes, rewrite
from plait.model.stmt import Abort, Assign, If, Statement
from plait.model.types import (
    ELAPSE,
    Domain,
    ElementaryType,
    Event,
    Label,
    Model,
    Predicate,
    Process,
    Variable,
)
from plait.records import dataclass, replace

BROADCAST_LIMIT = 10_000
"""The most ways in which one sender of a broadcast can be heard."""


def translate(
    network: Network, automata: Sequence[Automaton], name: str, asked: Sequence[Formula] = ()
) -> Model:
    """The model of the automata of a network, about which these formulas are asked."""
    return _Translation(network, automata, name, asked).model()


@dataclass(frozen=True, slots=True)
class Part:
    """An edge and the automaton that takes it."""

    automaton: Automaton
    edge: Edge


class _Translation:
    def __init__(
        self,
        network: Network,
        automata: Sequence[Automaton],
        name: str,
        asked: Sequence[Formula],
    ) -> None:
        self._network = network
        self._automata = automata
        self._name = name
        self._clocks = list(network.clocks.values())
        self._owners = {c.full: c.owner for c in self._clocks}
        self._caps = Caps(automata, self._owners, network.greatest, asked)
        self._titles: Counter[str] = Counter()
        self._stopped: dict[str, list[Formula]] | None = None
        self._kept = [
            (a.name, Or((Not(_at(a, location.name)), formula)))
            for a in automata
            for location in a.locations.values()
            for formula in location.invariant
        ]
        """What each process asks of all others: its invariants, where they hold."""
        self._mentioned: dict[int, frozenset[str]] = {}
        """The variables of an invariant, by the identity of the condition."""

    def model(self) -> Model:
        joined = list(self._joined())
        events = [self._event(parts, more) for parts, more in joined]
        events = list(self._ordered(events, joined))
        type_ = ElementaryType(
            self._name,
            events=(*events, self._elapse(joined)),
            variables=tuple(self._variables()),
            processes=tuple(
                Process(a.name, a.pc, tuple(a.locations), span=a.instance.span)
                for a in self._automata
            ),
            predicates=tuple(
                Predicate(f"{a.name}.{location}", condition=_at(a, location))
                for a in self._automata
                for location in a.locations
            ),
        )
        return Model(self._name, (type_,), self._name)

    def _variables(self) -> Iterator[Variable]:
        for data in (*self._network.data, *self._network.scratch.values()):
            size = Const(cells(data.dimensions)) if data.dimensions else None
            initial = tuple(map(Const, data.initial))
            yield Variable(data.full, initial, size, data.domain, span=data.span)
        for a in self._automata:
            last = Domain(0, len(a.locations) - 1)
            yield Variable(
                a.pc, (Const(a.locations[a.initial].number),), domain=last, span=a.instance.span
            )
        first = {a.name: a.initial for a in self._automata}
        for clock in self._clocks:
            cap = top = self._caps.top(clock.full)
            if clock.owner is not None:
                cap = self._caps.at(clock.full, first[clock.owner])
            begins = Const(min(clock.initial, cap))
            yield Variable(clock.full, (begins,), domain=Domain(0, top), span=clock.span)

    # --- who moves together -----------------------------------------------------------------------

    def _joined(self) -> Iterator[tuple[list[Part], list[Formula]]]:
        """The edges that are taken together, and what must hold besides their guards."""
        parts = [Part(a, edge) for a in self._automata for edge in a.edges]
        receivers: dict[str, list[Part]] = {}
        for part in parts:
            sync = part.edge.sync
            if sync is not None and not sync.sends:
                receivers.setdefault(sync.name, []).append(part)
        for part in parts:
            sync = part.edge.sync
            if sync is None:
                yield [part], []
            elif sync.sends:
                heard = [
                    (r, same)
                    for r in receivers.get(sync.name, ())
                    if r.automaton is not part.automaton
                    and (same := _same(sync, r.edge.sync)) is not None
                ]
                if sync.channel.broadcast:
                    yield from self._broadcast(part, heard)
                else:
                    yield from (([part, r], same) for r, same in heard)

    def _broadcast(
        self, sender: Part, heard: Sequence[tuple[Part, list[Formula]]]
    ) -> Iterator[tuple[list[Part], list[Formula]]]:
        """All processes that can receive do, each by one of its edges."""
        by_process: dict[str, list[tuple[Part | None, list[Formula]]]] = {}
        for part, same in heard:
            by_process.setdefault(part.automaton.name, []).append((part, same))
        total = 1
        for ways in by_process.values():
            deaf = [Not(conjunction([*_ready(part), *same])) for part, same in ways if part]
            ways.append((None, list(deaf)))
            total *= len(ways)
        if total > BROADCAST_LIMIT:
            raise error(f"more than {BROADCAST_LIMIT} ways to hear this", sender.edge.span)
        for chosen in product(*by_process.values()):
            parts = [part for part, _ in chosen if part is not None]
            yield [sender, *parts], [formula for _, more in chosen for formula in more]

    # --- events -----------------------------------------------------------------------------------

    def _event(self, parts: Sequence[Part], more: Sequence[Formula]) -> Event:
        guard = [formula for part in parts for formula in _ready(part)]
        body: list[Statement] = [u for part in parts for u in self._updates(part)]
        body += [_arrive(part) for part in parts]
        body += self._capped(parts)
        changed = {s.target.name for s in _inside(body) if isinstance(s, Assign)}
        later: list[Statement] = []
        for formula in self._invariants(parts, changed):
            if self._mentions(formula, changed):
                later.append(If(Not(formula), (Abort(),)))
            else:
                guard.append(formula)
        title = " ".join(f"{p.automaton.name}.{p.edge.source}->{p.edge.target}" for p in parts)
        self._titles[title] += 1
        if self._titles[title] > 1:
            title += f"#{self._titles[title]}"
        return Event(
            title,
            guard=(*guard, *more, *self._uncommitted(parts)),
            body=(*body, *later),
            process=parts[0].automaton.name if len(parts) == 1 else None,
            span=parts[0].edge.span,
        )

    def _ordered(
        self, events: Sequence[Event], joined: Sequence[tuple[Sequence[Part], Sequence[Formula]]]
    ) -> Iterator[Event]:
        """The events, where those of a lower priority wait for those of a higher one.

        That of the channel comes first, then the highest of a process that takes part.
        """
        levels = [self._level(parts) for parts, _ in joined]
        if len(set(levels)) < 2:
            yield from events
            return
        lowest, highest = min(levels), max(levels)
        waits: dict[tuple[int, int], Formula] = {}
        above: list[Formula] = []
        for level in sorted(set(levels), reverse=True):
            waits[level] = Not(Or(tuple(above)))
            if level != lowest:
                same = (step for step, own in zip(joined, levels, strict=True) if own == level)
                above += [self._possible(parts, more) for parts, more in same]
        for event, level in zip(events, levels, strict=True):
            first = level == highest
            yield event if first else replace(event, guard=(*event.guard, waits[level]))

    def _level(self, parts: Sequence[Part]) -> tuple[int, int]:
        """The priority of a step; time passes whatever the priorities are."""
        levels, sync = self._network.levels, parts[0].edge.sync
        level = default = levels.get("", 0)
        if sync is not None and sync.index is None:
            level = levels.get(sync.name, default)
        elif sync is not None and isinstance(sync.index, Const):
            level = levels.get(f"{sync.name}[{sync.index.value}]", default)
        elif sync is not None and any(name.startswith(f"{sync.name}[") for name in levels):
            names = [n for n in levels if n.startswith(f"{sync.name}[")]
            if len(names) < sync.size or len({levels[n] for n in names}) > 1:
                message = "which channel this is, and so its priority, depends on variables"
                raise error(message, sync.span)
            level = levels[names[0]]
        return level, max(self._network.ranks.get(p.automaton.name, 0) for p in parts)

    def _possible(self, parts: Sequence[Part], more: Sequence[Formula]) -> Formula:
        """Whether a step can be taken, told before it."""
        found = [formula for part in parts for formula in _ready(part)]
        found += [*more, *self._uncommitted(parts)]
        updates = [statement for part in parts for statement in part.edge.updates]
        changed = {s.target.name for s in _inside(updates) if isinstance(s, Assign)}
        found += [precondition(updates, f) for f in self._invariants(parts, changed)]
        return conjunction(found)

    def _uncommitted(self, parts: Sequence[Part]) -> Iterator[Formula]:
        """Unless one of them leaves a committed location, that nobody is in one."""
        if any(part.edge.source in part.automaton.committed for part in parts):
            return
        moving = {part.automaton.name for part in parts}
        for a in self._automata:
            if a.name not in moving:
                yield from (Not(_at(a, location)) for location in sorted(a.committed))

    def _invariants(self, parts: Sequence[Part], changed: set[str]) -> Iterator[Formula]:
        """What must hold afterwards: where it arrives, and where others see what it changes."""
        moving = {part.automaton.name for part in parts}
        for part in parts:
            yield from part.automaton.locations[part.edge.target].invariant
        for name, formula in self._kept:
            if name not in moving and self._mentions(formula, changed):
                yield formula

    def _mentions(self, invariant: Formula, changed: set[str]) -> bool:
        """Whether an invariant depends on one of these variables."""
        found = self._mentioned.get(id(invariant))
        if found is None:
            found = frozenset(n.name for n in nodes(invariant) if isinstance(n, Var))
            self._mentioned[id(invariant)] = found
        return not found.isdisjoint(changed)

    def _updates(self, part: Part) -> Iterator[Statement]:
        """The updates of an edge; clocks are set to no more than matters afterwards."""
        return (self._bounded(statement, part) for statement in part.edge.updates)

    def _bounded(self, statement: Statement, part: Part) -> Statement:
        match statement:
            case If(condition=condition, then=then, otherwise=otherwise):
                ways = (tuple(self._bounded(s, part) for s in way) for way in (then, otherwise))
                return If(condition, *ways, span=statement.span)
            case Assign(target=target, value=value) if target.name in self._owners:
                own = self._owners[target.name] == part.automaton.name
                place = part.edge.target
                cap = self._caps.at(target.name, place) if own else self._caps.top(target.name)
                if isinstance(value, Const):
                    if value.value < 0:
                        raise error("a clock is not negative", statement.span)
                    return Assign(target, Const(min(value.value, cap)), span=statement.span)
                most = (Assign(target, Const(cap), span=statement.span),)
                return If(Compare(">", value, Const(cap)), most, (statement,), span=statement.span)
        return statement

    def _capped(self, parts: Sequence[Part]) -> Iterator[Statement]:
        """Clocks whose values are not told apart any more, where their process arrives."""
        for part in parts:
            is_set = {s.target.name for s in part.edge.updates if isinstance(s, Assign)}
            for clock in self._clocks:
                if clock.owner != part.automaton.name or clock.full in is_set:
                    continue
                cap = self._caps.at(clock.full, part.edge.target)
                before = self._caps.at(clock.full, part.edge.source)
                x = Var(clock.full)
                if cap == 0 and before > 0:
                    yield Assign(x, Const(0))
                elif cap < before:
                    yield If(Compare(">", x, Const(cap)), (Assign(x, Const(cap)),))

    # --- time -------------------------------------------------------------------------------------

    def _elapse(self, joined: Iterable[tuple[Sequence[Part], Sequence[Formula]]]) -> Event:
        guard: list[Formula] = []
        for a in self._automata:
            for name, location in a.locations.items():
                if name in a.urgent or name in a.committed:
                    guard.append(Not(_at(a, name)))
                    continue
                for formula in location.invariant:
                    later = self._a_unit_later(formula)
                    if later is not None:
                        guard.append(Or((Not(_at(a, name)), later)))
        for parts, more in joined:
            sync = parts[0].edge.sync
            if sync is not None and sync.channel.urgent:
                ready = [formula for part in parts for formula in _ready(part)]
                guard.append(Not(conjunction([*ready, *more])))
        ticks = (self._tick(clock.full, clock.owner) for clock in self._clocks)
        body = tuple(tick for tick in ticks if tick is not None)
        return Event(ELAPSE, guard=tuple(guard), body=body, label=Label(ELAPSE))

    def _a_unit_later(self, formula: Formula) -> Formula | None:
        """The formula with clocks one unit on; none where it has no clocks."""
        names = self._owners
        if not any(isinstance(n, Var) and n.name in names for n in nodes(formula)):
            return None

        def on(node: Node) -> Node:
            if isinstance(node, Var) and node.name in names:
                runs = self._runs(node.name)
                return Binary("+", node, AsInt(conjunction(runs)) if runs else Const(1))
            return node

        return cast(Formula, rewrite(formula, on))

    def _runs(self, clock: str) -> list[Formula]:
        """What must hold for a clock to run: nobody is where its rate is 0."""
        if self._stopped is None:
            self._stopped = {}
            for a in self._automata:
                for location in a.locations.values():
                    for stopped, runs in location.rates:
                        if runs != TRUE:
                            away = Not(_at(a, location.name))
                            found = away if runs == FALSE else Or((away, runs))
                            self._stopped.setdefault(stopped, []).append(found)
        return self._stopped.get(clock, [])

    def _tick(self, clock: str, owner: str | None) -> Statement | None:
        x = Var(clock)
        step = Assign(x, Binary("+", x, Const(1)))
        free = self._runs(clock)
        if owner is None:
            top = self._caps.top(clock)
            return If(conjunction([Compare("<", x, Const(top)), *free]), (step,)) if top else None
        (a,) = [a for a in self._automata if a.name == owner]
        ways: dict[int, list[Formula]] = {}
        for location in a.locations:
            if location not in a.urgent and location not in a.committed:
                cap = self._caps.at(clock, location)
                ways.setdefault(cap, []).append(_at(a, location))
        ways.pop(0, None)
        if not ways:
            return None
        runs = [
            conjunction(
                [Compare("<", x, Const(cap)), where[0] if len(where) == 1 else Or(tuple(where))]
            )
            for cap, where in sorted(ways.items())
        ]
        return If(conjunction([runs[0] if len(runs) == 1 else Or(tuple(runs)), *free]), (step,))


def _at(a: Automaton, location: str) -> Formula:
    return Compare("==", Var(a.pc), Const(a.locations[location].number))


def _ready(part: Part) -> list[Formula]:
    """The process is at the source, and the guard holds."""
    return [_at(part.automaton, part.edge.source), *part.edge.guard]


def _arrive(part: Part) -> Assign:
    target = Const(part.automaton.locations[part.edge.target].number)
    return Assign(Var(part.automaton.pc), target, span=part.edge.span)


def _same(one: Sync, other: Sync | None) -> list[Formula] | None:
    """What must hold for two ends to be of the same channel; none where they never are."""
    assert other is not None
    if one.index is None or other.index is None:
        return []
    if isinstance(one.index, Const) and isinstance(other.index, Const):
        return [] if one.index.value == other.index.value else None
    return [plain(Compare("==", one.index, other.index))]


def _inside(body: Iterable[Statement]) -> Iterator[Statement]:
    """The statements and those inside them."""
    for statement in body:
        yield statement
        if isinstance(statement, If):
            yield from _inside((*statement.then, *statement.otherwise))


__all__ = ["translate"]
