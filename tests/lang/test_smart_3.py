"""Programs as version 3 of SMART writes them."""

import math

import pytest
from tests.lang.test_smart import printed

from plait.api import System
from plait.errors import InputError
from plait.lang.smart import program

RING = """
pn ring(int n) := {
  for (int i in {0..n-1}) {
    place idle[i], busy[i];
    trans start[i], stop[i];
    partition({idle[i], busy[i]});
    bound({idle[i], busy[i]}:1);
    init(idle[i]:1);
  }
  for (int i in {0..n-1}) {
    arcs(idle[i]:start[i], start[i]:busy[i], busy[i]:stop[i], stop[i]:idle[i]);
    inhibit(busy[(i+n-1)%n]:start[i], busy[(i+1)%n]:start[i]);
    firing(start[i]:expo(min(1.0, n/(tk(idle[i])+1)) * tk(idle[i])), stop[i]:expo(0.5*tk(busy[i])));
  }
  bigint states := num_states;
  bigint steps := num_arcs;
  stateset first := reachable & potential(tk(busy[0]) > 0);
  stateset rest := reachable \\ first;
  void tell := { print("ring of ", n); print(": ", states, " states\\n"); };
};
"""


def test_a_net_of_version_3_is_explored() -> None:
    text = """
    # Report + procgen
    # MeddlyProcessGeneration SATURATION
    # MCSolver GAUSS_SEIDEL {
       Precision 1e-9
    }
    """
    asked = """
    model m := ring(4);
    compute(m.steps);
    m.tell;
    print(m.steps, " ", card(m.first), " ", card(m.rest), " ", card(m.first | m.rest) == m.states);
    """
    space = System(program(text + RING).model("ring", 4)).states()
    assert (space.states, space.arcs) == (7, 16)
    assert printed(text + RING + asked) == "ring of 4: 7 states\n16 2 5 true"


def test_operators_bind_as_in_version_3() -> None:
    text = """
    print(1+5%3, " ", 2*3%4, " ", 7%2*3, " ", false -> false, " ", int(2.75), " ", real(2), "\\f");
    """
    assert printed(text) == "3 2 1 true 2 2.0"


def test_sets_are_printed_and_the_past_has_names_of_its_own() -> None:
    text = """
    pn line(int n) := {
      place a, b, c;
      trans t, u;
      init(a:n);
      arcs(a:t, t:b, b:u, u:c);
      stateset old := EY(potential(tk(a) == n));
      stateset past := EP(potential(tk(b) > 0));
      stateset both := AH(reachable) & ES(reachable, initial);
      stateset none := !reachable;
      bool same := past == (reachable \\ initial);
    };
    print(line(1).old, line(1).past, line(1).none, " ", line(1).same, "\\n");
    # PNMarkingStyle SAFE
    print(line(1).old, line(2).past, "\\n");
    # MaxPrintedItems 1
    print(line(2).both);
    """
    lines = printed(text).split("\n")
    assert lines[0] == "{[b:1]}{[c:1], [b:1]}{} true"
    assert lines[1] == "{[b]}{[c:2], [b, c], [b:2], [a, c], [a, b]}"
    assert lines[2] == "{[a:2], ...}"
    with pytest.raises(InputError, match="of different nets"):
        printed(text + "print(line(1).old | line(2).old);")


def test_what_is_asked_for_is_read() -> None:
    words = iter(["3", "y", "0.5", "x"])
    text = """
    int n := read_int("the number");
    bool more := read_bool("whether there is more");
    print(n + n, more, read_real("a rate"));
    print(read_int("another"));
    """
    found: list[str] = []
    with pytest.raises(InputError, match="'read_int' found 'x'"):
        program(text).run(found.append, lambda _: next(words))
    assert "".join(found) == "6true0.5"
    with pytest.raises(InputError, match="nothing more to read"):
        printed('print(read_int("n"));')


@pytest.mark.parametrize("n", [2, 3, 4])
def test_places_may_change_their_tokens_with_each_other(n: int) -> None:
    text = """
    pn sorting(int n) := {
      for (int i in {1..n}) { place a[i]; init(a[i]:i); }
      for (int i in {2..n}) {
        trans t[i];
        arcs(a[i-1]:t[i]:tk(a[i-1]), a[i]:t[i]:tk(a[i]));
        arcs(t[i]:a[i-1]:tk(a[i]), t[i]:a[i]:tk(a[i-1]));
      }
      bigint states := num_states;
    };
    """
    assert printed(text + f"print(sorting({n}).states);") == str(math.factorial(n))
    for engine in ("explicit", "symbolic", "reference"):
        space = System(program(text).model("sorting", n)).states(engine=engine)
        assert space.states == math.factorial(n)


def test_a_function_that_does_something_does_it_each_time() -> None:
    text = """
    void say(int n) := { print(n); cond(n > 0, say(n - 1), null); };
    say(2);
    say(2);
    """
    assert printed(text) == "210210"
