"""Partial-order reduction that nobody asked for: a turn where there are processes."""

from pathlib import Path

import pytest

from plait.engines import Reduction, check, rounds
from plait.lang import load
from plait.logic.parse import parse_formula
from plait.model.types import Model
from plait.report.answer import Answer

PROTOCOLS = Path(__file__).parents[3] / "examples" / "protocols"
ENTERED = "never: inside == 1 && user_5.round == 0 && holds[2] == 1"


@pytest.fixture
def mulog(monkeypatch: pytest.MonkeyPatch) -> Model:
    """2,425 states, of which 711 are enough; the plain search has room for 1,000."""
    monkeypatch.setattr(rounds, "TURNS", ((1_000, 0.1),))
    return load(PROTOCOLS / "mulog.pml")


def reduced(answer: Answer) -> bool:
    return any(note.startswith("reduction: persistent sets") for note in answer.notes)


def test_a_search_that_grows_too_large_is_tried_again_with_fewer_events(mulog: Model) -> None:
    answers = check(mulog)
    assert {a.verdict for a in answers} == {"true"}
    assert all(a.engine == "explicit" and reduced(a) for a in answers)
    assert all(a.stats["states"] == 711 for a in answers)


def test_a_trace_found_so_is_replayed_and_a_small_search_stays_plain(mulog: Model) -> None:
    asked = parse_formula(ENTERED, mulog)
    answers = check(mulog, [*mulog.properties, asked])
    assert [a.verdict for a in answers] == [*("true" for _ in mulog.properties), "false"]
    assert answers[-1].witness is not None
    (alone,) = check(mulog, [parse_formula("reachable: holds[1] == 1", mulog)])
    assert alone.verdict == "true"
    assert not reduced(alone)


def test_what_asks_for_every_state_and_who_wants_no_reduction_get_none(mulog: Model) -> None:
    (bounds,) = check(mulog, [parse_formula("bounds: inside", mulog)])
    assert bounds.value == 1
    assert not reduced(bounds)
    assert not any(map(reduced, check(mulog, reduction=Reduction())))
