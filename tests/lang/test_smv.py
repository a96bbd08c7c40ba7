"""SMV texts mean what the definition of the language says, and what NuSMV answers."""

import csv
from pathlib import Path

import pytest
from random_smv import random_text
from smv_by_definition import Graph
from tests.cli.command import Command

import plait
from plait.engines import check, states
from plait.errors import InputError
from plait.lang import nusmv
from plait.lang.milestones import parse as parse_milestones
from plait.lang.smv import parse
from plait.logic.parse import parse_formula
from plait.model.types import Property
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "smv"
COUNTER = """
MODULE main
VAR bit0 : cell(TRUE); bit1 : cell(bit0.carry); bit2 : cell(bit1.carry);
SPEC AG AF bit2.carry
SPEC AG !bit2.carry
MODULE cell(carry_in)
VAR value : boolean;
ASSIGN init(value) := FALSE; next(value) := value xor carry_in;
DEFINE carry := value & carry_in;
"""


def verdicts(text: str, engine: str = "auto") -> list[str]:
    return [a.verdict for a in check(parse(text), engine=engine)]


def count(text: str, engine: str = "auto") -> int | None:
    return states(parse(text), engine=engine).states


# --- published answers ----------------------------------------------------------------------------


def test_the_stated_answers_of_published_models_are_given(data: Path) -> None:
    folder = data / "smv"
    with (folder / "expected.csv").open() as file:
        expected = {(r["model"], r["property_id"]): r["expected"] for r in csv.DictReader(file)}
    with (folder / "formulas.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(expected)
    for row in rows:
        system = plait.load(folder / row["model"])
        kind = row["examination"].lower()
        asked = parse_formula(row["formula"], system.model, kind=kind)  # type: ignore[arg-type]
        assert asked.kind == kind
        answer = system.check(asked)
        assert answer.verdict == expected[row["model"], row["property_id"]].lower(), row


STATES = {
    "pynusmv/admin.smv": 6,
    "bmc_tutorial/bmc_tutorial.smv": 8,
    "example_cmu/counter.smv": 8,
    "example_cmu/mutex.smv": 6,
    "example_cmu/mutex1.smv": 16,
    "example_cmu/ring.smv": 7,
    "example_cmu/semaphore.smv": 12,
    "example_cmu/short.smv": 4,
    "example_cmu/dme1.smv": 6579,
}


@pytest.mark.parametrize("name", STATES)
def test_published_models_have_their_number_of_states(name: str, data: Path) -> None:
    assert plait.load(data / "smv" / name).states(engine="explicit").states == STATES[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("counter", ["true", "false"]),
        ("mutex", ["false", "true", "true"]),
        ("mutex1", ["false", "false", "true", "false", "false"]),
        ("ring", ["true"]),
        ("semaphore", ["false"]),
        ("short", ["true"]),
    ],
)
def test_small_published_models_have_the_answers_of_the_definition(
    name: str, expected: list[str], data: Path
) -> None:
    text = (data / "smv" / "example_cmu" / f"{name}.smv").read_text()
    assert verdicts(text) == expected
    assert Graph(text).verdicts() == expected


def test_a_type_may_speak_of_definitions_that_follow() -> None:
    text = """
MODULE main
VAR x : 0..top; a : array 0..top of boolean; p : part(top);
ASSIGN init(x) := 0; next(x) := (x + 1) mod (top + 1);
DEFINE top := low + 2; low := 1;
SPEC AF x = 3
INVARSPEC p.y <= 3
MODULE part(n) VAR y : 0..m; DEFINE m := n;
"""
    assert verdicts(text) == ["true", "true"]
    assert "a[3]" in [v.name for v in parse(text).types[0].variables]  # type: ignore[attr-defined]


# --- random texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_a_random_text_has_the_states_and_verdicts_of_the_definition(seed: int) -> None:
    text = random_text(seed)
    try:
        model = parse(text)
    except InputError:  # a value that depends on itself, which the texts do not avoid
        return
    found = Graph(text)
    expected = found.verdicts()
    for engine in ("reference", "auto"):
        assert states(model, engine=engine).states == found.count, text
        assert [a.verdict for a in check(model, engine=engine)] == expected, text


@pytest.mark.parametrize("seed", range(60, 70))
def test_the_symbolic_engine_gives_the_same_on_random_texts(seed: int) -> None:
    text = random_text(seed)
    model = parse(text)
    found = Graph(text)
    assert states(model, engine="symbolic").states == found.count, text
    given = [a.verdict for a in check(model, engine="symbolic")]
    assert given == found.verdicts(), text


