"""Answers on structurally reduced nets, told of the net that was asked about.

The properties that are left are put to a smaller net (`plait.structure.reductions`) that keeps what
they ask about: all of them to one net when there is little time, each to its own when there is
more. Search and diagrams work there as they would on any model; so does the directed search of one
goal (`directed`). A trace they find is expanded to events of the net before it is replayed.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.engines.budget import Budget, Listener
from plait.engines.nets.coverability import ENGINE as COVERABILITY
from plait.engines.nets.coverability import WRONG, Coverability
from plait.engines.nets.directed import ENGINE as DIRECTED
from plait.engines.nets.directed import DirectedSearch
from plait.engines.nets.walks import TRACE_CELLS
from plait.engines.prepared import Prepared
from plait.engines.stopped import is_interrupted
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.net import Net, as_model
from plait.model.types import Property
from plait.records import dataclass, replace
from plait.report.answer import Answer, Witness
from plait.structure import linear
from plait.structure.linear import Coefficients, Goal
from plait.structure.reductions import Reduced, TooLong, reduce, unreduced

PREFIX = "structural-reduction+"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a net: whether a goal is reachable, a deadlock, or the bounds of a sum."""

    asked: Property
    goal: Goal | None = None
    places: Coefficients | None = None
    constant: int = 0

    @property
    def deadlock(self) -> bool:
        """Whether any deadlock will do."""
        return self.asked.kind == "deadlock"

    @property
    def observed(self) -> frozenset[int]:
        """The places whose markings must be kept."""
        if self.places is not None:
            return frozenset(self.places)
        return frozenset() if self.goal is None or self.deadlock else linear.support(self.goal)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer of the reduced net, and the trace that it has in the original, if it has one."""

    answer: Answer
    found: bool = False
    """Whether the goal was reached."""
    witness: Witness | None = None
    note: str | None = None


class ReducedNets:
    """Reductions of one prepared net."""

    def __init__(self, prepared: Prepared, net: Net) -> None:
        self.prepared = prepared
        self.net = net

    def direct(self, q: Question, budget: Budget) -> Told | None:
        """What a directed search of the net reduced for one question tells of it, if it does."""
        reduced = self._reduced([q], budget)
        search, place = DirectedSearch(reduced.net), {p: i for i, p in enumerate(reduced.places)}
        if q.places is not None:
            most = search.greatest({place[p]: c for p, c in q.places.items()}, budget)
            if most is None:
                return None
            value = most + q.constant
            return Told(Answer(q.asked, "true", DIRECTED, value=value, stats={"max": value}))
        if q.deadlock:
            goal = linear.deadlocked(reduced.net)
        else:
            assert q.goal is not None
            goal = linear.renamed(q.goal, place)
        led = search.search(goal, budget)
        answer = Answer(q.asked, "unknown", DIRECTED)
        if led.events is not None:
            return self._led(reduced, q, answer, led.events)
        return Told(answer) if led.nowhere else None

    def cover(
        self,
        q: Question,
        budget: Budget,
        kept: tuple[Reduced, Coverability] | None,
        wraps: bool,
    ) -> tuple[Told | None, tuple[Reduced, Coverability]]:
        """What backward search tells of a goal, if it does; and the search, to be kept.

        With `wraps` sums of the goal may wrap around.
        """
        assert q.goal is not None
        if kept is None or kept[0].original != self.net:
            plain = self.net.ordinary
            reduced = self._reduced([q], budget) if plain else unreduced(self.net)
            place = {p: i for i, p in enumerate(reduced.places)}
            kept = reduced, Coverability(reduced.net, linear.renamed(q.goal, place), wraps)
        reduced, search = kept
        found = search.search(budget)
        answer = Answer(q.asked, "unknown", COVERABILITY, stats=found.stats)
        if found.wrong:
            return Told(replace(answer, reason=WRONG)), kept
        if found.nowhere:
            return Told(answer), kept
        if found.events is None:
            return None, kept
        return self._covered(reduced, q, answer, found.events), kept

    def _covered(
        self, reduced: Reduced, q: Question, answer: Answer, events: Sequence[int]
    ) -> Told | None:
        """An answer with a run that leads to the goal, if it leads to all of it and stays small."""
        assert q.goal is not None
        try:
            expanded = reduced.expand(events)
        except TooLong:
            return None
        marking = [*self.net.initial]
        for event in (self.net.events[number] for number in expanded):
            # What was left out of the net may be in the way.
            if not event.enabled(marking):
                return None
            for p, w in event.pre:
                marking[p] -= w
            for p in event.reset:
                marking[p] = 0
            for p, w in event.post:
                marking[p] += w
            if any(marking[p] > INT_MAX for p, _ in event.post):
                return None
        if not linear.holds(q.goal, marking):
            return None
        limit = None if q.asked.body is None else linear.wraps_from(q.asked.body)
        if limit is not None and sum(marking) >= limit:
            return None
        return self._led(reduced, q, answer, events)

    def _reduced(self, questions: Sequence[Question], budget: Budget) -> Reduced:
        """The net reduced for these questions: all of them deadlocks, or none."""
        deadlocks = questions[0].deadlock
        observed = frozenset[int]().union(*(q.observed for q in questions))
        return reduce(
            self.net,
            observed,
            keeps="deadlocks" if deadlocks else "markings",
            seconds=budget.part(1 / 3, 20.0),
        )

    def check(
        self, questions: Sequence[Question], budget: Budget, listen: Listener | None
    ) -> list[Told | None]:
        """What the net reduced for these questions tells of each; None where it tells nothing.

        Deadlocks are asked alone.
        """
        from plait.engines.request import Request
        from plait.engines.search import Search  # which may have asked us

        reduced = self._reduced(questions, budget)
        before = len(self.net.places) + len(self.net.events)
        if len(reduced.net.places) + len(reduced.net.events) >= before:
            return [None] * len(questions)
        names = {p: reduced.net.places[i].name for i, p in enumerate(reduced.places)}
        asked = tuple(_property(q, names) for q in questions)
        model = as_model(reduced.net, asked)
        request = Request(budget=budget, listen=listen)
        answers = Search(model, request, nested=True).check(asked)
        if is_interrupted(answers):
            raise LimitReached("interrupted")
        return [
            None if a.verdict == "unknown" else self._told(reduced, q, a)
            for q, a in zip(questions, answers, strict=True)
        ]

    def _told(self, reduced: Reduced, q: Question, answer: Answer) -> Told:
        if q.places is not None or (answer.verdict == "true") != (
            answer.property.kind == "reachable"
        ):
            return Told(answer)
        if answer.witness is None:
            return Told(answer, True, note="there was no time for a trace")
        number = {e.name: i for i, e in enumerate(reduced.net.events)}
        events = [number[step.event] for step in answer.witness.steps]
        return self._led(reduced, q, answer, events)

    def _led(self, reduced: Reduced, q: Question, answer: Answer, events: Sequence[int]) -> Told:
        """An answer with a way to the goal of the question."""
        try:
            expanded = reduced.expand(events, q.deadlock)
        except TooLong:
            return Told(answer, True, note="the trace is too long to be written out")
        if len(expanded) * len(self.net.places) > TRACE_CELLS:
            return Told(answer, True, note=f"the trace has {len(expanded)} steps: not written out")
        trace: list[tuple[int | None, tuple[int, ...]]] = [(None, self.net.initial)]
        for event in expanded:
            trace.append((event, self.net.events[event].fire(trace[-1][1])))
        return Told(answer, True, self.prepared.witness(trace))


def _property(q: Question, names: dict[int, str]) -> Property:
    """The question as a property of the reduced net."""
    if q.deadlock:
        return Property(q.asked.name, kind="deadlock")
    if q.places is not None:
        body = linear.as_sum(q.places, q.constant, names)
        return Property(q.asked.name, kind="bounds", body=body)
    assert q.goal is not None
    return Property(q.asked.name, kind="reachable", body=linear.as_formula(q.goal, names))


__all__ = ["PREFIX", "Question", "ReducedNets", "Told"]
