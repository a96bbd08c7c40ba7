"""The figures of a net's state space from a lumped net: states, arcs, the greatest values.

What lumping leaves is explored in diagrams, often nothing at all; then the values of each place are
weighed with the markings that they stand for (`plait.structure.parts`). Arcs are counted event by
event: the markings where an event is enabled are those where its places have enough, which changes
the tables of a few parts. Deadlocks are counted case by case: in each case some places have at
least so many tokens and some have fewer (`plait.structure.disabled`), which is such a change again.
A place that was dropped keeps no event from happening, so neither asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from plait import _core
from plait.engines.budget import Budget, Listener, peak_memory
from plait.engines.prepared import Prepared
from plait.engines.stopped import Figures, stopped_space
from plait.engines.symbolic.reach import reach
from plait.errors import LimitReached
from plait.model.arithmetic import INT_MAX
from plait.model.net import Net, as_model, as_net
from plait.model.rewritten import Rewritten
from plait.program import compile_model
from plait.report.answer import StateSpace
from plait.structure.disabled import disabling
from plait.structure.equation import StateEquation
from plait.structure.lumped import Lumped
from plait.structure.lumping import lump
from plait.structure.parts import Tables, TooManyEntries

if TYPE_CHECKING:
    from plait.engines.symbolic.engine import Symbolic

ENGINE = "symbolic"
WORTH = 0.9
"""A lumped net is used when no more than this part of the places is left."""
ENDS = ("timeout", "memory", "interrupted")
"""What stops a search of anything; other reasons are those of the lumped net."""
SECONDS = 5.0
"""The most time to show that no variable wraps around."""
MOST_CASES = 500
"""The cases of all markings without an enabled event that are counted one by one."""


class NotCountable(Exception):  # noqa: N818 - a way that leads nowhere, not a failure
    """A lumped net has more tokens than can be counted with, though the net may have few states."""


def lumped_net(prepared: Prepared, budget: Budget) -> tuple[Net, Lumped] | None:
    """The net that a model is, and what lumping leaves of it, where that is worth something."""
    net = prepared.rewritten.net or as_net(prepared.rewritten.model)
    if not isinstance(net, Net) or not net.ordinary or not net.places:
        return None
    lumped = lump(net, budget.check)
    if len(lumped.initial) > WORTH * len(net.places) or not _is_model(lumped):
        return None
    wraps = any(domain is None for domain in prepared.compiled.shape.domains())
    return None if wraps and not _stays_below(net, budget) else (net, lumped)


def _is_model(lumped: Lumped) -> bool:
    """Whether the numbers of what is left, which are sums of those of the net, are integers."""
    weights = (
        w for e in lumped.events if e.active for arcs in (e.pre, e.post) for w in arcs.values()
    )
    return all(n <= INT_MAX for n in (*lumped.initial.values(), *weights))


def _stays_below(net: Net, budget: Budget) -> bool:
    """Whether no place gets where a variable wraps around and a place goes on counting."""
    equation = StateEquation(net)
    every = dict.fromkeys(range(len(net.places)), 1)
    tokens = equation.bound(every, budget.moment(SECONDS, 1 / 2)) if equation.available else None
    return tokens is not None and tokens <= INT_MAX


class Counted:
    """The markings of a net, counted by those of the lumped net."""

    def __init__(
        self,
        net: Net,
        lumped: Lumped,
        symbolic: Symbolic,
        budget: Budget,
        listen: Listener | None = None,
    ) -> None:
        """Explores the lumped net; `StoppedError` when the budget is too small.

        `NotCountable` when a place of it has too many tokens.
        """
        self.net, self.lumped = net, lumped
        left, self._cells = lumped.residue(net.name)
        self._core: _core.Symbolic | None = None
        self.stats: dict[str, object] = {"lumped_places": len(left.places)}
        most: dict[int, int] = {}
        if left.places:
            self._core, stats = _explored(left, symbolic, budget, listen)
            self.stats |= stats
            bounds = self._core.cell_bounds()
            most = {part: high for part, (_, high) in zip(self._cells, bounds, strict=True)}
        try:
            self.tables = Tables(lumped.parts, most, lumped.constants, budget.check)
        except TooManyEntries:
            raise NotCountable from None

    def states(self) -> int:
        """How many markings are reachable."""
        return self._weighed({})

    def arcs(self) -> int | None:
        """How many pairs of a marking and an event; None where two such pairs may be one arc."""
        kinds = [(e.title, e.change) for e in self.net.events]
        if len(set(kinds)) < len(kinds):
            return None
        known: dict[object, int] = {}
        for event in self.net.events:
            if event.pre not in known:
                known[event.pre] = self._weighed(self.tables.where(dict(event.pre)))
        return sum(known[event.pre] for event in self.net.events)

    def deadlocks(self) -> int | None:
        """How many markings enable no event; None where that takes too many cases."""
        asked = [
            [(place, weight) for place, weight in event.pre if place in self.tables.needs]
            for event in self.net.events
        ]
        total = 0
        for cases, (least, below) in enumerate(disabling(asked)):
            if cases >= MOST_CASES:
                return None
            total += self._weighed(self.tables.where(least, below))
        return total

    def max_value(self) -> int | None:
        """The greatest number of tokens of a place; None where it is not found."""
        tops = self.tables.greatest_leaves()
        if tops is None:
            return None
        found = [tops[part][value] for part, value in self.lumped.constants.items()]
        for part in self._cells:
            zeros = {p: [0] * len(tops[p]) for p in self._cells if p != part}
            found.append(self._greatest({**zeros, part: tops[part]}))
        found.extend(self._greatest_sum({d.place: 1}) for d in self.lumped.dropped)
        known = [value for value in found if value is not None]
        return max(known) if len(known) == len(found) else None

    def max_sum(self) -> int | None:
        """The greatest number of tokens of a marking; None where it is not found."""
        return self._greatest_sum(dict.fromkeys(range(len(self.net.places)), 1))

    def _greatest_sum(self, factors: Mapping[int, int]) -> int | None:
        """The greatest sum of parts, each times its factor; those that were dropped too."""
        factors, constant = dict(factors), 0
        for dropped in self.lumped.dropped:
            factor = factors.pop(dropped.place, 0)
            constant += factor * dropped.constant
            for part, more in dropped.factors.items():
                factors[part] = factors.get(part, 0) + factor * more
        sums = self.tables.greatest_sums(factors)
        if sums is None:
            return None
        fixed = [sums[part][value] for part, value in self.lumped.constants.items()]
        known = [value for value in (*fixed, self._greatest(sums)) if value is not None]
        return sum(known) + constant if len(known) == len(fixed) + 1 else None

    def _weighed(self, changed: Mapping[int, Sequence[int]]) -> int:
        """The markings that all markings of the lumped net stand for, with these tables."""

        def table(part: int) -> Sequence[int]:
            return changed[part] if part in changed else self.tables[part]

        fixed = prod(table(part)[value] for part, value in self.lumped.constants.items())
        if self._core is None or not fixed:
            return fixed
        weighed = self._core.weigh([table(part) for part in self._cells])
        assert weighed is not None, "what is left of a net is a net"
        return fixed * weighed

    def _greatest(self, tops: Mapping[int, Sequence[int | None]]) -> int | None:
        if self._core is None:
            return 0
        return self._core.greatest([tops[part] for part in self._cells])


def lumped_space(
    symbolic: Symbolic,
    prepared: Prepared,
    found: tuple[Net, Lumped],
    budget: Budget,
    listen: Listener | None,
) -> StateSpace:
    """The whole state space of a model that is a net, from what lumping leaves of it.

    `NotCountable` where that does not tell, whatever the time.
    """
    try:
        counted = Counted(*found, symbolic, budget, listen)
        states = counted.states()
    except _core.StoppedError as stop:
        return stopped_space(ENGINE, stop.args[0], budget)
    except LimitReached as limit:
        return stopped_space(ENGINE, limit.reason, budget)
    # Cells that the passes removed are constants.
    first = prepared.compiled.program.initial()
    lifted = prepared.lift(first)
    figures = Figures()
    max_value, max_sum = figures.get(counted.max_value), figures.get(counted.max_sum)
    return StateSpace(
        complete=True,
        states=states,
        arcs=figures.get(counted.arcs),
        deadlocks=figures.get(counted.deadlocks),
        max_value=None if max_value is None else max(max_value, *lifted),
        max_sum=None if max_sum is None else max_sum + sum(lifted) - sum(first),
        reason=figures.stopped,
        engine=ENGINE,
        seconds=budget.elapsed,
        peak_memory_bytes=peak_memory(),
        stats=counted.stats,
    )


def _explored(
    net: Net, symbolic: Symbolic, budget: Budget, listen: Listener | None
) -> tuple[_core.Symbolic, dict[str, object]]:
    """The reachable markings of the lumped net, in diagrams."""
    model = as_model(net)
    prepared = Prepared(model, Rewritten(model, net=net), compile_model(model))
    try:
        diagrams = reach(prepared, symbolic.tuning, budget, listen)
    except LimitReached as limit:
        if limit.reason in ENDS:
            raise
        # A place leaves the integers: several together of the net, each of which may not.
        raise NotCountable from None
    return diagrams.core, diagrams.figures()


__all__ = ["Counted", "NotCountable", "lumped_net", "lumped_space"]