@pytest.mark.parametrize("seed", range(12))
def test_what_is_written_for_nusmv_is_read_back(seed: int) -> None:
    model = parse_milestones(program(Seeded(seed)).text())
    back = parse(nusmv.print_model(model))
    opened = any(v.name == "init.chosen" for v in model.system.variables)  # type: ignore[attr-defined]
    before = Semantics(model).reachable().states
    assert states(back, engine="reference").states == len(before) - opened
    asked = [p for p in model.properties if p.kind in ("ctl", "ltl")]
    if states(model, engine="reference").deadlocks:
        return  # paths of NuSMV never end
    expected = [Semantics(model).check(p).verdict for p in asked]
    assert [a.verdict for a in check(back, engine="reference")] == expected


# --- the language ---------------------------------------------------------------------------------


def test_a_counter_of_modules_counts() -> None:
    assert count(COUNTER) == 8
    assert verdicts(COUNTER) == ["true", "false"]


@pytest.mark.parametrize(
    ("declared", "number"),
    [
        ("VAR x : 0..2; y : boolean;", 6),
        ("VAR x : {a, b, 7}; IVAR i : boolean;", 3),
        ("FROZENVAR x : 0..3; VAR y : boolean; ASSIGN next(y) := !y;", 8),
        ("VAR x : array 1..2 of 0..2; INIT x[1] = 0 & x[2] = 1; TRANS next(x[1]) = x[2]", 9),
        ("VAR x : 0..2; ASSIGN init(x) := 0; next(x) := case x < 2 : x + 1; TRUE : 2; esac;", 3),
        ("VAR x : 0..5; y : 0..5; ASSIGN y := 5 - x; init(x) := {0, 5}; next(x) := x;", 2),
        ("VAR x : 0..7; INVAR x > 2 & x mod 2 = 0", 2),
        ("VAR x : boolean; INIT FALSE", 0),
        ("VAR x : 0..127; ASSIGN init(x) := 0; next(x) := 0..63;", 64),
        ("VAR x : 0..2; y : 0..2; INIT x = 0 & y = 0; TRANS next(x) = x & next(y) = 2 - y", 2),
        ("VAR x : 0..9; ASSIGN init(x) := 0; TRANS next(x) = x + 1", 10),
        ("VAR w : unsigned word[3]; ASSIGN init(w) := 0ud3_6; next(w) := w + 0ud3_1;", 8),
        ("VAR w : signed word[3]; ASSIGN init(w) := 0sd3_3; next(w) := w + 0sd3_1;", 8),
        ("VAR w : word[4]; ASSIGN init(w) := 0b4_0011; next(w) := w[2:0] :: w[3:3];", 4),
        ("VAR x : 0..2; y : 0..2; INIT x = 1 & y = 2; ASSIGN next(x) := y; next(y) := x;", 2),
        ("CONSTANTS c; VAR x : {a, b}; ASSIGN init(x) := a; next(x) := x = c ? a : b;", 2),
    ],
)
def test_declarations_have_their_states(declared: str, number: int) -> None:
    text = f"MODULE main\n{declared}\n"
    for engine in ("reference", "explicit", "symbolic"):
        assert count(text, engine) == number


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("x = 1", "false"),
        ("!TRUE = FALSE", "true"),
        ("! G x = 1 | FALSE", "true"),
        ("! F G x = 0", "false"),
        ("EF x = 2 & EF x = 1", "true"),
        ("x = 1 -> FALSE -> TRUE", "true"),
        ("AG x = 0 | x >= 0", "true"),
        ("A [x = 0 U x = 1 | x = 2]", "false"),
        ("E [x = 0 & TRUE U x = 2]", "true"),
        ("x = 0 U x = 1 | TRUE", "true"),
        ("1 + 2 * 2 = 5 & 7 mod 4 = 3 & -7 / 2 = -3 & -7 mod 2 = -1", "true"),
        ("count(x = 0, x = 1, x = 2) = 1", "true"),
        ("resize(-0sd4_7, 3) = -0sd3_3 & resize(0sd4_7, 3) = 0sd3_3", "true"),
        ("resize(-0sd4_7, 6) = -0sd6_7 & resize(0ud4_9, 3) = 0ud3_1", "true"),
        ("x in 0..2 & x in {0, 1} union 2", "true"),
        ("x = 0 ? TRUE : x = 1 ? TRUE : x = 2", "true"),
        ("(b xor !b) & !(b xnor !b) & (b <-> b)", "true"),
        ("reachable: x = 2 & b", "true"),
        ("never: x = 2 & b", "false"),
        ("deadlock", "true"),
    ],
)
def test_formulas_bind_as_in_nusmv(formula: str, verdict: str) -> None:
    text = "MODULE main VAR x : 0..2; b : boolean; ASSIGN init(x) := 0;"
    model = parse(text)
    assert check(model, [parse_formula(formula, model)])[0].verdict == verdict


