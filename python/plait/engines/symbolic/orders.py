"""The ranked variable orders of a flat model.

The heuristics and measures are native (`plait._core.Structure`), and so is what they know of a net
that was read natively; of all other models `supports` has what events touch and what belongs
together.

Everything here is a hint: a wrong support or group costs time, never an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plait._core import Structure
from plait.hints import TYPE_CHECKING, Literal, get_args
from plait.model.plain import plain_of
from plait.model.rewritten import flat_type
from plait.records import dataclass

if TYPE_CHECKING:
    from plait.engines.symbolic.supports import Groups
    from plait.model.net import Net
    from plait.model.types import Model

Merge = Literal["auto", "none", "machines", "units"]
"""Which cells share a level: none, state machines with one token, or the places of NUPN units.

`auto` takes the units of a net that claims to be safe, else machines.
"""
MERGES: tuple[Merge, ...] = get_args(Merge)
Levels = tuple[tuple[int, ...], ...]
"""The cells of each level, bottom first."""
LARGEST_LEVEL = 1024
"""The most cells that share a level."""


@dataclass(frozen=True, slots=True)
class Order:
    """A variable order: the heuristic that made it, its levels, and its figures (small is good)."""

    name: str
    levels: Levels
    costs: Mapping[str, float]
    also: tuple[str, ...] = ()
    """Other heuristics that made the same order."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Where the free events stand in an order: (Bot, Top) of each, levels counted from 1."""

    events: tuple[tuple[int, int] | None, ...]
    total: int
    """The sum of Top - Bot."""
    tops: int
    """The sum of Top."""


class Orders:
    """The orders of one flat model."""

    def __init__(self, flat: Model, net: Net | None = None) -> None:
        """`net` is the net that the model is, if that is known."""
        self._flat, self._net = flat, net
        self._groups: Groups | None
        plain = plain_of(flat)
        if plain is not None:
            self.is_net = True
            self._has_units, self._is_safe = plain.core.has_units, plain.core.safe
            self._initial = plain.initial
            self._groups = None
            self.structure = plain.core.structure()
            return
        from plait.engines.symbolic.supports import groups_of, supports  # a plain net has its own
        from plait.model.net import Net, as_net
        from plait.model.shape import shape_of

        found = net or as_net(flat)
        self.is_net = isinstance(found, Net)
        system, shape = flat_type(flat), shape_of(flat)
        self._has_units = system.units is not None
        self._is_safe = system.units is not None and system.units.safe
        self._initial = shape.initial()
        self._groups = groups_of(system, shape)
        self.structure = Structure(shape.width, list(supports(flat, found)), self._groups)

    def ranked(
        self,
        merge: Merge = "auto",
        limit: int | None = None,
        *,
        quick: bool = False,
        timeout: float | None = None,
    ) -> list[Order]:
        """The orders, best first, at most `limit`; with `quick` at less cost for large models.

        After `timeout` seconds what there is is ranked, the declared order if nothing else.

        An order and its mirror image follow each other: which of the two is better cannot be told
        from the structure, so an engine does well to let the first two or four race.
        """
        levels = self.levels(merge)
        found = self.structure.orders(levels, self._initial, limit, quick=quick, timeout=timeout)
        return [
            Order(name, tuple(levels[k] for k in order), dict(costs), tuple(also))
            for name, order, costs, also in found
        ]

    def separated(self, merge: Merge = "auto", timeout: float | None = None) -> list[Order]:
        """The order that leaves few levels waiting and its mirror image; none for large models.

        Their only figure is `separation`: how much less waits at the cuts than in the best ranked.
        """
        from plait.engines.symbolic.separation import LARGEST, Separation  # for orders that fail
        from plait.engines.symbolic.supports import supports

        levels = self.levels(merge)
        if not 2 < len(levels) <= LARGEST:
            return []
        events = supports(self._flat, self._net)
        touched = ({*tests, *(cell for cell, _ in writes)} for tests, writes in events)
        separation = Separation(levels, touched)
        number = {cells: level for level, cells in enumerate(levels)}
        (best,) = self.ranked(merge, 1, quick=True, timeout=timeout)
        order = separation.order()
        gain = separation.cost([number[cells] for cells in best.levels]) - separation.cost(order)
        found = tuple(levels[level] for level in order)
        return [
            Order("separation", found, {"separation": -gain}),
            Order("separation down", found[::-1], {"separation": -gain}),
        ]

    def levels(self, merge: Merge = "auto") -> Levels:
        """The cells as levels, in declared order: each by itself, or some together."""
        together: Sequence[Sequence[int]] | None
        if merge == "none":
            together = ()
        elif merge == "units" or (merge == "auto" and self._is_safe):
            together = self._units() if self._has_units else ()
        else:
            together = None  # machines
        return self.structure.levels(together, self._initial, LARGEST_LEVEL)

    def spans(self, levels: Sequence[Sequence[int]]) -> Spans:
        """Top, Bot and spans of the free events when the cells stand in these levels."""
        events, total, tops = self.structure.spans(levels)
        return Spans(tuple(events), total, tops)

    def _units(self) -> list[list[int]]:
        """The cells of each unit, without those of its sub-units."""
        plain = plain_of(self._flat)
        groups = self._groups if plain is None else plain.core.groups()
        assert groups is not None
        cells: list[list[int]] = [[] for _ in groups[0]]
        for cell, unit in enumerate(groups[1]):
            if unit is not None:
                cells[unit].append(cell)
        return [c for c in cells if len(c) > 1]


__all__ = ["LARGEST_LEVEL", "MERGES", "Levels", "Merge", "Order", "Orders", "Spans"]
