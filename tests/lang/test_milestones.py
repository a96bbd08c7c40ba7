"""Texts of the language Milestones mean what the thesis says, in both of its spellings."""

from itertools import product
from pathlib import Path

import pytest
from milestones_by_definition import Judge, applied, compare

from plait.engines import check, states
from plait.lang import gal, load
from plait.lang.milestones import parse
from plait.logic.formula import Finally, Globally
from plait.logic.parse import parse_formula
from plait.model.types import ElementaryType, Model
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import ARITHMETIC, COMPARISONS, program

RUNNING = Path(__file__).parents[2] / "examples" / "milestones" / "running.mil"


def in_the_grammar(text: str) -> str:
    """A text in the spelling of the thesis's grammar."""
    for listing, grammar in (
        ("ACTION\n", "ACTIONS\n"),
        ("VARIABLE\n", "VARIABLES\n"),
        ("GLOBAL\n", "MAIN\n"),
        ("a: A[1];", "a := A[1]"),
        ("b: B[1];", "b := B[1]"),
        ("Gpp; GE0; xExMy;", "Gpp GE0 xExMy"),
        ("g := g + 1;", "g := (g + 1)"),
        (" & g == 0 :", " ∧ (g = 0) :"),
    ):
        assert listing in text, listing
        text = text.replace(listing, grammar)
    return text


def graph_of(text: str) -> tuple[list[str], set[tuple[int, ...]]]:
    """The cells and the reachable states, by the reference."""
    semantics = Semantics(parse(text))
    return list(semantics.cells), set(semantics.reachable().states)


def one_process(variables: str, commands: str, shared: str = "") -> str:
    """A text with one process of one local action."""
    return (
        f"VARIABLE {shared} END LOCAL P ACTION t; END VARIABLE {variables} END "
        f"CASE {commands} END END GLOBAL PROC p : P[1]; END CASE END END"
    )


def after(variables: str, command: str, name: str) -> set[int]:
    """The values of a variable in the states with the counter 1."""
    cells, found = graph_of(one_process(f"pc:1:=0; {variables}", command))
    at, pc = cells.index(f"p[0].{name}"), cells.index("p[0].pc")
    return {s[at] for s in found if s[pc] == 1}


def test_the_two_spellings_of_the_running_example_are_one_model() -> None:
    """covers: M1, M2"""
    text = RUNNING.read_text()
    listing, grammar = parse(text, "running"), parse(in_the_grammar(text), "running")
    assert listing == grammar == load(RUNNING)
    assert [p.name for p in listing.properties] == ["ctl-1", "ltl-1"]


@pytest.mark.parametrize("engine", ["explicit", "symbolic", "reference"])
def test_the_running_example_has_seven_states_and_the_printed_verdicts(engine: str) -> None:
    model = load(RUNNING)
    space = states(model, engine=engine)
    assert (space.states, space.deadlocks) == (7, 0)
    asked = "auto" if engine == "explicit" else engine
    ctl, ltl = model.properties
    assert check(model, [ctl], engine=asked)[0].verdict == "true"
    assert (
        check(model, [ltl], engine="auto" if asked == "symbolic" else asked)[0].verdict == "false"
    )


def test_a_variable_without_initial_value_may_have_any() -> None:
    """covers: M3, M4"""
    text = "VARIABLE x:3; y:2; z:2:=3; END MAIN PROC END CASE END END"
    cells, found = graph_of(text)
    chosen = cells.index("init.chosen")
    begun = {s[:3] for s in found if s[chosen] == 1}
    assert begun == set(product(range(8), range(4), [3]))
    assert len(found) == 1 + 8 * 4
    assert states(parse(text)).arcs == 32
    assert graph_of(text.replace("x:3", "x:3:=5").replace("y:2", "y:2:=1"))[1] == {(5, 1, 3)}


