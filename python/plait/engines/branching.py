"""CTL: which engine answers a branching-time question.

On a small graph the reference answers, since it shows shortest witnesses. On a larger one, nobody
knows whether the answer is near or far. Local search gets a short first turn, and diagrams the
next. Then the same is tried on nets that are reduced for each property, and local search has what
is left. With two processors, diagrams are built in one process while reduced nets and local search
have their turns in another (`beside`). An engine that fills the memory ends early and leaves its
time to the next: local search of all properties together, then of each by itself. What no engine
could answer goes to the reference again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from plait.engines.budget import Budget, Listener
from plait.engines.evidence import Evidence
from plait.engines.explicit.graph import GraphEngine
from plait.engines.formulas import Formulas
from plait.engines.names import EXPLICIT, LOCAL, SYMBOLIC
from plait.engines.nets.siphon_trap import live_answers, not_live_answers
from plait.engines.pending import is_final
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached, error
from plait.hints import TYPE_CHECKING
from plait.logic.walk import subformulas
from plait.model.expr import Formula
from plait.model.types import ElementaryType, Model, Property
from plait.records import dataclass, field, replace
from plait.report.answer import Answer

if TYPE_CHECKING:
    from plait.engines.beside import Marks, Told

SMALL_GRAPH = 3_000
"""The states of a graph that is built in Python before anything else is tried."""
SMALL_EFFORT = 60_000
"""The statements that such a graph may take: about a second. A synchronous step has many."""
MANY_EVENTS = 20_000
"""Events with which that is not tried."""
FIRST_LOCAL = (300_000, 4.0)
"""States and seconds of the first local search."""
LATER_LOCAL = 5_000_000
"""States of the second one where there is no limit of time."""
DIAGRAMS = 60.0
"""Seconds of diagrams where there is no limit of time, before local search gets another turn."""


@dataclass(frozen=True, slots=True)
class Branching:
    """CTL properties of one model."""

    evidence: Evidence
    engine: str
    budget: Budget
    tuning: Tuning | None = None
    listen: Listener | None = None
    fair: Sequence[Formula] = ()
    """Only paths on which each of these conditions holds again and again count."""
    infinite: bool = False
    """Only infinite paths count, none that ends in a deadlock."""
    nested: bool = False
    """The model is a reduced net already."""
    tell: Callable[[Answer], None] | None = None
    """Is called with each answer as soon as there is one."""
    alone: bool = False
    """Nothing is asked in another process."""
    wanted: Callable[[Property], bool] = lambda _: True
    """Whether nobody else has answered a property meanwhile."""
    told: set[int] = field(default_factory=set)
    """The properties, by identity, whose answers were told."""

    def check(self, properties: Sequence[Property]) -> list[Answer]:
        """The answers, in order; with `auto` what stays unknown is for the reference."""
        answers: dict[int, Answer] = {}
        formulas = Formulas(self.evidence.model, properties, self.budget)
        for ask, budget in self._turns():
            left = [i for i, _ in enumerate(properties) if not is_final(answers.get(i))]
            if not left:
                break
            if answers and self.budget.remaining() == 0:
                answers |= {i: replace(answers[i], reason="timeout") for i in left}
                break
            found = list(ask([properties[i] for i in left], budget, formulas))
            answers |= dict(zip(left, found, strict=True))
            for answer in found:
                self._say(answer)
        return [answers[i] for i in range(len(properties))]

    def _say(self, answer: Answer) -> None:
        """Tell an answer, once."""
        if answer.verdict != "unknown" and id(answer.property) not in self.told:
            self.told.add(id(answer.property))
            if self.tell is not None:
                self.tell(answer)

    def _turns(self) -> Iterator[tuple[_Turn, Budget]]:
        """Who is asked, one after the other, each with what it may use."""
        budget, way = self.budget, "auto" if self.tuning is None else self.tuning.ctl
        if way == LOCAL or self.engine == EXPLICIT:
            self._refuse(way)
            yield self._locally, budget
        elif self.engine == SYMBOLIC:
            yield self._on_diagrams, budget
        else:
            if not self.fair and not self.infinite:
                yield self._by_siphons, budget
            if not _has_many_events(self.evidence.model):
                yield self._on_a_small_graph, replace(budget.share(4), states=SMALL_GRAPH)
            if self.fair or way != "auto":
                yield self._on_diagrams, self._part(0.8)
                return
            states, seconds = FIRST_LOCAL
            yield self._locally, self._part(0.1, seconds, states)
            if not self.infinite:
                yield self._fails_by_siphons, budget
            if self._may_work_beside:
                yield self._side_by_side, self._part(0.97)
                return
            yield self._on_diagrams, self._part(0.5, DIAGRAMS)
            if not self.nested:
                yield self._on_reduced_nets, self._part(0.6, DIAGRAMS)
            if budget.timeout is None:
                yield self._locally, self._part(1.0, None, LATER_LOCAL)
                yield self._on_diagrams, budget
            else:
                yield self._locally, self._part(0.95)

    @property
    def _may_work_beside(self) -> bool:
        from plait.engines.beside import has_two_processors  # most graphs are small

        return not (self.nested or self.alone) and has_two_processors()

    def _side_by_side(
        self, properties: Sequence[Property], budget: Budget, formulas: Formulas
    ) -> list[Answer]:
        """Diagrams here, reduced nets and local search in another process."""
        from plait.engines.beside import Beside, Lane

        known = [f for p in properties for f in subformulas(formulas.body(p))]
        lane = Lane(
            lambda marks: self._lane(properties, budget, formulas, marks),
            [self.evidence.view, *known],
        )
        beside = Beside(
            properties, lane, budget, listen=self.listen, tell=lambda _, answer: self._say(answer)
        )
        numbers = {id(p): i for i, p in enumerate(properties)}
        found = [Answer(p, "unknown", SYMBOLIC, reason="timeout") for p in properties]

        def say(answer: Answer) -> None:
            number = numbers[id(answer.property)]
            found[number] = answer
            beside.settle([number])
            self._say(answer)

        def wanted(p: Property) -> bool:
            return numbers[id(p)] in beside.open

        here = replace(self, listen=beside.listen, tell=say, told=set(), wanted=wanted)
        with beside.until_answered():
            for ask in (here._on_diagrams, here._locally, here._each_locally):
                left = [i for i in beside.left if not is_final(found[i])]
                if not left or beside.here().remaining() == 0:
                    break
                limits = beside.here()
                if limits.timeout is None and ask != here._on_diagrams:
                    limits = replace(limits, states=LATER_LOCAL)
                answers = ask([properties[i] for i in left], limits, formulas)
                for i, answer in zip(left, answers, strict=True):
                    found[i] = answer
                final = [i for i in left if is_final(found[i])]
                beside.settle(final)
                for i in final:
                    self._say(found[i])
        return [beside.answers.get(i, answer) for i, answer in enumerate(found)]

    def _lane(
        self, properties: Sequence[Property], budget: Budget, formulas: Formulas, marks: Marks
    ) -> Iterator[Told]:
        """What the other process does; without what is answered meanwhile."""
        from plait.engines.beside import there

        numbers = {id(p): i for i, p in enumerate(properties)}

        def wanted(p: Property) -> bool:
            return numbers[id(p)] not in marks

        quiet, budget = replace(self, listen=None, wanted=wanted), there(budget)
        turns: list[tuple[_Turn, float]] = [(quiet._on_reduced_nets, 0.5), (quiet._locally, 1.0)]
        if budget.timeout is not None:
            # Where memory ended them there is time left.
            turns += [(quiet._each_locally, 0.5), (quiet._on_reduced_nets, 1.0)]
        done: set[int] = set()
        for ask, share in turns:
            left = [i for i, _ in enumerate(properties) if i not in done and i not in marks]
            remaining = budget.remaining()
            if not left or remaining == 0:
                return
            seconds = DIAGRAMS if remaining is None else remaining * share
            states = LATER_LOCAL if remaining is None else budget.states
            limits = Budget(seconds, budget.memory, states)
            for i, answer in zip(
                left, ask([properties[i] for i in left], limits, formulas), strict=True
            ):
                if is_final(answer):
                    done.add(i)
                    yield i, answer

    def _refuse(self, way: str) -> None:
        if self.engine == SYMBOLIC:
            raise error("local search looks at explicit states", hint="use --engine explicit")
        if self.fair:
            raise error("local search knows no fairness", hint="use --engine symbolic")
        if self.engine == EXPLICIT and way not in ("auto", LOCAL):
            raise error(f"--ctl {way} needs diagrams", hint="use --engine symbolic")

    def _part(self, share: float, most: float | None = None, states: int | None = None) -> Budget:
        """So much of the time that is left, so many seconds and states at most."""
        remaining = self.budget.remaining()
        if remaining is not None:
            most = remaining * share if most is None else min(most, remaining * share)
        limits = [n for n in (states, self.budget.states) if n is not None]
        return Budget(most, self.budget.memory, min(limits, default=None))

    def _by_siphons(
        self, properties: Sequence[Property], budget: Budget, _: Formulas
    ) -> list[Answer]:
        return live_answers(self.evidence.model, properties, budget)

    def _fails_by_siphons(
        self, properties: Sequence[Property], budget: Budget, _: Formulas
    ) -> list[Answer]:
        """Asked after those who have a trace to show."""
        return not_live_answers(self.evidence.model, properties, budget)

    def _on_a_small_graph(
        self, properties: Sequence[Property], budget: Budget, _: Formulas
    ) -> list[Answer]:
        graph = GraphEngine(
            self.evidence,
            budget,
            self.listen,
            fair=self.fair,
            infinite=self.infinite,
            effort=SMALL_EFFORT,
        )
        return [graph.check(p, waiting=len(properties) - i) for i, p in enumerate(properties)]

    def _locally(
        self, properties: Sequence[Property], budget: Budget, formulas: Formulas
    ) -> list[Answer]:
        from plait.engines.explicit.local import Local

        engine = Local(self.evidence, infinite=self.infinite)
        return _guarded(
            LOCAL,
            properties,
            lambda: engine.check(properties, budget, self.listen, formulas),
        )

    def _each_locally(
        self, properties: Sequence[Property], budget: Budget, formulas: Formulas
    ) -> Iterator[Answer]:
        """Each with all the memory, which the states that others ask for do not fill."""
        for i, p in enumerate(properties):
            if self.wanted(p):
                yield from self._locally([p], budget.share(len(properties) - i), formulas)
            else:
                yield Answer(p, "unknown", LOCAL, reason="answered")

    def _on_reduced_nets(
        self, properties: Sequence[Property], budget: Budget, formulas: Formulas
    ) -> Iterator[Answer]:
        from plait.engines.nets.reduced_ctl import ReducedCtl  # which asks us again

        reduced = ReducedCtl(self.evidence, self.listen, infinite=self.infinite)
        yield from reduced.answers(properties, budget, formulas, self.wanted)

    def _on_diagrams(
        self, properties: Sequence[Property], budget: Budget, formulas: Formulas
    ) -> list[Answer]:
        engine = Symbolic(
            self.evidence.model,
            self.evidence,
            self.tuning,
            fair=self.fair,
            infinite=self.infinite,
        )
        ready = None if self.fair else formulas

        def ask() -> list[Answer]:
            return engine.check(
                properties,
                budget,
                self.listen,
                formulas=ready,
                tell=self._say,
                wanted=self.wanted,
            )

        return _guarded(SYMBOLIC, properties, ask)


_Turn = Callable[[Sequence[Property], Budget, Formulas], Iterable[Answer]]
"""Answers properties in their order, perhaps one after the other."""


def _has_many_events(model: Model) -> bool:
    """Whether a graph of even a few states takes long in Python."""
    return isinstance(model.system, ElementaryType) and model.system.event_count > MANY_EVENTS


def _guarded(
    engine: str, properties: Sequence[Property], ask: Callable[[], list[Answer]]
) -> list[Answer]:
    """The answers, with a limit that the engine meets turned into `unknown`."""
    try:
        return ask()
    except LimitReached as limit:
        return [Answer(p, "unknown", engine, reason=limit.reason) for p in properties]
