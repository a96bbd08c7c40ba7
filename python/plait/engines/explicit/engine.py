"""The native search: safety properties, bounds and counts on every reachable state.

The model goes through the passes to one flat component, which is compiled for the native core.
All properties of a call are decided in one search, under a partial-order reduction if one is asked
for (`plait.engines.explicit.reduction`). What comes back is lifted to the original model, and every
trace is replayed there by the reference before it is believed.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Parts, Reduction, parts_for
from plait.engines.notes import never_executed, undefined_steps, unreached_code, with_called
from plait.engines.prepared import Prepared, prepare
from plait.errors import Diagnostic, LimitReached, ModelError, error
from plait.model.plain import plain_of
from plait.model.types import Model, Property
from plait.records import dataclass, replace
from plait.report.answer import Answer, StateSpace, Verdict, Witness

ENGINE = "explicit"
MOST_RUNS = 100
"""Searches for some of the properties each, where one for all of them leaves the integers."""


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

    @property
    def _asked(self) -> Reduction:
        """The reduction asked for, in the order of a search with a cache if it is one."""
        if self.method.cache is None:
            return self.reduction
        if self.reduction.order == "bfs":
            raise error("a cache is for depth-first search", hint="leave --search bfs out")
        return replace(self.reduction, order="dfs")

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order.

        `prepared` is the model made ready for just these properties, if that was done before. Where
        the search comes to a place that leaves the integers, fewer properties are asked at a time:
        what is decided before that is an answer.
        """
        answers: dict[int, Answer] = {}
        waiting, runs = [range(len(properties))], 0
        while waiting:
            part = waiting.pop()
            asked, runs = [properties[i] for i in part], runs + 1
            try:
                found = self._check(asked, budget, listen, prepared)
            except LimitReached as limit:
                may_repeat = runs < MOST_RUNS and self.method.checkpoint is None
                if len(part) > 1 and may_repeat and budget.remaining() != 0:
                    half = len(part) // 2
                    waiting += [part[half:], part[:half]]
                    prepared = None
                    continue
                if len(properties) == 1:
                    raise
                found = [Answer(p, "unknown", ENGINE, reason=limit.reason) for p in asked]
            answers |= dict(zip(part, found, strict=True))
        return [answers[i] for i in range(len(properties))]

    def _check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None,
        prepared: Prepared | None,
    ) -> list[Answer]:
        """The answers to properties that are asked together."""
        from plait.engines.explicit.needs import need_of  # who counts states asks nothing

        prepared = prepared or prepare(self.model, properties, budget)
        queries = _queries(prepared)
        parts = parts_for(self._asked, [need_of(p) for p in properties])
        found = self._explore(prepared, queries, parts, budget=budget, listen=listen)
        answers = []
        for asked, query in zip(properties, queries, strict=True):
            if query.goal is None:
                answers.append(self._bounds_answer(asked, found, found.bounds[query.number]))
            else:
                state = found.goals[query.number]
                trace = None if state is None else found.trace(state)
                witness = None if trace is None else prepared.witness(trace)
                answers.append(self._goal_answer(asked, found, witness, seen=state is not None))
        seconds, memory = budget.elapsed, peak_memory()
        stats, notes = self._stats(found, prepared, parts), self._notes(prepared, found, parts)
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
        prepared = prepared or prepare(self.model, budget=budget)
        parts = parts_for(self._asked, ["deadlocks"])
        found = self._explore(prepared, [], parts, budget=budget, listen=listen)
        if found.complete and parts.persistent is not None and _stopped(found, prepared):
            # Not all states after a last event were kept, and all deadlocks are to be counted.
            again = replace(parts, watching=False)
            found = self._explore(prepared, [], again, budget=budget, listen=listen)
        first = prepared.lift(found.state(0))
        values = [*first, found.max_value] if found.state(0) else first
        approximate = found.complete and self.method.is_approximate
        if found.cleared:
            return self._visits(found, prepared, budget)
        return StateSpace(
            complete=found.complete and not approximate,
            reason=approximation(found) if approximate else found.reason,
            states=found.states,
            arcs=found.arcs,
            deadlocks=found.deadlocks,
            max_value=max(values, default=None),
            max_sum=_max_sum(found, prepared),
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=self._stats(found, prepared, parts),
            notes=self._notes(prepared, found, parts),
        )

    def _visits(self, found: _core.Exploration, prepared: Prepared, budget: Budget) -> StateSpace:
        """The space of a search that forgot states, and visited some of them again."""
        reason = f"states were forgotten and cannot be counted: at most {found.states:,}"
        parts = parts_for(self._asked, ["deadlocks"])
        return StateSpace(
            complete=False,
            reason=reason if found.complete else found.reason,
            states=None,
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=self._stats(found, prepared, parts),
            notes=self._notes(prepared, found, parts),
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

        method = self.method
        self._refuse_combinations(parts)
        checkpoint = method.checkpoint
        try:
            found = _core.explore(
                prepared.compiled.program,
                goals=[q.goal for q in queries if q.goal is not None],
                bounds=[q.bounds for q in queries if q.bounds is not None],
                stop_when_decided=bool(queries) and not method.exhaustive,
                timeout=budget.remaining(),
                memory=budget.memory,
                max_states=budget.states,
                progress=None if listen is None else tell,
                depth_first=parts.depth_first,
                persistent=parts.persistent,
                sleep=parts.sleep,
                proviso=parts.proviso,
                components=parts.components,
                unstored=parts.unstored,
                conditional=parts.conditional,
                prefer_stored=parts.prefer_stored,
                monitors=_monitors(prepared, queries) if parts.proviso else None,
                watching=parts.watching and parts.persistent is not None,
                check=parts.check,
                threads=method.workers,
                alone=method.alone,
                store=method.store,
                fingerprint=method.fingerprint,
                hashes=method.hashes,
                bit_bytes=method.bit_bytes(budget),
                deepening=method.search == "deepening",
                cache=method.cache,
                checkpoint=None if checkpoint is None else checkpoint.search,
                checkpoint_interval=0.0 if checkpoint is None else checkpoint.interval,
                resume=checkpoint is not None and checkpoint.resumes,
                successors=method.successors,
            )
        except _core.CheckpointError as failure:
            from plait.engines.explicit.checkpoint import unusable

            assert checkpoint is not None
            raise unusable(checkpoint, str(failure)) from None
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        except _core.TooLargeError as failure:
            raise error(str(failure), hint="use --reduction none") from None
        if found.disturbance is not None:
            raise self._disturbed(prepared, found)
        return found

    def _refuse_combinations(self, parts: Parts) -> None:
        """What a store or a checkpoint cannot be combined with."""
        plain = not (parts.reduces or parts.depth_first or parts.check)
        if self.method.search == "deepening" and (parts.reduces or parts.check):
            raise error(
                "iterative deepening searches without reduction",
                hint="leave --reduction and --check-independence out",
            )
        if self.method.cache is not None and parts.components:
            raise error("a cache does not go with the proviso of components")
        plain = plain and not self.method.is_special
        if self.method.forgets and not plain:
            raise error(
                f"the store {self.method.store} needs breadth-first search without reduction",
                hint="use --store exact or --store tree",
            )
        if self.method.checkpoint is not None and (self.method.forgets or not plain):
            raise error(
                "checkpoints need breadth-first search without reduction and a store of states",
                hint="leave --checkpoint out, or use --store exact or --store tree",
            )

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
        *,
        seen: bool,
    ) -> Answer:
        if witness is not None:
            verdict: Verdict = "true" if asked.kind == "reachable" else "false"
            return self.evidence.confirm(Answer(asked, verdict, ENGINE, witness=witness))
        if seen:
            reason = "a state that decides it was seen, but its trace was not found again in time"
            return Answer(asked, "unknown", ENGINE, reason=reason)
        if found.complete and self.method.is_approximate:
            what = "state reached" if asked.kind == "reachable" else "violation"
            return Answer(asked, "unknown", ENGINE, reason=approximation(found, f"no {what} in "))
        if found.complete:
            return Answer(asked, "false" if asked.kind == "reachable" else "true", ENGINE)
        return Answer(asked, "unknown", ENGINE, reason=found.reason)

    def _bounds_answer(
        self, asked: Property, found: _core.Exploration, limits: tuple[int, int] | None
    ) -> Answer:
        stats: dict[str, object] = {}
        if limits is not None:
            stats = {"min": limits[0], "max": limits[1]}
        if not found.complete:
            return Answer(asked, "unknown", ENGINE, reason=found.reason, stats=stats)
        if self.method.is_approximate:
            seen = "" if limits is None else f"{limits[0]}..{limits[1]} in "
            return Answer(asked, "unknown", ENGINE, reason=approximation(found, seen), stats=stats)
        value = None if limits is None else limits[1]
        return Answer(asked, "true", ENGINE, value=value, stats=stats)

    def _method_notes(self, found: _core.Exploration) -> tuple[str, ...]:
        notes = []
        checkpoint = self.method.checkpoint
        if checkpoint is not None and found.checkpoint_error is not None:
            wrong = f"{checkpoint.search}: {found.checkpoint_error}"
            notes.append(f"no checkpoint could be written to {wrong}")
        if self.method.cache is not None:
            notes.append(_cache_note(found, self.method.cache))
        return tuple(notes)

    def _stats(
        self, found: _core.Exploration, prepared: Prepared, parts: Parts
    ) -> dict[str, object]:
        stats: dict[str, object] = {
            "states": found.states,
            "arcs": found.arcs,
            "deadlocks": found.deadlocks,
            "depth": found.depth,
            "max_sum": _max_sum(found, prepared),
            "bits_per_state": found.bits_per_state,
            "store_bytes": found.bytes,
            "complete": found.complete and not self.method.is_approximate,
            **_compiled_stats(found),
            **_reduction_stats(found, parts),
        }
        if self.method.store != "exact":
            stats["store"] = self.method.store
        if self.method.cache is not None:
            stats |= {
                "cache": self.method.cache,
                "stored": found.stored,
                "cleared": found.cleared,
                "matched": found.matched,
                "executed": found.executed,
            }
        if self.method.cache == 0:
            stats |= {"completed_runs": found.deadlocks, "blocked_runs": found.blocked}
        if self.method.is_approximate:
            stats["omission"] = found.omission
        if self.method.checkpoint is not None:
            stats["checkpoints"] = found.checkpoints
        return stats

    def _notes(self, prepared: Prepared, found: _core.Exploration, parts: Parts) -> tuple[str, ...]:
        titles = prepared.compiled.titles
        undefined = undefined_steps(zip(titles, found.undefined, strict=True))
        notes = (*undefined, *_reduction_notes(found, parts), *self._method_notes(found))
        every = found.complete and not self.method.is_approximate
        if not every or (parts.keeps == "deadlocks" and not found.widened):
            return notes
        if plain_of(prepared.model) is not None:
            return notes  # which has no code
        events = prepared.compiled.events
        counted = zip(events, found.fired, found.called, strict=True)
        executed = with_called([e for e, fired, called in counted if fired or called], events)
        # Of an event whose steps were all left out, that has been told.
        tried = {title for title, steps in zip(titles, found.undefined, strict=True) if steps}
        model = prepared.model
        return (*notes, *unreached_code(model, executed), *never_executed(model, executed | tried))


