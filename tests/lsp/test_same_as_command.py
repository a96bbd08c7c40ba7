"""What an editor is shown while a text changes is what `plait check` prints of the same text."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.command import Command
from tests.conftest import ROOT
from tests.hostile.mutations import TOKEN
from tests.lsp.client import Editor, Message, edit

from plait.cli.options import load_model
from plait.errors import InputError
from plait.lsp.documents import character, lines_of, units

SEEDS = ROOT / "tests" / "hostile" / "seeds"
TEXTS = [
    ROOT / "examples" / "philosophers.gal",
    ROOT / "examples" / "smv" / "bridge.smv",
    ROOT / "examples" / "fischer.xta",
    ROOT / "examples" / "crossing.net",
    SEEDS / "composite.gal",
    SEEDS / "channels.pml",
    SEEDS / "commit.dve",
    SEEDS / "meeting.mil",
    SEEDS / "cycle.pnml",
]
EDITS = 30
TOLD = re.compile(r"(?P<place>.+:\d+:\d+: )?(?P<kind>error|warning): .*")
ODD = ["😀", "ü", "\r\n", "\n", "/*", "*/", '"', "(", "}", "", " ", "0", "x", "nonsense"]


def placed(text: str, offset: int) -> tuple[int, int]:
    """The line of an offset and the code unit in it."""
    before = text[:offset]
    lines = lines_of(before)
    if not lines or lines[-1].endswith(("\n", "\r")):
        return len(lines), 0
    return len(lines) - 1, units(lines[-1])


def changed(text: str, seed: str, chance: random.Random) -> tuple[int, int, str]:
    """What to replace in a text, and by what; now and then by all that it was."""
    if chance.random() < 0.3:
        return 0, len(text), seed
    tokens = [m.span() for m in TOKEN.finditer(text.encode("latin-1", "replace"))]
    if not tokens:
        return 0, 0, seed
    start, end = chance.choice(tokens)
    match chance.randrange(4):
        case 0:
            return start, end, ""
        case 1:
            return start, start, chance.choice(ODD)
        case 2:
            return start, end, chance.choice(ODD)
        case _:
            first, last = chance.choice(tokens)
            return start, end, text[first:last]


def printed(diagnostic: Message, path: Path, text: str) -> tuple[str, list[str]]:
    """A diagnostic as the command prints it: the first line, and those of the hint."""
    message, *hint = diagnostic["message"].split("\n")
    kind = {1: "error", 2: "warning"}[diagnostic["severity"]]
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    if start == end:
        return f"{kind}: {message}", hint
    lines = lines_of(text)
    line = lines[start["line"]].rstrip("\r\n") if start["line"] < len(lines) else ""
    column = character(line, start["character"]) + 1
    return f"{path}:{start['line'] + 1}:{column}: {kind}: {message}", hint


def is_of_the_run(path: Path) -> bool:
    """Whether what the command printed came when the model was run, not when it was read."""
    asked = {"colours": "auto", "time": "unit", "clocks": "intermediate", "defines": []}
    try:
        load_model(SimpleNamespace(model=str(path), **asked))  # type: ignore[arg-type]
    except InputError:
        return False
    return True


@pytest.mark.parametrize("source", TEXTS, ids=lambda path: path.name)
def test_an_editor_is_shown_what_the_command_prints(
    editor: Editor, plait: Command, tmp_path: Path, source: Path
) -> None:
    chance = random.Random(source.name)
    seed = text = source.read_bytes().decode()
    path = tmp_path / f"model{source.suffix}"
    editor.open(path.as_uri(), text)
    wrong = right = 0
    for version in range(2, 2 + EDITS):
        for _ in range(chance.choice([1, 1, 2, 5])):
            start, end, new = changed(text, seed, chance)
            change = edit(placed(text, start), placed(text, end), new)
            editor.change(path.as_uri(), version, change)
            text = text[:start] + new + text[end:]
        shown = editor.diagnostics(path.as_uri(), version)
        path.write_bytes(text.encode())
        result = plait("check", path, "-f", "deadlock", "--timeout", "20", "-q")
        lines = result.err.splitlines()
        found = [printed(d, path, text) for d in shown]
        told = [line for line in lines if TOLD.fullmatch(line)]
        if result.status == 2 and not any(d["severity"] == 1 for d in shown):
            assert is_of_the_run(path), result.err
            continue
        assert [first for first, _ in found] == told, text
        assert all(f"  {line}" in lines for _, hint in found for line in hint)
        wrong += result.status == 2
        right += result.status != 2
    assert wrong > 3
    assert right > 3
