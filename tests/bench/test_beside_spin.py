"""The table of ratios beside SPIN's reduction; SPIN itself is needed for one test only."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from bench.beside_spin import Row, compared

from bench import beside_spin

SPIN = shutil.which("spin") and shutil.which("cc")
TEXT = """chan q = [2] of { byte };
active proctype S() {
    xs q;
    q!1; q!2
}
active proctype R() { byte x;
    xr q
    if :: empty(q) -> x = 7 :: q?x fi
}
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "q.pml"
    path.write_text(TEXT)
    return path


def spin_says(monkeypatch: pytest.MonkeyPatch, *answers: tuple[int | None, bool]) -> list[str]:
    """What SPIN answers, one call after the other; the texts it is asked about."""
    left = list(answers)
    asked: list[str] = []

    def pan(path: Path, *_flags: str) -> object:
        asked.append(path.read_text())
        return left.pop(0)

    monkeypatch.setattr(beside_spin, "_pan", pan)
    return asked


def test_a_text_of_which_fewer_states_are_stored_is_asked_about_once(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = spin_says(monkeypatch, (1000, True))
    row = compared("q", text)
    assert isinstance(row, Row)
    assert row.sound is None
    assert row.ratio == row.plait / 1000
    assert asked == [TEXT]


def test_where_spin_disowns_its_reduction_the_text_claims_no_channel(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = spin_says(monkeypatch, (2, False), (18, True))
    row = compared("q", text)
    assert isinstance(row, Row)
    assert row.sound == 18
    assert str(row) == f"| q | 2 | 18 | {row.plait} | {row.plait / 2:.2f} |"
    assert "xs q" not in asked[1]
    assert "xr q" not in asked[1]
    assert "q!1; q!2" in asked[1]


def test_what_a_text_includes_comes_along_without_its_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "receiver.h").write_text("active proctype R() { byte x;\n    xr q;\n    q?x\n}\n")
    (tmp_path / "q.pml").write_text('chan q = [2] of { byte };\n#include "receiver.h"\n')
    found: list[str] = []

    def pan(path: Path, *_flags: str) -> tuple[int, bool]:
        found.append((path.parent / "receiver.h").read_text())
        return 0, False

    monkeypatch.setattr(beside_spin, "_pan", pan)
    compared("q", tmp_path / "q.pml")
    assert "xr q" in found[0]
    assert "xr q" not in found[1]
    assert "q?x" in found[1]


@pytest.mark.skipif(not SPIN, reason="spin or cc is not installed")
def test_spin_itself_is_asked_anew_about_the_text_without_claims(text: Path) -> None:
    row = compared("q", text)
    assert isinstance(row, Row)
    assert row.sound is not None
    assert row.spin < row.plait <= row.sound


def test_a_text_without_a_number_of_spins_is_not_compared(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spin_says(monkeypatch, (None, True))
    assert compared("q", text) == "SPIN gives no number"


def test_a_text_that_is_refused_is_not_compared(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text.write_text("init { c_code { x = 1; } }")
    spin_says(monkeypatch, (5, True))
    assert isinstance(compared("q", text), str)


@pytest.mark.parametrize(
    ("warning", "stored"),
    [
        ("", 22),
        ("pan: reached -DMEMLIM bound\nWarning: Search not completed\n", None),
        ("error: max search depth too small\n", None),
    ],
)
def test_states_of_a_search_that_was_cut_short_are_no_figure(
    text: Path, monkeypatch: pytest.MonkeyPatch, warning: str, stored: int | None
) -> None:
    said = subprocess.CompletedProcess([], 0, f"{warning}       22 states, stored\n", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: said)
    assert beside_spin._pan(text) == (stored, True)
