"""JUnit reports: every reader can read them, whatever the names are, and open is not success."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.junit_schema import valid

from plait.model.types import Property
from plait.report.answer import Answer, Step, Witness
from plait.report.checked import Checked
from plait.report.junit import Unknown, junit

HOSTILE = "\x00\x1b[31m<&\"'>]]>\ud800\uffff\u2028\r\n\t é"


def test_each_verdict_has_its_outcome() -> None:
    answers = (
        Answer(Property("low", kind="invariant"), "true", "explicit"),
        Answer(Property("free", kind="deadlock"), "false", "explicit", witness=Witness((), ())),
        Answer(Property("late", kind="ltl"), "unknown", "none", reason="timeout"),
        Answer(Property("sum", kind="bounds"), "true", "explicit", value=4, stats={"min": 0}),
    )
    (suite,) = valid(junit([Checked("table", "table.gal", answers, (("N", 3),))]))
    assert suite.get("name") == "table N=3"
    low, free, late, total = suite.findall("testcase")
    assert [len(low), len(total)] == [0, 0]
    assert (free[0].tag, free[0].get("type")) == ("failure", "deadlock")
    assert free[0].get("message") == "free is violated: the system deadlocks in the initial state"
    assert "initial state" in (free[0].text or "")
    assert (late[0].tag, late[0].text) == ("error", "late is unknown: out of time")
    properties = {p.get("name"): p.get("value") for p in suite.iter("property")}
    assert properties["bounds sum"] == "0..4"
    assert properties["N"] == "3"


@pytest.mark.parametrize("unknown", ["error", "skipped"])
def test_what_is_unknown_is_what_was_asked_for(unknown: Unknown) -> None:
    answer = Answer(Property("late", kind="ltl"), "unknown", "none", reason="memory")
    (suite,) = valid(junit([Checked("m", "m.gal", (answer,))], unknown))
    ((outcome,),) = suite.findall("testcase")
    assert (outcome.tag, outcome.get("message")) == (unknown, "late is unknown: out of memory")


def test_where_nothing_was_asked_a_test_fails() -> None:
    (suite,) = valid(junit([Checked("m", "m.gal", problem="m.gal:1:1: error: no\n1 | x")]))
    (case,) = suite.findall("testcase")
    assert case[0].tag == "error"
    assert case[0].text == "m.gal:1:1: error: no\n1 | x"


@pytest.mark.parametrize("verdict", ["true", "false", "unknown"])
def test_hostile_names_are_only_names(verdict: str) -> None:
    _hostile(HOSTILE, verdict)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())), st.sampled_from(["true", "false", "unknown"]))
def test_any_name_gives_a_well_formed_document(name: str, verdict: str) -> None:
    _hostile(name, verdict)


def _hostile(name: str, verdict: str) -> None:
    witness = Witness((), (Step(name, (), name),))
    answer = Answer(
        Property(name, kind="never", text=name),
        verdict,  # type: ignore[arg-type]
        name,
        reason=name,
        witness=witness if verdict == "false" else None,
        explanation=(name,),
        notes=(name,),
    )
    text = junit(
        [Checked(name, name, (answer,), ((name or "N", 1),)), Checked(name, name, problem=name)]
    )
    first, second = valid(text)
    assert [len(suite.findall("testcase")) for suite in (first, second)] == [1, 1]
