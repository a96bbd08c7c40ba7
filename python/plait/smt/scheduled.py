"""The relation copied along a run, each step restricted to the events of a schedule.

A step of a process has new variables only for the cells that its events write; all other cells are
the same terms as before, so that nothing is left to be found out about them. One literal stands for
each event that may be chosen, and one for *idling*: nothing changes, where no event of the step is
enabled. A process idles where it cannot go ahead, and all of them together in a deadlock, which
repeats for ever.

With `conflicts` several events may be chosen for one step of all: those no two of which conflict,
that is, touch what the other one writes. They can be executed in any order, to the same state
(the *steps* of Jussila's and others' bounded model checking of asynchronous systems, 2005).

Invariant: what idles leaves the whole state as it was, where the thesis only asks for equal labels.
So the run without its idle steps is one of the model.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

import z3

from plait.model.shape import State, Trace
from plait.records import dataclass
from plait.smt.make import Term, all_of, equal, negation, some_of
from plait.smt.paths import Path
from plait.smt.relation import Relation
from plait.smt.schedule import Schedule
from plait.smt.unrolling import substituted


@dataclass(frozen=True, slots=True)
class _Group:
    """The events of a step: a term over the state before and after, and over who is chosen."""

    step: Term
    cells: tuple[int, ...]
    """Those that some event writes, by their place among the variable ones."""
    literals: tuple[Term, ...]
    """One for each option: first those of `events`, then the idle one."""
    choice: Term
    events: tuple[int, ...]
    writes: tuple[tuple[int, ...], ...]
    """The cells that each of the options writes."""


class ScheduledRun:
    """A run of a model in a solver, from its initial state."""

    def __init__(
        self,
        relation: Relation,
        solver: Any,
        schedule: Schedule,
        safe: Sequence[Sequence[int]] = (),
        conflicts: Collection[tuple[int, int]] | None = None,
    ) -> None:
        """`safe` are the numbers of the events of each process of the schedule.

        `conflicts` are pairs of events, the lesser first; without them no two happen in one step.
        """
        self.relation = relation
        self.solver = solver
        self.schedule = schedule
        self._numbers = [i for i, c in enumerate(relation.cells) if c.before is not None]
        self._cells = [relation.cells[i] for i in self._numbers]
        self._before = [c.before for c in self._cells]
        initial = relation.initial
        first = [c.literal(initial[i]) for i, c in zip(self._numbers, self._cells, strict=True)]
        self.states: list[list[Term]] = [first]
        self._full = self._group(relation.paths, conflicts)
        self._groups = [
            self._group([p for p in relation.paths if p.event in set(events)]) for events in safe
        ]
        self._chosen: list[tuple[_Group, tuple[Term, ...]]] = []

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return len(self._chosen)

    def extend(self) -> None:
        """One step more, by the relation that the schedule has there."""
        at = self.steps
        process = self.schedule.process(at)
        group = self._full if process is None else self._groups[process]
        after = list(self.states[-1])
        for place in group.cells:
            after[place] = z3.BitVec(f"c{self._numbers[place]}@{at + 1}", self._cells[place].bits)
        literals = tuple(z3.Bool(f"e{at}.{i}") for i in range(len(group.literals)))
        choice = z3.BitVec(f"choice@{at}", group.choice.size())
        old = [*self._before, *(self._cells[p].after for p in group.cells)]
        new = [*self.states[-1], *(after[p] for p in group.cells)]
        old += [*group.literals, group.choice]
        self.solver.add(substituted(group.step, old, [*new, *literals, choice]))
        self.states.append(after)
        self._chosen.append((group, literals))

    def at(self, term: Term, position: int) -> Term:
        """A term over one state, in that of a position."""
        return substituted(term, self._before, self.states[position])

    def fresh_state(self, name: str) -> list[Term]:
        """Variables for one state more."""
        return [
            z3.BitVec(f"{name}{i}", c.bits) for i, c in zip(self._numbers, self._cells, strict=True)
        ]

    def is_state(self, position: int, state: Sequence[Term]) -> Term:
        """That the state of a position is another one."""
        return all_of([equal(a, b) for a, b in zip(self.states[position], state, strict=True)])

    def trace(self, length: int) -> tuple[Trace, list[int]]:
        """The run that the solver found without its idle steps, and the place of each position."""
        model = self.solver.model()
        trace: Trace = [(None, self._state(model, 0))]
        places = [0]
        for at in range(length):
            group, literals = self._chosen[at]
            chosen = [i for i, e in enumerate(literals) if z3.is_true(model.eval(e))]
            after = self._state(model, at + 1)
            for option in chosen:
                if option < len(group.events):
                    # Of several that happen together each changes only what it writes.
                    state = list(trace[-1][1])
                    for cell in group.writes[option]:
                        state[cell] = after[cell]
                    trace.append((group.events[option], tuple(state)))
            places.append(len(trace) - 1)
        return trace, places

    def holds(self, term: Term) -> bool:
        """Whether a term holds in the run that the solver found."""
        return bool(z3.is_true(self.solver.model().eval(term, model_completion=True)))

    def _state(self, model: Any, position: int) -> State:
        state = [
            initial if cell.before is not None else cell.range[0]
            for initial, cell in zip(self.relation.initial, self.relation.cells, strict=True)
        ]
        terms = self.states[position]
        for i, cell, term in zip(self._numbers, self._cells, terms, strict=True):
            state[i] = cell.read(model.eval(term, model_completion=True).as_long())
        return tuple(state)

    def _group(
        self, paths: Sequence[Path], conflicts: Collection[tuple[int, int]] | None = None
    ) -> _Group:
        """One step by one of these paths, or by several; or an idle one where none gets through."""
        place = {number: p for p, number in enumerate(self._numbers)}
        bits = len(paths).bit_length() or 1
        choice = z3.BitVec("choice", bits)
        literals = tuple(z3.Bool(f"option{i}") for i in range(len(paths) + 1))
        parts: list[Term] = [some_of(literals)]
        writers: dict[int, list[Term]] = {}
        idle = literals[-1]
        for i, path in enumerate(paths):
            self.relation.terms.count(2 + 2 * len(path.writes))
            does = [path.passes]
            if conflicts is None:
                does.append(equal(choice, z3.BitVecVal(i, bits)))
            for cell, value in path.writes.items():
                at = self.relation.cells[cell]
                does.append(equal(at.value(at.after), value))
                if cell in place:
                    writers.setdefault(place[cell], []).append(literals[i])
            parts.append(some_of([negation(literals[i]), all_of(does)]))
            parts.append(some_of([negation(idle), negation(path.passes)]))
        parts.append(some_of([negation(idle), equal(choice, z3.BitVecVal(len(paths), bits))]))
        for p, who in writers.items():
            kept = self._cells[p]
            parts.append(some_of([equal(kept.after, kept.before), *who]))
        if conflicts is not None:
            for i, j in combinations(range(len(paths)), 2):
                pair = tuple(sorted((paths[i].event, paths[j].event)))
                if pair[0] == pair[1] or pair in conflicts:
                    self.relation.terms.count()
                    parts.append(some_of([negation(literals[i]), negation(literals[j])]))
        events = tuple(path.event for path in paths)
        return _Group(
            z3.simplify(all_of(parts)),
            tuple(sorted(writers)),
            literals,
            choice,
            events,
            tuple(tuple(path.writes) for path in paths),
        )
