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
from itertools import product

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
    Summand,
    Term,
)
from plait.model.arithmetic import INT_MAX
from plait.model.expr import And, conjuncts
from plait.records import replace


def quotient(net: ColouredNet) -> ColouredNet:
    """The net with one colour for each class; the net itself when no two colours are alike."""
    groups = Groups(net)
    for number, event in enumerate(net.events):
        _tell_apart(net, groups, number, event)
    classes = groups.classes()
    if not classes:
        return net
    return _Quotient(net, groups, classes).net()


def _tell_apart(net: ColouredNet, groups: Groups, number: int, event: ColouredEvent) -> None:
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
    for condition in map(Condition, conjuncts(And(event.guard))):
        if len(condition.variables) == 1:
            (name,) = condition.variables
            colours = range(sizes[name].size)
            holds = frozenset(c for c in colours if condition.holds({name: c}))
            groups.tell_apart(groups.variable(number, name), holds)
        else:
            for name in condition.variables:
                groups.keep(groups.variable(number, name))


class _Quotient:
    """Makes the net of the classes."""

    def __init__(self, net: ColouredNet, groups: Groups, classes: dict[int, list[int]]) -> None:
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
            names = [old.colour(c) for c in _firsts(self._classes[group])]
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

        def firsts(name: str) -> Sequence[int] | None:
            class_of = self._classes.get(self._groups.variable(number, name))
            return None if class_of is None else _firsts(class_of)

        guard = tuple(in_new_colours(f, firsts) for f in conjuncts(And(event.guard)))
        arcs = tuple(self._arc(arc) for arc in event.arcs)
        return replace(event, variables=variables, guard=guard, arcs=arcs)

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


def _firsts(class_of: Sequence[int]) -> list[int]:
    """The first colour of each class; classes are numbered as they are met."""
    found: dict[int, int] = {}
    for colour, number in enumerate(class_of):
        found.setdefault(number, colour)
    return [found[number] for number in range(len(found))]


__all__ = ["quotient"]
