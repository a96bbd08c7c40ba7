"""The bounded engine on linear time: runs that violate an LTL property, of a bounded length.

`plait.smt.linear` looks for them. Without options this is bounded model checking. With `--strategy
partial` it is *bounded partial exploration* (Vander Meulen, 2012, chapter 5): runs follow a fixed
schedule in which each process does what it may do first, which makes them longer and much easier to
find. Then safety properties are asked in this way, too.

A run that is found is replayed by the reference. A run that violates the property however it goes
on is first completed to a lasso, by walks that repeat their choices and so soon return to an
earlier state. There are no proofs: what is not violated up to the bound stays `unknown`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from plait.engines.apart import Died, apart
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.decisive import sought, verdict
from plait.engines.evidence import Evidence
from plait.engines.names import BOUNDED
from plait.engines.partial.observed import observed
from plait.engines.partial.process_model import RULES, ProcessModels, Rule
from plait.engines.prepared import Prepared, prepare
from plait.engines.safety import as_safety
from plait.errors import InputError, LimitReached, error
from plait.logic.classify import why_not_ltl
from plait.logic.formula import NeverClaim, Next
from plait.logic.nnf import nnf
from plait.logic.walk import conditions as conditions_of
from plait.logic.walk import subformulas
from plait.model.expr import Formula
from plait.model.rewritten import flat_type
from plait.model.shape import State, Trace
from plait.model.text import show
from plait.model.types import Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer
from plait.smt.found import Effort, Failed, LinearFound, NoneUpTo, Refused, Violated
from plait.smt.schedule import Schedule

if TYPE_CHECKING:
    from plait.smt.linear import Question

_Models = Callable[[Sequence[Formula]], tuple[tuple[int, ...], ...]]
WALKS = 20
"""Ways on from the end of a run that are tried until one comes back."""
LONGEST = 5_000
"""... and how many steps each may have."""
SAFETY = ("reachable", "never", "invariant", "deadlock")


@dataclass(slots=True)
class _Known:
    answers: dict[int, Answer] = field(default_factory=dict)
    efforts: dict[int, Effort] = field(default_factory=dict)
    """The greatest bound up to which nothing was found."""
    memory: int = 0
    limit: str | None = None


class BoundedLinear:
    """Linear-time properties of one model; `ahead` is None for plain bounded model checking."""

    def __init__(
        self,
        evidence: Evidence,
        depth: int | None = None,
        *,
        ahead: int | None = None,
        rule: str = "local",
        together: bool = False,
        alone: bool = True,
    ) -> None:
        """With `together` events that do not meet may happen in one step, for safety only.

        Unless `alone`, the solver works in this process, where nothing but itself ends it.
        """
        if rule not in RULES:
            raise error(f"no partial exploration with {rule} events")
        self.evidence = evidence
        self.depth = depth
        self.ahead = ahead
        self.rule: Rule = rule
        self.together = together
        self.alone = alone

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        tell: Callable[[Answer], None] | None = None,
    ) -> list[Answer]:
        """The answers, in order; `tell` hears each that is known as soon as it is."""
        answers = {i: a for i, p in enumerate(properties) if (a := self._refusal(p)) is not None}
        left = [i for i in range(len(properties)) if i not in answers]
        if left:
            asked = [as_safety(properties[i]) or properties[i] for i in left]

            def told(place: int, answer: Answer) -> None:
                answers[left[place]] = replace(answer, property=properties[left[place]])
                if tell is not None and answer.verdict != "unknown":
                    tell(answers[left[place]])

            for place, answer in enumerate(_Asked(self, asked, budget, listen).answers(told)):
                answers[left[place]] = replace(answer, property=properties[left[place]])
        return [answers[i] for i in range(len(properties))]

    def _refusal(self, p: Property) -> Answer | None:
        """Why a property is not asked at all."""
        why = None
        if importlib.util.find_spec("z3") is None:
            why = "the solver z3 is not installed"
        elif self.evidence.weak:
            why = "the bounded engine knows no weak fairness"
        elif isinstance(p.body, NeverClaim):
            why = "never claims are not for the bounded engine"
        elif p.kind not in ("ltl", *SAFETY) and as_safety(p) is None:
            why = f"the bounded engine does not check {p.kind} properties"
        elif self.together and p.kind not in SAFETY and as_safety(p) is None:
            why = "a run in which events happen together shows not all of its states"
        if why is None:
            return None
        return Answer(p, "unknown", BOUNDED, reason=why, stats={"refused": True})


class _Asked:
    """Properties of one model, made ready."""

    def __init__(
        self,
        of: BoundedLinear,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None,
    ) -> None:
        self.of = of
        self.properties = properties
        self.budget = budget
        self.listen = listen
        self.heads: list[int] = []
        """How many X stand at the head of each formula."""
        self.bodies: list[Formula | None] = []
        """Formulas in negation normal form; None for safety properties."""
        for p in properties:
            first, body = self._body(p)
            self.heads.append(first)
            self.bodies.append(body)
        self.known = _Known()
        self.conflicts: frozenset[tuple[int, int]] | None = None

    def _body(self, p: Property) -> tuple[int, Formula | None]:
        if p.kind != "ltl":
            return 0, None
        assert isinstance(p.body, Formula)
        wrong = why_not_ltl(p.body)
        if wrong is not None:
            raise InputError(wrong)
        body = inner = nnf(p.body)
        first = 0
        while isinstance(inner, Next):
            first, inner = first + 1, inner.operand
        if self.of.ahead is not None and any(isinstance(f, Next) for f in subformulas(inner)):
            raise error(
                f"X in '{show(p.body, limit=60)}' counts steps, and partial exploration changes "
                "how many there are",
                p.body.span,
                hint="leave --strategy partial out",
            )
        return (first if self.of.ahead is not None else 0), body

    def answers(self, tell: Callable[[int, Answer], None]) -> list[Answer]:
        """The answers, in order."""
        known, budget = self.known, self.budget
        try:
            self.prepared, flat = self._prepared()
            for found in self._found(self.prepared, flat):
                self._take(found, tell)
        except LimitReached as limit:
            known.limit = limit.reason
        except KeyboardInterrupt:
            known.limit = "interrupted"
        memory = max(peak_memory(), known.memory)
        return [
            replace(
                known.answers.get(i, self._unknown(i)),
                seconds=budget.elapsed,
                peak_memory_bytes=memory,
            )
            for i in range(len(self.properties))
        ]

    # --- the questions ----------------------------------------------------------------------------

    def _prepared(self) -> tuple[Prepared, list[list[Property]]]:
        """The model made ready, with what has become of each property or of its conditions.

        Formulas stay in terms of the original model; only their conditions go through the passes.
        """
        asked: list[Property] = []
        counts = []
        for p, body in zip(self.properties, self.bodies, strict=True):
            leaves = [] if body is None else conditions_of(body)
            names = (f"condition {len(asked) + i}" for i in range(len(leaves)))
            made = [Property(n, "reachable", c) for n, c in zip(names, leaves, strict=True)]
            asked += [p] if body is None else made
            counts.append(1 if body is None else len(made))
        prepared = prepare(self.of.evidence.model, asked, self.budget)
        flat = iter(prepared.properties)
        return prepared, [list(islice(flat, count)) for count in counts]

    def _question(self, number: int, flat: Sequence[Property], models: _Models) -> Question:
        """What is asked about a property, in terms of the flat model."""
        from plait.smt.lasso import dual
        from plait.smt.linear import Question

        body = self.bodies[number]
        conditions = [p.body for p in flat if isinstance(p.body, Formula)]
        safe = models(conditions)
        ahead = (self.of.ahead or 0) if safe else 0
        schedule = Schedule(len(safe), ahead, self.heads[number])
        if body is None:
            return Question(schedule, safe, goal=flat[0], conflicts=self.conflicts)
        numbers = {id(c): i for i, c in enumerate(conditions_of(body))}
        return Question(schedule, safe, tuple(dual(body, numbers)), tuple(conditions))

    def _safe(self, prepared: Prepared) -> _Models:
        """The safe events of each process, given the conditions that are observed."""
        flat = flat_type(prepared.rewritten.model)
        models = ProcessModels(flat, prepared.compiled.shape) if self.of.ahead else None

        def safe(conditions: Sequence[Formula]) -> tuple[tuple[int, ...], ...]:
            names = observed(conditions, flat, prepared.compiled.titled)
            if models is None or names is None:
                return ()
            found = models.safe(names, linear=False, rule=self.of.rule)
            return tuple(process.events for process in found)

        return safe

    def _found(self, prepared: Prepared, flat: list[list[Property]]) -> Iterator[LinearFound]:
        from plait.smt.linear import LinearSearch

        models = self._safe(prepared)
        if self.of.together:
            shape = prepared.compiled.shape
            self.conflicts = ProcessModels(flat_type(prepared.rewritten.model), shape).conflicts()
        questions = [self._question(i, mine, models) for i, mine in enumerate(flat)]

        def work() -> Iterator[LinearFound]:
            titled, seconds = prepared.compiled.titled, self.budget.remaining()
            model, depth = prepared.rewritten.model, self.of.depth
            return LinearSearch(model, titled, seconds=seconds, depth=depth).run(questions)

        def tick(memory: int) -> None:
            self.known.memory = max(self.known.memory, memory)
            if self.listen is not None:
                depth = max((e.bound for e in self.known.efforts.values()), default=0)
                seconds = self.budget.elapsed
                self.listen(Progress(BOUNDED, depth=depth, memory=memory, seconds=seconds))

        self.schedules = [q.schedule for q in questions]
        try:
            yield from apart(work, self.budget, tick) if self.of.alone else work()
        except Died as end:
            self.known.limit = str(end)
        if self.budget.remaining() == 0:
            self.known.limit = self.known.limit or "timeout"

    # --- what was found ---------------------------------------------------------------------------

    def _take(self, found: LinearFound, tell: Callable[[int, Answer], None]) -> None:
        match found:
            case NoneUpTo(number=number, effort=effort, doubtful=doubtful):
                if not doubtful:
                    self.known.efforts[number] = effort
            case Violated(number=number):
                self.known.answers[number] = self._violated(found)
                tell(number, self.known.answers[number])
            case Failed(trace=trace):
                witness = self.prepared.witness(trace)
                self.of.evidence.semantics.replay(witness)
                self.of.evidence.semantics.successors(witness.states[-1])
                raise LimitReached("internal error: an event was found to fail, and does not")
            case Refused(number=number, reason=reason):
                for i, p in enumerate(self.properties):
                    if number is None or number == i:
                        stats: dict[str, object] = {"refused": True}
                        refused = Answer(p, "unknown", BOUNDED, reason=reason, stats=stats)
                        self.known.answers[i] = refused

    def _violated(self, found: Violated) -> Answer:
        asked = self.properties[found.number]
        stats = self._stats(found.number, found.effort)
        answer = Answer(asked, verdict(asked, found=True), BOUNDED, stats=stats)
        trace, loop = found.trace, found.loop
        if asked.kind == "ltl" and loop is None:
            completed = self._completed(trace)
            if completed is None:
                reason = f"all runs that begin like one of {len(trace) - 1} steps violate it, "
                reason += "and none of them was seen to come back"
                return replace(answer, verdict="unknown", reason=reason)
            trace, loop = completed
        witness = self.prepared.witness(trace)
        stats["depth"] = len(witness.steps)
        stats["max_sum"] = max(map(sum, witness.states))
        if asked.kind != "ltl":
            return self.of.evidence.confirm(replace(answer, witness=witness))
        run = replace(witness, loop=loop)
        return self.of.evidence.confirm_run(replace(answer, witness=run))

    def _completed(self, trace: Trace) -> tuple[Trace, int] | None:
        """The beginning of a run with a way on that comes back or ends, if one is found soon."""
        program = self.prepared.compiled.program
        random = Random(len(trace))
        for _ in range(WALKS):
            ranks: dict[int, float] = {}
            seen: dict[State, int] = {tuple(trace[-1][1]): len(trace) - 1}
            run = list(trace)
            while len(run) < len(trace) + LONGEST:
                self.budget.check()
                steps = program.successors(run[-1][1])
                if not steps:
                    return run, len(run) - 1
                event, state = min(steps, key=lambda s: ranks.setdefault(s[0], random.random()))
                run.append((event, tuple(state)))
                if run[-1][1] in seen:
                    return run, seen[run[-1][1]]
                seen[run[-1][1]] = len(run) - 1
        return None

    def _unknown(self, number: int) -> Answer:
        asked = self.properties[number]
        limit, effort = self.known.limit, self.known.efforts.get(number)
        if effort is None:
            return Answer(asked, "unknown", BOUNDED, reason=limit or "the solver gave up")
        far = f"no {sought(asked)} in runs of up to {effort.bound} steps"
        stats = self._stats(number, effort)
        if limit is None:
            return Answer(asked, "unknown", BOUNDED, reason=far, stats=stats)
        note = f"{asked.name}: {far}"
        return Answer(asked, "unknown", BOUNDED, reason=limit, stats=stats, notes=(note,))

    def _stats(self, number: int, effort: Effort) -> dict[str, object]:
        schedule = self.schedules[number]
        return {
            "k": effort.bound,
            "cycles": effort.cycles,
            "cycle": schedule.cycle,
            "processes": schedule.processes,
            "ahead": schedule.ahead,
            "search_seconds": effort.seconds,
            "solver_megabytes": effort.memory,
        }


__all__ = ["BoundedLinear"]
