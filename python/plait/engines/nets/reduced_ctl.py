"""CTL on structurally reduced nets, each property on a net of its own.

What a reduction must keep depends on the formula (`keeps_for`): with X every step counts; without
it steps that nobody sees may be taken together with others; and where no operator asks whether
something goes on for ever, what runs beside the observed places may be cut off. The conditions of
the formula become inequalities over the places that are left, the reduced net an ordinary model,
and the engines for CTL answer there. A witness is expanded to paths of the net (`expanded`) and
replayed there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plait.engines.branching import Branching
from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.formulas import Formulas
from plait.engines.nets.expanded import NoWitness, expand_witness
from plait.engines.nets.reduced import PREFIX
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached
from plait.logic.formula import Exists, Forall, Globally, Next, Release, WeakUntil
from plait.logic.walk import conditions as conditions_of
from plait.logic.walk import fold_temporal, subformulas
from plait.model.arithmetic import INT_MAX
from plait.model.expr import Formula
from plait.model.net import Net, as_model
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import CUT, Answer
from plait.structure import linear
from plait.structure.equation import StateEquation
from plait.structure.linear import Goal, Linear, NotLinear
from plait.structure.reductions import Keeps, Reduced, reduce

ENGINE = "structural-reduction"
LEAST = 0.2
"""Seconds that a property needs at least."""
SMALLER = 0.95
"""A net that has more than this share of the places and events is not worth another search."""


class ReducedCtl:
    """CTL properties of one model, if it is a net."""

    def __init__(
        self,
        evidence: Evidence,
        listen: Listener | None = None,
        *,
        infinite: bool = False,
    ) -> None:
        """With `infinite`, paths that end in a deadlock do not count."""
        self.evidence = evidence
        self.listen = listen
        self.infinite = infinite

    def answers(
        self,
        properties: Sequence[Property],
        budget: Budget,
        formulas: Formulas | None = None,
        wanted: Callable[[Property], bool] = lambda _: True,
    ) -> Iterator[Answer]:
        """The answers, in order; unknown where a net cannot be reduced or does not tell.

        `formulas` is the model made ready for these and perhaps others, if that was done before.
        What is not `wanted` any more when its turn comes is not asked.
        """
        questions: Questions | None = None
        reason = "answered"
        for i, p in enumerate(properties):
            answer = Answer(p, "unknown", ENGINE, reason=reason)
            if reason != "interrupted" and wanted(p):
                try:
                    if questions is None:
                        made = formulas or Formulas(self.evidence.model, properties)
                        questions = Questions(made)
                    answer = self._answer(questions, p, budget.share(len(properties) - i))
                except LimitReached as limit:
                    reason = limit.reason
                    answer = replace(answer, reason=reason)
            yield answer

    def check(self, properties: Sequence[Property], budget: Budget) -> list[Answer]:
        """All answers, in order."""
        return list(self.answers(properties, budget))

    def _answer(self, questions: Questions, p: Property, budget: Budget) -> Answer:
        remaining = budget.remaining()
        unknown = Answer(p, "unknown", ENGINE, reason="the net cannot be reduced for it")
        if remaining is not None and remaining < LEAST:
            return replace(unknown, reason="timeout")
        body = questions.formulas.body(p)
        goals = questions.goals(body, budget)
        net = questions.net
        if goals is None or net is None:
            return unknown
        observed = frozenset[int]().union(*map(linear.support, goals.values()))
        seconds = 10.0 if remaining is None else remaining / 4
        reduced = reduce(net, observed, keeps=keeps_for(body, self.infinite), seconds=seconds)
        if size(reduced.net) > SMALLER * size(net):
            return unknown
        about = translated(body, goals, reduced)
        asked = Property(p.name, kind="ctl", body=about)
        small = as_model(reduced.net, (asked,))
        branching = Branching(
            Evidence(small, shows_runs=self.evidence.shows_runs),
            "auto",
            budget,
            Tuning(witnesses=self.evidence.shows_runs),
            self.listen,
            infinite=self.infinite,
            nested=True,
        )
        (found,) = branching.check([asked])
        stats: dict[str, object] = {
            "reduced_places": len(reduced.net.places),
            "reduced_events": len(reduced.net.events),
        }
        engine = PREFIX + found.engine
        answer = Answer(p, found.verdict, engine, reason=found.reason, stats=stats)
        if found.witness is None or not self.evidence.shows_runs:
            return replace(answer, notes=found.notes)
        prepared = questions.formulas.prepared
        try:
            shown = expand_witness(found.witness, reduced, prepared, (body, about), goals)
        except NoWitness as why:
            return replace(answer, notes=(f"{p.name}: there is no witness: {why}",))
        cut = shown.cut or CUT.format(p.name) in found.notes
        notes = (CUT.format(p.name),) if cut else ()
        return self.evidence.confirm(replace(answer, witness=shown.witness, notes=notes))


class Questions:
    """CTL properties of a model whose conditions are put in terms of its places."""

    def __init__(self, formulas: Formulas) -> None:
        self.net: Net | None = None
        self.formulas, prepared = formulas, formulas.prepared
        net = prepared.net
        if not isinstance(net, Net) or not net.ordinary:
            return
        self.net = net
        self.linear = Linear(net, prepared.compiled.shape, prepared.compiled.titled)
        # Variables wrap around where places go on counting: it is a net if none gets there.
        self._wraps = any(domain is None for domain in prepared.compiled.shape.domains())
        self._tokens: tuple[int | None] | None = None

    def goals(self, body: Formula, budget: Budget) -> dict[int, Goal] | None:
        """The conditions of a formula as inequalities, by identity; None if that is not exact."""
        if self.net is None:
            return None
        found: dict[int, Goal] = {}
        limits = [INT_MAX + 1] if self._wraps else []
        for condition in conditions_of(body):
            flat = self.formulas.flat(condition)
            try:
                found[id(condition)] = self.linear.goal(flat, True)
                limit = linear.wraps_from(flat)
            except NotLinear:
                return None
            if limit is not None:
                limits.append(limit)
        if not all(map(linear.fits, found.values())):
            return None
        if limits:
            tokens = self._most_tokens(budget)
            if tokens is None or tokens >= min(limits):
                return None
        return found

    def _most_tokens(self, budget: Budget) -> int | None:
        """A bound of all tokens together, if there is a certificate of one."""
        assert self.net is not None
        if self._tokens is None:
            every = dict.fromkeys(range(len(self.net.places)), 1)
            equation = StateEquation(self.net)
            seconds = budget.part(1 / 4, 10.0)
            self._tokens = (equation.bound(every, seconds) if equation.available else None,)
        return self._tokens[0]


def keeps_for(body: Formula, infinite: bool = False) -> Keeps:
    """What of a net a CTL formula in negation normal form can see.

    With `infinite` a deadlock is no repetition, and only bisimulation is safe.
    """
    divergence = False
    for f in subformulas(body):
        if isinstance(f, Next) or infinite:
            return "steps"
        if isinstance(f, Exists | Forall):
            for_ever = isinstance(f.operand, Globally | WeakUntil | Release)
            divergence |= for_ever == isinstance(f, Exists)
    return "paths" if divergence else "moves"


def size(net: Net) -> int:
    return len(net.places) + len(net.events)


def translated(body: Formula, goals: dict[int, Goal], reduced: Reduced) -> Formula:
    """The formula about the places of the reduced net."""
    names = {p: reduced.net.places[i].name for i, p in enumerate(reduced.places)}

    def visit(f: Formula, below: list[Formula]) -> Formula:
        return f.with_children(below) if below else linear.as_formula(goals[id(f)], names)

    return fold_temporal(body, visit)


__all__ = ["ENGINE", "ReducedCtl", "keeps_for"]
