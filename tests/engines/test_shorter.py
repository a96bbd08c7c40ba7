"""Traces of walks without their detours."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from plait.engines import Method, check
from plait.engines.shorter import shorter
from plait.errors import ModelError
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.shape import shape_of
from plait.model.types import Property
from plait.models import philosophers
from plait.reference import Semantics
from plait.report.answer import Step, Witness
from plait.report.view import StateView
from plait.testing.choices import Seeded
from plait.testing.mix import GAL
from plait.testing.random_models import model as random_model

LONG = 60.0


def shorn(semantics: Semantics, asked: Property, run: Witness, seconds: float = LONG) -> Witness:
    return shorter(
        run,
        lambda event, state: semantics.execute(semantics.event(event), state),
        lambda state: semantics.decides(asked, state),
        seconds,
    )


DEADLOCK = Property("free", "deadlock")


def walk(semantics: Semantics, steps: int, chance: random.Random) -> Witness:
    """A random run, which a deadlock may end."""
    state, taken = semantics.initial, list[Step]()
    for _ in range(steps):
        try:
            arcs = semantics.successors(state)
        except ModelError:
            break
        if not arcs:
            break
        event, state = chance.choice(arcs)
        taken.append(Step(event, state))
    return Witness(semantics.initial, tuple(taken))


@pytest.mark.parametrize("seed", range(60))
def test_what_is_left_of_a_run_is_a_run_that_decides_and_nothing_in_it_is_in_vain(
    seed: int,
) -> None:
    model = random_model(Seeded(seed), GAL)
    semantics = Semantics(model)
    run = walk(semantics, 25, random.Random(seed))
    view = StateView(shape_of(model))
    last = run.states[-1]
    cells = [i for i in view.items if not i.width][:2]
    try:
        stuck = not semantics.successors(last)
    except ModelError:
        stuck = False
    if stuck:
        asked = DEADLOCK
    elif cells:
        text = " && ".join(f"{i.name} == {last[i.offset]}" for i in cells)
        asked = parse_formula(text, model, kind="reachable")
    else:
        asked = parse_formula("true", model, kind="reachable")
    short = shorn(semantics, asked, run)
    semantics.confirm(asked, short)
    assert len(short.steps) <= len(run.steps)
    for skipped in range(len(short.steps)):
        state = short.states[skipped]
        with suppress(ModelError):
            for step in short.steps[skipped + 1 :]:
                reached = semantics.execute(semantics.event(step.event), state)
                state = step.state if step.state in reached else reached[0] if reached else state
            assert not semantics.decides(asked, state)
    assert shorn(semantics, asked, run, 0.0) == run


def test_a_walk_into_a_deadlock_of_philosophers_becomes_a_shortest_one() -> None:
    model = philosophers(5)
    semantics = Semantics(model)
    for seed in range(5):
        run = walk(semantics, 100_000, random.Random(seed))
        assert len(shorn(semantics, DEADLOCK, run).steps) == 10


def test_a_run_that_need_not_move_has_no_steps() -> None:
    model = parse("gal g { int x; transition t [true] { x = (x + 1) % 5; } }", "g")
    semantics = Semantics(model)
    run = walk(semantics, 10, random.Random(1))
    assert shorn(semantics, parse_formula("reachable: x == 0", model), run).steps == ()


def test_the_trace_of_a_walk_is_shown_without_detours() -> None:
    model = philosophers(6)
    for seed in range(3):
        [answer] = check(model, [DEADLOCK], method=Method(search="walk", seed=seed))
        assert (answer.engine, answer.verdict, answer.replayed) == ("walk", "false", True)
        assert answer.witness is not None
        assert len(answer.witness.steps) == 12
        assert all(step.span is None or step.span.line for step in answer.witness.steps)
        assert answer.explanation
