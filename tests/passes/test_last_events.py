"""Which events are marked as last ones, after which nothing is possible."""

from dataclasses import replace

import pytest

from plait.engines import Reduction, check
from plait.lang.gal import parse as gal
from plait.lang.promela import parse as promela
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.passes import flat
from plait.passes.last_events import mark_last

FAILING = """
byte x; byte y; byte a[3];
active proctype p() { atomic { x < 2 -> x++; assert(y != 1); y = x } }
active proctype q() { byte i = 1; atomic { y < 2 -> y++; a[x + y] = i }; atomic { y = 1; x = y } }
"""
HALTING = """gal M { int on = 1; int x = 0; int y = 0; int z = 0;
  transition up [on == 1 && x < 2] { x = x + 1; }
  transition over [on == 1 && y < 2] { y = y + 1; z = 1; }
  transition stop [on == 1 && x == 2] { x = 5; on = 0; z = y; }
  transition pause [on == 1 && y == 2] { y = 0; on = 2; }
  transition resume [on == 2 && y == 0] { on = 1; } }"""


def marked(model: Model, *formulas: str) -> list[str]:
    asked = tuple(parse_formula(text, model) for text in formulas)
    found = mark_last(flat(replace(model, properties=asked or model.properties)).model)
    return [e.title for e in found.system.events if e.last]


def test_the_errors_inside_blocks_are_last_events_for_what_spin_checks() -> None:
    """Each of them: the locations of the others' errors are known not to be reached."""
    model = promela(FAILING, "failing")
    assert set(marked(model)) == {"p_0:3", "q_1:4"}


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("deadlock", ["stop"]),
        ("never: on == 0", ["stop"]),
        ("reachable: x == 5", ["stop"]),
        # An event that only pauses the others is not last; what it stores is known before.
        ("never: on == 2", ["stop"]),
        # After it y may be anything, and z is what y was.
        ("never: on == 0 && y == 1", []),
        ("never: z == 2", []),
        ("never: deadlock && y == 1", []),
        ("never: on == 1 && y == 1", ["stop"]),
        ('invariant: enabled("up")', []),
    ],
)
def test_an_event_is_last_only_where_its_end_decides_what_is_asked(
    formula: str, expected: list[str]
) -> None:
    assert marked(gal(HALTING, "halting"), formula) == expected


@pytest.mark.parametrize("preset", ["ps", "ps+sleep", "ps+prov", "ps+sleep+prov", "stubborn"])
def test_an_error_in_a_block_is_found_and_replayed_under_each_preset(preset: str) -> None:
    """covers: P48"""
    model = promela(FAILING, "failing")
    full = check(model, engine="explicit")
    reduced = check(model, engine="explicit", reduction=Reduction(preset, order="dfs", check=True))
    assert [a.verdict for a in reduced] == [a.verdict for a in full]
    assert {a.property.name: a.verdict for a in full}["run-time error"] == "false"
    assert all(a.witness is not None for a in reduced if a.verdict == "false")
