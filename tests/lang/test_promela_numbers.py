"""What is found by following the first process (`plait.lang.promela.processes`) changes nothing.

Random texts in which a process runs others, in blocks that may have to wait and behind choices, are
read twice: as always, and as if nothing were known of how the first process goes on. Then every
number that a process may have is in the model, and no argument is taken for known.
"""

from __future__ import annotations

import random

import pytest
from tests.differential.blocks import SOAK, SOAK_FIRST, blocks

from plait.engines import Budget, check, states
from plait.errors import ModelError
from plait.lang.promela import parse, processes
from plait.model.types import Model

LIMIT = 4000
HEAD = """\
chan q = [1] of { byte };
chan r = [1] of { byte };
byte x, y;
"""
BETWEEN = ("", "", "x == 1; ", "q?y; ", "q!1; ", "i++; ", "nempty(r); ", "x = 2; ", "timeout; ")
GUARDS = ("q!1", "q?y", "x == 1", "i == 0", "i == 1", "nempty(q)")


def text_of(seed: int) -> str:
    chance = random.Random(f"numbers {seed}")

    def run() -> str:
        return f"run {chance.choice('AB')}({chance.choice('qr')})"

    def child() -> str:
        kinds = ("c!1", "c!2", "c?y", "x = 0", "x = 1", "q!1", "assert(x != 2)", "y = _pid")
        steps = "; ".join(chance.choice(kinds) for _ in range(chance.choice((1, 1, 2))))
        return steps if chance.random() < 0.85 else f"{steps}; end: x == 7"

    shape = chance.randrange(4)
    if shape == 0:
        body = f"do :: i < 2 -> {chance.choice(BETWEEN)}{run()}; i++ :: else -> break od"
    elif shape == 1:
        body = f"if :: {chance.choice(GUARDS)} -> {run()} :: else -> {run()} fi"
    else:
        body = f"{run()}; {chance.choice(BETWEEN)}{run()}"
    body = chance.choice(("", "q!2; ", "x = 1; ")) + body
    if chance.random() < 0.6:
        body = f"atomic {{ {body} }}"
    stops = " provided (x != 2)" if chance.random() < 0.15 else ""
    text = HEAD + "".join(f"proctype {name}(chan c) {{ {child()} }}\n" for name in "AB")
    start = chance.choice(("i", "i", "i", "i = 256", "i = 257"))  # of which 0 and 1 are left
    end = chance.choice(("x = 1", "r?y"))
    text += f"active proctype P(){stops} {{ byte {start}; {body}; {end} }}\n"
    if chance.random() < 0.3:
        text += f"active proctype X() {{ {chance.choice(('q!1', 'x = 1'))}; {run()} }}\n"
    return text


def figures(model: Model) -> tuple[object, ...] | None:
    """What there is to be seen of the model; None where that is too much."""
    asked = list(model.properties)
    budget = Budget(states=LIMIT)
    space = states(model, engine="explicit", budget=budget)
    answers = check(model, asked, engine="explicit", budget=budget)
    if not space.complete:
        return None
    violated = {p.name for p, a in zip(asked, answers, strict=True) if a.verdict != "true"}
    return space.states, space.deadlocks, violated


@blocks(0, 60, 20)
def test_numbers_that_are_known_beforehand_are_those_that_processes_have(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    hunt(seeds, monkeypatch)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 10, 50)
def test_numbers_that_are_known_beforehand_are_right_in_more_texts(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    hunt(seeds, monkeypatch)


CUT = """
proctype Q() {{ skip }}
active proctype P() {{ {start}; do :: i < 3 -> run Q(); i++ :: else -> break od }}
"""


@pytest.mark.parametrize(
    ("start", "runs"),
    [("byte i = 257", 2), ("short i = -65535", 2), ("unsigned i : 2 = 6", 1)],
)
def test_a_value_at_the_start_is_cut_to_its_type_before_runs_are_counted(
    start: str, runs: int
) -> None:
    model = parse(CUT.format(start=start))
    space = states(model, engine="explicit")
    assert space.complete
    names = {p.name for t in model.types for p in t.processes}  # type: ignore[union-attr]
    assert len(names - {"P_0"}) == runs


def hunt(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    for seed in seeds:
        text = text_of(seed)
        found = figures(parse(text))
        with monkeypatch.context() as patch:
            patch.setattr(processes._Walk, "run", lambda _: None)
            try:
                unknown = figures(parse(text))
            except ModelError:
                continue  # a guess at how many there can be was too small
        assert found == unknown, f"{seed}\n{text}"
        compared += found is not None
    assert compared > len(seeds) // 2
