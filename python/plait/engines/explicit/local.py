"""Local model checking: CTL on as few explicit states as the answer needs.

The native search (`plait_explicit::local`) builds the dependency graph of states and sub-formulas
while it searches it, and ends when the initial state is decided. So it answers where an answer is
near, however many states there are; and it ends on every model whose states it can store.

What it has seen also holds the paths that show an answer. They lie in the part that was searched,
so unlike those of other engines they need not be shortest; each is replayed like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory, teller
from plait.engines.evidence import Evidence
from plait.engines.explicit.formula_table import FormulaTable
from plait.engines.formulas import Formulas
from plait.engines.names import LOCAL
from plait.engines.notes import undefined_steps
from plait.engines.prepared import Prepared
from plait.errors import LimitReached
from plait.logic.evidence import Claim, Shown, grow
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import CUT, Answer, Branch, Step, Witness

ENGINE = LOCAL
SEEN = 200_000
"""States that are looked at for one path of a witness; where they do not suffice there is none."""
TICK = 1024
Hops = list[tuple[object, int]]


class NoPath(Exception):  # noqa: N818 - a way out, not a failure
    """The part of the states that was seen is too large, or does not show a path."""


class Local:
    """A model for the local search; may be used for several calls."""

    def __init__(self, evidence: Evidence, *, infinite: bool = False) -> None:
        """With `infinite`, paths that end in a deadlock do not count."""
        self.evidence = evidence
        self.infinite = infinite

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        formulas: Formulas | None = None,
    ) -> list[Answer]:
        """The answers to CTL properties, in order.

        `formulas` is the model made ready for these and perhaps others, if that was done before.
        """
        formulas = formulas or Formulas(self.evidence.model, properties)
        prepared = formulas.prepared
        table = FormulaTable(formulas, self.infinite)
        bodies = [formulas.body(p) for p in properties]
        roots = [table.add(body) for body in bodies]
        budget.check()
        try:
            found = _core.local(
                prepared.compiled.program,
                table.rows,
                roots,
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
                progress=teller(ENGINE, listen, budget, ("states", "memory")),
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        stats = _stats(found, prepared)
        titles = prepared.compiled.titles
        notes = undefined_steps(zip(titles, found.undefined, strict=True))
        answers = []
        for asked, body, holds in zip(properties, bodies, found.verdicts, strict=True):
            if holds is None:
                answer = Answer(asked, "unknown", ENGINE, reason=found.reason)
            else:
                answer = Answer(asked, "true" if holds else "false", ENGINE)
                if self.evidence.shows_runs:
                    paths = LocalPaths(found, table, budget)
                    answer = self._shown(answer, prepared, paths, (body, holds))
            answers.append(
                replace(
                    answer,
                    seconds=budget.elapsed,
                    peak_memory_bytes=peak_memory(),
                    stats=stats,
                    notes=(*answer.notes, *notes),
                )
            )
        return answers

    def _shown(self, answer: Answer, prepared: Prepared, paths: LocalPaths, claim: Claim) -> Answer:
        """The answer with a tree of paths, where what was seen shows one."""
        try:
            tree = grow(paths, claim, 0)
        except NoPath:
            note = f"{answer.property.name}: a witness would take another search"
            return replace(answer, notes=(note,))
        except LimitReached as limit:
            if limit.reason == "interrupted":
                raise
            note = f"{answer.property.name}: there was no time for a witness"
            return replace(answer, notes=(note,))
        if tree is None:
            return answer
        notes = (CUT.format(answer.property.name),) if tree.cut else ()
        witness = _witness(paths.graph, prepared, tree.root)
        return self.evidence.confirm(replace(answer, witness=witness, notes=notes))


class LocalPaths:
    """Paths through the states that a local search has seen; see `plait.logic.evidence.Finder`."""

    def __init__(self, graph: _core.LocalGraph, table: FormulaTable, budget: Budget) -> None:
        self.graph = graph
        self.table = table
        self.budget = budget

    def is_true(self, claim: Claim, state: int) -> bool:
        """Whether a claim is known to be true of a state."""
        formula, holds = claim
        return self.graph.truth(self.table.numbers[id(formula)], state) is holds

    def path(
        self, state: int, stay: Sequence[Claim], goal: Sequence[Claim], moved: bool
    ) -> Hops | None:
        """A path to the goal, in `stay` until there, as short as there is one among those seen."""

        def arrived(n: int) -> bool:
            return all(self.is_true(c, n) for c in goal)

        if not moved and arrived(state):
            return [(None, state)]
        came_from: dict[int, int] = {} if moved else {state: state}
        queue = deque([state])
        while queue:
            n = queue.popleft()
            self._look(len(came_from))
            if not all(self.is_true(c, n) for c in stay):
                continue
            for m in self.graph.successors(n) or ():
                if m in came_from:
                    continue
                came_from[m] = n
                if arrived(m):
                    return self._back(came_from, m, state)
                queue.append(m)
        return None

    def _back(self, came_from: dict[int, int], last: int, first: int) -> Hops:
        path = [last, came_from[last]]
        while path[-1] != first:
            path.append(came_from[path[-1]])
        return self._hops(path[::-1])

    def _hops(self, path: Sequence[int]) -> Hops:
        hops: Hops = [(None, path[0])]
        for n, m in pairwise(path):
            hops.append((self.graph.event_between(n, m), m))
        return hops

    def lasso(self, state: int, stay: Sequence[Claim]) -> tuple[Hops, int]:
        """A path in `stay` to a deadlock, or around a cycle."""
        after = self._inside(state, stay)
        if state not in after:
            raise NoPath
        path, place = [state], {state: 0}
        while after[path[-1]]:
            following = after[path[-1]][0]
            path.append(following)
            if following in place:
                return self._hops(path), place[following]
            place[following] = len(path) - 1
        return self._hops(path), len(path) - 1

    def _inside(self, state: int, stay: Sequence[Claim]) -> dict[int, list[int]]:
        """The states in `stay` from which a path there does not end but in a deadlock.

        Each with its successors that are such states.
        """
        reached: dict[int, list[int]] = {}
        queue = deque([state])
        seen = {state}
        before: dict[int, list[int]] = {}
        lost: list[int] = []
        while queue:
            n = queue.popleft()
            self._look(len(seen))
            following = self.graph.successors(n)
            goes_on = following or (following is not None and not self.table.infinite)
            if following is None or not goes_on or not all(self.is_true(c, n) for c in stay):
                lost.append(n)
                continue
            reached[n] = list(dict.fromkeys(following))
            for m in reached[n]:
                before.setdefault(m, []).append(n)
                if m not in seen:
                    seen.add(m)
                    queue.append(m)
        dead = {n for n, following in reached.items() if not following}
        while lost:
            m = lost.pop()
            for n in before.get(m, ()):
                if n in reached and m in reached[n]:
                    reached[n].remove(m)
                    if not reached[n] and n not in dead:
                        del reached[n]
                        lost.append(n)
        return reached

    def _look(self, seen: int) -> None:
        if seen > SEEN:
            raise NoPath
        if seen % TICK == 0:
            self.budget.check()


def _witness(graph: _core.LocalGraph, prepared: Prepared, shown: Shown[int]) -> Witness:
    branches = tuple(Branch(at, _witness(graph, prepared, below)) for at, below in shown.branches)
    events = prepared.compiled.events
    steps = tuple(
        Step(events[event].title, prepared.lift(graph.state(n)))
        for event, n in shown.hops
        if isinstance(event, int)
    )
    formula, holds = shown.claim
    return Witness(
        prepared.lift(graph.state(shown.hops[0][1])),
        steps,
        shown.loop,
        branches,
        shows=formula if holds else None,
        refutes=None if holds else formula,
    )


def _stats(found: _core.LocalGraph, prepared: Prepared) -> dict[str, object]:
    first = prepared.compiled.program.initial()
    rest = sum(prepared.lift(first)) - sum(first)
    return {
        "ctl": ENGINE,
        "states_seen": found.states,
        "visits": found.visits,
        "store_bytes": found.bytes,
        "max_sum": found.max_sum + rest,
    }