def test_the_formulas_of_a_text_speak_of_the_initial_states() -> None:
    """covers: M56, M20"""
    text = (
        "ACTION a END VARIABLE x:1; y:1:=0; END MAIN PROC END CASE [a] x == 1 : y := 1; END END "
        "CTL x == 0; EF y == 1; AG (y == 0 | x == 1); y == 0; END LTL y == 0 U y == 1; y == 0; END"
    )
    model = parse(text)
    assert [p.name for p in model.properties] == [
        "ctl-1",
        "ctl-2",
        "ctl-3",
        "ctl-4",
        "ltl-1",
        "ltl-2",
    ]
    expected = ["false", "false", "true", "true", "false", "true"]
    for engine in ("auto", "reference"):
        answers = check(model, engine=engine)
        assert [a.verdict for a in answers] == expected
        assert [a.property.name for a in answers] == [p.name for p in model.properties]


def test_operands_are_extended_to_the_widest() -> None:
    """covers: M5"""
    assert after("x:2:=3; y:4:=12; r:5:=0;", "[0][t] true : pc := 1; r := 2 * x + y;", "r") == {2}
    assert after("x:2:=3; r:5:=0;", "[0][t] true : pc := 1; r := 2 * x;", "r") == {2}
    assert after(
        "x:2:=3; y:4:=12; r:5:=0;", "[0][t] 2*x+y == 2 : pc := 1; r := y / (x*x);", "r"
    ) == {12 // 9}


def test_what_is_stored_is_cut_to_the_target() -> None:
    """covers: M6"""
    assert after("x:1:=1;", "[0][t] true : pc := 1; x := x + 1;", "x") == {0}
    assert after("x:1:=0;", "[0][t] true : pc := 1; x := x - 1;", "x") == {1}
    assert after("x:1:=0; y:3:=7;", "[0][t] true : pc := 1; x := y;", "x") == {1}


def test_the_assignments_of_a_command_happen_at_once() -> None:
    """covers: M7"""
    assert after("x:2:=3;", "[0][t] true : pc := 1; x := pc;", "x") == {0}
    rotate = "[0][t] true : x := y; y := z; z := x; pc := 1;"
    variables = "x:2:=1; y:2:=2; z:2:=3;"
    assert [after(variables, rotate, v) for v in "xyz"] == [{2}, {3}, {1}]
    cells, found = graph_of(one_process(f"pc:1:=0; {variables}", rotate))
    scratch = [i for i, name in enumerate(cells) if name.startswith("old.")]
    assert scratch
    assert all(s[i] == 0 for s in found for i in scratch)


@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic_is_that_of_bit_vectors(op: str) -> None:
    """covers: M8"""
    cells, found = graph_of(
        one_process("pc:1:=0; x:2; y:3; r:4:=0;", f"[0][t] true : pc := 1; r := x {op} y;")
    )
    x, y, r, pc = (cells.index(f"p[0].{n}") for n in ("x", "y", "r", "pc"))
    seen = {(s[x], s[y]): s[r] for s in found if s[pc] == 1}
    assert seen == {(a, b): applied(op, a, b, 3) for a in range(4) for b in range(8)}


@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons_are_without_sign(op: str) -> None:
    """covers: M8"""
    cells, found = graph_of(one_process("pc:1:=0; x:2; y:3;", f"[0][t] x - 1 {op} y : pc := 1;"))
    x, y, pc = (cells.index(f"p[0].{n}") for n in ("x", "y", "pc"))
    seen = {(s[x], s[y]) for s in found if s[pc] == 1}
    pairs = product(range(4), range(8))
    assert seen == {(a, b) for a, b in pairs if compare(op, (a - 1) % 8, b)}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x & y", lambda a, b: a and b),
        ("x && y", lambda a, b: a and b),
        ("x ∧ y", lambda a, b: a and b),
        ("x | y", lambda a, b: a or b),
        ("x || y", lambda a, b: a or b),
        ("x ∨ y", lambda a, b: a or b),
        ("x -> y", lambda a, b: not a or b),
        ("x => y", lambda a, b: not a or b),
        ("x <-> y", lambda a, b: a == b),
        ("x <=> y", lambda a, b: a == b),
        ("!x", lambda a, b: not a),
        ("~(x)", lambda a, b: not a),
        ("¬x & y", lambda a, b: not a and b),
        ("!x | y", lambda a, b: not a or b),
        ("x | y & y", lambda a, b: a or b),
        ("x -> y -> x", lambda a, b: True),
        ("x <-> y -> x", lambda a, b: a == (not b or a)),
        ("(x <-> y) -> x", lambda a, b: a or b),
    ],
)
def test_connectives_have_their_priorities(text: str, meaning: object) -> None:
    """covers: M8, M9"""
    guard = text.replace("x", "a + 1 == 2 * 1").replace("y", "b > 0")
    assert callable(meaning)
    cells, found = graph_of(one_process("pc:1:=0; a:2; b:1;", f"[0][t] {guard} : pc := 1;"))
    a, b, pc = (cells.index(f"p[0].{n}") for n in ("a", "b", "pc"))
    seen = {(s[a], s[b]) for s in found if s[pc] == 1}
    assert seen == {(v, w) for v, w in product(range(4), range(2)) if meaning(v == 1, w > 0)}


