"""One-hot encoding keeps the states one for one, and refuses what it cannot encode."""

from pathlib import Path
from random import Random

import pytest

from plait.cli.main import run
from plait.errors import InputError
from plait.lang.gal import parse, print_model
from plait.model.types import ElementaryType, Model
from plait.model.validate import check
from plait.passes.one_hot import one_hot
from plait.reference import Semantics

LIGHT = """gal light {
  typedef colour = 0 .. 2;
  hotbit (colour) int now = 0;
  transition advance [now < 2] { now = now + 1; }
  transition restart [now == 2] { now = 0; }
  transition panic [now != 2] { now = 2; }
}
property far [reachable] : now == 2;
property outside [never] : now > 2 || now < 0;
property colours [bounds] : now;
property back [ctl] : AG(EF(now == 0));
"""
WRITES = """gal g {
  typedef r = 0 .. 3;
  hotbit (r) int x = 3; int y = 0;
  transition set [y < 4] { x = y; y = y + 1; }
  transition pick [y == 4] { if (x < 3) { self."up"; y = 3; } else { y = x - 1; x = 0; } }
  transition up [x < 3] label "up" { x = x + 1; }
  transition stay [x == 3] label "up" { y = 2; }
}
property top [reachable] : x == 3 && y == 3;
"""
ARRAYS = """$last = 1;
gal g {
  typedef r = 0 .. 2; typedef i = 0 .. 1;
  hotbit (r) array [2] t = (2, 0); int n = 0;
  transition copy (i $a) [t[$a] > 0] { t[$a] = t[$a] - 1; n = (n + 1) % 3; }
  transition fill (i $a) { t[$a] = n; }
  transition swap { n = t[0]; t[0] = t[$last]; }
}
property sum [bounds] : t[0] + 3 * t[1];
"""
PARTS = """$N = 2;
gal cell { typedef r = 0 .. $N; hotbit (r) int v = 1;
  transition up [v < $N] label "up" { v = v + 1; }
  transition reset [v == $N] { v = 0; } }
composite two { cell a; cell b; synchronization s { a."up"; b."up"; } }
main two;
property both [reachable] : a:v == 2 && b:v == 2;
property a_total [bounds] : a:v + b:v;
"""


def reachable(semantics: Semantics) -> set[tuple[int, ...]]:
    return set(semantics.reachable(20_000).states)


def same(model: Model, threshold: int | None = None) -> Model:
    """The encoded model, once its states and verdicts were compared."""
    rewritten = one_hot(model, threshold)
    check(rewritten.model)
    before, after = Semantics(model), Semantics(rewritten.model)
    states = reachable(after)
    lifted = {rewritten.lift(state) for state in states}
    assert len(lifted) == len(states)
    assert lifted == reachable(before)
    assert rewritten.lift(after.initial) == before.initial
    for asked, encoded in zip(model.properties, rewritten.model.properties, strict=True):
        one, other = before.check(asked), after.check(encoded)
        assert (one.verdict, one.value) == (other.verdict, other.value)
    return rewritten.model


@pytest.mark.parametrize("text", [LIGHT, WRITES, ARRAYS, PARTS])
def test_the_encoded_model_has_the_same_states_and_answers(text: str) -> None:
    """covers: I116"""
    model = parse(text, "test.gal")
    encoded = same(model)
    assert encoded != model
    assert parse(print_model(encoded), encoded.name) == encoded


def test_the_published_figures_stay() -> None:
    """3 states, 5 arcs, no deadlock: the sample `hotbit`, both before and after."""
    encoded = one_hot(parse(LIGHT, "test.gal")).model
    (light,) = encoded.types
    assert isinstance(light, ElementaryType)
    assert [(v.name, len(v.initial)) for v in light.variables] == [("now_is", 3)]
    graph = Semantics(encoded).reachable()
    assert (len(graph.states), graph.arc_count, len(graph.deadlocks)) == (3, 5, 0)


