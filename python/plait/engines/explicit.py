"""The native search: safety properties, bounds and counts on every reachable state.

The model goes through the passes to one flat component, which is compiled for the native core.
All properties of a call are decided in one search, under a partial-order reduction if one is asked
for (`plait.engines.reduction`). What comes back is lifted to the original model, and every trace is
replayed there by the reference before it is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.method import Method
from plait.engines.notes import undefined_steps, unreached_code
from plait.engines.prepared import Prepared, prepare
from plait.engines.reduction import Parts, Reduction, conjuncts, disjuncts, need_of, parts_for
from plait.errors import Diagnostic, ModelError, error
from plait.model.expr import Formula, IntExpr
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

    def __init__(
        self,
        model: Model,
        evidence: Evidence | None = None,
        reduction: Reduction | None = None,
        method: Method | None = None,
    ) -> None:
        self.model = model
        self.evidence = evidence or Evidence(model)
        self.reduction = reduction or Reduction()
        self.method = method or Method()

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order.

        `prepared` is the model made ready for just these properties, if that was done before.
        """
        prepared = prepared or prepare(self.model, properties)
        queries = _queries(prepared)
        parts = parts_for(self.reduction, [need_of(p) for p in properties])
        found = self._explore(prepared, queries, parts, budget=budget, listen=listen)
        answers = []
        for asked, query in zip(properties, queries, strict=True):
            if query.goal is None:
                answers.append(_bounds_answer(asked, found, found.bounds[query.number]))
            else:
                state = found.goals[query.number]
                witness = None if state is None else prepared.witness(found.trace(state))
                answers.append(self._goal_answer(asked, found, witness))
        seconds, memory = budget.elapsed, peak_memory()
        stats, notes = _stats(found, prepared, parts), _notes(prepared, found, parts)
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

    def states(
        self,
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> StateSpace:
        """The whole state space, or what of it the budget allows."""
        prepared = prepared or prepare(self.model)
        parts = parts_for(self.reduction, ["deadlocks"])
        found = self._explore(prepared, [], parts, budget=budget, listen=listen)
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
            stats=_stats(found, prepared, parts),
            notes=_notes(prepared, found, parts),
        )

    def _explore(
        self,
        prepared: Prepared,
        queries: Sequence[_Query],
        parts: Parts,
        *,
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
            found = _core.explore(
                prepared.compiled.program,
                goals=[q.goal for q in queries if q.goal is not None],
                bounds=[q.bounds for q in queries if q.bounds is not None],
                stop_when_decided=bool(queries),
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
                progress=None if listen is None else tell,
                depth_first=parts.depth_first,
                persistent=parts.persistent,
                sleep=parts.sleep,
                proviso=parts.proviso,
                monitors=_monitors(prepared, queries) if parts.proviso else None,
                check=parts.check,
                threads=self.method.workers,
                alone=self.method.alone,
            )
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        except _core.TooLargeError as failure:
            raise error(str(failure), hint="use --reduction none") from None
        if found.disturbance is not None:
            raise self._disturbed(prepared, found)
        return found

    def _disturbed(self, prepared: Prepared, found: _core.Exploration) -> ModelError:
        """The independence that a state refutes: an error of ours, with all that shows it."""
        assert found.disturbance is not None
        number, a, b, what = found.disturbance
        first, second = (prepared.compiled.events[e].title for e in (a, b))
        shown = self.evidence.view.full(prepared.lift(found.state(number)))
        state = ", ".join(f"{name} = {value}" for name, value in shown.items())
        message = f"events {first} and {second} are not independent: {what}; in the state {state}"
        hint = "please report this together with the model"
        return ModelError(Diagnostic(message, hint=hint))

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


def _monitors(prepared: Prepared, queries: Sequence[_Query]) -> list[list[list[int]]]:
    """For each goal the conditions that its monitors watch: a disjunction of conjunctions.

    A goal that only deadlocks can reach needs none: all deadlocks are kept.
    """
    found: list[list[list[int]]] = []
    compiled = prepared.compiled
    for query in queries:
        if query.goal is None:
            continue
        p = query.property
        if need_of(p) != "goals":
            found.append([])
            continue
        assert isinstance(p.body, Formula)
        if p.kind == "invariant":
            # Not all conjuncts true: some conjunct has no true disjunct.
            fails = compiled.program.fails
            found.append(
                [[fails(compiled.formula(d)) for d in disjuncts(c)] for c in conjuncts(p.body)]
            )
        else:
            found.append([[compiled.formula(c) for c in conjuncts(d)] for d in disjuncts(p.body)])
    return found


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


def _stats(found: _core.Exploration, prepared: Prepared, parts: Parts) -> dict[str, object]:
    return {
        "states": found.states,
        "arcs": found.arcs,
        "deadlocks": found.deadlocks,
        "depth": found.depth,
        "max_sum": _max_sum(found, prepared),
        "bits_per_state": found.bits_per_state,
        "store_bytes": found.bytes,
        "complete": found.complete,
        **_reduction_stats(found, parts),
    }


def _reduction_stats(found: _core.Exploration, parts: Parts) -> dict[str, object]:
    if not (parts.reduces or parts.depth_first or parts.check):
        return {}
    stats: dict[str, object] = {"matched": found.matched}
    if parts.reduces:
        stats |= {"reduction": parts.name, "reduced_states": found.reduced}
    if parts.check:
        stats["tested_independences"] = found.tested
    return stats


def _reduction_notes(found: _core.Exploration, parts: Parts) -> tuple[str, ...]:
    if not parts.reduces:
        return parts.notes
    notes = parts.notes
    if found.widened:
        why = "reduction widened by the proviso: an event may be an error of the model"
        notes = (*notes, f"{why} (a value outside its domain, a fixpoint)")
    counted = "every state is visited" if parts.keeps == "states" else "fewer states are visited"
    note = (
        f"reduction: {parts.name}; {counted}, "
        f"{found.reduced:,} of {found.states:,} with only some of their events"
    )
    return (*notes, note)


def _notes(prepared: Prepared, found: _core.Exploration, parts: Parts) -> tuple[str, ...]:
    titles = (event.title for event in prepared.compiled.events)
    undefined = undefined_steps(zip(titles, found.undefined, strict=True))
    notes = (*undefined, *_reduction_notes(found, parts))
    if not found.complete or (parts.keeps == "deadlocks" and not found.widened):
        return notes
    events = zip(prepared.compiled.events, found.fired, found.called, strict=True)
    executed = {source for e, fired, called in events if fired or called for source in e.sources}
    return (*notes, *unreached_code(prepared.model, executed))
