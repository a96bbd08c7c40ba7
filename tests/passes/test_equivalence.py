"""Before and after each pass: the same graph, state by state, and the same verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rewriting import assert_same

from plait.model.net import as_net
from plait.model.types import ElementaryType
from plait.passes import LOWERING, REDUCING, Pass, flat, prune, run, settled_net, simplify
from plait.passes.rewritten import same_state
from plait.program import compile_model
from plait.testing.choices import Seeded
from plait.testing.mix import CHANNELS, COMPOSITES, GAL, NETS, SMALL, Mix
from plait.testing.random_models import model as random_model

STAGES: list[list[Pass]] = [list(LOWERING[: i + 1]) for i in range(len(LOWERING))]
STAGES += [[*LOWERING, simplify], [*LOWERING, prune], [*LOWERING, *REDUCING]]


@pytest.mark.parametrize("stage", STAGES, ids=lambda s: s[-1].__name__ + str(len(s)))
def test_every_pass_keeps_the_graph_and_the_verdicts(stage: list[Pass]) -> None:
    """covers: I118"""
    temporal = stage is STAGES[-1]
    found = [assert_same(random_model(Seeded(s), SMALL), stage, temporal) for s in range(24)]
    assert sum(not isinstance(f, str) for f in found) >= 18


KINDS = {"gal": GAL, "composites": COMPOSITES, "channels": CHANNELS, "nets": NETS}


@pytest.mark.parametrize("mix", KINDS.values(), ids=KINDS)
def test_the_whole_pipeline_keeps_the_graph_of_every_kind_of_model(mix: Mix) -> None:
    """covers: I118"""
    seeds = range(7000, 7030)
    found = [assert_same(random_model(Seeded(s), mix), [flat], verdicts=False) for s in seeds]
    assert sum(not isinstance(f, str) for f in found) >= 20


def test_a_net_that_no_pass_would_change_is_taken_as_it_is() -> None:
    settled = 0
    for seed in range(200):
        model = replace(random_model(Seeded(seed), NETS), properties=())
        found = settled_net(model)
        if found is None or len(found[1]) < len(found[0].places):
            continue
        settled += 1
        assert flat(model).model is model
        assert compile_model(model).events == model.system.events
        assert_same(model, [flat], verdicts=False)
        # The passes find nothing to remove, either.
        reduced = run(model, (*LOWERING, *REDUCING))
        assert reduced.lift is same_state
        assert len(reduced.model.system.events) == len(model.system.events)
    assert settled >= 5


def test_a_net_that_is_settled_loses_the_places_that_no_event_looks_at() -> None:
    smaller = told = 0
    for seed in range(400):
        model = random_model(Seeded(seed), NETS)
        found = settled_net(model)
        if found is None:
            continue
        rewritten = flat(model)
        assert rewritten.model.system.events is model.system.events
        assert rewritten.net == as_net(rewritten.model)
        assert_same(model, [flat])
        smaller += len(found[1]) < len(found[0].places)
        told += bool(model.properties)
    assert smaller >= 5
    assert told >= 5


def test_a_flat_model_is_one_plain_elementary_type() -> None:
    calm = replace(SMALL, faults=0, transient=0)
    for seed in range(60):
        new = run(random_model(Seeded(seed), calm), LOWERING).model
        (type_,) = new.types
        assert isinstance(type_, ElementaryType)
        left = (type_.constants, type_.ranges, type_.channels, new.constants, new.ranges)
        assert left == ((),) * 5
        assert type_.transient is None
        assert all(not e.parameters for e in type_.events)
        assert all(e.label is None or not e.label.arguments for e in type_.events)
