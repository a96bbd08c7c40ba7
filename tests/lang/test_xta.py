"""Timed automata: Fischer's protocol, channels of all kinds, clock activity, located errors."""

import re
from pathlib import Path

import pytest
from tests.time.random_automata import Automata, random_network

from plait.api import System
from plait.errors import InputError
from plait.lang import language_of, load
from plait.lang.xta import parse
from plait.reference import Semantics
from plait.time.duration import earliest

FISCHER = """// Who has written its name waits longer than writing takes.
const int K = 2;
int[0,N] id;
process P(const int[1,N] pid) {
  clock x;
  state idle, req { x <= K }, wait, cs;
  init idle;
  trans idle -> req { guard id == 0; assign x := 0; },
        req -> wait { guard x <= K; assign x := 0, id := pid; },
        wait -> req { guard id == 0; assign x := 0; },
             -> cs { guard x > K && id == pid; },
        cs -> idle { assign id := 0; };
}
system P;
"""


def fischer(processes: int, guard: str = "x > K") -> System:
    text = FISCHER.replace("x > K", guard)
    return System(parse(f"const int N = {processes};\n{text}", "fischer"))


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_fischers_protocol_excludes_as_it_is_known_to(processes: int) -> None:
    """covers: I131"""
    right, wrong = fischer(processes), fischer(processes, "x >= K")
    asked = 'never: "P(1).cs" && "P(2).cs"'
    assert right.check(asked).verdict == "true"
    assert right.check('reachable: "P(2).cs"').verdict == "true"
    assert right.check("deadlock").verdict == "true"
    broken = wrong.check(asked)
    assert broken.verdict == "false"
    assert broken.witness is not None


@pytest.mark.parametrize("part", range(4))
def test_what_is_reached_and_when_is_what_the_definition_says(part: int) -> None:
    """Locations, binary, urgent and broadcast channels, invariants, urgent and committed locations,
    and clocks that are dropped where they do not matter.

    covers: I131
    """
    for seed in range(40 * part, 40 * (part + 1)):
        compare(random_network(seed))


def compare(network: Automata) -> None:
    """All that is reached, and the least time to it."""
    model = parse(network.text())
    graph = Semantics(model).reachable()
    count = len(network.processes)
    times: dict[int, int] = {}
    layer, now = [0], 0
    while layer:
        later: list[int] = []
        while layer:
            at = layer.pop()
            if at not in times:
                times[at] = now
                for event, after in graph.arcs[at]:
                    (later if event == "elapse" else layer).append(after)
        layer, now = later, now + 1
    found: dict[tuple[tuple[int, ...], int], int] = {}
    for number, state in enumerate(graph.states):
        key = state[1 : count + 1], state[0]
        found[key] = min(times[number], found.get(key, times[number]))
    assert found == network.earliest(), network.text()


def test_a_clock_that_does_not_matter_makes_no_states() -> None:
    """covers: I131"""
    text = """
    process P() {
      clock x;
      state a { x <= 50 }, b, c;
      init a;
      trans a -> b { guard x >= 10; }, b -> c { }, c -> a { assign x := 0; };
    }
    system P;
    """
    space = System(parse(text)).states()
    # Fifty-one values before x is forgotten, and one state in each of the other locations.
    assert space.states == 51 + 1 + 1


def test_parameters_selects_arrays_and_references() -> None:
    text = """
    typedef int[0,2] id_t;
    const int delay[3] = {1, 2, 4};
    int turn = 0, sum;
    bool done[id_t];
    chan go[3];
    process Worker(const id_t me, int &count) {
      clock x;
      int[0,9] own;
      state rest, work { x <= delay[me] }, end;
      init rest;
      trans rest -> work { sync go[me]?; assign x := 0; },
            work -> end { guard x == delay[me]; assign count += me, own++, done[me] := true; };
    }
    process Boss() {
      state s;
      init s;
      trans s -> s {
        select i : id_t; guard !done[i] && turn == i; sync go[i]!; assign turn := i + 1;
      };
    }
    A = Worker(0, sum); B := Worker(1, sum); C = Worker(2, sum);
    system A, B, C, Boss;
    """
    model = parse(text)
    system = System(model)
    assert system.check("reachable: A.end && B.end && C.end && sum == 3").verdict == "true"
    assert system.check("never: sum > 3").verdict == "true"
    asked = system._property("reachable: C.end").body
    assert earliest(model, asked).time == 4  # type: ignore[arg-type]


