"""What the literature says of CTL on its own examples: forward forms, polarity, shortest traces."""

import pytest

from plait import parse
from plait.engines import Tuning, check, states
from plait.engines.symbolic.tuning import CTL_WAYS
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.models import entry

RUNNING = """
gal running {
  int g = 0; int a_pc = 0; int a_x = 0; int a_z = 0; int b_pc = 0; int b_y = 0;
  transition Xpp [a_pc == 0] { a_pc = 1; a_x = 1 - a_x; }
  transition Zpp [a_pc == 1] { a_pc = 2; a_z = 1 - a_z; }
  transition Ypp [b_pc == 0 && g == 0] { b_pc = 1; b_y = 1 - b_y; }
  transition YE0 [b_pc == 1 && g == 0] { b_pc = 0; b_y = 0; }
  transition Gpp [a_pc == 2 && b_pc == 1 && g == 0] { g = 1; }
  transition GE0 [a_pc == 2 && b_pc == 1 && g == 1] { g = 0; }
  transition xExMy [a_pc == 2 && b_pc == 1] { }
}
main running;
"""
"""The running example of Vander Meulen's Milestones (2014), listing 6.1, with its two processes."""


@pytest.fixture(scope="module")
def running() -> Model:
    return parse(RUNNING).model


@pytest.mark.parametrize("way", CTL_WAYS)
def test_the_running_example_can_always_come_to_its_flag(running: Model, way: str) -> None:
    """Seven states, and `AG EF g == 1` holds whichever way it is asked."""
    assert states(running).states == 7
    asked = [parse_formula("AG EF (g == 1)", running)]
    engine = "explicit" if way == "local" else "auto"
    (answer,) = check(running, asked, engine=engine, tuning=Tuning(ctl=way))
    assert answer.verdict == "true"


def test_a_response_is_asked_forward_from_the_requests(running: Model) -> None:
    """`AG (req -> AF ack)` fails where a path from a reachable request avoids the answer for ever.

    covers: M55
    """
    asked = [parse_formula("AG (a_pc == 2 -> AF g == 1)", running)]
    (answer,) = check(running, asked, engine="symbolic", tuning=Tuning(ctl="forward"))
    assert answer.verdict == "false"  # Ypp and YE0 go on for ever
    assert (
        answer.stats["forward"]
        == [
            "FwdU(Init, true) * a_pc != 2 != 0",
            "FwdG(FwdU(Init, true) * !(a_pc != 2), !(g == 1)) != 0",
        ][-1:]
    )


PAIRS = (
    "EF (g == 1 && a_x == 1)",
    "EG g == 0",
    "E (g == 0) U (b_y == 1)",
    "AF g == 1",
    "AX a_x == 1",
)


@pytest.mark.parametrize("way", [w for w in CTL_WAYS if w != "local"])
def test_what_is_violated_holds_negated(running: Model, way: str) -> None:
    """covers: M59"""
    for text in PAIRS:
        asked = [parse_formula(f"ctl: {t}", running) for t in (text, f"!({text})")]
        found = check(running, asked, engine="symbolic", tuning=Tuning(ctl=way))
        expected = check(running, asked, engine="reference")
        assert {a.verdict for a in found} == {"true", "false"}
        assert [a.verdict for a in found] == [a.verdict for a in expected]


@pytest.mark.parametrize(
    ("name", "n", "asked", "steps"),
    [
        ("philosophers", 4, "deadlock", 8),
        ("philosophers", 7, "deadlock", 14),
        ("fms", 1, "all_finished", 10),
        ("fms", 2, "all_finished", 20),
        ("leader", 3, "elected", 29),
    ],
)
@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_shortest_traces_are_as_long_as_published(
    name: str, n: int, asked: str, steps: int, engine: str
) -> None:
    """Philosophers 2N to the deadlock, 10N to all parts finished, 29 to the first leader.

    covers: S92
    """
    model = entry(name).model(n, "flat")
    question = next(p for p in model.properties if asked in (p.name, p.kind))
    (answer,) = check(model, [question], engine=engine)
    assert answer.replayed
    assert answer.witness is not None
    assert len(answer.witness.steps) == steps


GUARDED = """
gal guarded {
  int p = 4; int q = 0; int r = 2;
  transition half [p + q >= 3 && r < p] { q = q + p; r = r + p; p = 0; }
  transition one [q > r - 5] { q = q - 1; p = p + 1; }
}
main guarded;
"""


@pytest.mark.parametrize("engine", ["explicit", "symbolic", "reference"])
def test_a_guard_over_tokens_disables_and_amounts_are_those_before_the_step(engine: str) -> None:
    """`half` moves as many tokens as p has to both q and r, and needs a sum over two places.

    covers: S3, S4
    """
    model = parse(GUARDED).model
    texts = {
        "reachable: p == 0 && q == 4 && r == 6": "true",  # all of p, to both
        "reachable: r == 2 && q == 4": "false",
        "reachable: p == 1 && q == 3": "true",
        'invariant: enabled("half") -> p + q >= 3 && r < p': "true",
        'reachable: p + q >= 3 && r < p && !enabled("half")': "false",
    }
    found = check(model, [parse_formula(t, model) for t in texts], engine=engine)
    assert [a.verdict for a in found] == list(texts.values())
