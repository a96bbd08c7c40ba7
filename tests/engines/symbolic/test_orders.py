"""Variable orders: supports and groups read off models, and what comes back ranked."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plait
from plait import _core, passes
from plait.engines.budget import Budget
from plait.engines.symbolic.attempts import (
    FIRST_PART,
    candidates,
    mirror_image,
    named_order,
)
from plait.engines.symbolic.engine import Symbolic
from plait.engines.symbolic.orders import MERGES, Levels, Order, Orders
from plait.engines.symbolic.supports import supports
from plait.engines.symbolic.tuning import Tuning
from plait.errors import InputError, ModelError
from plait.lang.gal import parse
from plait.lang.pnml import parse as parse_pnml
from plait.lang.pnml import print_model as print_pnml
from plait.model.types import Model
from plait.models import kanban, round_robin
from plait.testing.choices import Seeded
from plait.testing.random_models import model as random_model

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def flat(text: str) -> Model:
    return passes.flat(parse(text, "test")).model


def cells(levels: Levels) -> list[int]:
    return sorted(cell for level in levels for cell in level)


def shuffled_path(n: int) -> Model:
    """Cells in a path whose neighbours are declared far apart."""
    at = [(7 * i) % n for i in range(n)]
    variables = " ".join(f"int x{i} = 1;" for i in range(n))
    events = " ".join(
        f"transition t{i} [x{at[i]} > 0] {{ x{at[i]} -= 1; x{at[i + 1]} += 1; }}"
        for i in range(n - 1)
    )
    return flat(f"gal path {{ {variables} {events} }}")


def test_the_spans_of_a_path_are_reported_before_and_after() -> None:
    """covers: S11, S119"""
    orders = Orders(shuffled_path(30))
    declared = orders.spans(orders.levels("none"))
    best = orders.ranked("none")[0]
    after = orders.spans(best.levels)
    assert declared.total > 200
    assert after.total == 29
    assert all(pair is not None and pair[1] - pair[0] == 1 for pair in after.events)
    assert best.costs["spans"] == 29


def test_a_net_tells_tests_and_constant_changes() -> None:
    net = flat("gal g { int a = 1; int b = 0; int c = 0;"
               " transition t [a > 0 && c < 2] { a -= 1; b += 1; } transition u { c = 0; }"
               " transition v [b > 0] { c += 1; } }")  # fmt: skip
    (t, u, v) = supports(net)
    assert (sorted(t[0]), sorted(t[1])) == ([0, 2], [(0, -1), (1, 1)])
    assert list(u[1]) == [(2, None)]
    assert (list(v[0]), list(v[1])) == ([1], [(2, 1)])


def test_supports_follow_calls_and_arrays() -> None:
    model = flat("gal g { int x = 0; int y = 0; array [3] a = (0, 0, 0);"
                 " transition t [x < 5] { self.\"l\"; x = x + 1; }"
                 " transition one [y < 3] label \"l\" { y = y + 1; }"
                 " transition two [a[x] < 3] label \"l\" { a[1] = y; } }")  # fmt: skip
    (t,) = supports(model)
    assert sorted(t[0]) == [0, 1, 2, 3, 4]
    assert sorted(t[1]) == [(0, None), (1, None), (3, None)]


def test_a_stored_constant_is_a_change_where_the_guard_fixes_the_value() -> None:
    model = flat("gal g { int pc = 0; int x = 0;"
                 " transition a [pc == 0 && x != 7] { pc = 2; x = x * 2 + 1; }"
                 " transition b [pc == 2] { pc = 1; }"
                 " transition c { pc = 0; x = x - 2; } }")  # fmt: skip
    a, b, c = supports(model)
    assert list(a[1]) == [(0, 2), (1, None)]
    assert list(b[1]) == [(0, -1)]
    assert list(c[1]) == [(0, None), (1, -2)]


def test_a_state_machine_shares_a_level() -> None:
    text = "gal g { int a = 1; int b = 0; int c = 0; int n = 0;" + "".join(
        f" transition {x}{y} [{x} > 0] {{ {x} -= 1; {y} += 1; n += 1; }}"
        for x, y in ("ab", "bc", "ca")
    )
    orders = Orders(flat(text + " transition r { n = 0; } }"))
    assert orders.levels("machines") == ((0, 1, 2), (3,))
    assert orders.levels("none") == ((0,), (1,), (2,), (3,))
    assert cells(orders.ranked("machines")[0].levels) == [0, 1, 2, 3]


def test_groups_come_from_units_and_share_levels(data: Path) -> None:
    system = plait.load(data / "mcc" / "Philosophers-PT-000005" / "model.pnml")
    orders = Orders(passes.flat(system.model).model)
    units = orders.levels("units")
    assert max(len(level) for level in units) > 1
    assert cells(units) == list(range(25))
    names = {order.name for order in orders.ranked("none")}
    assert any(name.startswith("groups") for name in names)


def test_groups_come_from_instances() -> None:
    system = plait.load(EXAMPLES / "philosophers.gal")
    ranked = Orders(passes.flat(system.model).model).ranked("none")
    assert any(order.name.startswith("groups") for order in ranked)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_every_order_of_any_model_is_a_permutation_and_comes_again(seed: int) -> None:
    try:
        model = passes.flat(random_model(Seeded(seed))).model
    except ModelError:
        return  # a model that cannot start
    for merge in MERGES:
        orders, again = Orders(model), Orders(model)
        ranked = orders.ranked(merge)
        width = len(cells(orders.levels("none")))
        assert all(cells(o.levels) == list(range(width)) for o in ranked)
        assert ranked == again.ranked(merge)
        scores = [o.costs["score"] for o in ranked]
        assert scores == sorted(scores)


def test_nonsense_is_a_value_error() -> None:
    structure = _core.Structure(2, [([0], [(1, None)])])
    for wrong in (
        lambda: _core.Structure(1, [([1], [])]),
        lambda: _core.Structure(2, [], ([0], [None, None])),
        lambda: _core.Structure(2, [], ([None], [0])),
        lambda: structure.orders([[0]]),
        lambda: structure.orders([[0], [0, 1]]),
        lambda: structure.spans([[0, 1, 2]]),
    ):
        with pytest.raises(ValueError, match=r"cell|group"):
            wrong()


def test_initial_values_may_be_missing_or_too_few() -> None:
    structure = _core.Structure(3, [([], [(0, -1), (1, 1)])])
    assert structure.machines([]) == []
    assert structure.orders(None, [1])
    assert _core.Structure(0, []).orders()[0][:2] == ("declared", [])


def test_without_a_partition_the_levels_are_those_of_the_best_order_and_are_told() -> None:
    """No partition is needed: which order was taken, and how many levels it has, is reported.

    covers: S25
    """
    model = kanban(2)
    space = Symbolic(model).states(Budget())
    orders = Orders(passes.flat(model).model)
    known = {(o.name, len(o.levels)) for merge in MERGES for o in orders.ranked(merge)}
    assert space.complete
    assert (space.stats["order"], space.stats["levels"]) in known


def test_an_order_has_the_names_of_all_heuristics_that_made_it() -> None:
    """FORCE finds the declared order of a straight path; asked for by name, it is there."""
    places = " ".join(f"int x{i} = 1;" for i in range(6))
    events = " ".join(
        f"transition t{i} [x{i} > 0] {{ x{i} -= 1; x{i + 1} += 1; }}" for i in range(5)
    )
    model = parse(f"gal path {{ {places} {events} }}", "test")
    orders = Orders(passes.flat(model).model)
    named = {name: named_order(orders, name, "none") for name in ("declared", "force", "sloan")}
    assert [order.name for order in named.values()] == list(named)
    assert named["force"].levels == named["declared"].levels
    space = Symbolic(model, tuning=Tuning(order="force", merge="none")).states(Budget())
    catalan = 132  # tokens only move on: paths that stay on one side
    assert (space.states, space.stats["order"]) == (catalan, "force")
    with pytest.raises(InputError, match="no variable order named 'strength'") as failure:
        named_order(orders, "strength", "none")
    assert "force down" in str(failure.value.diagnostics[0].hint)


def test_an_order_whose_rank_is_unknown_counts_as_the_worst() -> None:
    """Of so large a round robin a quick ranking finds only the ranks of orders with small spans."""
    model = parse_pnml(print_pnml(round_robin(40)).encode(), "net.pnml")
    ranked = Orders(passes.flat(model).model).ranked("none", quick=True)
    known = [o for o in ranked if "peak_rank" in o.costs]
    unknown = [o for o in ranked if "peak_rank" not in o.costs]
    assert known
    assert unknown
    assert ranked[0] in known
    assert ranked[0].costs["spans"] < min(o.costs["spans"] for o in unknown)
    worst = max(o.costs["peak_rank"] for o in known)
    for order in unknown:
        expected = math.log2(1 + order.costs["spans"]) + 0.1 * worst
        assert order.costs["score"] == pytest.approx(expected)


def test_an_order_and_its_mirror_image_have_the_same_rank() -> None:
    ranked = Orders(passes.flat(kanban(3)).model).ranked()
    by_levels = {order.levels: order.costs["peak_rank"] for order in ranked}
    assert all(by_levels[levels[::-1]] == rank for levels, rank in by_levels.items())


def test_the_mirror_image_of_the_first_order_is_tried_next() -> None:
    orders = Orders(shuffled_path(12))
    first, second, *others = candidates(orders, "auto", Budget())
    assert second.levels == first.levels[::-1] != first.levels
    assert first.levels not in {order.levels for order in others}
    assert second.levels not in {order.levels for order in others}
    names = {n: o.levels for o in orders.ranked("auto", quick=True) for n in (o.name, *o.also)}
    assert names[first.name] == first.levels
    assert names[second.name] == second.levels
    assert mirror_image(second).name == first.name


def test_without_time_the_declared_order_is_ranked_alone() -> None:
    orders = Orders(shuffled_path(12))
    assert {o.name for o in orders.ranked(timeout=0)} == {"declared", "declared down"}
    assert len(orders.ranked(timeout=600)) == len(orders.ranked()) > 2
    (first,) = orders.ranked("none", 1, quick=True, timeout=0)
    assert cells(first.levels) == list(range(12))


def test_ranking_has_a_part_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []
    ranked = Orders.ranked

    def watched(self: Orders, *args: Any, **options: Any) -> list[Order]:
        given.append(options["timeout"])
        return ranked(self, *args, **options)

    monkeypatch.setattr(Orders, "ranked", watched)
    orders = Orders(shuffled_path(12))
    list(candidates(orders, "auto", Budget(100.0)))
    assert all(t is not None and 0 < t <= 100 / FIRST_PART for t in given)
    given.clear()
    list(candidates(orders, "auto", Budget()))
    assert set(given) == {None}


def test_an_order_of_one_level_is_its_own_mirror_image_and_tried_once() -> None:
    model = flat("gal one { int a = 0; transition up [a < 3] { a += 1; } }")
    tried = list(candidates(Orders(model), "auto", Budget()))
    assert len({order.levels for order in tried}) == len(tried)
