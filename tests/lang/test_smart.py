"""Programs of SMART's language: functions, arrays, fixed points, nets and their measures."""

from pathlib import Path

import pytest
from tests.conftest import ROOT

from plait.api import System
from plait.engines.budget import Budget
from plait.errors import InputError, LimitReached
from plait.lang.smart import program


def printed(text: str) -> str:
    """What a program prints."""
    found: list[str] = []
    program(text).run(found.append)
    return "".join(found)


def test_types_natures_functions_loops_arrays_and_sets_are_read() -> None:
    """covers: S14"""
    text = """
    /* every kind of thing that can be defined */
    const int two := 2;
    ph int X := geom(0.5);              // named, never asked for
    rand real Y := expo(2.5);
    bool even(int n) := mod(n, 2) == 0;
    bool odd(int n) := !even(n);
    int fib(int n) := cond(n < 2, n, fib(n - 1) + fib(n - 2));
    string name := "fib";
    for (int i in {1, 2, 4..8..2, 16}) {
      int f[i] := fib(i);
      for (int j in {1..two}) { int g[i][j] := i * 10 + j; }
    }
    print(name, " ", f[6], " ", g[16][2], " ", even(f[8]) & odd(f[4]), " ", {1..3, 7}, "\\n");
    """
    assert printed(text) == "fib 8 162 false {1, 2, 3, 7}\n"


def test_a_function_is_chosen_by_the_types_of_what_it_is_given() -> None:
    """covers: S15"""
    text = """
    int pow(int x, int n) := cond(n == 0, 1, x * pow(x, n - 1));
    real pow(real x, int n) := cond(n == 0, 1.0, x * pow(x, n - 1));
    """
    found = program(text)
    for given, expected in (((5, 3), 125), ((5.0, 3), 125.0)):
        value = found.value("pow", *given)
        assert value == expected
        assert type(value) is type(expected)
    assert printed(text + 'print(pow(5,3), " ", pow(5.0,3));') == "125 125.0"
    with pytest.raises(InputError, match=r"no 'pow' for \(string, int\)"):
        program(text).value("pow", "5", 3)


def test_an_array_may_have_real_indices() -> None:
    """covers: S16"""
    text = """
    for (int i in {1..2}, real x in {1..i..0.1}) { real a[i][x] := i * x; }
    print(a[1][1], " ", a[2][1.3], " ", a[2][1 + 7 * 0.1], " ", a[2][2]);
    """
    assert printed(text) == "1.0 2.6 3.4 4.0"
    with pytest.raises(InputError, match=r"there is no a\[1\]\[1.1\]"):
        printed(text + "print(a[1][1.1]);")


def sweeps(*options: str) -> list[float]:
    """What x and y are when a fixed point is believed to be there."""
    lines = "".join(f"# {o}\n" for o in options)
    text = "converge { real x guess 8.0; real y guess 8.0; real x := y / 2; real y := x / 2; }"
    text = lines + text
    return [float(v) for v in printed(text + 'print(x, " ", y);').split()]


def test_a_fixed_point_is_found_as_the_options_say() -> None:
    """covers: S17"""
    # x and y by turns: 4 2, 1 0.5, 0.25 0.125, ... until both change by less than one.
    assert sweeps("Criterion absolute", "Epsilon 1") == [0.25, 0.125]
    # Both from the values before: 4 4, 2 2, 1 1, 0.5 0.5.
    assert sweeps("Criterion absolute", "Epsilon 1", "Update sweep") == [0.5, 0.5]
    # Each change is three quarters of the value before, however small the values are.
    assert sweeps("Criterion relative", "Epsilon 0.8") == [4.0, 2.0]
    root = "# Epsilon 1e-12\nconverge { real x guess 1.0; real x := (x + 2 / x) / 2; } print(x);"
    assert printed(root) == "1.41421"
    with pytest.raises(InputError, match="runs away"):
        printed("converge { real x guess 2.0; real x := x * x; }")


