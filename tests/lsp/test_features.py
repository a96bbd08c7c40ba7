"""Outlines, definitions, hovers and lenses, in each of the languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.lsp.client import Editor, edit

EXAMPLES = ROOT / "examples"


def opened(editor: Editor, path: Path) -> str:
    uri = path.as_uri()
    editor.open(uri, path.read_text(encoding="utf-8"))
    assert editor.diagnostics(uri, 1) == []
    return uri


def place(path: Path, words: str, which: str) -> dict[str, int]:
    """The position of a name in the first line that has these words."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        at = line.find(words)
        if at >= 0:
            return {"line": number, "character": at + words.index(which)}
    raise AssertionError(words)


def names(trees: list[Any]) -> dict[str, Any]:
    return {t["name"]: names(t["children"]) for t in trees}


def test_the_outline_of_a_gal_is_a_tree(editor: Editor, philosophers: Path) -> None:
    uri = opened(editor, philosophers)
    trees = editor.about("documentSymbol", uri)
    assert [t["name"] for t in trees[:3]] == ["N", "seat", "table"]
    assert [t["name"] for t in trees[3:]] == ["free", "neighbours", "hungry", "dinner", "forks"]
    own = ["fork", "left", "right", "takeLeft", "takeRight", "putBack"]
    assert [*names(trees)["table"]] == own
    stack = list(trees)
    while stack:
        tree = stack.pop()
        whole, selected = tree["range"], tree["selectionRange"]
        assert list(whole["start"].values()) <= list(selected["start"].values())
        assert list(selected["end"].values()) <= list(whole["end"].values())
        stack += tree["children"]


def test_an_editor_without_trees_gets_a_list(tmp_path: Path, philosophers: Path) -> None:
    editor = Editor(folder=tmp_path).start(textDocument={})
    try:
        found = editor.about("documentSymbol", opened(editor, philosophers))
        fork = next(s for s in found if s["name"] == "fork")
        assert fork["containerName"] == "table"
        assert fork["location"]["range"]["start"] == {"line": 7, "character": 12}
    finally:
        editor.close()


@pytest.mark.parametrize(
    "case",
    [
        ("philosophers.gal", "fork[$p] = 1", "fork", "array fork[$N]", "array [$N] fork"),
        ("philosophers.gal", "array [$N] left", "N", "constant N = 4", "$N = 4"),
        ("philosophers.gal", "takeLeft (seat", "seat", "range seat = 0 .. $N - 1", "seat = 0"),
        ("philosophers.gal", "property dinner", "dinner", "property dinner: EF", "dinner"),
        ("protocols/mulog.pml", "assert(inside", "inside", "variable inside", "byte inside"),
        ("protocols/mulog.pml", "round++", "round", "here user_1.round", "byte round"),
        ("protocols/mulog.pml", "run user(", "user", "process user", "proctype user"),
        ("protocols/mulog.pml", "inbox[i]?", "inbox", "channel inbox", "chan inbox"),
        ("smv/bridge.smv", "AG (from_east.waiting = 3", "waiting", "from_west.waiting", "waiting"),
        ("smv/bridge.smv", "next(turn)", "turn", "one of east, west", "turn"),
        ("milestones/running.mil", "g := g + 1", "g", "variable g", "g : 1"),
        ("fischer.xta", "id == 0", "id", "variable id", "id"),
        ("crossing.net", "tr enter", "enter", "event enter", "tr enter"),
    ],
    ids=lambda case: f"{case[0]}-{case[2]}",
)
def test_names_are_explained_and_lead_to_their_declarations(
    editor: Editor, case: tuple[str, str, str, str, str]
) -> None:
    file, words, which, said, declared = case
    path = EXAMPLES / file
    uri = opened(editor, path)
    where = place(path, words, which)
    hover = editor.about("hover", uri, position=where)
    assert hover["contents"]["kind"] == "plaintext"
    assert said in hover["contents"]["value"]
    assert hover["range"]["start"] == where
    [found] = editor.about("definition", uri, position=where)
    assert found["uri"] == uri
    lines = path.read_text(encoding="utf-8").splitlines()
    start, end = found["range"]["start"], found["range"]["end"]
    line = lines[start["line"]]
    assert line[start["character"] : end["character"]].lstrip("$") == which
    assert declared in line


