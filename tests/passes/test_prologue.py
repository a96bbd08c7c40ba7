"""The prologue: what is known once one process has started all the others."""

from random import Random

import pytest

from plait import passes
from plait.engines import states
from plait.lang.promela import parse
from plait.model.types import ElementaryType, Model
from plait.passes import fold_prologue, instantiate
from plait.reference import Semantics

RING = """
#define N 3
chan q[N] = [2] of { byte };
byte sum, I;
proctype node(chan inp, out; byte me) {
  byte x;
  out!me; inp?x; sum = sum + x
}
init {
  byte proc, Ini[N];
  atomic {
    I = 1;
    do
    :: I <= N -> if
        :: Ini[0] == 0 -> Ini[0] = I
        :: Ini[1] == 0 -> Ini[1] = I
        :: Ini[2] == 0 -> Ini[2] = I
        fi; I++
    :: I > N -> break
    od;
    proc = 0;
    do
    :: proc < N -> run node(q[proc], q[(proc + 1) % N], Ini[proc]); proc++
    :: else -> break
    od
  }
}
"""


def folded(model: Model) -> tuple[ElementaryType, ElementaryType]:
    """The component before and after the pass."""
    plain = instantiate(model).model
    before, after = plain.system, fold_prologue(plain).model.system
    assert isinstance(before, ElementaryType)
    assert isinstance(after, ElementaryType)
    return before, after


def test_processes_that_are_never_started_and_channels_that_are_never_meant_disappear() -> None:
    before, after = folded(parse(RING))
    assert len(before.events) > 5 * len(after.events)
    moving = {e.process for e in after.events}
    assert moving == {"init_0", "node_1", "node_2", "node_3"}
    # Each process knows its two channels: one event for each of its three statements, and its end.
    assert len([e for e in after.events if e.process == "node_1"]) <= 6


def test_a_guard_that_would_hold_in_the_prologue_is_left_as_it_is() -> None:
    """The parameter is 1 when all have been started, and 0 while others begin: with the constant in
    its guard the process would begin too early."""
    text = """
    byte go, early;
    proctype waiter(byte k) { (go > k) -> if :: go == 1 -> early = 1 :: else -> skip fi }
    init { run waiter(1); go = 2; run waiter(1); run waiter(1) }
    """
    model = parse(text)
    plain = instantiate(model).model
    after = fold_prologue(plain).model
    assert sorted(Semantics(plain).reachable().states) == sorted(
        Semantics(after).reachable().states
    )


def random_text(seed: int) -> str:
    """A process that makes choices and starts others, in a block or step by step."""
    dice = Random(seed)
    atomic = dice.choice(("atomic", "", "d_step" if dice.randrange(4) == 0 else "atomic"))
    count = dice.choice((2, 3))
    choices = " ".join(f":: c = {dice.randrange(3)}" for _ in range(dice.choice((1, 2, 3))))
    steps = [
        "x = k", "x = x + c", "g = g + 1", "c = k", "q[k % 2]!x", "q[me]?x", "(g > k)", "mine!x",
        "(c == 1)", "run other(k)", "g = me", "assert(g < 9)",
    ]  # fmt: skip
    body = "; ".join(dice.choice(steps) for _ in range(dice.choice((1, 2, 3))))
    after = dice.choice(("", "; c = 2", "; run node(2, q[0], 1)", "; g = 5", "; q[0]!3"))
    start = dice.choice(("", "g = 1;", "q[1]!7;", "run other(1);"))
    loop = f"do :: n < {count} -> run node(n + c, q[n % 2], n % 2); n++ :: else -> break od"
    if atomic == "d_step":
        start = start.replace("run other(1);", "g = 2;")
        opening = f"d_step {{ if {choices} fi; {start} }} atomic {{ {loop} }}"
    else:
        opening = f"{atomic} {{ if {choices} fi; {start} {loop} }}"
    return f"""
    chan q[2] = [1] of {{ byte }};
    byte g, c;
    proctype other(byte k) {{ g = g + k }}
    proctype node(byte k; chan mine; byte me) {{ byte x; {body} }}
    init {{ byte n; {opening}{after} }}
    """.replace(" { if", " { if")


@pytest.mark.parametrize("part", range(2))
def test_the_states_and_arcs_are_those_of_the_model(part: int) -> None:
    changed = 0
    for seed in range(15 * part, 15 * (part + 1)):
        model = parse(random_text(seed))
        plain = instantiate(model).model
        known = fold_prologue(plain).model
        changed += known is not plain
        graphs = [Semantics(m).reachable(3_000) for m in (plain, known)]
        assert graphs[0].states == graphs[1].states, random_text(seed)
        assert graphs[0].arcs == graphs[1].arcs, random_text(seed)
        assert states(model, engine="explicit").states == len(graphs[0].states)
    assert changed >= 8


def test_the_native_search_finds_the_same_states_without_the_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The pass executes by the reference, and a mistake there would not show beside the reference:
    here the native core executes the same models as they are, and nothing else takes part."""
    texts = [RING, *map(random_text, range(30, 36))]
    models = [parse(text) for text in texts]
    known = [states(model, engine="explicit") for model in models]
    rest = tuple(one for one in passes.LOWERING if one is not fold_prologue)
    assert len(rest) == len(passes.LOWERING) - 1
    monkeypatch.setattr(passes, "LOWERING", rest)
    changed = 0
    for text, model, found in zip(texts, models, known, strict=True):
        plain = states(model, engine="explicit")
        assert (plain.states, plain.arcs, plain.deadlocks) == (
            found.states,
            found.arcs,
            found.deadlocks,
        ), text
        before, after = folded(model)
        changed += before is not after
    assert changed >= 3
