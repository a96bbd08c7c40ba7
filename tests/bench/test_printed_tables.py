"""The benchmarks print the tables of the dissertation again, the printed figures beside ours."""

import re

import pytest

from bench import ctl, distances, history, symbolic

NUMBER = r"[\d.,]+"


def rows(text: str, net: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(net)]


def test_strategies_and_local_states_stand_beside_the_printed_figures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables 3.1, 3.2, 3.3 and 4.1; covers: S105, S107"""
    net = ("slotted-ring", 5)
    for table in ("SECONDS", "MEGABYTES", "LOCALS"):
        monkeypatch.setattr(history, table, {net: getattr(history, table)[net]})
    monkeypatch.setattr(history, "COLLECTED", {"slotted-ring": (5,)})
    symbolic.main()
    by_strategy, collected, local = capsys.readouterr().out.split("\nTable ")
    measured = rf"{NUMBER} s +{NUMBER} +{NUMBER} MB"
    found = rows(by_strategy, "slotted-ring")
    assert [row.split()[2] for row in found] == list(history.STRATEGIES)
    for row, seconds, megabytes in zip(
        found, (0.2, 0.3, 0.1, 0.1, 0, 0), (0.8, 1.1, 0.3, 0.2, 0, 0), strict=True
    ):
        assert re.search(rf"{measured}  \[{seconds:g} s, {megabytes:g} MB\]$", row)
    assert [row.split()[2] for row in rows(collected, "slotted-ring")] == [
        "lazy",
        "strict:100",
        "strict:1",
    ]
    on_the_fly, pregenerated, overhead = rows(local, "slotted-ring")
    for row, way in ((on_the_fly, "on-the-fly"), (pregenerated, "pregenerated")):
        assert re.search(rf"{way} +{measured}  \[0.01 s, 5 KB; 0.1 s\]$", row)
    assert re.search(r"overhead on the fly, saturation alone [+-]\d+ % \[\+0 %\]$", overhead)


def test_operators_of_ctl_stand_beside_the_printed_figures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables 5.1 and 5.2; covers: S105"""
    net = ("leader", 3)
    monkeypatch.setattr(ctl, "EU", {net: ctl.EU[net]})
    ctl.main()
    head, row = capsys.readouterr().out.splitlines()[1:]
    names = "net N states in EU traditional EU classified EU constrained [EUtrad] [EUsat] EG"
    assert " ".join(head.split()) == f"{names} [EGtrad] [NuSMV]"
    assert re.fullmatch(
        rf"leader +3 +{NUMBER} s +43/{NUMBER} +21/{NUMBER} +\d+/{NUMBER} +\[43/0.02\] +\[22/0.02\]"
        rf" +\d+/{NUMBER} +\[0.02\] +\[0.2\]   \(generation printed: 0.04 s\)",
        row,
    )


def test_distances_stand_beside_the_printed_figures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Table 6.1; covers: S105"""
    net = ("kanban", 3)
    monkeypatch.setattr(distances, "PRINTED", {net: distances.PRINTED[net]})
    distances.main()
    row = capsys.readouterr().out.splitlines()[1]
    assert re.fullmatch(
        rf"kanban +3  D +42  (?:{NUMBER} ){{4}}{NUMBER} +7 \d+ \d+ +"
        r"\[0.01 0.02 0.02 0.04 0.17; 7 180 68\]",
        row,
    )
