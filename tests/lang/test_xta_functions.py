"""Functions, structures, parameters of all kinds, branch points and queries of timed automata."""

import re
from random import Random

import pytest
from tests.time.random_programs import cells, random_program, random_state

from plait.api import System
from plait.errors import Diagnostic, InputError
from plait.lang.xta import parse
from plait.model.types import ElementaryType
from plait.reference import Semantics


@pytest.mark.parametrize("part", range(4))
def test_functions_do_what_an_interpreter_says(part: int) -> None:
    """From any state each edge leads where the interpreter comes, and leaves nothing behind."""
    moves = 0
    for seed in range(10 * part, 10 * (part + 1)):
        program = random_program(seed)
        semantics = Semantics(parse(program.text()))
        rest = tuple(semantics.initial[9:])
        dice = Random(seed)
        for _ in range(8):
            state = random_state(dice)
            expected = {cells(after) for after in program.successors(state)}
            found = list(semantics.successors((*cells(state), *rest)))
            assert all(tuple(after)[9:] == rest for _, after in found)
            after = {tuple(after)[:9] for event, after in found if event != "elapse"}
            assert after == expected, (seed, state, program.text())
            moves += len(expected)
    assert moves > 50


QUEUE = """
const int N = 3;
typedef int[0,N-1] id_t;
typedef struct { id_t cells[N]; int[0,N] size; } queue_t;
queue_t waiting;
bool busy[id_t];
chan enter[id_t], leave[id_t];

bool has(const queue_t &q, id_t who) {
  int i;
  for (i = 0; i < q.size; i++)
    if (q.cells[i] == who) return true;
  return false;
}
void put(queue_t &q, id_t who) { q.cells[q.size++] = who; }
id_t take(queue_t &q) {
  id_t first = q.cells[0];
  int i = 0;
  q.size--;
  while (i < q.size) { q.cells[i] = q.cells[i + 1]; i++; }
  q.cells[i] = 0;
  return first;
}

process Client(const id_t me) {
  state out, in;
  init out;
  trans out -> in { guard not has(waiting, me); sync enter[me]!; },
        in -> out { sync leave[me]?; };
}
process Desk() {
  id_t last;
  state open, calling;
  commit calling;
  init open;
  trans open -> open { select who : id_t; sync enter[who]?;
          assign put(waiting, who), busy[who] = 1; },
        open -> calling { guard waiting.size > 0; assign last = take(waiting), busy[last] = 0; },
        calling -> open { sync leave[last]!; };
}
system Client, Desk;
"""


def test_a_queue_of_functions_on_a_structure_serves_in_order() -> None:
    system = System(parse(QUEUE))
    # 16 lists of different clients for each one that was called last, and while one is called
    # the 5 lists of the two others.
    assert system.states().states == 3 * 16 + 3 * 5
    assert system.check("never: waiting.size > 3").verdict == "true"
    assert system.check("deadlock").verdict == "true"
    assert system.check('reachable: waiting.size == 3 && "Client(2).in"').verdict == "true"
    same = 'never: waiting.size == 2 && "waiting.cells"[0] == "waiting.cells"[1]'
    assert system.check(same).verdict == "true"
    twins = 'AG (busy[1] == 1 -> "Client(1).in")'
    assert system.check(twins).verdict == "true"


def values(text: str, *names: str) -> set[tuple[int, ...]]:
    """The values of variables that are reached together."""
    model = parse(text)
    assert isinstance(model.system, ElementaryType)
    cells = list(Semantics(model).cells)
    graph = Semantics(model).reachable()
    return {tuple(state[cells.index(n)] for n in names) for state in graph.states}


def one_edge(declared: str, update: str, guard: str = "true") -> str:
    return f"""{declared}
    process P() {{ state a, b; init a; trans a -> b {{ guard {guard}; assign {update}; }}; }}
    system P;"""


