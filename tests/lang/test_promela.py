"""Promela against SPIN 6.5.2: states without reduction, and what is refused.

The figures are those of `spin -a -o1 -o2 -o3` and `pan -E -c0` compiled with `-DNOREDUCE -DSAFETY`.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from plait import engines
from plait.engines.budget import Budget
from plait.errors import InputError
from plait.lang.promela import load, parse

SPIN: dict[str, tuple[int, str]] = {
    "atomicblock": (
        30,
        r"""
byte g, h;
active proctype A() { atomic { g = 1; h > 0; g = 2; h = 0; h > 1 -> g = 3; g = 4 } }
active proctype B() { do :: h < 3 -> h++ :: g == 4 -> break :: atomic { g == 1 -> h = 2; h = 1 }
  od }
""",
    ),
    "atomicrv": (
        182,
        r"""
chan c = [0] of { byte, byte };
byte g;
active proctype A() { atomic { g = 1; c!1,2; g = 2; g = 3; c!2,3; g = 4 } }
active proctype B() { byte x, y; atomic { c?x,y; x = 5; y = 6; x = 7 }; c?2,y; y = 0 }
active [2] proctype C() { g = g + 10; g = g - 10 }
""",
    ),
    "chanpass": (
        126,
        r"""
chan req = [1] of { chan, byte };
byte got;
active [2] proctype client() { chan me = [1] of { byte }; byte r; req!me,_pid; me?r; got = got +
  r; me!1 }
active proctype server() { chan c; byte k; do :: req?c,k -> c!k+1; k = 0 :: got == 3 -> break od }
""",
    ),
    "death": (
        77,
        r"""
byte n;
proctype child(byte x) { byte y = x + 1; n = n + y; y = 7 }
init { pid p; p = run child(1); p = run child(2); n == 5; run child(0); _nr_pr == 1; n = 9 }
""",
    ),
    "dstep": (
        41,
        r"""
byte a[4]; byte i; byte sum;
active proctype P() { d_step { i = 0; do :: i < 4 -> a[i] = i * 2; i++ :: else -> break od; i =
  0 };
 do :: d_step { sum < 6; if :: sum > 2 -> sum = sum + 2 :: sum > 1 -> sum = sum + 3 :: else ->
  sum++ fi } :: sum >= 6 -> break od }
active proctype Q() { byte k; k = a[1]; k = a[3] }
""",
    ),
    "elsepoll": (
        517,
        r"""
chan q = [2] of { byte };
byte z;
active proctype P() { byte x; do :: q?x -> z = x :: else -> q!z+1; if :: z > 3 -> break :: else
  fi od; end: q?9 }
active proctype Q() { do :: nfull(q) && len(q) < 2 -> q!5 :: full(q) -> q?_ ; break od }
""",
    ),
    "forsel": (
        627,
        r"""
byte t[3]; int j; byte k;
active proctype P() { for (j : 0 .. 2) { t[j] = j; }; select (k : 1 .. 3); for (j in t) { t[j] =
  t[j] + k } }
active proctype Q() { byte m = 3; L: if :: m > 0 -> m--; goto L :: m == 0 fi; byte late = 2;
  late++; { byte mm = 4; mm++ } }
""",
    ),
    "looprun": (
        1376,
        r"""
byte c;
proctype W(byte id; chan o) { o!id; c++ ; c-- }
chan q = [2] of { byte };
init { byte i = 0; do :: i < 3 -> run W(i, q); i++ :: else -> break od; do :: q?i :: timeout ->
  break od; i = 0 }
""",
    ),
    "nested": (
        69,
        r"""
byte x, y;
active proctype P() { do :: if :: x < 2 -> x++ :: y < 2 -> y++ :: else -> x = 3; break fi :: do
  :: y < 1 -> y = y + 2; :: break od :: { x == 1; y = 0 } :: goto out :: skip -> x > 2 od; x =
  9; out: skip; y = 7 }
""",
    ),
    "remote": (
        18,
        r"""
byte x;
active proctype P() { A: x = 1; B: x = 2; C: x = 3 }
active proctype Q() { P@B; x = 7; P[0]@C -> x = 8; end: false }
""",
    ),
    "rvelse": (
        9234,
        r"""