def test_fairness_decides_what_a_specification_sees() -> None:
    text = "MODULE main VAR b : boolean; {} SPEC AG AF b LTLSPEC G F b SPEC EG !b INVARSPEC !b"
    assert verdicts(text.format("")) == ["false", "false", "false", "false"]
    assert verdicts(text.format("FAIRNESS b")) == ["true", "true", "false", "false"]
    assert verdicts(text.format("JUSTICE FALSE")) == ["true", "true", "true", "false"]


def test_compassion_is_for_ltl_and_costs_ctl_its_answer() -> None:
    declared = "MODULE main VAR a : boolean; b : boolean; COMPASSION (a, b)"
    text = f"{declared} LTLSPEC G F a -> G F b SPEC EF a"
    answers = check(parse(text))
    assert [a.verdict for a in answers] == ["true", "unknown"]
    assert answers[1].reason == "COMPASSION is not supported for CTL"


def test_paths_into_a_deadlock_are_no_paths() -> None:
    text = """
    MODULE main VAR x : 0..3;
    INIT x = 0
    TRANS x = 0 & next(x) in {0, 1} | x = 1 & next(x) = 2
    SPEC AG x = 0  SPEC EF x = 2  LTLSPEC G x = 0  INVARSPEC x = 0
    """
    for engine in ("auto", "reference"):
        assert verdicts(text, engine) == ["true", "false", "true", "false"]
    model = parse(text)
    assert states(model).deadlocks == 1
    assert check(model, [parse_formula("deadlock", model)])[0].verdict == "false"


def test_a_process_that_always_runs_again_makes_progress() -> None:
    text = """
    MODULE main
    VAR p : process toggle; q : process toggle;
    SPEC AG AF p.on  SPEC AG (AF p.on & AF !p.on)  LTLSPEC G F p.on
    MODULE toggle
    VAR on : boolean;
    ASSIGN init(on) := FALSE; next(on) := !on;
    {}
    """
    assert verdicts(text.replace("{}", "")) == ["false", "false", "false"]
    assert verdicts(text.replace("{}", "FAIRNESS running")) == ["true", "true", "true"]
    assert count(text.replace("{}", "FAIRNESS running")) == 4


def test_fairness_about_who_runs_is_about_the_state_before_the_step() -> None:
    # The process makes x 0 and main makes it 1: after the process ran, x is never 1.
    text = """
    MODULE main
    VAR x : 0..1; p : process cell(x);
    ASSIGN init(x) := 0; next(x) := 1;
    LTLSPEC FALSE  LTLSPEC G F x = 0  LTLSPEC F G x = 1  SPEC EG TRUE  SPEC EG x = 0
    MODULE cell(a)
    ASSIGN next(a) := 0;
    FAIRNESS running & a = 1
    """
    for engine in ("auto", "reference"):
        assert verdicts(text, engine) == ["false", "true", "false", "true", "false"]
    assert count(text) == 2


def test_an_engine_without_fairness_answers_the_other_specifications() -> None:
    text = """
    MODULE main VAR x : 0..2; ASSIGN init(x) := 0; next(x) := {0, 1};
    SPEC AF x = 1  INVARSPEC x < 2  INVARSPEC x < 1
    FAIRNESS x = 1
    """
    answers = check(parse(text), engine="explicit")
    assert [a.verdict for a in answers] == ["unknown", "true", "false"]
    assert answers[0].reason == "local search knows no fairness"
    assert verdicts(text) == ["true", "true", "false"]


def test_fairness_may_be_about_inputs() -> None:
    text = """
    MODULE main
    IVAR i : boolean; VAR x : 0..2;
    ASSIGN init(x) := 0; next(x) := case i & x < 2 : x + 1; TRUE : x; esac;
    SPEC AF x = 2  SPEC AF x = 1  LTLSPEC F x = 2  LTLSPEC G F x = 1
    {}
    """
    assert verdicts(text.replace("{}", "")) == ["false", "false", "false", "false"]
    assert verdicts(text.replace("{}", "FAIRNESS i")) == ["true", "true", "true", "false"]
    once = text.replace("{}", "FAIRNESS i & x = 0")
    assert verdicts(once) == ["true", "true", "true", "true"]  # no path is fair
    assert count(text.replace("{}", "FAIRNESS i")) == 3