def test_a_broadcast_is_heard_by_all_who_can_and_needs_nobody() -> None:
    text = """
    broadcast chan b;
    int n;
    process S() { state s, t; init s; trans s -> t { sync b!; assign n := 1; }; }
    process R(int[0,1] k) { state s, t; init s; trans s -> t { guard n == k; sync b?; }; }
    system S, R;
    """
    system = System(parse(text))
    # Who hears is decided before the sender's update.
    assert system.check('reachable: S.t && "R(0).t"').verdict == "true"
    assert system.check('never: "R(1).t"').verdict == "true"
    assert system.check('never: S.t && "R(0).s"').verdict == "true"


def test_one_committed_side_is_enough_even_where_others_are_committed() -> None:
    text = """
    chan a;
    process C() { state s, t; commit s; init s; trans s -> t { sync a!; }; }
    process D() { state s, t; commit s; init s; trans s -> t { }; }
    process R() { state s, t; init s; trans s -> t { sync a?; }, s -> s { }; }
    system C, D, R;
    """
    system = System(parse(text))
    assert system.check("reachable: C.t && R.t && D.s").verdict == "true"
    # R does not move alone, and no time passes, before both have left.
    assert system.states().states == 4
    assert system.check("EF (C.s && D.s && EX (C.s && D.s))").verdict == "false"


@pytest.mark.parametrize(
    ("before", "after", "message", "line"),
    [
        ("system P;", "system Q;", "no process named 'Q'", 15),
        ("init idle;", "", "process 'P' has no initial location", 5),
        ("init idle;", "init idel;", "has no location 'idel'", 8),
        ("x <= K }", "x - y <= K }", "'y' is not declared", 7),
        ("x <= K }", "x + id <= K }", "a clock is compared with a number", 7),
        ("x <= K }", "x <= id + x }", "a clock is compared with a number", 7),
        ("x <= K }", "x' == 2 }", "its rate is 0 or 1", 7),
        ("assign id := 0;", "assign id := x;", "the value of a clock cannot be assigned", 13),
        ("assign id := 0;", "assign K := 0;", "only a variable or a clock", 13),
        ("assign id := 0;", "assign id := f(0);", "'f' is not declared", 13),
        ("guard id == 0;", "sync id!;", "'id' is not a channel", 9),
        ("clock x;", "clock x, x;", "'x' is declared twice", 6),
        ("clock x;", "struct { clock a; } x;", "clocks and channels in structures", 6),
        ("clock x;", "clock x; int f(int a) { return f(a); }", "'f' is not declared", 6),
        ("clock x;", "clock x, y[2]; int z = y;", "'y' is an array", 6),
        ("int[0,N] id;", "int[0,N] id; chan a, b; chan priority a < b;", "'default' has no", 4),
        ("const int K = 2;", "const int K;", "the constant 'K' has no value", 3),
        ("int[0,N] id;", "int[3,N] id;", "this range is empty", 4),
        ("system P;", "system P", "expected ';'", 15),
    ],
)
def test_a_mistake_is_shown_where_it_is(before: str, after: str, message: str, line: int) -> None:
    text = f"const int N = 2;\n{FISCHER}".replace(before, after, 1)
    with pytest.raises(InputError) as raised:
        parse(text)
    found = raised.value.diagnostics[0]
    assert message in found.message
    assert found.span is not None
    assert found.span.line == line


