"""The reachable states as engines see them, each in its turn (`rounds`) or side by side.

With two processors, what the first round leaves open is asked in two processes (`beside`). One
looks at all states, in diagrams or one by one; the other looks for single runs and proofs. An
answer of either is final.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.explicit.method import Method
from plait.engines.explicit.reduction import Reduction
from plait.engines.names import BOUNDED, EXPLICIT, SYMBOLIC, WALKS
from plait.engines.prepared import Prepared, prepare
from plait.engines.rounds import (
    BRIEF,
    EVERY,
    REDUCED,
    SINGLE_RUNS,
    STATE_SPACE,
    STRUCTURAL,
    Rounds,
)
from plait.engines.symbolic.engine import Symbolic
from plait.errors import InputError, LimitReached, ModelError, error
from plait.hints import TYPE_CHECKING
from plait.model.grouping import Grouping
from plait.model.types import ElementaryType, Model, Property
from plait.model.vast import is_vast
from plait.records import replace
from plait.report.answer import Answer, StateSpace

if TYPE_CHECKING:
    from plait.engines.beside import Beside, Marks, Told
    from plait.engines.bounded import Bounded
    from plait.engines.explicit.engine import Explicit
    from plait.engines.explicit.walks import Walks
    from plait.engines.nets.engine import Structural
    from plait.engines.pending import Pending
    from plait.engines.request import Request

LEAST_REDUCED = 0.2
"""The share of states with fewer events below which such a search is not tried again."""


class Search:
    """The reachable states of one model, as an engine sees them."""

    def __init__(
        self,
        model: Model,
        request: Request,
        evidence: Evidence | None = None,
        nested: bool = False,
    ) -> None:
        """With `nested` the model is a reduced net already, and is not reduced again."""
        self.model = model
        self.evidence = evidence or Evidence(model)
        self.engine = request.engine
        self.budget = request.budget
        self.tuning = request.tuning
        self.reduction = request.reduction
        self._shows_runs = request.shows_runs
        self._method = request.method or Method()
        if self._method.needs_explicit and self.engine not in ("auto", EXPLICIT):
            raise error(
                "stores, caches and checkpoints are the explicit engine's",
                hint="use --engine explicit",
            )
        self.listen = request.listen
        self.rounds = Rounds(model, request, lambda: self._ready(()), nested)
        self._nested = nested
        self._depth = request.depth
        """Where the bounded engine stops."""
        processes = isinstance(model.system, ElementaryType) and model.system.processes
        self._may_reduce = self.reduction is None and bool(processes)
        """Partial-order reduction is tried unasked, where there are processes and while it pays."""
        self._refused: set[int] = set()
        """Properties that the bounded engine cannot be asked about."""
        self._prepared: tuple[tuple[Property, ...], Prepared] | None = None

    def check(
        self, properties: Sequence[Property], tell: Callable[[int, Answer], None] | None = None
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, in order.

        `tell` is called with the number of a property and its answer as soon as there is one.
        """

        from plait.engines.pending import Pending, is_final  # whoever counts states asks none

        def tell_known(number: int, answer: Answer) -> None:
            if tell is not None and answer.verdict != "unknown":
                tell(number, answer)

        run = Pending(properties, tell_known)
        if not self.rounds.takes_turns:
            self._go_on(run, self.rounds.asked())
            return run.in_order()
        self._go_on(run, self.rounds.round(1, EVERY))
        if run.left and self._may_work_beside:
            self._side_by_side(run)
        else:
            self._go_on(run, self.rounds.later(EVERY))
        answers = run.in_order()
        if self.budget.remaining() != 0:
            return answers
        # The time is why, whatever the engine said that had the last turn.
        return [a if is_final(a) else replace(a, reason="timeout") for a in answers]

    def _go_on(
        self, run: Pending, stages: Iterable[tuple[str, Budget]], beside: Beside | None = None
    ) -> None:
        """Ask the engines what is left, each in its turn."""
        for name, budget in stages:
            left = run.left
            if not left or (run.answers and self.budget.remaining() == 0):
                break
            if name == BOUNDED and self._refused.issuperset(left):
                continue
            if name == REDUCED:
                from plait.engines.explicit.needs import need_of

                left = [i for i in left if need_of(run.properties[i]) != "states"]
                if not left or not self._may_reduce:
                    continue
            if beside is not None:
                budget = replace(budget, memory=beside.here().memory)
            listen = self.listen if beside is None else beside.listen
            found = self._guarded(name, [run.properties[i] for i in left], budget, listen)
            if name == BOUNDED:
                from plait.engines.bounded import is_refusal

                self._refused |= {i for i, a in zip(left, found, strict=True) if is_refusal(a)}
            if name == REDUCED:
                self._may_reduce = any(map(_pays, found))
            run.take(dict(zip(left, found, strict=True)))

    def _side_by_side(self, run: Pending) -> None:
        """Ask some engines here and the others in another process, until one of them answers."""
        numbers = run.left
        if not numbers or self.budget.remaining() == 0:
            return
        from plait.engines.beside import Beside, Lane
        from plait.engines.pending import Pending

        asked = [run.properties[i] for i in numbers]
        lane = Lane(lambda marks: self._lane(asked, marks), [self.evidence.view])
        here = Pending(asked, lambda i, answer: run.take({numbers[i]: answer}))
        beside = Beside(asked, lane, self.budget, listen=self.listen, tell=here.hear)
        here.told = beside.settle
        with beside.until_answered():
            self._go_on(here, self.rounds.later(STATE_SPACE), beside)
        left = set(run.left)
        run.take({numbers[i]: a for i, a in here.answers.items() if numbers[i] in left})

    def _lane(self, asked: Sequence[Property], marks: Marks) -> Iterator[Told]:
        """What the other process does: its engines' turns, without what is answered meanwhile."""
        from plait.engines.beside import there
        from plait.engines.pending import Pending

        self.listen = None
        self.budget = self.rounds.budget = there(self.budget)
        numbers = {id(p): i for i, p in enumerate(asked)}
        self._structural.settled = lambda p: numbers[id(p)] in marks
        told: list[Told] = []
        run = Pending(asked, lambda i, answer: told.append((i, answer)), marks)
        for stage in self.rounds.later(SINGLE_RUNS):
            self._go_on(run, [stage])
            for i, answer in told:
                # A trace of a hundred thousand steps is sent only to whoever wants to see it.
                yield i, answer if self._shows_runs else replace(answer, witness=None)
            told.clear()
            if not run.left:
                return

    def states(self) -> StateSpace:
        """The size of the state space; of incomplete ones the largest that was seen."""
        best: StateSpace | None = None
        reason = None
        refused = "no engine could count the states"
        for name, budget in self.rounds.counting():
            if best is not None and best.complete and name != best.engine:
                continue  # only some figures are missing
            if name == STRUCTURAL:
                why = self._structural.unbounded(budget, self._ready(()))
                if why is not None:
                    return self._without_bound(best, why)
                continue
            engine = self._engine(name)
            try:
                kept = isinstance(engine, Symbolic) and engine.keeps_hierarchy
                space = engine.states(budget, self.listen, None if kept else self._ready(()))
            except LimitReached as limit:
                if self.engine != "auto" or limit.reason == "interrupted":
                    raise
                refused = limit.reason if self.budget.remaining() == 0 else refused
                continue
            if name == BRIEF and space.complete and space.reason is not None:
                continue  # one by one all figures are counted
            # What ended the last turn is why there is no more to tell.
            reason = space.reason
            again = best is not None and best.complete
            best = space if best is None else max(space, best, key=_told)
            # Figures beside the states that take too long get one longer turn.
            if again or (space.complete and reason is None) or reason == "interrupted":
                break
        if best is None:
            raise LimitReached(refused)
        return replace(best, reason=reason, seconds=self.budget.elapsed)

    def _without_bound(self, seen: StateSpace | None, why: str) -> StateSpace:
        """A state space that has no end."""
        nothing = StateSpace(False, why, 1, STRUCTURAL)
        return replace(seen or nothing, reason=why, seconds=self.budget.elapsed)

    @property
    def _may_work_beside(self) -> bool:
        from plait.engines.beside import has_two_processors

        return not self._nested and self._method.threads is None and has_two_processors()

    def _ready(self, properties: Sequence[Property]) -> Prepared:
        """The model made ready for these properties: once, whoever asks next."""
        if self._prepared is None or [*map(id, self._prepared[0])] != [*map(id, properties)]:
            self._prepared = tuple(properties), prepare(self.model, properties, self.budget)
        return self._prepared[1]

    @cached_property
    def _structural(self) -> Structural:
        from plait.engines.nets.engine import Structural  # only large models need it

        return Structural(self.model, self.evidence, self._nested)

    def _engine(self, name: str) -> Explicit | Symbolic | Walks | Bounded:
        """The engine of that name, imported when it is first asked: most runs need one of them."""
        if name in (SYMBOLIC, BRIEF):
            return Symbolic(self.model, self.evidence, self.tuning, brief=int(name == BRIEF))
        if name == BOUNDED:
            from plait.engines.bounded import Bounded

            return Bounded(self.model, self.evidence, self._depth)
        if name == WALKS:
            from plait.engines.explicit.walks import Walks

            return Walks(self.model, self.evidence, self._method.seed)
        from plait.engines.explicit.engine import Explicit

        reduction = Reduction("stubborn") if name == REDUCED else self.reduction
        return Explicit(self.model, self.evidence, reduction, self._method)

    def _guarded(
        self,
        name: str,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None,
    ) -> list[Answer]:
        """The answers, with a limit that the engine meets turned into `unknown`."""
        try:
            engine = self._structural if name == STRUCTURAL else self._engine(name)
            ready = self._ready(properties)
            if name == STRUCTURAL:
                self._structural.set_up(ready)
            # A turn of a second would be over before a large model is made ready.
            return engine.check(properties, self._from_now(budget), listen, ready)
        except LimitReached as limit:
            vast = limit.reason != "interrupted" and is_vast(self.model)
            if name == SYMBOLIC and vast:
                return self._by_hierarchy(properties, budget, limit.reason)
            known = EXPLICIT if name == REDUCED else name
            return [
                Answer(
                    p,
                    "unknown",
                    known,
                    reason=limit.reason,
                    seconds=budget.elapsed,
                    peak_memory_bytes=peak_memory(),
                )
                for p in properties
            ]
        except InputError as refusal:
            if name != REDUCED or isinstance(refusal, ModelError):
                raise
            return [Answer(p, "unknown", EXPLICIT, reason=str(refusal)) for p in properties]

    def _from_now(self, budget: Budget) -> Budget:
        """The same budget, whose clock starts now; of the time at most what is left."""
        left = self.budget.remaining()
        times = [t for t in (budget.timeout, left) if t is not None]
        return replace(budget, timeout=min(times, default=None), start=time.monotonic())

    def _by_hierarchy(
        self, properties: Sequence[Property], budget: Budget, reason: str
    ) -> list[Answer]:
        """What can be told of a model that does not fit when it is flat."""
        from plait.engines.symbolic.hierarchical import Hierarchical
        from plait.engines.symbolic.hierarchy import UnsupportedError

        engine = Hierarchical(self.model, Grouping("recursive"))
        try:
            return engine.check(properties, budget, self.listen, reason)
        except UnsupportedError:
            return [Answer(p, "unknown", SYMBOLIC, reason=reason) for p in properties]


def _pays(answer: Answer) -> bool:
    """The reduction left out something in enough states."""
    states, reduced = answer.stats.get("states"), answer.stats.get("reduced_states")
    if not isinstance(states, int) or not isinstance(reduced, int):
        return False
    return reduced >= LEAST_REDUCED * states


def _told(space: StateSpace) -> tuple[bool, int, int]:
    """By what one state space tells more than another of the same model."""
    figures = (space.arcs, space.deadlocks, space.max_value, space.max_sum)
    known = sum(figure is not None for figure in figures) if space.complete else 0
    return space.complete, known, space.states or 0
