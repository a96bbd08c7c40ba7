"""SARIF: the trace in lanes, places that a host finds, and the same alert for the same trace."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.report.sarif_schema import valid

import plait
from plait.model.expr import Truth
from plait.model.types import Property
from plait.report.answer import Answer, Step, Witness
from plait.report.checked import Checked
from plait.report.sarif import sarif

PAIR = """\
byte x; channel c;
process P {
  state a, b; init a;
  trans a -> b { guard x < 3; sync c!; effect x = x + 1; }, b -> a { };
}
process Q { state a, b; init a; trans a -> b { sync c?; }, b -> a { guard x < 2; }; }
system async;
"""


def report(path: str, *questions: str) -> dict[str, Any]:
    system = plait.load(path)
    answers = tuple(system.check(q) for q in questions)
    return valid(json.dumps(sarif([Checked(system.name, path, answers)])))


def test_a_trace_has_a_lane_for_each_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pair.dve").write_text(PAIR)
    (result,) = report("pair.dve", "deadlock")["results"]
    assert result["message"]["text"].startswith("formula is violated: the system deadlocks after 5")
    (flow,) = result["codeFlows"]
    lanes = {
        lane["id"]: [step["executionOrder"] for step in lane["locations"]]
        for lane in flow["threadFlows"]
    }
    # The rendezvous, 1 and 4, stand in both.
    assert lanes == {"P": [1, 2, 4, 5], "Q": [1, 3, 4]}
    first, second = flow["threadFlows"][0]["locations"][:2]
    assert first["location"]["physicalLocation"]["region"]["startLine"] == 4
    assert first["location"]["physicalLocation"]["artifactLocation"]["uri"] == "pair.dve"
    assert first["state"] == {
        "x": {"text": "1"},
        "P.state": {"text": "b"},
        "Q.state": {"text": "b"},
    }
    assert second["location"]["message"]["text"] == "P: b->a: P.state: b → a"
    assert flow["threadFlows"][0]["initialState"]["x"] == {"text": "0"}


def test_a_run_that_repeats_says_from_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.gal").write_text(
        "gal g { int x = 0; transition a [x == 0] { x = 1; } transition b [x == 1] { x = 2; }"
        " transition c [x == 2] { x = 1; } }\n"
    )
    (result,) = report("m.gal", "G F x == 0")["results"]
    (flow,) = result["codeFlows"]
    said = re.fullmatch(r"the same state as (\d): this repeats for ever", flow["message"]["text"])
    assert said is not None
    (lane,) = flow["threadFlows"]
    before = int(said[1])
    assert [step["nestingLevel"] for step in lane["locations"]] == [0] * before + [1, 1]


def test_the_branches_of_a_tree_are_flows_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.gal").write_text(
        "gal g { int x = 0; transition a [x < 2] { x += 1; } transition s [x == 2] { x = 2; } }\n"
    )
    (result,) = report("m.gal", "AG (x == 1 -> AF x == 0)")["results"]
    first, second = result["codeFlows"]
    assert "message" not in first
    assert second["message"]["text"].startswith("in state 1 this does not hold: AF ")


def test_places_are_relative_where_the_file_is_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "a folder" / "m é.gal"
    model.parent.mkdir()
    model.write_text(
        "gal g { int x = 0; transition a [x == 0] { x = 1; } }\nproperty p [never] : x == 1;\n"
    )
    for folder, uri in ((tmp_path, "a%20folder/m%20%C3%A9.gal"), (model.parent, "m%20%C3%A9.gal")):
        monkeypatch.chdir(folder)
        run = report(str(model), "p")
        place = run["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}
        assert place["region"] == {"startLine": 2, "startColumn": 10, "endColumn": 11}
        assert run["automationDetails"]["id"] == f"plait/{uri}/"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    place = report(str(model), "p")["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].startswith("file:///")


def test_what_holds_is_no_result_and_what_is_open_is() -> None:
    answers = (
        Answer(Property("low", kind="invariant"), "true", "explicit"),
        Answer(Property("late", kind="ltl"), "unknown", "none", reason="timeout"),
        Answer(
            Property("up", kind="reachable", body=Truth(False), text="x == 3"), "false", "explicit"
        ),
    )
    run = valid(json.dumps(sarif([Checked("m", "m.gal", answers)])))
    late, up = run["results"]
    assert (late["kind"], late["message"]["text"]) == ("open", "late is unknown: out of time.")
    assert (up["kind"], up["ruleId"]) == ("fail", "plait-reachable")
    assert up["message"]["text"] == "up is violated: reachable x == 3."
    assert "codeFlows" not in up
    assert run["invocations"][0]["executionSuccessful"]


def test_a_model_that_cannot_be_read_is_no_success() -> None:
    run = valid(json.dumps(sarif([Checked("m", "m.gal", problem="m.gal:1:1: error: no")])))
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "m.gal:1:1: error: no"


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()), min_size=1))
@example("\ud800")
@example("\udcff")
def test_any_name_gives_a_document(name: str) -> None:
    steps = (Step(name, (), name), Step(name, (), None))
    p = Property(name, kind="never", body=Truth(False), text=name)
    answer = Answer(p, "false", name, witness=Witness((), steps), explanation=(name,))
    file = name.replace("\0", "")
    text = json.dumps(sarif([Checked(name, file, (answer,))]), ensure_ascii=False)
    (result,) = valid(text.encode().decode())["results"]  # no lone surrogate is left
    assert len(result["codeFlows"][0]["threadFlows"]) >= 1


def test_braces_and_brackets_are_no_placeholders_and_no_links() -> None:
    p = Property("s", kind="never", body=Truth(False), text="x in {0, 1} [a](1)")
    (result,) = sarif([Checked("m", "m.gal", (Answer(p, "false", "e"),))])["runs"][0]["results"]
    assert result["message"]["text"] == "s is violated: never x in {{0, 1}} [a] (1)."