def test_a_constant_array_may_be_read_where_a_variable_says() -> None:
    text = """const int T[3] = {1, 2, 4};
int[0,2] i; int s;
process P() {
  const bool on[2] = {true, false};
  state a; init a;
  trans a -> a { guard i < 2 && T[i] < T[2] && on[0]; assign s := s + T[i], i := i + 1; };
}
system P;
"""
    model = System(parse(text))
    assert model.check("bounds: s").value == 3
    assert model.states().states == 3
    with pytest.raises(InputError, match="only a variable or a clock can be assigned"):
        parse(text.replace("s := s", "T[i] := s"))
    with pytest.raises(InputError, match="the array has no cell 3"):
        parse(text.replace("T[2]", "T[3]"))


def test_a_variable_may_be_called_location() -> None:
    text = """process P() {
  int[0,2] location = 1;
  state a, b; init a;
  trans a -> b { guard location == 1; assign location := 2; };
}
system P;
"""
    model = System(parse(text))
    assert model.check("never: P.b && P.location == 1").verdict == "true"
    assert model.check("reachable: P.b && P.location == 2").verdict == "true"


def test_arrays_have_rows_and_indices_of_a_type() -> None:
    text = """typedef const int[1,3] id_t;
const int step[id_t][2] = {{1, 2}, {10, 20}, {100, 200}};
const int MANY = 100000;
int[0,9] grid[2][id_t]; int[0,500] s; int[0,4] k;
chan go[2][id_t];
process P(const id_t me) {
  state a, b; init a;
  trans a -> b { select side : int[0,1]; sync go[side][me]!;
                 assign grid[side][me] := me, s := s + step[me][side]; };
}
process Q() {
  state a; init a;
  trans a -> a { select i : id_t; sync go[1][i]?; assign k++; };
}
process Out() {
  state a, b; init a;
  trans a -> b { guard k == 3 && grid[0][k + 1] == 0; };
}
system P, Q, Out;
"""
    system = System(parse(text))
    assert system.check("bounds: s").value == 222
    assert system.check("reachable: grid[0] > 0 || grid[1] > 0 || grid[2] > 0").verdict == "false"
    assert system.check("reachable: grid[3] == 1 && grid[4] == 2 && grid[5] == 3").verdict == "true"
    # the cell behind the first row is none of the second
    assert system.check("reachable: Out.b").verdict == "false"
    assert system.states().states == 8
    with pytest.raises(InputError, match="the array has no cell 0"):
        parse(text.replace("step[me]", "step[0]"))
    with pytest.raises(InputError, match="2 values for 3 cells"):
        parse(text.replace("}, {100, 200}}", "}}"))


DOCUMENT = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://example.org/flat.dtd'>
<nta><declaration>// Zeichen: \u00e4\u00f6
const int N = 2; const int K = 2; int[0,N] id; // &lt;- who</declaration>
<template><name x="5" y="5">P</name><parameter>const int[1,N] pid</parameter>
<declaration>clock x;</declaration>
<location id="id0" x="1" y="2"><name>idle</name></location>
<location id="id1"><name>req</name><label kind="invariant">x &lt;= K</label></location>
<location id="id2"><label kind="comments">no name &amp; no matter</label></location>
<location id="id3"><name>cs</name></location>
<init ref="id0"/>
<transition><source ref="id0"/><target ref="id1"/><label kind="guard">id == 0 // free</label>
 <label kind="assignment">x := 0</label><nail x="1" y="1"/></transition>
<transition><source ref="id1"/><target ref="id2"/><label kind="guard">x&lt;=K</label>
 <label kind="assignment">x = 0, id = pid</label></transition>
<transition><source ref="id2"/><target ref="id1"/><label kind="guard">id == 0</label>
 <label kind="assignment">x := 0</label></transition>
<transition><source ref="id2"/><target ref="id3"/>
 <label kind="guard">x &gt; K &amp;&amp; id == pid</label></transition>
<transition><source ref="id3"/><target ref="id0"/>
 <label kind="assignment">id := 0</label></transition>
