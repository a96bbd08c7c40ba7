"""`for` and `select` with labels and escapes, held against SPIN.

SPIN assigns the first value before the statement that is being read, so labels and `unless` do not
include it. The figures were written down from `spin -a -o1 -o2 -o3`, the verifier compiled with
`-DNOREDUCE -DSAFETY` and run with `-c0`; where SPIN is installed, `make soak` asks it about more.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.differential.blocks import SOAK, SOAK_FIRST, blocks
from tests.lang.spin import AVAILABLE, Spin

from plait.engines import Budget, check, states
from plait.errors import PlaitError
from plait.lang.promela import parse

HEAD = "byte x = 7, y, z;\nbyte a[3];\ntypedef M { byte b };\nchan q = [2] of { M };\n"
LIMIT = 20_000
WRITTEN = {
    "a label before 'for'": (
        "J: for (x : 0 .. 2) { n++; if :: n == 2 -> goto J :: else fi }; y = n",
        "z = 1; z = y",
        80,
    ),
    "two labels": (
        "K: J: for (x : 0 .. 1) { n++; if :: n == 1 -> goto J :: n == 2 -> goto K :: else fi }",
        "z = 1; z = 2",
        69,
    ),
    "a label before 'select' that counts": (
        "J: select (x : y .. 2); n++; if :: n == 1 -> goto J :: else fi; y = n",
        "A@J; z = x",
        171,
    ),
    "a label before 'select' that is written out": (
        "J: select (x : 0 .. 40); n++; if :: n == 1 && x < 4 -> goto J :: else fi; y = n",
        "",
        565,
    ),
    "an option": (
        "if :: J: for (x : 0 .. 1) { n++; if :: n == 1 -> goto J :: else fi } :: z == 1 fi; y = 2",
        "z = 1",
        51,
    ),
    "'unless' behind 'for'": (
        "J: for (x : 0 .. 1) { n++; if :: n == 1 -> goto J :: else fi } unless { z == 1 }; y = 3",
        "z = 1; z = 2",
        93,
    ),
    "'unless' behind 'select'": ("select (x : z .. 2) unless { z == 1; y = 3 }", "z = 1", 45),
    "'for' as an escape": ("{ y = 1; y = 2 } unless for (x : 0 .. 2) { y = 4 }", "z = 1", 41),
}
"""What two processes do, and SPIN's number of states."""


def whole(first: str, second: str) -> str:
    other = f"active proctype B() {{ {second} }}\n" if second else ""
    return f"{HEAD}active proctype A() {{ byte n; M m; {first} }}\n{other}"


class Loops:
    """Texts in which loops that count stand behind labels, in options and before escapes."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.labels = 0

    def text(self) -> str:
        """A whole text."""
        first = "; ".join(self._labelled(2) for _ in range(self.chance.choice((1, 2))))
        second = "; ".join(f"z = {self.chance.randint(0, 2)}" for _ in range(2))
        return whole(f"m.b = 1; q!m; {first}", second)

    def _labelled(self, depth: int) -> str:
        chance = self.chance
        self.labels += 1
        label = f"J{self.labels}"
        jump = f"if :: n < {chance.randint(1, 2)} -> n++; goto {label} :: else fi"
        bounds = chance.choice(("0 .. 1", "0 .. 2", "z .. 2", "y .. 1", "1 .. 2"))
        head = f"for ({chance.choice('xy')} : {bounds})"
        head = chance.choice((head, head, "for (x in a)", "for (m in q)"))
        inner = jump if depth == 0 or chance.random() < 0.7 else self._labelled(depth - 1)
        kind = chance.random()
        step = f"{head} {{ {inner} }}"
        if kind < 0.25:
            step = f"select ({chance.choice(('x', 'a[0]'))} : {bounds})"
            inner = ""
        if chance.random() < 0.6:
            step = f"{chance.choice(('', '', 'accept_', 'end_'))}K{self.labels}: {label}: {step}"
        else:
            step = f"{label}: skip; {step}"
        if chance.random() < 0.35:
            step = f"{step} unless {{ z == {chance.randint(0, 2)}; x = 3 }}"
        elif chance.random() < 0.3:
            step = f"if :: {step} :: z == 1 -> x = 3 fi"
        return step if jump in inner else f"{step}; {jump}"


@pytest.mark.parametrize("name", WRITTEN)
def test_the_first_value_of_a_loop_is_assigned_where_spin_assigns_it(name: str) -> None:
    first, second, count = WRITTEN[name]
    assert states(parse(whole(first, second)), engine="explicit").states == count


def test_a_label_of_a_loop_is_passed_on_each_turn() -> None:
    text = whole("accept: for (x : 0 .. 2) { if :: true -> x = 0 :: n < 2 -> n++ fi }", "z = 1")
    model = parse(text)
    [answer] = check(model, [model.property("acceptance cycle")], engine="explicit")
    assert answer.verdict == "false"
    assert answer.replayed


@pytest.mark.soak
@pytest.mark.skipif(not AVAILABLE, reason="spin or gcc is not installed")
@blocks(SOAK_FIRST, SOAK // 100, 50)
def test_spin_says_the_same_about_more_loops(seeds: range, tmp_path: Path) -> None:
    compared = 0
    path = tmp_path / "text.pml"
    for seed in seeds:
        text = Loops(random.Random(f"loops {seed}")).text()
        path.write_text(text)
        folder = tmp_path / str(seed)
        folder.mkdir()
        spin = Spin(path, folder)
        try:
            model = parse(text)
            space = states(model, engine="explicit", budget=Budget(states=LIMIT))
        except PlaitError:
            continue
        if spin.refused is not None or not space.complete:
            continue
        run = spin.safety()
        if not run.complete or run.errors_but_ends:
            continue
        assert run.states == space.states, text
        if "accept" in text:
            [answer] = check(model, [model.property("acceptance cycle")], engine="explicit")
            assert bool(spin.acceptance().errors) == (answer.verdict == "false"), text
        compared += 1
    assert compared > len(seeds) // 3
