"""Atomic blocks written out, and what the start of a process makes known of it."""

from __future__ import annotations

import random

from rewriting import assert_same, events, gal

from plait.model.expr import Compare, Const, Or, Var
from plait.model.stmt import Settle
from plait.model.types import Event
from plait.passes import LOWERING, fold_latches, lower_transient, run, settle_by_place
from plait.passes.places import EventsByValue, Guards, allows
from plait.passes.rewritten import flat_type
from plait.passes.walk import statements
from plait.testing.choices import Seeded
from plait.testing.random_blocks import blocks

UP_TO_BLOCKS = LOWERING[: LOWERING.index(settle_by_place) + 1]
UP_TO_LATCHES = LOWERING[: LOWERING.index(fold_latches) + 1]


def test_blocks_written_out_keep_the_graph_of_random_systems() -> None:
    found = [assert_same(blocks(Seeded(s)), UP_TO_BLOCKS, verdicts=False) for s in range(150)]
    assert sum(not isinstance(f, str) for f in found) >= 100


def test_folded_latches_keep_the_graph_of_random_systems() -> None:
    seeds = range(1000, 1150)
    found = [assert_same(blocks(Seeded(s)), UP_TO_LATCHES, verdicts=False) for s in seeds]
    assert sum(not isinstance(f, str) for f in found) >= 100


def test_both_change_most_random_systems() -> None:
    """Otherwise the two tests above show nothing."""
    settled = latched = 0
    for seed in range(60):
        before = run(blocks(Seeded(seed)), [lower_transient])
        after = run(before.model, [settle_by_place])
        settled += after.model != before.model
        latched += run(after.model, [fold_latches]).model != after.model
    assert settled >= 50
    assert latched >= 8


def test_a_block_is_one_straight_line() -> None:
    model = gal(
        """gal block { int pc = 1; int who = 0; int x = 0;
        transition begin [pc == 1 && who == 0] { pc = 2; who = 1; }
        transition middle [pc == 2 && (who == 0 || who == 1)] { x = x + 1; pc = 3; who = 1; }
        transition end [pc == 3 && (who == 0 || who == 1)] { pc = 1; who = 0; }
        TRANSIENT = (who > 0); }"""
    )
    settled = run(model, UP_TO_BLOCKS).model
    assert events(settled) == ["begin [pc == 1] { x = x + 1; pc = 1; }"]


def test_a_loop_with_constant_bounds_is_unrolled_and_another_one_settles() -> None:
    text = """gal loop {{ int pc = 1; int who = 0; int i = 0; int n = 3;
        transition begin [pc == 1 && who == 0] {{ i = 0; pc = 2; who = 1; }}
        transition again [pc == 2 && who == 1 && i < {0}] {{ i = i + 1; pc = 2; who = 1; }}
        transition end [pc == 2 && who == 1 && i >= {0}] {{ pc = 3; who = 0; }}
        transition other [n > 1 && who == 0] {{ n = n - 1; }}
        TRANSIENT = (who > 0); }}"""
    for bound, stays in (("3", False), ("n", True)):
        settled = run(gal(text.format(bound)), UP_TO_BLOCKS).model
        inner = [s for e in flat_type(settled).events for s in statements(e.body)]
        assert any(isinstance(s, Settle) for s in inner) is stays
        assert_same(gal(text.format(bound)), UP_TO_BLOCKS, verdicts=False)


def test_a_block_that_goes_round_for_ever_is_still_an_error() -> None:
    model = gal(
        """gal round { int pc = 1; int who = 0;
        transition begin [pc == 1 && who == 0] { pc = 2; who = 1; }
        transition there [pc == 2] { pc = 3; who = 1; }
        transition back [pc == 3] { pc = 2; who = 1; }
        TRANSIENT = (who > 0); }"""
    )
    assert isinstance(assert_same(model, UP_TO_BLOCKS, verdicts=False), str)


def test_a_latch_is_known_only_where_it_is_closed() -> None:
    model = gal(
        """gal latch { int pc = 0; int n = 0; int late = 0; int x = 0; int boot = 1;
        transition start [boot == 1] { n = 7; pc = 1; boot = 0; }
        transition work [pc == 1] { x = n; pc = 2; }
        transition then [pc == 2] { late = 4; pc = 3; }
        transition last [pc == 3] { x = n + late; pc = 0; }
        transition free [x < 9] { x = n; } }"""
    )
    folded = run(model, UP_TO_LATCHES).model
    assert events(folded) == [
        "start [boot == 1] { n = 7; pc = 1; boot = 0; }",
        "work [pc == 1] { x = 7; pc = 2; }",
        "then [pc == 2] { late = 4; pc = 3; }",
        "last [pc == 3] { x = late + 7; pc = 0; }",
        "free [x < 9] { x = n; }",
    ]


def test_a_guard_that_says_so_itself_is_no_knowledge() -> None:
    """Two latches that close each other must both be asked for."""
    model = gal(
        """gal both { int a = 0; int b = 0;
        transition close [a == 0] { a = 1; b = 1; }
        transition ask [a == 1 && b == 1] { a = 1; } }"""
    )
    assert_same(model, UP_TO_LATCHES, verdicts=False)
    assert "ask [a == 1 && b == 1] { a = 1; }" in events(run(model, UP_TO_LATCHES).model)


def test_a_condition_is_evaluated_once_for_the_values_that_it_asks() -> None:
    x, y = Compare("==", Var("x"), Const(1)), Compare("==", Var("y"), Const(2))
    guards, either = Guards(), Or((x, y))
    assert guards.at((either,), {"x": 0, "z": 1}) == (y,)
    after = guards.at((either, Or((x, y, Compare("==", Var("z"), Const(1))))), {"y": 3, "z": 2})
    assert after == (x,)
    shared = Or((x, y, Compare("==", Var("z"), Const(1))))
    one, other = (guards.at((shared,), {"x": 0, "u": value}) for value in (1, 2))
    assert one is not None
    assert other is not None
    assert one[0] is other[0] is not shared
    assert guards.at((x, shared), {"x": 0}) is None


def test_the_index_of_a_block_rules_out_no_event_that_may_follow() -> None:
    rng = random.Random(7)
    names = ("a", "b", "c")
    made = [
        Event(
            f"e{k}",
            guard=tuple(
                rng.choice(
                    (
                        Compare("==", Var(name), Const(rng.randrange(3))),
                        Or(
                            (Compare("==", Var(name), Const(0)), Compare("==", Var(name), Const(1)))
                        ),
                        Or((Compare("==", Var(name), Const(0)), Compare("<", Var("d"), Const(1)))),
                    )
                )
                for name in names
                if rng.random() < 0.6
            ),
        )
        for k in range(60)
    ]
    index = EventsByValue(made)
    ruled_out = 0
    for _ in range(50):
        here = {name: rng.randrange(3) for name in names if rng.random() < 0.7}
        seen = {name: {value} for name, value in here.items()}
        possible = [e for e in made if all(allows(part, seen) for part in e.guard)]
        found = index.candidates(here)
        assert [e for e in found if e in possible] == possible
        ruled_out += len(made) - len(found)
    assert ruled_out > 300
