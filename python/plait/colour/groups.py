"""Groups of components and variables over the same colours, and how colours are distinguished.

A variable of an event stands on arcs of places: the component there and the variable belong to one
*group*. Whoever looks at a net joins the groups that meet, tells colours of a group apart where the
net does, or keeps all of them apart. What is left are classes of colours.

Invariant: a group is named by one of its members, which changes when groups are joined; classes are
numbered by their first colours.
"""

from __future__ import annotations

from collections.abc import Sequence

from plait.colour.net import Basic, ColouredNet


class Groups:
    """Components of places and variables of events, joined where a variable stands."""

    def __init__(self, net: ColouredNet) -> None:
        self._parents: list[int] = []
        self._basics: list[Basic] = []
        self._discrete: set[int] = set()
        self._apart: dict[int, list[frozenset[int]]] = {}
        self._first = [self._new(place.sort)[0] for place in net.places]
        self._variables: dict[tuple[int, str], int] = {}
        for number, event in enumerate(net.events):
            first, _ = self._new([basic for _, basic in event.variables])
            for i, (name, _) in enumerate(event.variables):
                self._variables[number, name] = first + i

    def _new(self, basics: Sequence[Basic]) -> tuple[int, int]:
        first = len(self._parents)
        self._basics.extend(basics)
        self._parents.extend(range(first, len(self._basics)))
        return first, len(self._parents)

    def component(self, place: int, position: int) -> int:
        """The group of a component of a place."""
        return self._root(self._first[place] + position)

    def variable(self, event: int, name: str) -> int:
        """The group of a variable."""
        return self._root(self._variables[event, name])

    def basic(self, group: int) -> Basic:
        """The colours that the group speaks of."""
        return self._basics[group]

    def _root(self, member: int) -> int:
        while self._parents[member] != member:
            self._parents[member] = member = self._parents[self._parents[member]]
        return member

    def join(self, one: int, other: int) -> None:
        """These are one group."""
        one, other = self._root(one), self._root(other)
        if one == other:
            return
        self._parents[other] = one
        self._apart.setdefault(one, []).extend(self._apart.pop(other, ()))
        if other in self._discrete:
            self._discrete.add(one)

    def keep(self, group: int) -> None:
        """No two colours of the group are alike."""
        self._discrete.add(self._root(group))

    def tell_apart(self, group: int, colours: frozenset[int]) -> None:
        """These colours are different from the others."""
        self._apart.setdefault(self._root(group), []).append(colours)

    def classes(self) -> dict[int, list[int]]:
        """For each group that is not discrete, the class of each colour."""
        found: dict[int, list[int]] = {}
        for group, parent in enumerate(self._parents):
            size = self._basics[group].size
            if group != parent or group in self._discrete or size < 2:
                continue
            apart = self._apart.get(group, [])
            numbers: dict[tuple[bool, ...], int] = {}
            signs = (tuple(c in colours for colours in apart) for c in range(size))
            class_of = [numbers.setdefault(sign, len(numbers)) for sign in signs]
            if len(numbers) < size:
                found[group] = class_of
        return found


__all__ = ["Groups"]
