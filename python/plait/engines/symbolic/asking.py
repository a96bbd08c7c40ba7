"""Questions about one diagram, one after the other, and the time that each may take.

What asks for something that can always happen again is asked together, first. Then each question
has its share of the time that is left, and one that takes more than that waits until all others are
answered. What somebody else has answered meanwhile is not gone on with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plait import _core
from plait.engines.budget import Budget, Progress
from plait.engines.symbolic.questions import Questions
from plait.engines.symbolic.reach import ENGINE
from plait.model.types import Property
from plait.model.watch import watched_by
from plait.records import replace
from plait.report.answer import Answer

WITNESS_SECONDS = 20.0
"""The most time for a trace, or a tree of paths."""


class _Unwanted(Exception):  # noqa: N818 - ends a question, is no failure
    """Somebody else has answered the question."""


class Asking:
    """The answers so far to properties of one diagram."""

    def __init__(
        self,
        questions: Questions,
        asked: Sequence[tuple[Property, Property]],
        budget: Budget,
        tell: Callable[[Answer], None],
        wanted: Callable[[Property], bool],
    ) -> None:
        """`asked` are properties, each with the same of the prepared model."""
        self.questions, self.asked, self.budget = questions, asked, budget
        self.tell, self.wanted = tell, wanted
        self.answers: dict[int, Answer] = {}
        self._listen = questions.diagrams.listen

    def run(self) -> list[Answer]:
        """The answers, in order."""
        reason = self._together()
        for last in (False, True):
            left = [i for i in range(len(self.asked)) if i not in self.answers]
            for position, i in enumerate(left):
                if reason == "interrupted":
                    self._give_up(i, reason)
                    continue
                share = self.budget if last else self.budget.share(max(len(left) - position, 2))
                stopped = self._ask(i, share)
                if stopped is not None and (last or stopped != "timeout"):
                    reason = stopped
                    self._give_up(i, stopped)
        return [self.answers[i] for i in range(len(self.asked))]

    def _together(self) -> str | None:
        """Ask what can always happen again; why that was stopped, if it was."""
        share = self.budget.share(2)
        self._limit(share)
        try:
            for i, answer in self.questions.recurrences(self.asked):
                self._say(i, answer, share)
                self._limit(share)
        except _core.StoppedError as stop:
            return str(stop.args[0])
        return None

    def _ask(self, i: int, share: Budget) -> str | None:
        """Ask one question; why it has no answer, if it has none."""
        p = self.asked[i][0]
        if not self.wanted(p):
            return "answered"
        self._limit(share, p)
        try:
            self._say(i, self.questions.answer(*self.asked[i], self._show), share)
        except _core.StoppedError as stop:
            return str(stop.args[0])
        except _Unwanted:
            return "answered"
        return None

    def _say(self, i: int, answer: Answer, share: Budget) -> None:
        diagrams = self.questions.diagrams
        if answer.property.kind == "ctl" and diagrams.tuning.witnesses:
            little = _for_witness(share, 2)
            self._limit(little)
            with watched_by(little.check):  # who replays a step may have to list what it leads to
                answer = self.questions.shown(answer)
        self.answers[i] = answer
        self.tell(answer)

    def _show(self) -> None:
        """Begin with the trace of an answer that is known: the turn may be over, the run is not."""
        whole = self.budget.whole
        if whole is not None:
            little = _for_witness(whole, len(self.asked) + 1)
            self._limit(replace(little, memory=self.budget.memory))

    def _give_up(self, i: int, reason: str) -> None:
        self.answers[i] = Answer(self.asked[i][0], "unknown", ENGINE, reason=reason)

    def _limit(self, budget: Budget, asked: Property | None = None) -> None:
        """What the diagrams may use for what follows, which ends when nobody wants it any more."""
        listen, diagrams = self._listen, self.questions.diagrams

        def hear(progress: Progress) -> None:
            assert listen is not None
            listen(progress)
            if asked is not None and not self.wanted(asked):
                raise _Unwanted

        diagrams.listen = None if listen is None else hear
        diagrams.limit(budget)


def _for_witness(budget: Budget, parts: int) -> Budget:
    """What may be used to show an answer that is known: a part of what is left, not much in all."""
    return Budget(budget.moment(WITNESS_SECONDS, 1 / parts), budget.memory, budget.states)


__all__ = ["Asking"]