def approximation(found: _core.Exploration, what: str = "") -> str:
    """Why a search that may miss states shows nothing."""
    chance = f"{found.omission:.1g}" if found.omission < 1 else "1"
    return (
        f"approximate search: {what}{found.states:,} states, "
        f"others missing with a probability of at most about {chance}"
    )


def _queries(prepared: Prepared) -> list[_Query]:
    from plait.model.expr import IntExpr

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
    from plait.engines.explicit.needs import conjuncts, disjuncts, need_of
    from plait.model.expr import Formula

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


def _stopped(found: _core.Exploration, prepared: Prepared) -> bool:
    """A last event was executed."""
    if plain_of(prepared.rewritten.model) is not None:
        return False
    counted = zip(prepared.compiled.events, found.fired, strict=True)
    return any(fired and event.last for event, fired in counted)


def _max_sum(found: _core.Exploration, prepared: Prepared) -> int:
    """The greatest sum of all cells; those that the passes removed are constants and count too."""
    first = found.state(0)
    return found.max_sum + sum(prepared.lift(first)) - sum(first)


def _compiled_stats(found: _core.Exploration) -> dict[str, object]:
    """What of the events became machine code, if anything did."""
    if found.compiled is None:
        return {}
    events, size, seconds = found.compiled
    return {"compiled_events": events, "compiled_bytes": size, "compile_seconds": seconds}


