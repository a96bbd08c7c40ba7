"""The native breadth-first search: safety properties, bounds and counts on every reachable state.

The model goes through the passes to one flat component, which is compiled for the native core.
All properties of a call are decided in one search. What comes back is lifted to the original model,
and every trace is replayed there by the reference before it is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.notes import undefined_steps, unreached_code
from plait.engines.prepared import Prepared, prepare
from plait.model.expr import IntExpr
from plait.model.types import Model, Property
from plait.report.answer import Answer, StateSpace, Verdict, Witness

ENGINE = "explicit"


@dataclass(frozen=True, slots=True)
class _Query:
    """A property as the search sees it: a goal to find, or a value to bound."""

    property: Property
    number: int
    """Its place among the goals, or among the bounds."""
    goal: int | None = None
    bounds: int | None = None


class Explicit:
    """A model prepared for the search; may be used for several calls."""

    def __init__(self, model: Model, evidence: Evidence | None = None) -> None:
        self.model = model
        self.evidence = evidence or Evidence(model)

    def check(
        self, properties: Sequence[Property], budget: Budget, listen: Listener | None = None
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order."""
        prepared = prepare(self.model, properties)
        queries = _queries(prepared)
        found = self._explore(prepared, queries, budget, listen)
        answers = []
        for asked, query in zip(properties, queries, strict=True):
            if query.goal is None:
                answers.append(_bounds_answer(asked, found, found.bounds[query.number]))
            else:
                state = found.goals[query.number]
                witness = None if state is None else prepared.witness(found.trace(state))
                answers.append(self._goal_answer(asked, found, witness))
        seconds, memory = budget.elapsed, peak_memory()
        stats, notes = _stats(found, prepared), _notes(prepared, found)
        return [
            replace(
                a,
                seconds=seconds,
                peak_memory_bytes=memory,
                stats={**stats, **a.stats},
                notes=(*a.notes, *notes),
            )
            for a in answers
        ]

    def states(self, budget: Budget, listen: Listener | None = None) -> StateSpace:
        """The whole state space, or what of it the budget allows."""
        prepared = prepare(self.model)
        found = self._explore(prepared, [], budget, listen)
        first = prepared.lift(found.state(0))
        values = [*first, found.max_value] if prepared.compiled.shape.width else first
        return StateSpace(
            complete=found.complete,
            reason=found.reason,
            states=found.states,
            arcs=found.arcs,
            deadlocks=found.deadlocks,
            max_value=max(values, default=None),
            max_sum=_max_sum(found, prepared),
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=_stats(found, prepared),
            notes=_notes(prepared, found),
        )

    def _explore(
        self,
        prepared: Prepared,
        queries: Sequence[_Query],
        budget: Budget,
        listen: Listener | None,
    ) -> _core.Exploration:
        def tell(moment: dict[str, float]) -> None:
            if listen is not None:
                listen(
                    Progress(
                        ENGINE,
                        int(moment["states"]),
                        int(moment["depth"]),
                        int(moment["frontier"]),
                        int(moment["memory"]),
                        budget.elapsed,
                    )
                )

        try:
            return _core.explore(
                prepared.compiled.program,
                goals=[q.goal for q in queries if q.goal is not None],
                bounds=[q.bounds for q in queries if q.bounds is not None],
                stop_when_decided=bool(queries),
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
                progress=None if listen is None else tell,
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None

    def _goal_answer(
        self,
        asked: Property,
        found: _core.Exploration,
        witness: Witness | None,
    ) -> Answer:
        if witness is not None:
            verdict: Verdict = "true" if asked.kind == "reachable" else "false"
            return self.evidence.confirm(Answer(asked, verdict, ENGINE, witness=witness))
        if found.complete:
            return Answer(asked, "false" if asked.kind == "reachable" else "true", ENGINE)
        return Answer(asked, "unknown", ENGINE, reason=found.reason)


def _queries(prepared: Prepared) -> list[_Query]:
    queries: list[_Query] = []
    goals = bounds = 0
    for p in prepared.properties:
        if p.kind == "bounds":
            assert isinstance(p.body, IntExpr)
            queries.append(_Query(p, bounds, bounds=prepared.compiled.integer(p.body)))
            bounds += 1
        else:
            queries.append(_Query(p, goals, goal=prepared.goal(p)))
            goals += 1
    return queries


def _bounds_answer(
    asked: Property, found: _core.Exploration, limits: tuple[int, int] | None
) -> Answer:
    stats: dict[str, object] = {}
    if limits is not None:
        stats = {"min": limits[0], "max": limits[1]}
    if not found.complete:
        return Answer(asked, "unknown", ENGINE, reason=found.reason, stats=stats)
    return Answer(asked, "true", ENGINE, value=None if limits is None else limits[1], stats=stats)


def _max_sum(found: _core.Exploration, prepared: Prepared) -> int:
    """The greatest sum of all cells; those that the passes removed are constants and count too."""
    first = found.state(0)
    return found.max_sum + sum(prepared.lift(first)) - sum(first)


def _stats(found: _core.Exploration, prepared: Prepared) -> dict[str, object]:
    return {
        "states": found.states,
        "arcs": found.arcs,
        "deadlocks": found.deadlocks,
        "depth": found.depth,
        "max_sum": _max_sum(found, prepared),
        "bits_per_state": found.bits_per_state,
        "store_bytes": found.bytes,
        "complete": found.complete,
    }


def _notes(prepared: Prepared, found: _core.Exploration) -> tuple[str, ...]:
    titles = (event.title for event in prepared.compiled.events)
    notes = undefined_steps(zip(titles, found.undefined, strict=True))
    if not found.complete:
        return notes
    events = zip(prepared.compiled.events, found.fired, found.called, strict=True)
    executed = {source for e, fired, called in events if fired or called for source in e.sources}
    return (*notes, *unreached_code(prepared.model, executed))
