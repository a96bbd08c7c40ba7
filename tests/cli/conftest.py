"""What the tests of the command line share."""

from pathlib import Path

import pytest
from tests.cli.command import Command
from tests.conftest import ROOT


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, run in this process."""
    return Command(capsys)


@pytest.fixture
def philosophers() -> Path:
    return ROOT / "examples" / "philosophers.gal"
