"""`plait.dd`: diagrams as a library, against Python's own sets."""

import doctest
import re
from itertools import product
from pathlib import Path
from random import Random

import pytest

import plait.dd
from plait import _core, passes
from plait.dd import Diagrams, Set, union
from plait.lang.gal import parse
from plait.program import compile_model

PAGE = Path(__file__).resolve().parents[2] / "docs" / "techniques" / "diagrams.md"
TUPLES = list(product(range(3), repeat=3))


def run(name: str, text: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, dict(vars(plait.dd)), name, name, 0)
    assert test.examples
    found: list[str] = []
    assert doctest.DocTestRunner().run(test, out=found.append).failed == 0, "".join(found)


def test_the_examples_of_the_page_print_what_they_say() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    run("diagrams.md", "\n".join(blocks))


def test_the_example_of_the_module_prints_what_it_says() -> None:
    run("plait.dd", plait.dd.__doc__ or "")


def made(dd: Diagrams, tuples: set[tuple[int, ...]]) -> Set:
    found = dd.empty
    for one in tuples:
        found |= dd.point({3 - i: value for i, value in enumerate(one)})
    return found


@pytest.mark.parametrize("seed", range(20))
def test_operations_agree_with_sets_of_tuples(seed: int) -> None:
    """covers: I4, I8"""
    random = Random(seed)
    dd = Diagrams()
    a, b = ({t for t in TUPLES if random.random() < 0.4} for _ in range(2))
    x, y = made(dd, a), made(dd, b)
    assert set(x | y) == a | b
    assert set(x & y) == a & b
    assert set(x - y) == a - b
    assert (x <= y) == (a <= b)
    assert (x & y) <= x
    assert (x == y) == (a == b)
    assert x.count() == len(x) == len(a)
    assert bool(x) == bool(a)
    assert x | y == made(dd, a | b)


@pytest.mark.parametrize("seed", range(20))
def test_homomorphisms_agree_with_functions_on_tuples(seed: int) -> None:
    random = Random(seed)
    dd = Diagrams()
    a = {t for t in TUPLES if random.random() < 0.5}
    x = made(dd, a)
    less = dd.compare_variables(3, "<", 2)
    assert set(less(x)) == {t for t in a if t[0] < t[1]}
    assert set((~less)(x)) == {t for t in a if not t[0] < t[1]}
    assert less.is_selector
    step = dd.increment(1, 1) @ dd.compare(1, "<=", 1)
    assert not step.is_selector
    assert set(step(x)) == {(p, q, r + 1) for p, q, r in a if r <= 1}
    assert set(union([step, dd.assign(2, 7)])(x)) == set(step(x)) | {(p, 7, r) for p, _, r in a}
    closed = (step | dd.identity).closure()(x)
    assert set(closed) == {(p, q, s) for p, q, r in a for s in range(r, max(r, 2) + 1)}
    assert dd.within(x)(closed) == x


def test_a_compiled_model_is_a_list_of_homomorphisms() -> None:
    text = "gal g { int x = 1 ; int y = 0 ; transition t [x < 9] { x = x * 2 ; y = y + x % 3 ; } }"
    flat = passes.flat(parse(text, "g")).model
    dd = Diagrams()
    (event,) = dd.events(compile_model(flat))
    reached = (event | dd.identity).closure()(dd.point({2: 1, 1: 0}))
    assert sorted(reached) == [(1, 0), (2, 2), (4, 3), (8, 5), (16, 6)]


def test_iteration_goes_on_beyond_one_batch() -> None:
    dd = Diagrams()
    digits = dd.unit
    for variable in (1, 2, 3, 4):
        digits = dd.node(variable, dict.fromkeys(range(10), digits))
    assert len(list(digits)) == len(set(digits)) == 10_000
    assert len(digits.pick(17)) == 17


def test_nonsense_is_refused_and_limits_are_kept() -> None:
    dd, other = Diagrams(), Diagrams()
    x = dd.point({2: 0, 1: 0})
    with pytest.raises(ValueError, match="other diagrams"):
        x | other.point({2: 0, 1: 0})
    with pytest.raises(ValueError, match="decrease"):
        dd.node(2, {0: x})
    with pytest.raises(ValueError, match="variables are numbered"):
        dd.increment(0, 1)
    with pytest.raises(ValueError, match="no comparison"):
        dd.compare(1, "<>", 1)
    with pytest.raises(ValueError, match="not known to be a selector"):
        ~dd.increment(1, 1)
    with pytest.raises(ValueError, match="other diagrams"):
        dd.identity | other.identity
    with pytest.raises(ValueError, match="empty sequence"):
        dd.node(3, [(dd.unit, dd.unit)])
    counting = dd.increment(1, 1) @ dd.compare(1, "<", 2_000_000_000)
    dd.limit(timeout=0.2)
    with pytest.raises(_core.StoppedError):
        (counting | dd.identity).closure()(x)
    dd.limit()
    assert (dd.increment(1, 1) @ dd.increment(1, -1))(x) == x
    assert "digraph" in x.dot({1: "low", 2: "high"})