def test_temporal_operators_bind_less_than_comparisons() -> None:
    """covers: M9"""
    body = load(RUNNING).property("ltl-1").body
    assert isinstance(body, Finally)
    assert isinstance(body.operand, Globally)
    assert body == parse_formula("F (G (g == 1))", load(RUNNING)).body


def test_each_instance_has_its_own_variables_and_actions() -> None:
    """covers: M10"""
    text = (
        "ACTION go END VARIABLE seen:2:=0; END LOCAL P ACTION up; END "
        "VARIABLE pc:1:=0; n:2:=0; END "
        "CASE [0][up] true : pc := 1; n := n + 1; END END GLOBAL PROC t : P[3]; END "
        "CASE [go] t[2].n == 1 & t[1].n == 0 : seen := t[2].n + t[0].n; END END"
    )
    model = parse(text)
    cells, found = graph_of(text)
    n = [cells.index(f"t[{k}].n") for k in range(3)]
    assert {tuple(s[i] for i in n) for s in found} == set(product(range(2), repeat=3))
    assert {s[0] for s in found} == {0, 1, 2}
    system = model.system
    assert isinstance(system, ElementaryType)
    assert {e.title for e in system.events} == {"t[0].up", "t[1].up", "t[2].up", "go"}
    assert [p.name for p in system.processes] == ["t[0]", "t[1]", "t[2]"]


RENDEZVOUS = (
    "ACTION meet END VARIABLE g:2:=0; open:1:=1; END LOCAL P ACTION wait; END VARIABLE pc:2:=0; "
    "x:2:=1; END CASE [0][wait] true : pc := 1; [1][meet] x < 3 : pc := 2; x := x + 1; END "
    "SYNC meet END END MAIN PROC a := P[1] b := P[1] END CASE [meet] open == 1 : g := a.x + b.x; "
    "END END"
)


def rendezvous(text: str) -> set[tuple[int, ...]]:
    """The values (g, a.x, b.x, a.pc, b.pc) of all states."""
    cells, found = graph_of(text)
    names = ["g", "a[0].x", "b[0].x", "a[0].pc", "b[0].pc"]
    return {tuple(s[cells.index(n)] for n in names) for s in found}


def test_all_who_take_part_in_a_global_action_move_at_once() -> None:
    """covers: M11"""
    waiting = {(0, 1, 1, p, q) for p in (0, 1) for q in (0, 1)}
    assert rendezvous(RENDEZVOUS) == waiting | {(2, 2, 2, 2, 2)}
    assert rendezvous(RENDEZVOUS.replace("open:1:=1", "open:1:=0")) == waiting
    blocked = {(0, 3, 3, p, q) for p in (0, 1) for q in (0, 1)}
    assert rendezvous(RENDEZVOUS.replace("x:2:=1", "x:2:=3")) == blocked


def test_who_has_no_command_for_a_global_action_blocks_it() -> None:
    """covers: M12"""
    waiting = {(0, 1, 1, p, q) for p in (0, 1) for q in (0, 1)}
    never = RENDEZVOUS.replace("[1][meet] x < 3 : pc := 2; x := x + 1;", "")
    assert rendezvous(never) == waiting
    elsewhere = RENDEZVOUS.replace("[1][meet]", "[3][meet]")
    assert rendezvous(elsewhere) == waiting