def test_what_an_input_is_may_depend_on_who_runs() -> None:
    text = """
    MODULE main
    IVAR i : 0..2; VAR x : 0..2; p : process idle;
    ASSIGN init(x) := 0;
    TRANS i = case p.running : 1; TRUE : 2; esac
    TRANS next(x) = i
    INVARSPEC x < 2  SPEC AG AX x > 0
    MODULE idle
    """
    assert verdicts(text) == ["false", "true"]


def test_a_variable_may_be_called_running() -> None:
    text = """
    MODULE main
    VAR running : boolean; x : 0..3;
    ASSIGN init(running) := FALSE; next(running) := !running;
    init(x) := 0; next(x) := case running : (x + 1) mod 4; TRUE : x; esac;
    INVARSPEC x < 3  LTLSPEC G F x = 3
    FAIRNESS running
    """
    assert verdicts(text) == ["false", "true"]
    assert count(text) == 8


def test_a_number_is_never_a_symbol() -> None:
    text = """
    MODULE main
    VAR x : {1, green}; y : 0..3;
    ASSIGN init(x) := green; next(x) := x; init(y) := 0; next(y) := (y + 1) mod 4;
    INVARSPEC x != 2  INVARSPEC x != y + 1  INVARSPEC !(x in {2, 3})  INVARSPEC !(x in 0..3)
    INVARSPEC x != y * y
    """
    assert verdicts(text) == ["true"] * 5
    model = parse(text)
    for formula in ("x = 4", "x in 0..9", "x = y * 100 + 4"):
        assert check(model, [parse_formula(formula, model)])[0].verdict == "false", formula


def test_bounds_are_those_of_states_after_the_choice_of_the_first() -> None:
    model = parse("MODULE main VAR x : 0..9; INIT x >= 2 & x <= 3 TRANS next(x) = x")
    for formula, least, greatest in (("x", 2, 3), ("5 - x", 2, 3), ("x * 0", 0, 0), ("-x", -3, -2)):
        asked = parse_formula(f"bounds: {formula}", model)
        for engine in ("auto", "explicit", "symbolic", "reference"):
            answer = check(model, [asked], engine=engine)[0]
            assert (answer.stats["min"], answer.value) == (least, greatest), (formula, engine)
            assert answer.property == asked


def test_figures_are_those_of_states_after_the_choice_of_the_first() -> None:
    for engine in ("explicit", "symbolic", "reference"):
        found = states(
            parse("MODULE main VAR x : 0..9; INIT x >= 2 TRANS next(x) = x"), engine=engine
        )
        assert (found.states, found.max_value, found.max_sum) == (8, 9, 9), engine
        below = states(parse("MODULE main VAR x : -3..0; TRANS next(x) = x"), engine=engine)
        assert (below.states, below.max_value, below.max_sum) == (4, None, 0), engine
    found = states(parse("MODULE main VAR x : 0..9; INIT x < 2 TRANS next(x) = (x + 1) mod 10"))
    assert found.stats["depth"] == 8


