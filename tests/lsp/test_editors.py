"""What docs/editor.md tells users of editors to write, and how these editors then talk."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.lsp.client import Editor

from plait.cli.parser import parser
from plait.lang import LANGUAGES
from plait.lsp.analysis import SERVED

PAGE = (ROOT / "docs" / "editor.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_every_set_up_starts_the_server() -> None:
    helix, code = tomllib.loads(block("toml")), json.loads(block("json"))
    started = helix["language-server"]["plait"]
    lines = [
        [started["command"], *started["args"]],
        [code["glspc.server.command"], *code["glspc.server.commandArguments"]],
        re.findall(r'"(\w+)"', re.findall(r"cmd = \{(.*?)\}", block("lua"))[0]),
        re.findall(r'"(\w+)"', re.findall(r"plait-mode \. \((.*?)\)", block("lisp"))[0]),
    ]
    for line in lines:
        assert line == ["plait", "lsp"]
        assert parser("lsp").parse_args(line[1:]).timeout == 30
    for text in (block("lua"), *(e for s in helix["language"] for e in s["file-types"])):
        endings = re.findall(r"(\w+) = \"(\w+)\"", text)
        assert all(LANGUAGES[f".{ending}"] == name for ending, name in endings)


def test_the_page_names_the_languages_that_are_served() -> None:
    listed = re.findall(r"what\s+the\s+editor\s+calls\s+it\s+\((.*?)\)", PAGE, re.DOTALL)[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(SERVED)


@pytest.mark.parametrize("language", ["plaintext", "plait", "gal", ""])
@pytest.mark.parametrize("more", [{}, {"workspaceFolders": None, "trace": "verbose"}])
def test_what_an_editor_calls_a_file_with_a_known_ending_does_not_matter(
    tmp_path: Path, language: str, more: dict[str, object]
) -> None:
    editor = Editor("--stdio", folder=tmp_path)
    try:
        editor.ask("initialize", {"processId": 1, "rootUri": None, "capabilities": {}, **more})
        editor.tell("initialized", {})
        editor.tell("workspace/didChangeWatchedFiles", {"changes": []})
        uri = (tmp_path / "model.gal").as_uri()
        editor.open(uri, "gal g {", language)
        assert len(editor.diagnostics(uri, 1)) == 1
        other = (tmp_path / "notes.txt").as_uri()
        editor.open(other, "gal g {", "plaintext")
        assert editor.diagnostics(other, 1) == []
        assert editor.end() == 0
    finally:
        editor.close()