def test_a_name_means_that_of_its_process(editor: Editor) -> None:
    text = (
        "byte x; process P { byte k; state a; init a; trans a -> a { effect k = 1; }; }\n"
        "process Q { byte k; state a; init a; trans a -> a { effect k = P->k; }; }\n"
        "system async;\n"
    )
    editor.open("untitled:a", text, "dve")

    def leads(line: int, at: int) -> list[int]:
        position = {"line": line, "character": at}
        found = editor.about("definition", "untitled:a", position=position)
        return [d["range"]["start"]["line"] for d in found]

    first, second = text.splitlines()[:2]
    assert leads(0, first.rindex("k =")) == [0]
    assert leads(1, second.index("k = P")) == [1]
    assert leads(1, second.index("k; }; }")) == [0]


def test_where_is_no_name_there_is_nothing_to_say(editor: Editor, philosophers: Path) -> None:
    uri = opened(editor, philosophers)
    for line, at in ((2, 0), (0, 5), (5, 0), (10_000, 0), (0, 10_000)):
        position = {"line": line, "character": at}
        assert editor.about("hover", uri, position=position) is None
        assert not editor.about("definition", uri, position=position)


def test_a_text_that_makes_no_sense_is_known_as_it_was(editor: Editor, philosophers: Path) -> None:
    uri = opened(editor, philosophers)
    editor.change(uri, 2, edit((7, 0), (7, 0), "\n\nnonsense {\n"))
    assert editor.diagnostics(uri, 2)
    [found] = editor.about("definition", uri, position={"line": 15, "character": 5})
    assert found["range"]["start"] == {"line": 10, "character": 12}
    assert "table" in names(editor.about("documentSymbol", uri))
    editor.open("untitled:b", "gal g {")
    assert editor.about("documentSymbol", "untitled:b") is None
    assert editor.about("codeLens", "untitled:b") is None


def test_each_property_has_a_lens(editor: Editor, philosophers: Path) -> None:
    uri = opened(editor, philosophers)
    found = editor.about("codeLens", uri)
    assert [lens["command"]["title"] for lens in found] == ["check all", *["check"] * 5]
    assert [lens["command"]["arguments"] for lens in found[:2]] == [[uri], [uri, "free"]]
    assert [lens["range"]["start"]["line"] for lens in found[:3]] == [0, 31, 32]
    editor.open("untitled:c", "gal g { int x = 0; }")
    [lens] = editor.about("codeLens", "untitled:c")
    assert lens["command"]["title"] == "check that there is no deadlock"


def test_an_editor_without_lenses_has_actions(editor: Editor, philosophers: Path) -> None:
    uri = opened(editor, philosophers)
    here = {"start": {"line": 31, "character": 0}, "end": {"line": 32, "character": 3}}
    found = editor.about("codeAction", uri, range=here, context={"diagnostics": []})
    assert [c["title"] for c in found] == ["check free", "check neighbours", "check all"]
    here = {"start": {"line": 3, "character": 0}, "end": {"line": 3, "character": 0}}
    found = editor.about("codeAction", uri, range=here, context={"diagnostics": []})
    assert [c["title"] for c in found] == ["check all"]


def test_a_declaration_in_another_file_is_found_there(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "parts.gal").write_text("gal cell { int count = 0; transition t [true] { } }\n")
    uri = (tmp_path / "main.gal").as_uri()
    text = 'import "parts.gal";\ncomposite pair { cell one; cell two; }\nmain pair;\n'
    editor.open(uri, text)
    assert editor.diagnostics(uri, 1) == []
    [found] = editor.about("definition", uri, position={"line": 1, "character": 18})
    assert found["uri"] == (tmp_path / "parts.gal").as_uri()
    assert found["range"]["start"] == {"line": 0, "character": 4}
    assert names(editor.about("documentSymbol", uri)) == {"pair": {"one": {}, "two": {}}}
