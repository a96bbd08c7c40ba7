"""Other searches: iterative deepening, caches, random walks."""

import pytest
from tests.conftest import ROOT

from plait.engines import Budget, Method, Reduction, check, states
from plait.errors import InputError
from plait.lang import load
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.types import Model, Property
from plait.testing.choices import Seeded
from plait.testing.mix import CHANNELS, DEFAULT, NETS, Mix
from plait.testing.random_models import model as random_model
from plait.testing.subjects import searchable

PHILOSOPHERS = ROOT / "examples" / "philosophers.gal"
DEADLOCK = Property("deadlock", kind="deadlock")
GRID = """
gal grid { int x = 0; int y = 0;
  transition a [x < 20] { x += 1; }
  transition b [y < 20] { y += 1; }
}
"""


def philosophers(n: int) -> Model:
    return load(PHILOSOPHERS).with_constants({"N": n})


def test_deepening_counts_and_finds_shortest_traces() -> None:
    model = philosophers(6)
    wide = states(model, engine="explicit")
    deep = states(model, method=Method(search="deepening"))
    for name in ("states", "arcs", "deadlocks", "max_value", "max_sum", "complete"):
        assert getattr(wide, name) == getattr(deep, name)
    assert wide.stats["depth"] == deep.stats["depth"]
    for store in ("exact", "tree"):
        method = Method(search="deepening", store=store)
        (answer,) = check(model, [DEADLOCK], method=method)
        (expected,) = check(model, [DEADLOCK], engine="explicit")
        assert answer.witness is not None
        assert expected.witness is not None
        assert len(answer.witness.steps) == len(expected.witness.steps)


def test_a_cache_that_forgets_states_keeps_the_verdicts_and_counts_nothing() -> None:
    """covers: P64, P68"""
    model = parse(GRID, "grid")
    texts = ("invariant: x <= 20", "reachable: x == 20 && y == 3", "bounds: x + y", "never: x > 20")
    asked = [parse_formula(text, model) for text in texts]
    exact = check(model, asked, engine="explicit")
    cached = check(model, asked, method=Method(cache=60))
    assert [a.verdict for a in cached] == [a.verdict for a in exact]
    assert cached[2].value == exact[2].value == 40
    assert any("forgotten" in note for note in cached[0].notes)
    space = states(model, method=Method(cache=60))
    assert (space.states, space.complete) == (None, False)
    assert "at most" in (space.reason or "")
    whole = states(model, method=Method(cache=1000))
    assert (whole.states, whole.arcs, whole.complete) == (441, 840, True)


def test_a_cache_smaller_than_the_stack_ends_in_unknown() -> None:
    """covers: P66"""
    model = parse(GRID, "grid")
    (answer,) = check(model, [parse_formula("never: x > 20", model)], method=Method(cache=30))
    assert (answer.verdict, answer.reason) == ("unknown", "cache")


def test_walks_find_a_deadlock_and_prove_nothing() -> None:
    model = philosophers(5)
    method = Method(search="walk", seed=3)
    found = check(model, [DEADLOCK, parse_formula("left[0] <= 1", model)], method=method)
    assert (found[0].verdict, found[0].replayed) == ("false", True)
    assert found[1].verdict == "unknown"
    assert (found[1].reason or "").startswith("random walks: no violation in")
    again = check(model, [DEADLOCK], method=method)
    assert again[0].witness == check(model, [DEADLOCK], method=method)[0].witness
    with pytest.raises(InputError, match="cannot count"):
        states(model, method=method)


MIXES = {"default": DEFAULT, "channels": CHANNELS, "nets": NETS}


@pytest.mark.parametrize("mix", list(MIXES.values()), ids=list(MIXES))
def test_on_random_models_caches_and_walks_never_contradict_the_exact_search(mix: Mix) -> None:
    compared = 0
    methods = [Method(search="walk", seed=7), Method(cache=40), Method(cache=2000)]
    for seed in range(60_000, 60_012):
        model = random_model(Seeded(seed), mix)
        asked = [p for p in model.properties if searchable(p)]
        try:
            exact = check(model, asked, engine="explicit", budget=Budget(states=500))
        except InputError:
            continue
        if any(a.verdict == "unknown" for a in exact):
            continue
        for method in methods:
            try:
                found = check(model, asked, method=method, budget=Budget(0.1, states=20_000))
            except InputError:
                continue  # an error of the model that lies behind what decides the questions
            for e, a in zip(exact, found, strict=True):
                if a.verdict != "unknown":
                    assert a.verdict == e.verdict
                    assert a.value == e.value
                    assert a.witness is None or a.replayed
                    compared += 1
    assert compared > 50


@pytest.mark.parametrize(
    ("method", "reduction"),
    [
        (Method(search="deepening"), Reduction("sleep")),
        (Method(cache=100), Reduction("ps", order="bfs")),
        (Method(search="deepening", store="bitstate"), Reduction()),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused(method: Method, reduction: Reduction) -> None:
    with pytest.raises(InputError):
        states(philosophers(3), method=method, reduction=reduction)
    with pytest.raises(InputError):
        Method(cache=10, store="tree")
    with pytest.raises(InputError):
        Method(search="sideways")
