"""LTL by reachability: is a state that was saved reached again? (`plait.passes.liveness`)

Whatever engine finds such a state has found a run that violates the formula: what led to the moment
of saving, and from there around. It is put back into terms of the model and replayed as a lasso.
Whatever proves that there is none, an exhaustive search or an induction, proves the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.automata import TooLarge, violating
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.prepared import Prepared, prepare
from plait.errors import LimitReached
from plait.model.expr import Formula
from plait.model.rewritten import flat_type
from plait.model.shape import State
from plait.model.types import Model, Property
from plait.passes.liveness import NotPlain, Repeating, repeating
from plait.records import replace
from plait.report.answer import Answer, Verdict, Witness

ENGINE = "repeated"
Ask = Callable[[Model, Property, Budget], Answer]
"""Asks an engine about a property of another model."""


class Repeated:
    """LTL properties of one model; `ask` is whoever answers about reachable states."""

    def __init__(self, evidence: Evidence, ask: Ask) -> None:
        self.evidence = evidence
        self.ask = ask

    def check(self, properties: Sequence[Property], budget: Budget) -> list[Answer]:
        """The answers, in order."""
        answers = []
        for place, p in enumerate(properties):
            share = budget.share(len(properties) - place)
            try:
                answers.append(self._answer(p, share))
            except (TooLarge, LimitReached) as limit:
                answers.append(Answer(p, "unknown", ENGINE, reason=limit.reason))
            except NotPlain as why:
                answers.append(Answer(p, "unknown", ENGINE, reason=str(why)))
        return answers

    def _answer(self, p: Property, budget: Budget) -> Answer:
        assert isinstance(p.body, Formula)
        found = violating(p.body, budget.check)
        leaves = [Property(f"c{i}", "reachable", c) for i, c in enumerate(found.conditions)]
        prepared = prepare(self.evidence.model, leaves, budget)
        letters = [q.body for q in prepared.properties if isinstance(q.body, Formula)]
        flat = prepared.rewritten.model
        product = repeating(flat, flat_type(flat), found, letters)
        answer = self.ask(product.model, Property("repeated", "never", product.goal), budget)
        verdict: Verdict = answer.verdict
        told = replace(answer, property=p, witness=None, replayed=False, explanation=())
        if verdict != "false" or answer.witness is None:
            return told
        witness = _lasso(product, prepared, answer.witness)
        return self.evidence.confirm_run(replace(told, witness=witness))


def _lasso(product: Repeating, prepared: Prepared, found: Witness) -> Witness:
    """A run of the product as one of the model, without saving and without repeated deadlocks."""
    width = len(prepared.compiled.program.initial())
    numbers = {e.title: i for i, e in enumerate(flat_type(product.model).events)}
    trace: list[tuple[int | None, State]] = [(None, found.initial[:width])]
    loop = 0
    for step in found.steps:
        number = numbers[step.event]
        if number == product.save:
            loop = len(trace) - 1
        elif product.events[number] is not None:
            trace.append((product.events[number], step.state[:width]))
    return replace(prepared.witness(trace), loop=loop)


__all__ = ["Repeated"]
