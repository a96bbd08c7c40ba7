"""The Python that a page shows runs, from its first block to its last, and prints what it says.

A block with prompts (`>>>`) shows what comes out, and that is compared. In other blocks a comment
may stand behind a `print`: one word alone, or before a colon, is compared too.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest
from literate import Block, blocks
from sessions import ROOT, prepare

SAID = re.compile(r"print\(.*\)  # (?P<word>\w+)(?=$|:)", re.MULTILINE)
ELSEWHERE = "from plait.models.alarms import"
"""A block with this line takes a minute; `tests/models/test_alarms.py` asks the same."""


def shown(page: Path) -> list[Block]:
    """The blocks of a page in Python."""
    found = [b for _, b in blocks(page) if b.language in ("python", "py")]
    return [b for b in found if ELSEWHERE not in b.text]


PAGES = [p for p in sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")]) if shown(p)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prepare(tmp_path))
    names: dict[str, object] = {}
    for block in shown(page):
        (compare if block.text.startswith(">>> ") else execute)(block, page.name, names)


def compare(block: Block, name: str, names: dict[str, object]) -> None:
    """Run a block with prompts."""
    test = doctest.DocTestParser().get_doctest(block.text, names, name, name, block.line)
    assert test.examples
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    assert runner.run(test, out=told.append, clear_globs=False).failed == 0, "".join(told)
    names.update(test.globs)


def execute(block: Block, name: str, names: dict[str, object]) -> None:
    """Run a block without prompts."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, name, "exec"), names)
    lines = printed.getvalue().splitlines()
    assert [word for word in SAID.findall(block.text) if word not in lines] == []


def test_the_pages_have_python() -> None:
    assert sum(len(shown(page)) for page in PAGES) > 20