def test_fairness_of_the_user_is_added_to_that_of_the_text(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    # The path that stays at 0 ends nowhere, and 2 is a deadlock.
    text = """
    MODULE main
    VAR x : 0..3;
    INIT x = 0
    TRANS next(x) = x & x = 0 | next(x) = x + 1 & x < 2 | next(x) = 0 & x = 1
    SPEC EG x = 0
    """
    model = tmp_path / "fair.smv"
    model.write_text(text)
    run = Command(capsys)
    assert run("check", model).status == 0
    assert run("check", model, "--fair", "x = 1").status == 1
    assert run("check", model, "--fair", "x = 2").status == 0  # no path is fair


@pytest.mark.parametrize(
    ("type_", "number"),
    [("1..100", 100), ("-70..69", 140), ("signed word[7]", 128), ("0..64", 65), ("5..67", 63)],
)
@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_a_free_variable_has_all_values_of_a_wide_range(
    type_: str, number: int, engine: str
) -> None:
    assert count(f"MODULE main VAR x : {type_};", engine) == number
    stays = f"MODULE main VAR x : {type_}; y : {type_}; TRANS next(x) = x ASSIGN y := x;"
    assert count(stays, engine) == number


def test_a_range_among_other_values_is_chosen_from_too() -> None:
    text = "MODULE main VAR x : -9..200; ASSIGN init(x) := 0; next(x) := 100..199 union {-5};"
    assert count(text) == 102


def test_what_is_not_supported_costs_only_the_specification() -> None:
    text = """
    MODULE main VAR b : boolean; IVAR i : boolean;
    LTLSPEC G (b -> Y b)
    SPEC EF b
    COMPUTE MIN [b, !b]
    LTLSPEC F i
    INVARSPEC b | next(b)
    """
    answers = check(parse(text))
    assert [a.verdict for a in answers] == ["unknown", "true", *["unknown"] * 3]
    assert answers[4].reason == "'next' in a property is not supported"
    assert answers[1].property == Property("ctl-1", "ctl", answers[1].property.body)


def test_a_definition_about_an_input_cannot_be_asked_in_a_property() -> None:
    text = (
        "MODULE main VAR b : boolean; IVAR i : boolean; DEFINE d := i; TRANS next(b) = d SPEC EF d"
    )
    assert verdicts(text) == ["unknown"]


def test_traces_show_values_by_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    run = Command(capsys)
    done = run("check", EXAMPLES / "bridge.smv", "-f", "never: turn = west & from_east.on_bridge")
    assert "turn: east → west" in done.out
    assert "from_east.on_bridge: FALSE" in done.out
    assert done.out.startswith("formula  never turn = west & from_east.on_bridge  violated\n")


def test_the_example_of_the_manual_holds() -> None:
    system = plait.load(EXAMPLES / "bridge.smv")
    assert [a.verdict for a in system.check_all()] == ["true"] * 4
    assert [p.name for p in system.properties] == ["no_crash", "all_cross", "again", "empties"]
    assert system.states().states == 96


def test_writing_another_language_leaves_fair_properties_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = Command(capsys)
    target = tmp_path / "bridge.gal"
    done = run("convert", EXAMPLES / "bridge.smv", "--to", "gal", "-o", target)
    assert "warning: property 'all_cross' is left out: it speaks of fair paths only" in done.err
    back = plait.load(target)
    assert back.states().states == 96
    assert [p.name for p in back.properties] == ["no_crash", "again"]


@pytest.mark.parametrize("engine", ["auto", "symbolic"])
def test_where_there_is_no_initial_state_there_is_no_deadlock(engine: str) -> None:
    model = parse("MODULE main VAR x : boolean; INIT x & !x ASSIGN next(x) := !x;")
    asked = [parse_formula("deadlock", model), parse_formula("reachable: x", model)]
    assert [a.verdict for a in check(model, asked, engine=engine)] == ["true", "false"]


def test_a_symbol_may_have_the_name_of_an_instance() -> None:
    """An instance has no value, so where a value stands, the symbol is meant."""
    model = parse("""MODULE lamp
VAR colour : {light, dark};
ASSIGN init(colour) := dark; next(colour) := {light, dark};
MODULE main
VAR light : lamp;
INVARSPEC light.colour = dark
INVARSPEC light.colour = dark | light.colour = light
""")
    answers = check(model, model.properties)
    assert [answer.verdict for answer in answers] == ["false", "true"]


def test_an_explanation_has_only_names_of_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "any.smv"
    path.write_text(
        "MODULE main VAR x : 0..3; y : boolean; ASSIGN next(x) := y ? 3 - x : x; next(y) := x > 1;"
        "INVARSPEC x < 3 | !y"
    )
    out = Command(capsys)("check", path).out
    assert "x < 3 || y != TRUE" in out
    assert "init()" not in out
    reached = Command(capsys)("check", path, "-f", "reachable: x = 2 & y").out
    assert "x == 2   (x = 2)" in reached
    assert "init()" not in reached
    full = Command(capsys)("check", path, "--full").out
    assert "y = TRUE" in full
    assert "init()" not in full


def test_bits_are_taken_of_values_in_parentheses_of_functions_and_of_constants() -> None:
    text = """
    MODULE main
    VAR w : unsigned word[3]; b : boolean;
    ASSIGN init(w) := 0ud3_5; init(b) := FALSE;
      next(w) := (w + 0ud3_3)[1:0] :: unsigned(signed(w))[2:2];
      next(b) := bool((w << 1)[2:1][0:0]) | bool(0ud3_4[0:0]);
    INVARSPEC (w[2:1] :: w[0:0])[2:1] = w[2:1]
    INVARSPEC w != 0ud3_1
    SPEC E [ (w != 0ud3_6) U (b) ]
    """
    assert verdicts(text) == verdicts(text, "reference") == ["true", "false", "true"]
    with pytest.raises(InputError):
        parse("MODULE main VAR w : unsigned word[3]; INVARSPEC bool((w)[1])")
