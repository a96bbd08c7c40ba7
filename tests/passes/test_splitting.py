"""Event splitting: how many events there are, that each is about one level, and the same states."""

from itertools import product
from pathlib import Path
from random import Random

import pytest
from tests.cli.command import Command

from plait import passes
from plait.engines import states
from plait.errors import InputError
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.model.builder import Bool, Int
from plait.model.expr import Enabled, Formula, Var
from plait.passes.splitting import Term, split, split_events, terms
from plait.reference.semantics import Semantics

PATH = "xi >= 1 && yi >= 1 && xi == x0 && ((vy0 > 2 && yi > y0) || (vy0 < 2 && yi < y0))"
"""The target is in the path of ownship: a speed of 2 tokens is none."""


def path_model(max_x: int, max_y: int) -> str:
    """Two who are anywhere in a grid, and an alarm that tells when one is in the other's path."""
    moves = "\n".join(
        f"transition {v}_{value} [true] {{ {v} = {value}; }}"
        for v, most in (("xi", max_x), ("yi", max_y), ("x0", max_x), ("y0", max_y), ("vy0", 4))
        for value in range(most + 1)
    )
    names = "".join(f"int {v} = 0; " for v in ("xi", "yi", "x0", "y0", "vy0", "alarm"))
    return f"gal g {{ {names} {moves}\ntransition tell [{PATH}] {{ alarm = 1; }} }}"


@pytest.mark.parametrize(("max_x", "max_y"), [(1, 1), (2, 3), (3, 5), (5, 10)])
def test_the_path_of_an_aircraft_is_split_into_two_events_a_box(max_x: int, max_y: int) -> None:
    """covers: S10"""
    model = passes.flat(parse(path_model(max_x, max_y), "g.gal"), reduce=False).model
    made = split_events(model).model
    split_up = [e for e in made.system.events if e.name.startswith("tell_")]
    assert len(split_up) == 2 * max_x * max_y
    assert len(made.system.events) == len(model.system.events) - 1 + len(split_up)
    for event in split_up:
        for conjunct in event.guard:
            names = {n.name for n in _variables(conjunct)}
            assert len(names) == 1


def test_properties_ask_about_the_parts_of_an_event() -> None:
    text = path_model(1, 2) + "\nproperty p [reachable] : enabled(tell);"
    model = passes.flat(parse(text, "g.gal"), reduce=False).model
    made = split_events(model).model
    (body,) = [p.body for p in made.properties]
    assert isinstance(body, Enabled)
    assert body.events == ("tell_1", "tell_2", "tell_3", "tell_4")


def test_a_split_model_has_the_same_states() -> None:
    """covers: S10"""
    model = passes.flat(parse(path_model(2, 3), "g.gal"), reduce=False).model
    made = split_events(model).model
    expected = states(model, engine="reference").states
    for engine in ("reference", "explicit", "symbolic"):
        assert states(made, engine=engine).states == expected


def _variables(formula: Formula) -> list[Var]:
    from plait.model.node import nodes

    return [n for n in nodes(formula) if isinstance(n, Var)]


def random_condition(random: Random, depth: int) -> Bool:
    names = [Int(Var(n)) for n in "abcd"]
    if depth == 0:
        sum_: Int = random.choice(names) * random.choice((1, -1, 2))
        for _ in range(random.randint(0, 2)):
            sum_ = sum_ + random.choice((1, -1, 3)) * random.choice(names)
        limit = random.randint(-4, 6)
        ways = (sum_ <= limit, sum_ < limit, sum_ >= limit, sum_ > limit)
        return random.choice((*ways, sum_ == limit, sum_ != limit))
    one, other = (random_condition(random, depth - 1) for _ in range(2))
    return random.choice((one & other, one | other, ~one & other, one | ~other))


def satisfied(term: Term, values: dict[str, int]) -> bool:
    inside = all(low <= values[n] <= high for n, (low, high) in term.ranges.items())
    return inside and all(
        sum(f * values[n] for n, f in atom.factors) <= atom.limit for atom in term.related
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_terms_together_are_the_condition(seed: int) -> None:
    """covers: S10"""
    random = Random(seed)
    condition = random_condition(random, 2).node
    domain = {n: (random.randint(-2, 0), random.randint(0, 3)) for n in "abcd"}
    levels = {n: random.randint(0, 2) for n in "abcd"}
    model = parse("gal g { int a = 0; int b = 0; int c = 0; int d = 0; }", "g.gal")
    semantics = Semantics(model)
    normal, one_level = terms(condition, domain), list(split(condition, levels, domain))
    for term in one_level:
        assert all(len({levels[n] for n, _ in a.factors}) == 1 for a in term.related)
    for state in product(*(range(low, high + 1) for low, high in domain.values())):
        values = dict(zip("abcd", state, strict=True))
        expected = semantics.holds(condition, state)
        assert any(satisfied(t, values) for t in normal) == expected
        assert any(satisfied(t, values) for t in one_level) == expected


def test_the_command_line_splits_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """covers: S10"""
    file = tmp_path / "g.gal"
    file.write_text(path_model(2, 3), encoding="utf-8")
    shown = Command(capsys)("convert", file, "--to=gal", "--split")
    assert shown.status == 0
    assert shown.out.count("transition tell_") == 12
    file.write_text("gal g { int a = 0; int b = 0; transition t [a * b > 3] { a = 1; } }")
    wrong = Command(capsys)("convert", file, "--to=gal", "--split")
    assert wrong.status == 2
    assert "g.gal:1:45: error: only sums of variables" in wrong.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a * b > 3", "only sums of variables with constant factors"),
        ("a + b > 3", "the values may not fit in 32 bits"),
    ],
)
def test_what_cannot_be_split_is_refused(text: str, message: str) -> None:
    wide = (-(2**31), 2**31 - 1)
    model = parse("gal g { int a = 0; int b = 0; }", "g.gal")
    body = parse_formula(text, model).body
    assert isinstance(body, Formula)
    with pytest.raises(InputError, match=message):
        list(split(body, {"a": 0, "b": 1}, {"a": wide, "b": wide}))