def test_an_assignment_without_a_read_clears_whatever_is_set() -> None:
    encoded = same(parse(WRITES, "test.gal"))
    assert 'self."clear_x"' in print_model(encoded)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x = 1; y = x;", "'x' is read after it is written in 'e'"),
        ("x = 1; x = 2;", "'x' is written twice in 'e'"),
        ("if (y == 0) { x = 1; } y = x;", "'x' is read after it is written in 'e'"),
        ('self."set"; y = x;', "'x' is read after it is written in 'e'"),
        ("for ($i : r) { x = $i; }", "'x' is written in a loop"),
        ("fixpoint { x = 1; }", "'x' is written in a loop"),
        ("x = 4;", "4 is not in the range 'r' of 'x'"),
        ("y = t[y];", "the index of 't' is computed"),
        ("t[0] = 1; t[y] = 1;", "the index of 't' is computed"),
        ("for ($i : r) { y = t[$i]; }", "the index of 't' is computed"),
        ("t[1] = 1; y = t[1];", "'t' is read after it is written in 'e'"),
    ],
)
def test_what_cannot_be_encoded_is_refused_with_its_place(body: str, message: str) -> None:
    """covers: I116"""
    text = f"""gal g {{ typedef r = 0 .. 3; hotbit (r) int x = 0; hotbit (r) array [4] t;
  int y = 0;
  transition e {{ {body} }}
  transition s label "set" {{ x = 2; }} }}"""
    with pytest.raises(InputError) as wrong:
        one_hot(parse(text, "g.gal"))
    assert message in wrong.value.render()
    assert "g.gal:3:" in wrong.value.render()


def test_cells_that_differ_are_apart() -> None:
    text = """gal g { typedef r = 0 .. 2; hotbit (r) array [2] t; int y = 0;
  transition e [y < 3] { t[0] = y; y = t[1] + 1; }
  transition f { t[1] = 1; } }"""
    same(parse(text, "g.gal"))


def test_a_range_that_does_not_begin_at_0_is_refused() -> None:
    text = "gal g { typedef r = 1 .. 3; hotbit (r) int x = 1; transition e { x = 2; } }"
    with pytest.raises(InputError, match="must start at 0"):
        one_hot(parse(text, "g.gal"))


@pytest.mark.parametrize(("threshold", "bits"), [(2, 2), (8, 1), (9, 0), (None, 0)])
def test_variables_that_get_many_constants_are_tagged_by_themselves(
    threshold: int | None, bits: int
) -> None:
    """`location` has eight values, `flag` two; `other` gets more than constants.

    covers: I116
    """
    moves = " ".join(
        f"transition t{i} [location == {i}] {{ location = {(i + 1) % 8}; flag = {i % 2}; }}"
        for i in range(8)
    )
    text = f"""gal g {{ int location = 0; int flag = 0; int other = 0; {moves}
  transition more [other < 2] {{ other = other + 1; }} }}
property p [reachable] : location == 5 && flag == 1;"""
    encoded = same(parse(text, "g.gal"), threshold)
    (type_,) = encoded.types
    assert isinstance(type_, ElementaryType)
    assert sum(v.size is not None for v in type_.variables) == bits


def test_random_bodies_keep_their_states() -> None:
    """Bodies that read, write, branch and call in any order: refused, or the same states."""
    refused = 0
    for seed in range(150):
        model = parse(_random_text(Random(seed)), "random.gal")
        try:
            one_hot(model)
        except InputError:
            refused += 1
        else:
            same(model)
    assert 30 <= refused <= 120


def _random_text(random: Random) -> str:
    def condition() -> str:
        return f"{random.choice('xy')} {random.choice(['<', '==', '!='])} {random.randrange(4)}"

    def statement(depth: int) -> str:
        kind = random.randrange(6 if depth else 5)
        if kind == 5:
            then, otherwise = body(depth - 1), body(depth - 1)
            return f"if ({condition()}) {{ {then} }} else {{ {otherwise} }}"
        if kind == 4:
            return 'self."l";'
        constant, k = random.randrange(4), random.randrange(1, 4)
        texts = ("x = {c};", "x = (x + {k}) % 4;", "y = (x + {k}) % 4;", "y = (y + {k}) % 4;")
        return texts[kind].format(c=constant, k=k)

    def body(depth: int) -> str:
        return " ".join(statement(depth) for _ in range(random.randrange(1, 3)))

    free = " ".join(f"transition t{i} [{condition()}] {{ {body(2)} }}" for i in range(3))
    called = f'transition c [{condition()}] label "l" {{ x = {random.randrange(4)}; }}'
    if random.random() < 0.5:
        called = f'transition c [{condition()}] label "l" {{ y = (x + y) % 4; }}'
    declared = "typedef r = 0 .. 3; hotbit (r) int x = 1; int y = 0;"
    return f"gal g {{ {declared} {free} {called} }} property p [bounds] : x + 4 * y;"


def test_the_command_writes_the_bits(tmp_path: Path) -> None:
    source, target = tmp_path / "light.gal", tmp_path / "hot.gal"
    source.write_text(LIGHT, encoding="utf-8")
    assert run(["convert", str(source), "--to", "gal", "--one-hot", "-o", str(target)]) == 0
    expected = one_hot(parse(LIGHT, "light")).model
    assert parse(target.read_text(encoding="utf-8"), "light") == expected
