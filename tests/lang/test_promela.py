"""Promela against SPIN 6.5.2: states without reduction, and what is refused.

The figures are those of `spin -a -o1 -o2 -o3` and `pan -E -c0` compiled with `-DNOREDUCE -DSAFETY`.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from plait import System, engines
from plait.engines.budget import Budget
from plait.errors import InputError
from plait.lang.promela import load, macros, parse
from plait.model.text import show
from plait.model.types import Model

SPIN: dict[str, tuple[int, str]] = {
    "rvelse": (
        9234,
        r"""
chan c = [0] of { bit }; byte n;
active proctype P() { do :: c!0 -> n++ :: c!1 -> n = 0 :: n > 2 -> break od }
active proctype Q() { bit b; do :: c?b -> b = 1 - b :: c?1 -> n = n + 2 :: timeout -> break od }
active proctype R() { if :: c?0 :: c?1 fi }
""",
    ),
    "runs of two in any order": (
        45,
        r"""
chan q = [1] of { byte };
byte x, y;
proctype A() { x = 1 }
proctype B() { q!1 }
init { byte i; atomic { do :: i < 2 -> q?y; run B(); i++ :: else -> break od }; timeout; x = 0 }
active proctype X() { atomic { q!1; run A() } }
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
"""Models that are too large for the pages of the manual, where the others are."""
REFUSED = {
    "trace { skip } init { skip }": "a trace assertion has sends and receives only",
    "byte x; chan c = [1] of { byte }; trace { c!x } init { skip }": "has constants or '_'",
    "chan c = [1] of { byte }; trace { c!1 } init { c!!1 }": "about '!!'",
    "int n; ltl p { <> (n & X true) } init { skip }": "not combined with a number",
    "chan c = [1] of { byte }; trace { c?1,2 } init { c?1 }": "carries 1 field",
    "chan c = [1] of { byte }; trace { c?1 } notrace { c?1 } init { skip }": "a second trace",
    "chan c[2] = [1] of { byte }; byte x; trace { c[x]?1 } init { skip }": "outside processes",
    "c_code { x = 1; }": "embedded C is not supported",
    "init { c_code { x = 1 } }": "embedded C is not supported",
    "active proctype P() priority 2 { skip }": "priorities are not supported",
    "init { enabled(0) }": "'enabled' is for claims",
    "byte x; init { "
    + "{ " * 40
    + "x = 1"
    + " } unless { x == 2 }" * 40
    + " }": "nested more than",
    "chan c = [0] of { byte }; init { c?<_> }": "a rendezvous leaves no message behind",
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
    "proctype P(byte x) { skip } init { run P() }": "needs 1 argument, not 0",
    'proctype P() { skip } init { printf("%d", run P()) }': "'run' is a statement",
    "chan c = [1] of { byte }; init { c!1,2 }": "carries 1 field, not 2",
    "#if 1\ninit { skip }": "no '#endif'",
    '#include "a.h"\ninit { skip }': "cannot include files",
    "init { skip /* }": "this comment is not closed",
    "byte a[0]; init { skip }": "must be between 1 and",
    "init { if :: else -> skip :: else -> skip fi }": "a second 'else'",
    "init { if :: skip :: else -> skip :: if :: else -> skip fi fi }": "a second 'else'",
}


def states(text: str) -> int:
    return count(parse(text))


def count(model: Model) -> int:
    space = engines.states(model, engine="auto", budget=Budget(60.0, None))
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


def test_a_macro_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(macros, "EXPANSION_LIMIT", 100_000)
    lines = ["#define a0 x"]
    lines += [f"#define a{k + 1} a{k} + a{k} + a{k} + a{k}" for k in range(30)]
    with pytest.raises(InputError, match="macros expand to more than"):
        parse("\n".join([*lines, "byte x; init { x = a30 }"]))


def test_a_macro_that_uses_itself_stays_as_it_is() -> None:
    assert states("#define x (x + 1)\nbyte y; byte z; init { z = 1 }") == 3


def test_the_end_of_a_comment_that_never_began_is_passed_over() -> None:
    """As in SPIN; what only looks like one is a product."""
    text = "byte x = 3; active proctype P() { x = x */* twice */ 2; */ assert(x == 6) }"
    assert states(text) == 4
    assert states(text.replace("*/ assert", "x = x *// once\n 1; assert")) == 5


def test_macros_are_parameters_of_the_model() -> None:
    text = "#ifndef N\n#define N 2\n#endif\n#define M 1\n#define twice(x) x + x\n#define P x\n"
    text += "byte x; active [N] proctype Q() { x < twice(M); x++ }"

    three = text.replace("define N 2", "define N 3")
    both = three.replace("define M 1", "define M -1")
    assert len({states(text), states(three), states(both)}) == 3
    model = parse(text).with_constants({"N": 3})
    assert count(model) == states(three)
    assert count(model.with_constants({"M": -1})) == states(both)
    for name in ("O", "twice"):
        with pytest.raises(InputError, match=rf"no parameter '{name}'\n  there are: N, M"):
            parse(text).with_constants({name: 1})


def test_the_label_of_a_process_with_a_constant_number_is_one_place() -> None:
    text = "byte x; active [2] proctype P() { do :: in: x++; out: x-- od }\n"
    model = parse(text + "ltl a { [] <> P[1]@out } ltl b { [] !P[7]@out } ltl c { <> P[x]@out }")
    shown = [show(p.body) for p in model.properties[:3]]
    assert shown[0] == "G F (P_1._pc == 2)"
    assert shown[1] == "G !false"
    assert "x == 1 && P_1._pc == 2" in shown[2]