chan c = [0] of { bit }; byte n;
active proctype P() { do :: c!0 -> n++ :: c!1 -> n = 0 :: n > 2 -> break od }
active proctype Q() { bit b; do :: c?b -> b = 1 - b :: c?1 -> n = n + 2 :: timeout -> break od }
active proctype R() { if :: c?0 :: c?1 fi }
""",
    ),
    "sorted": (
        116,
        r"""
mtype = { red, green, blue };
chan q = [3] of { mtype, byte };
active proctype S() { q!!blue,1; q!!red(2); q!!green(1); q!!red,1 }
active proctype R() { byte v; mtype m; do :: q??green(v) :: q?red,v -> v = 0 :: q?<m,_> -> m = 0
  :: q??[blue,_] -> q??blue(eval(v+1)); break :: q?m,v; od }
""",
    ),
    "structs": (
        11,
        r"""
typedef In { byte v; short w[2] }; typedef Out { In p[2]; bit on = 1 };
Out o[2]; byte i;
active proctype P() { o[1].p[0].w[1] = -5; i = 1; o[i].p[i].v = 3; do :: i > 0 && o[i].on ->
  o[i].on = 0; i-- :: else -> break od; i = 1; i = (i > 0 -> 4 : 7) }
""",
    ),
    "timeout": (
        108,
        r"""
chan c = [1] of { byte };
byte lost;
active proctype sender() { byte k; do :: k < 3 -> c!k; k++ :: timeout -> break od }
active proctype receiver() { byte v; do :: c?v :: c?_ -> lost++ :: timeout -> break od }
""",
    ),
    "unsignedwrap": (
        11,
        r"""
unsigned u : 3; short s = 32767; byte b = 254; bit f; int n; bool g;
active proctype P() { u = 9; s++; b = b + 3; f = 2; n = -7 / 2; n = -7 % 3; g = 5; b = -1; u-- }
""",
    ),
    "inl": (
        23778,
        r"""
#define N 3
#define inc(v) v = (v + 1) % N
#if N > 2 && defined(N)
byte a, b;
#else
syntax error
#endif
inline swap(p, q) { byte tmp; again: tmp = p; p = q; q = tmp; if :: p < 2 -> inc(p); goto again
  :: else fi }
active [2] proctype P() { swap(a, b); inc(a); swap(b, a) }
""",
    ),
}

SPIN["blocks"] = (
    28,
    r"""
byte x;
active proctype P() { do :: { do :: x < 1 -> x++ :: x > 0 -> break od }; x = 0 od }
active proctype Q() { atomic { do :: x == 1 -> x = 2 :: x == 2 -> break od }; L: { x = 0; goto M };
  M: { do :: break od } }
""",
)
SPIN["jumps"] = (
    25,
    r"""