def test_big_numbers_are_exact_and_small_ones_have_a_range() -> None:
    """covers: S18"""
    assert printed("bigint b := 1000*2000*3000*4000*5000; print(b);") == "120000000000000000"
    text = "bigint fact(bigint n) := cond(n == 0, 1, n * fact(n - 1)); print(fact(25));"
    assert printed(text) == "15511210043330985984000000"
    assert len(printed(text.replace("25", "2000"))) == 5736
    with pytest.raises(InputError, match="too many digits"):
        printed(f"print({'9' * 5000});")
    with pytest.raises(InputError, match="not in the range of int"):
        printed("int i := 1000*2000*3000; print(i);")


SAMPLE = """
spn net(int n) := {
  place p5, p4, p3, p2, p1;
  trans a, b, c, d, e;
  arcs(p5:a, a:p4, a:p2, p4:c, c:p3, p3:b, b:p4, p2:d, d:p1, p1:e, p3:e, e:p5);
  init(p5:n);
  bigint count := num_states(false);
  bool told := print("told once\\n");
};
"""


def test_a_measure_is_computed_once_when_it_is_asked_for_and_printed_with_a_width() -> None:
    """covers: S19"""
    assert printed(SAMPLE) == ""
    text = SAMPLE + "for (int n in {1..4}) { print(net(n).count:3); }"
    assert printed(text) == "  5 14 30 55"
    twice = SAMPLE + "print(net(1).told, net(1).told, net(2).told:6);"
    assert printed(twice) == "told once\ntold once\ntruetrue  true"


def test_all_statements_about_a_net_are_obeyed() -> None:
    """covers: S20"""
    text = """
    spn net(int n) := {
      for (int i in {1..2}) { place p[i]; trans t[i]; init(p[i]:n + i); }
      place q, r, flag;
      trans flush, move, now, never;
      arcs(p[1]:t[1]:2, t[1]:q, p[2]:t[2], t[2]:q:2, q:flush:tk(q), flush:r, p[1]:move, move:p[2],
           flag:now, now:flag:0, r:never);
      inhibit(q:t[2], q:flush:cond(tk(p[1]) > 0, 4, 3));
      guard(flush:tk(q) > 0 & (tk(p[1]) == 0 | tk(q) >= 2), never:tk(q) < 0);
      firing(move:expo(tk(p[1])), now:0, t[1]:expo(2.0));
      weight(now:0.5);
      init(flag:0);
      bigint count := num_states(false);
    };
    """
    for n in (0, 1, 2):
        space = System(program(text).model("net", n)).states(engine="explicit")
        assert space.states == len(by_hand(n))
        assert printed(text + f"print(net({n}).count);") == str(len(by_hand(n)))


def by_hand(n: int) -> set[tuple[int, ...]]:
    """The markings of the same net, written down again: p1, p2, q, r."""
    first: tuple[int, ...] = (n + 1, n + 2, 0, 0)
    seen, waiting = {first}, [first]
    while waiting:
        p1, p2, q, r = waiting.pop()
        after = []
        if p1 >= 2:
            after.append((p1 - 2, p2, q + 1, r))
        if p2 >= 1 and q < 1:
            after.append((p1, p2 - 1, q + 2, r))
        if q > 0 and (p1 == 0 or q >= 2) and q < (4 if p1 > 0 else 3):
            after.append((p1, p2, 0, r + 1))
        if p1 >= 1:
            after.append((p1 - 1, p2 + 1, q, r))
        for marking in after:
            if marking not in seen:
                seen.add(marking)
                waiting.append(marking)
    return seen


def test_immediate_transitions_go_first_and_their_markings_are_not_seen() -> None:
    """covers: S20"""
    text = """
    spn net := {
      place p, q, r; trans slow, quick, other;
      arcs(p:slow, slow:q, q:quick, quick:r, q:other, other:p);
      firing(slow:expo(1.0), quick:0, other:expo(1.0)); init(p:2);
      bigint count := num_states(false);
    };
    print(net.count);
    """
    # 2, 1 and 0 tokens in p, the others in r: none stays in q.
    assert printed(text) == "3"