@pytest.mark.parametrize(
    ("declared", "update", "expected"),
    [
        ("int[0,9] v;", "v = 7 <? 3 + 1, v += 2 >? 1, v *= 1", 6),
        ("int[0,9] v = 3;", "v = v > 2 ? v < 3 ? 1 : 2 : 3", 2),
        ("int[0,9] v, w;", "w = v = 4, v = w++ + w", 9),
        ("int[0,9] v = 5;", "v -= 2, v <<= 1, v %= 4, v |= 4, v ^= 1", 7),
        ("int[0,9] v; int[0,9] a[2][2] = {{1, 2}, {3, 4}};", "v = sum (i : int[0,1]) a[i][i]", 5),
        ("int8_t v; uint8_t w = 255;", "v = w / 2", 127),
        ("int v; int f() { int i, n; do n += i++; while (i < 5); return n; }", "v = f()", 10),
        ("int v; bool f(int &x) { x++; return false; }", "f(v) && f(v), f(v) || f(v)", 3),
        ("int v; int f() { return 2; } const int K = f() + 1;", "v = K", 3),
        (
            "int v; typedef struct { int a; int b[2]; } t; const t c = { 1, { 2, 3 } }; t x;"
            "t g(t y) { y.b[1] += y.a; return y; }",
            "x = g(c), x = g(x), v = x.b[1] * (x == c ? 0 : 1)",
            5,
        ),
        (
            "int v; typedef int[0,9] two[2]; const two p = { 1, 2 }; two q = { 3, 4 }, r;"
            "two g(int n) { return n > 2 ? p : n > 1 ? q : r; }",
            "r = v ? p : q, v += 100 * r[1], r = g(2), v += 10 * r[0], r = g(3), v += r[1]",
            432,
        ),
        ("int v = INT8_MIN;", "v += UINT16_MAX \\\n - INT16_MAX", 32640),
        ("int v; void f(int n) { for (i : int[1,3]) { int j = i; while (j > n) j--; v += j; } }",
         "f(2)", 5),
        ("int v; void f() { if (v == 0) { v = 1; return; } v = 2; }", "f(), f(), v += 5", 7),
    ],
)  # fmt: skip
def test_an_update_gives(declared: str, update: str, expected: int) -> None:
    assert values(one_edge(declared, update), "v", "P.location") >= {(expected, 1)}


def test_what_is_given_by_reference_is_changed_where_it_stands() -> None:
    """A parameter may be a cell, a row of an array or a field; which one is settled at the call."""
    text = one_edge(
        """int[0,9] a[2][2], i; typedef struct { int[0,9] n[2]; } t; t s[2];
        void set(int[0,9] &x, int[0,9] y) { i = 1; x = y; }
        void row(int[0,9] &r[2], int[0,9] y) { r[i] = y; }
        int[0,9] first(int[0,9] r[2]) { r[0]++; return r[0]; }""",
        "set(a[i][i], 5), row(a[1], 6), row(s[0].n, 7), i = first(a[0])",
    )
    names = ("a[0]", "a[1]", "a[2]", "a[3]", "s.n[0]", "s.n[1]", "s.n[2]", "i")
    assert values(text, *names) == {(0,) * 8, (5, 0, 0, 6, 0, 7, 0, 6)}


def test_templates_take_arrays_structures_and_channels() -> None:
    text = """
    typedef struct { int[0,3] from; int[0,3] to; } way;
    const way ways[2] = { { 0, 2 }, { 2, 3 } };
    int[0,3] at[2];
    chan go[2][2];
    process Walker(int[0,3] &here[2], const way w, chan &call[2], const int me) {
      state s; init s;
      trans s -> s { guard here[me] == w.from; sync call[me]?; assign here[me] = w.to; };
    }
    process Caller() {
      state s; init s; trans s -> s { select i : int[0,1], j : int[0,1]; sync go[i][j]!; };
    }
    A = Walker(at, ways[0], go[0], 0);
    B(int[0,1] n) = Walker(at, ways[n], go[n], 0);
    system A, B, Caller;"""
    assert values(text, "at[0]", "at[1]") == {(0, 0), (2, 0), (3, 0)}


def test_a_branch_point_leads_anywhere_whatever_the_weights() -> None:
    text = """
    int[0,9] v;
    process P() {
      state a, b, c; branchpoint n; init a;
      trans a -> n { guard v == 0; assign v = 1; },
            n -> b { probability 0; assign v += 1; }, n -> c { assign v += 2; probability 7; };
    }
    system P;"""
    assert values(text, "v", "P.location") == {(0, 0), (2, 1), (3, 2)}
    document = """<nta><declaration>int[0,9] v;</declaration><template><name>P</name>
    <location id="id0"/><location id="id1"/><branchpoint id="id2"/><init ref="id0"/>
    <transition><source ref="id0"/><target ref="id2"/></transition>
    <transition><source ref="id2"/><target ref="id1"/>
    <label kind="assignment">v = 3</label><label kind="probability">2</label></transition>
    <transition><source ref="id2"/><target ref="id0"/></transition>
    </template><system>system P;</system></nta>"""
    assert values(document, "v", "P.location") == {(0, 0), (3, 1)}
    with pytest.raises(InputError, match="a location, without guard or channel"):
        parse(text.replace("probability 0;", "guard v == 1;"))


