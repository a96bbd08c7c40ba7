"""LTL on nets: the turns of the engines if none was chosen.

Most formulas are decided by little: by a short walk (`run_walks`), or by a small part of the
product (`linear`). Those get a first turn each. What is left is asked of diagrams (`symbolic.ltl`)
and, on a net reduced for each property (`reduced_ltl`), of all of them again; with two processors
in two processes (`beside`). The product has what is left of the time. If it fills the memory, each
property begins a product of its own, and diagrams and walks have what that leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from plait.engines.beside import Beside, Lane, Marks, Told, has_two_processors, there
from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.explicit.linear import TOO_LARGE, LinearTime
from plait.engines.explicit.reduction import Reduction
from plait.engines.explicit.run_walks import RunWalks
from plait.engines.nets.reduced_ltl import ReducedLinear
from plait.engines.pending import is_final
from plait.engines.stopped import as_far_as_limits_let, is_interrupted
from plait.engines.symbolic.ltl import SymbolicLinear
from plait.errors import InputError, LimitReached
from plait.logic.formula import NeverClaim
from plait.logic.walk import subformulas
from plait.model.expr import Formula
from plait.model.types import Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer

PRODUCT_SECONDS = 10.0
"""The most time for the first turn of the product."""
WITHOUT_LIMIT = 60.0
"""Seconds of a turn where there is no limit of time."""
FIRST_ROUNDS = 6
"""Rounds of the first walks: short ones."""
LATER_ROUNDS = 8
WALKING = 0.2
"""The part of the time for walks, each time that they have a turn beside diagrams."""


@dataclass(slots=True)
class Turns:
    """LTL properties of one model, asked of one engine after the other."""

    evidence: Evidence
    budget: Budget
    listen: Listener | None = None
    tell: Callable[[int, Answer], None] | None = None
    nested: bool = False
    """The model is a reduced net already."""
    alone: bool = False
    """Nothing is asked in another process."""
    properties: Sequence[Property] = ()
    answers: dict[int, Answer] = field(default_factory=dict)
    _settle: Callable[[int], None] | None = None
    _marks: Marks | None = None

    def check(self, properties: Sequence[Property]) -> list[Answer]:
        """The answers, in order."""
        self.properties = properties
        try:
            self._first()
            if self.left and not self._alone:
                self._side_by_side()
            elif self.left:
                self._one_after_the_other()
            self._product(self.budget)
            if not self.nested:
                self._to_the_end()
        except LimitReached as limit:
            for i in self.left:
                self.answers[i] = self._unknown(i, limit.reason)
        return [self.answers.get(i, self._unknown(i, "timeout")) for i in range(len(properties))]

    @property
    def left(self) -> list[int]:
        """The places of the properties that are open."""
        marks = self._marks
        return [
            i
            for i in range(len(self.properties))
            if not is_final(self.answers.get(i)) and (marks is None or i not in marks)
        ]

    @property
    def _alone(self) -> bool:
        return self.alone or self.nested or not has_two_processors()

    def take(self, place: int, answer: Answer) -> None:
        """An answer to one of the properties."""
        if is_final(self.answers.get(place)):
            return
        if not self.evidence.shows_runs and not self.nested:
            answer = replace(answer, witness=None)
        self.answers[place] = answer
        if is_final(answer):
            if self._settle is not None:
                self._settle(place)
            if self.tell is not None:
                self.tell(place, answer)

    def _unknown(self, place: int, reason: str) -> Answer:
        return Answer(self.properties[place], "unknown", "explicit", reason=reason)

    # --- turns ------------------------------------------------------------------------------------

    def _first(self) -> None:
        """Short walks, and a part of the product."""
        if self.evidence.shows_runs:
            # Its runs are shorter than those of walks.
            self._product(self._part(0.1, PRODUCT_SECONDS))
        walks = RunWalks(self.evidence, self.properties, self.listen)
        walks.check(self.left, self._part(0.1), self.take, FIRST_ROUNDS)
        if not self.evidence.shows_runs:
            self._product(self._part(0.12, PRODUCT_SECONDS))

    def _one_after_the_other(self) -> None:
        if not self.nested:
            self._on_reduced_nets(self._part(0.4))
        self._on_diagrams(self._part(0.5))
        self._walk(self._part(0.2))

    def _side_by_side(self) -> None:
        """Diagrams and the product here, reduced nets and walks in another process."""
        left = self.left
        known = [f for p in self.properties for f in _parts(p)]
        lane = Lane(lambda marks: self._lane(left, marks), [self.evidence.view, *known])
        beside = Beside(
            [self.properties[i] for i in left],
            lane,
            self.budget,
            listen=self.listen,
            tell=lambda number, answer: self.take(left[number], answer),
        )
        here = replace(self, listen=beside.listen, budget=beside.here())
        here._settle = lambda place: beside.settle([left.index(place)])
        with beside.until_answered():
            here._on_diagrams(here._part(0.5))
            here._product(here.budget)
            here._to_the_end()

    def _lane(self, left: Sequence[int], marks: Marks) -> Iterator[Told]:
        """What the other process does; without what is answered meanwhile."""
        told: list[Told] = []
        other = replace(
            self,
            listen=None,
            budget=there(self.budget),
            answers=dict(self.answers),
            tell=lambda place, answer: told.append((left.index(place), answer)),
        )
        other._marks = _Placed(marks, left)
        reduced = ReducedLinear(self.evidence, other.properties, other.solve)
        walks = RunWalks(self.evidence, other.properties)
        # Each in turn, so that one that takes long keeps nobody from a second try.
        for share in (0.3, 0.5, 1.0):
            walks.check(other.left, other._part(WALKING), other.take, other._rounds)
            yield from _drained(told)
            for i in other._sharing(other._part(share)):
                other._reduced(reduced, *i)
                yield from _drained(told)
            if not other.left:
                return
        walks.check(other.left, other.budget, other.take, other._rounds)
        yield from _drained(told)

    def _on_diagrams(self, budget: Budget) -> None:
        """The whole product in diagrams."""
        left = self.left
        if not left:
            return
        engine = SymbolicLinear(self.evidence, listen=self.listen)
        with as_far_as_limits_let():
            found = engine.check(
                [self.properties[i] for i in left],
                budget,
                lambda number, answer: self.take(left[number], answer),
                lambda number: is_final(self.answers.get(left[number])),
            )
            if is_interrupted(found):
                raise LimitReached("interrupted")

    def _on_reduced_nets(self, budget: Budget) -> None:
        reduced = ReducedLinear(self.evidence, self.properties, self.solve, self.listen)
        for place, share in self._sharing(budget):
            self._reduced(reduced, place, share)

    def _reduced(self, reduced: ReducedLinear, place: int, budget: Budget) -> None:
        with as_far_as_limits_let():
            answer = reduced.check(self.properties[place], budget)
            if is_final(answer):
                self.take(place, answer)

    def solve(
        self, evidence: Evidence, p: Property, budget: Budget, listen: Listener | None
    ) -> Answer:
        """The answer to a property of a reduced net."""
        (answer,) = Turns(evidence, budget, listen, nested=True).check([p])
        if answer.reason == "interrupted":
            raise LimitReached("interrupted")
        return answer

    def _walk(self, budget: Budget) -> None:
        walks = RunWalks(self.evidence, self.properties, self.listen)
        walks.check(self.left, budget, self.take, self._rounds)

    def _product(self, budget: Budget) -> None:
        """The product: the whole one, then one reduced by ample sets, then each by itself."""
        self._searched(self.left, budget.share(2), Reduction())
        self._searched(self.left, budget, Reduction("stubborn"))
        # What all share has filled the memory, perhaps with what one of them asks for.
        if len(self.left) > 1:
            for place, share in self._sharing(budget):
                answer = self.answers.get(place)
                if answer is not None and answer.reason == "memory":
                    self._searched([place], share, Reduction())

    def _searched(self, left: Sequence[int], budget: Budget, reduction: Reduction) -> None:
        if not left or budget.remaining() == 0:
            return
        engine = LinearTime(self.evidence, budget, self.listen, reduction)
        try:
            found = engine.check(
                [self.properties[i] for i in left],
                lambda number, answer: self.take(left[number], answer),
            )
        except InputError:
            if reduction == Reduction():
                raise
            return  # too many events to be compared
        for i, answer in zip(left, found, strict=True):
            self.take(i, answer)  # why it is unknown, too

    def _to_the_end(self) -> None:
        """What is left of the time, after a product that filled the memory.

        A formula that has no automaton is for the reference, which needs the time.
        """
        answers = [self.answers.get(i) for i in self.left]
        able = [a for a in answers if a is None or not (a.reason or "").startswith(TOO_LARGE)]
        if able and self.budget.timeout is not None:
            self._on_diagrams(self._part(0.5))
            self._walk(self.budget)

    # --- time -------------------------------------------------------------------------------------

    @property
    def _rounds(self) -> int | None:
        """Rounds of later walks, where no time ends them."""
        return LATER_ROUNDS if self.budget.timeout is None else None

    def _part(self, share: float, most: float | None = None) -> Budget:
        """So much of the time that is left, so many seconds at most."""
        remaining = self.budget.remaining()
        if remaining is None:
            seconds = WITHOUT_LIMIT if most is None else most
        else:
            seconds = remaining * share if most is None else min(most, remaining * share)
        return Budget(seconds, self.budget.memory, self.budget.states)

    def _sharing(self, budget: Budget) -> Iterator[tuple[int, Budget]]:
        """The open properties, each with its share of the time."""
        waiting = self.left
        for position, place in enumerate(waiting):
            if place in self.left:
                yield place, budget.share(len(waiting) - position)


class _Placed(Marks):
    """The marks of a process that counts only some of the properties."""

    def __init__(self, marks: Marks, places: Sequence[int]) -> None:
        self._marks = marks
        self._number = {place: number for number, place in enumerate(places)}

    def __contains__(self, place: int) -> bool:
        number = self._number.get(place)
        return number is not None and number in self._marks


def _drained(told: list[Told]) -> Iterator[Told]:
    found, told[:] = list(told), []
    yield from found


def _parts(p: Property) -> Iterator[Formula]:
    if isinstance(p.body, Formula) and not isinstance(p.body, NeverClaim):
        yield from subformulas(p.body)


__all__ = ["Turns"]
