"""Sequence diagrams: who moves, which message goes where, and how that is drawn and written."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report.drawings import classes, read_svg, texts

import plait as package
from plait.records import replace
from plait.report.answer import Witness
from plait.report.lanes import Message, lanes_of

PROTOCOL = """mtype = { req, ack };
chan ask = [2] of { mtype, byte };
chan tell = [0] of { mtype };
byte got;
active proctype client() {
  ask!req,7; ask!req,8;
  tell?ack;
  ask!req,9
}
active proctype server() { byte v;
  ask?req,v;
  got = got + 1;
  tell!ack;
  ask?req,v;
  false
}
"""
MIDDLE = """bit done; chan c = [3] of { byte };
active proctype from() { c!5; c!3; c!4 }
active proctype to() { len(c) == 3; c??4; c?5; c!!1; done = 1 }
"""
PARTS = """gal cell { int x = 0; transition step [x < 1] label "go" { x += 1; }
  transition alone [x == 1] { x = 2; } }
composite two { cell a; cell b;
  synchronization both label "" { a."go"; b."go"; } }
main two;"""


def witness(text: str, name: str, formula: str, folder: Path) -> Witness:
    file = folder / name
    file.write_text(text)
    found = package.load(file).check(formula, engine="explicit").witness
    assert found is not None
    return found


@pytest.fixture
def protocol(tmp_path: Path) -> Witness:
    return witness(PROTOCOL, "protocol.pml", "reachable: deadlock && server_1.v == 8", tmp_path)


def test_each_step_stands_in_the_lanes_of_who_moves(protocol: Witness) -> None:
    lanes = lanes_of(protocol)
    assert lanes.names == ("client_0", "server_1")
    for row, step in zip(lanes.rows, protocol.steps, strict=True):
        movers = (step.process or "").split(" & ")
        assert [lanes.names[i] for i in row.cells] == movers


def test_a_message_goes_from_who_sent_it_to_who_received_it(protocol: Witness) -> None:
    lanes = lanes_of(protocol)
    queued = [m for m in lanes.messages if m.kind == "queued"]
    assert [m.text for m in queued] == ["ask (req, 7)", "ask (req, 8)", "ask (req, 9)"]
    for m in queued[:2]:
        assert (m.source, m.target) == (0, 1)
        assert m.arrives is not None
        assert m.row < m.arrives
        assert lanes.rows[m.row].cells[0][0].startswith("ask!req,")
        assert lanes.rows[m.arrives].cells[1][0] == "ask?req,v"
    assert queued[2].target is None


def test_a_rendezvous_goes_from_the_sender_to_the_receiver(protocol: Witness) -> None:
    lanes = lanes_of(protocol)
    (met,) = (m for m in lanes.messages if m.kind == "met")
    assert (met.source, met.target, met.arrives) == (1, 0, met.row)
    assert lanes.rows[met.row].cells[1] == ("tell!ack",)


def test_changes_stand_with_whom_they_belong_to(protocol: Witness) -> None:
    cells = [cell for row in lanes_of(protocol).rows for cell in row.cells.values()]
    assert ("ask?req,v", "v: 0 → 7") in cells
    assert ("got = got + 1", "got: 0 → 1") in cells


def test_messages_may_leave_a_queue_from_its_middle(tmp_path: Path) -> None:
    found = witness(MIDDLE, "middle.pml", "reachable: done == 1", tmp_path)
    received = [
        (m.text, m.source, m.target) for m in lanes_of(found).messages if m.target is not None
    ]
    assert received == [("c 4", 0, 1), ("c 5", 0, 1)]
    left = [(m.text, m.source) for m in lanes_of(found).messages if m.target is None]
    assert sorted(left) == [("c 1", 1), ("c 3", 0)]


def test_parts_that_move_together_are_joined(tmp_path: Path) -> None:
    found = witness(PARTS, "parts.gal", "reachable: b:x == 2", tmp_path)
    lanes = lanes_of(found)
    assert lanes.names == ("a", "b")
    assert lanes.messages == (Message("joint", "", 0, 0, 1, 0),)
    assert lanes.rows[0].cells == {0: ("both", "x: 0 → 1"), 1: ("both", "x: 0 → 1")}
    assert lanes.rows[1].cells == {1: ("alone", "x: 1 → 2")}


def test_a_system_without_processes_is_one_lane() -> None:
    system = package.parse("gal g { int x = 0; transition up [x < 2] { x += 1; } }")
    found = system.check("deadlock").witness
    assert found is not None
    assert lanes_of(found).names == ("system",)
    assert found.diagram().text().splitlines()[1] == "  1  line 1  up"


def test_the_drawing_says_all_of_it_and_stands_by_itself(protocol: Witness) -> None:
    root = read_svg(protocol.diagram("what came").svg())
    written = texts(root)
    for text in ("what came", "client_0", "server_1", "ask!req,7", "v: 0 → 7", "line 11"):
        assert text in written
    assert len(root.findall(".//{*}polygon")) == 3  # two messages and a rendezvous
    assert len(root.findall(".//{*}circle")) == 1  # and one that nobody received


def test_a_lasso_is_marked(tmp_path: Path) -> None:
    text = "byte x; active proctype p() { x = 1; do :: x = 2; x = 3 od }"
    found = witness(text, "loop.pml", "F (x == 7)", tmp_path)
    diagram = found.diagram()
    closing = (
        f"\N{CLOCKWISE OPEN CIRCLE ARROW} the same state as {found.loop}: this repeats for ever"
    )
    assert diagram.text().splitlines()[-1] == closing
    root = read_svg(diagram.svg())
    assert closing in texts(root)
    assert classes(root).count("hot") == 2


def test_a_trace_without_steps_is_a_diagram_too() -> None:
    system = package.parse("gal g { int x = 0; transition up [x > 2] { x += 1; } }")
    found = system.check("deadlock").witness
    assert found is not None
    read_svg(found.diagram().svg())
    assert repr(found.diagram()) == "<Diagram 0 steps, 0 lanes>"


def test_names_are_escaped(protocol: Witness) -> None:
    strange = '<b>&"\x07'
    steps = tuple(replace(s, event=strange, process=strange) for s in protocol.steps)
    read_svg(replace(protocol, steps=steps).diagram(strange).svg())
