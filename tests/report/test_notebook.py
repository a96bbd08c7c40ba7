"""What notebooks show: well-formed, self-contained, escaped, and not too much."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.conftest import ROOT
from tests.report.drawings import ELSEWHERE

import plait as package
from plait.model.net_builder import NetBuilder
from plait.model.types import Property
from plait.records import replace
from plait.report.answer import Answer, Answers, Magnitude, StateSpace

PROCESSES = """chan c = [1] of { byte };
active proctype from() { c!1; c!2 }
active proctype to() { byte v; c?v; c?v; false }
"""
STRANGE = '<script>alert("&")</script>\x07'


def table() -> package.System:
    return package.load(ROOT / "examples" / "philosophers.gal", N=4)


def shown(thing: object) -> str:
    """What a notebook shows of a thing, all texts of it in one, if it is sound."""
    text = thing._repr_html_()  # type: ignore[attr-defined]
    root = ElementTree.fromstring(text)
    assert ELSEWHERE.search(text) is None
    assert "alert(" not in text or "<script" not in text
    return "\n".join(t for t in root.itertext() if t.strip())


def test_a_system_has_its_properties_and_its_picture() -> None:
    text = shown(table())
    for expected in ("philosophers", "variables: 3, events: 3", "free", "AG EF (right[0] == 1)"):
        assert expected in text
    assert "takeLeft" in text


def test_a_net_has_its_picture_unless_it_is_large() -> None:
    for count, drawn in ((3, True), (300, False)):
        net = NetBuilder("ring")
        places = [net.place(f"p{i}", int(i == 0)) for i in range(count)]
        for i in range(count):
            net.event(f"t{i}", takes=[places[i]], gives=[places[(i + 1) % count]])
        assert ("<svg" in package.System(net.model())._repr_html_()) is drawn


def test_a_system_of_parts_and_one_of_processes_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "two.pml"
    file.write_text(PROCESSES)
    assert "processes: 2" in shown(package.load(file))
    parts = package.parse(
        'gal cell { int x = 0; transition t [x < 1] label "go" { x += 1; } }'
        'composite two { cell a; synchronization s label "" { a."go"; } } main two;'
    )
    assert "parts: 1" in shown(parts)


def test_an_answer_has_its_verdict_its_trace_and_why() -> None:
    text = shown(table().check("free"))
    for expected in ("violated", "takeLeft(3)", "fork[3]: 0 → 1", "no event can be executed"):
        assert expected in text
    assert "process" not in text  # there are none
    assert "holds" in shown(table().check("neighbours"))
    assert "0..4" in shown(table().check("forks"))
    assert "unknown" in shown(table().check("AG EF (right[0] == 1)", engine="bounded"))


def test_the_answers_to_all_properties_are_a_table() -> None:
    answers = table().check_all()
    assert isinstance(answers, Answers)
    text = shown(answers)
    assert [p.name for p in table() if p.name not in text] == []
    assert "free: a trace of 4 steps" in text
    shown(Answers())


def test_a_trace_of_processes_has_lanes(tmp_path: Path) -> None:
    file = tmp_path / "two.pml"
    file.write_text(PROCESSES)
    witness = package.load(file).check("reachable: deadlock").witness
    assert witness is not None
    text = shown(witness)
    assert "by processes" in text
    assert "<svg" in witness._repr_html_()
    assert "c 1" in text


def test_a_lasso_says_where_it_comes_back() -> None:
    system = package.parse("gal g { int x = 0; transition t [x < 2] { x = 1 - x; } }")
    witness = system.check("F (x == 7)").witness
    assert witness is not None
    assert f"the same state as {witness.loop}: this repeats for ever" in shown(witness)


def test_a_long_trace_is_cut_and_says_so() -> None:
    system = package.parse("gal g { int x = 0; transition t [x < 300] { x += 1; } }")
    assert "and 100 more steps: see show()" in shown(system.check("deadlock"))


@pytest.mark.parametrize(
    "space",
    [
        StateSpace(True, None, 34, "explicit", arcs=88, deadlocks=1, max_value=1),
        StateSpace(False, "timeout", 5, "explicit"),
        StateSpace(True, None, None, "symbolic", magnitude=Magnitude(1.5, 9)),
        StateSpace(True, None, 10**5000, "symbolic", notes=(STRANGE,)),
    ],
)
def test_a_state_space_is_a_table(space: StateSpace) -> None:
    assert "states" in shown(space)


def test_graphs_pictures_and_diagrams_show_themselves() -> None:
    witness = table().check("free").witness
    assert witness is not None
    for thing in (
        table().graph(depth=1),
        table().picture(),
        table().automaton("G F (left[0] == 1)"),
        witness.diagram(),
    ):
        assert shown(thing)


def test_only_ltl_has_automata() -> None:
    with pytest.raises(package.InputError, match="only LTL has automata"):
        table().automaton("hungry")


def test_names_are_escaped() -> None:
    found = table().check("free")
    assert found.witness is not None
    steps = tuple(replace(s, event=STRANGE, process=STRANGE) for s in found.witness.steps)
    odd = replace(
        found,
        property=Property(STRANGE, kind="deadlock"),
        engine=STRANGE,
        witness=replace(found.witness, steps=steps),
        explanation=(STRANGE,),
        notes=(STRANGE,),
    )
    shown(odd)
    shown(Answers([odd, Answer(odd.property, "unknown", "none", reason=STRANGE)]))
    shown(package.System(replace(table().model, name=STRANGE, properties=(odd.property,))))
