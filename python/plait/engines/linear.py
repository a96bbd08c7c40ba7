"""LTL: which engine looks at the runs of a model.

Runs that are asked of the explicit engine, or of none in particular, are those of the reference
where the graph is small, and of the native product with an automaton where it is not; nets take
turns (`linear_turns`). Others ask for diagrams, for runs of a bounded length, or for the way back
to a state that was saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait.engines.branching import SMALL_EFFORT, SMALL_GRAPH
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.engine import Explicit
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import SYMBOLIC
from plait.engines.stopped import is_interrupted
from plait.engines.symbolic.tuning import PARTIAL, Tuning
from plait.errors import InputError, LimitReached, error
from plait.hints import TYPE_CHECKING
from plait.model.net import Net, as_net
from plait.model.types import Model, Property
from plait.records import replace
from plait.report.answer import Answer

MOMENTS = (0.5, 4.0)
"""The most seconds for each way to look at the product, before one of them has what is left."""
LATE = ("timeout", "memory", "states")
"""Reasons for which another way may still come to an answer."""

if TYPE_CHECKING:
    from plait.engines.bounded_linear import BoundedLinear
    from plait.engines.explicit.linear import LinearTime
    from plait.engines.symbolic.ltl import SymbolicLinear


def on_runs(
    properties: Sequence[Property],
    engine: str,
    product: LinearTime,
    tell: Callable[[int, Answer], None],
    alone: bool,
) -> list[Answer]:
    """LTL: on a small graph by the reference, whose runs are short; else on the product."""
    answers: dict[int, Answer] = {}
    unasked = product.reduction == Reduction() and not product.method.asks_for_product
    if engine == "auto" and unasked:
        from plait.engines.explicit.graph import GraphEngine  # and the reference with it

        most = min(SMALL_GRAPH, product.budget.states or SMALL_GRAPH)
        small = replace(product.budget.share(4), states=most)
        graph = GraphEngine(product.evidence, small, product.listen, effort=SMALL_EFFORT)
        # The reference takes seconds for what the native search counts in no time. What only the
        # conditions need may be fewer states than there are, and it is ready for the product.
        few = product.fits(properties, small) and fits(product.evidence, small)
        for i, p in enumerate(properties if few else ()):
            answer = graph.check(p, waiting=len(properties) - i)
            if answer.verdict == "unknown" and answer.reason != "interrupted":
                break  # most likely for all of them
            answers[i] = answer
            tell(i, answer)
    left = [i for i in range(len(properties)) if i not in answers]
    if left and is_interrupted(answers.values()):
        reason = "interrupted"
        return [
            answers.get(i, Answer(p, "unknown", "none", reason=reason))
            for i, p in enumerate(properties)
        ]
    if left:
        asked = [properties[i] for i in left]

        def tell_of(place: int, answer: Answer) -> None:
            tell(left[place], answer)

        if engine != "auto" or not unasked:
            found = product.check(asked, tell_of)
        elif product.evidence.weak or not isinstance(as_net(product.evidence.model), Net):
            found = _in_turns(asked, product, tell_of)
        else:
            from plait.engines.linear_turns import Turns

            turns = Turns(product.evidence, product.budget, product.listen, tell_of, alone=alone)
            found = turns.check(asked)
        answers |= dict(zip(left, found, strict=True))
    return [answers[i] for i in range(len(properties))]


def _in_turns(
    properties: Sequence[Property], product: LinearTime, tell: Callable[[int, Answer], None]
) -> list[Answer]:
    """Moments for the product in either order of the events and for a reduced one, then the rest.

    Which process moves first decides how soon a run is found, and a reduction how much there is to
    be seen where there is none: nobody knows beforehand which of them it takes.
    """
    answers = [Answer(p, "unknown", "explicit", reason="timeout") for p in properties]
    reduced = replace(product, reduction=Reduction("stubborn"))
    turned = replace(product, backwards=True)

    def ask(linear: LinearTime, budget: Budget) -> None:
        late = [i for i, a in enumerate(answers) if a.reason in LATE]
        if not late:
            return
        asked = replace(linear, budget=budget)
        try:
            found = asked.check([properties[i] for i in late], lambda i, a: tell(late[i], a))
        except InputError:  # too many events to be compared
            return
        for i, answer in zip(late, found, strict=True):
            if answer.verdict != "unknown" or answer.reason not in LATE:
                answers[i] = answer
            elif linear is reduced:
                pays.add(bool(answer.stats.get("reduced_states")))

    pays: set[bool] = set()
    """Whether the reduction left out something, as far as it was seen."""
    for seconds in MOMENTS:
        for linear in (product, reduced, turned):
            if linear is not reduced or pays != {False}:
                ask(linear, _moment(product.budget, seconds))
    if pays != {False}:
        ask(reduced, product.budget.share(2))
    ask(product, product.budget)
    return answers


def _moment(budget: Budget, seconds: float) -> Budget:
    return replace(budget.share(8), timeout=budget.moment(seconds, 1 / 8))


def on_diagrams(
    diagrams: SymbolicLinear,
    properties: Sequence[Property],
    budget: Budget,
    tell: Callable[[Answer], None] | None,
) -> list[Answer]:
    """LTL by the symbolic engine."""
    if diagrams.evidence.weak:
        missing = "the symbolic engine knows no weak fairness"
        return [Answer(p, "unknown", SYMBOLIC, reason=missing) for p in properties]

    def tell_of_run(place: int, answer: Answer) -> None:
        if tell is not None:
            tell(answer)

    return diagrams.check(properties, budget, tell_of_run)


def bounded_runs(
    evidence: Evidence, tuning: Tuning | None, depth: int | None, *, together: bool = False
) -> BoundedLinear:
    """Runs of a bounded length, in which processes go ahead if partial exploration is wanted."""
    from plait.engines.bounded_linear import BoundedLinear

    if tuning is None or tuning.strategy != PARTIAL:
        return BoundedLinear(evidence, depth, together=together)
    wanted = tuning.partial
    ahead, rule = wanted.ahead, wanted.rule
    return BoundedLinear(evidence, depth, ahead=ahead, rule=rule, together=together)


def by_reachability(
    evidence: Evidence,
    properties: Sequence[Property],
    budget: Budget,
    ask: Callable[[Model, Property, Budget], Answer],
) -> list[Answer]:
    """LTL as the question whether a state that was saved is reached again."""
    from plait.engines.repeated import Repeated

    other = next((p for p in properties if p.kind != "ltl"), None)
    if other is not None or evidence.weak:
        what = "weak fairness" if other is None else f"'{other.name}', which is {other.kind}"
        raise error(f"repeated states are for LTL without fairness, not for {what}")
    return Repeated(evidence, ask).check(properties, budget)


def fits(evidence: Evidence, budget: Budget) -> bool:
    """Whether the native search finds all states within the budget."""
    try:
        return Explicit(evidence.model, evidence).states(budget).complete
    except LimitReached:
        return False


__all__ = ["bounded_runs", "by_reachability", "fits", "on_diagrams", "on_runs"]
