"""Marked graphs: which nets are some, and how many markings they have with many tokens."""

import tarfile
from math import comb
from pathlib import Path
from random import Random

import pytest

from plait.engines import states
from plait.engines.budget import Budget
from plait.engines.prepared import Prepared, prepare
from plait.engines.symbolic.scaled import scaled_graph, scaled_space
from plait.engines.symbolic.tuning import Tuning
from plait.errors import LimitReached
from plait.lang import load
from plait.model.net import Net, NetEvent, Place, as_model
from plait.model.rewritten import Rewritten
from plait.program import compile_model
from plait.report.answer import StateSpace
from plait.structure.marked_graph import interpolated, marked_graph


def net_of(marking: list[int], arcs: list[tuple[list[int], list[int]]]) -> Net:
    places = tuple(Place(f"p{i}", n) for i, n in enumerate(marking))
    events = (
        NetEvent(f"t{i}", *(tuple((p, 1) for p in sorted(row)) for row in rows))
        for i, rows in enumerate(arcs)
    )
    return Net("graph", places, tuple(events))


def path(tokens: int, events: int) -> Net:
    return net_of([tokens] + [0] * events, [([i], [i + 1]) for i in range(events)])


def random_graph(random: Random, times: int) -> Net:
    """Places between events, from nowhere and to nowhere; it need not be bounded."""
    events = random.randint(1, 4)
    arcs: list[tuple[list[int], list[int]]] = [([], []) for _ in range(events)]
    marking = []
    for place in range(random.randint(1, 6)):
        filled, emptied = random.choice([-1, *range(events)]), random.choice([-1, *range(events)])
        if filled == emptied:
            continue
        number = len(marking)
        marking.append(times * random.choice([0, 1, 1, 2] if place else [1]))
        if filled >= 0:
            arcs[filled][1].append(number)
        if emptied >= 0:
            arcs[emptied][0].append(number)
    return net_of(marking or [times], arcs)


def scaled(net: Net) -> StateSpace:
    model = as_model(net)
    graph = marked_graph(net)
    assert graph is not None
    prepared = Prepared(model, Rewritten(model, net=net), compile_model(model))
    space = scaled_space(prepared, graph, Tuning(), Budget(), None)
    assert space is not None
    return space


def figures(space: StateSpace) -> tuple[object, ...]:
    assert space.complete
    return space.states, space.arcs, space.deadlocks, space.max_value, space.max_sum


def test_figures_of_random_graphs_are_those_of_the_states_one_by_one() -> None:
    """With fewer tokens than the polynomial would need, and with more."""
    random, compared, circuits, dead = Random(5), 0, 0, 0
    while compared < 25:
        net = random_graph(random, random.randint(2, 6))
        graph = marked_graph(net)
        if graph is None:
            continue
        one_by_one = states(as_model(net), engine="explicit", budget=Budget(states=20_000))
        assert one_by_one.complete or one_by_one.reason == "states", net
        if not one_by_one.complete or one_by_one.states < 3:
            continue
        compared += 1
        circuits += graph.dimension < len(net.events)
        dead += one_by_one.deadlocks > 0
        assert figures(scaled(net)) == figures(one_by_one), net
    assert circuits > 3
    assert dead > 3


def test_the_markings_of_a_path_are_known_for_a_million_tokens() -> None:
    space = scaled(path(10**6, 5))
    assert space.states == comb(10**6 + 5, 5)
    assert space.arcs == 5 * comb(10**6 + 4, 5)
    assert (space.deadlocks, space.max_value, space.max_sum) == (1, 10**6, 10**6)
    assert space.stats == {"tokens_scaled_by": 10**6, "polynomial_degree": 5}


def test_a_ring_with_tokens_on_two_places_has_one_dimension_less() -> None:
    ring = net_of([40, 0, 80], [([0], [1]), ([1], [2]), ([2], [0])])
    graph = marked_graph(ring)
    assert graph is not None
    assert (graph.times, graph.dimension) == (40, 2)
    assert scaled(ring).states == comb(122, 2)


@pytest.mark.parametrize(
    ("marking", "arcs"),
    [
        pytest.param([4, 0, 0], [([0], [1]), ([0], [2])], id="two events empty a place"),
        pytest.param([4, 4, 0], [([0], [2]), ([1], [2])], id="two events fill a place"),
        pytest.param([4, 0, 0], [([0, 2], [1]), ([1], [2])], id="a circuit without a token"),
        pytest.param([4, 0], [([0], []), ([], [1])], id="an event from nothing"),
        pytest.param([4, 4, 0], [([0], [1]), ([1], [0, 2])], id="a circuit fills a place"),
        pytest.param([4, 0], [([0], [0, 1])], id="an event that gives back what it takes"),
        pytest.param([0, 0], [([0], [1])], id="no token"),
    ],
)
def test_a_net_that_is_no_bounded_marked_graph_is_refused(
    marking: list[int], arcs: list[tuple[list[int], list[int]]]
) -> None:
    assert marked_graph(net_of(marking, arcs)) is None


def test_weights_are_refused() -> None:
    places = (Place("p", 4), Place("q", 0))
    assert marked_graph(Net("n", places, (NetEvent("t", ((0, 2),), ((1, 1),)),))) is None


def test_few_tokens_are_not_worth_it() -> None:
    assert scaled_graph(prepare(as_model(path(12, 5)))) is None
    assert scaled_graph(prepare(as_model(path(13, 5)))) is not None


def test_time_that_is_over_leaves_other_ways() -> None:
    net = path(1000, 5)
    prepared, graph = prepare(as_model(net)), marked_graph(net)
    assert graph is not None
    assert scaled_space(prepared, graph, Tuning(), Budget(timeout=0), None) is None


def test_more_tokens_than_a_variable_holds_are_not_counted_so() -> None:
    doubled = net_of([2**30, 2**30, 0], [([0], [2]), ([1], [])])
    assert scaled(doubled).max_value == 2**30
    ring = net_of([2**30, 2**30], [([0], [1]), ([1], [0])])
    prepared, graph = prepare(as_model(ring)), marked_graph(ring)
    assert graph is not None
    assert scaled_space(prepared, graph, Tuning(), Budget(), None) is None


def test_an_interrupt_is_no_lack_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: Budget) -> None:
        raise LimitReached("interrupted")

    net = path(1000, 5)
    prepared, graph = prepare(as_model(net)), marked_graph(net)
    assert graph is not None
    monkeypatch.setattr(Budget, "check", stop)
    with pytest.raises(LimitReached, match="interrupted"):
        scaled_space(prepared, graph, Tuning(), Budget(), None)


def test_a_polynomial_is_known_by_its_values() -> None:
    values = [k**3 - 7 * k + 2 for k in range(1, 6)]
    assert [interpolated(values, k) for k in (-2, 0, 3, 1000)] == [8, 2, 8, 1000**3 - 6998]


@pytest.mark.soak
def test_a_house_with_a_thousand_tokens_has_the_published_number(
    data: Path, tmp_path: Path
) -> None:
    name = "HouseConstruction-PT-01000"
    with tarfile.open(data / "mcc-extra" / f"{name}.tgz") as archive:
        archive.extractall(tmp_path, filter="data")
    space = states(load(tmp_path / name / "model.pnml"), engine="symbolic")
    assert space.states == 630351827486536208531583539138298620361951