def test_both_forms_of_partition_number_the_levels() -> None:
    """covers: S21"""
    head = "spn net := { for (int i in {1..6}) { place p[i]; } trans t; arcs(p[1]:t); "
    numbered = program(head + "partition(3:p[1]:p[2], 1:p[3], 2:p[4]:p[5]:p[6]); };")
    assert numbered.levels("net") == {
        3: ["p[1]", "p[2]"],
        1: ["p[3]"],
        2: ["p[4]", "p[5]", "p[6]"],
    }
    mixed = head + "partition(2:p[1]); partition(p[2]:p[3], p[4], p[5]); partition(p[6]); };"
    assert program(mixed).levels("net") == {
        2: ["p[1]"],
        1: ["p[2]", "p[3]"],
        3: ["p[4]"],
        4: ["p[5]"],
        5: ["p[6]"],
    }
    down = program("# Levels down\n" + head + "partition(p[1], p[2], p[3]); };")
    assert down.levels("net") == {1: ["p[3]"], 2: ["p[2]"], 3: ["p[1]"]}
    with pytest.raises(InputError, match="has a level already"):
        program(head + "partition(p[1]:p[1]); };").model("net")


@pytest.mark.parametrize(
    "storage",
    ["AVL", "MDD_LOCAL_PREGEN", "MDD_FORWARDING_PREGEN", "MDD_SATURATION_PREGEN", "MDD_SATURATION"],
)
def test_every_storage_counts_the_same(storage: str) -> None:
    text = """
    spn net(int n) := {
      for (int i in {1..n}) {
        place up[i], down[i]; trans go[i]; arcs(up[i]:go[i], go[i]:down[i]); init(up[i]:1);
        partition(i:up[i]:down[i]);
      }
      for (int i in {2..n}) { trans both[i]; arcs(down[i]:both[i], both[i]:up[i]); }
      bigint count := num_states(false);
    };
    print(net(5).count);
    """
    assert printed(f"# StateStorage {storage}\n{text}") == "32"


def test_sets_of_states_are_computed_and_listed() -> None:
    text = SAMPLE.replace(
        "bool told",
        """stateset Some := potential(tk(p1) == n | tk(p5) == n);
        bool listed := printset(Some);
        bigint before := card(EF(Some));
        bool all := includes(reachable, Some) & equal(forward(initialstate), reachable);
        bool dead := neq(difference(reachable, prev(potential(true))), nostates);
        bool told""",
    )
    asked = 'print(net(1).listed, " ", net(1).before, " ", net(1).all, " ", net(1).dead);'
    assert printed(text + asked) == "{ p3:1 p1:1 }\n{ p4:1 p1:1 }\n{ p5:1 }\ntrue 5 true false"