byte g;
active proctype A() { atomic { g = 1; g = 2; goto out }; g = 4; out: atomic { g = 5; g = 6 } }
active proctype B() { byte x; x = g; x = g; x = g }
""",
)
REFUSED = {
    "trace { skip }": "trace assertions are not supported",
    "c_code { x = 1; }": "embedded C is not supported",
    "init { c_code { x = 1 } }": "embedded C is not supported",
    "active proctype P() priority 2 { skip }": "priorities are not supported",
    "init { pc_value(0) }": "use 'P[pid]@label'",
    "init { unless { skip } }": "'unless' must follow a statement",
    "byte x; never { x = 1 } init { skip }": "a never claim only watches",
    "never { byte x; skip } init { skip }": "a never claim has no variables",
    "never { skip } never { skip } init { skip }": "a second never claim",
    "init { goto nowhere }": "no label 'nowhere'",
    "init { break }": "'break' outside 'do'",
    "init { x = 1 }": "'x' is not declared",
    "byte x; init { x == 1 x = 2 }": "expected ';' or '->'",
    "proctype P() { skip }": "no process is started",
    "init { run P() }": "expected the name of a proctype",
    "proctype P(byte x) { skip } init { run P() }": "needs 1 arguments, not 0",
    "chan c = [1] of { byte }; init { c!1,2 }": "carries 1 fields, not 2",
    "#if 1\ninit { skip }": "no '#endif'",
    '#include "a.h"\ninit { skip }': "cannot include files",
    "init { skip /* }": "this comment is not closed",
    "byte a[0]; init { skip }": "must be between 1 and",
    "init { if :: else -> skip :: else -> skip fi }": "a second 'else'",
}


def states(text: str) -> int:
    space = engines.states(parse(text), engine="auto", budget=Budget(60.0, None))
    assert space.complete
    return space.states


@pytest.mark.parametrize("name", SPIN)
def test_the_number_of_states_is_that_of_spin(name: str) -> None:
    expected, text = SPIN[name]
    assert states(text) == expected


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_supported_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(InputError) as failure:
        parse(text)
    assert REFUSED[text] in str(failure.value)
    assert failure.value.diagnostics[0].span is not None


def test_a_macro_bomb_is_refused() -> None:
    lines = ["#define a0 x"]
    lines += [f"#define a{k + 1} a{k} + a{k} + a{k} + a{k}" for k in range(30)]
    with pytest.raises(InputError, match="macros expand to more than"):
        parse("\n".join([*lines, "byte x; init { x = a30 }"]))


def test_a_macro_that_uses_itself_stays_as_it_is() -> None:
    assert states("#define x (x + 1)\nbyte y; byte z; init { z = 1 }") == 3


def test_includes_stay_below_the_folder_of_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "out.h").write_text("byte x;\n")
    (folder / "in.h").write_text("byte x;\n")
    good, bad = folder / "good.pml", folder / "bad.pml"
    good.write_text('#include "in.h"\ninit { x = 1 }\n')
    bad.write_text('#include "../out.h"\ninit { x = 1 }\n')
    assert load(good).system.name == "good"
    with pytest.raises(InputError, match="outside the folder of the model"):
        load(bad)


def test_deep_expressions_are_read() -> None:
    deep = "(" * 20_000 + "1" + ")" * 20_000
    assert states(f"byte x; init {{ x = {deep} }}") == 3


def test_processes_without_bound_stop_the_search_with_an_error() -> None:
    text = "proctype P() { false } init { do :: run P() od }"
    with pytest.raises(InputError):
        engines.states(parse(text), engine="auto", budget=Budget(60.0, None))


def verdicts(text: str) -> dict[str, str]:
    model = parse(text)
    answers = engines.check(model, model.properties, budget=Budget(60.0, None))
    return {a.property.name: a.verdict for a in answers}


def test_an_assertion_and_an_invalid_end_state_are_found() -> None:
    text = "byte x; active proctype P() { x = 1; assert(x == 2); x == 2 }"
    found = verdicts(text)
    assert found == {"assertion at line 1 of P_0": "false", "invalid end state": "false"}


def test_an_assertion_inside_atomic_is_found() -> None:
    text = "byte x; active proctype P() { atomic { x = 1; assert(x == 2); x = 0 } }"
    assert verdicts(text)["assertion at line 1 of P_0"] == "false"


def test_a_block_inside_d_step_is_an_error() -> None:
    text = "byte x; active proctype P() { d_step { x = 1; x == 2; x = 0 } }"
    assert verdicts(text)["d_step blocks at line 1 of P_0"] == "false"


def test_waiting_at_an_end_label_is_fine() -> None:
    text = "byte x; active proctype P() { end: x == 1 }"
    assert verdicts(text) == {"invalid end state": "true"}


def test_ltl_blocks_are_properties() -> None:
    text = """
    byte x;
    active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
    ltl again { [] <> (x == 3) }
    ltl never_four { always (x != 4) && (x == 0) }
    ltl stays { <> [] (x == 3) }
    """
    model = parse(text)
    kinds = {p.name: p.kind for p in model.properties}
    assert {n: kinds[n] for n in ("again", "never_four", "stays")} == dict.fromkeys(
        ("again", "never_four", "stays"), "ltl"
    )


def test_the_published_numbers_of_states_are_met(data: Path) -> None:
    small = 8000
    met = 0
    with (data / "promela" / "expected.csv").open() as file:
        for row in csv.DictReader(file):
            if row["examination"] != "StateSpace" or row["property_id"] != "STATES":
                continue
            if row["model"].startswith("spin/") or int(row["expected"]) > small:
                continue  # the figures of SPIN's own examples are those with merged statements
            path = data / "promela" / row["model"]
            path = path if path.suffix in (".pml", ".pm") else Path(f"{path}.pml")
            space = engines.states(load(path), engine="auto", budget=Budget(120.0, None))
            assert space.complete, path.name
            assert space.states == int(row["expected"]), path.name
            met += 1
    assert met >= 5


def test_most_of_the_models_at_hand_are_read(data: Path) -> None:
    for name in ("abp", "hello", "leader0", "loops", "peterson", "sort"):
        assert load(data / "promela" / "spin" / f"{name}.pml").system.events
