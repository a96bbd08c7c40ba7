"""The symbolic engine: the reachable states as one decision diagram.

The set of reachable states is computed at once (`reach`); every property is then a question about
sets (`questions`). State spaces are counted, and where counting has a shorter way it is taken:
diagrams that keep the hierarchy of the model (`hierarchical`), those of a lumped net (`counted`) or
those of a net with fewer tokens (`scaled`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.evidence import Evidence
from plait.engines.prepared import Prepared, prepare
from plait.engines.stopped import Figures, stopped_space
from plait.engines.symbolic.reach import ENGINE, reach
from plait.engines.symbolic.tuning import PARTIAL, Tuning
from plait.errors import LimitReached
from plait.hints import TYPE_CHECKING
from plait.model.grouping import Grouping
from plait.model.types import Model, Property
from plait.model.vast import is_vast
from plait.records import replace
from plait.report.answer import Answer, StateSpace

if TYPE_CHECKING:
    from plait.engines.formulas import Formulas
    from plait.engines.partial.engine import PartialEngine
    from plait.model.expr import Formula
    from plait.model.net import Net
    from plait.structure.lumped import Lumped


class _Lumpable(Exception):  # noqa: N818 - a way that was found, no error
    """The states of a net can be counted by those of a lumped one."""

    def __init__(self, net: Net, lumped: Lumped) -> None:
        super().__init__()
        self.net, self.lumped = net, lumped


class _Counted(Exception):  # noqa: N818 - a result, no error
    """The states of a net were counted in another way."""

    def __init__(self, space: StateSpace) -> None:
        super().__init__()
        self.space = space


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
        brief: float = 0,
    ) -> None:
        """With `brief`, states are found in so many moments or not at all."""
        self.model = model
        self.brief = brief
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
        *,
        formulas: Formulas | None = None,
        tell: Callable[[Answer], None] | None = None,
        wanted: Callable[[Property], bool] = lambda _: True,
    ) -> list[Answer]:
        """The answers to properties of the kinds in `KINDS`, and `ctl`, in order.

        `prepared` is the model made ready for just these properties, if that was done before;
        `formulas` is the model made ready for CTL, if all of them are. Each answer is told as soon
        as there is one; what is not `wanted` any more, as others have answered it, is left unknown.
        """
        if not properties:
            return []
        if self.tuning.strategy == PARTIAL:
            return self._partially().check(properties, budget, listen)
        from plait.engines.formulas import prepare_formulas  # who counts states asks nothing
        from plait.engines.symbolic.asking import Asking
        from plait.engines.symbolic.questions import Questions

        conditions: Mapping[Formula, Formula] = {}
        if formulas is not None:
            prepared, conditions = formulas.prepared, formulas.conditions
        elif prepared is None:
            prepared, conditions = prepare_formulas(self.model, properties, budget, self.fair)
        flat = properties if formulas is not None else prepared.properties
        try:
            diagrams = reach(prepared, self.tuning, budget, listen, brief=self.brief)
            counts = {"states": diagrams.core.count(), "max_sum": diagrams.max_sum()}
            common = {**counts, **diagrams.figures()}
        except _core.StoppedError as stop:
            answers = [Answer(p, "unknown", ENGINE, reason=stop.args[0]) for p in properties]
        else:
            questions = Questions(
                diagrams, self.evidence, conditions, self.fair, infinite=self.infinite
            )
            notes = prepared.undefined(diagrams.core.undefined())

            def full(a: Answer) -> Answer:
                return replace(a, stats={**common, **a.stats}, notes=(*a.notes, *notes))

            def say(a: Answer) -> None:
                if tell is not None and a.verdict != "unknown":
                    tell(replace(full(a), seconds=budget.elapsed, peak_memory_bytes=peak_memory()))

            asked = list(zip(properties, flat, strict=False))  # conditions come after them
            answers = list(map(full, Asking(questions, asked, budget, say, wanted).run()))
        seconds, memory = budget.elapsed, peak_memory()
        return [replace(a, seconds=seconds, peak_memory_bytes=memory) for a in answers]

    def states(
        self,
        budget: Budget,
        listen: Listener | None = None,
        prepared: Prepared | None = None,
    ) -> StateSpace:
        """The whole state space; counts that would take too long are left out."""
        if self.tuning.strategy == PARTIAL:
            return self._partially().states(budget, listen)
        if not self.keeps_hierarchy:
            return self._flat_states(budget, listen, prepared)
        from plait.engines.symbolic.hierarchical import Hierarchical  # few models are kept whole
        from plait.engines.symbolic.hierarchy import UnsupportedError

        try:
            grouping = self.grouping or Grouping()
            if self.tuning.parts is None:
                return Hierarchical(self.model, grouping, self.tuning).states(budget, listen)
            whole = self._in_parts(self.tuning.parts)
            space = Hierarchical(whole, grouping, self.tuning).states(budget, listen)
            order = f"hierarchy file:{self.tuning.parts}"
            return replace(space, stats={**space.stats, "order": order})
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

    @property
    def keeps_hierarchy(self) -> bool:
        """Whether states are counted in diagrams that follow parts."""
        return self.grouping is not None or self.tuning.parts is not None

    def _in_parts(self, path: str) -> Model:
        """The model cut into the parts that a file asks for."""
        from plait import passes
        from plait.engines.symbolic.order_file import parts_in_file
        from plait.passes.decompose import decompose

        flat = passes.flat(self.model, reduce=False).model
        return decompose(flat, parts_in_file(path, self.model, flat)).model

    def _flat_states(
        self, budget: Budget, listen: Listener | None, prepared: Prepared | None
    ) -> StateSpace:
        prepared = prepared or prepare(self.model, budget=budget)
        look = self._other_ways(prepared, budget, listen)
        try:
            return self._space(prepared, budget, listen, look)
        except _Counted as counted:
            return counted.space
        except _Lumpable as found:
            from plait.engines.symbolic.counted import NotCountable, lumped_space

            try:
                return lumped_space(self, prepared, (found.net, found.lumped), budget, listen)
            except NotCountable:
                return self._space(prepared, budget, listen)

    def _space(
        self,
        prepared: Prepared,
        budget: Budget,
        listen: Listener | None,
        look: Callable[[], None] | None = None,
    ) -> StateSpace:
        """The state space in diagrams; what `look` raises is passed on (see `reach`)."""
        try:
            diagrams = reach(prepared, self.tuning, budget, listen, look, brief=self.brief)
            states = diagrams.core.count()
        except _core.StoppedError as stop:
            return stopped_space(ENGINE, stop.args[0], budget)
        core, figures = diagrams.core, Figures()
        return StateSpace(
            complete=True,
            states=states,
            arcs=figures.get(core.arcs),
            deadlocks=figures.get(core.count_deadlocks),
            max_value=figures.get(diagrams.max_value),
            max_sum=figures.get(diagrams.max_sum),
            stats=figures.get(diagrams.figures) or diagrams.stats,
            reason=figures.stopped,
            engine=ENGINE,
            seconds=budget.elapsed,
            peak_memory_bytes=peak_memory(),
            notes=prepared.undefined(core.undefined()),
        )

    def _other_ways(
        self, prepared: Prepared, budget: Budget, listen: Listener | None
    ) -> Callable[[], None] | None:
        """What looks for a way to count without all the states: it raises `_Lumpable` when there is
        a lumped net, `_Counted` when the states of a marked graph are counted."""
        if not self.tuning.plain:
            return None

        def look() -> None:
            from plait.engines.symbolic.counted import lumped_net

            try:
                found = lumped_net(prepared, budget.share(2))
            except LimitReached:
                found = None
            if found is None or found[1].initial:
                self._look_at_fewer_tokens(prepared, budget.share(2), listen)
            if found is not None:
                raise _Lumpable(*found)

        return look

    def _look_at_fewer_tokens(
        self, prepared: Prepared, budget: Budget, listen: Listener | None
    ) -> None:
        from plait.engines.symbolic.scaled import scaled_graph, scaled_space

        graph = scaled_graph(prepared)
        if graph is None:
            return
        space = scaled_space(prepared, graph, self.tuning, budget, listen)
        if space is not None:
            raise _Counted(space)


def _normal(conditions: Sequence[Formula]) -> tuple[Formula, ...]:
    """Conditions in negation normal form."""
    if not conditions:
        return ()
    from plait.logic.nnf import nnf

    return tuple(map(nnf, conditions))


__all__ = ["ENGINE", "Symbolic"]