def test_a_deep_recursion_is_computed_and_an_endless_one_ends() -> None:
    assert (
        printed("int sum(int n) := cond(n == 0, 0, 1 + sum(n - 1)); print(sum(20000));") == "20000"
    )
    with pytest.raises((InputError, LimitReached)):
        program("int f(int n) := f(n + 1); print(f(0));", budget=Budget(2.0, None)).run(
            lambda _: None
        )
    with pytest.raises(InputError, match="'a' is defined by itself"):
        printed("int a := b; int b := a; print(a);")
    deep = "(" * 20_000 + "1" + ")" * 20_000
    assert printed(f"print({deep});") == "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("print(x);", "'x' is not defined"),
        ("int x := true; print(x);", "an int was expected, not a bool"),
        ("int x := 1; int x := 2;", "'x' is defined twice"),
        ("print(1 / 0);", "division by zero"),
        ("for (int i in {1..3}) { print(i)", "expected ';'"),
        ("for (int i in {1..3}) { ", "this block is not closed"),
        ("# Storage MDD", "there is no option 'Storage'"),
        ("place p;", "a place stands in the body of a net"),
        ("spn n := { trans t; arcs(t:t); }; print(n.x);", "between a place and a transition"),
        ("spn n := { place p; init(p:-1); }; print(n.x);", "no fewer than 0 tokens"),
        ("spn n := { place p; bigint c := avg_ss(tk(p)); }; print(n.c);", "stochastic"),
        ("print(tk(1));", "there is no 'tk' for (int) here"),
        ("print({1..10000000});", "a set has at most"),
        (
            "spn n := { place p, q; trans t; arcs(p:t:tk(q), q:t:tk(p)); }; print(n.x);",
            "'x' is not defined",
        ),
    ],
)
def test_a_mistake_is_told(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        printed(text)
    assert message in raised.value.diagnostics[0].message


def test_weights_may_depend_on_each_other() -> None:
    text = """
    spn n := { place p, q; trans t; init(p:2, q:3); arcs(p:t:tk(q), q:t:tk(p), t:p:4, t:q:5); };
    """
    model = program(text.replace("q:3", "q:2")).model("n")
    assert System(model).states(engine="reference").states == 2


def test_the_example_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from plait.cli.main import run

    assert run(["smart", str(ROOT / "examples" / "sample.sm")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "n = 1:   5 states,    8 arcs, deadlock: false"
    assert len(lines) == 4
    assert run(["smart", str(tmp_path / "none.sm")]) == 2


@pytest.mark.parametrize("update", ["immediate", "sweep"])
def test_arrays_of_a_loop_take_part_in_a_fixed_point(update: str) -> None:
    text = f"""
    # Update {update}
    # Epsilon 1e-9
    converge {{
      real y guess 0.0;
      for (int i in {{1..2}}) {{ real x[i] := y + i; }}
      real y := x[1] / 2;
      converge {{ real z guess 1.0; real z := (z + y) / 2; }}
    }}
    print(y, " ", x[1], " ", x[2], " ", z);
    """
    assert printed(text) == "1.0 2.0 3.0 1.0"
    with pytest.raises(InputError, match="converge has guesses and definitions of numbers"):
        printed("converge { real x guess 1.0; for (int i in {1..2}) { print(i); } }")


BIG = "bigint two(int n) := cond(n == 0, 1, 2 * two(n - 1));\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("for (real x in {0..1e400}) { print(x); }", "a set has at most"),
        (BIG + "for (bigint i in {0..two(2000)}) { print(i); }", "a set has at most"),
        (BIG + "print(sqrt(two(2000)));", "too large for a real"),
        (BIG + "real x := two(2000); print(x);", "too large for a real"),
        ("print(1:2000000000);", "a width is at most 1000"),
        ("spn a(int n) := { place p; init(p: a(n + 1).k); int k := 1; }; print(a(0).k);", "deep"),
        ("converge { " * 1_000 + "}" * 1_000, "deep"),
    ],
)
def test_what_is_too_large_or_too_deep_is_refused_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        printed(text)
    assert raised.value.diagnostics[0].span is not None


def test_numbers_without_end_are_counted_and_compared() -> None:
    assert printed(BIG + "for (bigint i in {two(99)..two(99) + 1}) { print(i - two(99)); }") == "01"
    assert printed(BIG + "converge { bigint x guess two(2000); bigint x := x; } print(1);") == "1"
    assert printed("print({1..0}, {0..-1e400}, {3..1..-1}, {1..2.5});") == "{}{}{3, 2, 1}{1, 2}"


def test_a_loop_may_have_thousands_of_iterators() -> None:
    iterators = ", ".join(f"int i{k} in {{{k}..{k}}}" for k in range(3_000))
    assert printed(f"for ({iterators}) {{ print(i2999); }}") == "2999"


def test_what_failed_once_fails_again_for_the_same_reason() -> None:
    found = program("int x := mod(1, 0);")
    for _ in range(2):
        with pytest.raises(InputError, match="division by zero"):
            found.value("x")
