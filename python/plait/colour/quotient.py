"""The quotient of a coloured net: colours that behave alike become one.

Colours are told apart only by guards, by constants on arcs, by successors, and by variables that
must agree. Where none of these tells the colours of a component apart, a token's colour there is
free: whichever token an event finds it can bind. So the colours of each component are partitioned,
and the quotient has one colour for each class. The map from tokens to their classes is a functional
bisimulation: a step of the net is one of the quotient, and for a step of the quotient every marking
that is mapped there has a binding that makes it, since each merged variable is bound by one token.
The tokens of a place, together, and whether a transition has a binding stay what they are, so that
whatever is asked of these (CTL*, bounds, deadlocks) has the same answer. Only states are fewer.

The components that share a variable have one partition, a *group*. It stays discrete when a
variable of the group is compared with another, is shifted, stands in more than one input, or on one
that takes several tokens of a colour; when an input takes every colour; and where there are
inhibitors or tokens are subtracted. Otherwise it is as coarse as guards over one variable and
constants on input arcs allow. (Compare the colour quotienting of Bilgram, Jensen, Pedersen, Srba,
Taankvist: "Methods for Efficient Unfolding of Colored Petri Nets", 2022, which keeps colours in
step by an equivalence of all tokens; and the static subclasses of well-formed nets.)

Invariant: a class is never empty, and classes are numbered by their first colours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from plait.colour.bindings import Condition
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
    Summand,
    Term,
)
from plait.model.arithmetic import INT_MAX
from plait.model.expr import And, Compare, Const, Formula, Or, Param


def quotient(net: ColouredNet) -> ColouredNet:
    """The net with one colour for each class; the net itself when no two colours are alike."""
    groups = _Groups(net)
    for number, event in enumerate(net.events):
        _tell_apart(net, groups, number, event)
    classes = groups.classes()
    if not classes:
        return net
    return _Quotient(net, groups, classes).net()


class _Groups:
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


def _tell_apart(net: ColouredNet, groups: _Groups, number: int, event: ColouredEvent) -> None:
    """What an event tells apart."""
    taken: Counter[str] = Counter()
    for arc in event.arcs:
        exact = arc.kind == "inhibitor" or any(s.times < 0 for s in arc.bag)
        for summand in arc.bag:
            several = summand.times != 1 or any(isinstance(t, Every) for t in summand.terms)
            for position, term in enumerate(summand.terms):
                group = groups.component(arc.place, position)
                if exact:
                    groups.keep(group)
                if isinstance(term, Shifted):
                    groups.join(group, groups.variable(number, term.variable))
                    if term.offset or (arc.kind == "in" and several):
                        groups.keep(group)
                    taken[term.variable] += arc.kind == "in"
                elif arc.kind == "in" and isinstance(term, Fixed):
                    groups.tell_apart(group, frozenset({term.value}))
                elif arc.kind == "in" and isinstance(term, Every):
                    groups.keep(group)
    for variable, times in taken.items():
        if times > 1:
            groups.keep(groups.variable(number, variable))
    sizes = dict(event.variables)
    for condition in map(Condition, _conjuncts(event.guard)):
        if len(condition.variables) == 1:
            (name,) = condition.variables
            colours = range(sizes[name].size)
            holds = frozenset(c for c in colours if condition.holds({name: c}))
            groups.tell_apart(groups.variable(number, name), holds)
        else:
            for name in condition.variables:
                groups.keep(groups.variable(number, name))


def _conjuncts(guard: Sequence[Formula]) -> Iterator[Formula]:
    """The parts of a guard that must all hold."""
    stack = list(reversed(guard))
    while stack:
        formula = stack.pop()
        if isinstance(formula, And):
            stack.extend(reversed(formula.operands))
        else:
            yield formula


class _Quotient:
    """Makes the net of the classes."""

    def __init__(self, net: ColouredNet, groups: _Groups, classes: dict[int, list[int]]) -> None:
        self._net = net
        self._groups = groups
        self._classes = classes
        self._basics: dict[int, Basic] = {}

    def net(self) -> ColouredNet:
        """The quotient; the net itself where tokens of a class would be too many for a number."""
        places = tuple(self._place(p, place) for p, place in enumerate(self._net.places))
        if any(n > INT_MAX for place in places for n in place.initial.values()):
            return self._net
        events = tuple(self._event(n, event) for n, event in enumerate(self._net.events))
        return replace(self._net, places=places, events=events)

    def _basic(self, group: int, old: Basic) -> Basic:
        if group not in self._classes:
            return old
        if group not in self._basics:
            class_of = self._classes[group]
            names = [old.colour(class_of.index(c)) for c in range(max(class_of) + 1)]
            self._basics[group] = Basic(old.name, names)
        return self._basics[group]

    def _place(self, number: int, place: ColouredPlace) -> ColouredPlace:
        groups = [self._groups.component(number, i) for i, _ in enumerate(place.sort)]
        initial: Counter[Colour] = Counter()
        for colour, count in place.initial.items():
            initial[tuple(self._class(g, c) for g, c in zip(groups, colour, strict=True))] += count
        sort = tuple(self._basic(g, b) for g, b in zip(groups, place.sort, strict=True))
        return replace(place, sort=sort, initial=initial)

    def _class(self, group: int, colour: int) -> int:
        class_of = self._classes.get(group)
        return colour if class_of is None else class_of[colour]

    def _event(self, number: int, event: ColouredEvent) -> ColouredEvent:
        variables = tuple(
            (name, self._basic(self._groups.variable(number, name), basic))
            for name, basic in event.variables
        )
        guard = tuple(self._condition(number, f) for f in _conjuncts(event.guard))
        arcs = tuple(self._arc(arc) for arc in event.arcs)
        return replace(event, variables=variables, guard=guard, arcs=arcs)

    def _condition(self, number: int, formula: Formula) -> Formula:
        """A conjunct of a guard, in terms of classes."""
        condition = Condition(formula)
        if len(condition.variables) != 1:
            return formula
        (name,) = condition.variables
        class_of = self._classes.get(self._groups.variable(number, name))
        if class_of is None:
            return formula
        first = (class_of.index(c) for c in range(max(class_of) + 1))
        allowed = [c for c, colour in enumerate(first) if condition.holds({name: colour})]
        return Or(tuple(Compare("==", Param(name), Const(c)) for c in allowed))

    def _arc(self, arc: ColouredArc) -> ColouredArc:
        summands = [s for summand in arc.bag for s in self._summands(arc.place, summand)]
        return replace(arc, bag=Bag(tuple(summands), arc.bag.span))

    def _summands(self, place: int, summand: Summand) -> Iterator[Summand]:
        """The same tokens by their classes: every colour of a class is so many of the class."""
        choices: list[list[tuple[int, Term]]] = []
        for position, term in enumerate(summand.terms):
            class_of = self._classes.get(self._groups.component(place, position))
            if class_of is None or isinstance(term, Shifted):
                choices.append([(1, term)])
            elif isinstance(term, Fixed):
                choices.append([(1, Fixed(class_of[term.value]))])
            else:
                counts = sorted(Counter(class_of).items())
                choices.append([(count, Fixed(c)) for c, count in counts])
        for choice in product(*choices):
            times = summand.times
            for count, _ in choice:
                times *= count
            yield Summand(times, tuple(term for _, term in choice))


__all__ = ["quotient"]
