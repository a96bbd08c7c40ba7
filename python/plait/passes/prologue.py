"""What is known once one process has started all the others.

Many systems begin with one process that alone can move: it makes choices, starts the others in a
loop and gives them their parameters. Which process is started how often, and with what, no pass
sees that looks at one event at a time. Here this *prologue* is executed: from the initial state, as
long as events of the first process only are enabled. In the states where it ends, what the
variables hold is known; from there on constants flow along assignments (`value_sets`), so that a
variable that nobody assigns any more, such as a parameter of a process, is a constant for all
processes but the first, which move only afterwards. Processes that are never started disappear.

A guard with constants in it may hold where it did not before, and there it must not: in the
prologue itself. What requires a value of a variable therefore stays in it, and a guard that would
hold in the prologue all the same is left as it is.

Invariant: an event of another process is enabled in no state of the prologue but its last ones; in
every state after those, and in the middle of every event, a variable holds a value of its set.

The prologue is executed by `plait.reference`, which is also the oracle of the tests. The oracle
itself never sees what a pass made: it executes the model as it was read. A mistake that both would
make, in the execution of a step, shows where the native core executes the model without this pass
(`tests/passes/test_prologue.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import is_

from plait.errors import InputError
from plait.hints import TYPE_CHECKING
from plait.model.expr import Formula
from plait.model.shape import Shape, State
from plait.model.stmt import Statement
from plait.model.types import ElementaryType, Event, Model
from plait.model.watch import look
from plait.passes.folding import Folder
from plait.passes.places import equalities
from plait.passes.rewritten import Rewritten
from plait.passes.value_sets import Flow, Holder
from plait.passes.walk import map_body, map_expressions
from plait.records import dataclass, replace

if TYPE_CHECKING:
    from plait.reference.components import Move

MOST_STATES = 5_000
"""A longer prologue is not executed to its end, and nothing is known."""
FEWEST = 3
"""With fewer processes there is little to know."""


def fold_prologue(model: Model) -> Rewritten:
    """The (instantiated) model with what is known after its prologue."""
    system = model.system
    if (
        len(model.types) != 1
        or not isinstance(system, ElementaryType)
        or len(system.processes) < FEWEST
        or any(event.label is not None for event in system.events)
    ):
        return Rewritten(model)
    first = _first_process(system)
    if first is None:
        return Rewritten(model)
    try:
        prologue = _Prologue(model, system, first)
        ends = prologue.ends()
    except InputError:  # the model goes wrong there; whoever executes it says how
        return Rewritten(model)
    if not ends:
        return Rewritten(model)
    events = tuple(_known(system, first, prologue, ends))
    if len(events) == len(system.events) and all(map(is_, events, system.events)):
        return Rewritten(model)
    return Rewritten(replace(model, types=(replace(system, events=events),)))


def _first_process(type_: ElementaryType) -> str | None:
    """The only process whose events the constants of their guards allow in the initial state."""
    initial = {
        v.name: getattr(v.initial[0], "value", None) if v.initial else 0
        for v in type_.variables
        if v.size is None
    }
    able = {
        event.process
        for event in type_.events
        if all(initial.get(v, value) == value for v, value in equalities(event.guard))
    }
    return next(iter(able)) if len(able) == 1 else None


@dataclass(frozen=True, slots=True)
class _ByPlace:
    """Things by a constant that their guards require of a variable."""

    variables: dict[int, dict[int, list[int]]]
    """By cell and value; those that require none are at cell -1."""

    @classmethod
    def of(cls, events: Iterable[Event], shape: Shape) -> _ByPlace:
        found: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, event in enumerate(events):
            for name, value in equalities(event.guard):
                if name in shape.variables and shape.variables[name].size is None:
                    found[shape.variables[name].offset][value].append(number)
                    break
            else:
                found[-1][0].append(number)
        return cls({cell: dict(values) for cell, values in found.items()})

    def at(self, state: State) -> Iterator[int]:
        for cell, values in self.variables.items():
            yield from values.get(0 if cell < 0 else state[cell], ())


class _Prologue:
    """The states in which only the first process moves."""

    def __init__(self, model: Model, system: ElementaryType, first: str) -> None:
        # Few models have a prologue that is worth importing this for.
        from plait.reference.components import Frame
        from plait.reference.execution import Execution

        own = tuple(e for e in system.events if e.process == first)
        alone = replace(system, events=own, transient=None)
        self.execution = Execution(replace(model, types=(alone,), properties=()))
        self.shape = self.execution.shape
        self.frame = Frame(self.execution.main)
        self.others = [e for e in system.events if e.process != first]
        self.inside: list[State] = []
        """The states before the last ones."""
        self.happened: set[str] = set()
        """The names of the events of the first process that were executed."""
        self._moves: list[Move] = self.execution.moves
        self._own = _ByPlace.of((m.copies[0].event for m in self._moves), self.shape)
        self._foreign = _ByPlace.of(self.others, self.shape)

    def ends(self) -> list[State]:
        """The last states; none when there are too many states, or when others move at once."""
        first = self.execution.initial
        seen, waiting, found = {first}, [first], list[State]()
        while waiting:
            look()
            state = waiting.pop()
            after = [] if self._others_move(state) else list(self._steps(state))
            (self.inside if after else found).append(state)
            for new in after:
                if new not in seen:
                    seen.add(new)
                    waiting.append(new)
            if len(seen) > MOST_STATES:
                return []
        return [] if found == [first] else found

    def _others_move(self, state: State) -> bool:
        """Whether the guard of an event of another process holds."""
        return any(
            self._holds(self.others[number].guard, state) for number in self._foreign.at(state)
        )

    def _holds(self, guard: Iterable[Formula], state: State) -> bool:
        return all(self.frame.truth(part, state) is True for part in guard)

    def too_weak(self, guards: Mapping[str, Sequence[Formula]]) -> set[str]:
        """The events of other processes, by name, whose new guards hold somewhere inside."""
        found: set[str] = set()
        for state in self.inside:
            look()
            for number in self._foreign.at(state):
                name = self.others[number].name
                if name in guards and name not in found and self._holds(guards[name], state):
                    found.add(name)
        return found

    def _steps(self, state: State) -> Iterator[State]:
        for number in self._own.at(state):
            move = self._moves[number]
            for after in self.execution.execute(move, state):
                self.happened.add(move.copies[0].event.name)
                yield after


def _known(
    type_: ElementaryType, first: str, prologue: _Prologue, ends: Sequence[State]
) -> Iterator[Event]:
    """The events that are possible, those of the other processes with what is constant for them."""
    flow = Flow(type_, _held(prologue.shape, ends))
    possible = {id(event) for event in flow.possible()}
    constants = {
        v.name: min(flow.held[v.name])
        for v in type_.variables
        if v.size is None and v.name not in flow.anything and len(flow.held[v.name]) == 1
    }
    folder = Folder(sizes=dict.fromkeys(constants), constants=constants)

    def change(statement: Statement) -> tuple[Statement, ...]:
        return (map_expressions(statement, folder.simplify, folder.target),)

    others = [e for e in type_.events if e.process != first and id(e) in possible]
    guards = {event.name: _folded(event, folder) for event in others}
    kept = prologue.too_weak({name: g for name, g in guards.items() if g is not None})
    for event in type_.events:
        if event.process == first:
            if id(event) in possible or event.name in prologue.happened:
                yield event
        elif id(event) in possible:
            guard = event.guard if event.name in kept else guards[event.name]
            if guard is not None:
                yield replace(event, guard=guard, body=map_body(event.body, change))


def _folded(event: Event, folder: Folder) -> tuple[Formula, ...] | None:
    """The guard with constants, but for what requires a value; none where it never holds."""
    premises = tuple(part for part in event.guard if any(equalities([part])))
    others = folder.guard(part for part in event.guard if not any(equalities([part])))
    return None if others is None else (*premises, *others)


def _held(shape: Shape, ends: Sequence[State]) -> dict[Holder, set[int]]:
    """What variables, and messages in channels, hold in some states."""
    found: dict[Holder, set[int]] = {}
    for name, slot in shape.variables.items():
        found[name] = {state[cell] for state in ends for cell in slot.cells}
    for name, channel in shape.channels.items():
        width = len(channel.fields)
        step = 1 + channel.capacity * width
        for queue in range(channel.size or 1):
            base = channel.offset + queue * step
            for state in ends:
                for place in range(state[base] * width if channel.capacity else 0):
                    holder = (name, place % width)
                    found.setdefault(holder, set()).add(state[base + 1 + place])
    return found


__all__ = ["fold_prologue"]
