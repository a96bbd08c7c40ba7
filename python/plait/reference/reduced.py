"""The searches of Godefroid's thesis that leave events out, executed naively.

One search with the parts that the native one has: persistent sets (Algorithms 1 and 2, figures 4.2
and 4.3 of the thesis), sleep sets (figure 5.2), the proviso and the delayed visits (figure 6.2). It
is given the relations between events and executes the model by its definition, so that every
counter of the native search can be held against one that was written down from the figures.

Everything that is executed is written down: see `Visit`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from plait.records import dataclass, field

State = tuple[Any, ...]
Set = frozenset[int]
NOTHING: Set = frozenset()


class Steps(Protocol):
    """A system that can be executed: a model (`plait.reference.Semantics`), or processes and
    objects (`plait.reference.lfcs`). Its moves are the events, numbered as they stand."""

    @property
    def initial(self) -> State:
        """The first state."""
        ...

    @property
    def moves(self) -> Sequence[Any]:
        """The events."""
        ...

    def execute(self, move: Any, state: State) -> Sequence[State]:
        """The states that an event leads to."""
        ...


@dataclass(frozen=True, slots=True)
class Relations:
    """What is known of the events of a model, each by its number.

    `conflict`: they do not accord where both are enabled; `depend`: that, or one can enable the
    other; `shared`: they use an object in ways that can be dependent; `active`: the processes that
    move, each with the local state that it leaves.
    """

    conflict: Sequence[Set]
    depend: Sequence[Set]
    shared: Sequence[Set]
    active: Sequence[dict[int, int]]

    def parallel(self, a: int, b: int) -> bool:
        """Whether no process moves in both."""
        return self.active[a].keys().isdisjoint(self.active[b])

    def choice(self, a: int, b: int) -> bool:
        """Whether some process chooses between them in one local state."""
        return any(self.active[b].get(p) == local for p, local in self.active[a].items())


Accept = Callable[[Set], bool]
Local = Callable[[State, int], int]
"""The local state of a process."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Events executed on one visit of a state, and those that slept when it began."""

    state: State
    executed: tuple[int, ...]
    asleep: Set
    again: bool
    """The state had been visited before."""
    stacked: tuple[State, ...] = ()
    """The states on the stack, in a depth-first search."""


@dataclass(slots=True)
class Run:
    """What a search did."""

    slept: dict[State, Set] = field(default_factory=dict)
    """The states, each with its stored sleep set."""
    visits: list[Visit] = field(default_factory=list)
    arcs: list[tuple[State, int, State]] = field(default_factory=list)
    matched: int = 0
    asleep: int = 0
    """Events that were not executed on the first visit of a state because they slept."""
    deadlocks: set[State] = field(default_factory=set)
    depth: int = 0

    @property
    def executed(self) -> Set:
        """The events that were ever executed."""
        return frozenset(event for _, event, _ in self.arcs)


@dataclass(slots=True)
class _Frame:
    state: State
    asleep: set[int]
    successors: list[tuple[int, State]]


