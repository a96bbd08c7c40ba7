"""Drawings: every node and arc of a model, readable and properly quoted."""

import re
from pathlib import Path

import pytest

from plait.lang.dot import print_model, quote
from plait.lang.gal import parse
from plait.lang.pnml import load
from plait.model.net import Net, NetEvent, Place, as_model


def test_a_net_is_drawn_as_a_net() -> None:
    net = Net(
        "n",
        (Place("p", 2), Place("q"), Place("r", 9)),
        (NetEvent("t", ((0, 1), (1, 2)), ((0, 1), (2, 3)), ((2, 9),), (1,)),),
    )
    assert print_model(as_model(net)) == (
        'digraph "n" {\n'
        '  node [fontname="sans-serif", fontsize=10]; edge [fontname="sans-serif", fontsize=9];\n'
        '  p0 [shape=circle, label="●●", xlabel="p"];\n'
        '  p1 [shape=circle, label="", xlabel="q"];\n'
        '  p2 [shape=circle, label="9", xlabel="r"];\n'
        '  t0 [shape=box, label="t"];\n'
        "  p0 -> t0 [dir=none, style=dashed];\n"
        '  p1 -> t0 [label="2"];\n'
        '  p2 -> t0 [label="9", arrowhead=odot];\n'
        "  p1 -> t0 [arrowhead=normalnormal];\n"
        '  t0 -> p2 [label="3"];\n'
        "}\n"
    )


def test_another_elementary_type_is_drawn_as_its_dependencies() -> None:
    drawing = print_model(
        parse(
            """gal g {
              int x = 1; int y = 0; array[2] a = (0, 5);
              transition up [x < y] { x = x + 1; self."log"; }
              transition save [true] label "log" { if (a[y] == 0) { a[1] = x; } else { y = 0; } }
            }""",
            "g.gal",
        )
    )
    assert 'label="x = 1"' in drawing
    assert 'label="a[2] = 0, 5"' in drawing
    assert 'label="save\\nlabel log"' in drawing
    edges = re.findall(r"c0\w+ -> .*;", drawing)
    assert edges == [
        "c0v1 -> c0e0 [style=dashed];",
        "c0e0 -> c0v0 [dir=both];",
        'c0e0 -> c0e1 [style=dotted, label="log"];',
        "c0v0 -> c0e1 [style=dashed];",
        "c0e1 -> c0v2 [dir=both];",
        "c0e1 -> c0v1 [dir=both];",
    ]


def test_a_composite_is_drawn_as_instances_and_synchronisations() -> None:
    drawing = print_model(
        parse(
            """gal g { int x = 0; transition t [x == 0] label "go" { x = 1; } }
            composite c {
              g one; g two;
              synchronization both { one."go"; two."go"; self."after"; }
              synchronization after label "after" { one."go"; }
            }
            main c;""",
            "c.gal",
        )
    )
    assert 'label="composite c";' in drawing
    assert 'c0i0 [shape=component, label="one: g"];' in drawing
    assert 'c0e0 -> c0i0 [label="go"];' in drawing
    assert 'c0e0 -> c0i1 [label="go"];' in drawing
    assert 'c0e0 -> c0e1 [label="after"];' in drawing
    assert 'c1e0 [shape=box, label="t\\nlabel go"];' in drawing


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('a"b', '"a\\"b"'),
        ("a\\b", '"a\\\\b"'),
        ("two\nlines", '"two\\nlines"'),
        ("\\", '"\\\\"'),
        ("é<&>", '"é<&>"'),
        ("a\0b", '"a\N{REPLACEMENT CHARACTER}b"'),
    ],
)
def test_text_is_quoted(text: str, quoted: str) -> None:
    assert quote(text) == quoted


def test_every_arc_of_a_published_net_is_drawn(data: Path) -> None:
    drawing = print_model(load(data / "mcc" / "Philosophers-PT-000005" / "model.pnml"))
    assert drawing.count("shape=circle") == drawing.count("shape=box") == 25
    assert drawing.count("->") == 80
