"""The states within some steps: exactly those, and whether there are others."""

from collections.abc import Iterator

import pytest

from plait.engines import Budget, Method, Tuning, states
from plait.errors import InputError, ModelError
from plait.model.types import Model
from plait.models import kanban, philosophers, slotted_ring
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_models import model as random_model

MOST = 400


def balls(model: Model) -> Iterator[int]:
    """The numbers of states within 0, 1, ... steps, by the reference, until they grow no more."""
    semantics = Semantics(model)
    seen = {semantics.initial}
    layer = [semantics.initial]
    while layer and len(seen) <= MOST:
        yield len(seen)
        following = {after for state in layer for _, after in semantics.successors(state)}
        layer = sorted(following - seen)
        seen.update(layer)


def test_a_ball_has_the_states_of_so_many_steps_and_says_when_it_is_all() -> None:
    """covers: I40"""
    compared = deep = 0
    seed = 0
    while compared < 40:
        seed += 1
        try:
            model = random_model(Seeded(seed))
            sizes = list(balls(model))
        except ModelError:
            continue  # it cannot start, or leaves a domain
        if len(sizes) < 2 or sizes[-1] > MOST // 2:
            continue
        compared += 1
        deep += len(sizes) > 4
        last = len(sizes) - 1
        for depth in sorted({0, 1, last // 2, last - 1, last, last + 3}):
            space = states(model, depth=depth)
            assert space.states == sizes[min(depth, last)], (seed, depth)
            assert space.complete == (depth >= last), (seed, depth)
            assert space.reason == (None if depth >= last else "depth")
            assert space.stats["depth"] == min(depth, last)
    assert deep > 5


@pytest.mark.parametrize(
    ("model", "depth"), [(philosophers(5), 10), (kanban(1), 14), (slotted_ring(2), None)]
)
def test_the_early_end_is_at_the_depth_of_the_state_space(model: Model, depth: int | None) -> None:
    """2N steps for philosophers and 14N for Kanban, as is published.

    covers: I40
    """
    explicit = states(model, engine="explicit")
    space = states(model, depth=10**6)
    assert (space.complete, space.states) == (True, explicit.states)
    assert space.stats["depth"] == explicit.stats["depth"]
    assert depth in (None, space.stats["depth"])


def test_an_order_may_be_asked_for_and_other_ways_are_refused() -> None:
    model = kanban(1)
    assert states(model, depth=3, tuning=Tuning(order="declared")).stats["order"] == "declared"
    for wrong in (
        {"engine": "explicit"},
        {"engine": "reference"},
        {"method": Method(search="walk")},
        {"tuning": Tuning(strategy="chaining")},
        {"tuning": Tuning(strategy="partial")},
    ):
        with pytest.raises(InputError, match="within some steps"):
            states(model, depth=3, **wrong)


def test_time_that_is_over_leaves_the_layers_that_were_whole() -> None:
    space = states(kanban(4), depth=10**6, budget=Budget(timeout=0.0))
    assert (space.complete, space.reason) == (False, "timeout")
