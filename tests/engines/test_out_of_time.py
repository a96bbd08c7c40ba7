"""Why nothing is known when the time is over: the time, whoever had the last turn."""

import pytest

from plait.engines import check
from plait.engines.budget import Budget
from plait.engines.evidence import Evidence
from plait.engines.explicit.graph import GraphEngine
from plait.engines.request import Request
from plait.engines.search import Search
from plait.errors import LimitReached
from plait.lang.gal import parse
from plait.logic.parse import parse_formula
from plait.reference import Semantics
from plait.report.answer import Answer

MODEL = parse(
    "gal m { int x = 0; transition t [x < 1] { x = 1; } }"
    " property a [invariant] : x < 2; property b [invariant] : x < 3;"
    " property c [invariant] : x < 4;",
    "m",
)


@pytest.mark.parametrize(
    ("timeout", "reasons"),
    [
        (None, ["the wrong kind of net", "unbounded", None]),
        (1e-9, ["timeout", "unbounded", None]),
    ],
)
def test_the_time_is_the_reason_unless_the_answer_is_final(
    timeout: float | None, reasons: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c = MODEL.properties
    told = {
        0: Answer(a, "unknown", "structural", reason="the wrong kind of net"),
        1: Answer(b, "unknown", "structural", reason="unbounded"),
        2: Answer(c, "true", "structural"),
    }
    monkeypatch.setattr(Search, "_go_on", lambda self, run, stages, beside=None: run.take(told))
    monkeypatch.setattr(Search, "_may_work_beside", False)
    answers = Search(MODEL, Request(budget=Budget(timeout))).check(MODEL.properties)
    assert [answer.reason for answer in answers] == reasons


class Late(Evidence):
    """Whose semantics take longer to be made than there is time."""

    made = 0

    @property
    def semantics(self) -> Semantics:  # type: ignore[override]
        self.made += 1
        raise LimitReached("timeout")


@pytest.mark.parametrize(("timeout", "made"), [(None, 1), (1e-9, 0)])
def test_the_reference_is_not_begun_again_for_each_property(
    timeout: float | None, made: int
) -> None:
    evidence = Late(MODEL)
    graph = GraphEngine(evidence, Budget(timeout))
    answers = [graph.check(p) for p in MODEL.properties]
    assert {(a.verdict, a.reason) for a in answers} == {("unknown", "timeout")}
    assert evidence.made == made


@pytest.mark.parametrize("formula", ["G F x == 1", "AG AF x == 1", "x < 2"])
def test_what_stays_open_tells_what_was_spent_on_it(formula: str) -> None:
    """Whoever was asked last may have had no time at all, and figures of 0 look like none."""
    (answer,) = check(MODEL, [parse_formula(formula, MODEL)], budget=Budget(1e-9))
    assert (answer.verdict, answer.reason) == ("unknown", "timeout")
    assert answer.seconds > 0
    assert answer.peak_memory_bytes > 0
