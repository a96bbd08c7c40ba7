"""Smaller nets and the nets they stand for are bisimilar, as far as what is kept says: the
reductions of place/transition nets, and the quotients of coloured ones. No formula is chosen here:
states that no formula of the logic tells apart are what is compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from bisimulation import Graph, Kind, bisimilar

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
from plait.colour.quotient import quotient
from plait.model.expr import Compare, Const, Formula, Param
from plait.model.net import Net, NetEvent, Place, Row
from plait.structure.reductions import reduce

MOST = 120
"""The most states of a net that is looked at, and ... """
TOKENS = 40
"""... tokens of a place."""


def graph_of(net: Net, observed: list[int]) -> Graph | None:
    """The markings of a net, as far as these places tell; None when they are too many."""
    numbers = {net.initial: 0}
    waiting, after = [net.initial], []
    for marking in waiting:
        row = set()
        for event in net.events:
            if event.enabled(marking):
                found = event.fire(marking)
                if found not in numbers:
                    if len(numbers) >= 4 * MOST or max(found) > TOKENS:
                        return None
                    numbers[found] = len(numbers)
                    waiting.append(found)
                row.add(numbers[found])
        after.append(frozenset(row))
    return Graph([tuple(m[p] for p in observed) for m in waiting], after)


def weighted_net(random: Random) -> Net:
    """A net with weights, tests, sources and sinks; chains of events are common."""
    count, weights = random.randint(2, 7), random.choice([[1], [1, 1, 1, 2, 3]])
    single = random.random() < 0.5  # one place before and one behind: runs that part and meet

    def row(least: int) -> Row:
        size = 1 if single else random.choice([least, 1, 1, 2])
        places = [random.randrange(count) for _ in range(size)]
        return tuple(sorted({p: random.choice(weights) for p in places}.items()))

    events = []
    for number in range(random.randint(1, 7)):
        pre, post = dict(row(int(random.random() < 0.8))), dict(row(0))
        if random.random() < 0.2 and not single:
            place = random.randrange(count)
            for arcs in (pre, post):
                arcs[place] = arcs.get(place, 0) + 1
        events.append(NetEvent(f"t{number}", *(tuple(sorted(a.items())) for a in (pre, post))))
    places = tuple(Place(f"p{i}", random.choice([0, 0, 0, 1, 1, 2, 3])) for i in range(count))
    return Net("weighted", places, tuple(events))


@pytest.mark.parametrize("keeps", ["steps", "paths", "moves"])
def test_reduced_nets_are_bisimilar_to_what_they_were(keeps: Kind) -> None:
    random, compared = Random(17), 0
    while compared < 150:
        net = weighted_net(random)
        observed = random.sample(range(len(net.places)), random.choice([0, 1, 1, 2]))
        whole = graph_of(net, observed)
        if whole is None or not 3 <= len(whole.labels) <= MOST:
            continue
        reduced = reduce(net, observed, keeps=keeps)
        small = graph_of(reduced.net, [reduced.places.index(p) for p in observed])
        assert small is not None, (net, observed)
        assert bisimilar(whole, small, keeps), (net, observed)
        compared += len(reduced.net.events) < len(net.events)


@pytest.mark.parametrize("keeps", ["paths", "moves"])
def test_a_choice_is_made_after_the_step_that_is_seen(keeps: Kind) -> None:
    """a -> p + seen, then p -> b or p -> c: together they would be a choice of two first steps."""
    arcs: list[tuple[Row, Row]] = [
        (((0, 1),), ((1, 1), (2, 1))),
        *((((1, 1),), ((p, 1),)) for p in (3, 4)),
        *((((p, 1),), ((p + 2, 1),)) for p in (3, 4)),
    ]
    events = tuple(NetEvent(f"t{i}", *rows) for i, rows in enumerate(arcs))
    net = Net("choice", tuple(Place(n, int(n == "a")) for n in "apsbcxy"), events)
    observed = [2, 5, 6]
    reduced = reduce(net, observed, keeps=keeps)
    whole = graph_of(net, observed)
    small = graph_of(reduced.net, [reduced.places.index(p) for p in observed])
    assert whole is not None
    assert small is not None
    assert bisimilar(whole, small, keeps)


# --- colours --------------------------------------------------------------------------------------

Marking = tuple[frozenset[tuple[Colour, int]], ...]
Moves = list[tuple[int, str, dict[Colour, int]]]


def coloured_net(random: Random) -> ColouredNet:
    """A small net in which colours are taken, put, compared, shifted and named."""
    basics = [Basic("A", ("a", "b", "c")), Basic("B", ("x", "y"))]
    places = []
    for number in range(random.randint(1, 3)):
        sort = tuple(random.choice(basics) for _ in range(random.choice([0, 1, 1, 1, 2])))
        colours = (tuple(random.randrange(b.size) for b in sort) for _ in range(3))
        initial = Counter(c for c in colours if random.random() < 0.6)
        places.append(ColouredPlace(f"p{number}", sort, initial))
    events = tuple(_coloured_event(random, n, places, basics) for n in range(random.randint(1, 3)))
    return ColouredNet("coloured", tuple(places), events)


def _coloured_event(
    random: Random, number: int, places: list[ColouredPlace], basics: list[Basic]
) -> ColouredEvent:
    variables = tuple((f"v{i}", random.choice(basics)) for i in range(random.randint(0, 3)))

    def term(basic: Basic, kind: str) -> Term:
        own = [name for name, sort in variables if sort is basic]
        if own and random.random() < 0.75:
            return Shifted(random.choice(own), random.choice([0, 0, 0, 1]))
        every = random.random() < (0.5 if kind == "out" else 0.1)
        return Every(basic.size) if every else Fixed(random.randrange(basic.size))

    def bag(place: int, kind: str) -> Bag:
        count = random.choice([1, 1, 1, 2])
        sort = places[place].sort
        times = random.choice([1, 1, 1, 2])
        return Bag(tuple(Summand(times, tuple(term(b, kind) for b in sort)) for _ in range(count)))

    arcs = []
    for kind in random.choice([("in",), ("in", "out"), ("in", "in", "out"), ("in", "inhibitor")]):
        place = random.randrange(len(places))
        arcs.append(ColouredArc(place, kind, bag(place, kind)))  # type: ignore[arg-type]
    guard: list[Formula] = []
    for name, sort in variables:
        if random.random() < 0.3:
            other = [Param(n) for n, s in variables if s is sort]
            value = random.choice([Const(random.randrange(sort.size)), random.choice(other)])
            guard.append(Compare(random.choice(["==", "!=", "<", ">="]), Param(name), value))
    return ColouredEvent(f"t{number}", variables, tuple(guard), tuple(arcs))


def bindings(net: ColouredNet, event: ColouredEvent) -> Iterator[Moves]:
    """What an event does in each of its bindings, by definition."""
    names = [name for name, _ in event.variables]
    for values in product(*(range(sort.size) for _, sort in event.variables)):
        bound = dict(zip(names, values, strict=True))
        if all(Condition(f).holds(bound) for f in event.guard):
            yield [
                (a.place, a.kind, a.bag.colours(bound, net.places[a.place].sort))
                for a in event.arcs
            ]


def after(marking: Marking, moves: Moves) -> Marking | None:
    """The marking after a binding; None where it is not enabled."""
    left = [Counter(dict(place)) for place in marking]
    for place, kind, bag in moves:
        if kind == "in":
            left[place].subtract(bag)
        elif kind == "inhibitor" and any(
            dict(marking[place]).get(c, 0) >= n for c, n in bag.items()
        ):
            return None
    if any(n < 0 for place in left for n in place.values()):
        return None
    for place, kind, bag in moves:
        if kind == "out":
            left[place].update(bag)
    return tuple(frozenset((c, n) for c, n in place.items() if n) for place in left)


def coloured_graph(net: ColouredNet) -> Graph | None:
    """The markings, as far as the tokens of places and enabled transitions tell."""
    moves = [list(bindings(net, event)) for event in net.events]
    first = tuple(frozenset(p.initial.items()) for p in net.places)
    numbers, waiting = {first: 0}, [first]
    labels, rows = [], []
    for marking in waiting:
        found = [[m for b in of if (m := after(marking, b)) is not None] for of in moves]
        for reached in (m for of in found for m in of):
            if reached not in numbers:
                if len(numbers) >= MOST or sum(n for p in reached for _, n in p) > 10:
                    return None
                numbers[reached] = len(numbers)
                waiting.append(reached)
        tokens = tuple(sum(n for _, n in place) for place in marking)
        labels.append((tokens, tuple(map(bool, found))))
        rows.append(frozenset(numbers[m] for of in found for m in of))
    return Graph(labels, rows)


def test_quotients_of_coloured_nets_are_bisimilar_to_them() -> None:
    random, compared, smaller = Random(5), 0, 0
    while compared < 120:
        net = coloured_net(random)
        found = quotient(net)
        whole = None if found is net else coloured_graph(net)
        if whole is None or len(whole.labels) < 4:
            continue
        small = coloured_graph(found)
        assert small is not None, net
        assert bisimilar(whole, small, "steps"), net
        compared += 1
        smaller += len(small.labels) < len(whole.labels)
    assert smaller > 15
