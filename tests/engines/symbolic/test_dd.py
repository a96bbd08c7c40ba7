"""`plait.dd`: diagrams as a library, against Python's own sets."""

import doctest
from itertools import product
from random import Random

import pytest

import plait.dd
from plait import _core, passes
from plait.dd import Below, Diagrams, Hom, Inductive, Set, union
from plait.lang.gal import parse
from plait.program import compile_model

TUPLES = list(product(range(3), repeat=3))


def test_the_example_of_the_module_prints_what_it_says() -> None:
    module = plait.dd
    test = doctest.DocTestParser().get_doctest(
        module.__doc__ or "", dict(vars(module)), "plait.dd", None, 0
    )
    assert test.examples
    found: list[str] = []
    assert doctest.DocTestRunner().run(test, out=found.append).failed == 0, "".join(found)


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


class Doubled(Inductive):
    """Twice the value of each of the variables 3, 2 and 1, but at most a limit."""

    name = "doubled"
    variables = (3, 2, 1)

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.parameters = (limit,)
        self.asked: list[tuple[int, int]] = []

    def at(self, variable: int, value: int) -> list[tuple[int, Below]]:
        self.asked.append((variable, value))
        return [(2 * value, self)] if 2 * value <= self.limit else []


class SumWithin(Inductive):
    """The sequences with a sum of at most `most`: what is left is a homomorphism of its own."""

    name = "sum within"
    variables = (3, 2, 1)
    selector = True

    def __init__(self, most: int) -> None:
        self.parameters = (most,)
        self.most = most
        self.end = most >= 0

    def at(self, variable: int, value: int) -> list[tuple[int, Below]]:
        return [(value, SumWithin(self.most - value))] if value <= self.most else []


class Spread(Inductive):
    """The value of variable 2, and one more; then a native homomorphism below."""

    name = "spread"
    variables = (2,)

    def __init__(self, below: Hom, after: Hom) -> None:
        self.below = below, after

    def at(self, variable: int, value: int) -> list[tuple[int, Below]]:
        return [(value, self.below), (value + 1, self.below[0])]


@pytest.mark.parametrize("seed", range(10))
def test_a_homomorphism_defined_in_python_composes_with_native_ones(seed: int) -> None:
    """covers: I15"""
    random, dd = Random(seed), Diagrams()
    a = {t for t in TUPLES if random.random() < 0.5}
    x = made(dd, a)
    doubled = dd.inductive(Doubled(100))
    assert set(doubled(x)) == {(2 * p, 2 * q, 2 * r) for p, q, r in a}
    chain = dd.increment(1, 1) @ doubled @ dd.compare(3, "<", 2)
    assert set(chain(x)) == {(2 * p, 2 * q, 2 * r + 1) for p, q, r in a if p < 2}
    assert chain(x) == dd.increment(1, 1)(doubled(dd.compare(3, "<", 2)(x)))
    assert set((doubled | dd.assign(2, 9))(x)) == set(doubled(x)) | {(p, 9, r) for p, _, r in a}
    within = dd.inductive(SumWithin(3))
    assert within.is_selector
    assert set(within(x)) == {t for t in a if sum(t) <= 3}
    assert set((~within)(x)) == {t for t in a if sum(t) > 3}
    spread = dd.inductive(Spread(dd.increment(1, 5), dd.compare(1, ">", 0)))
    expected = {(p, q, r + 5) for p, q, r in a if r > 0} | {(p, q + 1, r + 5) for p, q, r in a}
    assert set(spread(x)) == expected


def test_a_closure_under_one_defined_in_python_is_saturated() -> None:
    """covers: I15"""
    dd = Diagrams()
    doubled = dd.inductive(Doubled(1000))
    raised = dd.increment(1, 1) @ dd.compare(1, "<", 3)
    reached = (doubled | raised | dd.identity).closure()(dd.point({3: 1, 2: 1, 1: 0}))
    expected, queue = set(), [(1, 1, 0)]
    while queue:
        p, q, r = one = queue.pop()
        if one not in expected:
            expected.add(one)
            queue += [(p, q, r + 1)] if r < 3 else []
            queue += [(2 * p, 2 * q, 2 * r)] if max(one) <= 500 else []
    assert set(reached) == expected


def test_python_is_asked_once_about_each_edge_of_a_node() -> None:
    """covers: I15"""
    dd = Diagrams()
    bits = dd.unit
    for variable in (1, 2, 3):
        bits = dd.node(variable, {0: bits, 1: bits})
    definition = Doubled(10)
    doubled = dd.inductive(definition)
    # Eight sequences, three nodes of two edges.
    assert len(doubled(bits)) == 8
    assert sorted(definition.asked) == [(v, b) for v in (1, 2, 3) for b in (0, 1)]
    assert doubled == dd.inductive(Doubled(10)) != dd.inductive(Doubled(11))
    doubled(bits)
    assert len(definition.asked) == 6
    # A variable above those that it does not skip is passed without a question.
    above = dd.node(9, {7: bits, 8: bits})
    assert len(doubled(above)) == 16
    assert len(definition.asked) == 6


def test_what_a_definition_raises_is_raised_and_the_diagrams_stay_usable() -> None:
    class Broken(Doubled):
        name = "broken"

        def at(self, variable: int, value: int) -> list[tuple[int, Below]]:
            if value == 2:
                raise ZeroDivisionError("at two")
            return [(value, self)]

    class Nameless(Doubled):
        name = "nameless"
        variables = ()

    dd = Diagrams()
    x = made(dd, set(TUPLES))
    with pytest.raises(ZeroDivisionError, match="at two"):
        dd.inductive(Broken(1))(x)
    with pytest.raises(ValueError, match="skips all variables"):
        dd.inductive(Nameless(1))
    with pytest.raises(ValueError, match="other diagrams"):
        dd.inductive(Spread(Diagrams().identity, dd.identity))(x)
    with pytest.raises(ValueError, match="different variables"):
        dd.inductive(Doubled(9))(dd.point({3: dd.point({1: 1})}))
    assert len(dd.inductive(Doubled(100))(x)) == len(TUPLES)