def _cache_note(found: _core.Exploration, capacity: int) -> str:
    """How the cache did: much matching with much forgetting means that time is going to explode."""
    share = found.matched / max(1, found.executed)
    if capacity == 0:
        return (
            f"no state matching: {found.states:,} visits, {found.deadlocks:,} runs completed, "
            f"{found.blocked:,} ended because everything slept"
        )
    depth = (found.depth + 1) / capacity
    note = (
        f"cache: {found.stored:,} states kept, {found.cleared:,} forgotten, {share:.0%} of the "
        f"steps led to a known state, the stack took up to {depth:.0%} of the cache"
    )
    if found.cleared and (share > 0.5 or depth > 0.5):
        note += "; a larger cache or a reduction would save many visits"
    return note


def _reduction_stats(found: _core.Exploration, parts: Parts) -> dict[str, object]:
    if not (parts.reduces or parts.depth_first or parts.check):
        return {}
    stats: dict[str, object] = {"matched": found.matched}
    if parts.sleep:
        stats["asleep"] = found.asleep
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
        notes = (*notes, f"{why} (a value outside its domain, a fixpoint, a block that fails)")
    counted = "every state is visited" if parts.keeps == "states" else "fewer states are visited"
    note = (
        f"reduction: {parts.name}; {counted}, "
        f"{found.reduced:,} of {found.states:,} with only some of their events"
    )
    return (*notes, note)