def test_a_loop_over_what_it_remembers_ends_where_ranges_say_so() -> None:
    declared = """const bool free[4] = {0, 1, 1, 0}; int[0,4] at; int[0,4] taken;
    int[0,4] next(int[0,4] i, int[0,4] but) { while (i < 4 && (!free[i] || i == but)) i++;
    return i; }"""
    assert values(one_edge(declared, "at = next(at + 1, taken)"), "at") == {(0,), (1,)}
    again = declared.replace("int[0,4] at;", "int[0,4] at = 1;")
    assert values(one_edge(again, "at = next(at + 1, taken)"), "at") == {(1,), (2,)}
    last = again.replace("taken;", "taken = 2;")
    assert values(one_edge(last, "at = next(at + 1, taken)"), "at") == {(1,), (4,)}


def test_a_loop_over_an_array_of_a_hundred_ends_where_the_array_does() -> None:
    declared = """int row[100]; int used = 3; int[0,1] on;
    void drop() { int i; for (i = 0; i <= used - 2; i++) row[i] = row[i + 1]; used--; }"""
    assert values(one_edge(declared, "row[1] = 7, drop(), on = 1"), "row[0]", "used", "on") == {
        (0, 3, 0),
        (7, 2, 1),
    }


def test_no_step_survives_a_function_that_leaves_an_array() -> None:
    declared = """int[0,3] v; int[0,1] cell[1]; const int table[2] = {1, 2};
    void stop() { cell[2] = 1; } int none() { return table[5]; }
    void count() { v++; if (v > 2) stop(); }"""
    around = "process P() { state a; init a; trans a -> a { assign UPDATE; }; } system P;"
    assert values(declared + around.replace("UPDATE", "count()"), "v") == {(0,), (1,), (2,)}
    assert values(declared + around.replace("UPDATE", "v = none()"), "v") == {(0,)}
    with pytest.raises(InputError, match="the array has no cell 2"):
        parse(declared + around.replace("UPDATE", "cell[2] = 1"))


def test_a_loop_ends_where_ranges_say_so() -> None:
    declared = "int[0,3] n; int[0,9] v; void f() { int i; for (i = 0; i < n; i++) v += 2; }"
    assert values(one_edge(declared, "n = 3, f()"), "v") == {(0,), (6,)}
    unbounded = declared.replace("int[0,3] n", "int n")
    with pytest.raises(InputError, match="more than 104 rounds"):
        parse(one_edge(unbounded, "f()"))
    # No step survives an index outside its array, so this one ends at the latest there.
    within = unbounded.replace("v += 2", "a[i] = 1").replace("int n", "int[0,9] a[3]; int n")
    assert values(one_edge(within, "n = 2, f()"), "a[0]", "a[2]") == {(0, 0), (1, 0)}
    assert values(one_edge(within, "n = 4, f()"), "a[0]", "a[2]") == {(0, 0)}


def test_a_condition_may_ask_functions_with_loops() -> None:
    declared = """int[0,3] a[4] = { 2, 3, 1, 0 };
    int best() { int i, m = 0; for (i = 1; i < 4; i++) if (a[i] > a[m]) m = i; return m; }
    int[0,9] v;"""
    assert values(one_edge(declared, "v = best()", "best() == 1"), "v") == {(0,), (1,)}
    assert values(one_edge(declared, "v = best()", "best() != 1"), "v") == {(0,)}


def test_a_clock_may_be_compared_with_what_a_function_chooses() -> None:
    """Both ways of the function compare one clock, which stands twice in what the guard becomes."""
    declared = """clock c; int v, n = 1;
    int limit() { if (n > 0) return 2 + n; return 1; }"""
    model = parse(one_edge(declared, "v = 1", "c == limit()"))
    system = System(model)
    assert system.check("reachable: P.b && c == 3").verdict == "true"
    assert system.check("never: P.b && c < 3").verdict == "true"
    with pytest.raises(InputError) as raised:
        parse(one_edge(declared, "v = 1", "c == limit() && c + limit() > 3"))
    found = raised.value.diagnostics[0]
    assert "a clock is compared with a number" in found.message
    assert found.span is not None


