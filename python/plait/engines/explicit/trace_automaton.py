"""The reduced graph of a model, and which runs of the model it stands for.

With persistent sets, sleep sets and the proviso the graph that a search executes is a *trace
automaton* (Godefroid's thesis, theorems 6.11 and 6.12): every run of the model is a prefix of one
that differs from a run of the graph only in the order of independent events. So the graph executes
the same events, and `represents` says of a run why it need not be searched for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from plait import _core
from plait.engines.explicit.dependency import Dependency, dependency
from plait.engines.explicit.reduction import Reduction, parts_for
from plait.errors import LimitReached, error
from plait.model.types import Model
from plait.passes import flat
from plait.program import compile_model
from plait.records import dataclass
from plait.reference.traces import TraceAutomaton, Word


@dataclass(frozen=True, slots=True)
class ReducedGraph:
    """States by number, the initial one first; events by their number in `dependency.events`."""

    dependency: Dependency
    arcs: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def automaton(self) -> TraceAutomaton:
        """The graph with the constant dependency of its events."""
        related = tuple(map(frozenset, self.dependency.depend))
        return TraceAutomaton(self.arcs, lambda a, b: b in related[a])

    def represents(self, titles: Sequence[str]) -> bool:
        """Whether a run with these events is a prefix of a trace of the graph.

        Of events that share a title any will do.
        """
        numbers: dict[str, list[int]] = {}
        for n, title in enumerate(self.dependency.events):
            numbers.setdefault(title, []).append(n)
        for title in titles:
            if title not in numbers:
                raise error(f"there is no event '{title}'")
        words: Iterable[Word] = product(*(numbers[title] for title in titles))
        return any(map(self.automaton.represents, words))


def trace_automaton(
    model: Model, reduction: Reduction | None = None, *, limit: int | None = None
) -> ReducedGraph:
    """The graph that a depth-first search executes, by default one with all three parts.

    With sleep sets and the proviso it is a trace automaton of the constant dependency. Without
    sleep sets independence is judged state by state, and `represents` may deny a run that another
    stands for; without the proviso a run may be missing. `LimitReached` when the graph has more
    than `limit` states.
    """
    small = flat(model).model
    found = dependency(small)
    asked = reduction or Reduction("ps+sleep+prov", order="dfs")
    parts = parts_for(asked, ["deadlocks"])
    compiled = compile_model(small)
    try:
        graph = _core.explore(
            compiled.program,
            goals=[],
            bounds=[],
            stop_when_decided=False,
            max_states=limit,
            depth_first=parts.depth_first,
            persistent=parts.persistent,
            sleep=parts.sleep,
            proviso=parts.proviso,
            components=parts.components,
            record=True,
        )
    except _core.ProgramError as failure:
        raise error(str(failure)) from None
    if not graph.complete:
        raise LimitReached(graph.reason or "states")
    events = _core.dependency(compiled.program)["events"]
    number = {event: n for n, event in enumerate(events)}
    arcs: list[list[tuple[int, int]]] = [[] for _ in range(graph.states)]
    for source, event, target in graph.graph:
        arcs[source].append((number[event], target))
    return ReducedGraph(found, tuple(map(tuple, arcs)))
