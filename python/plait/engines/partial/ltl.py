"""LTL by tableau, on all states or on those that partial exploration leaves: `evalLTLX`.

Four methods of Vander Meulen's thesis (2012, chapter 4), by where the pairs of the product come
from and by the direction of the search for fair cycles (`plait.engines.symbolic.tableau`):

    --ltl tableau                                what begins a violation, forward          FWD
    --ltl tableau-backward                       all pairs of reachable states             BWD
    --strategy partial                           the first, partially explored        evalLTLX
    --strategy partial --ltl tableau-backward    the same, backward              evalLTLX(BWD)

The process model is that of the model alone, safe but not necessarily linear: every step of the
model has a step of the product, and what is observed are the conditions of the formula. A formula
with X is refused under a reduction, but for those at its head, which are steps of all events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from plait import _core
from plait.automata.elementary import Tableau
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.partial.engine import PartialEngine, Run
from plait.engines.partial.exploration import PartialExploration
from plait.engines.prepared import Prepared, prepare
from plait.engines.symbolic.reach import ENGINE
from plait.engines.symbolic.tableau import Pairs, TableauProduct
from plait.engines.symbolic.tableau_lasso import TableauLasso
from plait.engines.symbolic.tuning import PARTIAL, Tuning
from plait.errors import InputError, LimitReached, error
from plait.logic.classify import why_not_ltl
from plait.logic.formula import NeverClaim, Next
from plait.logic.nnf import nnf
from plait.logic.walk import subformulas
from plait.model.expr import Formula
from plait.model.text import show
from plait.model.types import Property
from plait.records import dataclass, replace
from plait.report.answer import Answer

if TYPE_CHECKING:
    from plait.engines.symbolic.tableau import States

MOST_NEXTS = 10
"""The X of a tableau: there is a set of states for each combination of them."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A formula without the X at its head, and their number."""

    property: Property
    tableau: Tableau
    heads: int


class TableauLinear:
    """LTL properties of one model by tableau."""

    def __init__(self, evidence: Evidence, tuning: Tuning, listen: Listener | None = None) -> None:
        from plait.engines.symbolic.engine import Symbolic

        self.evidence = evidence
        self.tuning = tuning
        self.listen = listen
        self.reduced = tuning.strategy == PARTIAL
        self.is_backward = tuning.ltl == "tableau-backward"
        self._engine = PartialEngine(Symbolic(evidence.model, evidence, tuning))

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        tell: Callable[[int, Answer], None] | None = None,
    ) -> list[Answer]:
        """The answers, in order; `tell` hears each that is known as soon as it is."""
        answers = []
        for place, p in enumerate(properties):
            share = budget.share(len(properties) - place)
            question = self._question(p)
            try:
                answer = self._ask(question, share) if isinstance(question, _Question) else question
            except LimitReached as limit:
                answer = Answer(p, "unknown", ENGINE, reason=limit.reason)
            answer = replace(answer, seconds=share.elapsed, peak_memory_bytes=peak_memory())
            if tell is not None and answer.verdict != "unknown":
                tell(place, answer)
            answers.append(answer)
        return answers

    def _question(self, p: Property) -> _Question | Answer:
        assert isinstance(p.body, Formula)
        if isinstance(p.body, NeverClaim):
            reason = "never claims have no tableau; use another --ltl"
            return Answer(p, "unknown", ENGINE, reason=reason)
        wrong = why_not_ltl(p.body)
        if wrong is not None:
            raise InputError(wrong)
        inner, heads = nnf(p.body), 0
        while isinstance(inner, Next):
            inner, heads = inner.operand, heads + 1
        if self.reduced and any(isinstance(f, Next) for f in subformulas(inner)):
            raise error(
                f"X in '{show(p.body, limit=60)}' tells states apart that partial exploration "
                "takes for one: it counts steps, and some are left out",
                p.body.span,
                hint="use --strategy saturation with --ltl tableau",
            )
        tableau = Tableau(inner)
        if len(tableau.nexts) > MOST_NEXTS:
            reason = f"a tableau of 2^{len(tableau.nexts)} states is too large"
            return Answer(p, "unknown", ENGINE, reason=reason)
        return _Question(p, tableau, heads)

    def _ask(self, question: _Question, budget: Budget) -> Answer:
        conditions = question.tableau.conditions
        leaves = [Property(f"condition {i}", "reachable", c) for i, c in enumerate(conditions)]
        prepared = prepare(self.evidence.model, leaves, budget)
        flat = [p.body for p in prepared.properties]
        made = {c: f for c, f in zip(conditions, flat, strict=True) if isinstance(f, Formula)}
        run = Run(self._engine, prepared, made, budget, self.listen)
        try:
            run.diagrams.limit(budget)
            answer = self._answer(question, run, list(made.values()))
        except _core.StoppedError as stop:
            answer = Answer(question.property, "unknown", ENGINE, reason=stop.args[0])
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        return replace(answer, notes=(*answer.notes, *prepared.undefined(run.core.undefined())))

    def _answer(self, question: _Question, run: Run, conditions: Sequence[Formula]) -> Answer:
        core, tableau = run.core, question.tableau
        product = TableauProduct(core, run.free, tableau, run.select, run.dead)
        heads = [core.initial()]
        for _ in range(question.heads):
            heads.append(core.union(core.image(heads[-1], run.free), run.dead(heads[-1])))
        start = product.begins(heads[-1])
        safe = run.safe("ltl", conditions) if self.reduced else []
        explore = PartialExploration(product, run.free, safe, self._engine.variant)
        # Backward, without a reduction, the pairs are not only those reached from the start.
        whole = self.is_backward and not self.reduced
        if self.is_backward:
            core.explore("saturation")
        if whole:
            inside = Pairs({t: core.reach() for t in tableau.states})
        else:
            inside = product.matching(explore(start, product.matching))
        hull = product.backward(inside) if self.is_backward else product.forward(inside)
        violated = product.intersection(hull, start) if whole else hull
        stats = self._stats(question, run, explore, product.count(inside))
        answer = Answer(question.property, "false" if violated else "true", ENGINE, stats=stats)
        return self._shown(answer, run.prepared, product, inside, heads) if violated else answer

    def _shown(
        self,
        answer: Answer,
        prepared: Prepared,
        product: TableauProduct,
        inside: Pairs,
        heads: Sequence[States],
    ) -> Answer:
        """The answer with a run, which is replayed."""
        reached = inside
        if self.is_backward:
            reached = product.reached(product.begins(heads[-1]), inside)
        hull = product.forward(reached)
        trace, loop = TableauLasso(product, reached).run(heads, hull)
        witness = replace(prepared.witness(trace), loop=loop)
        return self.evidence.confirm_run(replace(answer, witness=witness))

    def _stats(
        self, question: _Question, run: Run, explore: PartialExploration[Pairs], pairs: int
    ) -> dict[str, object]:
        tableau = question.tableau
        return {
            **run.figures(explore, None),
            "strategy": self.tuning.strategy,
            "ltl": "tableau-backward" if self.is_backward else "tableau",
            "elementary": len(tableau.conditions) + len(tableau.nexts),
            "tableau_states": len(tableau.states),
            "fairness_sets": len(tableau.untils),
            "pairs": pairs,
        }


__all__ = ["TableauLinear"]
