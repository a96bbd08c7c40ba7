"""Random texts with `trace` and `notrace`: what the assertion says, and which states there are.

Where a message leads a trace assertion is told apart by the guards of events, so that sends and
receives stay independent where it does not care. Reductions are held against the full search; the
figures of SPIN were written down from `spin -a -o1 -o2 -o3`, the verifier compiled with
`-DNOREDUCE -DSAFETY` and run with `-c0`, and `make soak` asks it about more texts where it is
installed; these have no rendezvous, which SPIN watches where it is only offered.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.differential.blocks import SOAK, SOAK_FIRST, blocks
from tests.lang.spin import AVAILABLE, Spin

from plait.engines import Budget, Reduction, check, states
from plait.engines.explicit.method import Method
from plait.engines.prepared import KINDS
from plait.errors import InputError
from plait.lang.promela import parse
from plait.model.types import Model

LIMIT = 20_000
PRESETS = ("ps", "ps+prov", "ps+sleep", "ps+sleep+prov", "sleep")
ALGORITHMS = ("conflicts", "overman", "stubborn", "conditional", "guards", "deletion", "minimal")
CHANNELS = ("a", "b", "c")
FIGURES: dict[int, tuple[int, bool, bool]] = {
    6: (15, True, True),
    7: (152, False, True),
    11: (5, True, True),
    13: (156, False, True),
    14: (14, False, False),
    21: (61, True, False),
    22: (148, True, True),
    23: (80, True, True),
    24: (14, False, True),
    29: (283, False, True),
    32: (90, True, True),
    35: (328, False, True),
    37: (25, False, False),
    42: (10, True, True),
    44: (31, False, True),
    46: (681, True, True),
    52: (127, True, True),
    53: (1566, True, True),
    56: (94, False, True),
    58: (366, True, True),
    63: (154, True, True),
    65: (20, True, True),
    66: (372, False, True),
    67: (1036, True, True),
}
"""By the seed of a text without rendezvous SPIN's number of states, and whether it finds that the
assertion is violated, and an invalid end state."""


class Texts:
    """Texts in which a few processes exchange messages, and an assertion watches some of them."""

    def __init__(self, chance: random.Random, least: int = 0) -> None:
        self.chance = chance
        self.rooms = {c: max(chance.choice((0, 1, 1, 2, 3)), least) for c in CHANNELS}

    def text(self) -> str:
        """A whole text."""
        chance = self.chance
        lines = [f"chan {c} = [{room}] of {{ byte }};" for c, room in self.rooms.items()]
        kind = chance.choice(("trace", "notrace"))
        watched = chance.sample(CHANNELS, chance.choice((1, 1, 2)))
        lines.append(f"{kind} {{ {self._automaton(watched)} }}")
        for k in range(chance.randint(2, 4)):
            steps = "; ".join(self._step(2) for _ in range(chance.randint(1, 4)))
            lines.append(f"active proctype P{k}() {{ byte v; {steps} }}")
        return "\n".join(lines) + "\n"

    def _automaton(self, watched: list[str]) -> str:
        parts = [self._watched(watched) for _ in range(self.chance.randint(1, 3))]
        return "; ".join(parts)

    def _watched(self, watched: list[str]) -> str:
        chance = self.chance
        if chance.random() < 0.4:
            return self._event(watched)
        options = dict.fromkeys(self._event(watched) for _ in range(chance.randint(1, 3)))
        ends = [f":: {e} -> break" if chance.random() < 0.3 else f":: {e}" for e in options]
        if chance.random() < 0.3:
            return f"if {' '.join(e.removesuffix(' -> break') for e in ends)} fi"
        label = "end: " if chance.random() < 0.1 else ""
        return f"{label}do {' '.join(ends)} od"

    def _event(self, watched: list[str]) -> str:
        pattern = self.chance.choice(("_", "1", "2"))
        return f"{self.chance.choice(watched)}{self.chance.choice('!?')}{pattern}"

    def _step(self, depth: int) -> str:
        chance = self.chance
        roll = chance.random()
        if depth and roll < 0.25:
            options = " ".join(f":: {self._step(depth - 1)}" for _ in range(chance.choice((1, 2))))
            return f"if {options} fi" if roll < 0.15 else f"do {options} :: break od"
        if depth and roll < 0.35:
            return f"atomic {{ {self._step(0)}; {self._step(0)} }}"
        channel = chance.choice(CHANNELS)
        if chance.random() < 0.5:
            return f"{channel}!{chance.choice(('1', '2', 'v'))}"
        room = self.rooms[channel]
        receive = "??" if room > 1 and chance.random() < 0.15 else "?"
        return f"{channel}{receive}{chance.choice(('1', '2', 'v', 'v', '_'))}"


def text_of(seed: int, least: int = 0) -> str:
    return Texts(random.Random(f"traces {seed}"), least).text()


def read(seed: int, least: int = 0) -> Model | None:
    """The model of a text; None where two events of the assertion fit, and the like."""
    try:
        return parse(text_of(seed, least), f"traces {seed}")
    except InputError:
        return None


def told(model: Model) -> tuple[int, bool, bool]:
    """The number of states, and whether the assertion and the ends are found violated."""
    asked = [model.property("event trace"), model.property("invalid end state")]
    found = check(model, asked, engine="explicit", method=Method(exhaustive=True))
    wrong, stuck = (a.verdict == "false" for a in found)
    return int(str(found[0].stats["states"])), wrong, stuck


def differing(seed: int, figures: dict[str, int]) -> list[str]:
    """What reductions say otherwise than the full search about one text."""
    model = read(seed)
    if model is None:
        return []
    asked = [p for p in model.properties if p.kind in KINDS]
    full = check(model, asked, engine="explicit", budget=Budget(states=LIMIT))
    verdicts = [a.verdict for a in full]
    if "unknown" in verdicts:
        return []
    chance = random.Random(f"reductions {seed}")
    found = []
    for _ in range(3):
        preset = chance.choice(PRESETS)
        order = "dfs" if "sleep" in preset else chance.choice(("dfs", "bfs"))
        reduction = Reduction(preset, chance.choice(ALGORITHMS), order=order)
        reduced = check(
            model,
            asked,
            engine="explicit",
            reduction=reduction,
            method=Method(exhaustive=True),
            budget=Budget(states=LIMIT),
        )
        if [a.verdict for a in reduced] != verdicts or not all(
            a.replayed for a in reduced if a.witness is not None
        ):
            found.append(f"{seed}: {reduction}: {verdicts}, {reduced}")
        kept, all_ = (int(str(answers[0].stats["states"])) for answers in (reduced, full))
        figures["smaller"] += kept < all_
    figures["compared"] += len(verdicts)
    [trace] = [a for a in full if a.property.name == "event trace"]
    figures["violated"] += trace.verdict == "false"
    figures["texts"] += 1
    return found


def hunt(seeds: range) -> None:
    figures = dict.fromkeys(("compared", "violated", "smaller", "texts"), 0)
    assert [line for seed in seeds for line in differing(seed, figures)] == []
    assert figures["texts"] > len(seeds) // 3, figures
    assert figures["texts"] // 10 < figures["violated"] < figures["texts"], figures
    assert figures["smaller"] > figures["texts"] // 2, figures


@pytest.mark.parametrize("seed", FIGURES)
def test_texts_with_trace_assertions_have_the_states_of_spin(seed: int) -> None:
    model = read(seed, least=1)
    assert model is not None
    assert told(model) == FIGURES[seed]


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="spin or gcc is not installed")
@blocks(SOAK_FIRST, SOAK // 20, 50)
def test_spin_says_the_same_about_more_trace_assertions(seeds: range, tmp_path: Path) -> None:
    path = tmp_path / "text.pml"
    compared = 0
    for seed in seeds:
        model = read(seed, least=1)
        if model is None or states(model, budget=Budget(states=LIMIT)).complete is False:
            continue
        path.write_text(text_of(seed, least=1))
        folder = tmp_path / str(seed)
        folder.mkdir()
        run = Spin(path, folder).run("-c0", build=("-DSAFETY",))
        count, wrong, stuck = told(model)
        assert run.has("event_trace error") == wrong, seed
        if wrong and "atomic" in text_of(seed, least=1):
            continue  # SPIN goes on inside a block that the assertion has stopped
        assert (run.states, run.has("invalid end state")) == (count, stuck), seed
        compared += 1
    assert compared > len(seeds) // 3


@blocks(0, 120, 30)
def test_reductions_keep_what_a_trace_assertion_says(seeds: range) -> None:
    hunt(seeds)


@pytest.mark.soak
@blocks(SOAK_FIRST, SOAK // 5, 100)
def test_reductions_keep_what_more_trace_assertions_say(seeds: range) -> None:
    hunt(seeds)