class ReducedSearch:
    """A search of one model under some parts."""

    def __init__(
        self,
        execution: Steps,
        relations: Relations,
        local: Local,
        *,
        persistent: str | None = None,
        sleep: bool = False,
        proviso: bool = False,
    ) -> None:
        self.execution = execution
        self.relations = relations
        self.local = local
        self.persistent = persistent
        self.sleep = sleep
        self.proviso = proviso
        self.run = Run()
        self._stack: list[_Frame] = []
        self._expanded: set[State] = set()

    # --- one state --------------------------------------------------------------------------------

    def successors(self, state: State, event: int) -> Sequence[State]:
        """The states that an event leads to."""
        return self.execution.execute(self.execution.moves[event], state)

    def enabled(self, state: State) -> list[int]:
        """The events that have a successor."""
        return [e for e in range(len(self.relations.active)) if self.successors(state, e)]

    def conflicts(self, enabled: Sequence[int], start: int) -> Set:
        """Algorithm 1: the events that conflict; all when one of them is disabled."""
        relations, found, pending = self.relations, {start}, [start]
        while pending:
            a = pending.pop()
            for b in range(len(relations.active)):
                parallel = relations.parallel(a, b) and b in relations.shared[a]
                if b not in found and (relations.choice(a, b) or parallel):
                    if b not in enabled:
                        return frozenset(enabled)
                    found.add(b)
                    pending.append(b)
        return frozenset(found)

    def overman(self, state: State, enabled: Sequence[int], start: int) -> Set:
        """Algorithm 2: the processes that can meet."""
        relations = self.relations
        chosen = set(relations.active[start])
        pending = list(chosen)
        while pending:
            process = pending.pop()
            here = self.local(state, process)
            for a, active in enumerate(relations.active):
                if active.get(process) != here:
                    continue
                met = set(active)
                for b in relations.shared[a]:
                    if relations.parallel(a, b):
                        met |= relations.active[b].keys()
                pending.extend(met - chosen)
                chosen |= met
        return frozenset(e for e in enabled if relations.active[e].keys() <= chosen)

    def select(self, state: State, enabled: list[int], accept: Accept) -> Set:
        """The smallest set that is accepted, of equal ones that of the first start; else all."""
        best = frozenset(enabled)
        if self.persistent is None or len(enabled) <= 1:
            return best
        for start in enabled:
            found = (
                self.conflicts(enabled, start)
                if self.persistent == "conflicts"
                else self.overman(state, enabled, start)
            )
            if len(found) < len(best) and accept(found):
                best = found
        return best

    def _leads_on(self, state: State, asleep: set[int], depth_first: bool) -> Accept:
        closed = {f.state for f in self._stack} | {state} if depth_first else self._expanded
        return lambda found: (
            not self.proviso
            or any(s not in closed for e in found - asleep for s in self.successors(state, e))
        )

    def _inherited(self, asleep: set[int], event: int) -> Set:
        if not self.sleep:
            return NOTHING
        relation = self.relations.depend if self.proviso else self.relations.conflict
        return frozenset(asleep - relation[event])

    def _visit(self, state: State, asleep: Set, *, depth_first: bool) -> _Frame | None:
        run, sleeping = self.run, set(asleep)
        again = state in run.slept
        if again:
            run.matched += 1
            awake = sorted(run.slept[state] - asleep) if self.sleep else []
            sleeping &= run.slept[state]
            run.slept[state] = frozenset(sleeping)
            if not awake:
                return None
        else:
            run.slept[state] = asleep
            self._expanded.add(state)
            enabled = self.enabled(state)
            if not enabled:
                run.deadlocks.add(state)
            chosen = self.select(state, enabled, self._leads_on(state, sleeping, depth_first))
            awake = sorted(chosen - asleep)
            run.asleep += len(chosen & asleep)
        stacked = tuple(f.state for f in self._stack)
        run.visits.append(Visit(state, tuple(awake), asleep, again, stacked))
        successors = [(e, s) for e in awake for s in self.successors(state, e)]
        run.arcs.extend((state, e, s) for e, s in successors)
        return _Frame(state, sleeping, successors)

    def _next(self, frame: _Frame) -> tuple[State, Set]:
        """The next successor with its sleep set; its event sleeps from then on."""
        event, state = frame.successors.pop(0)
        asleep = self._inherited(frame.asleep, event)
        if not frame.successors or frame.successors[0][0] != event:
            frame.asleep.add(event)
        return state, asleep

    # --- the orders -------------------------------------------------------------------------------

    def depth_first(self) -> Run:
        """Figure 6.2; without sleep sets and the proviso together no visit is put off."""
        delays = self.sleep and self.proviso
        delayed: dict[State, list[Set]] = {}
        self._push(self._visit(self.execution.initial, NOTHING, depth_first=True))
        while self._stack:
            frame = self._stack[-1]
            if frame.successors:
                state, asleep = self._next(frame)
                if delays and any(f.state == state for f in self._stack):
                    waiting = delayed.setdefault(state, [])
                    if asleep not in waiting:
                        waiting.append(asleep)
                    continue
                self._push(self._visit(state, asleep, depth_first=True))
            else:
                self._stack.pop()
                waiting, visit = delayed.get(frame.state, []), None
                while waiting and visit is None:
                    visit = self._visit(frame.state, waiting.pop(), depth_first=True)
                self._push(visit)
        return self.run

    def _push(self, frame: _Frame | None) -> None:
        if frame is not None:
            self._stack.append(frame)
            self.run.depth = max(self.run.depth, len(self._stack) - 1)

    def breadth_first(self) -> Run:
        """Figure 5.2 with a queue; the proviso asks for a successor that has not been expanded."""
        queue = deque([(self.execution.initial, NOTHING)])
        while queue:
            state, asleep = queue.popleft()
            frame = self._visit(state, asleep, depth_first=False)
            while frame is not None and frame.successors:
                queue.append(self._next(frame))
        return self.run
