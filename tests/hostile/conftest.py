"""What the tests with hostile inputs share."""

import pytest
from tests.cli.command import Command


@pytest.fixture
def plait(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, run in this process."""
    return Command(capsys)