</template><system>system P;</system></nta>
"""


def test_a_document_is_the_text_that_its_labels_make() -> None:
    text = f"const int N = 2;\n{FISCHER}".replace("wait", "_id2")
    document, written = System(parse(DOCUMENT, "m")), System(parse(text, "m"))
    assert document.model.system.events == written.model.system.events
    assert document.states().states == written.states().states
    assert document.check('never: "P(1).cs" && "P(2).cs"').verdict == "true"


@pytest.mark.parametrize(
    ("before", "after", "message", "shown"),
    [
        ("x&lt;=K", "x&lt;=L", "'L' is not declared", "L</label>"),
        ("K &amp;&amp; id", "K &amp;&amp; ip", "'ip' is not declared", "ip =="),
        ("clock x;", "clock x#;", "unexpected character '#'", "#;"),
        ("</template>", "", "mismatched tag", "nta>"),
        ("<!DOCTYPE nta PUBLIC", "<!DOCTYPE nta [<!ENTITY a 'b'>]><!--", "entities", "'b'"),
    ],
)
def test_a_mistake_in_a_document_is_shown_where_it_is(
    before: str, after: str, message: str, shown: str
) -> None:
    text = DOCUMENT.replace(before, after, 1)
    with pytest.raises(InputError) as raised:
        parse(text)
    found = raised.value.diagnostics[0]
    assert message in found.message
    assert found.span is not None
    assert text.split("\n")[found.span.line - 1][found.span.column - 1 :].startswith(shown)


def test_a_document_is_known_by_how_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "fischer.xml"
    file.write_text(DOCUMENT)
    assert language_of(file) == "xta"
    assert System(load(file)).states().states == System(parse(DOCUMENT)).states().states


QUERIES = """<queries>
<query><formula>A[] forall (i : int[1,N]) forall (j : int[1,N])
  P(i).cs &amp;&amp; P(j).cs imply i == j</formula><comment>safe</comment></query>
<query><formula>E&lt;&gt; P(2).cs and id == 2</formula></query>
<query><formula>E&lt;&gt; exists (i : int[1,N]) P(i).cs and id != i</formula></query>
<query><formula>A&lt;&gt; P(1).cs</formula></query>
<query><formula>E[] not P(1).cs</formula></query>
<query><formula>P(1).req --&gt; P(1)._id2</formula></query>
<query><formula>P(1).req --&gt; P(1).cs</formula></query>
<query><formula>A[] P(1).x &lt;= 3</formula></query>
<query><formula>A[] not deadlock</formula></query>
<query><formula>Pr[&lt;=10] (&lt;&gt; P(1).cs)</formula></query>
<query><formula>simulate [&lt;=10] { 0.5 }</formula></query>
<query><formula>A[] true) </formula></query>
<query><formula></formula></query>
<query><formula>E&lt;&gt; P(1).cs // the last</formula></query>
</queries></nta>"""


def test_the_queries_of_a_document_are_its_properties() -> None:
    system = System(parse(DOCUMENT.replace("</nta>", QUERIES)))
    names = [p.name for p in system.model.properties]
    assert names == [f"query {i}" for i in (*range(1, 10), 14)]
    answers = {p.name: system.check(p).verdict for p in system.model.properties}
    assert answers == {
        "query 1": "true",
        "query 2": "true",
        "query 3": "false",
        "query 4": "false",
        "query 5": "true",
        "query 6": "true",
        "query 7": "false",
        "query 8": "false",
        "query 9": "true",
        "query 14": "true",
    }
    assert system.model.properties[1].text == "E<> P(2).cs and id == 2"


def test_a_condition_may_be_about_all_cells_of_an_array() -> None:
    text = """int[0,2] a[3];
