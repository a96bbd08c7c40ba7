"""Models as NuSMV and Promela texts mean what they meant."""

import re
from pathlib import Path

import pytest
from milestones_by_definition import Judge
from smv import Smv
from tests.cli.command import Command

from plait.engines import check, states
from plait.errors import InputError
from plait.lang import nusmv
from plait.lang.gal import parse as parse_gal
from plait.lang.milestones import parse
from plait.lang.promela import parse as parse_promela
from plait.lang.promela.writer import print_model as print_promela
from plait.logic.formula import Forall, Globally
from plait.model.expr import Compare, Const, Deadlock, Var
from plait.model.stmt import Assign
from plait.model.types import Domain, ElementaryType, Event, Model, Property, Variable
from plait.models import philosophers, producers_consumers, running_example
from plait.reference import Semantics
from plait.testing.choices import Seeded
from plait.testing.random_milestones import program

SWAP = (
    "ACTION go END VARIABLE x:2:=1; y:2:=2; z:1:=1; END MAIN PROC END "
    "CASE [go] x != y : x := y; y := x; END END"
)


def test_the_running_example_as_nusmv_has_its_parts_and_its_states() -> None:
    """covers: M85, M87"""
    text = nusmv.print_model(running_example())
    found = Smv(text)
    assert re.findall(r"^(IVAR|VAR|INIT|TRANS)$", text, re.MULTILINE) == [
        "IVAR",
        "VAR",
        "INIT",
        "TRANS",
    ]
    assert found.actions == ["a_0_Xpp", "a_0_Zpp", "b_0_Ypp", "b_0_YE0", "Gpp", "GE0", "xExMy"]
    assert text.count("(action = ") == len(found.actions)
    assert len(found.reachable()) == 7
    order = nusmv.print_order(running_example()).split()
    assert order == ["action", *found.domains]
    assert order == ["action", "g", "a_0_pc", "a_0_x", "a_0_z", "b_0_pc", "b_0_y"]


def test_formulas_are_written_as_specifications() -> None:
    """covers: M88"""
    text = nusmv.print_model(running_example())
    assert Smv(text).specs == [
        ("CTLSPEC", "(AG (EF (g = 1)))"),
        ("LTLSPEC", "(F (G (g = 1)))"),
    ]
    promela = print_promela(running_example())
    assert "ltl p2 { (<> ([] (g == 1))) }" in promela
    again = parse_promela(promela)
    (answer,) = check(again, [p for p in again.properties if p.kind == "ltl"])
    assert answer.verdict == "false"


@pytest.mark.parametrize("seed", range(12))
def test_a_random_program_has_the_same_steps_in_nusmv(seed: int) -> None:
    """Wrap-around, choices, joint actions, several initial states.

    covers: M86, M92, M93
    """
    made = program(Seeded(seed))
    judge, found = Judge(made), Smv(nusmv.print_model(parse(made.text())))
    extra = len(found.domains) - len(judge.names)
    rest = (0,) * extra
    assert sorted(found.initial()) == sorted((*s, *rest) for s in judge.initial_states())
    for state in judge.reachable():
        ours = {s[: len(state)] for _, s in found.successors((*state, *rest))}
        assert ours == {s for _, s in judge.steps(state)}


@pytest.mark.parametrize("seed", range(12))
def test_a_random_program_has_the_same_states_in_promela(seed: int) -> None:
    """covers: M90, M91, M93"""
    made = program(Seeded(seed))
    judge = Judge(made)
    semantics = Semantics(parse_promela(print_promela(parse(made.text()))))
    cells = list(semantics.cells)
    names = [re.sub(r"[^A-Za-z0-9]+", "_", n).strip("_") for n in judge.names]
    places = [cells.index(n) for n in names]
    graph = semantics.reachable()
    shown = {tuple(s[i] for i in places) for s in graph.states}
    before = {tuple(v or 0 for v in judge.initial.values())}
    assert shown == judge.reachable() | before
    assert len(graph.states) <= len(judge.reachable()) + 1
    aside = [i for i, name in enumerate(cells) if name.startswith("old_")]
    assert all(s[i] == 0 for s in graph.states for i in aside)


def test_the_running_example_as_promela_is_one_process_with_an_option_an_action() -> None:
    """covers: M89"""
    text = print_promela(running_example())
    assert text.count("init {") == 1
    assert "proctype" not in text
    assert text.count(":: atomic {") == 7
    assert re.search(r"init \{\n  atomic \{", text)
    assert states(parse_promela(text)).states in (7, 8)


