"""What the tests of the language server share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.conftest import ROOT
from tests.lsp.client import Editor


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    """An editor whose server is ready."""
    found = Editor(folder=tmp_path)
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture
def philosophers() -> Path:
    return ROOT / "examples" / "philosophers.gal"


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, run in this process."""
    return Command(capsys)
