"""Which processes run which, without loops: the numbers that each process can have.

Then every `run` is executed at most once by each process, and all processes that ever exist are the
nodes of a finite tree. A process gets the number of processes that exist at its start. Its parent
is one of them, and only the youngest can disappear, so the number is greater than the parent's. At
most those exist that may have been started before: neither what it runs itself, nor what the same
parent runs only later. Where two processes are run one after the other inside `atomic`, the
second has the next number.

Invariant: in every run of the text, the number of the process that a node stands for lies between
`lowest` and `highest` of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.lang.promela.flow import Edge, Flow, Location, keeps_control, resolve
from plait.lang.promela.statements import RunStep
from plait.records import dataclass, field


@dataclass(slots=True, eq=False)
class Descendant:
    """A process that may be run once, by one process, at one place."""

    proctype: str
    parent: Descendant | None
    unstarted: list[Descendant] = field(default_factory=list)
    """What the same parent cannot have run before it."""
    after: Descendant | None = None
    """What was run just before it, with nothing in between."""
    size: int = 1
    """How many processes it and its own descendants are."""
    lowest: int = 0
    highest: int = 0


def descendants(
    first: Sequence[tuple[int, Flow]], flow_of: Callable[[str], Flow], initial: int, most: int
) -> list[Descendant] | None:
    """All that the first processes, given with their numbers, can run, parents first.

    None when something is run in a loop, or when there may be more than `most`.
    """
    found: list[Descendant] = []
    floor = 0
    families: list[tuple[Flow, Descendant | None, int]] = []
    for number, flow in first:
        families.append((flow, None, number + 1))
        if not reaches(flow.start, flow.end):
            floor = max(floor, number + 1)
    for flow, parent, lowest in families:
        children = _children(flow, parent)
        if children is None or len(found) + len(children) > most:
            return None
        for child in children:
            child.lowest = max(lowest, floor)
            if child.after is not None:
                child.lowest = max(child.lowest, child.after.lowest + 1)
            found.append(child)
            families.append((flow_of(child.proctype), child, child.lowest + 1))
    for child in reversed(found):
        if child.parent is not None:
            child.parent.size += child.size
    for child in found:
        later = sum(other.size for other in child.unstarted)
        child.highest = initial + len(found) - child.size - later
        if child.after is not None:
            child.highest = min(child.highest, child.after.highest + 1)
    return found


def run_edges(flow: Flow) -> list[tuple[Location, Location, str]]:
    """Where something is run, where that leads, and what it is."""
    return [(at, resolve(e.target)[0], step.process) for at, e, step in _runs(flow)]


def reaches(start: Location, goal: Location) -> bool:
    """Whether one location can be reached from another."""
    seen = {id(start)}
    queue = [start]
    for at in queue:
        if at is goal:
            return True
        for edge in at.edges:
            target, _ = resolve(edge.target)
            if id(target) not in seen:
                seen.add(id(target))
                queue.append(target)
    return False


def _runs(flow: Flow) -> list[tuple[Location, Edge, RunStep]]:
    return [
        (at, e, e.step) for at in flow.locations for e in at.edges if isinstance(e.step, RunStep)
    ]


def _children(flow: Flow, parent: Descendant | None) -> list[Descendant] | None:
    """What one process runs; None when it may run something twice.

    In an order in which whatever another one directly follows stands before it.
    """
    sites = _runs(flow)
    made = [Descendant(step.process, parent) for _, _, step in sites]
    for number, (at, edge, _) in enumerate(sites):
        target, _ = resolve(edge.target)
        if reaches(target, at):
            return None
        for other, (_, before, _) in enumerate(sites):
            reached, _ = resolve(before.target)
            if other == number:
                continue
            if not reaches(reached, at):
                made[number].unstarted.append(made[other])
            if reached is at and keeps_control(before) and _entered_once(flow, at):
                made[number].after = made[other]
    order = {id(child): number for number, child in enumerate(made)}
    return sorted(made, key=lambda child: (_behind(child), order[id(child)]))


def _entered_once(flow: Flow, at: Location) -> bool:
    """Whether one statement alone leads here."""
    return len(flow.entering(at)) == 1 and at is not flow.start


def _behind(child: Descendant) -> int:
    """How many were run just before it, one after the other."""
    count = 0
    while child.after is not None:
        child, count = child.after, count + 1
    return count