@pytest.mark.parametrize(
    ("declared", "update", "message"),
    [
        ("void f() { }", "v = f()", "'f' gives no number"),
        ("int f(int x) { return x; }", "v = f()", "'f' takes 1 values, and 0 are here"),
        ("int a[2]; void f(int &x[3]) { }", "f(a)", "this cannot stand for 'x'"),
        ("int f() { return g(); }", "v = f()", "'g' is not declared"),
        ("double d;", "v = 1", "floating-point numbers are not read"),
        ("int f() { return 0.5; }", "v = f()", "only whole numbers are read"),
        ("int f() { return fint(random(3)); }", "v = f()", "belongs to stochastic models"),
        ("int a[2]; int b[3]; int c[2];", "a = v > 0 ? c : b", "not of the same type"),
        ("struct { int a; } s;", "v = s", "'s' is a structure; one of its fields is meant"),
        ("struct { int a; } s;", "v = s.b", "'s' has no field 'b'"),
        ("const int K = 1;", "K = 2", "only a variable or a clock can be assigned"),
        ("void f() { while (true) v = 1; }", "f()", "does not end within"),
        ("clock c; int f() { return c; }", "v = f()", "the value of a clock cannot be assigned"),
        ("hybrid clock c;", "v = 1", "hybrid clocks are not read"),
        ("int f() { break; }", "v = f()", "'break' is no statement"),
        ("int f() { int a[20000]; return 0; }", "v = f()", "more than 10000 cells"),
    ],
)
def test_what_is_wrong_is_said_where_it_is(declared: str, update: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(one_edge(f"int v; {declared}", update))
    found = raised.value.diagnostics[0]
    assert message in found.message
    assert found.span is not None


def test_a_condition_changes_nothing() -> None:
    with pytest.raises(InputError, match="a condition cannot change anything, as 'f' does"):
        parse(one_edge("int v; bool f() { v++; return true; }", "v = 1", "f()"))


def test_a_text_with_mistakes_is_refused_or_read() -> None:
    """Pieces of a text are lost, doubled and exchanged: what is no network gets a message."""
    dice = Random(1)
    read = 0
    for _ in range(150):
        pieces = re.findall(r"\w+|[^\w\s]|\s+", QUEUE)
        for _ in range(dice.choice((1, 1, 2))):
            at = dice.randrange(len(pieces))
            pieces[at] = dice.choice(("", pieces[at] * 2, dice.choice(pieces), "0", "(", "struct"))
        text = "".join(pieces)
        shown = mistake(text)
        read += shown is None
        assert shown is None or shown.span is not None, text
    assert 0 < read < 150


def mistake(text: str) -> Diagnostic | None:
    """The first message for a text, if there is one."""
    try:
        parse(text)
    except InputError as problem:
        return problem.diagnostics[0]
    return None


ASKED = """<nta><declaration>clock y; int[0,1] w;</declaration><template><name>P</name>
<declaration>clock x;</declaration>
<location id="i0"><name>a</name><label kind="invariant">x &lt;= 4</label></location>
<location id="i1"><name>b</name></location><location id="i2"><name>c</name></location>
<init ref="i0"/>
<transition><source ref="i0"/><target ref="i1"/><label kind="guard">x &gt;= 3</label></transition>
<transition><source ref="i1"/><target ref="i2"/><label kind="guard">x &gt;= 7</label></transition>
</template><system>system P;</system><queries>{}</queries></nta>"""


@pytest.mark.parametrize(
    ("query", "verdict"),
    [
        ("A[] not deadlock", "false"),
        ("A[] (deadlock imply P.c)", "true"),
        ("E&lt;&gt; deadlock and P.b", "false"),
        ("A[] (P.b imply P.x &gt;= 3)", "true"),
        ("A[] (P.b imply P.x &gt; 3)", "false"),
        ("E&lt;&gt; P.c and P.x == 7 and y == 7", "true"),
        ("E&lt;&gt; P.c and y &lt; 7", "false"),
        ("E&lt;&gt; P.b and P.x &gt; 20", "true"),
        ("A&lt;&gt; P.b", "true"),
        ("P.b --&gt; P.c", "false"),
    ],
)
def test_queries_ask_about_clocks_and_deadlocks(query: str, verdict: str) -> None:
    """In location c nothing happens any more; in b something will, even if it is too early now."""
    formula = f"<query><formula>{query}</formula></query>"
    system = System(parse(ASKED.format(formula)))
    (asked,) = system.model.properties
    assert system.check(asked).verdict == verdict
