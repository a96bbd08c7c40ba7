"""Partial exploration: sets of states, reduced by the events that one process may do first.

After Vander Meulen (*Combining Partial Order Reduction with Symbolic Model Checking*, 2012, chapter
3). A phase expands the frontier by the safe events of each process in turn (`process_model`), as
long as that brings something new; then what is left of the frontier is expanded by all events. The
states of a cycle of safe events stay in the frontier and are expanded by all events in the end, so
that nothing is put off for ever. With a set to stay inside, the result decides E U and E G for
formulas without X that read what is observed:

    some state of the start satisfies E [f U g]  iff  the result meets g
    some state of the start satisfies E G f      iff  an endless path stays in f and the result

Invariant (the thesis's F-arrangement): every state of `visited` that is not in the frontier has had
its successors, all of them or those of a process; every state is reached inside. Unlike the text of
the thesis, no state is expanded by a process that cannot move there, nothing visited is taken from
the frontier but after an expansion by all events, and that uses all events, not the unsafe ones
alone. `improviso` is the older search that it improves on (Lerda, Sinha, Theobald 2003), with the
thesis's corrections and a test that ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Literal, Protocol, TypeVar, get_args

from plait import _core
from plait.engines.partial.process_model import SafeProcess
from plait.records import dataclass, field

States = _core.StateSet
S = TypeVar("S")
"""Sets of states; those of a product are others than those of a model."""
Variant = Literal[1, 2, 3]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
Keep = Literal["ctl", "ltl", "deadlocks"]
KEEPS: tuple[Keep, ...] = get_args(Keep)


class Sets(Protocol[S]):
    """What a search does with sets, and the steps between them."""

    def image(self, states: S, events: Sequence[int], /) -> S:
        """What some events lead to."""

    def enabled(self, states: S, events: Sequence[int], /) -> S:
        """The states of a set in which one of some events is enabled."""

    def union(self, a: S, b: S, /) -> S:
        """What is in one set or the other."""

    def intersection(self, a: S, b: S, /) -> S:
        """What is in both sets."""

    def difference(self, a: S, b: S, /) -> S:
        """What is in the first set only."""

    def size(self, states: S, /) -> int:
        """The nodes of the diagram of a set."""


@dataclass(slots=True)
class Figures:
    """What a search took: images of sets, and the diagrams of its frontiers."""

    images: int = 0
    frontiers: int = 0
    frontier_nodes: int = 0
    greatest_frontier: int = 0
    rounds: int = 0
    """Expansions by all events."""

    def shown(self) -> dict[str, object]:
        """For the statistics of an answer."""
        mean = self.frontier_nodes / self.frontiers if self.frontiers else 0.0
        return {
            "images": self.images,
            "expansions": self.rounds,
            "mean_frontier_nodes": round(mean, 1),
            "greatest_frontier_nodes": self.greatest_frontier,
        }


@dataclass(slots=True)
class PartialExploration(Generic[S]):
    """Explores a program in diagrams, whose reachable states need not be known."""

    core: Sets[S]
    events: Sequence[int]
    """All events that happen on their own."""
    processes: Sequence[SafeProcess]
    variant: Variant = 1
    """Which states a process expands: all where it can move; those not visited before; or those
    that were not expanded by all events."""
    only_deadlocks: bool = False
    """Leave out what was visited: of all properties only deadlocks are kept."""
    tell: Callable[[Figures, S], None] | None = None
    """Is called after each image, with the frontier."""
    figures: Figures = field(default_factory=Figures)

    def __call__(self, start: S, inside: Callable[[S], S] | None = None) -> S:
        """The states found from some, going on from those that are inside."""
        search = _Search(self, start, inside or (lambda states: states))
        while search.frontier:
            search.phase()
            search.expand()
        return search.visited

    def image(self, states: S, events: Sequence[int]) -> S:
        """The states that some events lead to."""
        self.figures.images += 1
        return self.core.image(states, events)

    def note(self, frontier: S) -> None:
        """Take the size of a frontier."""
        nodes = self.core.size(frontier)
        figures = self.figures
        figures.frontiers += 1
        figures.frontier_nodes += nodes
        figures.greatest_frontier = max(figures.greatest_frontier, nodes)
        if self.tell is not None:
            self.tell(figures, frontier)

    def improviso(self, start: S) -> S:
        """The states found by ImProviso: what is met again in one phase is expanded by all events,
        and that means by those that are in no process."""
        core = self.core
        safe = {e for p in self.processes for e in p.events}
        rest = [e for e in self.events if e not in safe]
        nothing = core.difference(start, start)
        visited, queue, frontier = nothing, nothing, start
        while frontier:
            while True:
                before = core.union(queue, frontier)
                for process in self.processes:
                    queue, frontier = self._one_process(process, queue, frontier)
                if core.union(queue, frontier) == before:
                    break
            visited = core.union(visited, core.union(queue, frontier))
            queue = nothing
            self.figures.rounds += 1
            frontier = core.difference(self.image(frontier, rest), visited)
        return visited

    def _one_process(self, process: SafeProcess, queue: S, frontier: S) -> tuple[S, S]:
        core = self.core
        ends = core.difference(frontier, core.enabled(frontier, process.events))
        while frontier:
            queue = core.union(queue, frontier)
            frontier = self.image(frontier, process.events)
            ends = core.union(ends, core.intersection(queue, frontier))
            frontier = core.difference(frontier, queue)
            stuck = core.difference(frontier, core.enabled(frontier, process.events))
            ends = core.union(ends, stuck)
        return queue, ends


class _Search(Generic[S]):
    """One run of the search."""

    def __init__(self, of: PartialExploration[S], start: S, inside: Callable[[S], S]) -> None:
        self.of = of
        self.core = of.core
        self.inside = inside
        self.visited = of.core.difference(start, start)
        self.expanded = self.visited
        self.frontier = start

    def phase(self) -> None:
        """Expand by one process after the other until nothing is new."""
        self._settle(self._all_processes)

    def expand(self) -> None:
        """Expand the frontier by all events."""
        core, of = self.core, self.of
        self.visited = core.union(self.visited, self.frontier)
        self.expanded = core.union(self.expanded, self.frontier)
        image = of.image(self.inside(self.frontier), of.events)
        of.figures.rounds += 1
        self.frontier = core.difference(image, self.visited)
        of.note(self.frontier)

    def _all_processes(self) -> None:
        for process in self.of.processes:
            self._settle(lambda process=process: self._partially(process))  # type: ignore[misc]

    def _partially(self, process: SafeProcess) -> None:
        """Expand the states where the process can move by its events alone."""
        core, of = self.core, self.of
        chosen = core.enabled(self._chosen(), process.events)
        self.visited = core.union(self.visited, chosen)
        image = of.image(self.inside(chosen), process.events)
        if of.only_deadlocks:
            image = core.difference(image, self.visited)
        self.frontier = core.union(core.difference(self.frontier, chosen), image)
        of.note(self.frontier)

    def _chosen(self) -> S:
        if self.of.variant == 2:
            return self.core.difference(self.frontier, self.visited)
        if self.of.variant == 3:
            return self.core.difference(self.frontier, self.expanded)
        return self.frontier

    def _settle(self, step: Callable[[], None]) -> None:
        """A step again and again until all that is known does not change."""
        core = self.core
        before = core.union(self.visited, self.frontier)
        while True:
            step()
            after = core.union(self.visited, self.frontier)
            if after == before:
                return
            before = after
