"""Checks that an editor asks for."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.lsp.client import Editor, edit

URI = "untitled:model"
LARGE = """gal g {
  array [40] a;
  typedef n = 0 .. 39;
  transition up (n $i) [a[$i] < 1000] { a[$i] = (a[$i] * 7 + a[($i + 1) % 40] + 1) % 1001; }
}
property far [never] : a[0] == 999 && a[1] == 999 && a[2] == 999 && a[3] == 998 && a[4] == 997;
property near [reachable] : a[0] == 1;
"""


def check(editor: Editor, *arguments: object, **more: object) -> int:
    params = {"command": "plait.check", "arguments": list(arguments), **more}
    return editor.request("workspace/executeCommand", params)


def children(editor: Editor) -> list[int]:
    path = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children")
    return [int(p) for p in path.read_text().split()]


def eventually(what: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_violation_is_shown_at_its_property_with_the_trace(
    editor: Editor, philosophers: Path
) -> None:
    uri = philosophers.as_uri()
    editor.open(uri, philosophers.read_text())
    assert editor.diagnostics(uri, 1) == []
    assert editor.response(check(editor, uri, "free"))["result"] == {"free": "false"}
    said = editor.heard("window/showMessage")
    assert said["type"] == 2
    assert said["message"].startswith("free is violated: the system deadlocks after 4 steps")
    assert "takeRight(3)" in editor.heard("window/logMessage")["message"]
    [found] = editor.diagnostics(uri, 1)
    assert (found["source"], found["code"], found["severity"]) == ("plait check", "free", 1)
    assert found["range"]["start"] == {"line": 31, "character": 9}
    assert "takeRight(0)  needs fork[1] == 0, but fork[1] = 1" in found["message"]
    steps = found["relatedInformation"]
    assert steps[0]["message"] == "1  takeLeft(0)  fork[0]: 0 → 1, left[0]: 0 → 1"
    assert [s["location"]["range"]["start"]["line"] for s in steps] == [11] * 4
    # What holds takes nothing of that away; a change of the text does.
    assert editor.response(check(editor, uri, "neighbours"))["result"] == {"neighbours": "true"}
    assert editor.heard("window/showMessage")["type"] == 3
    assert len(editor.diagnostics(uri, 1)) == 1
    editor.change(uri, 2, edit((0, 0), (0, 0), "\n"))
    assert editor.diagnostics(uri, 2) == []


def test_all_are_checked_at_once_and_by_the_last_text(editor: Editor, philosophers: Path) -> None:
    uri = philosophers.as_uri()
    editor.open(uri, philosophers.read_text())
    verdicts = {
        "free": "false",
        "neighbours": "true",
        "hungry": "false",
        "dinner": "true",
        "forks": "true",
    }
    assert editor.response(check(editor))["result"] == verdicts
    said = editor.heard("window/showMessage")["message"].splitlines()
    assert said[-1] == "forks: 0..4"
    assert len(said) == 5


def test_an_editor_that_shows_no_places_reads_the_trace(tmp_path: Path, philosophers: Path) -> None:
    editor = Editor(folder=tmp_path).start(textDocument={})
    try:
        editor.open(URI, philosophers.read_text())
        editor.diagnostics(URI, 1)
        editor.response(check(editor, URI, "free"))
        [found] = editor.diagnostics(URI, 1)
        assert "relatedInformation" not in found
        assert "\n4  takeLeft(3)  fork[3]: 0 → 1, left[3]: 0 → 1" in found["message"]
    finally:
        editor.close()


def test_a_run_that_repeats_is_shown_by_its_statements(editor: Editor) -> None:
    text = "byte x;\nactive proctype P() {\n  do\n  :: x = 1\n  :: x = 2\n  od\n}\n"
    editor.open(URI, text + "ltl ever { <> (x == 2) }\n", "promela")
    editor.diagnostics(URI, 1)
    assert editor.response(check(editor, URI, "ever"))["result"] == {"ever": "false"}
    [found] = editor.diagnostics(URI, 1)
    steps = found["relatedInformation"]
    assert "x = 1" in steps[0]["message"]
    assert steps[0]["location"]["range"]["start"]["line"] == 3
    assert "repeats for ever" in steps[-1]["message"]


def test_a_model_without_properties_is_asked_for_deadlocks(editor: Editor) -> None:
    editor.open(URI, "gal g { int x = 0; transition t [x == 0] { x = 1; } }\n")
    assert editor.response(check(editor, URI))["result"] == {"deadlock": "false"}


@pytest.mark.parametrize("name", ["nobody", "AG (nobody == 1)"])
def test_what_cannot_be_asked_is_an_error_that_is_told(editor: Editor, name: str) -> None:
    editor.open(URI, "gal g { int x = 0; }\n")
    editor.diagnostics(URI, 1)
    assert editor.response(check(editor, URI, name))["result"] == {}
    assert editor.heard("window/showMessage")["type"] == 1
    assert len(editor.diagnostics(URI, 1)) == 1


def test_a_text_that_is_wrong_is_not_checked(editor: Editor) -> None:
    editor.open(URI, "gal g {")
    editor.diagnostics(URI, 1)
    assert editor.response(check(editor, URI))["result"] == {}
    assert editor.heard("window/showMessage")["type"] == 1


def test_a_check_ends_in_time(tmp_path: Path) -> None:
    editor = Editor("--timeout", "1", folder=tmp_path).start()
    try:
        editor.open(URI, LARGE)
        editor.diagnostics(URI, 1)
        assert editor.response(check(editor, URI, "far"))["result"] == {"far": "unknown"}
        said = editor.heard("window/showMessage")
        assert (said["type"], said["message"]) == (2, "far is unknown: out of time")
    finally:
        editor.close()


def test_a_check_is_cancelled_and_killed(editor: Editor) -> None:
    editor.open(URI, LARGE)
    editor.diagnostics(URI, 1)
    before = children(editor)
    first, second = check(editor, URI, "far"), check(editor, URI, "far")
    third = check(editor, URI, "near")
    eventually(lambda: len(children(editor)) > len(before))
    editor.tell("$/cancelRequest", {"id": second})
    assert editor.response(second)["error"]["code"] == -32800
    editor.tell("$/cancelRequest", {"id": first})
    assert editor.response(first)["error"]["code"] == -32800
    assert editor.response(third)["result"] == {"near": "true"}
    eventually(lambda: children(editor) == before)


def test_progress_is_told_and_cancels_too(editor: Editor) -> None:
    editor.open(URI, LARGE)
    number = check(editor, URI, "far", workDoneToken="t")
    assert editor.heard("$/progress")["value"]["kind"] == "begin"
    editor.tell("window/workDoneProgress/cancel", {"token": "t"})
    assert editor.response(number)["error"]["code"] == -32800
    assert editor.heard("$/progress")["value"] == {"kind": "end"}


def test_the_rest_is_answered_meanwhile_and_the_newest_text_counts(editor: Editor) -> None:
    editor.open(URI, LARGE)
    editor.diagnostics(URI, 1)
    number = check(editor, URI, "near")
    editor.change(URI, 2, LARGE.replace("a[0] == 1;", "a[0] == 1;\n"))
    assert editor.diagnostics(URI, 2) == []
    assert editor.about("documentSymbol", URI)
    assert editor.response(number)["result"] == {"near": "true"}
    stale = check(editor, URI, "far")
    editor.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
    editor.tell("$/cancelRequest", {"id": stale})
    assert "error" in editor.response(stale)
    assert editor.end() == 0


def test_a_check_that_is_killed_is_unknown(editor: Editor) -> None:
    editor.open(URI, LARGE)
    editor.diagnostics(URI, 1)
    before = children(editor)
    number = check(editor, URI, "far")
    eventually(lambda: len(children(editor)) > len(before))
    for child in set(children(editor)) - set(before):
        os.kill(child, 9)
    assert editor.response(number)["result"] == {}
    assert "far is unknown" in editor.heard("window/showMessage")["message"]


@pytest.mark.parametrize("file", ["smv/bridge.smv", "fischer.xta", "milestones/running.mil"])
def test_models_of_other_languages_are_checked(editor: Editor, file: str) -> None:
    path = ROOT / "examples" / file
    editor.open(path.as_uri(), path.read_text())
    found: Any = editor.response(check(editor, path.as_uri()))["result"]
    assert found
    assert set(found.values()) <= {"true", "false"}
