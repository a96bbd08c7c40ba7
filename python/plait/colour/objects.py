"""Colours as objects: which components name things that the net treats alike.

The colours of a group (`groups`) are *objects* when no place names two of them at once, and when a
permutation of those of one class changes nothing: it takes a binding of an event to another one.
So there are no successors and no sums over all colours in the group, its variables are compared
only with each other and only for equality, and guards over one variable and constants on arcs part
the colours into classes. How the objects are marked initially does not matter.

The static subclasses of well-formed nets are these classes, of any number of components (Chiola,
Dutheillet, Franceschinis, Haddad: "Stochastic well-formed colored nets and symmetric modeling
applications", 1993).

An event looks at a few objects at a time. So whatever an event can do is seen in a net with `few`
of them: of those of one class that are marked alike initially, as many as an event has variables.

Invariant: a colour that a place of the net may hold, as `unfold` sees it, is one that the place of
the small net may hold, up to a permutation of objects that are of one class and marked alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import lgamma

from plait.colour.bindings import Condition, in_new_colours
from plait.colour.groups import Groups
from plait.colour.net import (
    Bag,
    Basic,
    Colour,
    ColouredArc,
    ColouredEvent,
    ColouredNet,
    ColouredPlace,
    Every,
    Fixed,
    Shifted,
    Term,
    size_of,
)
from plait.model.expr import And, Compare, Param, conjuncts
from plait.model.node import nodes
from plait.records import dataclass, replace

Cell = tuple[int, Colour]
"""A place, and the colour there without the object."""
Local = tuple[tuple[Cell, int], ...]
"""How an object is marked: the tokens that name it, in the order of the cells."""
Kind = tuple[int, int]
"""A group, and a class of it."""


def local(cells: Counter[Cell]) -> Local:
    """A marking of an object in its one form."""
    return tuple(sorted((cell, count) for cell, count in cells.items() if count))


class Candidates:
    """The groups of a net whose colours are objects, those first that say most.

    `least` is how many objects some class must have.
    """

    def __init__(self, net: ColouredNet, least: int = 2) -> None:
        self.net = net
        self.groups = Groups(net)
        for number, event in enumerate(net.events):
            _tell_apart(self.groups, number, event)
        found = self.groups.classes()
        if any(arc.kind == "inhibitor" for event in net.events for arc in event.arcs):
            found = {}
        found = {g: of for g, of in found.items() if max(Counter(of).values()) >= least}
        self.classes = {g: found[g] for g in found if self._is_alone(g) and self._stands(g)}
        self.best = sorted(self.classes, key=lambda g: (-_orders(self.classes[g]), g))

    def choices(self) -> Iterator[tuple[int, ...]]:
        """Sets of groups that no place has two of: as many as there can be, then each by itself."""
        together: list[int] = []
        for group in self.best:
            if not any(self._meet(group, other) for other in together):
                together.append(group)
        if len(together) > 1:
            yield tuple(together)
        for group in self.best:
            yield (group,)

    def _positions(self, place: int, group: int) -> list[int]:
        size = len(self.net.places[place].sort)
        return [i for i in range(size) if self.groups.component(place, i) == group]

    def _is_alone(self, group: int) -> bool:
        return all(len(self._positions(p, group)) <= 1 for p, _ in enumerate(self.net.places))

    def _stands(self, group: int) -> bool:
        """Whether places and events speak of it."""
        return any(self._positions(p, group) for p, _ in enumerate(self.net.places)) and any(
            self.groups.variable(number, name) == group
            for number, event in enumerate(self.net.events)
            for name, _ in event.variables
        )

    def _meet(self, one: int, other: int) -> bool:
        places = range(len(self.net.places))
        return any(self._positions(p, one) and self._positions(p, other) for p in places)

    def few(self, chosen: Sequence[int]) -> Few:
        """The net with few objects of these groups."""
        return _Small(self, chosen).few()


def _orders(class_of: Sequence[int]) -> float:
    """In how many orders the colours of the classes can come: the logarithm."""
    return sum(lgamma(count + 1) for count in Counter(class_of).values())


def _tell_apart(groups: Groups, number: int, event: ColouredEvent) -> None:
    """What an event tells apart."""
    for arc in event.arcs:
        for summand in arc.bag:
            for position, term in enumerate(summand.terms):
                group = groups.component(arc.place, position)
                if isinstance(term, Shifted):
                    groups.join(group, groups.variable(number, term.variable))
                    if term.offset:
                        groups.keep(group)
                elif isinstance(term, Fixed):
                    groups.tell_apart(group, frozenset({term.value}))
                else:
                    groups.keep(group)
    sizes = dict(event.variables)
    for condition in map(Condition, conjuncts(And(event.guard))):
        if len(condition.variables) == 1:
            (name,) = condition.variables
            colours = range(sizes[name].size)
            holds = frozenset(c for c in colours if condition.holds({name: c}))
            groups.tell_apart(groups.variable(number, name), holds)
            continue
        for node in nodes(condition.formula):
            if isinstance(node, Compare):
                _compared(groups, number, node, sizes)


def _compared(groups: Groups, number: int, node: Compare, sizes: dict[str, Basic]) -> None:
    """What a comparison in a condition over several variables tells apart."""
    names = list(dict.fromkeys(n.name for n in nodes(node) if isinstance(n, Param)))
    members = [groups.variable(number, name) for name in names]
    plain = isinstance(node.left, Param) and isinstance(node.right, Param)
    if node.op in ("==", "!=") and plain and len({sizes[name].size for name in names}) == 1:
        for member in members[1:]:
            groups.join(members[0], member)
    else:
        for member in members:
            groups.keep(member)


@dataclass(frozen=True, slots=True)
class Few:
    """A net with few objects, and all objects as they are marked initially."""

    net: ColouredNet
    at: dict[int, tuple[int, int]]
    """By place: where the object stands in its colours, and the group."""
    kind: dict[int, list[Kind]]
    """By group: what the objects of the small net are."""
    initial: Counter[tuple[Kind, Local]]
    """All objects of the whole net."""
    cells: int
    """So many places the tokens that name objects have at most when the whole net is unfolded."""


class _Small:
    """Makes the net with few objects."""

    def __init__(self, candidates: Candidates, chosen: Sequence[int]) -> None:
        self._net = candidates.net
        self._groups = candidates.groups
        self._classes = {g: candidates.classes[g] for g in chosen}
        self._at = {
            p: (i, self._groups.component(p, i))
            for p, place in enumerate(self._net.places)
            for i, _ in enumerate(place.sort)
            if self._groups.component(p, i) in self._classes
        }
        self._marked = {g: self._markings(g) for g in chosen}
        self._kept = {g: self._representatives(g) for g in chosen}
        self._new = {g: {old: i for i, old in enumerate(kept)} for g, kept in self._kept.items()}
        self._basics = {g: self._basic(g) for g in chosen}

    def few(self) -> Few:
        places = tuple(self._place(p, place) for p, place in enumerate(self._net.places))
        events = tuple(self._event(n, event) for n, event in enumerate(self._net.events))
        small = replace(self._net, places=places, events=events)
        kinds = {g: [(g, self._classes[g][c]) for c in kept] for g, kept in self._kept.items()}
        initial: Counter[tuple[Kind, Local]] = Counter()
        for g, marked in self._marked.items():
            for colour, marking in enumerate(marked):
                initial[(g, self._classes[g][colour]), marking] += 1
        cells = sum(size_of(self._net.places[p].sort) for p in self._at)
        return Few(small, self._at, kinds, initial, cells)

    def _markings(self, group: int) -> list[Local]:
        """How each object is marked initially."""
        cells: list[Counter[Cell]] = [Counter() for _ in self._classes[group]]
        for p, (position, other) in self._at.items():
            if other != group:
                continue
            for colour, count in self._net.places[p].initial.items():
                rest = colour[:position] + colour[position + 1 :]
                cells[colour[position]][p, rest] += count
        return [local(c) for c in cells]

    def _representatives(self, group: int) -> list[int]:
        """As many objects of each class and marking as an event may look at, in their order."""
        most = 1
        for number, event in enumerate(self._net.events):
            of = [self._groups.variable(number, name) for name, _ in event.variables]
            most = max(most, of.count(group))
        seen: Counter[tuple[int, Local]] = Counter()
        kept = []
        for colour, marking in enumerate(self._marked[group]):
            kind = (self._classes[group][colour], marking)
            seen[kind] += 1
            if seen[kind] <= most:
                kept.append(colour)
        return kept

    def _basic(self, group: int) -> Basic:
        old = self._groups.basic(group)
        return Basic(old.name, [old.colour(c) for c in self._kept[group]])

    def _place(self, number: int, place: ColouredPlace) -> ColouredPlace:
        if number not in self._at:
            return place
        position, group = self._at[number]
        new = self._new[group]
        sort = (*place.sort[:position], self._basics[group], *place.sort[position + 1 :])
        initial = {
            (*colour[:position], new[colour[position]], *colour[position + 1 :]): count
            for colour, count in place.initial.items()
            if colour[position] in new
        }
        return replace(place, sort=sort, initial=initial)

    def _event(self, number: int, event: ColouredEvent) -> ColouredEvent:
        variables = tuple(
            (name, self._basics.get(self._groups.variable(number, name), basic))
            for name, basic in event.variables
        )

        def kept(name: str) -> Sequence[int] | None:
            return self._kept.get(self._groups.variable(number, name))

        guard = tuple(in_new_colours(f, kept) for f in conjuncts(And(event.guard)))
        arcs = tuple(self._arc(arc) for arc in event.arcs)
        return replace(event, variables=variables, guard=guard, arcs=arcs)

    def _arc(self, arc: ColouredArc) -> ColouredArc:
        if arc.place not in self._at:
            return arc
        position, group = self._at[arc.place]

        def renamed(terms: tuple[Term, ...]) -> tuple[Term, ...]:
            term = terms[position]
            assert not isinstance(term, Every)
            if not isinstance(term, Fixed):
                return terms
            fixed = Fixed(self._new[group][term.value])
            return (*terms[:position], fixed, *terms[position + 1 :])

        summands = tuple(s._replace(terms=renamed(s.terms)) for s in arc.bag)
        return replace(arc, bag=Bag(summands, arc.bag.span))


__all__ = ["Candidates", "Cell", "Few", "Kind", "Local", "local"]
