"""The symbolic engine: the reachable states as one decision diagram.

The set of reachable states is computed at once, by saturation unless another strategy is asked for;
every question is then an operation on sets: the states where a condition holds, the states without
successors, the least and greatest value of an expression. A violation is shown by a shortest trace,
found layer by layer, and replayed on the original model as any trace is. CTL formulas are computed
backward (`ctl`) or forward as far as that goes (`ctl_ways`), and shown by a tree of paths
where paths can show something (`ctl_witness`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from plait import _core
from plait.engines.budget import Budget, Listener, Progress, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.prepared import KINDS, Formulas, Prepared, prepare, prepare_formulas
from plait.engines.stopped import stopped_space
from plait.engines.symbolic.orders import Levels, Merge, Order, Orders
from plait.engines.symbolic.ways import AlwaysWay, CtlWay
from plait.errors import LimitReached, error
from plait.model.expr import Formula, IntExpr
from plait.model.grouping import Grouping
from plait.model.rewritten import Rewritten
from plait.model.shape import is_vast
from plait.model.types import Model, Property
from plait.records import dataclass
from plait.report.answer import CUT, Answer, StateSpace, Verdict

if TYPE_CHECKING:
    from plait.engines.partial.engine import PartialEngine
    from plait.engines.symbolic.ctl import SymbolicLabelling
    from plait.model.net import Net
    from plait.structure.lumped import Lumped

ENGINE = "symbolic"
SYMBOLIC_KINDS = (*KINDS, "ctl")
"""The kinds of property that sets of states decide."""
_T = TypeVar("_T")

Strategy = Literal["saturation", "forwarding", "chaining", "chaining-all", "bfs", "bfs-all"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
PARTIAL: Literal["partial"] = "partial"
"""The strategy that does not find all states: partial exploration (`partial`)."""
MOMENTS = (0.5, 3.0)
"""Seconds of the processor that an order may take before the next one is tried, in the first round
and the next."""
QUICK_RANKING = 0.05
"""Seconds of a quick ranking; an order that took longer to find is tried for longer."""
FIRST_PART = 4
"""The part of the time that is left which the first order may have."""
LEAST_MOMENT = 0.05
"""What is left of a moment below which it is over."""
CANDIDATES = 2
"""Orders to try, with cells that share levels and again with a level for each cell."""
SEPARATED = 3.0
"""An order that leaves few levels waiting is tried if it may need e^3 times fewer nodes."""
WITNESS_SECONDS = 20.0
"""The most time for a tree of paths."""
Locals = Literal["on-the-fly", "pregenerated"]
LOCALS: tuple[Locals, ...] = get_args(Locals)


@dataclass(frozen=True, slots=True)
class PartialTuning:
    """How partial exploration works (`plait.engines.partial.exploration`)."""

    variant: int = 1
    """Which states of a frontier a process expands: 1, 2 or 3."""
    keep: str | None = None
    """What `states` shall keep: ctl, ltl or deadlocks; a property says it itself."""
    rule: str = "local"
    """Which events are safe: `local` ones, or `exact` by what may happen meanwhile."""
    assume_linear: bool = False
    """Take it for granted that no two safe events of a process are enabled together."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """How diagrams are built; none of it changes an answer."""

    strategy: Strategy | Literal["partial"] = "saturation"
    partial: PartialTuning = PartialTuning()
    order: str = "auto"
    """The name of a variable order (see `plait.engines.symbolic.orders`), `file:PATH` for one in a
    file, or `auto` for the best ranked."""
    merge: Merge = "auto"
    """Which cells share a level."""
    grouping: Grouping | None = None
    """Keep the hierarchy of the model, with its sets grouped so; None: only when it is vast."""
    locals: Locals = "on-the-fly"
    strict: int | None = None
    """Collect garbage after so many new nodes; None: when memory runs short."""
    ctl: CtlWay | Literal["local"] = "auto"
    """CTL: backward step by step or by saturation, or forward as far as the formula allows; or not
    on diagrams but `local`, on explicit states."""
    always: AlwaysWay = "traditional"
    """E G: states without a successor inside are taken away, or cycles are looked for."""
    witnesses: bool = True
    """Look for paths that show why a CTL formula holds or does not."""

    @property
    def way(self) -> CtlWay:
        """How CTL is computed on diagrams."""
        return "auto" if self.ctl == "local" else self.ctl


@dataclass(slots=True)
class Diagrams:
    """A prepared model in diagrams, its reachable states computed."""

    prepared: Prepared
    core: _core.Symbolic
    stats: dict[str, object] = field(default_factory=dict)
    labelling: SymbolicLabelling | None = None
    conditions: dict[Formula, Formula] = field(default_factory=dict)
    """What has become of the state formulas in CTL properties."""

    @property
    def reached(self) -> _core.StateSet:
        """The reachable states as a set, which is made when it is first asked for."""
        return self.core.reach()


class _Lumpable(Exception):  # noqa: N818 - a way that was found, no error
    """The states of a net can be counted by those of a lumped one."""

    def __init__(self, net: Net, lumped: Lumped) -> None:
        super().__init__()
        self.net, self.lumped = net, lumped


class Symbolic:
    """A model prepared for diagrams; may be used for several calls."""

    def __init__(
        self,
        model: Model,
        evidence: Evidence | None = None,
        tuning: Tuning | None = None,
        *,
        fair: Sequence[Formula] = (),
        infinite: bool = False,
    ) -> None:
        self.model = model
        self.infinite = infinite
        self.fair = _normal(fair)
        self.evidence = evidence or Evidence(model)
        self.tuning = tuning or Tuning()

    def check(
        self,
        properties: Sequence[Property],
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
        formulas: Formulas | None = None,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `SYMBOLIC_KINDS`, in order.

        `prepared` is the model made ready for just these properties, if that was done before;
        `formulas` is the model made ready for CTL, if all of them are.
        """
        if not properties:
            return []
        if self.tuning.strategy == PARTIAL:
            return self._partially().check(properties, budget, listen)
        conditions: dict[Formula, Formula] = {}
        if formulas is not None:
            prepared, conditions = formulas.prepared, formulas.conditions
        elif prepared is None:
            prepared, conditions = prepare_formulas(self.model, properties, self.fair)
        flat = properties if formulas is not None else prepared.properties
        try:
            diagrams = self.reach(prepared, budget, listen)
            common = self._common(diagrams)
        except _core.StoppedError as stop:
            stopped = Answer(
                properties[0],
                "unknown",
                ENGINE,
                reason=stop.args[0],
                seconds=budget.elapsed,
                peak_memory_bytes=peak_memory(),
            )
            return [replace(stopped, property=p) for p in properties]
        diagrams.conditions = conditions
        notes = prepared.undefined(diagrams.core.undefined())
        answers: dict[int, Answer] = {}
        # A question that takes more than its share waits until all others are answered.
        for last in (False, True):
            left = [i for i in range(len(properties)) if i not in answers]
            for position, i in enumerate(left):
                share = budget if last else budget.share(max(len(left) - position, 2))
                self.limit(diagrams.core, share, listen)
                try:
                    answer = self._answer(diagrams, properties[i], flat[i])
                    if answer.property.kind == "ctl" and self.tuning.witnesses:
                        self.limit(diagrams.core, _for_witness(share), listen)
                        answer = self._shown(diagrams, answer)
                except _core.StoppedError as stop:
                    if not last and stop.args[0] == "timeout":
                        continue
                    answer = Answer(properties[i], "unknown", ENGINE, reason=stop.args[0])
                stats = {**common, **answer.stats}
                answers[i] = replace(answer, stats=stats, notes=(*answer.notes, *notes))
        seconds, memory = budget.elapsed, peak_memory()
        found = (answers[i] for i in range(len(properties)))
        return [replace(a, seconds=seconds, peak_memory_bytes=memory) for a in found]

    def states(
        self,
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> StateSpace:
        """The whole state space; counts that would take too long are left out."""
        if self.tuning.strategy == PARTIAL:
            return self._partially().states(budget, listen)
        if self.grouping is None:
            return self._flat_states(budget, listen, prepared)
        from plait.engines.symbolic.hierarchical import Hierarchical  # few models are kept whole
        from plait.engines.symbolic.hierarchy import UnsupportedError

        try:
            hierarchical = Hierarchical(self.model, self.grouping, self.tuning.strict)
            return hierarchical.states(budget, listen)
        except UnsupportedError as reason:
            space = self._flat_states(budget, listen, prepared)
            note = f"the hierarchy is not kept: {reason}"
            return replace(space, notes=(*space.notes, note))

    def _partially(self) -> PartialEngine:
        from plait.engines.partial.engine import PartialEngine  # few ask for it

        return PartialEngine(self)

    @cached_property
    def grouping(self) -> Grouping | None:
        """How the hierarchy of the model is kept when states are counted; None if it is not."""
        if self.tuning.grouping is None and self.tuning.merge == "auto" and is_vast(self.model):
            return Grouping("recursive")
        return self.tuning.grouping

    def _flat_states(
        self, budget: Budget, listen: Listener | None, prepared: Prepared | None
    ) -> StateSpace:
        prepared = prepared or prepare(self.model, budget=budget)
        try:
            diagrams = self.reach(prepared, budget, listen, self._lumpable(prepared, budget))
            states = diagrams.core.count()
        except _Lumpable as found:
            from plait.engines.symbolic.counted import lumped_space

            return lumped_space(self, prepared, (found.net, found.lumped), budget, listen)
        except _core.StoppedError as stop:
            return stopped_space(ENGINE, stop.args[0], budget)
        core = diagrams.core
        return StateSpace(
            complete=True,
            reason=None,
            states=states,
            arcs=_unless_stopped(core.arcs),
            deadlocks=_unless_stopped(core.count_deadlocks),
            max_value=_unless_stopped(lambda: _max_value(diagrams)),
            max_sum=_unless_stopped(lambda: max_sum(diagrams)),
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            stats={**diagrams.stats, **_figures(diagrams)},
            notes=prepared.undefined(core.undefined()),
        )

    def _lumpable(self, prepared: Prepared, budget: Budget) -> Callable[[], None] | None:
        """What looks for a lumped net, and raises `_Lumpable` when there is one."""
        standard = Tuning(ctl=self.tuning.ctl, always=self.tuning.always)
        if replace(self.tuning, witnesses=standard.witnesses) != standard:
            return None

        def look() -> None:
            from plait.engines.symbolic.counted import lumped_net

            try:
                found = lumped_net(prepared, budget.share(2))
            except LimitReached:
                return
            if found is not None:
                raise _Lumpable(*found)

        return look

    def reach(
        self,
        prepared: Prepared,
        budget: Budget,
        listen: Listener | None,
        look: Callable[[], None] | None = None,
    ) -> Diagrams:
        """The reachable states; `StoppedError` when the budget is too small.

        `look` is called when a moment for each order was not enough, and may raise what it will.
        """
        if self.tuning.strategy == PARTIAL:
            raise error("all states are needed here, and the strategy partial does not find them")
        begun: dict[Levels, _core.Symbolic] = {}
        for order, share in self.attempts(prepared, budget, look):
            # What an attempt has found stays cached in its diagrams: the next one in the same order
            # soon comes to where it was stopped. The last one needs the memory of the others.
            core = begun.pop(order.levels, None) or self.encoded(prepared, order)
            if share is budget:
                begun.clear()
            reason: str | None = "timeout"
            while reason == "timeout":
                used = time.process_time()
                diagrams, reason = self._reach_in(prepared, order, core, share, listen)
                if diagrams is not None:
                    # What was a moment for this order is the whole budget for the questions.
                    self.limit(core, budget, listen)
                    return diagrams
                if reason == "interrupted" or share is budget:
                    raise _core.StoppedError(reason)
                # A moment is one of the processor: on a busy machine the clock runs ahead of it.
                left = (share.timeout or 0) - (time.process_time() - used)
                if left < LEAST_MOMENT or budget.remaining() == 0:
                    break
                share = _moment(left, budget)
            if reason == "timeout":
                begun[order.levels] = core
        raise AssertionError("the last attempt has the whole budget")

    def encoded(self, prepared: Prepared, order: Order) -> _core.Symbolic:
        """The model in diagrams, nothing computed yet."""
        program, pregenerated = prepared.compiled.program, self.tuning.locals == "pregenerated"
        try:
            return _core.Symbolic(program, order.levels, pregenerated=pregenerated)
        except ValueError as failure:
            # The local states of a level alone may have no end.
            raise LimitReached(str(failure)) from None

    def attempts(
        self, prepared: Prepared, budget: Budget, look: Callable[[], None] | None = None
    ) -> Iterator[tuple[Order, Budget]]:
        """Orders to try, each with what it may use; the last one with all that is left.

        A ranking is a guess. The first few orders get a moment each, then a while each, before the
        best is trusted with the rest: most models are done by then, and a wrong guess costs little.
        """
        if self.tuning.order != "auto":
            yield order_asked_for(self.tuning, prepared.model, prepared.rewritten), budget
            return
        orders = Orders(prepared.rewritten.model, prepared.rewritten.net)
        tried: list[Order] = []
        began = time.process_time()
        for order in candidates(orders, self.tuning.merge):
            if not tried:
                # To rank the others takes many times as long: that long the first is worth a try.
                patience = max(1.0, (time.process_time() - began) / QUICK_RANKING)
                yield order, _moment(MOMENTS[0] * patience, budget, FIRST_PART)
            else:
                yield order, _moment(MOMENTS[0], budget)
            tried.append(order)
        if look is not None:
            look()
        for seconds in MOMENTS[1:]:
            for order in tried:
                yield order, _moment(seconds, budget)
        yield tried[0], budget

    def _reach_in(
        self,
        prepared: Prepared,
        order: Order,
        core: _core.Symbolic,
        budget: Budget,
        listen: Listener | None,
    ) -> tuple[Diagrams, None] | tuple[None, str]:
        """The reachable states in one order, or why they were not found."""
        tuning, started = self.tuning, time.monotonic()
        self.limit(core, budget, listen)
        try:
            core.explore(tuning.strategy)
        except _core.StoppedError as stop:
            return None, stop.args[0]
        except _core.ProgramError as failure:
            raise prepared.located(failure) from None
        stats: dict[str, object] = {
            "strategy": tuning.strategy,
            "order": order.name,
            "levels": len(order.levels),
            "reach_seconds": round(time.monotonic() - started, 6),
        }
        return Diagrams(prepared, core, stats), None

    def limit(self, core: _core.Symbolic, budget: Budget, listen: Listener | None) -> None:
        """What the diagrams may use for what follows."""
        core.limit(
            timeout=budget.remaining(),
            memory=budget.memory,
            strict=self.tuning.strict,
            progress=None if listen is None else _teller(listen, budget),
        )

    def _answer(self, diagrams: Diagrams, asked: Property, flat: Property) -> Answer:
        core, program = diagrams.core, diagrams.prepared.compiled.program
        if flat.kind == "ctl":
            return self._branching(diagrams, asked, flat)
        if flat.kind == "bounds":
            assert isinstance(flat.body, IntExpr)
            expression = diagrams.prepared.compiled.integer(flat.body)
            limits = core.extrema(program, diagrams.reached, expression)
            if limits is None:
                return Answer(asked, "true", ENGINE)
            stats: dict[str, object] = {"min": limits[0], "max": limits[1]}
            return Answer(asked, "true", ENGINE, value=limits[1], stats=stats)
        if flat.kind == "deadlock":
            targets = core.deadlocks()
        else:
            targets = core.select(program, diagrams.reached, diagrams.prepared.goal(flat))
        if not targets:
            return Answer(asked, "false" if asked.kind == "reachable" else "true", ENGINE)
        verdict: Verdict = "true" if asked.kind == "reachable" else "false"
        answer = Answer(asked, verdict, ENGINE)
        trace = _unless_stopped(lambda: core.trace(targets))
        if trace is None:
            return replace(answer, notes=(f"{asked.name}: there was no time for a trace",))
        return self.evidence.confirm(replace(answer, witness=diagrams.prepared.witness(trace)))

    def _branching(self, diagrams: Diagrams, asked: Property, flat: Property) -> Answer:
        """The answer to a CTL property."""
        # The formula of the original model, if it is known what has become of its conditions.
        body = asked.body if diagrams.conditions else flat.body
        assert isinstance(body, Formula)
        from plait.engines.symbolic.ctl_ways import decide  # only CTL needs it

        decision = decide(self._labelling(diagrams), body, self.tuning.way)
        stats: dict[str, object] = {"ctl": self.tuning.way}
        if decision.forms:
            stats["forward"] = decision.forms
        return Answer(asked, "true" if decision.holds else "false", ENGINE, stats=stats)

    def _shown(self, diagrams: Diagrams, answer: Answer) -> Answer:
        """The answer to a CTL property with a tree of paths where they show something."""
        body = answer.property.body
        if not diagrams.conditions or not isinstance(body, Formula) or self.fair:
            return answer
        from plait.engines.symbolic.ctl_witness import witness_of
        from plait.logic.nnf import nnf

        labelling, claim = self._labelling(diagrams), (nnf(body), answer.verdict == "true")
        try:
            shown = witness_of(labelling, diagrams.prepared, claim)
        except _core.StoppedError as stop:
            if stop.args[0] == "interrupted":
                raise
            note = f"{answer.property.name}: there was no time for a witness"
            return replace(answer, notes=(*answer.notes, note))
        if shown is None:
            return answer
        witness, cut = shown
        notes = (CUT.format(answer.property.name),) if cut else ()
        return self.evidence.confirm(replace(answer, witness=witness, notes=notes))

    def _labelling(self, diagrams: Diagrams) -> SymbolicLabelling:
        if diagrams.labelling is None:
            from plait.engines.symbolic.ctl import SymbolicLabelling

            traditional = self.tuning.way == "backward"
            diagrams.labelling = SymbolicLabelling(
                diagrams.prepared.compiled,
                diagrams.core,
                diagrams.reached,
                until="traditional" if traditional else "constrained",
                always=self.tuning.always,
                conditions=diagrams.conditions,
                fair=self.fair,
                maximal=not self.infinite,
            )
        return diagrams.labelling

    def _common(self, diagrams: Diagrams) -> dict[str, object]:
        """What every answer tells besides."""
        return {
            "states": diagrams.core.count(),
            "max_sum": max_sum(diagrams),
            **diagrams.stats,
            **_figures(diagrams),
        }


def _normal(conditions: Sequence[Formula]) -> tuple[Formula, ...]:
    """Conditions in negation normal form."""
    if not conditions:
        return ()
    from plait.logic.nnf import nnf

    return tuple(map(nnf, conditions))


def _for_witness(budget: Budget) -> Budget:
    """What may be used to show an answer that is known: half of what is left, not much in all."""
    remaining = budget.remaining()
    seconds = WITNESS_SECONDS if remaining is None else min(WITNESS_SECONDS, remaining / 2)
    return Budget(seconds, budget.memory, budget.states)


def candidates(orders: Orders, merge: Merge) -> Iterator[Order]:
    """The orders to try, the best ranked first; the others are ranked when they are asked for.

    Cells that share a level help nets only; and what a program with computed indices touches is
    partly a guess, so there the order of the declarations may be the better one.
    """
    merges: tuple[Merge, ...] = ("auto", "none") if merge == "auto" else (merge,)
    if not orders.is_net:
        merges = ("none",)
    (first,) = orders.ranked(merges[0], 1, quick=True)
    seen = {first.levels}
    yield first
    for order in orders.separated(merges[0]):
        if order.costs["separation"] < -SEPARATED and order.levels not in seen:
            seen.add(order.levels)
            yield order
    rankings = (orders.ranked(m, CANDIDATES) for m in merges)
    by_rank = [order for same_rank in zip_longest(*rankings) for order in same_rank]
    if not orders.is_net:
        by_rank.append(Order("declared", orders.levels("none"), {}))
    for order in by_rank:
        if order is not None and order.levels not in seen:
            seen.add(order.levels)
            yield order


def order_asked_for(tuning: Tuning, model: Model, rewritten: Rewritten) -> Order:
    """The order of a tuning that names one or a file with one; `rewritten` is the flat model."""
    if tuning.order.startswith("file:"):
        from plait.engines.symbolic.order_file import read_order

        return read_order(tuning.order.removeprefix("file:"), model, rewritten.model)
    return named_order(Orders(rewritten.model, rewritten.net), tuning.order, tuning.merge)


def named_order(orders: Orders, name: str, merge: Merge) -> Order:
    """The order of that name."""
    ranked = [*orders.ranked(merge), *orders.separated(merge)]
    for order in ranked:
        if order.name == name:
            return order
    known = ", ".join(sorted({order.name for order in ranked}))
    raise error(f"no variable order named '{name}' for this model", hint=f"orders: {known}")


def _moment(seconds: float, budget: Budget, part: int = 16) -> Budget:
    """So much time, but only a part of what is left."""
    remaining = budget.remaining()
    share = seconds if remaining is None else min(seconds, remaining / part)
    return Budget(share, budget.memory, budget.states)


def _teller(listen: Listener, budget: Budget) -> Callable[[dict[str, float]], None]:
    def tell(moment: dict[str, float]) -> None:
        listen(
            Progress(
                ENGINE,
                nodes=int(moment["nodes"]),
                collections=int(moment["collections"]),
                memory=int(moment["memory"]),
                seconds=budget.elapsed,
            )
        )

    return tell


def _figures(diagrams: Diagrams) -> dict[str, object]:
    final = diagrams.core.size()
    return {"final_nodes": final, **diagrams.core.statistics()}


def _max_value(diagrams: Diagrams) -> int | None:
    """The greatest value of a cell, those that the passes removed included."""
    first = diagrams.prepared.compiled.program.initial()
    bounds = diagrams.core.cell_bounds()
    values = (*diagrams.prepared.lift(first), *(high for _, high in bounds))
    return max(values, default=None)


def max_sum(diagrams: Diagrams) -> int | None:
    """The greatest sum of all cells; those that the passes removed are constants and count too."""
    bounds = diagrams.core.sum_bounds()
    if bounds is None:
        return None
    first = diagrams.prepared.compiled.program.initial()
    return bounds[1] + sum(diagrams.prepared.lift(first)) - sum(first)


def _unless_stopped(compute: Callable[[], _T]) -> _T | None:
    """The result, or None when time or memory ran out; an interrupt ends everything."""
    try:
        return compute()
    except _core.StoppedError as stop:
        if stop.args[0] == "interrupted":
            raise LimitReached("interrupted") from None
        return None
