"""Events after which nothing is possible, and events that wait for all others, under reductions.

Random processes with atomic blocks, some of which halt the system, get events that are possible
only where no other can be. What is asked is decided by halting, undecided by it, or has nothing to
do with it; every preset must answer as the reference does, its claims tested in every state.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from plait.engines import Reduction, check, states
from plait.engines.prepared import prepare
from plait.errors import ModelError
from plait.model.expr import And, Compare, CompareOp, Const, Deadlock, Formula, Not, Var
from plait.model.stmt import Assign
from plait.model.types import ElementaryType, Event, Model, Property
from plait.testing.choices import Seeded
from plait.testing.random_blocks import WHO, blocks

REDUCTIONS = (
    Reduction("ps", order="bfs", check=True),
    Reduction("ps", "conditional", order="dfs", check=True),
    Reduction("ps+sleep", order="dfs", check=True),
    Reduction("ps+prov", "deletion", order="bfs", check=True),
    Reduction("ps+prov", "overman", order="dfs", check=True),
    Reduction("ps+sleep+prov", order="dfs", check=True),
    Reduction("stubborn", "stubborn", check=True),
    Reduction("sleep", order="dfs", check=True),
)


@pytest.mark.parametrize("first", range(0, 90, 30))
def test_reductions_keep_what_is_asked_of_systems_that_halt_and_wait(first: int) -> None:
    """covers: P8"""
    tally: Counter[str] = Counter()
    for seed in range(first, first + 30):
        compare(seed, tally)
    assert min(tally["models"], tally["true"], tally["false"]) >= 15
    assert min(tally["last"], tally["idle"], tally["reduced"]) >= 1


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 11_000, 500))
def test_reductions_keep_what_is_asked_of_systems_that_halt_and_wait_at_length(first: int) -> None:
    for seed in range(first, first + 500):
        compare(seed, Counter())


def _is(name: str, op: CompareOp, value: int) -> Formula:
    return Compare(op, Var(name), Const(value))


def waiting(model: Model, choices: Seeded) -> Model:
    """The model with one or two events that are possible only where no other can be."""
    type_ = model.system
    assert isinstance(type_, ElementaryType)
    nothing = [Not(And(e.guard)) for e in type_.events if e.label is None]
    added = []
    for number in range(choices.integer(0, 2)):
        p = choices.integer(0, 2)
        here = _is(f"pc{p}", "==", choices.integer(1, 3))
        guard = (_is(WHO, "==", 0), here, *nothing)
        body = (
            Assign(Var(choices.pick(["x", "y"])), Const(choices.integer(0, 2))),
            Assign(Var(f"pc{p}"), Const(choices.integer(0, 2))),
        )
        added.append(Event(f"idle{number}", guard, body, process=f"proc{p}", idle=True))
    changed = replace(type_, events=(*type_.events, *added))
    return replace(model, types=(changed,))


def asked(choices: Seeded) -> list[Property]:
    halted = _is(WHO, "==", -1)
    some = _is(choices.pick(["x", "y"]), "==", choices.integer(0, 2))
    place = _is(f"pc{choices.integer(0, 2)}", "==", choices.integer(1, 4))
    all_of = [
        Property("halts", "never", halted),
        Property("halts there", "never", And((halted, place))),
        Property("halts so", "reachable", And((halted, some))),
        Property("stuck", "deadlock", None),
        Property("stuck so", "never", And((Deadlock(), _is(WHO, "!=", -1), some))),
        Property("stuck anyhow", "never", And((Deadlock(), some))),
        Property("elsewhere", "reachable", And((some, place, _is(WHO, "==", 0)))),
    ]
    return [p for p in all_of if choices.chance(45)] or all_of[:1]


def compare(seed: int, tally: Counter[str]) -> None:
    """One model, one preset."""
    choices = Seeded(seed)
    model = waiting(blocks(choices), choices)
    properties = asked(choices)
    reduction = REDUCTIONS[seed % len(REDUCTIONS)]
    try:
        expected = states(model, engine="reference")
    except ModelError:
        return
    tally["models"] += 1
    found = states(model, engine="explicit", reduction=reduction)
    assert found.deadlocks == expected.deadlocks, (seed, reduction)
    answers = check(model, properties, engine="reference")
    reduced = check(model, properties, engine="explicit", reduction=reduction)
    for a, b in zip(answers, reduced, strict=True):
        assert a.verdict == b.verdict, (seed, reduction, a.property.name, a.verdict)
        tally[a.verdict] += 1
    events = prepare(model, properties).compiled.events
    tally["last"] += any(e.last for e in events)
    tally["idle"] += any(e.idle for e in events)
    tally["reduced"] += (found.states or 0) < (expected.states or 0)
