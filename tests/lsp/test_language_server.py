"""The server as an editor meets it: from the first word to the last, and what nonsense does."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from tests.lsp.client import Editor, edit

GOOD = "gal g { int x = 0; transition up [x < 3] { x += 1; } }\nproperty low [never] : x > 3;\n"
URI = "untitled:Untitled-1"


@pytest.fixture
def raw(tmp_path: Path) -> Editor:
    """A server that nobody has greeted."""
    return Editor(folder=tmp_path)


# --- beginning and end ----------------------------------------------------------------------------


def test_it_says_what_it_can_do(raw: Editor) -> None:
    found = raw.ask("initialize", {"capabilities": {}})
    assert found["serverInfo"]["name"] == "plait"
    assert found["capabilities"]["positionEncoding"] == "utf-16"
    assert found["capabilities"]["executeCommandProvider"]["commands"] == ["plait.check"]
    assert raw.end() == 0


def test_exit_without_shutdown_is_a_failure(editor: Editor) -> None:
    editor.tell("exit")
    assert editor.process.wait(30) == 1


def test_exit_before_everything_is_a_failure(raw: Editor) -> None:
    raw.tell("exit")
    assert raw.process.wait(30) == 1


def test_an_editor_that_is_gone_ends_it(editor: Editor) -> None:
    editor.open(URI, GOOD)
    editor.diagnostics(URI, 1)
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    assert editor.process.wait(30) == 1


def test_nothing_is_answered_before_the_greeting_and_after_the_farewell(raw: Editor) -> None:
    assert raw.refused("textDocument/hover", {}) == -32002
    assert raw.refused("shutdown") == -32002
    raw.open(URI, GOOD)
    raw.start()
    assert raw.refused("textDocument/hover", {"textDocument": {"uri": URI}}) == -32602
    assert raw.refused("initialize", {"capabilities": {}}) == -32600
    assert raw.ask("shutdown") is None
    assert raw.refused("textDocument/hover", {}) == -32600
    assert raw.refused("shutdown") == -32600
    raw.tell("exit")
    assert raw.process.wait(30) == 0


def test_nothing_is_left_of_it(editor: Editor) -> None:
    editor.open(URI, GOOD)
    editor.diagnostics(URI, 1)
    children = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children")
    found = [int(p) for p in children.read_text().split()]
    assert found
    os.kill(editor.process.pid, signal.SIGKILL)
    end = time.monotonic() + 30
    while any(Path(f"/proc/{p}/cmdline").exists() for p in found):
        assert time.monotonic() < end
        time.sleep(0.05)


# --- nonsense -------------------------------------------------------------------------------------


def test_wrong_messages_are_answered_with_the_codes_of_json_rpc(editor: Editor) -> None:
    editor.raw(b"Content-Length: 9\r\n\r\n{nonsense")
    assert editor.response(None)["error"]["code"] == -32700
    editor.raw(b"who is there?\r\n\r\n")
    editor.raw(b'Content-Length: 47\r\n\r\n{"jsonrpc": "2.0", "id": 77, "method": "there"}')
    assert editor.response(None)["error"]["code"] == -32700
    assert editor.response(77)["error"]["code"] == -32601
    for message, number in [
        ([], None),
        (1, None),
        ({"jsonrpc": "2.0"}, None),
        ({"jsonrpc": "1.0", "id": 5, "method": "shutdown"}, 5),
        ({"id": "text", "method": "shutdown"}, "text"),
        ({"jsonrpc": "2.0", "id": 6, "method": 7}, 6),
        ({"jsonrpc": "2.0", "id": [1], "method": "shutdown"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "shutdown"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}, None),
    ]:
        editor.send(message)
        assert editor.response(number)["error"]["code"] == -32600, message
    editor.send({"jsonrpc": "2.0", "id": 8, "result": None})  # an answer to nothing
    editor.tell("$/whatever", {"a": 1})
    editor.tell("workspace/didChangeConfiguration", {})
    assert editor.refused("textDocument/rename", {}) == -32601
    assert editor.refused("$/unknown") == -32601
    assert editor.end() == 0


def test_wrong_parameters_are_refused(editor: Editor) -> None:
    editor.open(URI, GOOD)
    about = {"textDocument": {"uri": URI}}
    for method, params in [
        ("textDocument/hover", None),
        ("textDocument/hover", []),
        ("textDocument/hover", {"textDocument": {"uri": 1}}),
        ("textDocument/hover", about),
        ("textDocument/hover", {**about, "position": {"line": "1", "character": 0}}),
        ("textDocument/hover", {**about, "position": {"line": -1, "character": 0}}),
        ("textDocument/definition", {**about, "position": 3}),
        ("textDocument/documentSymbol", {"textDocument": {"uri": "file:///other.gal"}}),
        ("textDocument/codeAction", about),
        ("workspace/executeCommand", {"command": "rm"}),
        ("workspace/executeCommand", {"command": "plait.check", "arguments": [1]}),
        ("workspace/executeCommand", {"command": "plait.check", "arguments": [URI, "a", "b"]}),
        ("workspace/executeCommand", {"command": "plait.check", "arguments": ["file:///o.gal"]}),
        ("workspace/executeCommand", {"command": "plait.check", "arguments": {"a": 1}}),
    ]:
        assert editor.refused(method, params) == -32602, (method, params)
    for method, params in [
        ("textDocument/didOpen", {}),
        ("textDocument/didChange", {**about}),
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}}),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///other.gal"}}),
    ]:
        editor.tell(method, params)
        assert editor.heard("window/logMessage")["message"].startswith(method)
    assert editor.diagnostics(URI, 1) == []


def test_no_messages_make_it_end(editor: Editor) -> None:
    chance = random.Random(1)
    methods = ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"]
    methods += ["textDocument/hover", "textDocument/codeLens", "textDocument/codeAction"]
    methods += ["$/cancelRequest", "workspace/executeCommand", "window/workDoneProgress/cancel"]

    def value(depth: int) -> object:
        keys = ["textDocument", "uri", "version", "text", "languageId", "contentChanges", "range"]
        keys += ["position", "line", "character", "start", "end", "id", "token", "command"]
        kind = chance.randrange(9 if depth else 6)
        if kind >= 6:
            return {chance.choice(keys): value(depth - 1) for _ in range(4)}
        return [None, True, 10**40, -1, "plait.check", [value(depth - 1)] if depth else 0.5][kind]

    for i in range(400):
        method = chance.choice(methods)
        number = {"id": f"r{i}"} if chance.random() < 0.5 else {}
        editor.send({"jsonrpc": "2.0", "method": method, "params": value(4), **number})
    editor.open("untitled:end", GOOD)
    assert editor.diagnostics("untitled:end", 1) == []
    assert editor.end() == 0


# --- texts ----------------------------------------------------------------------------------------


def test_diagnostics_have_their_places_in_utf_16(editor: Editor) -> None:
    editor.open(URI, "gal g {\r\n /* 😀 */ int x = nope;\n}\n")
    [found] = editor.diagnostics(URI, 1)
    assert found["severity"] == 1
    assert found["source"] == "plait"
    assert found["range"]["start"] == {"line": 1, "character": 18}
    assert found["range"]["end"] == {"line": 1, "character": 22}


def test_warnings_are_told_too(editor: Editor) -> None:
    editor.open(URI, "typedef r = 0 .. 1;\ngal g { transition t (r $i) [true] { } }\n")
    found = editor.diagnostics(URI, 1)
    assert [d["severity"] for d in found] == [2]


def test_a_newer_version_is_the_last_word(editor: Editor) -> None:
    editor.open(URI, GOOD)
    for version in range(2, 40):
        editor.change(URI, version, edit((0, 0), (0, 0), "x"))
    editor.change(URI, 40, GOOD)
    assert editor.diagnostics(URI, 40) == []
    published = [
        m["params"]["version"]
        for m in editor.silence(1.0)
        if m.get("method") == "textDocument/publishDiagnostics"
    ]
    assert published == sorted(published)
    assert all(v < 40 for v in published)


def test_a_version_is_read_once(editor: Editor) -> None:
    editor.open(URI, GOOD)
    about = {"textDocument": {"uri": URI}}
    asked = [editor.request("textDocument/documentSymbol", about) for _ in range(5)]
    for number in asked:
        assert editor.response(number)["result"]
    assert editor.about("codeLens", URI)
    said = [m["method"] for m in editor.silence(1.0)]
    assert said == ["textDocument/publishDiagnostics"]


def test_a_text_in_no_known_language_is_left_alone(editor: Editor) -> None:
    editor.open(URI, "gal g {", "markdown")
    assert editor.diagnostics(URI, 1) == []
    assert editor.about("codeLens", URI) is None
    editor.open("file:///p.sm", "pn p := {", "smart")
    assert len(editor.diagnostics("file:///p.sm", 1)) == 1


def test_closing_takes_the_diagnostics_away(editor: Editor) -> None:
    editor.open(URI, "gal g {")
    assert editor.diagnostics(URI, 1)
    editor.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert editor.heard("textDocument/publishDiagnostics") == {"uri": URI, "diagnostics": []}
    editor.open(URI, GOOD, version=1)
    assert editor.diagnostics(URI, 1) == []


def test_half_typed_texts_are_answered(editor: Editor) -> None:
    editor.open(URI, "")
    for version, end in enumerate(range(0, len(GOOD), 7), start=2):
        editor.change(URI, version, GOOD[:end])
        editor.diagnostics(URI, version)
        for method in ("documentSymbol", "codeLens"):
            editor.about(method, URI)


@pytest.mark.parametrize("language", ["gal", "promela", "dve", "smv", "xta", "milestones", "pnml"])
def test_deep_and_odd_texts_are_answered(editor: Editor, language: str) -> None:
    for version, text in enumerate(
        ["(" * 200_000, "x" * 1_000_000, "\0\ud800\uffff", "/*", "\n" * 200_000, "<a>" * 50_000]
    ):
        editor.open(f"{URI}-{version}", text, language, version)
        editor.diagnostics(f"{URI}-{version}", version)
    assert editor.end() == 0


def test_a_text_that_takes_too_long_keeps_nobody_waiting(editor: Editor) -> None:
    bomb = "#define a0 x x x x x x x x\n"
    bomb += "".join(f"#define a{i + 1} " + f"a{i} " * 10 + "\n" for i in range(9))
    slow = "byte x; active proctype P() { " + "x++; " * 60_000 + "}\n"
    editor.open("untitled:slow", slow + bomb, "promela")
    time.sleep(0.5)
    editor.change("untitled:slow", 2, "byte x; active proctype P() { x++ }\n")
    assert editor.diagnostics("untitled:slow", 2) == []
    editor.open(URI, GOOD)
    assert editor.diagnostics(URI, 1) == []


def test_a_reader_that_is_killed_is_replaced(editor: Editor) -> None:
    editor.open(URI, GOOD)
    editor.diagnostics(URI, 1)
    children = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children")
    for child in children.read_text().split():
        os.kill(int(child), signal.SIGKILL)
    editor.change(URI, 2, "gal g {")
    found = editor.diagnostics(URI, 2)
    assert len(found) == 1
    editor.change(URI, 3, GOOD)
    assert editor.diagnostics(URI, 3) == []


def test_includes_are_kept_to_the_folder(editor: Editor, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.h").write_text("byte secret;\n")
    (folder / "own.h").write_text("byte own;\nnonsense here;\n")
    uri = (folder / "m.pml").as_uri()
    editor.open(uri, '#include "../secret.h"\nactive proctype P() { skip }\n', "promela")
    [found] = editor.diagnostics(uri, 1)
    assert "outside the folder" in found["message"]
    editor.change(uri, 2, '\n#include "own.h"\nactive proctype P() { skip }\n')
    [found] = editor.diagnostics(uri, 2)
    assert found["range"]["start"] == {"line": 1, "character": 10}
    assert found["message"].startswith("own.h:2:1: ")
    [related] = found["relatedInformation"]
    assert related["location"]["uri"] == (folder / "own.h").as_uri()
    assert related["location"]["range"]["start"] == {"line": 1, "character": 0}
    editor.open(URI, '#include "own.h"\nactive proctype P() { skip }\n', "promela")
    [found] = editor.diagnostics(URI, 1)
    assert "no file cannot include" in found["message"]


def test_the_folder_of_the_editor_has_no_say(tmp_path: Path) -> None:
    for name in ("json.py", "highspy.py", "random.py"):
        (tmp_path / name).write_text("raise SystemExit('not me')\n")
    editor = Editor(folder=tmp_path, safely=True)
    try:
        editor.start()
        editor.open(URI, GOOD)
        assert editor.diagnostics(URI, 1) == []
        result = editor.ask("workspace/executeCommand", {"command": "plait.check"})
        assert result == {"low": "true"}
    finally:
        editor.close()


def test_requests_are_cancelled(editor: Editor) -> None:
    slow = "byte x; active proctype P() { " + "x++; " * 30_000 + "}\n"
    editor.open(URI, slow, "promela")
    number = editor.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    editor.tell("$/cancelRequest", {"id": number})
    editor.tell("$/cancelRequest", {"id": 12345})
    editor.tell("$/cancelRequest", None)
    assert editor.response(number)["error"]["code"] == -32800


def test_a_request_about_a_text_that_is_closed_has_no_result(editor: Editor) -> None:
    slow = "byte x; active proctype P() { " + "x++; " * 30_000 + "}\n"
    editor.open(URI, slow, "promela")
    number = editor.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    editor.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert editor.response(number)["result"] is None


def test_an_interrupt_ends_it(editor: Editor) -> None:
    editor.open(URI, GOOD)
    editor.diagnostics(URI, 1)
    editor.process.send_signal(signal.SIGTERM)
    assert editor.process.wait(30) == 130
