"""Smaller automata with the same language.

| step | why the language stays |
|---|---|
| `prune` | no accepting run meets a state that reaches no accepting component |
| | (and marks off the cycles do not matter) |
| `fewer_acceptances` | a set that holds all arcs of another is met whenever the other is |
| `quotient` | states with the same arcs, up to such states, are bisimilar |
| `reduce_by_simulation` | states that simulate each other are merged, |
| | and an arc goes that another arc of its state simulates |

The last is direct simulation: `q` is simulated by `r` when each arc of `q` has one of `r` that
reads at least its letters, has at least its marks, and leads to a state that simulates its own. A
run can be followed step by step through the arcs that stay, since what is dropped is simulated by
something that is kept (Somenzi and Bloem, CAV 2000; Babiak, Badie, Duret-Lutz, Křetínský, Strejček,
*Compositional approach to suspension and other improvements to LTL translation*, SPIN 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from plait.automata.automaton import Arc, Automaton
from plait.automata.components import components
from plait.records import replace

SIMULATION_WORK = 2_000_000
"""Pairs of arcs that simulation compares in one round at most."""


def simplify(automaton: Automaton, tick: Callable[[], None] = lambda: None) -> Automaton:
    """All steps, until nothing changes."""
    while True:
        before = automaton
        for step in (prune, fewer_acceptances, quotient):
            tick()
            automaton = step(automaton)
        automaton = reduce_by_simulation(automaton, tick)
        if automaton == before:
            return automaton


def accepting_components(automaton: Automaton) -> list[list[int]]:
    """The reachable components with a cycle that has all marks."""
    return [c for c, marks in _cyclic(automaton) if marks == automaton.all_marks]


def _cyclic(automaton: Automaton) -> Iterable[tuple[list[int], int]]:
    """The reachable components that have an arc inside, and the union of its marks."""
    for component in components([[a.target for a in row] for row in automaton.arcs]):
        inside = set(component)
        arcs = [a for q in component for a in automaton.arcs[q] if a.target in inside]
        if arcs:
            marks = 0
            for arc in arcs:
                marks |= arc.marks
            yield component, marks


def prune(automaton: Automaton) -> Automaton:
    """Without the states from which nothing is accepted, and without marks off the cycles."""
    component_of: dict[int, int] = {}
    for number, component in enumerate(accepting_components(automaton)):
        component_of.update(dict.fromkeys(component, number))
    before: list[list[int]] = [[] for _ in automaton.arcs]
    for state, row in enumerate(automaton.arcs):
        for arc in row:
            before[arc.target].append(state)
    useful = set(component_of)
    stack = list(useful)
    while stack:
        new = [q for q in before[stack.pop()] if q not in useful]
        useful.update(new)
        stack.extend(new)
    rows = []
    for state, row in enumerate(automaton.arcs):
        here = component_of.get(state)
        kept = [a for a in row if state in useful and a.target in useful]
        rows.append(
            [
                a
                if here is not None and component_of.get(a.target) == here
                else replace(a, marks=0)
                for a in kept
            ]
        )
    return _reachable(rows, automaton.acceptances)


def _reachable(rows: list[list[Arc]], acceptances: int) -> Automaton:
    """The automaton of these arcs, its states numbered from 0 in the order they are found."""
    numbers = {0: 0}
    queue = [0]
    for state in queue:
        for arc in rows[state]:
            if arc.target not in numbers:
                numbers[arc.target] = len(numbers)
                queue.append(arc.target)
    return Automaton(
        tuple(
            tuple(_weakest([replace(a, target=numbers[a.target]) for a in rows[state]]))
            for state in queue
        ),
        acceptances,
    )


def _weakest(arcs: list[Arc]) -> list[Arc]:
    """Without arcs that another arc to the same state makes needless."""
    kept: list[Arc] = []
    for arc in dict.fromkeys(arcs):
        if any(_covers(k, arc) and k.target == arc.target for k in kept):
            continue
        kept = [k for k in kept if not (_covers(arc, k) and k.target == arc.target)]
        kept.append(arc)
    return kept


def _covers(wide: Arc, narrow: Arc) -> bool:
    """Reads at least the letters and has at least the marks."""
    return (
        not wide.positive & ~narrow.positive
        and not wide.negative & ~narrow.negative
        and not narrow.marks & ~wide.marks
    )


def fewer_acceptances(automaton: Automaton) -> Automaton:
    """Without acceptance sets that hold all arcs of another set."""
    members: list[set[tuple[int, int]]] = [set() for _ in range(automaton.acceptances)]
    for state, row in enumerate(automaton.arcs):
        for place, arc in enumerate(row):
            for i in range(automaton.acceptances):
                if arc.marks >> i & 1:
                    members[i].add((state, place))
    needed: list[int] = []
    for i, mine in enumerate(members):
        within = (j for j in range(len(members)) if j != i and members[j] <= mine)
        # Of equal sets the first is kept.
        if not any(members[j] < mine or j < i for j in within):
            needed.append(i)
    if len(needed) == automaton.acceptances:
        return automaton

    def chosen(marks: int) -> int:
        return sum(1 << place for place, i in enumerate(needed) if marks >> i & 1)

    rows = tuple(tuple(replace(a, marks=chosen(a.marks)) for a in row) for row in automaton.arcs)
    return Automaton(rows, len(needed))


def quotient(automaton: Automaton) -> Automaton:
    """With bisimilar states merged: the coarsest partition that agrees on the arcs."""
    block = [0] * len(automaton.arcs)
    count = 1
    while True:
        signatures: dict[tuple[int, frozenset[Arc]], int] = {}
        finer = []
        for state, row in enumerate(automaton.arcs):
            arcs = frozenset(replace(a, target=block[a.target]) for a in row)
            finer.append(signatures.setdefault((block[state], arcs), len(signatures)))
        block = finer
        if len(signatures) == count:
            return _merged(automaton, block)
        count = len(signatures)


def _merged(automaton: Automaton, block: list[int]) -> Automaton:
    """One state for each block, with the arcs of its first state; state 0 stays first."""
    rows: dict[int, list[Arc]] = {}
    for state, row in enumerate(automaton.arcs):
        if block[state] not in rows:
            rows[block[state]] = [replace(a, target=block[a.target]) for a in row]
    first = block[0]
    order = {first: 0, **{b: i for i, b in enumerate((b for b in rows if b != first), start=1)}}
    ordered = [[replace(a, target=order[a.target]) for a in rows[b]] for b in order]
    return _reachable(ordered, automaton.acceptances)


def reduce_by_simulation(
    automaton: Automaton, tick: Callable[[], None] = lambda: None
) -> Automaton:
    """With states that simulate each other merged, and simulated arcs dropped."""
    if automaton.arc_count**2 > SIMULATION_WORK:
        return automaton
    above = simulators(automaton, tick)
    block = [
        next(r for r in range(state + 1) if above[state] >> r & 1 and above[r] >> state & 1)
        for state in range(len(automaton.arcs))
    ]
    rows = [_largest(row, above) for row in automaton.arcs]
    return _merged(Automaton(tuple(map(tuple, rows)), automaton.acceptances), block)


def _largest(row: tuple[Arc, ...], above: list[int]) -> list[Arc]:
    """The arcs that no other arc of the state simulates; of those that do each other, the first."""

    def simulated(arc: Arc, other: Arc) -> bool:
        return _covers(other, arc) and bool(above[arc.target] >> other.target & 1)

    return [
        arc
        for place, arc in enumerate(row)
        if not any(
            simulated(arc, other) and (earlier < place or not simulated(other, arc))
            for earlier, other in enumerate(row)
            if earlier != place
        )
    ]


def simulators(automaton: Automaton, tick: Callable[[], None]) -> list[int]:
    """For each state the set of states that simulate it: the largest such relation."""
    size = len(automaton.arcs)
    above = [(1 << size) - 1] * size
    changed = True
    while changed:
        changed = False
        tick()
        for state, row in enumerate(automaton.arcs):
            for other in range(size):
                if above[state] >> other & 1 and not all(
                    any(
                        _covers(b, a) and above[a.target] >> b.target & 1
                        for b in automaton.arcs[other]
                    )
                    for a in row
                ):
                    above[state] &= ~(1 << other)
                    changed = True
    return above
