"""From the moves of a DVE text to the events of a model.

While some process is in a committed state, only moves from committed states are possible; over a
rendezvous both sides must be committed. A property process moves along with every step of the
system, on what holds before the step, and alone where the system cannot move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.errors import error
from plait.lang.dve.channels import Channels
from plait.lang.dve.declarations import (
    DOMAINS,
    ChannelText,
    ProcessText,
    SystemText,
    VariableText,
)
from plait.lang.dve.expressions import at
from plait.lang.dve.moves import Move, MoveReader
from plait.lang.lexer import Tokens
from plait.logic.formula import Finally, Globally
from plait.model.expr import (
    And,
    Compare,
    Const,
    Deadlock,
    Empty,
    Formula,
    Full,
    Hop,
    Not,
    Or,
    Var,
    conjunction,
)
from plait.model.stmt import Assign, Body
from plait.model.types import (
    Domain,
    ElementaryType,
    Event,
    Model,
    Predicate,
    Process,
    Property,
    Variable,
)
from plait.records import dataclass, replace


def translate(system: SystemText, tokens: Tokens, name: str) -> Model:
    """The model of a text whose declarations are read."""
    return _Translation(system, tokens, name).model()


@dataclass(frozen=True, slots=True)
class _Half:
    """An event before the property process joins it, and the move that it comes from."""

    move: Move
    event: Event


class _Translation:
    def __init__(self, system: SystemText, tokens: Tokens, name: str) -> None:
        self.system = system
        self.name = name
        self.processes = list(system.processes.values())
        self.declared = [v for v in self._names() if isinstance(v, VariableText)]
        self.types = {v.full: DOMAINS[v.type] for v in self.declared}
        self.reader = MoveReader(tokens, system, self.domain)
        self.moves = {p.name: self.reader.moves(p) for p in self.processes}
        self.properties = [a for p in self.processes for a in self.reader.assertions(p)]
        channels = [c for c in self._names() if isinstance(c, ChannelText)]
        everything = [m for moves in self.moves.values() for m in moves]
        self.channels = Channels(channels, everything, self.domain)

    def domain(self, var: Var) -> Domain | None:
        """The values of a variable of the text."""
        return self.types.get(var.name)

    def _names(self) -> Iterator[VariableText | ChannelText]:
        yield from self.system.names.values()
        for p in self.processes:
            yield from p.names.values()

    def model(self) -> Model:
        """The whole model, one elementary type."""
        halves = [h for p in self._movers() for m in self.moves[p.name] for h in self._halves(m)]
        observer = self.system.property
        if observer is None:
            events = [h.event for h in halves]
        else:
            self._check_observer(observer)
            events = [*self._joined(halves, observer), *self._alone(halves, observer)]
            self.properties.append(_acceptance(observer))
        type_ = ElementaryType(
            self.name,
            variables=tuple(self._variables()),
            channels=self.channels.channels,
            processes=tuple(
                Process(p.name, p.pc, tuple(p.states), span=p.span) for p in self.processes
            ),
            events=tuple(events),
            predicates=tuple(_predicates(self.processes)),
        )
        return Model(self.name, (type_,), self.name, properties=tuple(self.properties))

    def _movers(self) -> list[ProcessText]:
        """The processes of the system itself."""
        return [p for p in self.processes if p is not self.system.property]

    def _variables(self) -> Iterator[Variable]:
        """Global variables, then each process: its state and its own variables."""
        for found in self.system.names.values():
            if isinstance(found, VariableText):
                yield from _variable(found)
        for p in self.processes:
            initial = (Const(p.states[p.initial]),)
            yield Variable(p.pc, initial, domain=Domain(0, len(p.states) - 1), span=p.span)
            for found in p.names.values():
                if isinstance(found, VariableText):
                    yield from _variable(found)
        yield from self.channels.scratch.values()

    # --- events -----------------------------------------------------------------------------------

    def _halves(self, move: Move) -> Iterator[_Half]:
        """The events of a move: one, unless receivers need different casts of what it sends."""
        bodies: list[Body] = [()]
        if move.sync is not None:
            bodies = self.channels.statements(move.sync)
        guard = (_here(move), *move.guard, *self._uncommitted(move))
        for number, body in enumerate(bodies):
            name = move.name if number == 0 else f"{move.name}~{number + 1}"
            yield _Half(
                move,
                Event(
                    name,
                    guard=guard,
                    body=(*body, *move.effects, _arrive(move)),
                    process=move.process.name,
                    display=move.name,
                    span=move.span,
                ),
            )

    def _uncommitted(self, move: Move) -> Iterator[Formula]:
        """What a move from an ordinary state needs: no other process is committed."""
        if move.committed:
            return
        for p in self._movers():
            if p is not move.process:
                for state in dict.fromkeys(p.commit):
                    yield Compare("!=", Var(p.pc), Const(p.states[state]))

    # --- the property process ---------------------------------------------------------------------

    def _check_observer(self, observer: ProcessText) -> None:
        for move in self.moves[observer.name]:
            if move.sync is not None:
                message = f"the property process '{observer.name}' cannot use channels"
                raise error(message, move.sync.span)
        if observer.commit:
            message = f"the property process '{observer.name}' cannot have committed states"
            raise error(message, observer.span)

    def _joined(self, halves: Sequence[_Half], observer: ProcessText) -> Iterator[Event]:
        """Each step of the system together with each move of the property process.

        Over a rendezvous it moves with the receiver, whose effects come last.
        """
        for half in halves:
            event, sync = half.event, half.move.sync
            if sync is not None and sync.sends and not sync.channel.capacity:
                yield event
                continue
            for move in self.moves[observer.name]:
                yield replace(
                    event,
                    name=f"{event.name} & {move.name}",
                    display=f"{event.title} & {move.name}",
                    guard=(*event.guard, _here(move), *move.guard),
                    body=(*event.body, *move.effects, _arrive(move)),
                )

    def _alone(self, halves: Sequence[_Half], observer: ProcessText) -> Iterator[Event]:
        """Where the system cannot move, the property process reads the same state for ever."""
        stuck = tuple(_stuck(halves))
        for move in self.moves[observer.name]:
            yield Event(
                move.name,
                guard=(_here(move), *move.guard, *stuck),
                body=(*move.effects, _arrive(move)),
                process=observer.name,
                span=move.span,
            )


def _here(move: Move) -> Formula:
    """The process is in the source state."""
    return at(move.process, [move.source], move.span)


def _arrive(move: Move) -> Assign:
    """The process goes to the target state."""
    process = move.process
    pc = Var(process.pc, span=move.span)
    return Assign(pc, Const(process.states[move.target], span=move.span), span=move.span)


def _variable(text: VariableText) -> Iterator[Variable]:
    """A variable; scalar constants stand as values where they are used."""
    if text.const and text.size is None:
        return
    size = None if text.size is None else Const(text.size, span=text.span)
    initial = tuple(Const(v) for v in text.initial)
    yield Variable(text.full, initial, size, DOMAINS[text.type], span=text.span)


def _predicates(processes: Sequence[ProcessText]) -> Iterator[Predicate]:
    """`P.s` for every state, and `P.accept` for the accepting ones together."""
    for p in processes:
        for state in p.states:
            yield Predicate(f"{p.name}.{state}", at(p, [state], p.span), span=p.span)
        if p.accept:
            yield Predicate(f"{p.name}.accept", at(p, p.accept, p.span), span=p.span)


def _acceptance(observer: ProcessText) -> Property:
    """The property holds when no infinite run is accepted.

    A run that ends because the property process is stuck is not infinite, though logic lets a
    deadlock repeat for ever.
    """
    accepting: Formula = Or(())
    if observer.accept:
        accepting = at(observer, observer.accept, observer.span)
    body = Finally(Globally(Or((Not(accepting), Deadlock()))))
    return Property(observer.name, "ltl", body, span=observer.span)


def _stuck(halves: Sequence[_Half]) -> Iterator[Formula]:
    """No event of the system is enabled."""
    offers: dict[str, dict[str, list[Formula]]] = {}
    answers: dict[str, dict[str, list[Formula]]] = {}
    for half in halves:
        sync, process = half.move.sync, half.move.process.name
        holds = conjunction(half.event.guard)
        if sync is None:
            yield Not(holds)
        elif sync.channel.capacity:
            hop = Hop(sync.channel.full)
            blocked = Full(hop) if sync.sends else Empty(hop)
            yield Or((Not(holds), blocked))
        else:
            side = offers if sync.sends else answers
            side.setdefault(sync.channel.full, {}).setdefault(process, []).append(holds)
    for channel, senders in offers.items():
        for sender, offered in senders.items():
            for receiver, answered in answers.get(channel, {}).items():
                if sender != receiver:
                    yield Not(And((Or(tuple(offered)), Or(tuple(answered)))))