process P() {
  state s, t; init s;
  trans s -> s { select i : int[0,2]; guard a[i] < 2 && exists (j : int[0,2]) a[j] == 0;
                 assign a[i]++; },
        s -> t { guard forall (j : int[0,2]) a[j] > 0 && a[0] == 1; };
}
system P;
"""
    system = System(parse(text))
    assert system.check("reachable: P.t").verdict == "true"
    assert system.check("reachable: P.t && a[0] == 2").verdict == "false"
    assert system.check("reachable: a[0] == 2 && a[1] == 2 && a[2] == 2").verdict == "false"
    with pytest.raises(InputError, match="more than 4 quantifiers"):
        parse(text.replace("forall (j", "forall (k : bool) " * 4 + "forall (j"))


@pytest.mark.parametrize(
    ("declared", "invariant", "wrong", "values"),
    [
        ("int v = 3;", "v <= 2", "v <= 2", "there v = 3"),
        ("int v;", "true, x < 0", "x < 0", "there P.x = 0"),
        ("int v, a[2] = {0, 4};", "x <= 3 && a[1] == v", "a[1] == v", "there a[1] = 4, v = 0"),
        ("", "false", "false", None),
    ],
)
def test_a_network_that_begins_outside_an_invariant_is_refused(
    declared: str, invariant: str, wrong: str, values: str | None
) -> None:
    text = f"{declared} process P() {{ clock x; state s {{ {invariant} }}; init s; }} system P;"
    with pytest.raises(InputError) as raised:
        parse(text, "m")
    (found,) = raised.value.diagnostics
    assert "the invariant of 'P.s', where the process begins, does not hold" in found.message
    assert found.hint == values
    assert found.span is not None
    assert text[found.span.column - 1 :].startswith(wrong)


def test_a_network_may_begin_at_the_end_of_an_invariant() -> None:
    text = """int[0,3] v = 2; const int c[4] = {9, 9, 1, 9};
    process P() { clock x; state s { v == 2 && x <= 0, c[v] < 2 }, t { v == 0 };
    init s; trans s -> t { assign v := 0; }; } system P;"""
    assert System(parse(text)).states().states == 2


def test_an_argument_is_the_cell_that_a_parameter_computes() -> None:
    text = """const int N = 2; int next(int i) { return i + 1; }
broadcast chan pass[N+1]; int[0,9] v[N+1];
process P(broadcast chan &a, broadcast chan &b, int[0,9] &w) {
  state s, t; init s; trans s -> t { sync a?; }, t -> s { sync b!; assign w = 7; }; }
Q(const int[0,N-1] i) = P(pass[i], pass[i+1], v[next(i)]);
process Begin() { state s; init s; trans s -> s { sync pass[0]!; }; }
system Q, Begin;
"""
    system = System(parse(text))
    assert system.check("reachable: v[2] == 7 && v[1] == 7").verdict == "true"
    assert system.check("reachable: v[2] == 7 && v[1] == 0").verdict == "false"
    assert system.check("bounds: v[0]").value == 0
    with pytest.raises(InputError, match="a constant is needed here"):
        parse(text.replace("pass[i+1]", "pass[v[i]]"))
    with pytest.raises(InputError, match="the array has no cell 3"):
        parse(text.replace("pass[i+1]", "pass[i+2]"))


def test_a_template_is_made_from_another() -> None:
    text = """int[0,40] s; int[0,9] t;
process P(const int a, int &v, const int b) {
  state off, on; init off;
  trans off -> on { assign v := v + 10 * a + b; };
}
Q(const int[1,2] i, int &w) = P(i, w, i + 1);
R(const int[1,2] k) = Q(k, s);
One = Q(1, s);
Nine() = P(0, t, 9);
system R, Nine;
"""
    system = System(parse(text))
    assert [p.name for p in system.model.system.processes] == ["R(1)", "R(2)", "Nine"]
    assert system.check("bounds: s").value == 12 + 23
    assert system.check("reachable: t == 9 && Nine.on").verdict == "true"
    assert System(parse(text.replace("system R, Nine", "system One"))).states().states == 2
    for before, after, message in (
        ("P(i, w, i + 1)", "P(i, w)", "'b' of 'P' is not given"),
        ("P(i, w, i + 1)", "P(i, w, j)", "'j' is not declared"),
        ("system R", "system Q", "'w' of 'Q' is not given"),
        ("R(const int[1,2] k) = Q(k, s)", "Q(const int k) = P(k, s, 1)", "declared twice"),
        ("Q(k, s);", "Q(k, s;", "this bracket is not closed"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            parse(text.replace(before, after))
