"""Every command that a page shows is one: its options exist, and where its model is there it runs.

The commands of a page are run in its order, in a folder that has `examples/`, so that one may read
what another wrote. Of models that are not at hand (`model.pnml`) only the words are read. Lines
below a command that begins with `$` are what it prints; dots stand for lines that are left out.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from literate import blocks
from sessions import stable

from plait.cli.main import run
from plait.cli.parser import parser

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"^(?:\$ )?(?P<command>plait .*)$")
FILE = re.compile(r"(?:file:)?(?P<path>[^=\s]+\.(?:gal|pnml|dve|pml|mil|smv|hoa|order))$")


def shown(page: Path) -> list[tuple[list[str], list[str]]]:
    """The words of the commands in the blocks of a page, each with the lines shown below it."""
    found: list[tuple[list[str], list[str]]] = []
    for _, block in blocks(page):
        printed: list[str] | None = None
        for line in block.lines:
            if match := SHOWN.match(line):
                printed = []
                found.append((shlex.split(match["command"], comments=True)[1:], printed))
            elif printed is not None and block.lines[0].startswith("$ "):
                printed.append(line)
    return found


def is_printed(lines: list[str], out: str) -> bool:
    """Whether these lines are what was printed, with any others where there are dots."""
    parts = [
        "(?:.*\n)*?" if line.strip() == "..." else f"{re.escape(line)}\n"
        for line in stable("\n".join(lines)).splitlines()
    ]
    return re.fullmatch("".join(parts), stable(out) + "\n") is not None


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
    for words, lines in shown(page):
        end = words.index(">") if ">" in words else len(words)
        command, target = words[:end], words[end + 1 :]
        parser(command[0]).parse_args(command)
        if not is_at_hand(words) or command[0] in ("resume", "mcc"):
            continue
        capsys.readouterr()
        status = run(command)
        out, err = capsys.readouterr()
        assert status in ((0, 1) if command[0] == "check" else (0,)), (command, err)
        if lines:
            assert is_printed(lines, out), (command, out)
        for path in target:
            Path(path).write_text(out, encoding="utf-8")


def test_enough_of_them_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert sum(is_at_hand(words) for page in PAGES for words, _ in shown(page)) > 15


def test_some_of_them_show_what_they_print() -> None:
    assert sum(bool(lines) for page in PAGES for _, lines in shown(page)) >= 3
    assert is_printed(["a", "  ...", "b 0.12 s"], "a\nx\ny\nb 3.00 s\n")
    assert not is_printed(["a", "b"], "a\nx\nb\n")
