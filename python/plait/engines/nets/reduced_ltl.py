"""LTL on structurally reduced nets, each property on a net of its own.

A formula that cannot tell a state from its repetition keeps its value when steps that nobody sees
are taken together with others (`paths` in `plait.structure.reductions`); any other is put to a net
that is bisimilar on the observed places (`steps`). The conditions become inequalities over the
places that are left. A run that violates the property there is expanded to one of the net, and
replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from plait.automata import TooLarge, violating
from plait.automata.stutter import is_stutter_closed
from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.formulas import Formulas
from plait.engines.nets.reduced import PREFIX
from plait.engines.nets.reduced_ctl import SMALLER, Questions, size, translated
from plait.engines.nets.walks import TRACE_CELLS
from plait.engines.prepared import Prepared
from plait.errors import LimitReached
from plait.logic.formula import NeverClaim
from plait.model.expr import Formula
from plait.model.net import Net, as_model
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer, Witness
from plait.structure import linear
from plait.structure.reductions import Keeps, Reduced, TooLong, reduce

ENGINE = "structural-reduction"
Solve = Callable[[Evidence, Property, Budget, Listener | None], Answer]
"""Asks the engines about the property of a reduced net."""


class ReducedLinear:
    """LTL properties of one model, if it is a net."""

    def __init__(
        self,
        evidence: Evidence,
        properties: Sequence[Property],
        solve: Solve,
        listen: Listener | None = None,
    ) -> None:
        self.evidence = evidence
        self.listen = listen
        self._solve = solve
        formulas = [p for p in properties if not isinstance(p.body, NeverClaim)]
        self._formulas = Formulas(evidence.model, formulas)
        self._questions: Questions | None = None
        self._reduced: dict[tuple[frozenset[int], Keeps], Reduced] = {}

    def check(self, p: Property, budget: Budget) -> Answer:
        """The answer to one of the properties; unknown where the net cannot be reduced for it."""
        unknown = Answer(p, "unknown", ENGINE, reason="the net cannot be reduced for it")
        if isinstance(p.body, NeverClaim):
            return unknown
        if self._questions is None:
            self._questions = Questions(self._formulas)
        body, net = self._formulas.body(p), self._questions.net
        goals = self._questions.goals(body, budget)
        if goals is None or net is None:
            return unknown
        observed = frozenset[int]().union(*map(linear.support, goals.values()))
        try:
            keeps = keeps_for(body, budget)
        except TooLarge:
            return unknown
        reduced = self._net(net, observed, keeps, budget)
        if size(reduced.net) > SMALLER * size(net):
            return unknown
        asked = Property(p.name, kind="ltl", body=translated(body, goals, reduced))
        shown = self.evidence.shows_runs
        small = Evidence(as_model(reduced.net, (asked,)), shows_runs=shown)
        found = self._solve(small, asked, budget, self.listen)
        stats: dict[str, object] = {
            "reduced_places": len(reduced.net.places),
            "reduced_events": len(reduced.net.events),
        }
        answer = Answer(p, found.verdict, PREFIX + found.engine, reason=found.reason, stats=stats)
        if found.verdict != "false" or found.witness is None:
            return replace(answer, notes=found.notes)
        witness = expanded(found.witness, reduced, self._formulas.prepared)
        if witness is None:
            note = f"{p.name}: the run that violates it is one of the reduced net only"
            return replace(answer, notes=(note,))
        return self.evidence.confirm_run(replace(answer, witness=witness))

    def _net(self, net: Net, observed: frozenset[int], keeps: Keeps, budget: Budget) -> Reduced:
        key = (observed, keeps)
        if key not in self._reduced:
            seconds = budget.part(1 / 3, 10.0)
            self._reduced[key] = reduce(net, observed, keeps=keeps, seconds=seconds)
            budget.check()
        return self._reduced[key]


def keeps_for(body: Formula, budget: Budget | None = None) -> Keeps:
    """What of a net an LTL formula can see."""
    tick = (lambda: None) if budget is None else budget.check
    found = violating(body, tick)
    return "steps" if found.has_next and not is_stutter_closed(found.automaton, tick) else "paths"


def expanded(witness: Witness, reduced: Reduced, prepared: Prepared) -> Witness | None:
    """A run of the reduced net as one of the net; None when it is too long or does not close."""
    number = {e.name: i for i, e in enumerate(reduced.net.events)}
    net = reduced.original
    trace: list[tuple[int | None, tuple[int, ...]]] = [(None, net.initial)]

    def execute(events: Iterable[int]) -> None:
        for e in events:
            trace.append((e, net.events[e].fire(trace[-1][1])))
            if len(trace) * len(net.places) > TRACE_CELLS:
                raise LimitReached("too long")

    try:
        execute(e for trail in reduced.prefix for e in trail.events())
        loop = None
        for place, step in enumerate(witness.steps):
            if witness.loop == place:
                loop = len(trace) - 1
            execute(reduced.trails[number[step.event]].events())
        if witness.loop == len(witness.steps):
            execute(reduced.finishing(trace[-1][1]))
            loop = len(trace) - 1
    except (LimitReached, TooLong):
        return None
    if loop is None or trace[loop][1] != trace[-1][1]:
        return None
    return replace(prepared.witness(trace), loop=loop)


__all__ = ["ENGINE", "ReducedLinear", "expanded", "keeps_for"]
