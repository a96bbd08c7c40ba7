"""The symbolic engine with partial exploration: which events may go first depends on the question.

What a question observes is not to be changed by events that go first. Reachability and bounds need
stutter equivalence, so events that are safe may go first; CTL needs those that are linear too; for
deadlocks nothing is observed. A violation is shown by a path inside the states that were found,
which are all reachable, and replayed as any trace is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.decisive import verdict
from plait.engines.formulas import prepare_formulas
from plait.engines.partial.ctl import PartialCtl, refuse_next
from plait.engines.partial.exploration import (
    KEEPS,
    VARIANTS,
    Figures,
    Keep,
    PartialExploration,
    S,
    States,
    Variant,
)
from plait.engines.partial.observed import observed
from plait.engines.partial.process_model import RULES, ProcessModels, Rule, SafeProcess
from plait.engines.prepared import Prepared, prepare
from plait.engines.symbolic.attempts import attempts
from plait.engines.symbolic.ctl import SymbolicLabelling
from plait.engines.symbolic.reach import ENGINE, Diagrams
from plait.errors import InputError, error
from plait.logic.classify import why_not_ctl
from plait.model.expr import Formula, IntExpr
from plait.model.node import Node
from plait.model.rewritten import flat_type
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer, StateSpace, Verdict

if TYPE_CHECKING:
    from plait.engines.symbolic.engine import Symbolic

ASSUMED = "that no two safe events of a process are enabled together was assumed, not checked"


class PartialEngine:
    """Answers by partial exploration; `of` says how diagrams are built."""

    def __init__(self, of: Symbolic) -> None:
        self.of = of
        wanted = of.tuning.partial
        if of.fair:
            raise error("partial exploration knows no fairness", hint="use another --strategy")
        if wanted.variant not in VARIANTS or wanted.rule not in RULES:
            raise error(f"no partial exploration {wanted.variant} with {wanted.rule} events")
        if wanted.keep is not None and wanted.keep not in KEEPS:
            raise error(f"partial exploration cannot keep '{wanted.keep}'")
        self.variant: Variant = wanted.variant
        self.rule: Rule = wanted.rule
        self.assume_linear = wanted.assume_linear

    def check(
        self, properties: Sequence[Property], budget: Budget, listen: Listener | None
    ) -> list[Answer]:
        """The answers, in order."""
        for p in properties:
            if p.kind == "ctl" and isinstance(p.body, Formula):
                wrong = why_not_ctl(p.body)
                if wrong is not None:
                    raise InputError(wrong)
                refuse_next(p.body)
        prepared, conditions = prepare_formulas(self.of.model, properties, budget)
        run = Run(self, prepared, conditions, budget, listen)
        answers = []
        for place, (asked, flat) in enumerate(
            zip(properties, prepared.properties[: len(properties)], strict=True)
        ):
            share = budget.share(len(properties) - place)
            try:
                run.diagrams.limit(share)
                answer = run.answer(asked, flat)
            except _core.StoppedError as stop:
                answer = Answer(asked, "unknown", ENGINE, reason=stop.args[0])
            except _core.ProgramError as failure:
                raise prepared.located(failure) from None
            notes = (*answer.notes, *prepared.undefined(run.core.undefined()))
            if self.assume_linear:
                notes = (*notes, ASSUMED)
            answers.append(
                replace(
                    answer,
                    notes=notes,
                    seconds=budget.elapsed,
                    peak_memory_bytes=peak_memory(),
                )
            )
        return answers

    def states(self, budget: Budget, listen: Listener | None) -> StateSpace:
        """The reduced set of states that keeps what was asked for, CTL unless told otherwise."""
        prepared = prepare(self.of.model, budget=budget)
        run = Run(self, prepared, {}, budget, listen)
        keep = cast(Keep, self.of.tuning.partial.keep or "ctl")
        space = StateSpace(False, None, 1, ENGINE)
        try:
            run.diagrams.limit(budget)
            explore = run.exploration(keep, ())
            found = explore(run.core.initial())
            stats = run.figures(explore, found)
            space = replace(
                space,
                complete=True,
                states=run.core.count(found),
                deadlocks=run.core.count(run.dead(found)),
                stats=stats,
                notes=(ASSUMED,) if self.assume_linear else (),
            )
        except _core.StoppedError as stop:
            space = replace(space, reason=stop.args[0])
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        return replace(space, seconds=budget.elapsed, peak_memory_bytes=peak_memory())


class Run:
    """One prepared model, in diagrams."""

    def __init__(
        self,
        engine: PartialEngine,
        prepared: Prepared,
        conditions: dict[Formula, Formula],
        budget: Budget,
        listen: Listener | None,
    ) -> None:
        self.engine = engine
        self.prepared = prepared
        self.conditions = conditions
        self.budget = budget
        self.listen = listen
        self.compiled = prepared.compiled
        self.flat = flat_type(prepared.rewritten.model)
        tuning = engine.of.tuning
        order, _, _ = next(attempts(prepared, tuning, budget))
        self.diagrams = Diagrams(prepared, order, tuning, listen)
        self.core = self.diagrams.core
        self.free = [i for i, e in enumerate(self.flat.events) if e.label is None]
        self._labelling: SymbolicLabelling | None = None

    @cached_property
    def process_models(self) -> ProcessModels:
        """Which events are safe."""
        return ProcessModels(self.flat, self.compiled.shape)

    def safe(self, keep: Keep, asked: Iterable[Node]) -> list[SafeProcess]:
        """The events that may go first when this is kept of what formulas say of conditions."""
        engine = self.engine
        seen = observed(asked, self.flat, self.compiled.titled)
        if seen is None:
            return []
        return self.process_models.safe(
            seen, linear=keep == "ctl", rule=engine.rule, assume_linear=engine.assume_linear
        )

    def exploration(self, keep: Keep, asked: Iterable[Node]) -> PartialExploration[States]:
        """The exploration that keeps what formulas of a kind say of these conditions."""
        return PartialExploration(
            self.core,
            self.free,
            self.safe(keep, asked),
            self.engine.variant,
            only_deadlocks=keep == "deadlocks",
            tell=None if self.listen is None else self._told,
        )

    def _told(self, figures: Figures, frontier: States) -> None:
        if self.listen is not None:
            self.listen(
                Progress(
                    "partial",
                    states=self.core.count(frontier),
                    depth=figures.rounds,
                    frontier=self.core.size(frontier),
                    nodes=self.core.statistics()["nodes"],
                    seconds=self.budget.elapsed,
                )
            )

    def select(self, states: States, condition: Formula) -> States:
        """The states of a set where a condition of the original model holds."""
        flat = self.compiled.formula(self.conditions.get(condition, condition))
        return self.core.select(self.compiled.program, states, flat)

    def dead(self, states: States) -> States:
        """The states of a set without successor."""
        program = self.compiled.program
        return self.core.select(program, states, program.deadlock())

    def labelling(self) -> SymbolicLabelling:
        """All reachable states, for what is computed backward."""
        if self._labelling is None:
            self.core.explore("saturation")
            self._labelling = SymbolicLabelling(
                self.compiled,
                self.core,
                self.core.reach(),
                conditions=self.conditions,
                maximal=not self.engine.of.infinite,
            )
        return self._labelling

    def figures(self, explore: PartialExploration[S], found: States | None) -> dict[str, object]:
        """What an exploration took and found."""
        core = self.core
        sizes = (
            {} if found is None else {"states": core.count(found), "final_nodes": core.size(found)}
        )
        # The relations of all events and of each process are sums of events, not diagrams.
        safe = [len(p.events) for p in explore.processes]
        return {
            "strategy": "partial",
            "variant": explore.variant,
            "order": self.diagrams.order.name,
            "processes": len(explore.processes),
            "events": len(self.free),
            "safe_events": sum(safe),
            "greatest_process_events": max(safe, default=0),
            **sizes,
            **explore.figures.shown(),
            **core.statistics(),
        }

    def answer(self, asked: Property, flat: Property) -> Answer:
        """The answer to one property."""
        if asked.kind == "ctl":
            return self._branching(asked)
        if asked.kind == "deadlock":
            explore = self.exploration("deadlocks", ())
            found = explore(self.core.initial())
            return self._reached(asked, explore, found, self.dead(found))
        assert isinstance(flat.body, Formula | IntExpr)
        explore = self.exploration("ltl", (flat.body,))
        found = explore(self.core.initial())
        program = self.compiled.program
        if isinstance(flat.body, IntExpr):
            stats = self.figures(explore, found)
            limits = self.core.extrema(program, found, self.compiled.integer(flat.body))
            if limits is None:
                return Answer(asked, "true", ENGINE, stats=stats)
            stats |= {"min": limits[0], "max": limits[1]}
            return Answer(asked, "true", ENGINE, value=limits[1], stats=stats)
        goal = self.core.select(program, found, self.prepared.goal(flat))
        return self._reached(asked, explore, found, goal)

    def _reached(
        self, asked: Property, explore: PartialExploration[States], found: States, goal: States
    ) -> Answer:
        """The answer when it is asked whether some state can be reached."""
        stats = self.figures(explore, found)
        answer = Answer(asked, verdict(asked, found=bool(goal)), ENGINE, stats=stats)
        if not goal:
            return answer
        trace = self.core.path_inside(found, goal)
        if trace is None:
            return replace(answer, notes=(f"{asked.name}: no trace was found",))
        return self.engine.of.evidence.confirm(
            replace(answer, witness=self.prepared.witness(trace))
        )

    def _branching(self, asked: Property) -> Answer:
        """The answer to a CTL property."""
        assert isinstance(asked.body, Formula)
        from plait.logic.nnf import nnf
        from plait.logic.walk import conditions as conditions_of

        atoms = [self.conditions.get(f, f) for f in conditions_of(nnf(asked.body))]
        explore = self.exploration("ctl", atoms)
        dead = None if self.engine.of.infinite else self.dead
        decision = PartialCtl(self.core, explore, self.select, self.labelling, dead)
        verdict: Verdict = "true" if decision.holds(asked.body) else "false"
        stats = self.figures(explore, decision.reached)
        stats |= {"ctl": "partial", "forward": decision.forms}
        stats |= {"explorations": decision.explorations, "backward": self._labelling is not None}
        return Answer(asked, verdict, ENGINE, stats=stats)
