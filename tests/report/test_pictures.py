"""Pictures of models and automata: nets as nets, processes as automata, letters beside arcs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.report.drawings import classes, read_svg, texts

import plait as package
from plait.automata import violating
from plait.errors import InputError
from plait.lang import load_timed
from plait.logic.parse import parse_formula
from plait.model.expr import Formula
from plait.model.net_builder import NetBuilder
from plait.report.automaton_picture import automaton_picture
from plait.report.model_picture import model_picture, timed_picture
from plait.report.picture import Picture

LIGHTS = """byte n;
process P { state red, green, off; init red;
  trans red -> green { guard n == 0; effect n = 1; }, green -> red { effect n = 0; },
        green -> red { guard n == 7; }; }
system async;"""
STARTED = """byte n;
init { run worker(1); run worker(2) }
proctype worker(byte i) { do :: n = i; n = 0 :: n == 3 -> break od }
"""


def arcs(picture: Picture) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Ends by their texts, the kind of head, the label."""
    names = [(n.below or n.lines)[0] for n in picture.nodes]
    return [(names[a.source], names[a.target], a.head, a.lines) for a in picture.arrows]


def test_a_net_is_drawn_as_a_net() -> None:
    net = NetBuilder("net")
    free, full, lock = net.place("free", 3), net.place("full"), net.place("lock", 5)
    net.event("put", takes=[free], gives=[(full, 2)])
    net.event("look", takes=[lock], gives=[lock], below=[(full, 3)])
    net.event("flush", takes=[free], empties=[full])
    picture = model_picture(net.model())
    assert [n.lines for n in picture.nodes[:3]] == [("●●●",), (), ("5",)]
    assert set(arcs(picture)) == {
        ("free", "put", "arrow", ()),
        ("put", "full", "arrow", ("2",)),
        ("lock", "look", "none", ()),
        ("full", "look", "circle", ("3",)),
        ("free", "flush", "arrow", ()),
        ("full", "flush", "double", ()),
    }
    written = texts(read_svg(picture.svg()))
    assert {"free", "full", "lock", "put", "look", "flush", "●●●"} <= set(written)


def test_processes_are_drawn_as_automata(tmp_path: Path) -> None:
    file = tmp_path / "lights.dve"
    file.write_text(LIGHTS)
    picture = model_picture(package.load(file).model)
    assert [n.lines[0] for n in picture.nodes] == ["red", "green"]  # nothing leads to `off`
    assert [n.start for n in picture.nodes] == [True, False]
    assert [(a.source, a.target) for a in picture.arrows] == [(0, 1), (1, 0)]
    read_svg(picture.svg())


def test_processes_with_one_program_are_drawn_once(tmp_path: Path) -> None:
    file = tmp_path / "started.pml"
    file.write_text(STARTED)
    picture = model_picture(package.load(file).model)
    begins = [n.begins for n in picture.nodes if n.start]
    assert begins[0] == "init_0"
    assert begins[1].startswith("worker_1, worker_2")
    labels = [line for a in picture.arrows for line in a.lines]
    assert labels.count("n = i") == 1
    assert "none" not in [n.lines[0] for n in picture.nodes]


def test_other_models_are_drawn_by_what_events_touch() -> None:
    gal = package.parse("gal g { int x = 0; int y = 0; transition t [x < y * x] { y = x + 1; } }")
    picture = model_picture(gal.model)
    assert [(a.source, a.target, a.dashed) for a in picture.arrows] == [
        (0, 2, True),
        (1, 2, True),
        (2, 1, False),
    ]


def test_what_is_too_large_is_refused() -> None:
    net = NetBuilder("long")
    places = [net.place(f"p{i}", 1) for i in range(2000)]
    for i in range(1999):
        net.event(f"t{i}", takes=[places[i]], gives=[places[i + 1]])
    with pytest.raises(InputError, match="too many for a picture"):
        model_picture(net.model())


def test_an_automaton_says_what_its_arcs_read() -> None:
    gal = package.parse("gal g { int x = 0; int y = 0; transition t [x < 1] { x = 1; } }")
    body = parse_formula("ltl: G (x == 1 -> F (y == 1))", gal.model).body
    assert isinstance(body, Formula)
    found = violating(body)
    picture = automaton_picture(found.automaton, found.conditions, "violations")
    assert len(picture.nodes) == len(found.automaton.arcs)
    assert picture.nodes[0].start
    root = read_svg(picture.svg())
    assert any("{0}" in text for text in texts(root))
    assert any("again and again" in text for text in texts(root))
    assert "box" in classes(root)


def test_a_time_petri_net_has_its_intervals() -> None:
    net = load_timed(ROOT / "examples" / "crossing.net")
    picture = timed_picture(net)
    assert len(picture.nodes) == len(net.places) + len(net.events)
    boxes = picture.nodes[len(net.places) :]
    assert [n.lines[1] for n in boxes] == [str(e.interval) for e in net.events]
    assert len(picture.arrows) == sum(len(a.places) for e in net.events for a in e.arcs)
    read_svg(picture.svg())