def test_a_swap_swaps_and_what_is_not_assigned_stays() -> None:
    """covers: M90, M91"""
    for text in [Smv(nusmv.print_model(parse(SWAP))).reachable()]:
        assert {s[:3] for s in text} == {(1, 2, 1), (2, 1, 1)}
    semantics = Semantics(parse_promela(print_promela(parse(SWAP))))
    cells = list(semantics.cells)
    places = [cells.index(n) for n in "xyz"]
    found = {tuple(s[i] for i in places) for s in semantics.reachable().states}
    assert found == {(1, 2, 1), (2, 1, 1)}


def test_both_exports_of_producers_and_consumers_have_all_states() -> None:
    """covers: M94, S122"""
    model = producers_consumers(1)
    assert len(Smv(nusmv.print_model(model)).reachable()) == 1_059
    assert states(parse_promela(print_promela(model))).states in (1_059, 1_060)


def test_promela_warns_of_the_state_before_the_initial_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """covers: M92"""
    run = Command(capsys)
    path = tmp_path / "open.mil"
    path.write_text("VARIABLE x:2; END MAIN PROC END CASE END END")
    told = run("convert", path, "--to", "promela")
    assert told.status == 0
    assert "several initial states" in told.err
    assert states(parse_promela(told.out)).states == 1 + 4
    silent = run("convert", path, "--to", "nusmv")
    assert silent.err == ""
    assert len(Smv(silent.out).reachable()) == 4


def test_other_languages_are_exported_too() -> None:
    model = parse_gal(
        "gal g { int x = 0; transition t [x < 3] { if (x == 1) { x = 3; } else { x = x + 1; } } } "
        "main g;",
        "g",
    )
    assert states(parse_promela(print_promela(model))).states in (3, 4)
    with pytest.raises(InputError, match="needs bounds"):
        nusmv.print_model(model)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x = y / x;", "may divide by zero"),
        ("x = x ^ y;", "this operation cannot be written"),
        ("x = 1 + ((a[x] == 1) + 1);", "computed index"),
        ("fixpoint { x = 1; }", "'fixpoint' cannot be written"),
    ],
)
def test_what_a_language_has_no_words_for_is_refused(body: str, message: str) -> None:
    from dataclasses import replace

    from plait.model.types import Domain, ElementaryType

    text = (
        "gal g { int x = 0; int y = 1; array [2] a = (0, 0); "
        f"transition t [true] {{ {body} }} }} main g;"
    )
    model = parse_gal(text, "g")
    system = model.system
    assert isinstance(system, ElementaryType)
    variables = tuple(replace(v, domain=Domain(0, 3)) for v in system.variables)
    bounded = replace(model, types=(replace(system, variables=variables),))
    with pytest.raises(InputError, match=message):
        nusmv.print_model(bounded)


def test_a_composite_is_flattened_first() -> None:
    model = philosophers(2, "composite")
    assert states(parse_promela(print_promela(model))).states in (18, 19)


def test_a_name_does_not_end_the_comment_that_it_stands_in() -> None:
    event = Event("go */ on", (Compare("<", Var("x"), Const(1)),), (Assign(Var("x"), Const(1)),))
    x = Variable("x", (), None, Domain(0, 1))
    asked = Property("one */ two\nMODULE", kind="ctl", body=Forall(Globally(Deadlock())))
    kind = ElementaryType("a */ b", events=(event,), variables=(x,))
    model = Model("a */ b", (kind,), "a */ b", properties=(asked,))
    again = parse_promela(print_promela(model), "again.pml")
    assert states(again).states == 3
    assert print_promela(model).count("*/") == 3
    assert nusmv.print_model(model).count("\nMODULE") == 1


@pytest.mark.parametrize("body", ["x = 1 / 0;", "x = 3 >> 40;"])
def test_what_never_has_a_value_is_refused_in_promela(body: str) -> None:
    text = f"gal g {{ int x; array [2] t; transition a [true] {{ {body} }} }}"
    with pytest.raises(InputError, match="cannot be written in Promela"):
        print_promela(parse_gal(text, "g.gal", validated=False))


@pytest.mark.parametrize("body", ["x = t[7];", "t[2] = 1;", "x = 2; t[x] = 1;"])
def test_a_step_about_a_cell_that_is_not_there_is_none(body: str) -> None:
    text = f"gal g {{ int x; array [2] t; transition a [true] {{ {body} }} }}"
    written = print_promela(parse_gal(text, "g.gal", validated=False))
    assert states(parse_promela(written)).states == 2


def test_promela_warns_of_steps_that_exist_only_where_they_have_a_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "g.gal"
    for divisor, warned in (("y", True), ("2", False)):
        path.write_text(f"gal g {{ int x; int y; transition a [y == 0] {{ x = 4 / {divisor}; }} }}")
        result = Command(capsys)("convert", path, "--to", "promela")
        assert (result.status, "run-time error" in result.err) == (0, warned)
