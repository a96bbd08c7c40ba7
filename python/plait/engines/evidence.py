"""Evidence: the reference replays what an engine found, on the original model, and explains it.

An answer whose witness does not replay is not passed on as an answer: it becomes `unknown` with
an internal error, because then something in the chain of passes and engines is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property

from plait.engines.names import WALKS
from plait.errors import LimitReached, ModelError
from plait.hints import TYPE_CHECKING
from plait.records import replace
from plait.report.answer import Answer, Witness

if TYPE_CHECKING:
    from plait.engines.nets.replay import NetReplay
    from plait.model.shape import State
    from plait.model.types import Model, Property
    from plait.reference import Semantics
    from plait.report.view import StateView

PATIENCE = 0.5
"""Seconds for making traces shorter and calmer, those of all properties together."""
DECIDED_AT_ONCE = ("reachable", "invariant", "never", "deadlock")
"""The kinds of property that the last state of a trace decides."""


class Evidence:
    """The reference semantics of one model, made when the first witness needs it."""

    def __init__(self, model: Model, *, weak: bool = False, shows_runs: bool = True) -> None:
        self.model = model
        self.weak = weak
        """Only weakly fair runs count."""
        self.shows_runs = shows_runs
        """Somebody wants to see runs and paths; else it is enough that there are some."""
        self._patience = PATIENCE

    @cached_property
    def net(self) -> NetReplay:
        """Replays runs of a net that nobody wants to see."""
        from plait.engines.nets.replay import NetReplay

        return NetReplay(self.model)

    @cached_property
    def semantics(self) -> Semantics:
        """The reference semantics of the original model."""
        from plait.reference import Semantics

        return Semantics(self.model)

    @cached_property
    def view(self) -> StateView:
        """How states of the model are shown."""
        from plait.model.shape import shape_of
        from plait.report.view import StateView

        return StateView(shape_of(self.model))

    def confirm(self, answer: Answer) -> Answer:
        """The answer with its witness replayed, annotated and explained."""
        if answer.witness is None:
            return answer
        if not self.shows_runs and answer.property.kind in DECIDED_AT_ONCE:
            return self.confirm_together([answer])[0]
        # Most answers need no replay, and no reference.
        from plait.reference import ReplayError
        from plait.report.explain import explain

        try:
            contrary = answer.witness.refutes if answer.verdict == "true" else answer.witness.shows
            if contrary is not None:
                raise ReplayError(0, "it shows the opposite of the answer")
            self.semantics.confirm(answer.property, answer.witness, weak=self.weak)
        except ReplayError as failure:
            reason = f"internal error: the trace that was found does not replay: {failure}"
            return replace(answer, verdict="unknown", witness=None, reason=reason)
        witness = answer.witness
        if answer.engine == WALKS and answer.property.kind in DECIDED_AT_ONCE:
            witness = self._shorter(answer.property, witness, len(witness.steps))
        witness = self._in_order(answer.property, self.annotate(witness))
        return replace(
            answer,
            witness=witness,
            replayed=True,
            explanation=tuple(explain(self.semantics, answer.property, witness)),
        )

    def confirm_run(self, answer: Answer) -> Answer:
        """An answer to an LTL property with its run replayed; as a net's where none is shown."""
        from plait.model.expr import Formula

        body, witness = answer.property.body, answer.witness
        if self.shows_runs or self.weak or witness is None or not isinstance(body, Formula):
            return self.confirm(answer)
        violates = self.net.violates(body, witness)
        if violates is None:
            return self.confirm(answer)
        if not violates:
            reason = "internal error: the run that was found does not replay"
            return replace(answer, verdict="unknown", witness=None, reason=reason)
        return replace(answer, replayed=True)

    def confirm_together(self, answers: Sequence[Answer]) -> list[Answer]:
        """Answers that have one witness, to properties that its last state decides."""
        witness = answers[0].witness
        if self.shows_runs or witness is None:
            return [self.confirm(a) for a in answers]
        return self.confirm_along(witness, [(a, len(witness.steps)) for a in answers])

    def confirm_along(self, run: Witness, answers: Sequence[tuple[Answer, int]]) -> list[Answer]:
        """Answers whose witnesses are the first so many steps of one run, which is replayed once.

        Only for properties that the last state of a witness decides. Where no run is shown, one of
        a net is replayed as a net's.
        """
        if not self.shows_runs:
            decided = self.net.decides([(a.property, n) for a, n in answers], run)
            if decided is not None:
                return [
                    self._told(answer, run, length) if right else _wrong(answer)
                    for (answer, length), right in zip(answers, decided, strict=True)
                ]
        from plait.reference import ReplayError
        from plait.report.explain import explain

        try:
            self.semantics.replay(run)
        except ReplayError as failure:
            reason = f"internal error: the trace that was found does not replay: {failure}"
            return [replace(a, verdict="unknown", reason=reason) for a, _ in answers]
        states = run.states
        confirmed = []
        for answer, length in answers:
            if not self.semantics.decides(answer.property, states[length]):
                confirmed.append(_wrong(answer))
                continue
            witness = self.annotate(self._shorter(answer.property, run, length))
            lines = tuple(explain(self.semantics, answer.property, witness))
            confirmed.append(replace(answer, witness=witness, replayed=True, explanation=lines))
        return confirmed

    def _shorter(self, asked: Property, run: Witness, length: int) -> Witness:
        """The first so many steps of a run, without detours as far as there is time for that."""
        found = Witness(run.initial, run.steps[:length])
        if not self.shows_runs or self._patience <= 0:
            return found
        from plait.engines.shorter import shorter
        from plait.reference import ReplayError

        start = time.thread_time()
        try:
            short = shorter(found, self._successors, self._decides(asked), self._patience)
            self.semantics.confirm(asked, short)
        except (LimitReached, ReplayError):
            return found  # which was confirmed before
        finally:
            self._patience -= time.thread_time() - start
        return short

    def _in_order(self, asked: Property, run: Witness) -> Witness:
        """The run with fewer changes between processes, as far as there is time for that.

        It comes through states that nobody may have seen before, where the model may go wrong.
        """
        if not self.shows_runs or self._patience <= 0:
            return run
        from plait.engines.fewer_switches import in_order
        from plait.reference import ReplayError

        start = time.thread_time()
        end = start + self._patience
        try:
            found = in_order(
                self.semantics,
                asked,
                run,
                self._successors,
                lambda: time.thread_time() < end,
            )
            if found != run:
                self.semantics.confirm(asked, found, weak=self.weak)
        except (LimitReached, ModelError, ReplayError):
            return run  # which was confirmed before
        finally:
            self._patience -= time.thread_time() - start
        return found

    def _successors(self, event: str, state: State) -> Sequence[State]:
        """The states to which an event leads, by the rules of nets where these will do."""
        found = self.net.successors(event, state)
        semantics = self.semantics
        return semantics.execute(semantics.event(event), state) if found is None else found

    def _decides(self, asked: Property) -> Callable[[State], bool]:
        return lambda state: self.semantics.decides(asked, state)

    def _told(self, answer: Answer, run: Witness, length: int) -> Answer:
        """An answer whose trace was replayed and is shown to nobody."""
        witness = Witness(run.initial, run.steps[:length], view=self.view)
        return replace(answer, witness=witness, replayed=True)

    def annotate(self, witness: Witness) -> Witness:
        """The witness with processes, source places and cell names, and so its branches."""
        steps = []
        for step in witness.steps:
            event = self.semantics.event(step.event)
            steps.append(replace(step, process=event.process, span=event.span))
        # Branches are as deep as the paths of a tree are many, which is not many.
        branches = (replace(b, witness=self.annotate(b.witness)) for b in witness.branches)
        return replace(witness, steps=tuple(steps), branches=tuple(branches), view=self.view)


def _wrong(answer: Answer) -> Answer:
    reason = "internal error: the trace that was found does not decide the property"
    return replace(answer, verdict="unknown", reason=reason)
