"""Write a place/transition net in a Python script.

    from plait.model.net_builder import NetBuilder

    net = NetBuilder("buffer")
    free, full = net.place("free", 3), net.place("full")
    net.event("put", takes=[free], gives=[full])
    net.event("flush", takes=[(full, 3)], gives=[(free, 3)])
    model = net.model()

A place is a handle with Python's operators, so that properties are written with it: `full <= 3`. An
arc is a place, or a pair of a place and a weight; arcs to the same place add up. Levels say which
places belong together in a decision diagram, the bottom one first; they are kept as the units of
the net (`plait.model.types.Units`), without the claim that it is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from plait.errors import error
from plait.model.builder import Cell
from plait.model.expr import Var
from plait.model.net import Net, NetEvent, Place, Row, as_model
from plait.model.types import Model, Property, Unit, Units

ROOT = "levels"
"""The name of the unit that has the levels below it."""


class NetPlace(Cell):
    """A place of a net: the number of its tokens."""

    def __init__(self, name: str, number: int) -> None:
        super().__init__(Var(name))
        self.name = name
        self.number = number


Arc = NetPlace | tuple[NetPlace, int]


class NetBuilder:
    """Collects the places, events and levels of a net."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: list[Place] = []
        self._events: list[NetEvent] = []
        self._levels: list[Unit] = []

    def place(self, name: str, tokens: int = 0) -> NetPlace:
        """A new place with so many tokens."""
        self._places.append(Place(name, tokens))
        return NetPlace(name, len(self._places) - 1)

    def places(self, pattern: str, **tokens: int) -> tuple[NetPlace, ...]:
        """Several places: `places("{}_3", idle=1, busy=0)` makes `idle_3` and `busy_3`."""
        return tuple(self.place(pattern.format(name), count) for name, count in tokens.items())

    def event(
        self,
        name: str,
        takes: Iterable[Arc] = (),
        gives: Iterable[Arc] = (),
        *,
        reads: Iterable[Arc] = (),
        below: Iterable[Arc] = (),
        empties: Iterable[NetPlace] = (),
    ) -> None:
        """An event: it takes tokens, then empties places, then gives tokens.

        It needs the tokens that it takes and those that it `reads`, and fewer tokens than the
        weight of each inhibitor arc in `below`.
        """
        taken, given = _added(takes), _added(gives)
        needed = _strongest(reads, max)
        pre: dict[int, int] = {}
        post = dict(given)
        emptied = sorted({p.number for p in empties})
        for p in {**taken, **needed}:
            pre[p] = max(taken.get(p, 0), needed.get(p, 0))
            if p not in emptied:
                post[p] = post.get(p, 0) + pre[p] - taken.get(p, 0)
        limits = _strongest(below, min)
        if any(w < 1 for w in limits.values()):
            raise error(f"'{name}' can never be executed: a place never has fewer than 0 tokens")
        inhibitor = _row(limits)
        self._events.append(NetEvent(name, _row(pre), _row(post), inhibitor, tuple(emptied)))

    def level(self, name: str, places: Iterable[NetPlace]) -> None:
        """A new level above the others."""
        self._levels.append(Unit(name, tuple(p.name for p in places)))

    def net(self) -> Net:
        """The net; with levels, every place must be in exactly one."""
        units = None
        if self._levels:
            self._check_levels()
            root = Unit(ROOT, units=tuple(u.name for u in self._levels))
            units = Units(ROOT, (root, *self._levels))
        return Net(self.name, tuple(self._places), tuple(self._events), units)

    def model(self, properties: Iterable[Property] = ()) -> Model:
        """The net as a model."""
        return as_model(self.net(), tuple(properties))

    def _check_levels(self) -> None:
        owner: dict[str, str] = {}
        for level in self._levels:
            for name in level.places:
                if name in owner:
                    raise error(f"the place '{name}' is in '{owner[name]}' and '{level.name}'")
                owner[name] = level.name
        for place in self._places:
            if place.name not in owner:
                raise error(f"the place '{place.name}' is in no level")


def _parts(arcs: Iterable[Arc]) -> Iterator[tuple[int, int]]:
    """The number of the place and the weight of each arc."""
    for arc in [arcs] if isinstance(arcs, NetPlace) else arcs:
        match arc:
            case NetPlace():
                yield arc.number, 1
            case (NetPlace() as place, int(weight)) if weight >= 0:
                yield place.number, weight
            case _:
                raise TypeError(
                    f"an arc is a place, or a place and a weight from 0 on, not {arc!r}"
                )


def _added(arcs: Iterable[Arc]) -> dict[int, int]:
    total: dict[int, int] = {}
    for place, weight in _parts(arcs):
        total[place] = total.get(place, 0) + weight
    return total


def _strongest(arcs: Iterable[Arc], stronger: Callable[[int, int], int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for place, weight in _parts(arcs):
        found[place] = stronger(found.get(place, weight), weight)
    return found


def _row(weights: dict[int, int]) -> Row:
    return tuple(sorted((p, w) for p, w in weights.items() if w))
