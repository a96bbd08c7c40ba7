"""Questions about reachable states that are known as a diagram: each is an operation on sets.

The states where a condition holds, the states without successors, the least and greatest value of
an expression. A violation is shown by a shortest trace, found layer by layer, and replayed on the
original model as any trace is. CTL formulas are computed backward (`ctl`) or forward as far as that
goes (`ctl_ways`), or, where several ask what can always happen again, by `bottom_components`; they
are shown by a tree of paths where paths can show something (`ctl_witness`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from plait import _core
from plait.engines.decisive import verdict
from plait.engines.evidence import Evidence
from plait.engines.symbolic.reach import ENGINE, Diagrams
from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING
from plait.model.expr import Formula, IntExpr
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import CUT, Answer, Verdict

if TYPE_CHECKING:
    from typing import TypeVar

    from plait.engines.symbolic.ctl import SymbolicLabelling

    _T = TypeVar("_T")

SEVERAL = 2
"""Questions of what can always happen again for which bottom components are looked for."""


class Questions:
    """What is asked of the reachable states; `StoppedError` when the diagrams' limits are reached.

    `conditions` has what has become of the state formulas in CTL properties; `fair` is what holds
    again and again on the paths that count; with `infinite`, those that end do not count.
    """

    def __init__(
        self,
        diagrams: Diagrams,
        evidence: Evidence,
        conditions: Mapping[Formula, Formula],
        fair: Sequence[Formula] = (),
        *,
        infinite: bool = False,
    ) -> None:
        self.diagrams, self.evidence, self.conditions = diagrams, evidence, conditions
        self.fair, self.infinite = tuple(fair), infinite

    def answer(
        self, asked: Property, flat: Property, show: Callable[[], None] = lambda: None
    ) -> Answer:
        """The answer to a property, `flat` being the same of the prepared model.

        `show` is called when the verdict is known, before the way there is looked for.
        """
        diagrams, core = self.diagrams, self.diagrams.core
        prepared, program = diagrams.prepared, diagrams.prepared.compiled.program
        if flat.kind == "ctl":
            return self._branching(asked, flat)
        if flat.kind == "bounds":
            assert isinstance(flat.body, IntExpr)
            expression = prepared.compiled.integer(flat.body)
            limits = core.extrema(program, diagrams.reached, expression)
            if limits is None:
                return Answer(asked, "true", ENGINE)
            stats: dict[str, object] = {"min": limits[0], "max": limits[1]}
            return Answer(asked, "true", ENGINE, value=limits[1], stats=stats)
        if flat.kind == "deadlock":
            targets = core.deadlocks()
        else:
            targets = core.select(program, diagrams.reached, prepared.goal(flat))
        answer = Answer(asked, verdict(asked, found=bool(targets)), ENGINE)
        if not targets or not diagrams.tuning.witnesses:
            return answer
        show()
        trace = unless_stopped(lambda: core.trace(targets))
        if trace is None:
            return replace(answer, notes=(f"{asked.name}: there was no time for a trace",))
        return self.evidence.confirm(replace(answer, witness=prepared.witness(trace)))

    def shown(self, answer: Answer) -> Answer:
        """The answer to a CTL property with a tree of paths where they show something."""
        body = answer.property.body
        if not self.conditions or not isinstance(body, Formula) or self.fair:
            return answer
        from plait.engines.symbolic.ctl_witness import witness_of
        from plait.logic.nnf import nnf

        claim = (nnf(body), answer.verdict == "true")
        try:
            shown = witness_of(self._labelling, self.diagrams.prepared, claim)
            if shown is None:
                return answer
            witness, cut = shown
            notes = (CUT.format(answer.property.name),) if cut else ()
            return self.evidence.confirm(replace(answer, witness=witness, notes=notes))
        except _core.StoppedError as stop:
            if stop.args[0] == "interrupted":
                raise
        except LimitReached as limit:
            if limit.reason == "interrupted":
                raise
        note = f"{answer.property.name}: there was no time for a witness"
        return replace(answer, notes=(*answer.notes, note))

    def recurrences(
        self, asked: Sequence[tuple[Property, Property]]
    ) -> Iterator[tuple[int, Answer]]:
        """The answers to those CTL properties that ask what can always happen again, if there are
        several; each with its number, as soon as it is known."""
        if self.fair or self.infinite or self.diagrams.tuning.ctl != "auto":
            return
        from plait.engines.symbolic.bottom_components import recurrence, verdicts
        from plait.logic.nnf import nnf

        found = {}
        for number, (p, flat) in enumerate(asked):
            question = recurrence(nnf(self._body(p, flat))) if p.kind == "ctl" else None
            if question is not None:
                found[number] = question
        if len(found) < SEVERAL:
            return
        for number, holds in verdicts(self._labelling, found):
            verdict: Verdict = "true" if holds else "false"
            stats: dict[str, object] = {"ctl": "bottom components"}
            yield number, Answer(asked[number][0], verdict, ENGINE, stats=stats)

    def _body(self, asked: Property, flat: Property) -> Formula:
        """The formula of the original model, if it is known what has become of its conditions."""
        body = asked.body if self.conditions else flat.body
        assert isinstance(body, Formula)
        return body

    def _branching(self, asked: Property, flat: Property) -> Answer:
        """The answer to a CTL property."""
        from plait.engines.symbolic.ctl_ways import decide  # only CTL needs it

        way = self.diagrams.tuning.way
        decision = decide(self._labelling, self._body(asked, flat), way)
        stats: dict[str, object] = {"ctl": way}
        if decision.forms:
            stats["forward"] = decision.forms
        return Answer(asked, "true" if decision.holds else "false", ENGINE, stats=stats)

    @cached_property
    def _labelling(self) -> SymbolicLabelling:
        from plait.engines.symbolic.ctl import SymbolicLabelling

        tuning = self.diagrams.tuning
        return SymbolicLabelling(
            self.diagrams.prepared.compiled,
            self.diagrams.core,
            self.diagrams.reached,
            until="traditional" if tuning.way == "backward" else "constrained",
            always=tuning.always,
            conditions=self.conditions,
            fair=self.fair,
            maximal=not self.infinite,
        )


def unless_stopped(compute: Callable[[], _T]) -> _T | None:
    """The result, or None when time or memory ran out; an interrupt ends everything."""
    try:
        return compute()
    except _core.StoppedError as stop:
        if stop.args[0] == "interrupted":
            raise LimitReached("interrupted") from None
        return None


__all__ = ["Questions", "unless_stopped"]