def test_formulas_of_the_command_line_ask_for_labels() -> None:
    text = "byte x; active [2] proctype P() { do :: in: x++; out: x-- od }"
    asked = System(parse(text))
    assert asked.check("AG EF (P_0.out && P_1.out)").verdict == "true"
    assert asked.check("invariant: P_0.out -> x > 0").verdict == "true"
    assert asked.check("never: P_0.in && P_0.out").verdict == "true"
    with pytest.raises(InputError, match=r"'@' .*\n.*\n.*\n  .* a label .* is written P_0\.label"):
        asked.check("AG EF P[0]@out")
    # A variable of that name is what was written.
    named = "active proctype P() { byte out = 7; out: out == 7 }"
    assert System(parse(named)).check("bounds: P_0.out").value == 7


def test_a_macro_may_stand_for_nothing() -> None:
    assert states("#define quiet\n#define log(x)\nbyte z; init { quiet z = 1; log(z) }") == 3


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
    assert found == {"assertion at line 1 of P": "false", "invalid end state": "false"}


def test_an_assertion_inside_atomic_is_found() -> None:
    text = "byte x; active proctype P() { atomic { x = 1; assert(x == 2); x = 0 } }"
    assert verdicts(text)["assertion at line 1 of P"] == "false"


def test_a_block_inside_d_step_is_an_error() -> None:
    text = "byte x; active proctype P() { d_step { x = 1; x == 2; x = 0 } }"
    assert verdicts(text)["d_step blocks at line 1 of P"] == "false"


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


def test_a_line_knows_its_number_also_through_a_macro() -> None:
    body = "assert(HERE == 3);\nassert(__LINE__ == 4)"
    found = verdicts(f"#define HERE __LINE__\nactive proctype P() {{\n{body} }}")
    assert set(found.values()) == {"true"}
    wrong = verdicts("active proctype P() {\nassert(__LINE__ == 1) }")
    assert wrong["assertion at line 2 of P"] == "false"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("#define A 1\nbyte n;\nactive proctype P() {\n n = $ }", "m:4:6"),
        ("byte n;\n  #define  A  1 + $ \nactive proctype P() { n = A }", "m:2:19"),
        ("byte n;\n#if 1 + $\n#endif\nactive proctype P() { n = 1 }", "m:2:9"),
    ],
)
def test_a_character_that_belongs_nowhere_is_shown_where_it_stands(text: str, place: str) -> None:
    with pytest.raises(InputError) as wrong:
        parse(text, "m")
    assert [str(d.span) for d in wrong.value.diagnostics] == [place]


HINTS = {
    "init { bool b = treu }": "did you mean 'true'?",
    "byte full; init { skip }": "'full' is a word of the language, and no name",
    "byte x; init { x += 2 }": "an assignment is written 'x = 1', or 'x = x + 1'",
    "byte x; init { x := 2 }": "an assignment is written 'x = 1', or 'x = x + 1'",
    "byte x; init { assert(x = 1) }": "'==' compares",
    "byte x; init { if :: x > 1 => x = 0 fi }": "an arrow is written '->'",
    "byte x; init { x > 1 = 2 }": "a comparison is written '=='",
    "byte x; init { while (x < 3) { x++ } }": "a loop is 'do :: condition -> ...",
    "chan c[2] of { byte }; init { skip }": "a channel is declared 'chan c = [2] of { byte }'",
}
"""Mistakes of those who write another language most of the time."""


@pytest.mark.parametrize("text", HINTS)
def test_a_typical_mistake_is_told_how_it_is_written(text: str) -> None:
    with pytest.raises(InputError) as failure:
        parse(text)
    (told,) = failure.value.diagnostics
    assert told.hint is not None
    assert told.hint.startswith(HINTS[text])


def test_a_proctype_that_nobody_runs_is_warned_of() -> None:
    model = parse("byte x;\nproctype Q() { assert(x == 2) }\nactive proctype P() { x = 1 }")
    (warning,) = model.warnings
    assert warning.render().splitlines() == [
        "model:2:10: warning: proctype 'Q' is never run, and nothing in it is checked",
        "2 | proctype Q() { assert(x == 2) }",
        "             ^",
        "  say 'active' before it, or 'run Q(...)' in a process",
    ]
    assert parse("proctype Q() { skip } init { do :: run Q() od }").warnings == ()


def test_a_constant_that_does_not_fit_is_warned_of_once_at_its_place() -> None:
    text = """\
#define BIG 70000
byte x = 300, fine = 255;
short s;
active [2] proctype P() { bool b; x = 256; s = BIG; b = 2; x = fine + 300; s = -1; x = 255 }
"""
    warnings = parse(text).warnings
    assert [str(w.span) for w in warnings] == [
        "model:2:10",
        "model:4:39",
        "model:4:48",
        "model:4:57",
    ]
    assert [w.message for w in warnings] == [
        "300 does not fit in 'byte' and becomes 44",
        "256 does not fit in 'byte' and becomes 0",
        "70000 does not fit in 'short' and becomes 4464",
        "2 does not fit in 'bool' and becomes 0",
    ]
    found = System(parse(text)).check("x == 44", engine="explicit")
    assert found.witness is not None
    assert found.witness.states[0][0] == 44
