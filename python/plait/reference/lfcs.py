"""Processes, objects and transitions: the systems of Godefroid's thesis (section 2.1).

A transition moves its *active* processes from one local state to another, all at once, and uses
operations of objects in sequence. It is enabled when every active process is at its place, every
operation is defined, and every output that is asked for is the one that is given: that an operation
is defined is part of it and needs no guard. A transition must not use an object again after it has
changed it, which the dependency of transitions relies on (section 3.4.3).

The relations between transitions come from tables of the objects (`plait.reference.objects`), so
that a new type of object is known to `plait.reference.reduced` as soon as it is written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from plait.errors import error
from plait.records import dataclass, field
from plait.reference.objects import ObjectType, Table
from plait.reference.reduced import Relations, Set, State

ANY = object()
"""Any output will do."""


@dataclass(frozen=True, slots=True)
class Use:
    """An operation of an object with an input, and the output that it must give."""

    object: str
    operation: str
    input: Any = None
    output: Any = ANY


@dataclass(frozen=True, slots=True)
class Transition:
    """Processes with the local states they leave and enter, and operations in sequence."""

    name: str
    moves: Mapping[str, tuple[int, int]]
    uses: Sequence[Use] = ()


@dataclass(slots=True)
class System:
    """Processes and objects with their first local states and values, and the transitions.

    A state has the local state of each process, then the value of each object.
    """

    processes: Mapping[str, int]
    objects: Mapping[str, tuple[ObjectType, Any]]
    moves: Sequence[Transition]
    tables: Mapping[str, Table] = field(default_factory=dict)
    """For objects whose table is not the definition of dependence itself."""

    def __post_init__(self) -> None:
        for transition in self.moves:
            self._refuse_use_after_change(transition)

    def _refuse_use_after_change(self, transition: Transition) -> None:
        changed: set[str] = set()
        for use in transition.uses:
            if use.object in changed:
                raise error(f"{transition.name} uses {use.object} after it has changed it")
            kind = self.objects[use.object][0]
            operation = kind.operations[use.operation]
            for value in kind.values:
                result = operation.apply(use.input, value)
                if result is not None and result[1] != value:
                    changed.add(use.object)

    @property
    def initial(self) -> State:
        """The first state."""
        return (*self.processes.values(), *(value for _, value in self.objects.values()))

    def execute(self, move: Transition, state: State) -> list[State]:
        """The state that a transition leads to; none where it is not enabled."""
        local = dict(zip(self.processes, state, strict=False))
        values = dict(zip(self.objects, state[len(local) :], strict=True))
        if any(local[p] != source for p, (source, _) in move.moves.items()):
            return []
        for use in move.uses:
            operation = self.objects[use.object][0].operations[use.operation]
            result = operation.apply(use.input, values[use.object])
            if result is None or use.output not in (ANY, result[0]):
                return []
            values[use.object] = result[1]
        local |= {p: target for p, (_, target) in move.moves.items()}
        return [(*local.values(), *values.values())]

    def local(self, state: State, process: int) -> int:
        """The local state of a process."""
        found: int = state[process]
        return found

    def relations(self) -> Relations:
        """The relations between the transitions, constant ones."""
        numbers = {p: n for n, p in enumerate(self.processes)}
        active = [{numbers[p]: a for p, (a, _) in t.moves.items()} for t in self.moves]
        size = range(len(self.moves))
        shared = [self._related(a, "can_be_dependent") for a in size]
        disagree = [self._related(a, "do_not_accord") for a in size]
        known = Relations((), (), shared, active)
        conflict, depend = [], []
        for a in size:
            together = [b for b in size if not known.parallel(a, b)]
            at_once = {b for b in together if self._both_at_place(a, b)}
            apart = {b for b in size if known.parallel(a, b)}
            conflict.append(frozenset(at_once | (disagree[a] & apart)))
            depend.append(frozenset({*together} | (shared[a] & apart)))
        return Relations(conflict, depend, shared, active)

    def _both_at_place(self, a: int, b: int) -> bool:
        first, second = self.moves[a].moves, self.moves[b].moves
        return all(second[p][0] == place[0] for p, place in first.items() if p in second)

    def _related(self, a: int, relation: str) -> Set:
        """The transitions with an operation that is so related to one of this transition."""
        found = set()
        for b, other in enumerate(self.moves):
            for x, y in product(self.moves[a].uses, other.uses):
                kind = self.objects[x.object][0]
                table = self.tables.get(x.object, kind.dependent)
                related = getattr(kind, relation)
                if x.object == y.object and related(table, x.operation, y.operation):
                    found.add(b)
        return frozenset(found)
