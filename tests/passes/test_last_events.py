"""Which events are marked as last ones, after which nothing is possible."""

from dataclasses import replace

import pytest

from plait.engines import Reduction, check, states
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


TURNING = """gal M { int on = 1; int x = 0; int y = 0;
  transition turn0 [on == 1 && x == 0] { x = 1; }
  transition turn1 [on == 1 && x == 1] { x = 0; }
  transition stop [on == 1 && x == 1 && y == 0] { on = 0; }
  transition go1 [on == 1 && y == 0] { y = 1; }
  transition go2 [on == 1 && y == 0] { y = 2; }
  transition go3 [on == 1 && y == 0] { y = 3; } }"""
"""Two processes; the one that turns for ever may stop the system."""


def test_a_last_event_does_not_satisfy_the_proviso() -> None:
    """Where the turning process comes back, `stop` leads to a new state, but nothing goes on there:
    the other process must not be put off for it."""
    model = gal(TURNING.replace(" && y == 0] { on", "] { on"), "turning")
    asked = [parse_formula("reachable: y == 3 && on == 1", model)]
    assert marked(model, "reachable: y == 3 && on == 1") == ["stop"]
    for order in ("dfs", "bfs"):
        (found,) = check(
            model, asked, reduction=Reduction("ps+prov", order=order), engine="explicit"
        )
        assert found.verdict == "true"


@pytest.mark.parametrize("preset", ["ps", "ps+sleep", "stubborn"])
def test_a_deadlock_that_only_a_last_event_leads_to_is_found(preset: str) -> None:
    """Persistent sets alone may turn for ever; where an event is watched for, the proviso is on."""
    model = gal(TURNING.replace("x == 1 && y == 0] { on", "y == 3] { on"), "turning")
    assert marked(model, "deadlock") == ["stop"]
    reduction = Reduction(preset, order="dfs", check=True)
    (found,) = check(
        model, [parse_formula("deadlock", model)], engine="explicit", reduction=reduction
    )
    assert found.verdict == "false"
    assert any("widened by the proviso" in note for note in found.notes)
    assert states(model, engine="explicit", reduction=reduction).deadlocks == 2


def test_all_deadlocks_after_last_events_are_counted() -> None:
    """Watching for the event finds it in one state; it is possible in three."""
    model = gal(
        """gal M { int on = 1; int x = 0; int y = 0;
          transition up [on == 1 && y < 2] { y = y + 1; }
          transition ready [on == 1 && x == 0] { x = 1; }
          transition stop [on == 1 && x == 1] { on = 0; } }""",
        "stopping",
    )
    assert marked(model, "deadlock") == ["stop"]
    assert states(model, engine="reference").deadlocks == 3
    for preset in ("ps", "ps+prov", "ps+sleep+prov", "sleep"):
        reduction = Reduction(preset, order="dfs", check=True)
        assert states(model, engine="explicit", reduction=reduction).deadlocks == 3
