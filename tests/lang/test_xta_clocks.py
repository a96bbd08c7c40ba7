"""Clocks of timed automata in arrays and with initial values, and ranges without numbers."""

import pytest

from plait.api import System
from plait.errors import InputError
from plait.lang.xta import parse
from plait.reference import Semantics


def test_clocks_stand_in_arrays_and_are_compared_with_variables() -> None:
    text = """int[1,4] n = 3;
process P() {
  clock x[int[1,2]];
  state a { x[1] <= n }, b { x[2] <= n + 1 }, c; init a;
  trans a -> b { guard x[1] >= n; assign x[2] := 0, n := 1; },
        b -> c { guard x[2] > n; };
}
system P;
"""
    model = parse(text)
    system = System(model)
    assert system.check("reachable: P.b").verdict == "true"
    # 3 units in `a`, 2 in `b`: at each unit one state, and after it the clocks matter no more
    assert system.states().states == 4 + 3 + 1


def test_nothing_is_chosen_from_a_range_of_no_numbers() -> None:
    """A system without its faulty processes: they are none of it, and nobody ranges over them."""
    text = """typedef int[2,1] id_t;
int[0,9] v = 1;
int f() { int n = 3; for (i : id_t) { n += i; } return n; }
process Good() {
  state a, b, c; init a;
  trans a -> b { guard forall (i : id_t) (i > 9); assign v = sum (i : id_t) (i + 1); },
        a -> c { guard exists (i : id_t) (i < 9); },
        a -> c { select i : id_t; assign v = i; },
        b -> c { assign v = f(); };
}
process Bad(id_t i) { state a; init a; trans a -> a { assign v = 7; }; }
system Good, Bad;
"""
    model = parse(text)
    assert [p.name for p in model.system.processes] == ["Good"]
    graph = Semantics(model).reachable()
    names = list(Semantics(model).cells)
    found = [(s[names.index("v")], s[names.index("Good.location")]) for s in graph.states]
    assert sorted(found) == [(0, 1), (1, 0), (3, 2)]
    with pytest.raises(InputError, match="this range is empty, and a variable has a value"):
        parse(text.replace("int n = 3;", "int n = 3; id_t k;"))


def test_a_clock_may_begin_at_a_number() -> None:
    text = """clock g = 4;
process P() {
  clock x = 3, y;
  state a { x <= 5 }, b, c; init a;
  trans a -> b { guard x >= 5 && g == 6 && y == 2; assign x = 0; }, b -> c { guard x >= 1; };
}
system P;
"""
    model = parse(text)
    assert System(model).check("reachable: P.c").verdict == "true"
    late = System(parse(text.replace("y == 2", "y == 3")))
    assert late.check("never: P.b").verdict == "true"
    # What no test tells apart is not kept.
    far = System(parse(text.replace("g = 4", "g = 1000")))
    assert far.states().states == 3
    with pytest.raises(InputError, match="does not hold in the initial state"):
        parse(text.replace("x = 3", "x = 6"))
    with pytest.raises(InputError, match="a clock is not negative"):
        parse(text.replace("x = 3", "x = -3"))
    with pytest.raises(InputError, match="only whole numbers are read"):
        parse(text.replace("x = 3", "x = 3.5"))


def test_a_variable_may_say_which_clock_of_an_array_is_meant() -> None:
    """The network with two clocks instead of an array behaves in the same way."""
    array = """clock x[int[1,2]];
process P() {
  int[1,3] i; int[0,3] n;
  state a { x[i] <= 3 }, b; init a;
  trans a -> a { guard x[i] >= 2 && n < 3; assign x[i] = 0, n++, i = 3 - i; },
        a -> b { guard n == 3 && !(x[i] >= 3); assign i = 3; },
        b -> b { guard x[i] > 0; }, b -> b { assign x[i] = 0; };
}
system P;
"""
    alone = """clock x1, x2;
process P() {
  int[1,3] i; int[0,3] n;
  state a { i == 1 ? x1 <= 3 : x2 <= 3 }, b; init a;
  trans a -> a { guard i == 1 && x1 >= 2 && n < 3; assign x1 = 0, n++, i = 2; },
        a -> a { guard i == 2 && x2 >= 2 && n < 3; assign x2 = 0, n++, i = 1; },
        a -> b { guard n == 3 && (i == 1 && x1 < 3 || i == 2 && x2 < 3); assign i = 3; };
}
system P;
"""
    one, other = (System(parse(text)) for text in (array, alone))
    counted = one.states(), other.states()
    assert counted[0].states == counted[1].states
    assert counted[0].arcs == counted[1].arcs
    for system in (one, other):
        assert system.check("reachable: P.b").verdict == "true"
        assert system.check("never: P.b && P.n < 3").verdict == "true"
