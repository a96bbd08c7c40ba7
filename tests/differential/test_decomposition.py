"""A net cut into levels at random is the same system: states, arcs, deadlocks and answers."""

from dataclasses import replace

from blocks import Record, blocks, no_failures

from plait.engines import check, states
from plait.engines.budget import Budget
from plait.model.net import Net, as_net
from plait.model.types import Model, Unit, Units
from plait.models.decomposition import by_levels
from plait.testing.choices import Choices, Seeded
from plait.testing.features import features
from plait.testing.hunt import text
from plait.testing.mix import NETS
from plait.testing.random_models import model
from plait.testing.tally import Tally

LIMIT = 3000


def cut(choices: Choices, net: Net) -> Net:
    """The net with its places on a few levels."""
    count = choices.integer(1, len(net.places))
    levels: list[list[str]] = [[] for _ in range(count)]
    for place in net.places:
        choices.pick(levels).append(place.name)
    units = [Unit(f"level{k}", tuple(places)) for k, places in enumerate(levels) if places]
    root = Unit("root", (), tuple(u.name for u in units))
    return replace(net, units=Units("root", (root, *units)))


def figures(made: Model) -> tuple[object, ...]:
    space = states(made, budget=Budget(states=LIMIT))
    verdicts = [(a.property.name, a.verdict, a.value) for a in check(made, engine="explicit")]
    return space.complete, space.states, space.arcs, space.deadlocks, verdicts


@blocks(70_000, 300, 100)
def test_a_net_and_its_decomposition_are_one_system(seeds: range, record_property: Record) -> None:
    """covers: I124"""
    tally = Tally()
    failures = []
    for seed in seeds:
        choices = Seeded(seed)
        made = model(choices, NETS)
        net = as_net(made)
        assert isinstance(net, Net)
        if not states(made, budget=Budget(states=LIMIT)).complete:
            tally["models too large"] += 1
            continue
        asked = tuple(
            p for p in made.properties if p.kind in ("reachable", "invariant", "never", "bounds")
        )
        whole = replace(made, properties=asked)
        parts = by_levels(cut(choices, net), asked)
        tally["models"] += 1
        tally.update(f"with {name}" for name in features(made))
        if figures(whole) != figures(parts):
            failures.append(f"seed {seed}: {figures(whole)} {figures(parts)}\n{text(parts)}")
    no_failures(failures, tally, record_property)
