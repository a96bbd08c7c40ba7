"""The native breadth-first search: safety properties, bounds and counts on every reachable state.

The model goes through the passes to one flat component, which is compiled for the native core.
All properties of a call are decided in one search. What comes back is lifted to the original model,
and every trace is replayed there by the reference before it is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait import _core, passes
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.evidence import Evidence
from plait.errors import Diagnostic, LimitReached, ModelError
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula, IntExpr
from plait.model.shape import shape_of
from plait.model.types import Domain, Model, Property
from plait.program import Compiled, compile_model
from plait.report.answer import Answer, StateSpace, Step, Verdict, Witness

ENGINE = "explicit"
KINDS = ("reachable", "invariant", "never", "deadlock", "bounds")
"""The kinds of property that a search over the states decides."""


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
        rewritten = passes.flat(replace(self.model, properties=tuple(properties)))
        compiled = compile_model(rewritten.model)
        queries = _queries(compiled, rewritten.model.properties)
        found = self._explore(rewritten, compiled, queries, budget, listen)
        answers = []
        for asked, query in zip(properties, queries, strict=True):
            if query.goal is None:
                answers.append(_bounds_answer(asked, found, found.bounds[query.number]))
            else:
                trace = None
                state = found.goals[query.number]
                if state is not None:
                    trace = [
                        (None if e is None else compiled.events[e].title, rewritten.lift(s))
                        for e, s in found.trace(state)
                    ]
                answers.append(self._goal_answer(asked, found, trace))
        seconds, memory = budget.elapsed, peak_memory()
        stats, notes = _stats(found, rewritten.lift), _notes(compiled, found)
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
        rewritten = passes.flat(replace(self.model, properties=()))
        compiled = compile_model(rewritten.model)
        found = self._explore(rewritten, compiled, [], budget, listen)
        first = rewritten.lift(found.state(0))
        values = [*first, found.max_value] if compiled.shape.width else first
        return StateSpace(
            complete=found.complete,
            reason=found.reason,
            states=found.states,
            arcs=found.arcs,
            deadlocks=found.deadlocks,
            max_value=max(values, default=None),
            max_sum=_max_sum(found, rewritten.lift),
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=_stats(found, rewritten.lift),
            notes=_notes(compiled, found),
        )

    def _explore(
        self,
        rewritten: passes.Rewritten,
        compiled: Compiled,
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
                compiled.program,
                goals=[q.goal for q in queries if q.goal is not None],
                bounds=[q.bounds for q in queries if q.bounds is not None],
                stop_when_decided=bool(queries),
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
                progress=None if listen is None else tell,
            )
        except _core.ProgramError as failure:
            raise self._located(rewritten, compiled, failure) from None

    def _located(
        self, rewritten: passes.Rewritten, compiled: Compiled, failure: _core.ProgramError
    ) -> ModelError | LimitReached:
        """What went wrong, in the model's own terms."""
        kind, event, statement, cell = failure.args
        title = compiled.events[event].title
        span = compiled.statement_span(statement) or compiled.events[event].span
        if kind == "domain" and cell is not None:
            name, domain = self._original(rewritten, compiled, cell)
            if domain is not None and domain.high == INT_MAX:
                return LimitReached(f"{name} leaves the 32-bit integers (event {title})")
            limits = "" if domain is None else f" {domain.low}..{domain.high}"
            message = f"event {title} assigns to {name} a value outside its domain{limits}"
        elif kind == "fixpoint":
            message = f"event {title}: the fixpoint never settles"
        else:
            message = f"event {title} leads into a cycle of transient states"
        return ModelError(Diagnostic(message, span))

    def _original(
        self, rewritten: passes.Rewritten, compiled: Compiled, cell: int
    ) -> tuple[str, Domain | None]:
        """The name and domain, in the original model, of a cell of the compiled one.

        It is the one that differs after lifting two states that differ in that cell.
        """
        state = compiled.program.initial()
        other = (*state[:cell], state[cell] ^ 1, *state[cell + 1 :])
        lifted = zip(rewritten.lift(state), rewritten.lift(other), strict=True)
        place = next((i for i, (a, b) in enumerate(lifted) if a != b), None)
        shape = compiled.shape if place is None else shape_of(self.model)
        at = cell if place is None else place
        return list(shape.cells())[at], list(shape.domains())[at]

    def _goal_answer(
        self,
        asked: Property,
        found: _core.Exploration,
        trace: list[tuple[str | None, tuple[int, ...]]] | None,
    ) -> Answer:
        if trace is not None:
            steps = tuple(Step(title or "", state) for title, state in trace[1:])
            verdict: Verdict = "true" if asked.kind == "reachable" else "false"
            answer = Answer(asked, verdict, ENGINE, witness=Witness(trace[0][1], steps))
            return self.evidence.confirm(answer)
        if found.complete:
            return Answer(asked, "false" if asked.kind == "reachable" else "true", ENGINE)
        return Answer(asked, "unknown", ENGINE, reason=found.reason)


def _queries(compiled: Compiled, properties: Sequence[Property]) -> list[_Query]:
    queries: list[_Query] = []
    goals = bounds = 0
    for p in properties:
        if p.kind == "bounds":
            assert isinstance(p.body, IntExpr)
            queries.append(_Query(p, bounds, bounds=compiled.integer(p.body)))
            bounds += 1
        else:
            queries.append(_Query(p, goals, goal=_goal(compiled, p)))
            goals += 1
    return queries


def _goal(compiled: Compiled, p: Property) -> int:
    """The condition of the states that decide the property."""
    if p.kind == "deadlock":
        return compiled.program.deadlock()
    assert isinstance(p.body, Formula)
    goal = compiled.formula(p.body)
    return compiled.program.fails(goal) if p.kind == "invariant" else goal


def _bounds_answer(
    asked: Property, found: _core.Exploration, limits: tuple[int, int] | None
) -> Answer:
    stats: dict[str, object] = {}
    if limits is not None:
        stats = {"min": limits[0], "max": limits[1]}
    if not found.complete:
        return Answer(asked, "unknown", ENGINE, reason=found.reason, stats=stats)
    return Answer(asked, "true", ENGINE, value=None if limits is None else limits[1], stats=stats)


def _max_sum(found: _core.Exploration, lift: passes.Lift) -> int:
    """The greatest sum of all cells; those that the passes removed are constants and count too."""
    first = found.state(0)
    return found.max_sum + sum(lift(first)) - sum(first)


def _stats(found: _core.Exploration, lift: passes.Lift) -> dict[str, object]:
    return {
        "states": found.states,
        "arcs": found.arcs,
        "deadlocks": found.deadlocks,
        "depth": found.depth,
        "max_sum": _max_sum(found, lift),
        "bits_per_state": found.bits_per_state,
        "store_bytes": found.bytes,
        "complete": found.complete,
    }


def _notes(compiled: Compiled, found: _core.Exploration) -> tuple[str, ...]:
    """Warnings about steps that an undefined operation swallowed."""
    return tuple(
        f"event {event.title}: {count} step{'s' if count > 1 else ''} left out, where an operation "
        "is undefined (division by zero, an index outside its array, a shift beyond 31)"
        for event, count in zip(compiled.events, found.undefined, strict=True)
        if count
    )