def test_a_global_action_needs_a_global_command_and_nothing_else() -> None:
    """covers: M13"""
    waiting = {(0, 1, 1, p, q) for p in (0, 1) for q in (0, 1)}
    assert rendezvous(RENDEZVOUS.replace("[meet] open == 1 : g := a.x + b.x;", "")) == waiting
    alone = "ACTION a END VARIABLE x:2:=0; END MAIN PROC END CASE [a] x < 2 : x := x + 1; END END"
    assert graph_of(alone)[1] == {(0,), (1,), (2,)}


def test_two_commands_of_one_action_are_two_ways() -> None:
    """covers: M14"""
    text = one_process("pc:2:=0;", "[0][t] true : pc := 1; [0][t] true : pc := 2;")
    assert graph_of(text)[1] == {(0,), (1,), (2,)}
    assert states(parse(text)).arcs == 2
    several = RENDEZVOUS.replace("[1][meet]", "[1][meet] true : pc := 3; [1][meet]")
    ways = {(2, 1, 1, 3, 3), (2, 1, 2, 3, 2), (2, 2, 1, 2, 3), (2, 2, 2, 2, 2)}
    assert rendezvous(several) >= ways
    globally = RENDEZVOUS.replace("[meet] open", "[meet] true : g := 3; [meet] open")
    assert {s for s in rendezvous(globally) if s[3] == 2} == {(3, 2, 2, 2, 2), (2, 2, 2, 2, 2)}


def test_formulas_of_the_command_line_know_processes() -> None:
    """covers: M10"""
    model = load(RUNNING)
    asked = parse_formula("AG (a[0].pc == 2 -> a[0].x == 1)", model)
    assert check(model, [asked])[0].verdict == "true"
    assert check(model, [parse_formula('EF enabled("b[0].Ypp")', model)])[0].verdict == "true"


@pytest.mark.parametrize("engine", ["auto", "explicit", "reference"])
def test_a_deadlock_repeats_for_ever(engine: str) -> None:
    """covers: M70"""
    model = parse(
        "ACTION a END VARIABLE g:1:=0; END MAIN PROC END CASE [a] g == 0 : g := 1; END END "
        "LTL G F g == 1; F G g == 0; X G g == 1; END"
    )
    verdicts = [a.verdict for a in check(model, engine=engine)]
    assert verdicts == ["true", "false", "true"]
    (deadlock,) = check(model, [parse_formula("deadlock", model)])
    assert deadlock.verdict == "false"


@pytest.mark.parametrize("seed", range(25))
def test_a_random_program_has_the_states_that_the_definition_gives_it(seed: int) -> None:
    """covers: M8, M11, M14"""
    made = program(Seeded(seed))
    judge = Judge(made)
    model = parse(made.text())
    assert shown_states(model, judge) == judge.reachable()
    space = states(model)
    assert space.states == states(model, engine="symbolic").states


def shown_states(model: Model, judge: Judge) -> set[tuple[int, ...]]:
    """The states of the model after the choice of initial values, in the terms of the program."""
    semantics = Semantics(model)
    cells = list(semantics.cells)
    count = len(judge.names)
    assert cells[:count] == judge.names
    begun = cells.index("init.chosen") if "init.chosen" in cells else None
    graph = semantics.reachable()
    return {s[:count] for s in graph.states if begun is None or s[begun] == 1}


@pytest.mark.parametrize("seed", range(5))
def test_a_program_written_as_gal_has_the_same_states(seed: int) -> None:
    model = parse(program(Seeded(1000 + seed)).text())
    again = gal.parse(gal.print_model(model), model.name)
    assert states(again).states == states(model).states


def test_long_and_deep_expressions_are_read() -> None:
    length = 4_000
    long = " + ".join(["x"] * length)
    deep = "(" * length + "x" + ")" * length
    negated = "!(" * length + "x == 1" + ")" * length
    for value in (long, deep):
        text = one_process("pc:1:=0; x:2:=1;", f"[0][t] true : pc := 1; x := {value};")
        assert len(graph_of(text)[1]) == 2
    text = one_process("pc:1:=0; x:2:=1;", f"[0][t] {negated} : pc := 1;")
    assert len(graph_of(text)[1]) == 2
