"""What every test may use: the published models, when they are there."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published models with known answers; tests that need it are skipped without."""
    if not DATA.is_dir():
        pytest.skip("the folder of published models is not there")
    return DATA
