"""The tables of the dissertation, printed again: our figures beside the historical ones."""

from __future__ import annotations

import re

import pytest

from bench import ctl, distances, history, symbolic

RING = ("slotted-ring", 5)


def test_the_tables_are_printed_with_the_historical_figures_beside_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One size of each: 3.1 and 3.2 by strategy, 4.1 by local states, 5.1 and 5.2, 6.1.

    covers: S105
    """
    for table in ("SECONDS", "MEGABYTES", "LOCALS"):
        monkeypatch.setattr(history, table, {RING: getattr(history, table)[RING]})
    monkeypatch.setattr(history, "COLLECTED", {})
    monkeypatch.setattr(ctl, "EU", {("leader", 3): ctl.EU["leader", 3]})
    monkeypatch.setattr(distances, "PRINTED", {("kanban", 3): distances.PRINTED["kanban", 3]})
    monkeypatch.setattr(ctl, "LIMIT", 600.0)
    monkeypatch.setattr(distances, "LIMIT", 600.0)
    for bench in (symbolic, ctl, distances):
        bench.main()
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if line.startswith("Table")]
    assert [re.findall(r"\d\.\d", title)[:2] for title in titles] == [
        ["3.1", "3.2"],
        ["3.3"],
        ["4.1"],
        ["5.1", "5.2"],
        ["6.1"],
    ]
    rows = [line for line in lines if line.startswith("slotted-ring")]
    printed = zip(history.SECONDS[RING], history.MEGABYTES[RING], strict=True)
    for strategy, (seconds, megabytes) in zip(history.STRATEGIES, printed, strict=True):
        (row,) = (r for r in rows[: len(history.STRATEGIES)] if f" {strategy} " in r)
        assert re.search(r"\d s +[\d,]+ +\d+\.\d MB", row), row
        assert row.endswith(f"[{seconds:g} s, {megabytes:g} MB]")
    on_the_fly, before, kilobytes, *_ = history.LOCALS[RING]
    assert f"[{on_the_fly} s, {kilobytes:.0f} KB; 0.1 s]" in rows[len(history.STRATEGIES)]
    assert before is not None
    assert "overhead on the fly" in rows[-1]
    (leader,) = (line for line in lines if line.startswith("leader"))
    rounds = re.findall(r"(\d+)/\d+\.\d\d", leader)
    # EUtrad and EUsat, printed 43 and 22, of which the last includes the first saturation.
    assert (rounds[0], rounds[1]) == ("43", "21")
    assert "[43/0.02]" in leader
    assert "[22/0.02]" in leader
    (kanban,) = (line for line in lines if line.startswith("kanban"))
    ours, _, theirs = kanban.partition("[")
    assert re.search(r"D +42 ", ours)
    assert len(re.findall(r"\d+\.\d\d", ours)) == 5
    assert theirs == "0.01 0.02 0.02 0.04 0.17; 7 180 68]"
    assert ours.split()[-3] == "7"
