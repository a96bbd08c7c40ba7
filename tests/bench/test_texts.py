"""The search of Promela texts beside SPIN's: what the table says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bench import texts

COUNTER = """
byte x, y;
active [2] proctype P() { do :: x < 20 -> x++ :: y < 10 -> y++ od }
"""


@pytest.fixture
def counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counter.pml").write_text(COUNTER)
    monkeypatch.setenv("PLAIT_BENCH_PROMELA", str(tmp_path))
    monkeypatch.setattr(texts, "TEXTS", ("counter", "missing"))
    monkeypatch.setattr(texts, "REPEAT", 1)


@pytest.mark.usefixtures("counter")
def test_without_spin_plait_stands_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    texts.main()
    said, *table = capsys.readouterr().out.splitlines()
    assert said == "spin or cc is not on PATH: Plait alone"
    assert re.fullmatch(r"\| counter \| [\d,]+ \| \d+\.\d\d \|.* \| +\| +\| +\|", table[2])
    assert table[3:] == ["missing is not here"]


@pytest.mark.usefixtures("counter")
@pytest.mark.skipif(not shutil.which("spin") or not shutil.which("cc"), reason="no SPIN here")
def test_both_count_the_same_states(capsys: pytest.CaptureFixture[str]) -> None:
    texts.main()
    row = capsys.readouterr().out.splitlines()[2].split(" | ")
    assert len(row) == len(texts.HEAD)
    assert all(re.fullmatch(r"[\d.,]+( \|)?", cell) for cell in row[1:])


def test_ratios_are_of_states_per_second_and_of_bytes() -> None:
    ours = texts.Plait(1000, start=0.5, interpreted=3.0, compiled=2.0, whole=4.0, size=20.0)
    theirs = texts.Spin(1000, compiler=5.0, search=1.0, size=80.0)
    assert texts.compared(ours, theirs) == (1.5, 0.5, 0.25)
    assert texts.row("x", ours, theirs).endswith("| 1.50 | 0.50 | 0.25 |")
