"""Which engine looks at the reachable states: explicit, symbolic, or one after the other.

Small state spaces are fastest stored state by state, large regular ones as diagrams, and nobody
knows before which a model has. So `auto` lets them take turns: an explicit search of limited size,
the same under a partial-order reduction where there are processes, walks and the state equation,
diagrams for a while, bounded runs and induction, a larger search, and so on, each turn longer than
the one before, the last with all that is left. An answer that one of them gives is final.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from plait.engines import bounded, explicit, symbolic, walks
from plait.engines.bounded import Bounded, is_refusal
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.explicit import Explicit
from plait.engines.hierarchical import Hierarchical
from plait.engines.hierarchy import UnsupportedError, is_vast
from plait.engines.method import Method
from plait.engines.prepared import Prepared, prepare
from plait.engines.reduction import Reduction, need_of
from plait.engines.symbolic import Symbolic, Tuning
from plait.engines.walks import Walks
from plait.errors import InputError, LimitReached, ModelError, error
from plait.model.types import ElementaryType, Model, Property
from plait.passes.grouping import Grouping
from plait.report.answer import Answer, StateSpace

if TYPE_CHECKING:
    from plait.engines.structural import Structural

STRUCTURAL = "structural"
FIRST_STATES = 200_000
"""The states of the first explicit search; it takes well under a second."""
REDUCED = "explicit, reduced"
"""The explicit search under a partial-order reduction that nobody asked for."""
LEAST_REDUCED = 0.2
"""The share of states with fewer events below which such a search is not tried again."""
TURNS = ((FIRST_STATES, 2.0), (3_000_000, 20.0), (50_000_000, 300.0))
"""For each round: the states of an explicit search, then the seconds of what comes after it."""
BOUNDED = 10
"""The part of the time that is left for a turn of the bounded engine: it rarely helps a search that
only needs more time."""

FINAL = ("interrupted", "internal error", "unbounded")
"""How the reasons of `unknown` begin after which no other engine is asked."""


class Search:
    """The reachable states of one model, as an engine sees them."""

    def __init__(
        self,
        model: Model,
        engine: str,
        budget: Budget,
        *,
        evidence: Evidence | None = None,
        tuning: Tuning | None = None,
        reduction: Reduction | None = None,
        method: Method | None = None,
        listen: Listener | None = None,
        nested: bool = False,
        depth: int | None = None,
    ) -> None:
        """With `nested` the model is a reduced net already, and is not reduced again.

        `depth` is where the bounded engine stops.
        """
        self.model = model
        self.engine = engine
        self.budget = budget
        self.evidence = evidence or Evidence(model)
        self.tuning = tuning
        self.reduction = reduction
        self._method = method or Method()
        if self._method.needs_explicit and engine not in ("auto", explicit.ENGINE):
            raise error(
                "stores, caches and checkpoints are the explicit engine's",
                hint="use --engine explicit",
            )
        self.listen = listen
        self._nested = nested
        self._depth = depth
        processes = isinstance(model.system, ElementaryType) and model.system.processes
        self._may_reduce = reduction is None and bool(processes)
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
        answers: dict[int, Answer] = {}
        for name, budget in self._stages():
            left = [i for i in range(len(properties)) if not _is_final(answers.get(i))]
            if not left or (answers and self.budget.remaining() == 0):
                break
            if name == bounded.ENGINE and self._refused.issuperset(left):
                continue
            if name == REDUCED:
                left = [i for i in left if need_of(properties[i]) != "states"]
                if not left or not self._may_reduce:
                    continue
            found = self._guarded(name, [properties[i] for i in left], budget)
            if name == bounded.ENGINE:
                self._refused |= {i for i, a in zip(left, found, strict=True) if is_refusal(a)}
            if name == REDUCED:
                self._may_reduce = any(map(_pays, found))
            answers.update(zip(left, found, strict=True))
            for i, answer in zip(left, found, strict=True):
                if tell is not None and answer.verdict != "unknown":
                    tell(i, answer)
        return [answers[i] for i in range(len(properties))]

    def states(self) -> StateSpace:
        """The size of the state space; of incomplete ones the largest that was seen."""
        best: StateSpace | None = None
        reason = None
        for name, budget in self._stages():
            if name == bounded.ENGINE and self.engine == "auto":
                continue
            if name == REDUCED:
                continue
            if name == STRUCTURAL:
                why = self._structural.unbounded(budget, self._ready(()))
                if why is not None:
                    return self._without_bound(best, why)
                continue
            engine = self._engine(name)
            try:
                kept = isinstance(engine, Symbolic) and engine.grouping is not None
                space = engine.states(budget, self.listen, None if kept else self._ready(()))
            except LimitReached as limit:
                if self.engine != "auto" or limit.reason == "interrupted":
                    raise
                continue
            if best is None or space.complete or (space.states or 0) >= (best.states or 0):
                best = space
            # What ended the last turn is why there is no more to tell.
            reason = space.reason
            if space.complete or reason == "interrupted":
                break
        if best is None:
            raise LimitReached("no engine could count the states")
        return replace(best, reason=reason, seconds=self.budget.elapsed)

    def _without_bound(self, seen: StateSpace | None, why: str) -> StateSpace:
        """A state space that has no end."""
        nothing = StateSpace(False, why, 1, None, None, None, None, STRUCTURAL)
        return replace(seen or nothing, reason=why, seconds=self.budget.elapsed)

    def _stages(self) -> Iterator[tuple[str, Budget]]:
        """The engines in their order, each with what it may use."""
        few = self.budget.states is not None and self.budget.states <= FIRST_STATES
        if self._method.search == "walk":
            yield walks.ENGINE, self.budget
        elif self.engine != "auto":
            yield self.engine, self.budget
        elif is_vast(self.model) and not self._method.needs_explicit:
            # State by state is the last resort, if that many parts fit in memory at all.
            yield symbolic.ENGINE, self.budget
            yield explicit.ENGINE, self.budget
        elif few or self.reduction not in (None, Reduction()) or self._method.needs_explicit:
            # All of this is asked of the explicit search.
            yield explicit.ENGINE, self.budget
        else:
            for turn, (count, seconds) in enumerate(TURNS, start=1):
                # Half of the time is for the rounds to come; an explicit search is the end of it.
                share = self.budget.share(2 * (len(TURNS) - turn) + 3)
                yield explicit.ENGINE, replace(share, states=count)
                share = self.budget.share(2 * (len(TURNS) - turn) + 3)
                yield REDUCED, replace(share, states=count)
                for name in (STRUCTURAL, symbolic.ENGINE):
                    share = self.budget.share(2 * (len(TURNS) - turn) + 3)
                    most = seconds / 2 if name == STRUCTURAL else seconds
                    time = most if share.timeout is None else min(most, share.timeout)
                    yield name, replace(share, timeout=time)
                if not self._nested:
                    share = self.budget.share(BOUNDED)
                    time = seconds / 2 if share.timeout is None else min(seconds / 2, share.timeout)
                    yield bounded.ENGINE, replace(share, timeout=time)
            yield REDUCED, self.budget
            yield explicit.ENGINE, self.budget

    def _ready(self, properties: Sequence[Property]) -> Prepared:
        """The model made ready for these properties: once, whoever asks next."""
        if self._prepared is None or [*map(id, self._prepared[0])] != [*map(id, properties)]:
            self._prepared = tuple(properties), prepare(self.model, properties)
        return self._prepared[1]

    @cached_property
    def _structural(self) -> Structural:
        from plait.engines.structural import Structural  # only large models need it

        return Structural(self.model, self.evidence, self._nested)

    def _engine(self, name: str) -> Explicit | Symbolic | Walks | Bounded:
        if name == bounded.ENGINE:
            return Bounded(self.model, self.evidence, self._depth)
        if name == walks.ENGINE:
            return Walks(self.model, self.evidence, self._method.seed)
        if name == REDUCED:
            return Explicit(self.model, self.evidence, Reduction("stubborn"), self._method)
        if name == explicit.ENGINE:
            return Explicit(self.model, self.evidence, self.reduction, self._method)
        return Symbolic(self.model, self.evidence, self.tuning)

    def _guarded(self, name: str, properties: Sequence[Property], budget: Budget) -> list[Answer]:
        """The answers, with a limit that the engine meets turned into `unknown`."""
        try:
            engine = self._structural if name == STRUCTURAL else self._engine(name)
            return engine.check(properties, budget, self.listen, self._ready(properties))
        except LimitReached as limit:
            vast = limit.reason != "interrupted" and is_vast(self.model)
            if name == symbolic.ENGINE and vast:
                return self._by_hierarchy(properties, budget, limit.reason)
            known = explicit.ENGINE if name == REDUCED else name
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
            return [Answer(p, "unknown", explicit.ENGINE, reason=str(refusal)) for p in properties]

    def _by_hierarchy(
        self, properties: Sequence[Property], budget: Budget, reason: str
    ) -> list[Answer]:
        """What can be told of a model that does not fit when it is flat."""
        engine = Hierarchical(self.model, Grouping("recursive"))
        try:
            return engine.check(properties, budget, self.listen, reason)
        except UnsupportedError:
            return [Answer(p, "unknown", symbolic.ENGINE, reason=reason) for p in properties]


def _pays(answer: Answer) -> bool:
    """The reduction left out something in enough states."""
    states, reduced = answer.stats.get("states"), answer.stats.get("reduced_states")
    if not isinstance(states, int) or not isinstance(reduced, int):
        return False
    return reduced >= LEAST_REDUCED * states


def _is_final(answer: Answer | None) -> bool:
    if answer is None:
        return False
    # An error of ours must be seen, not covered by what the next engine says; and what has no
    # bound will have none there either.
    ended = answer.reason is not None and answer.reason.startswith(FINAL)
    return answer.verdict != "unknown" or ended
