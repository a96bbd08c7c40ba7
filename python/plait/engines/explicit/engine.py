"""The native search: safety properties, bounds and counts on every reachable state.

The model goes through the passes to one flat component, which is compiled for the native core.
All properties of a call are decided in one search, under a partial-order reduction if one is asked
for (`plait.engines.explicit.reduction`). What comes back is lifted to the original model, and every
trace is replayed there by the reference before it is believed.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory, teller
from plait.engines.decisive import sought, verdict
from plait.engines.evidence import Evidence
from plait.engines.explicit.account import Account, approximation
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Parts, Reduction, parts_for
from plait.engines.prepared import Prepared, prepare
from plait.errors import Diagnostic, LimitReached, ModelError, error
from plait.model.plain import plain_of
from plait.model.types import Model, Property
from plait.records import dataclass, replace
from plait.report.answer import Answer, StateSpace

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
        goals, bounds = found.goals, found.bounds  # each is a copy of all
        answers: dict[int, Answer] = {}
        decided_in: dict[int, list[int]] = {}
        for place, (asked, query) in enumerate(zip(properties, queries, strict=True)):
            if query.goal is None:
                answers[place] = self._bounds_answer(asked, found, bounds[query.number])
            elif (state := goals[query.number]) is None:
                answers[place] = self._not_met(asked, found)
            else:
                decided_in.setdefault(state, []).append(place)
        for state, places in decided_in.items():
            met = self._met([properties[i] for i in places], prepared, found, state)
            answers |= dict(zip(places, met, strict=True))
        seconds, memory = budget.elapsed, peak_memory()
        account = Account(found, prepared, parts, self.method)
        stats, notes = account.stats(), account.notes()
        return [
            replace(
                a,
                seconds=seconds,
                peak_memory_bytes=memory,
                stats={**stats, **a.stats},
                notes=(*a.notes, *notes),
            )
            for _, a in sorted(answers.items(), key=lambda numbered: numbered[0])
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
        account = Account(found, prepared, parts, self.method)
        if found.cleared:
            return self._visits(account, budget)
        first = prepared.lift(found.state(0))
        values = [*first, found.max_value] if found.state(0) else first
        approximate = found.complete and self.method.is_approximate
        return StateSpace(
            complete=found.complete and not approximate,
            reason=approximation(found) if approximate else found.reason,
            states=found.states,
            arcs=found.arcs,
            deadlocks=found.deadlocks,
            max_value=max(values, default=None),
            max_sum=account.max_sum,
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=account.stats(),
            notes=account.notes(),
        )

    def _visits(self, account: Account, budget: Budget) -> StateSpace:
        """The space of a search that forgot states, and visited some of them again."""
        found = account.found
        reason = f"states were forgotten and cannot be counted: at most {found.states:,}"
        return StateSpace(
            complete=False,
            reason=reason if found.complete else found.reason,
            states=None,
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats=account.stats(),
            notes=account.notes(),
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
                progress=teller(ENGINE, listen, budget),
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

    def _met(
        self,
        asked: Sequence[Property],
        prepared: Prepared,
        found: _core.Exploration,
        state: int,
    ) -> list[Answer]:
        """The answers to properties that one state decides, of which there may be thousands."""
        trace = found.trace(state)
        if trace is None:
            reason = "a state that decides it was seen, but its trace was not found again in time"
            return [Answer(p, "unknown", ENGINE, reason=reason) for p in asked]
        witness = prepared.witness(trace)
        return self.evidence.confirm_together(
            [Answer(p, verdict(p, found=True), ENGINE, witness=witness) for p in asked]
        )

    def _not_met(self, asked: Property, found: _core.Exploration) -> Answer:
        if found.complete and self.method.is_approximate:
            reason = approximation(found, f"no {sought(asked)} in ")
            return Answer(asked, "unknown", ENGINE, reason=reason)
        if found.complete:
            return Answer(asked, verdict(asked, found=False), ENGINE)
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
