"""What every test may use: the published models, when they are there."""

import gc
import signal
from pathlib import Path
from typing import Any

import pytest

from plait.testing.tally import merged

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # In the background of a shell; our children would ignore the interrupts that we send them.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of published models with known answers; tests that need it are skipped without."""
    if not DATA.is_dir():
        pytest.skip("the folder of published models is not there")
    return DATA


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: the collections of garbage need not visit them."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what the hunts compared: a test gives its counts to `record_property("tally", ...)`."""
    tallies: dict[str, list[dict[str, int]]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for key, value in getattr(report, "user_properties", ()):
                if key == "tally" and getattr(report, "when", "") == "call":
                    test = report.nodeid.partition("[")[0]
                    tallies.setdefault(test, []).append(value)
    for test, parts in sorted(tallies.items()):
        terminalreporter.write_sep("-", test)
        terminalreporter.write_line(merged(parts).report())
