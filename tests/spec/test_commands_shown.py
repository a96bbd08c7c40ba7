"""Every command that a page shows is one: its options exist, and where its model is there it runs.

The commands of a page are run in its order, in a folder that has `examples/`, so that one may read
what another wrote. Of models that are not at hand (`model.pnml`) only the words are read.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from literate import blocks

from plait.cli.main import run
from plait.cli.parser import parser

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"^(?:\$ )?(?P<command>plait .*)$")
FILE = re.compile(r"(?:file:)?(?P<path>[^=\s]+\.(?:gal|pnml|dve|pml|mil|smv|hoa|order))$")


def shown(page: Path) -> list[list[str]]:
    """The words of the commands in the blocks of a page."""
    lines = [line for _, block in blocks(page) for line in block.lines]
    found = [m["command"] for m in map(SHOWN.match, lines) if m is not None]
    return [shlex.split(command, comments=True)[1:] for command in found]


def is_at_hand(words: list[str]) -> bool:
    """Whether what a command reads is there: no placeholder, and every file but those it writes."""
    read = [w for before, w in zip(["", *words], words, strict=False) if before not in ("-o", ">")]
    paths = [m["path"] for m in map(FILE.match, read) if m is not None]
    return all(map(str.islower, words[1:2])) and all(Path(path).exists() for path in paths)


PAGES = [p for p in sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")]) if shown(p)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_that_a_page_shows_work(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for words in shown(page):
        end = words.index(">") if ">" in words else len(words)
        command, target = words[:end], words[end + 1 :]
        parser(command[0]).parse_args(command)
        if not is_at_hand(words) or command[0] in ("resume", "mcc"):
            continue
        capsys.readouterr()
        status = run(command)
        out, err = capsys.readouterr()
        assert status in ((0, 1) if command[0] == "check" else (0,)), (command, err)
        for path in target:
            Path(path).write_text(out, encoding="utf-8")


def test_enough_of_them_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert sum(is_at_hand(words) for page in PAGES for words in shown(page)) > 15
